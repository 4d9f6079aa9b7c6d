'use strict';

// How two parties come to one secret: diffieHellman({ privateKey, publicKey }), and encapsulate and
// decapsulate where the host has them.

const crypto = require('node:crypto');
const common = require('../common.js');
const { isKnown, keyOf, measure } = require('../_keys.js');

/** Calls in some 70 ms. */
const CALLS = {
  diffieHellman: { X25519: 1_200, 'P-256': 900 },
  encapsulate: { 'ML-KEM-768': 1_500 },
  decapsulate: { 'ML-KEM-768': 1_200 },
};

const bench = common.createBenchmark(main, {
  method: Object.keys(CALLS),
  kind: ['X25519', 'P-256', 'ML-KEM-768'],
  key: ['KeyObject', 'PEM'],
}, {
  // diffieHellman takes no text before Node 24.
  combinationFilter: ({ method, kind, key }) =>
    CALLS[method][kind] !== undefined &&
    (key === 'KeyObject' || method !== 'diffieHellman') &&
    crypto[method] !== undefined &&
    isKnown(kind),
});

function main({ method, kind, key: form }) {
  const { [form]: { privateKey, publicKey } } = keyOf(kind);
  measure(bench, LOOPS[method](kind, privateKey, publicKey), CALLS[method][kind]);
}

const LOOPS = {
  diffieHellman(kind, privateKey) {
    const { KeyObject: { publicKey } } = keyOf(`${kind} of another`);
    return (count) => {
      let last;
      for (let i = 0; i < count; i++) last = crypto.diffieHellman({ privateKey, publicKey });
      return last.length > 0;
    };
  },
  encapsulate(_kind, _privateKey, publicKey) {
    return (count) => {
      let last;
      for (let i = 0; i < count; i++) last = crypto.encapsulate(publicKey);
      return last.ciphertext.length > 0;
    };
  },
  decapsulate(_kind, privateKey, publicKey) {
    const sent = Array.from({ length: 16 }, () => crypto.encapsulate(publicKey).ciphertext);
    return (count) => {
      let last;
      for (let i = 0; i < count; i++) last = crypto.decapsulate(privateKey, sent[i & 15]);
      return last.length > 0;
    };
  },
};
