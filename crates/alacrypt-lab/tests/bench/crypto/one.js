'use strict';

const common = require('../common.js');

const bench = common.createBenchmark(main, { n: [1e4] });

function main({ n }) {
  let sum = 0;
  bench.start();
  for (let i = 0; i < n; i++) sum += i;
  bench.end(sum > 0 ? n : 1);
}
