/**
 * `docs/HANDED_BACK.md` on standard output: what a call that is handed back takes on the stock host and
 * with the hook, and, where the engine could do the work, what that takes.
 *
 *     node coverage/handed-back.mjs [ROUNDS]
 *
 * Three processes take turns in random order in each round: stock, stock again (what noise does) and
 * with the hook. A figure is the least of all rounds, a ratio the median of those of each round.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { calls } from './handed-back-calls.mjs';

const ROUNDS = Number(process.argv[2] ?? 11);
const child = fileURLToPath(new URL('handed-back-child.mjs', import.meta.url));
const register = fileURLToPath(new URL('../lib/register.cjs', import.meta.url));

class Side {
  constructor(args) {
    this.process = spawn(process.execPath, ['--no-warnings', ...args, child], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** Microseconds of a call; `null` where the host has no such thing. */
  async measure(at, way) {
    this.process.stdin.write(`${JSON.stringify([at, way])}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`a process ended at ${calls[at].label}`);
    return JSON.parse(value);
  }

  async end() {
    const closed = once(this.process, 'close');
    this.process.stdin.end();
    await closed;
  }
}

const sides = { stock: new Side([]), again: new Side([]), hook: new Side(['--require', register]) };

function shuffled(list) {
  const left = [...list];
  return list.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
}

const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];

async function measured(at) {
  const ways = [['stock', 'call'], ['again', 'call'], ['hook', 'call'], ...(calls[at].engine === undefined ? [] : [['hook', 'engine']])];
  const times = Object.fromEntries(ways.map((way) => [way.join(), []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [side, way] of shuffled(ways)) {
      const time = await sides[side].measure(at, way);
      if (time === null) return undefined;
      // The first is for the compilers, and for what an algorithm or key needs once.
      if (round >= 0) times[`${side},${way}`].push(time);
    }
  }
  const least = Math.min(...times['stock,call'], ...times['again,call']);
  const ratio = (of) => (times[of] === undefined ? undefined : median(times[of].map((time, round) => times['stock,call'][round] / time)));
  return { least, again: ratio('again,call'), hook: ratio('hook,call'), engine: ratio('hook,engine') };
}

const number = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 0 : 1));
const ratio = (value) => (value === undefined ? 'none' : `${value.toFixed(2)}×`);

const parts = new Map();
for (const [at, { part, label, why }] of calls.entries()) {
  const found = await measured(at);
  if (found === undefined) continue;
  if (!parts.has(part)) parts.set(part, []);
  parts.get(part).push(`| ${label} | ${number(found.least)} | ${ratio(found.again)} | ${ratio(found.hook)} | ${ratio(found.engine)} | ${why} |`);
}
for (const side of Object.values(sides)) await side.end();

console.log(`# What is handed back, measured

Written by \`node coverage/handed-back.mjs\` in \`npm/alacrypt\`, on Node ${process.version.slice(1)} with OpenSSL
${process.versions.openssl}, ${ROUNDS} rounds in each of which three processes took turns in random order, on a shared
2-core x86-64 machine: read ratios, and those within what "again" shows as noise. Times are the processor's.
Which calls are handed back, and on which lines, says [COVERAGE.md](COVERAGE.md).

| column | says |
|---|---|
| host | microseconds of a call on the stock host, the least of all rounds |
| again | stock against stock: what noise does |
| hook | stock against the same call with the hook, which hands it back; above 1 is faster |
| engine | stock against what the engine and the glue around it take for the same work; "none" where the engine has no such algorithm |

${[...parts].map(([part, rows]) => `## ${part}\n\n| | host | again | hook | engine | |\n|---|---|---|---|---|---|\n${rows.join('\n')}`).join('\n\n')}`);
