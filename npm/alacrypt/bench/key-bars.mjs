/**
 * Calls around keys against the figures that are to be reached, on each given program of Node:
 *
 *     node bench/key-bars.mjs [--rounds N] [--only TEXT] [--write] NODE...
 *
 * `--write` puts the tables into `docs/KEY_BENCHMARKS.md` instead of the standard output. Ends with code
 * 1 when a figure is missed by more than what noise does in that row.
 */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { calls } from './key-bars-calls.mjs';
import { Turns, median, ratioOf } from './turns.mjs';

const MODULE = new URL('key-bars-calls.mjs', import.meta.url).href;
const DOCUMENT = fileURLToPath(new URL('../../../docs/KEY_BENCHMARKS.md', import.meta.url));
/** A key as text may cost so much more than a `KeyObject`. */
const PEM_BAR_MICROSECONDS = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '11' }, only: { type: 'string', default: '' }, write: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const programs = positionals.length === 0 ? [process.execPath] : positionals;
const versions = programs.map((program) => spawnSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim());

const micro = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1));
const quartile = (list) => [...list].sort((one, other) => one - other)[list.length >> 2];
let missed = 0;

async function tables(program, version) {
  const [line] = version.split('.');
  const turns = new Turns(program, MODULE);
  const parts = new Map();
  for (const [at, { part, label, bar, pem }] of calls.entries()) {
    if (!`${part} ${label}`.includes(values.only)) continue;
    const ways = [['stock', 'object'], ['again', 'object'], ['hook', 'object'], ...(pem === undefined ? [] : [['stock', 'pem'], ['hook', 'pem'], ['hook', 'object', 'pem']])];
    const times = await turns.measure(at, ways, rounds);
    if (times === undefined) continue;
    const [stock, again, hook, stockPem, hookPem, morePem] = times;
    const wanted = typeof bar === 'number' ? bar : (bar[line] ?? bar.other);
    const ratio = ratioOf(stock, hook);
    const noise = ratioOf(stock, again);
    const verdict = ratio >= wanted ? 'reached' : ratio >= wanted * Math.min(noise, 1 / noise) ? 'within noise' : 'missed';
    const more = morePem === undefined ? undefined : median(morePem);
    // Of a call that takes hundreds of microseconds, noise alone is more than that: most rounds have to say so.
    const isPemMissed = more !== undefined && quartile(morePem) > PEM_BAR_MICROSECONDS;
    if (verdict === 'missed' || isPemMissed) missed++;
    const cells = [
      label, micro(Math.min(...stock, ...again)), micro(Math.min(...hook)), `${ratio.toFixed(2)}×`, `${wanted}×`, verdict, `${noise.toFixed(2)}×`,
      hookPem === undefined ? '' : `${ratioOf(stockPem, hookPem).toFixed(2)}×`,
      more === undefined ? '' : `${more < 0 ? '−' : '+'}${Math.abs(more).toFixed(1)}${isPemMissed ? ' (missed)' : ''}`,
    ];
    if (!parts.has(part)) parts.set(part, []);
    parts.get(part).push(`| ${cells.join(' | ')} |`);
    console.error(`${version} ${cells.join(' | ')}`);
  }
  await turns.end();
  return [...parts].map(([part, rows]) => `**${part}**\n\n| | host, µs | with the flag, µs | ratio | bar | | again | with PEM | PEM, µs more |\n|---|---|---|---|---|---|---|---|---|\n${rows.join('\n')}`).join('\n\n');
}

const sections = [];
for (const [at, program] of programs.entries()) sections.push(`## Node ${versions[at]}\n\n${await tables(program, versions[at])}`);

const relative = programs.map((program) => path.relative(process.cwd(), program));
const text = `# Keys and signatures, against their bars

\`\`\`console
$ node bench/key-bars.mjs --rounds ${rounds} ${relative.join(' ')}    # in npm/alacrypt
\`\`\`

${rounds} rounds, in each of which stock, stock again and the hook took turns in random order, each a process of its
own. Times are the processor's and the least of all rounds; a ratio is the median of those of each round. "again" is
stock against stock, which is what noise does; a ratio below its bar by less than that is *within noise*. The last two
columns are the same call with the key as text: its ratio to the host's, and what it takes more than the
same call with a \`KeyObject\`, both in short turns (bar: ${PEM_BAR_MICROSECONDS} µs, missed where three rounds in four are above it). Keys that are used once come as JWK, 8,192 of them in turn.

${sections.join('\n\n')}`;

if (values.write) writeFileSync(DOCUMENT, `${text}\n`);
else console.log(text);
process.exitCode = missed === 0 ? 0 : 1;
