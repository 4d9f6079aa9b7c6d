/**
 * `node bench/pool-latency.mjs [--rounds N] NODE…`: how long `fs.stat` takes while 16 derivations run,
 * without the hook and with it, in turns. Prints percentiles in milliseconds.
 */

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const register = path.join(import.meta.dirname, '..', 'lib', 'register.cjs');

const SCRIPT = `
  const crypto = require('node:crypto');
  const { promises: { stat } } = require('node:fs');
  const derive = (iterations) => new Promise((resolve) => crypto.pbkdf2('password', 'salt', iterations, 32, 'sha256', resolve));
  (async () => {
    for (let round = 0; round < 4; round++) await derive(1);
    let running = 16;
    const from = performance.now();
    for (let job = 0; job < 16; job++) derive(400_000).then(() => running--);
    const took = [];
    while (running > 0) {
      const asked = performance.now();
      await stat(__dirname);
      took.push(performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    console.log(JSON.stringify({ took, all: performance.now() - from }));
  })();`;

/** The value below which that share of sorted values lies. */
function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

for (const node of positionals.length === 0 ? [process.execPath] : positionals) {
  const sides = { stock: [], 'with the hook': [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [side, results] of Object.entries(sides)) {
      const flags = side === 'stock' ? [] : ['--require', register];
      results.push(JSON.parse(execFileSync(node, [...flags, '-e', SCRIPT], { encoding: 'utf8' })));
    }
  }
  console.log(node);
  console.log('side           calls    p50    p90    p99    max  all 16 done (median)');
  for (const [side, results] of Object.entries(sides)) {
    const took = results.flatMap((result) => result.took).sort((a, b) => a - b);
    const all = results.map((result) => result.all).sort((a, b) => a - b);
    const columns = [0.5, 0.9, 0.99, 1].map((share) => percentile(took, share).toFixed(2).padStart(7));
    console.log(`${side.padEnd(14)} ${String(took.length).padStart(5)}${columns.join('')}  ${percentile(all, 0.5).toFixed(0)}`);
  }
}
