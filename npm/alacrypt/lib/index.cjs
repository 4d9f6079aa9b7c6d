'use strict';

module.exports = require('../dist/alacrypt.cjs').makeApi();
