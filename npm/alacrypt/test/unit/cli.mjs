/**
 * `npx alacrypt`: the commands, as a user runs them.
 */

import assert from 'node:assert/strict';

import { appDirectory, scriptOf } from '../support/app.mjs';
import { packageDirectory, run, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const cli = `${packageDirectory}lib/cli.cjs`;

function nodeOnly() {
  if (runtime !== 'node') skip('a command for Node');
}

test('cli: run is the flag, with arguments, exit code and signals passed on', async () => {
  nodeOnly();
  const script = scriptOf(
    `const crypto = require('crypto');
     crypto.createHash('sha256').update('a').digest();
     console.log(JSON.stringify([require('alacrypt').stats().createHash.served, process.argv.slice(2), process.execArgv.includes('--no-warnings')]));
     if (process.argv[3] === 'signal') process.kill(process.pid, 'SIGTERM'); else process.exitCode = 7;`,
    'cjs',
  );
  const plain = await run([cli, 'run', '--no-warnings', script, '--flag', 'value'], { cwd: appDirectory });
  assert.deepEqual(JSON.parse(plain.stdout), [1, ['--flag', 'value'], true]);
  assert.deepEqual([plain.code, plain.stderr], [7, '']);
  const stopped = await run([cli, 'run', script, 'by', 'signal'], { cwd: appDirectory });
  assert.equal(stopped.code, 128 + 15);
});

test('cli: doctor says what runs here, and that the engine is right', async () => {
  nodeOnly();
  const { code, stdout, stderr } = await run([cli, 'doctor', '--quick']);
  assert.equal(stderr, '');
  assert.equal(code, 0, stdout);
  for (const label of ['alacrypt', 'runtime', 'binary', 'settings', 'FIPS', 'processor']) {
    assert.match(stdout, new RegExp(`^${label} +\\S`, 'm'));
  }
  assert.ok(stdout.includes(`Node ${process.versions.node}`));
  const tests = stdout.split('\n').filter((line) => line.startsWith('self-test'));
  assert.equal(tests.length, 7);
  for (const line of tests) assert.match(line, /^self-test +right +\w+: /);
});

test('cli: doctor without a binary says why, and ends with 1', async () => {
  nodeOnly();
  const { code, stdout } = await run([cli, 'doctor', '--quick'], { env: { ALACRYPT_BINARY: '/nonexistent.node' } });
  assert.equal(code, 1);
  assert.match(stdout, /^binary +not loaded: \/nonexistent\.node/m);
  assert.match(stdout, /^self-test +right, by the host/m);
});

test('cli: doctor measures both sides', async () => {
  nodeOnly();
  for (const side of ['host', 'ours']) {
    const { code, stdout } = await run([cli, 'measure', side]);
    assert.equal(code, 0);
    const times = JSON.parse(stdout);
    assert.equal(times.length, 7);
    for (const nanoseconds of times) assert.ok(nanoseconds > 10 && nanoseconds < 1e8, String(nanoseconds));
  }
});

test('cli: anything else is explained', async () => {
  nodeOnly();
  const none = await run([cli]);
  assert.deepEqual([none.code, none.stdout], [2, '']);
  assert.match(none.stderr, /^Usage: alacrypt/);
  const help = await run([cli, '--help']);
  assert.deepEqual([help.code, help.stderr], [0, '']);
  assert.match((await run([cli, '--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
});
