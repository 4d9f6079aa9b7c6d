'use strict';

// sign(digest, message, key) by each kind of key.

const crypto = require('node:crypto');
const common = require('../common.js');
const { SIGNING, isKnown, keyOf, message, measure } = require('../_keys.js');

/** Calls in some 70 ms. */
const CALLS = {
  'RSA-2048': 80, 'P-256': 1_800, 'P-384': 90, 'P-521': 60, secp256k1: 150, Ed25519: 1_200, 'ML-DSA-65': 200,
};

const bench = common.createBenchmark(main, {
  kind: SIGNING,
  key: ['KeyObject', 'PEM'],
}, {
  combinationFilter: ({ kind }) => isKnown(kind),
});

function main({ kind, key: form }) {
  const key = keyOf(kind);
  const { digest, [form]: { privateKey } } = key;
  const loop = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.sign(digest, message(i), privateKey);
    return last.length > 0;
  };
  measure(bench, loop, CALLS[kind]);
}
