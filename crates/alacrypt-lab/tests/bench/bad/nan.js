'use strict';

const common = require('../common.js');

const bench = common.createBenchmark(main, { n: [1, 2] });

function main({ n }) {
  bench.report(n === 1 ? NaN : 5, 1);
}
