/**
 * `docs/HANDED_BACK.md` on standard output: what a call that is handed back takes on the stock host and
 * with the hook, and, where the engine could do the work, what that takes.
 *
 *     node coverage/handed-back.mjs [ROUNDS]
 *
 * Three processes take turns in random order in each round: stock, stock again (what noise does) and
 * with the hook. A figure is the least of all rounds, a ratio the median of those of each round.
 */

import { ratioOf, Turns } from '../bench/turns.mjs';
import { calls } from './handed-back-calls.mjs';

const ROUNDS = Number(process.argv[2] ?? 11);
const turns = new Turns(process.execPath, new URL('handed-back-calls.mjs', import.meta.url).href);

async function measured(at) {
  const ways = [['stock', 'call'], ['again', 'call'], ['hook', 'call'], ...(calls[at].engine === undefined ? [] : [['hook', 'engine']])];
  const times = await turns.measure(at, ways, ROUNDS);
  if (times === undefined) return undefined;
  const [stock, again, hook, engine] = times;
  return {
    least: Math.min(...stock, ...again),
    again: ratioOf(stock, again),
    hook: ratioOf(stock, hook),
    engine: engine === undefined ? undefined : ratioOf(stock, engine),
  };
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
await turns.end();

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
