#!/usr/bin/env node
/**
 * `npx alacrypt doctor` and `npx alacrypt run app.js`.
 */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { pathToFileURL } from 'node:url';

import { diagnose, measureHere } from './doctor';
import { version } from './claim';

const HELP = `Usage: alacrypt <command>

  run [NODE OPTIONS] SCRIPT [ARGS]   node --import alacrypt/register SCRIPT, from wherever this package is
  doctor [--quick]                   what runs here and whether it works, for a bug report; --quick leaves
                                     out the table of gains, which takes ten seconds
  --version
`;

function run(args: string[]): void {
  if (args.length === 0) {
    process.stderr.write(HELP);
    process.exitCode = 2;
    return;
  }
  const flags = ['--import', pathToFileURL(`${__dirname}/register.cjs`).href];
  const child = spawn(process.execPath, [...process.execArgv, ...flags, ...args], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;
  for (const signal of signals) {
    // A terminal sends its signals to the child as well.
    process.on(signal, () => (process.stdin.isTTY && signal !== 'SIGTERM' ? undefined : child.kill(signal)));
  }
  child.on('error', (error) => {
    process.stderr.write(`alacrypt: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  });
}

const [command, ...rest] = process.argv.slice(2);
if (command === 'run') run(rest);
else if (command === 'doctor') void diagnose(rest.includes('--quick'), __filename);
else if (command === 'measure') measureHere(rest[0] === 'ours');
else if (command === '--version') process.stdout.write(`${version}\n`);
else {
  const isAsked = command === '--help' || command === '-h' || command === 'help';
  (isAsked ? process.stdout : process.stderr).write(HELP);
  process.exitCode = isAsked ? 0 : 2;
}
