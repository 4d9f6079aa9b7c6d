'use strict';

const { Agent, connect, connector, options, TLSSocket } = require('../dist/alacrypt.cjs').loadTls();

module.exports = { Agent, connect, connector, options, TLSSocket };
