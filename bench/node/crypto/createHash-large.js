'use strict';

// createHash(algorithm).update(data).digest('hex') on data where the primitive is all that counts.

const crypto = require('node:crypto');
const common = require('../common.js');
const { large, measure } = require('../_shared.js');

const KIB = 1024;
/** How many bytes a process hashes: some 70 ms worth. */
const TOTAL = { sha256: 100, sha512: 50, md5: 50, sha1: 100, 'sha3-256': 30 };

const bench = common.createBenchmark(main, {
  algorithm: ['sha256', 'sha512', 'md5', 'sha1', 'sha3-256'],
  data: ['bytes', 'string'],
  size: [64 * KIB, KIB * KIB],
}, {
  // Text is decoded in the same way for every algorithm.
  combinationFilter: ({ algorithm, data }) => algorithm === 'sha256' || data === 'bytes',
});

function main({ algorithm, data: kind, size }) {
  const n = Math.max(1, Math.round(((TOTAL[algorithm] ?? 30) * KIB * KIB) / size));
  const bytes = large(size);
  const data = kind === 'string' ? bytes.toString('latin1') : bytes;
  const loop = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.createHash(algorithm).update(data).digest('hex');
    return last;
  };
  measure(bench, loop, n);
}
