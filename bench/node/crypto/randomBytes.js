'use strict';

// randomBytes(size) and randomFillSync, small and large.

const crypto = require('node:crypto');
const common = require('../common.js');
const { measure } = require('../_shared.js');

const SMALL = 16;
const CALLS = new Map([[SMALL, 60_000], [64 * 1024, 1_000], [1024 * 1024, 60]]);

const bench = common.createBenchmark(main, {
  method: ['randomBytes', 'randomFillSync'],
  size: [...CALLS.keys()],
});

function main({ method, size }) {
  const n = CALLS.get(size) ?? Math.ceil(1e8 / size);
  const bytes = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = crypto.randomBytes(size);
    return last;
  };
  const target = Buffer.alloc(size);
  const fill = (count) => {
    for (let i = 0; i < count; i++) crypto.randomFillSync(target);
    return target;
  };
  const loop = method === 'randomBytes' ? bytes : fill;
  measure(bench, loop, n);
}
