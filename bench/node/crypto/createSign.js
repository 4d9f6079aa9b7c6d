'use strict';

// createSign(digest).update(32-char string).sign(key, 'base64') and createVerify, as libraries for
// tokens call them.

const crypto = require('node:crypto');
const common = require('../common.js');
const { MASK, strings } = require('../_shared.js');
const { keyOf, measure } = require('../_keys.js');

const KINDS = { RS256: 'RSA-2048', ES256: 'P-256' };
/** Calls in some 70 ms. */
const CALLS = { createSign: { RS256: 80, ES256: 1_400 }, createVerify: { RS256: 1_500, ES256: 800 } };
const SIGNED = 16;

const bench = common.createBenchmark(main, {
  method: Object.keys(CALLS),
  algorithm: Object.keys(KINDS),
  key: ['KeyObject', 'PEM'],
});

function main({ method, algorithm, key: form }) {
  const { digest, [form]: { privateKey, publicKey } } = keyOf(KINDS[algorithm]);
  const write = (i) => crypto.createSign(digest).update(strings[i & MASK]).sign(privateKey, 'base64');
  const written = Array.from({ length: SIGNED }, (_, i) => write(i));
  const signing = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = write(i);
    return last.length > 0;
  };
  const verifying = (count) => {
    let isRight = true;
    for (let i = 0; i < count; i++) {
      const at = i % SIGNED;
      isRight = crypto.createVerify(digest).update(strings[at]).verify(publicKey, written[at], 'base64') && isRight;
    }
    return isRight;
  };
  measure(bench, method === 'createSign' ? signing : verifying, CALLS[method][algorithm]);
}
