'use strict';

// verify(digest, message, key, signature) by each kind of key.

const crypto = require('node:crypto');
const common = require('../common.js');
const { SIGNING, isKnown, keyOf, signatures, signedMessage, measure } = require('../_keys.js');

/** Calls in some 70 ms. */
const CALLS = {
  'RSA-2048': 1_800, 'P-256': 900, 'P-384': 120, 'P-521': 80, secp256k1: 180, Ed25519: 500, 'ML-DSA-65': 450,
};

const bench = common.createBenchmark(main, {
  kind: SIGNING,
  key: ['KeyObject', 'PEM'],
}, {
  combinationFilter: ({ kind }) => isKnown(kind),
});

function main({ kind, key: form }) {
  const key = keyOf(kind);
  const signature = signatures(key);
  const { digest, [form]: { publicKey } } = key;
  const loop = (count) => {
    let isRight = true;
    for (let i = 0; i < count; i++) {
      isRight = crypto.verify(digest, signedMessage(i), publicKey, signature(i)) && isRight;
    }
    return isRight;
  };
  measure(bench, loop, CALLS[kind]);
}
