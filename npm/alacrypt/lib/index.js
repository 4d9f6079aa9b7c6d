'use strict';

module.exports = require('../dist/alacrypt.js').api;
