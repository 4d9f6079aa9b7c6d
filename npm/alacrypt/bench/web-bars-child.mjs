/** One side of `web-bars.mjs`: measures the call whose number comes in, and answers with microseconds. */

import { createInterface } from 'node:readline';

import { calls } from './web-bars-calls.mjs';

/** So long a measurement takes. */
const MILLISECONDS = 120;

const made = new Map();

async function ready(at) {
  if (!made.has(at)) {
    let run = null;
    try {
      run = await calls[at].prepare(globalThis.crypto.subtle);
      for (let use = 0; use < 3; use++) await run();
    } catch {
      run = null;
    }
    made.set(at, run);
  }
  return made.get(at);
}

for await (const line of createInterface({ input: process.stdin })) {
  const at = Number(line);
  const run = await ready(at);
  if (run === null) {
    console.log('null');
    continue;
  }
  const { operations } = calls[at];
  const start = performance.now();
  const end = start + MILLISECONDS;
  let count = 0;
  let now = start;
  do {
    await run();
    count++;
    now = performance.now();
  } while (now < end);
  console.log(JSON.stringify(((now - start) * 1000) / (count * operations)));
}
