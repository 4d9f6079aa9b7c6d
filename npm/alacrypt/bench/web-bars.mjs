/**
 * Web Crypto against the figures that are to be reached, on each given program of Node:
 *
 *     node bench/web-bars.mjs [--rounds N] [--only TEXT] [--write] NODE...
 *
 * `--write` puts the tables into `docs/WEB_BENCHMARKS.md` instead of the standard output. Ends with code
 * 1 when a figure is missed by more than what noise does in that row.
 *
 * Stock, stock again and the hook are processes that take turns, in random order in each round. Time is the
 * clock's, as threads do the host's work. Each table is made twice, with the processes free to use all
 * processors and with all of their threads on one.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { median, ratioOf } from './turns.mjs';
import { calls } from './web-bars-calls.mjs';

const DOCUMENT = fileURLToPath(new URL('../../../docs/WEB_BENCHMARKS.md', import.meta.url));
const child = fileURLToPath(new URL('web-bars-child.mjs', import.meta.url));
const register = fileURLToPath(new URL('../lib/register.cjs', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '9' }, only: { type: 'string', default: '' }, write: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const programs = positionals.length === 0 ? [process.execPath] : positionals;
const micro = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1));
let missed = 0;

/** A process that measures what it is told to. */
class Side {
  constructor(node, args, isPinned) {
    const all = ['--no-warnings', ...args, child];
    const [program, given] = isPinned ? ['taskset', ['--cpu-list', String(availableParallelism() - 1), node, ...all]] : [node, all];
    this.process = spawn(program, given, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** Microseconds for one operation; `null` where the host has no such thing. */
  async measure(at) {
    this.process.stdin.write(`${at}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`a process ended at call ${at}`);
    return JSON.parse(value);
  }

  async end() {
    const closed = once(this.process, 'close');
    this.process.stdin.end();
    await closed;
  }
}

async function table(program, version, isPinned) {
  const sides = { stock: new Side(program, [], isPinned), again: new Side(program, [], isPinned), hook: new Side(program, ['--require', register], isPinned) };
  const rows = [];
  for (const [at, { label, bar, pinnedBar }] of calls.entries()) {
    if (!label.includes(values.only)) continue;
    const times = { stock: [], again: [], hook: [] };
    let isLacking = false;
    for (let round = -1; round < rounds && !isLacking; round++) {
      for (const side of Object.keys(sides).sort(() => Math.random() - 0.5)) {
        const time = await sides[side].measure(at);
        isLacking ||= time === null;
        // The first is for the compilers, and for what a key needs once.
        if (round >= 0) times[side].push(time);
      }
    }
    if (isLacking) continue;
    const { stock, again, hook } = times;
    const wanted = isPinned ? pinnedBar : bar;
    const ratio = ratioOf(stock, hook);
    const noise = ratioOf(stock, again);
    const verdict = wanted === undefined ? '' : ratio >= wanted ? 'reached' : ratio >= wanted * Math.min(noise, 1 / noise) ? 'within noise' : 'missed';
    if (verdict === 'missed') missed++;
    const cells = [label, micro(median(stock)), micro(median(hook)), `${ratio.toFixed(2)}×`, wanted === undefined ? '' : `${wanted}×`, verdict, `${noise.toFixed(2)}×`];
    rows.push(`| ${cells.join(' | ')} |`);
    console.error(`${version}${isPinned ? ' pinned' : ''} ${cells.join(' | ')}`);
  }
  for (const side of Object.values(sides)) await side.end();
  return `| | host, µs | with the flag, µs | ratio | bar | | again |\n|---|---|---|---|---|---|---|\n${rows.join('\n')}`;
}

const sections = [];
for (const program of programs) {
  const version = spawnSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim();
  sections.push(`## Node ${version}`);
  for (const isPinned of [false, true]) {
    sections.push(`**${isPinned ? 'All threads on one processor' : `${availableParallelism()} processors`}**`, await table(program, version, isPinned));
  }
}

const text = `# Web Crypto, against its bars

\`\`\`console
$ node bench/web-bars.mjs --rounds ${rounds} ${programs.map((program) => path.relative(process.cwd(), program)).join(' ')}    # in npm/alacrypt
\`\`\`

${rounds} rounds, in each of which stock, stock again and the hook took turns in random order, each a process of its
own. Times are the clock's, for one operation, and the median of all rounds; a ratio is the median of those of each
round. "again" is stock against stock, which is what noise does. *Serial* awaits one result after another; a
*fan-out* makes 1,000 calls and awaits all. Messages have 64 bytes. On one processor the host does better in the serial
case, as no thread of another processor has to be woken. What happens to servers meanwhile tells
\`alacrypt-lab loop\`, in [BENCHMARKS.md](BENCHMARKS.md).

${sections.join('\n\n')}`;

if (values.write) writeFileSync(DOCUMENT, `${text}\n`);
else console.log(text);
process.exitCode = missed === 0 ? 0 : 1;
