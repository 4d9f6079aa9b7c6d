/**
 * `docs/COVERAGE.md` on standard output, from what `observe.mjs` printed on each line of Node:
 *
 *     node coverage/table.mjs 20.json 22.json 24.json 26.json
 */

import { readFileSync } from 'node:fs';

const lines = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const majors = lines.map(({ version }) => version.slice(1).split('.')[0]);

const WORDS = { served: 'served', host: 'host', lacking: '–', 'host is as fast': 'host: as fast' };
const cell = (outcome) => WORDS[outcome] ?? `host: ${outcome}`;

/** What is in it once, in the order of first sight. */
const once = (values) => [...new Set(values)];

/** The outcomes of one call, a cell per line of Node. */
const perLine = (find) => lines.map((line) => cell(find(line) ?? 'lacking')).join(' | ');

const code = (name) => `\`${name}\``;

function tableOf(name) {
  const rows = lines.flatMap((line) => line.rows.filter((row) => row.name === name));
  return once(rows.map(({ part }) => part)).flatMap((part) => linesOf(rows.filter((row) => row.part === part), name, part));
}

/** The lines of one part: calls with equal outcomes share one. */
function linesOf(rows, name, part) {
  const byOutcome = new Map();
  const seen = new Set();
  const members = new Map();
  for (const { group, label } of rows) {
    const id = `${group ?? ''}\n${label}`;
    if (seen.has(id)) continue;
    seen.add(id);
    const outcomes = perLine((line) =>
      line.rows.find((row) => row.name === name && row.part === part && row.group === group && row.label === label)?.outcome);
    const groups = byOutcome.get(outcomes) ?? new Map();
    byOutcome.set(outcomes, groups);
    groups.set(group, [...(groups.get(group) ?? []), label]);
    members.set(group, (members.get(group) ?? 0) + 1);
  }
  return [...byOutcome].map(([outcomes, groups]) => {
    const words = [...groups].map(([group, labels]) =>
      group === undefined ? labels.join(', ') : labels.length === members.get(group) ? group : `${group} with ${labels.join(', ')}`);
    return `| ${part} | ${words.join(separator(groups))} | ${outcomes} |`;
  });
}

/** Between kinds of keys that hold commas themselves stands a semicolon. */
const separator = (groups) => ([...groups].some(([name, labels]) => name !== undefined && labels.length > 1) ? '; ' : ', ');

/** Exports without a faster form, by the lines of Node that have them. */
function leftAlone() {
  const names = once(lines.flatMap(({ exports }) => Object.keys(exports)));
  const byLines = new Map();
  for (const name of names) {
    const having = lines.flatMap(({ exports }, at) => (Object.hasOwn(exports, name) ? [at] : []));
    if (having.some((at) => lines[at].exports[name] !== 'host')) continue;
    const on = having.length === lines.length ? 'all' : having.map((at) => majors[at]).join(', ');
    byLines.set(on, [...(byLines.get(on) ?? []), name]);
  }
  return [...byLines].map(([on, names]) => `| ${on} | ${names.sort().map(code).join(', ')} |`);
}

/** Classes and functions that were replaced without a call of their own in the table. */
function replacedOnly(served) {
  return once(lines.flatMap(({ exports }) => Object.keys(exports).filter((name) => exports[name] !== 'host')))
    .filter((name) => !served.includes(name));
}

const served = once(lines.flatMap(({ rows }) => rows.map(({ name }) => name))).sort();
const header = [`| | called with | ${majors.map((major) => `Node ${major}`).join(' | ')} |`, `|---|---|${'---|'.repeat(lines.length)}`];

console.log(`# Coverage

Written by \`cargo xtask coverage\` from the running code; \`cargo xtask check\` fails when it is out
of date. Each call was made three times with the hook, and the table says what became of the third:
keys and the names of algorithms are the host's at first use. The hosts were

${lines.map(({ version, openssl }) => `- Node ${version.slice(1)} with OpenSSL ${openssl}`).join('\n')}

| word | meaning |
|---|---|
| served | by the engine |
| host: … | handed back to the host's own function, arguments untouched; the word is the reason in \`stats()\` |
| host | there is no faster form here |
| – | the host has no such function, algorithm or key, or refuses the call |

A kind of key that signs digests was tried with ${lines[0].digests.join(', ')}; where no
digest is named, all of them had the same outcome. What calls around keys take that are handed back, and
what the engine would take for them: [HANDED_BACK.md](HANDED_BACK.md).

${served.map((name) => [`## \`${name}\``, '', ...header, ...tableOf(name)].join('\n')).join('\n\n')}

## The rest of \`node:crypto\`

${replacedOnly(served).map(code).join(', ')}: the objects that the functions above make have the
host's own prototypes, on which some methods are replaced; \`new\` makes the host's objects.

Exports that are the host's own:

| Node | exports |
|---|---|
${leftAlone().join('\n')}`);
