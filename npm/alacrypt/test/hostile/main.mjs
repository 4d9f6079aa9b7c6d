/**
 * Hostile scripts: the same on the host's functions and on ours, each in a process of its own. Their
 * lines must be equal, and neither process may end before its time.
 *
 *     node test/hostile/main.mjs [PART]
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { hookedArguments, hookedEnvironment, run, runtime, stockArguments } from '../support/runtime.mjs';
import { runTests, skip, test } from '../support/suite.mjs';
import { makeKeys } from './keys.mjs';
import { POISONS } from './tricks.mjs';

const script = fileURLToPath(new URL('child.mjs', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'alacrypt-hostile-'));
const keysFile = path.join(folder, 'keys.json');
const [, , only] = process.argv;

const linesOf = ({ stdout }) => stdout.trimEnd().split('\n').filter((line) => !line.startsWith('? '));

/** One side's lines; it has to come to its end. */
async function side(name, parameters) {
  const flags = ['--no-warnings'];
  const result =
    name === 'host'
      ? await run([...stockArguments(script, flags), keysFile, ...parameters])
      : await run([...hookedArguments(script, 'import', flags), keysFile, ...parameters], { env: hookedEnvironment });
  const last = result.stdout.trimEnd().split('\n').at(-1);
  assert.ok(result.code === 0 && last === 'end -> reached', `${name} ended with ${result.signal ?? result.code} after "${last}"\n${result.stderr}`);
  const lines = linesOf(result);
  if (name === 'host') return lines;
  // What the host did on both sides would be the same.
  const served = lines.splice(-2, 1)[0]?.match(/^! served -> (\d+)$/)?.[1];
  assert.ok(Number(served) >= SERVED, `${served} calls were served`);
  return lines;
}

/** Calls that have to be ours in each part. */
const SERVED = 15;

async function both(...parameters) {
  if (runtime !== 'node') skip('Node serves all of the functions');
  return Promise.all([side('host', parameters), side('ours', parameters)]);
}

/**
 * Some calls crash the host, whose native code keeps a pointer to memory while it runs a getter: those
 * are found, and left out on both sides.
 */
async function argumentsOnBoth() {
  if (runtime !== 'node') skip('Node serves all of the functions');
  const stock = [];
  const crashed = [];
  for (let from = 0; ; from = crashed.at(-1) + 1) {
    const result = await run([...stockArguments(script, ['--no-warnings']), keysFile, 'arguments', String(from), '[]']);
    stock.push(...linesOf(result));
    if (result.code === 0) break;
    assert.ok(result.signal !== null, `the host ended with ${result.code}\n${result.stderr}`);
    const numbers = result.stdout.match(/^\? \d+$/gm);
    assert.ok(numbers !== null && crashed.length < CRASHES, `the host ended with ${result.signal}`);
    crashed.push(Number(numbers.at(-1).slice(2)));
  }
  console.log(`     ${stock.length} calls, and ${crashed.length} more that crash the host`);
  return [stock.filter((line) => line !== ''), await side('ours', ['arguments', '0', JSON.stringify(crashed)])];
}

/** Calls that may crash the host: more than were seen on any line. */
const CRASHES = 60;
const RAN_INTO_IT = /poisoned .* was used|cannot be told|never settled/;
/** Differences that are shown at most. */
const SHOWN = 12;

/** All lines, but those where a changed built-in reached into the host's own code, and not into ours. */
function assertSame([stock, ours], least) {
  const differences = [];
  for (let at = 0; at < Math.max(stock.length, ours.length); at++) {
    if (stock[at] === ours[at] || (RAN_INTO_IT.test(stock[at]) && !RAN_INTO_IT.test(ours[at]))) continue;
    differences.push(`- host  ${stock[at]}\n+ ours  ${ours[at]}`);
  }
  const more = differences.length > SHOWN ? `\nand ${differences.length - SHOWN} more` : '';
  assert.ok(differences.length === 0, `${differences.slice(0, SHOWN).join('\n')}${more}`);
  assert.ok(stock.length >= least, `only ${stock.length} calls`);
}

const TESTS = {
  arguments: ['arguments that change memory while they are read', 2000],
  promises: ['promises that nobody waits for', 40],
  callbacks: ['callbacks that throw', 30],
  stack: ['calls at the end of the stack', 30],
};
for (const [part, [title, least]] of Object.entries(TESTS)) {
  if (only !== undefined && only !== part) continue;
  test(`hostile: ${title}`, async () => assertSame(await (part === 'arguments' ? argumentsOnBoth() : both(part)), least));
}
for (const name of Object.keys(POISONS)) {
  if (only !== undefined && only !== 'poison') continue;
  test(`hostile: before the first call: ${name}`, async () => assertSame(await both('poison', name), 100));
}
try {
  writeFileSync(keysFile, JSON.stringify(makeKeys()));
  await runTests();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
