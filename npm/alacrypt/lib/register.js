'use strict';

require('../dist/alacrypt.js').register();
