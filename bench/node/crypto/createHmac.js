'use strict';

// createHmac(algorithm, key).update(32-char string).digest('hex').

const crypto = require('node:crypto');
const common = require('../common.js');
const { MASK, strings, inTurn, measure } = require('../_shared.js');

const bench = common.createBenchmark(main, {
  algorithm: ['sha256', 'mixed'],
  key: ['Buffer', 'KeyObject', 'string'],
  n: [40_000],
});

const BYTES = Buffer.alloc(32, 9);
const keys = {
  Buffer: BYTES,
  KeyObject: crypto.createSecretKey(BYTES),
  string: 'a secret of 24 characters',
};

function main({ algorithm, key: kind, n }) {
  const key = keys[kind];
  const algorithms = inTurn(algorithm);
  const loop = (count) => {
    let last;
    for (let i = 0; i < count; i++) {
      last = crypto.createHmac(algorithms[i & 7], key).update(strings[i & MASK]).digest('hex');
    }
    return last;
  };
  measure(bench, loop, n);
}
