'use strict';

// New key pairs, as KeyObjects and as text.

const crypto = require('node:crypto');
const common = require('../common.js');
const { measure } = require('../_keys.js');

const curve = (namedCurve) => ['ec', { namedCurve }];
const KINDS = {
  'P-256': curve('P-256'), 'P-384': curve('P-384'), 'P-521': curve('P-521'), secp256k1: curve('secp256k1'),
  Ed25519: ['ed25519', {}], X25519: ['x25519', {}],
  // Those lines that have these kinds have this function.
  ...('encapsulate' in crypto ? { 'ML-DSA-65': ['ml-dsa-65', {}], 'ML-KEM-768': ['ml-kem-768', {}] } : {}),
};
const PEM = { publicKeyEncoding: { format: 'pem', type: 'spki' }, privateKeyEncoding: { format: 'pem', type: 'pkcs8' } };
/** Calls in some 70 ms. */
const CALLS = { 'P-256': 1_000, 'P-384': 70, 'P-521': 30, secp256k1: 150, Ed25519: 1_000, X25519: 1_000, 'ML-DSA-65': 250, 'ML-KEM-768': 800 };

const bench = common.createBenchmark(main, {
  form: ['KeyObject', 'PEM'],
  kind: Object.keys(KINDS),
});

function main({ form, kind }) {
  const [type, options] = KINDS[kind];
  const all = { ...options, ...(form === 'PEM' ? PEM : {}) };
  measure(bench, (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.generateKeyPairSync(type, all);
    return last !== undefined;
  }, CALLS[kind]);
}
