'use strict';

// A whole message: createCipheriv, update, final and getAuthTag; or createDecipheriv, setAuthTag,
// update and final.

const crypto = require('node:crypto');
const common = require('../common.js');
const { large, measure, view } = require('../_shared.js');

const IV_LENGTHS = { 'aes-256-gcm': 12, 'chacha20-poly1305': 12, 'aes-256-cbc': 16, 'aes-256-ctr': 16 };

const bench = common.createBenchmark(main, {
  cipher: Object.keys(IV_LENGTHS),
  method: ['encrypt', 'decrypt'],
  size: [64, 1024, 65_536, 1_048_576],
  key: ['Buffer', 'KeyObject'],
}, {
  combinationFilter: ({ key, size }) => key === 'Buffer' || size === 64,
});

const BYTES = Buffer.alloc(32, 9);
const keys = { Buffer: BYTES, KeyObject: crypto.createSecretKey(BYTES) };
const CALLS = { 64: 40_000, 1024: 20_000, 65_536: 2_000, 1_048_576: 120 };

function main({ cipher: name, method, size, key: kind }) {
  const key = keys[kind];
  const iv = Buffer.alloc(IV_LENGTHS[name], 5);
  const isAead = IV_LENGTHS[name] === 12;
  const data = size === 64 ? view : () => message;
  const message = large(size);
  const encrypt = (i) => {
    const cipher = crypto.createCipheriv(name, key, iv);
    const output = [cipher.update(data(i)), cipher.final()];
    if (isAead) output.push(cipher.getAuthTag());
    return output;
  };
  const [body, rest, tag] = encrypt(0);
  const ciphertext = Buffer.concat([body, rest]);
  const decrypt = () => {
    const decipher = crypto.createDecipheriv(name, key, iv);
    if (isAead) decipher.setAuthTag(tag);
    return [decipher.update(ciphertext), decipher.final()];
  };
  const run = method === 'encrypt' ? encrypt : decrypt;
  const loop = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = run(i);
    return last;
  };
  measure(bench, loop, CALLS[size]);
}
