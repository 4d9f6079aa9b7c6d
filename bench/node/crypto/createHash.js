'use strict';

// createHash(algorithm).update(data).digest(encoding) on small data.

const crypto = require('node:crypto');
const common = require('../common.js');
const { MASK, strings, view, inTurn, measure } = require('../_shared.js');

const bench = common.createBenchmark(main, {
  algorithm: ['sha256', 'mixed'],
  data: ['32-char string', '64 B'],
  digest: ['hex', 'buffer'],
  n: [80_000],
}, {
  // Text is mostly asked for as text, bytes as bytes.
  combinationFilter: ({ data, digest }) => (data === '64 B') === (digest === 'buffer'),
});

function main({ algorithm, data, n }) {
  const algorithms = inTurn(algorithm);
  const ofText = (count) => {
    let last;
    for (let i = 0; i < count; i++) {
      last = crypto.createHash(algorithms[i & 7]).update(strings[i & MASK]).digest('hex');
    }
    return last;
  };
  const ofBytes = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.createHash(algorithms[i & 7]).update(view(i)).digest();
    return last;
  };
  const loop = data === '64 B' ? ofBytes : ofText;
  measure(bench, loop, n);
}
