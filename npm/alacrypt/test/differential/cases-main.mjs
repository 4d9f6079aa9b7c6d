/**
 * The hand-written cases: each is carried out on the host's functions and on ours, and where the
 * right answer is known, the host has to give that too.
 */

import { fileURLToPath } from 'node:url';

import { CASES, THREW } from './cases.mjs';
import { hookedArguments, hookedEnvironment, major, run, runtime, stockArguments } from '../support/runtime.mjs';
import { runTests, skip, test } from '../support/suite.mjs';

const script = fileURLToPath(new URL('cases-child.mjs', import.meta.url));
const oracleFile = fileURLToPath(new URL('keys/oracle.cjs', import.meta.url));
const flags = runtime === 'node' ? ['--no-warnings', '--expose-gc'] : [];

/** Lines by case. */
async function linesOf(args, env) {
  const { code, signal, stdout, stderr } = await run(args, { env, timeoutSeconds: 300 });
  const found = new Map();
  for (const text of stdout.split('\n')) {
    if (!text.startsWith('["')) continue;
    const [name, label, value] = JSON.parse(text);
    if (!found.has(name)) found.set(name, []);
    found.get(name).push([label, value]);
  }
  return { found, ended: code === 0 ? '' : `ended with ${signal ?? code}\n${stderr}` };
}

function pair(names) {
  const first = CASES[names[0]].oracle === true ? ['--require', oracleFile] : [];
  return Promise.all([
    linesOf([...first, ...stockArguments(script, flags), ...names], {}),
    linesOf([...first, ...hookedArguments(script, 'import', flags), ...names], hookedEnvironment),
  ]);
}

const applicable = Object.keys(CASES).filter((name) => CASES[name].only === undefined || CASES[name].only === runtime);
/** Those that share a process, without the host's own functions and with them. */
const together = [false, true].map((needed) => applicable.filter((name) => CASES[name].fresh !== true && (CASES[name].oracle === true) === needed));
const sharedPairs = [];

function check(name, [stock, ours]) {
  const problems = [];
  const [one, other] = [stock.found.get(name) ?? [], ours.found.get(name) ?? []];
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const [expected, actual] = [one[at]?.join(' -> '), other[at]?.join(' -> ')];
    if (expected !== actual) problems.push(`- host  ${expected}`, `+ ours  ${actual}`);
  }
  // What is right is known of Node; other hosts have their own ways.
  for (const [label, right] of Object.entries(runtime === 'node' ? (CASES[name].right ?? {}) : {})) {
    const value = typeof right === 'string' || right instanceof RegExp ? right : (right[major] ?? right.other);
    const given = one.find((line) => line[0] === label)?.[1];
    const fits = value instanceof RegExp ? given !== undefined && value.test(given) : given === value;
    if (!fits) problems.push(`${label}: right is ${value}`, `- host  ${given}`);
  }
  for (const [label, value] of [...one, ...other]) if (label === THREW) problems.push(`${label}: ${value}`);
  if (one.length === 0) problems.push('nothing was compared');
  if (stock.ended !== '') problems.push(`the host's process ${stock.ended}`);
  if (ours.ended !== '') problems.push(`our process ${ours.ended}`);
  if (problems.length > 0) throw new Error(problems.slice(0, 20).join('\n'));
}

for (const [name, { only, since, fresh, oracle, expectedFailure }] of Object.entries(CASES)) {
  test(
    `case: ${name}`,
    async () => {
      if (only !== undefined && only !== runtime) skip(`only ${only} has what this needs`);
      if (runtime === 'node' && since !== undefined && major < since.major) skip(since.reason);
      if (fresh === true) check(name, await pair([name]));
      else check(name, await (sharedPairs[Number(oracle === true)] ??= pair(together[Number(oracle === true)])));
    },
    { expectedFailure: runtime === 'node' ? expectedFailure?.[major] : undefined },
  );
}
await runTests();
