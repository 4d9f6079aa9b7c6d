'use strict';

const { Agent, connect, connector, fetchAll, options, TLSSocket } = require('../dist/alacrypt.cjs').loadTls();

module.exports = { Agent, connect, connector, fetchAll, options, TLSSocket };
