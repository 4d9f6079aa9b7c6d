// npm run bench [-- --rounds N] [--ms N] [--only TEXT]
//
// Stock Node, stock again (the A/A control) and Node with the flag, each in a process of its own
// and all on the same inputs: every case is measured in rounds in which the three take turns in
// random order. Bun's own functions and the bare addon call are measured in the same rounds.
// Prints medians over the rounds, and the ratio stock / ours with its quartiles.
import { spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { cases } from './cases.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '..');
const register = path.join(root, 'lib', 'register.cjs');
const addon = path.join(
  root,
  readdirSync(root).find((file) => file.endsWith('.node')) ?? 'missing.node',
);
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    ms: { type: 'string', default: '25' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
const milliseconds = Number(values.ms);

class Side {
  constructor(command, args, env = {}) {
    const inherited = { ...process.env, ...env };
    this.process = spawn(command, [...args, path.join(here, 'child.mjs')], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: inherited,
    });
    this.lines = createInterface({ input: this.process.stdout });
  }

  async ask(question) {
    this.process.stdin.write(`${JSON.stringify({ milliseconds, ...question })}\n`);
    const [line] = await once(this.lines, 'line');
    return JSON.parse(line).ns;
  }

  close() {
    this.process.stdin.end();
  }
}

function quantile(numbers, q) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.ceil(at)] - sorted[low]) * (at - low);
}
const median = (numbers) => quantile(numbers, 0.5);

function shuffled(list) {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = crypto.randomInt(i + 1);
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}

const bun = process.env.ALACRYPT_BENCH_BUN;
const sides = {
  stock: new Side(process.execPath, []),
  again: new Side(process.execPath, []),
  ours: new Side(process.execPath, ['--import', register]),
  floor: new Side(process.execPath, [], { ALACRYPT_BENCH_ADDON: addon }),
};
if (bun !== undefined && existsSync(bun)) sides.bun = new Side(bun, []);

const formatNs = (ns) =>
  ns === undefined ? '-' : ns >= 1e5 ? `${(ns / 1e3).toFixed(0)} µs` : `${ns.toFixed(0)} ns`;
const rows = [];
const verdicts = { reached: 0, missed: 0 };
console.log(
  `Node ${process.version}, ${os.cpus()[0]?.model ?? 'unknown processor'}, ${os.cpus().length} cores, ` +
    `load ${os.loadavg()[0].toFixed(1)}; ${rounds} rounds of ${milliseconds} ms\n`,
);
const header = ['call', 'stock', 'ours', 'ratio (quartiles)', 'A/A', 'Bun', 'floor', 'bar'];
const widths = [70, 9, 9, 20, 5, 9, 9, 14];
const print = (cells) =>
  console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' '));
print(header);

for (const [index, { name, bar, beatBun, floor }] of cases(crypto).entries()) {
  if (!name.includes(values.only)) continue;
  const taken = { stock: [], again: [], ours: [], bun: [], floor: [] };
  const questions = Object.keys(sides)
    .filter((side) => side !== 'floor' || floor !== undefined)
    .map((side) => [side, side === 'floor' ? { floor } : { index }]);
  for (const [side, question] of questions) await sides[side].ask(question);
  for (let round = 0; round < rounds; round++) {
    for (const [side, question] of shuffled(questions)) {
      taken[side].push(await sides[side].ask(question));
    }
  }
  const ratios = taken.stock.map((stock, round) => stock / taken.ours[round]);
  const control = taken.stock.map((stock, round) => stock / taken.again[round]);
  const ratio = median(ratios);
  const ours = median(taken.ours);
  const bunNs = taken.bun.length > 0 ? median(taken.bun) : undefined;
  let verdict = '';
  if (bar !== undefined) {
    const reached = ratio >= bar && (!beatBun || bunNs === undefined || ours < bunNs);
    verdict = `${bar}${beatBun ? ', Bun' : ''} ${reached ? 'yes' : 'NO'}`;
    verdicts[reached ? 'reached' : 'missed']++;
  }
  print([
    name,
    formatNs(median(taken.stock)),
    formatNs(ours),
    `${ratio.toFixed(2)} (${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)})`,
    median(control).toFixed(2),
    formatNs(bunNs),
    formatNs(taken.floor.length > 0 ? median(taken.floor) : undefined),
    verdict,
  ]);
  rows.push(name);
}
for (const side of Object.values(sides)) side.close();

if (values.only === '' || 'abandoned'.includes(values.only)) {
  const count = 2_000_000;
  console.log(`\n${count.toLocaleString('en')} abandoned createHash('sha256') objects, medians of 5 runs`);
  const results = { stock: [], again: [], ours: [] };
  for (let round = 0; round < 5; round++) {
    for (const side of shuffled(Object.keys(results))) {
      const args = side === 'ours' ? ['--import', register] : [];
      const { stdout } = spawnSync(process.execPath, [...args, path.join(here, 'abandoned.mjs'), String(count)]);
      results[side].push(JSON.parse(stdout.toString()));
    }
  }
  for (const [side, runs] of Object.entries(results)) {
    const of = (key) => median(runs.map((run) => run[key]));
    console.log(
      `${side.padEnd(6)} peak ${of('peakMiB').toFixed(1)} MiB, collector ${of('collectorMs').toFixed(1)} ms, wall ${of('wallMs').toFixed(0)} ms`,
    );
  }
}
console.log(`\n${rows.length} calls measured; bars: ${verdicts.reached} reached, ${verdicts.missed} missed`);
