/**
 * The differential suite: the same seeded calls on the host's functions and on ours.
 *
 *     node test/differential/main.mjs [--api NAME]… [--seed TEXT] [--calls N] [--seconds S]
 *                                     [--differences N] [--require]
 *
 * `--seconds` replaces every API's own share of the time.
 *
 * Two processes of this runtime carry out the same programs, one of them with the register hook.
 * Their lines must be equal. On a difference the seed, the call and both lines are printed, with
 * the fewest calls of that program that still differ.
 */

import crypto from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { APIS } from './apis.mjs';
import { hookedArguments, hookedEnvironment, run, runtime, stockArguments } from '../support/runtime.mjs';
import { runTests, skip, stopsAtFailure, test } from '../support/suite.mjs';

/** Calls per API in the normal run. */
const CALLS = 20_000;
/** Seconds per API in the normal run unless it names its own; whichever comes first ends it. */
const SECONDS = 20;
/** Never fewer calls than that, however slow the machine. */
const LEAST_CALLS = 20;

const { values: flags } = parseArgs({
  options: {
    api: { type: 'string', multiple: true },
    seed: { type: 'string', default: 'alacrypt' },
    calls: { type: 'string', default: String(CALLS) },
    seconds: { type: 'string' },
    differences: { type: 'string', default: '1' },
    require: { type: 'boolean', default: false },
  },
});
const { seed } = flags;
const script = fileURLToPath(new URL('child.mjs', import.meta.url));
const oracle = fileURLToPath(new URL('keys/oracle.cjs', import.meta.url));
const scratchDirectory = mkdtempSync(path.join(tmpdir(), 'alacrypt-differential-'));

// Both sides may take warnings as events; what they print is no part of a result.
const childFlags = runtime === 'node' ? ['--no-warnings'] : [];
/** So that jobs end in the order in which they start. */
const onePoolThread = { UV_THREADPOOL_SIZE: '1' };
let runs = 0;

const secondsOf = (api) => Number(flags.seconds ?? APIS[api].seconds ?? SECONDS);

async function runPair(parameters) {
  const id = runs++;
  const limit = secondsOf(parameters.api) * 3 + 60;
  const start = async (args, env, name) => {
    const out = path.join(scratchDirectory, `${id}-${name}`);
    const result = await run([...args, JSON.stringify({ ...parameters, out })], { env, timeoutSeconds: limit });
    const text = readFileSync(out, 'utf8');
    rmSync(out);
    const ended = result.code === 0 ? '' : `process ended with ${result.signal ?? result.code}\n${result.stderr}`;
    return { programs: parse(text), ended, told: toldOf(result.stderr, parameters.api) };
  };
  // `--require` is as good as `--import`: it gets its share of the runs.
  const form = flags.require || parameters.form === 'require' ? 'require' : 'import';
  const first = APIS[parameters.api].oracle === true ? ['--require', oracle] : [];
  const [stock, ours] = await Promise.all([
    start([...first, ...stockArguments(script, childFlags)], onePoolThread, 'stock'),
    start([...first, ...hookedArguments(script, form, childFlags)], { ...hookedEnvironment, ...onePoolThread }, 'ours'),
  ]);
  return { stock, ours };
}

/** With `ALACRYPT_SHADOW` set, our side itself says where the host's answers are others. */
function toldOf(stderr, api) {
  const told = stderr.split('\n').filter((line) => line.startsWith('alacrypt: shadow:'));
  // A changed built-in makes the host throw, and not ours.
  return APIS[api].poison === true ? told.filter((line) => !/the host threw \(Error\), ours did not/.test(line)) : told;
}

/** The lines of each program that ran to its end, or as far as it came. */
function parse(text) {
  const programs = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) programs.push({ index: line.slice(2), lines: [] });
    else if (line !== '') programs.at(-1).lines.push(line);
  }
  return programs;
}

/** What a difference is about, so that one fault is not reported many times. */
function subject(line = '') {
  return line.replace(/^\w+\d+\./, '').replace(/[(].*/s, '');
}

const RAN_INTO_IT = /poisoned \S+ was used| \| [^|]* (read|set)\b/;

/**
 * With `byteLength` changed, whether the host's own `Buffer.from` throws depends on where in its
 * pool it has come to, which is another place on either side.
 */
const PLACE_IN_POOL = /is outside of buffer bounds.*\.byteLength read/;

/**
 * Whether a changed built-in reached into the host's own code, and not into ours: the host's
 * answer is then the change's, ours is what the host gives without it.
 */
function hostRanIntoIt(stock = '', ours = '') {
  return RAN_INTO_IT.test(stock) && (!RAN_INTO_IT.test(ours) || PLACE_IN_POOL.test(stock) || PLACE_IN_POOL.test(ours));
}

/**
 * The first differences between two runs of the same programs, one for each program and subject,
 * and the number of lines compared.
 */
function compare(stock, ours, most) {
  const count = Math.min(stock.programs.length, ours.programs.length);
  const differences = [];
  let calls = 0;
  for (let at = 0; at < count; at++) {
    const [one, other] = [stock.programs[at], ours.programs[at]];
    // One of them may have run out of time earlier.
    if (one.index === 'end' || other.index === 'end') break;
    const lines = Math.max(one.lines.length, other.lines.length);
    for (let line = 0; line < lines; line++) {
      if (one.lines[line] === other.lines[line]) continue;
      if (hostRanIntoIt(one.lines[line], other.lines[line])) break;
      const about = subject(one.lines[line] ?? other.lines[line]);
      if (!differences.some((difference) => difference.about === about)) {
        differences.push({ about, index: Number(one.index), line, stock: one.lines[line], ours: other.lines[line], call: calls + line });
      }
      // Whatever follows in this program may follow from that.
      break;
    }
    if (differences.length >= most) break;
    calls += lines;
  }
  return { calls, differences };
}

/** Time for making a program smaller; what is left then is printed. */
const SHRINK_SECONDS = 15;

/** Leaves out calls of a program as long as the rest still differs. */
async function shrink(api, index) {
  const end = performance.now() + SHRINK_SECONDS * 1000;
  let steps = Array.from({ length: APIS[api].program }, (_, step) => step);
  const differs = async (candidates) => {
    const found = [];
    const { stock, ours } = await runPair({ api, seed, programs: candidates.map((kept) => ({ index, steps: kept })) });
    for (let at = 0; at < candidates.length; at++) {
      const [one, other] = [stock.programs[at], ours.programs[at]];
      if (one?.lines.join('\n') !== other?.lines.join('\n')) found.push(candidates[at]);
    }
    return found;
  };
  if ((await differs([steps])).length === 0) return undefined;
  // Halves first, then one by one, until nothing more can go.
  for (let size = steps.length >> 1; size >= 1 && performance.now() < end; ) {
    const candidates = [];
    for (let from = 0; from < steps.length; from += size) {
      candidates.push([...steps.slice(0, from), ...steps.slice(from + size)]);
    }
    const [smaller] = (await differs(candidates)).filter((kept) => kept.length > 0);
    if (smaller === undefined) size >>= 1;
    else steps = smaller;
    if (steps.length === 1) break;
  }
  const { stock, ours } = await runPair({ api, seed, programs: [{ index, steps }] });
  const report = [];
  const [one, other] = [stock.programs[0].lines, ours.programs[0].lines];
  for (let line = 0; line < Math.max(one.length, other.length); line++) {
    if (one[line] === other[line]) report.push(`  ${one[line]}`);
    else report.push(`- ${one[line]}`, `+ ${other[line]}`);
  }
  return { steps, report: report.join('\n') };
}

async function differential(api, form) {
  const { stock, ours } = await runPair({ api, seed, form, calls: Number(flags.calls), seconds: secondsOf(api) });
  const { calls, differences } = compare(stock, ours, Number(flags.differences));
  const reports = [];
  for (const found of differences) {
    const shrunk = stopsAtFailure ? undefined : await shrink(api, found.index);
    reports.push(
      `--seed ${seed} --api ${api}: program ${found.index}, line ${found.line} (call ${found.call} in all)`,
      `- host  ${found.stock}`,
      `+ ours  ${found.ours}`,
      stopsAtFailure ? 'not made smaller'
      : shrunk === undefined
        ? 'that program alone shows no difference: it takes those before it'
        : `calls ${shrunk.steps.join()} of it are enough:\n${shrunk.report}`,
    );
  }
  if (stock.ended !== '') reports.push(`the host's ${stock.ended}`);
  if (ours.ended !== '') reports.push(`our ${ours.ended}`);
  reports.push(...ours.told);
  if (differences.length === 0 && calls < LEAST_CALLS) reports.push(`only ${calls} calls were compared`);
  if (reports.length > 0) throw new Error(reports.join('\n'));
  console.log(`     ${calls} calls compared`);
}

const names = flags.api ?? Object.keys(APIS);
names.forEach((api, position) => {
  if (!Object.hasOwn(APIS, api)) throw new Error(`no API ${api}`);
  const form = position % 3 === 2 ? 'require' : 'import';
  test(`generated calls: ${api}`, async () => {
    const { only, needs } = APIS[api];
    if (needs !== undefined && typeof crypto[needs] !== 'function') skip(`this host has no ${needs}`);
    if (only !== undefined && only !== runtime) skip(`only ${only} has what this needs`);
    await differential(api, form);
  });
});
try {
  await runTests();
} finally {
  rmSync(scratchDirectory, { recursive: true, force: true });
}
