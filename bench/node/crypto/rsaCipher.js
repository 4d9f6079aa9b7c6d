'use strict';

// The four old functions of RSA: publicEncrypt and privateDecrypt with OAEP, privateEncrypt and
// publicDecrypt with PKCS #1 v1.5 padding.

const crypto = require('node:crypto');
const common = require('../common.js');
const { keyOf, measure } = require('../_keys.js');

/** Calls in some 70 ms. */
const CALLS = {
  publicEncrypt: 2_000, privateDecrypt: 80, privateEncrypt: 80, publicDecrypt: 2_000,
};
/** Texts that are encrypted, or were. */
const COUNT = 16;

const bench = common.createBenchmark(main, {
  method: Object.keys(CALLS),
  key: ['KeyObject', 'PEM'],
});

function main({ method, key: form }) {
  const { KeyObject, [form]: { privateKey, publicKey } } = keyOf('RSA-2048');
  const plain = Array.from({ length: COUNT }, () => crypto.randomBytes(32));
  const key = method.startsWith('public') ? publicKey : privateKey;
  const inputs = {
    publicEncrypt: () => plain,
    privateEncrypt: () => plain,
    privateDecrypt: () => plain.map((bytes) => crypto.publicEncrypt(KeyObject.publicKey, bytes)),
    publicDecrypt: () => plain.map((bytes) => crypto.privateEncrypt(KeyObject.privateKey, bytes)),
  }[method]();
  const call = LOOPS[method];
  measure(bench, (count) => call(key, inputs, count), CALLS[method]);
}

/** Each with a call site of its own. */
const LOOPS = {
  publicEncrypt(key, inputs, count) {
    let last;
    for (let i = 0; i < count; i++) last = crypto.publicEncrypt(key, inputs[i % COUNT]);
    return last.length > 0;
  },
  privateDecrypt(key, inputs, count) {
    let last;
    for (let i = 0; i < count; i++) last = crypto.privateDecrypt(key, inputs[i % COUNT]);
    return last.length > 0;
  },
  privateEncrypt(key, inputs, count) {
    let last;
    for (let i = 0; i < count; i++) last = crypto.privateEncrypt(key, inputs[i % COUNT]);
    return last.length > 0;
  },
  publicDecrypt(key, inputs, count) {
    let last;
    for (let i = 0; i < count; i++) last = crypto.publicDecrypt(key, inputs[i % COUNT]);
    return last.length > 0;
  },
};
