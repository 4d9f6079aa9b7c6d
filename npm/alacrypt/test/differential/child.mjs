/**
 * Carries out programs and writes their lines to a file. Started twice with the same arguments:
 * once as it is, once with the register hook.
 *
 *     child.mjs '{ "api", "seed", "out", "calls", "seconds", "programs"?: [{ "index", "steps" }] }'
 */

import { closeSync, openSync, writeSync } from 'node:fs';

import { APIS } from './apis.mjs';
import { Machine } from './machine.mjs';
import { seedOf } from '../support/rng.mjs';

const { api, seed, out, calls, seconds, programs } = JSON.parse(process.argv[2]);
const { weights, program, poison } = APIS[api];

const file = openSync(out, 'w');
let pending = '';
let written = 0;
function write(text) {
  pending += text;
  if (pending.length > 200_000) flush();
}
function flush() {
  writeSync(file, pending);
  pending = '';
}

const warnings = [];
process.on('warning', (warning) => {
  warnings.push(`${warning.name} ${warning.code} ${warning.message}`);
});
// Errors that nobody catches are part of what is compared.
process.on('uncaughtException', (error) => {
  warnings.push(`uncaught ${error?.name} ${error?.code} ${error?.message}`);
});

async function runProgram(index, steps) {
  write(`# ${index}\n`);
  const machine = new Machine(weights, { poison }, (line) => {
    write(`${line}\n`);
    written++;
  });
  machine.warnings = warnings;
  for (let step = 0; step < program; step++) {
    if (steps !== undefined && !steps.includes(step)) continue;
    await machine.step(seedOf(`${seed}/${api}/${index}/${step}`));
  }
  await machine.settle();
  await machine.close();
}

async function main() {
  if (programs === undefined) {
    const end = performance.now() + seconds * 1000;
    for (let index = 0; written < calls && (performance.now() < end || written < 20); index++) {
      await runProgram(index);
    }
  } else {
    for (const { index, steps } of programs) await runProgram(index, steps);
  }
  write('# end\n');
}

try {
  await main();
  process.exitCode = 0;
} catch (error) {
  // A fault of the generator itself: it must not pass for a result.
  console.error(error);
  process.exitCode = 3;
}
flush();
closeSync(file);
process.exit();
