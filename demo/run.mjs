// Runs every workload on stock Node and with the flag, compares all outputs, prints one table.
//
// Arms: stock (A), Alacrypt (B), and stock again (A'): A against A' shows what noise alone does.
// Each run is a process of its own; rounds go through all packages, so that a busy minute of the
// machine hits every arm alike. This process never loads Alacrypt: it compares as a bystander.
// Ratios, intervals and verdicts come from alacrypt-lab.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { numbers } from './lib/inputs.mjs';
import { judged } from './lib/lab.mjs';
import { balancedOrders } from './lib/orders.mjs';
import { decode, encode } from './lib/outputs.mjs';
import { table } from './lib/table.mjs';

const HELP = `Usage: cargo xtask demo [OPTIONS]

  --rounds N     runs per package and arm (default 12, at least 3)
  --only NAME    only packages whose name contains NAME
  --seed N       the order of runs (default: from the clock, printed)
  --clock KIND   wall (default) or cpu: what is measured
  --json         print the raw figures below the table

The step itself adds --lab PROGRAM (alacrypt-lab) and --out FOLDER (for its files).
`;

const FLAG = ['--import', 'alacrypt/register'];
const ARMS = { stock: [], alacrypt: FLAG, again: [] };
/** Not measured: a run that counts all calls of node:crypto, those of functions that have no faster form too. */
const COUNTED = ['--require', 'alacrypt/register', '--require', './lib/count.cjs'];
/** So many of the calls that could be served have to be, in all packages together. */
const SHARE_WANTED = 0.95;
const folder = import.meta.dirname;

const options = readOptions();
const workloads = await loadWorkloads(options.only);
const runs = await runAll(workloads, options);
const counts = await countAll(workloads);
try {
  process.exitCode = report(workloads, runs, counts, options) ? 0 : 1;
} catch (error) {
  fail(error.message);
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '12' },
      only: { type: 'string', default: '' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      clock: { type: 'string', default: 'wall' },
      json: { type: 'boolean', default: false },
      lab: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const rounds = Number(values.rounds);
  const seed = Number(values.seed);
  if (!Number.isInteger(rounds) || rounds < 3) fail('--rounds needs a whole number from 3');
  if (!Number.isInteger(seed)) fail('--seed needs a whole number');
  if (!['wall', 'cpu'].includes(values.clock)) fail('--clock is wall or cpu');
  if (!values.lab || !values.out) fail('--lab and --out are missing: start it by `cargo xtask demo`');
  return { ...values, rounds, seed };
}

async function loadWorkloads(only) {
  const files = readdirSync(`${folder}/workloads`).sort();
  const all = await Promise.all(
    files.map(async (file) => ({ file, ...(await import(`./workloads/${file}`)).default })),
  );
  const chosen = all.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) fail(`no package is called ${only}`);
  return chosen;
}

/** All runs in the order of time: `{ name, arm, wallMs, cpuMs, stats, digest, equal }`. */
async function runAll(workloads, { rounds, seed }) {
  const next = numbers(seed);
  const plan = new Map(
    workloads.map(({ name }) => [name, balancedOrders(Object.keys(ARMS), rounds, next)]),
  );
  const runs = [];
  const references = new Map();
  // Signatures and messages that are random are opened here, by the stock functions.
  for (const { opened, setup } of workloads) if (opened) await setup();
  const start = performance.now();
  for (let round = 0; round < rounds; round++) {
    for (const workload of workloads) {
      for (const arm of plan.get(workload.name)[round]) {
        const { outputs: made, ...run } = await runOnce(workload, arm);
        const outputs = workload.opened ? await openedBy(workload, made, arm) : made;
        // Whichever arm ran first is the reference: if two differ, one of them differs from it.
        if (!references.has(workload.name)) references.set(workload.name, outputs);
        run.equal = outputs.equals(references.get(workload.name));
        run.digest = createHash('sha256').update(outputs).digest('hex');
        runs.push({ name: workload.name, arm, ...run });
      }
    }
    const seconds = ((performance.now() - start) / 1_000).toFixed(0);
    console.error(`round ${round + 1} of ${rounds} done after ${seconds} s`);
  }
  return runs;
}

/** By package, the calls of one run: those served, those of functions that have a faster form, and all. */
async function countAll(workloads) {
  const counts = new Map();
  for (const workload of workloads) {
    const { stats, others } = await runOnce(workload, 'counted');
    const { served, handedBack } = countCalls(stats);
    const covered = served + handedBack;
    const kept = Object.entries(others);
    const all = kept.reduce((sum, [, count]) => sum + count, covered);
    counts.set(workload.name, { served, covered, all, kept: kept.map(([name, count]) => `${name} ${count}×`) });
  }
  return counts;
}

/** One run in a fresh process: its figures, and its outputs as bytes. */
async function runOnce({ file, calls, name }, arm) {
  const child = spawn(process.execPath, [...(ARMS[arm] ?? COUNTED), 'child.mjs', file, String(calls)], {
    cwd: folder,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [figures, complaints, outputs, code] = await Promise.all([
    collected(child.stdout),
    collected(child.stderr),
    collected(child.stdio[3]),
    new Promise((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ]);
  if (code !== 0) fail(`${name} (${arm}) ended with ${code}:\n${complaints}`);
  if (outputs.length === 0) fail(`${name} (${arm}) had no outputs`);
  return { ...JSON.parse(figures), outputs };
}

/** What is in the outputs of a run, once they verify. */
async function openedBy({ name, opened }, outputs, arm) {
  try {
    return encode(await opened(decode(outputs)));
  } catch (error) {
    return fail(`${name} (${arm}): stock Node does not accept an output: ${error.message}`);
  }
}

/** Nothing from outside may load something into one arm, or switch the other off. */
function plainEnvironment() {
  const unwanted = /^(ALACRYPT|NODE_|npm_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !unwanted.test(key)));
}

async function collected(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Prints the table and what follows from it; true if every output was equal and served. */
function report(workloads, runs, counts, options) {
  const { rounds, seed, clock, lab, out } = options;
  const measured = runs.map((run) => {
    const { what, calls } = workloads.find(({ name }) => name === run.name);
    const seconds = (clock === 'cpu' ? run.cpuMs : run.wallMs) / 1_000;
    return { name: run.name, what, calls, arm: run.arm, seconds };
  });
  const { rows, sentences } = judged(lab, out, measured, { base: 'stock', control: 'again' });
  const results = workloads.map((workload) =>
    result(workload, runs.filter(({ name }) => name === workload.name), rows.get(workload.name)),
  );
  const columns = [
    { title: 'package' },
    { title: 'what it did' },
    { title: 'stock ms', right: true },
    { title: 'Alacrypt ms', right: true },
    { title: 'ratio', right: true },
    { title: '95 % interval', right: true },
    { title: 'verdict' },
    { title: 'served', right: true },
    { title: 'outputs' },
  ];
  const machine = `${availableParallelism()} processors, load ${loadavg()[0].toFixed(1)}`;
  console.log(`\nNode ${process.version}, ${rounds} rounds, ${clock} clock, order seed ${seed}, ${machine}`);
  console.log('ratio: stock time / Alacrypt time, estimated within rounds by alacrypt-lab\n');
  console.log(table(columns, results.map(({ row }) => row)));
  console.log(`\n${sentences.join('\n')}`);
  console.log(handedBack(results));
  const isEnough = ofAllCalls(counts, options);
  if (options.json) console.log(JSON.stringify(results.map(({ figures }) => figures)));
  return verdict(results) && isEnough;
}

/**
 * Prints how many calls of node:crypto were served; true if of those of functions that have a faster
 * form as many are as is wanted, or packages are left out.
 */
function ofAllCalls(counts, { only }) {
  const sum = { served: 0, covered: 0, all: 0 };
  for (const one of counts.values()) for (const name of Object.keys(sum)) sum[name] += one[name];
  const kept = [...counts].filter(([, one]) => one.kept.length > 0).map(([name, one]) => `  ${name}: ${one.kept.join(', ')}`);
  if (kept.length > 0) console.log(`calls of functions that the host is as fast on, and keeps:\n${kept.join('\n')}\n`);
  const share = sum.served / sum.covered;
  const percent = (part) => `${(part * 100).toFixed(1)} %`;
  console.log(
    `served: ${percent(share)} of ${sum.covered.toLocaleString('en')} calls of functions that have a faster form` +
      ` (at least ${SHARE_WANTED * 100} % are wanted), ${percent(sum.served / sum.all)} of all ${sum.all.toLocaleString('en')} calls of node:crypto`,
  );
  return only !== '' || share >= SHARE_WANTED;
}

function result(workload, runs, { rates, ratio, interval, verdict }) {
  const equal = runs.every((run) => run.equal);
  const calls = countCalls(runs.findLast(({ arm }) => arm === 'alacrypt').stats);
  const share = calls.served / (calls.served + calls.handedBack);
  const medians = [rates.old, rates.new].map((rate) => (workload.calls / rate) * 1_000);
  const digest = (wanted) => runs.find(({ arm }) => arm === wanted).digest;
  const number = (value) => (typeof value === 'number' ? value.toFixed(2) : '?');
  return {
    name: workload.name,
    random: workload.random,
    opened: workload.opened !== undefined,
    equal,
    calls,
    figures: {
      name: workload.name,
      digests: { stock: digest('stock'), alacrypt: digest('alacrypt') },
      equal,
      medians,
      ratio,
      interval,
      verdict,
      runs: runs.map(({ arm, wallMs, cpuMs }) => ({ arm, wallMs, cpuMs })),
      ...calls,
    },
    row: [
      workload.name,
      workload.what,
      medians[0].toFixed(1),
      medians[1].toFixed(1),
      number(ratio),
      interval ? `[${interval.map(number).join(', ')}]` : 'NA',
      words(verdict),
      Number.isNaN(share) ? 'none' : `${(share * 100).toFixed(1)} %`,
      `${equal ? 'equal' : 'DIFFER'}${howEqual(workload)}`,
    ],
  };
}

function howEqual({ random, opened }) {
  if (opened) return ' (opened)';
  return random ? ' (shape)' : '';
}

/** `faster`, or `cannot tell (150 rounds)` with what would decide it. */
function words({ word, needs }) {
  const text = word.replaceAll('-', ' ');
  return needs ? `${text} (${needs} rounds)` : text;
}

/** Sums `stats()`: calls served and handed back, and the reasons per function. */
function countCalls(stats) {
  const sum = { served: 0, handedBack: 0, reasons: [] };
  for (const [fn, { served, handedBack, reasons }] of Object.entries(stats)) {
    sum.served += served;
    sum.handedBack += handedBack;
    for (const [why, times] of Object.entries(reasons)) sum.reasons.push(`${fn}: ${why} ${times}×`);
  }
  return sum;
}

function handedBack(results) {
  const lines = results
    .filter(({ calls }) => calls.reasons.length > 0)
    .map(({ name, calls }) => `  ${name}: ${calls.reasons.join(', ')}`);
  return lines.length > 0 ? `\nhanded back to the host:\n${lines.join('\n')}\n` : '';
}

function verdict(results) {
  const unserved = results.filter(({ calls }) => calls.served === 0);
  const different = results.filter(({ equal }) => !equal);
  const names = (list) => list.map(({ name }) => name).join(', ');
  const random = names(results.filter((result) => result.random && !result.opened));
  if (random) console.log(`random by nature, so compared by shape and by what verifies: ${random}`);
  const opened = names(results.filter((result) => result.opened));
  if (opened) console.log(`random by nature, so verified or decrypted by stock Node, then compared: ${opened}`);
  if (unserved.length > 0) console.log(`not one call was served in: ${names(unserved)}`);
  if (different.length > 0) console.log(`outputs DIFFER in: ${names(different)}`);
  else console.log(`every output was equal, byte for byte (packages: ${results.length})`);
  return unserved.length === 0 && different.length === 0;
}

function fail(message) {
  console.error(`demo: ${message}`);
  process.exit(1);
}
