/**
 * Binaries that cannot be used, more than one copy of the package, and hooks that come twice or late: at
 * most one line on stderr, and the app runs.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { answerOf, appDirectory, scriptOf } from '../support/app.mjs';
import { packageDirectory, registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const addon = path.join(packageDirectory, `alacrypt.linux-${process.arch}-gnu.node`);
const APP = `
  const crypto = require('crypto');
  const hex = crypto.createHash('sha256').update('a').digest('hex');
  const { stats, loadError } = require('alacrypt');
  console.log(JSON.stringify({ hex: hex.slice(0, 8), served: stats().createHash.served, error: loadError?.message }));
`;
const HEX = 'ca978112';

function linuxNodeOnly() {
  if (runtime !== 'node') skip('a flag of Node');
  if (process.platform !== 'linux' || !existsSync(addon)) skip('an ELF file, for glibc');
}

const folder = path.join(appDirectory, 'binaries');
mkdirSync(folder, { recursive: true });

/** Files that are no addon of ours, each with what the line about it says. */
const BAD = {
  'cut in half': [(file) => truncateSync(file, readFileSync(addon).length >> 1), /is incomplete: it ends at byte \d+ of \d+/],
  'without its last byte': [(file) => truncateSync(file, readFileSync(addon).length - 1), /is incomplete/],
  'cut in its head': [(file) => truncateSync(file, 40), /file too short|invalid ELF header/],
  empty: [(file) => truncateSync(file, 0), /file too short/],
  'for another processor': [
    (file) => {
      const bytes = readFileSync(file);
      bytes[18] = bytes[18] === 0xb7 ? 0x3e : 0xb7;
      writeFileSync(file, bytes);
    },
    /cannot open shared object file|wrong ELF class|invalid ELF/,
  ],
  'for another C library': [
    (file) => {
      const stub = path.join(folder, 'libc.musl-x.so.1');
      writeFileSync(`${file}.c`, 'extern int only_there(void); int napi_register_module_v1(void) { return only_there(); }\n');
      writeFileSync(`${stub}.c`, 'int only_there(void) { return 0; }\n');
      execFileSync('cc', ['-shared', '-fPIC', '-Wl,-soname,libc.musl-x.so.1', '-o', stub, `${stub}.c`]);
      execFileSync('cc', ['-shared', '-fPIC', '-o', file, `${file}.c`, stub]);
      rmSync(stub);
    },
    /libc\.musl-x\.so\.1: cannot open shared object file/,
  ],
  'no addon': [
    (file) => {
      writeFileSync(`${file}.c`, 'int nothing(void) { return 0; }\n');
      execFileSync('cc', ['-shared', '-fPIC', '-o', file, `${file}.c`]);
    },
    /did not self-register/,
  ],
  "somebody else's addon": [
    (file) => {
      writeFileSync(`${file}.c`, 'void *napi_register_module_v1(void *env, void *exports) { (void)env; return exports; }\n');
      execFileSync('cc', ['-shared', '-fPIC', '-o', file, `${file}.c`]);
    },
    /belongs to another version of alacrypt/,
  ],
};

for (const [what, [make, message]] of Object.entries(BAD)) {
  test(`bad binary: ${what}`, async () => {
    linuxNodeOnly();
    const file = path.join(folder, `${what.replaceAll(/\W/g, '-')}.node`);
    cpSync(addon, file);
    make(file);
    const { answer, stderr } = await answerOf(APP, { extension: 'cjs', env: { ALACRYPT_BINARY: file } });
    assert.equal(answer.hex, HEX);
    assert.equal(answer.served, 0);
    assert.match(answer.error, message);
    assert.match(stderr, /^alacrypt: not active: [^\n]+\n$/);
    assert.match(stderr, message);
  });
}

test('ALACRYPT_BINARY: another place, and its former name', async () => {
  linuxNodeOnly();
  const file = path.join(folder, 'moved.node');
  cpSync(addon, file);
  for (const name of ['ALACRYPT_BINARY', 'ALACRYPT_NATIVE']) {
    const { answer, stderr } = await answerOf(APP, { extension: 'cjs', env: { [name]: file } });
    assert.deepEqual([answer.served, answer.error, stderr], [1, undefined, '']);
  }
});

/** A copy of the package in a folder of its own, that says it has that version. */
function copyOf(version) {
  const copy = path.join(appDirectory, `copy-${version}`);
  for (const part of ['lib', 'dist', 'package.json', path.basename(addon)]) {
    cpSync(path.join(packageDirectory, part), path.join(copy, part), { recursive: true });
  }
  const present = JSON.parse(readFileSync(path.join(packageDirectory, 'package.json'), 'utf8')).version;
  for (const part of ['lib/register.cjs', 'dist/alacrypt.cjs']) {
    const file = path.join(copy, part);
    const text = readFileSync(file, 'utf8');
    assert.ok(text.includes(`"${present}"`), `no version in ${part}`);
    writeFileSync(file, text.replaceAll(`"${present}"`, `"${version}"`));
  }
  return copy;
}

test('two versions of the package: the first one serves, the second says so', async () => {
  linuxNodeOnly();
  const copy = copyOf('9.9.9');
  const other = path.join(copy, 'lib/register.cjs');
  const { answer, stderr } = await answerOf(APP, { args: ['--require', 'alacrypt/register', '--require', other], extension: 'cjs' });
  assert.deepEqual(answer, { hex: HEX, served: 1 });
  assert.match(stderr, /^alacrypt: not active: version \S+ in \S+ is, this is 9\.9\.9 in \S+\n$/);
  // The API of the second hands out the first one's functions.
  const api = await answerOf(
    `const second = require(${JSON.stringify(path.join(copy, 'lib/index.cjs'))});
     const hex = second.createHash('sha256').update('a').digest('hex');
     console.log(JSON.stringify({ hex: hex.slice(0, 8), first: require('alacrypt').stats().createHash.served, second: second.stats().createHash.served }));`,
    { args: ['--require', 'alacrypt/register'], extension: 'cjs' },
  );
  // One more of the first is what the second looked at when it was loaded.
  assert.deepEqual(api.answer, { hex: HEX, first: 2, second: 0 });
  assert.equal(api.stderr, '');
});

test('register twice, by two paths, by a flag and in the app: once is enough, in silence', async () => {
  linuxNodeOnly();
  const { answer, stderr } = await answerOf(
    `require('alacrypt/register'); require(${JSON.stringify(registerFile)}); ${APP}`,
    { args: ['--require', 'alacrypt/register', '--import', registerFile], extension: 'cjs' },
  );
  assert.deepEqual(answer, { hex: HEX, served: 1 });
  assert.equal(stderr, '');
});

test('register after the app began: what has the module object is reached', async () => {
  linuxNodeOnly();
  const { answer, stderr } = await answerOf(
    `const early = require('crypto');
     const { createHash: taken } = early;
     const before = early.createHash('sha256');
     require('alacrypt/register');
     const hex = [early.createHash('sha256'), taken('sha256'), before].map((hash) => hash.update('a').digest('hex').slice(0, 8));
     console.log(JSON.stringify({ hex, served: require('alacrypt').stats().createHash.served }));`,
    { args: [], extension: 'cjs' },
  );
  assert.deepEqual(answer, { hex: [HEX, HEX, HEX], served: 1 });
  assert.equal(stderr, '');
});

test('crypto that an agent has patched already: its wrapper gets what is handed back', async () => {
  linuxNodeOnly();
  const agent = scriptOf(
    `const crypto = require('crypto');
     const { createHash } = crypto;
     globalThis.seen = [];
     crypto.createHash = function createHash_(name) { globalThis.seen.push(name); return Reflect.apply(createHash, this, arguments); };`,
    'cjs',
  );
  const { answer, stderr } = await answerOf(
    `const crypto = require('crypto');
     crypto.createHash('sha256').update('a').digest();
     crypto.createHash('sm3').update('a').digest();
     console.log(JSON.stringify({ name: crypto.createHash.name, seen: globalThis.seen.includes('sm3') }));`,
    { args: ['--require', agent, '--require', 'alacrypt/register'], extension: 'cjs' },
  );
  assert.deepEqual(answer, { name: 'createHash_', seen: true });
  assert.equal(stderr, '');
});

test('a family whose file is gone: the host serves it', async () => {
  linuxNodeOnly();
  const copy = copyOf('8.8.8');
  const { answer, stderr } = await answerOf(
    `const crypto = require('crypto');
     const fs = require('fs');
     crypto.createHash('sha256');
     for (const name of fs.readdirSync(${JSON.stringify(`${copy}/dist`)})) if (name !== 'alacrypt.cjs') fs.rmSync(${JSON.stringify(`${copy}/dist/`)} + name);
     const cipher = crypto.createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
     const pair = crypto.generateKeyPairSync('ed25519');
     const signature = crypto.sign(null, Buffer.from('a'), pair.privateKey);
     const signer = crypto.createSign('sha256').update('a').sign(crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
     console.log(JSON.stringify([cipher.update('a', 'latin1', 'hex'), crypto.verify(null, Buffer.from('a'), pair.publicKey, signature), signer.length > 60]));`,
    { args: ['--require', `${copy}/lib/register.cjs`], extension: 'cjs' },
  );
  assert.equal(stderr, '');
  assert.deepEqual(answer, ['07', true, true]);
});
