'use strict';

const common = require('../common.js');

const bench = common.createBenchmark(main, { n: [1, 2] });

// The first configuration reports, the second fails.
function main({ n }) {
  if (n === 2) throw new TypeError('the second one fails');
  bench.report(5, 1);
}
