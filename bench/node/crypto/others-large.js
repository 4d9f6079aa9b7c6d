'use strict';

// createHmac and the one-shot hash on large data.

const crypto = require('node:crypto');
const common = require('../common.js');
const { large, measure } = require('../_shared.js');

const KIB = 1024;
const TOTAL = { sha256: 100, sha512: 50 };

const bench = common.createBenchmark(main, {
  method: ['createHmac', 'hash'],
  algorithm: Object.keys(TOTAL),
  size: [64 * KIB, KIB * KIB],
});

function main({ method, algorithm, size }) {
  const n = Math.max(1, Math.round(((TOTAL[algorithm] ?? 30) * KIB * KIB) / size));
  const data = large(size);
  const key = Buffer.alloc(32, 9);
  const hmac = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.createHmac(algorithm, key).update(data).digest('hex');
    return last;
  };
  const hash = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.hash(algorithm, data);
    return last;
  };
  const loop = method === 'hash' ? hash : hmac;
  measure(bench, loop, n);
}
