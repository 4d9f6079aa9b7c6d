'use strict';

// The callback forms: sign, verify, diffieHellman, encapsulate and decapsulate on the host's pool of
// threads, one call after the other and 64 at a time.

const crypto = require('node:crypto');
const common = require('../common.js');
const { isKnown, keyOf, message, measureLater, signatures, signedMessage } = require('../_keys.js');

/** Calls in some 70 ms, 64 at a time. */
const CALLS = {
  sign: { 'P-256': 1_300, 'P-384': 64, Ed25519: 1_100 },
  verify: { 'P-256': 700, Ed25519: 512, 'RSA-2048': 1_300 },
  diffieHellman: { X25519: 1_200 },
  encapsulate: { 'ML-KEM-768': 1_200 },
  decapsulate: { 'ML-KEM-768': 1_000 },
};

const bench = common.createBenchmark(main, {
  method: Object.keys(CALLS),
  kind: ['P-256', 'P-384', 'Ed25519', 'RSA-2048', 'X25519', 'ML-KEM-768'],
  atATime: [1, 64],
}, {
  // diffieHellman has no such form before Node 24.
  combinationFilter: ({ method, kind }) =>
    CALLS[method][kind] !== undefined &&
    (method !== 'diffieHellman' || crypto.diffieHellman.length > 1) &&
    crypto[method] !== undefined &&
    isKnown(kind),
});

function main({ method, kind, atATime }) {
  measureLater(bench, STARTS[method](kind, keyOf(kind)), CALLS[method][kind], atATime);
}

const STARTS = {
  sign: (_kind, { digest, KeyObject: { privateKey } }) => (i, done) => crypto.sign(digest, message(i), privateKey, done),
  verify(_kind, key) {
    const { digest, KeyObject: { publicKey } } = key;
    const signature = signatures(key);
    return (i, done) => crypto.verify(digest, signedMessage(i), publicKey, signature(i), done);
  },
  diffieHellman(kind, { KeyObject: { privateKey } }) {
    const { KeyObject: { publicKey } } = keyOf(`${kind} of another`);
    return (_i, done) => crypto.diffieHellman({ privateKey, publicKey }, done);
  },
  encapsulate: (_kind, { KeyObject: { publicKey } }) => (_i, done) => crypto.encapsulate(publicKey, done),
  decapsulate(_kind, { KeyObject: { privateKey, publicKey } }) {
    const sent = Array.from({ length: 16 }, () => crypto.encapsulate(publicKey).ciphertext);
    return (i, done) => crypto.decapsulate(privateKey, sent[i & 15], done);
  },
};
