// One side of a comparison: answers `{ index, milliseconds }` or `{ floor, milliseconds }` lines
// with the nanoseconds that a call took in a batch of about that length.
import crypto from 'node:crypto';
import { createInterface } from 'node:readline';

import { cases, floors } from './cases.mjs';

const list = cases(crypto);
let floorCases;
if (process.env.ALACRYPT_BENCH_ADDON !== undefined) {
  const module = { exports: {} };
  process.dlopen(module, process.env.ALACRYPT_BENCH_ADDON);
  floorCases = floors(module.exports);
}

const perCall = new Map();

function measure(key, run, milliseconds) {
  let n = perCall.get(key);
  if (n === undefined) {
    // Let the optimising compiler see the case; then find the batch that takes the time asked for.
    for (let warm = 1, spent = 0; spent < 60 && warm < 1e6; warm *= 2) {
      const start = process.hrtime.bigint();
      run(warm);
      const took = Number(process.hrtime.bigint() - start);
      spent += took / 1e6;
      n = took / warm;
    }
    perCall.set(key, n);
  }
  const batch = Math.max(1, Math.round((milliseconds * 1e6) / n));
  const start = process.hrtime.bigint();
  run(batch);
  const took = Number(process.hrtime.bigint() - start) / batch;
  perCall.set(key, took);
  return took;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { index, floor, milliseconds } = JSON.parse(line);
  const ns =
    floor === undefined
      ? measure(index, (n) => list[index].run(n), milliseconds)
      : measure(floor, floorCases[floor], milliseconds);
  process.stdout.write(`${JSON.stringify({ ns })}\n`);
}
