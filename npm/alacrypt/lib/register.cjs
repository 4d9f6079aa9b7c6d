'use strict';

require('../dist/alacrypt.cjs').register();
