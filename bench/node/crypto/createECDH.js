'use strict';

// What a party to ECDH does: a new key pair, its point as text, and the secret with another's point.

const crypto = require('node:crypto');
const common = require('../common.js');
const { measure } = require('../_keys.js');

/** Calls in some 70 ms. */
const CALLS = {
  generateKeys: { prime256v1: 3_000, secp384r1: 60, secp521r1: 25, secp256k1: 140 },
  computeSecret: { prime256v1: 500, secp384r1: 35, secp521r1: 14, secp256k1: 80 },
  'one exchange': { prime256v1: 350, secp384r1: 22, secp521r1: 9, secp256k1: 50 },
};
/** How many others there are. */
const COUNT = 8;

const bench = common.createBenchmark(main, {
  method: Object.keys(CALLS),
  curve: Object.keys(CALLS.generateKeys),
});

function main({ method, curve }) {
  const points = Array.from({ length: COUNT }, () => crypto.createECDH(curve).generateKeys());
  measure(bench, LOOPS[method](curve, points), CALLS[method][curve]);
}

const LOOPS = {
  generateKeys(curve) {
    const own = crypto.createECDH(curve);
    return (count) => {
      let last;
      for (let i = 0; i < count; i++) last = own.generateKeys();
      return last.length > 0;
    };
  },
  computeSecret(curve, points) {
    const own = crypto.createECDH(curve);
    own.generateKeys();
    return (count) => {
      let last;
      for (let i = 0; i < count; i++) last = own.computeSecret(points[i % COUNT]);
      return last.length > 0;
    };
  },
  'one exchange'(curve, points) {
    return (count) => {
      let last;
      for (let i = 0; i < count; i++) {
        const own = crypto.createECDH(curve);
        own.generateKeys('base64', 'compressed');
        last = own.computeSecret(points[i % COUNT], undefined, 'base64');
      }
      return last.length > 0;
    };
  },
};
