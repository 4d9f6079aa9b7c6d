'use strict';

// createPublicKey(text): of a secret that is no key, which jsonwebtoken tries first, and of one PEM
// again and again.

const crypto = require('node:crypto');
const common = require('../common.js');
const { MASK, strings } = require('../_shared.js');
const { keyOf, measure } = require('../_keys.js');

/** Calls in some 70 ms. */
const CALLS = { 'HMAC secret': 3_000, 'RSA-2048': 1_500, 'P-256': 2_000, Ed25519: 2_000 };

const bench = common.createBenchmark(main, { text: Object.keys(CALLS) });

function main({ text }) {
  const refused = (count) => {
    let errors = 0;
    for (let i = 0; i < count; i++) {
      try {
        crypto.createPublicKey(strings[i & MASK]);
      } catch {
        errors++;
      }
    }
    return errors === count;
  };
  const made = () => {
    const { PEM: { publicKey } } = keyOf(text);
    return (count) => {
      let last;
      for (let i = 0; i < count; i++) last = crypto.createPublicKey(publicKey);
      return last.type === 'public';
    };
  };
  measure(bench, text === 'HMAC secret' ? refused : made(), CALLS[text]);
}
