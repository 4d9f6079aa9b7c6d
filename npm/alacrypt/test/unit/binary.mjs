/**
 * The addon's file: what it exports, what runs when it is loaded and when the process ends, and how
 * large it is. Linux only, by the tools of the C compiler that built it.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { answerOf, appDirectory } from '../support/app.mjs';
import { packageDirectory, runtime, testDirectory } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const addon = path.join(packageDirectory, `alacrypt.linux-${process.arch}-gnu.node`);
/** Stripped. Half a megabyte of it is the downloads of `fetchAll`, without which 4.5 MB are enough. */
const SIZE_LIMIT = 5.1e6;

function linuxOnly() {
  if (process.platform !== 'linux' || !existsSync(addon)) skip('an ELF file, for glibc');
  if (runtime !== 'node') skip('one runtime of the kind is enough');
}

const tool = (name, ...args) => execFileSync(name, args, { encoding: 'utf8' });

test('binary: exports the entry of an addon, and nothing else', () => {
  linuxOnly();
  const exported = tool('nm', '-D', '--defined-only', addon).trim().split('\n').map((line) => line.split(' ').at(-1));
  assert.deepEqual(exported.sort(), ['napi_register_module_v1', 'node_api_module_get_api_version_v1']);
});

test('binary: what runs at load and at exit is the compiler’s, and one function each of AWS-LC', () => {
  linuxOnly();
  const sections = tool('readelf', '-SW', addon);
  const entries = (name) => Number.parseInt(new RegExp(`\\.${name}\\s+\\S+\\s+\\S+\\s+\\S+\\s+(\\S+)`).exec(sections)[1], 16) / 8;
  // The compiler's `frame_dummy`, Rust's copy of the arguments, AWS-LC's look at the processor.
  assert.equal(entries('init_array'), 3);
  // The compiler's `__do_global_dtors_aux`, and AWS-LC's wiping of generators.
  assert.ok(entries('fini_array') <= 3, `${entries('fini_array')} entries in .fini_array`);
  assert.doesNotMatch(sections, /\.(ctors|dtors|preinit_array)\s/);
  const undefined_ = tool('nm', '-D', '--undefined-only', addon);
  assert.doesNotMatch(undefined_, /\b(atexit|__cxa_atexit|on_exit)\b/);
});

test('binary: no thread is started before a job is', async () => {
  linuxOnly();
  const { answer } = await answerOf(
    `const { readdirSync, readFileSync } = require('node:fs');
     const own = () => readdirSync('/proc/self/task').filter((task) => readFileSync('/proc/self/task/' + task + '/comm', 'latin1').trim() === 'alacrypt').length;
     const crypto = require('node:crypto');
     crypto.createHash('sha256').update('a').digest('hex');
     crypto.hkdfSync('sha256', 'a', 'b', 'c', 32);
     const before = own();
     const derive = () => new Promise((resolve) => crypto.pbkdf2('a', 'b', 1, 32, 'sha256', resolve));
     (async () => {
       for (let use = 0; use < 6; use++) await derive();
       console.log(JSON.stringify({ before, after: own() }));
     })();`,
    { extension: 'cjs' },
  );
  assert.equal(answer.before, 0);
  assert.ok(answer.after >= 1, 'the names of threads are not what this looks for');
});

test('binary: needs the C library and the compiler’s alone', () => {
  linuxOnly();
  const needed = [...tool('readelf', '-d', addon).matchAll(/NEEDED.*\[(.*)\]/g)].map(([, name]) => name);
  assert.deepEqual(needed.filter((name) => !/^(libc\.so\.6|libgcc_s\.so\.1|ld-linux-.*\.so\.\d|libm\.so\.6)$/.test(name)), []);
});

test('binary: its size is bounded', () => {
  linuxOnly();
  const { size } = statSync(addon);
  console.log(`     ${path.basename(addon)}: ${size} bytes of at most ${SIZE_LIMIT}`);
  assert.ok(size <= SIZE_LIMIT);
});

/** Something of each family, at once and on the pool. */
const WORK = `
  const crypto = require('node:crypto');
  const { promisify } = require('node:util');
  let first;
  const key = Buffer.alloc(32, 1), iv = Buffer.alloc(16, 2);
  (async () => {
    for (let round = 0; round < 8; round++) {
      crypto.createHash('sha256').update('a').digest('hex');
      crypto.createHmac('sha256', 'k').update('a').digest('hex');
      crypto.randomBytes(16);
      crypto.getRandomValues(new Uint8Array(8));
      crypto.hkdfSync('sha256', 'k', 's', 'i', 32);
      crypto.pbkdf2Sync('k', 's', 10, 32, 'sha256');
      crypto.scryptSync('k', 's', 32, { N: 16 });
      const cipher = crypto.createCipheriv('aes-256-ctr', key, iv);
      cipher.update('a'); cipher.final();
      const ecdh = crypto.createECDH('prime256v1');
      ecdh.generateKeys();
      const pair = await promisify(crypto.generateKeyPair)('ec', { namedCurve: 'secp384r1', publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } });
      first ??= pair;
      const signature = await promisify(crypto.sign)('sha256', key, first.privateKey);
      crypto.verify('sha256', key, first.publicKey, signature);
      try { crypto.createPublicKey('no key'); } catch {}
    }
    const stats = require('alacrypt').stats();
    const served = Object.keys(stats).filter((name) => stats[name].served > 0);
    console.log(JSON.stringify(served));
  })();
`;

test('binary: registers no exit handler, whatever it did', async () => {
  linuxOnly();
  const folder = path.join(appDirectory, 'exits');
  mkdirSync(folder, { recursive: true });
  const recorder = path.join(folder, 'recorder.so');
  const control = path.join(folder, 'control.so');
  const record = path.join(folder, 'record');
  writeFileSync(`${folder}/control.c`, '#include <stdlib.h>\nstatic void end(void) {}\n__attribute__((constructor)) static void begin(void) { atexit(end); }\n');
  tool('cc', '-shared', '-fPIC', '-O1', '-o', recorder, path.join(testDirectory, 'support/exits.c'), '-ldl');
  tool('cc', '-shared', '-fPIC', '-o', control, `${folder}/control.c`);
  const callers = async (source) => {
    rmSync(record, { force: true });
    const { answer } = await answerOf(source, { extension: 'cjs', env: { LD_PRELOAD: recorder, EXITS_RECORD: record } });
    return { answer, lines: readFileSync(record, 'utf8').trim().split('\n') };
  };
  const shown = await callers(`try { process.dlopen({ exports: {} }, ${JSON.stringify(control)}); } catch {} console.log('0');`);
  assert.ok(shown.lines.some((line) => line.endsWith('control.so')), 'the recorder does not see a handler');
  const { answer, lines } = await callers(WORK);
  for (const name of ['createHash', 'createHmac', 'randomBytes', 'createCipheriv', 'hkdfSync', 'sign', 'generateKeyPair']) {
    assert.ok(answer.includes(name), `${name} was not served`);
  }
  assert.deepEqual(lines.filter((line) => line.endsWith('.node')), []);
});
