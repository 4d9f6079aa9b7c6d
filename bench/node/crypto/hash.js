'use strict';

// crypto.hash(algorithm, data, encoding) on small data, the one-shot of Node 20.12 and later.

const crypto = require('node:crypto');
const common = require('../common.js');
const { MASK, strings, view, inTurn, measure } = require('../_shared.js');

const bench = common.createBenchmark(main, {
  algorithm: ['sha256', 'mixed'],
  data: ['32-char string', '64 B'],
  digest: ['hex', 'buffer'],
  n: [150_000],
}, {
  combinationFilter: ({ data, digest }) => (data === '64 B') === (digest === 'buffer'),
});

function main({ algorithm, data, n }) {
  const algorithms = inTurn(algorithm);
  const ofText = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.hash(algorithms[i & 7], strings[i & MASK]);
    return last;
  };
  const ofBytes = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.hash(algorithms[i & 7], view(i), 'buffer');
    return last;
  };
  const loop = data === '64 B' ? ofBytes : ofText;
  measure(bench, loop, n);
}
