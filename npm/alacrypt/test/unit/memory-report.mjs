/**
 * `memory()`: every native object that lives is counted, and none that is gone; and the host's
 * collector is told of what keys take.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { answerOf, appDirectory } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

function nodeOnly() {
  if (runtime !== 'node') skip('only Node has native objects that stay');
}

const GC = { args: ['--expose-gc', '--import', 'alacrypt/register'], extension: 'cjs' };
const PRELUDE = `
  const crypto = require('node:crypto');
  const { memory } = require('alacrypt');
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const settle = async () => { for (let wait = 0; wait < 8; wait++) { globalThis.gc(); await turn(); } };
`;

/** What makes objects of a kind, which are kept in \`kept\`; how many of them; and their least size in bytes. */
const KINDS = {
  hmacKeys: [`const key = crypto.createSecretKey(Buffer.from('key ' + at)); for (let use = 0; use < 4; use++) crypto.createHmac('sha256', key).update('a').digest(); kept.push(key);`, 50, 1200],
  parsedKeys: [`const key = crypto.createPublicKey({ key: pairs[at], format: 'pem' }); for (let use = 0; use < 4; use++) crypto.verify('sha256', data, key, data); kept.push(key);`, 8, 600],
  ecdhKeyPairs: [`const ecdh = crypto.createECDH('secp384r1'); ecdh.generateKeys(); kept.push(ecdh);`, 50, 650],
  cipherKeys: [`const key = crypto.createSecretKey(Buffer.alloc(32, at)); for (let use = 0; use < 5; use++) { const cipher = crypto.createCipheriv('aes-256-gcm', key, Buffer.alloc(12)); cipher.update(data); cipher.final(); } kept.push(key);`, 50, 64],
  cipherStreams: [`const cipher = crypto.createCipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12)); cipher.update(data); cipher.update(data); kept.push(cipher);`, 50, 800],
};

for (const [kind, [statement, objects, bytesEach]] of Object.entries(KINDS)) {
  test(`memory(): ${kind} that live, and that are gone`, async () => {
    nodeOnly();
    const { answer } = await answerOf(
      `${PRELUDE}
       const data = Buffer.alloc(64, 7);
       const pairs = Array.from({ length: ${kind === 'parsedKeys' ? objects + 2 : 0} }, () => crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }));
       let kept = [];
       const make = (at) => { ${statement} };
       (async () => {
         // The first objects of a kind are the host's.
         for (let at = 0; at < 2; at++) make(at);
         kept = [];
         await settle();
         const before = memory();
         for (let at = 2; at < ${objects + 2}; at++) make(at);
         const during = memory();
         const held = kept.length;
         kept = [];
         await settle();
         console.log(JSON.stringify({ before: before.${kind}, during: during.${kind}, after: memory().${kind}, held }));
       })();`,
      GC,
    );
    assert.equal(answer.held, objects);
    assert.equal(answer.during.count - answer.before.count, objects);
    assert.ok(answer.during.bytes - answer.before.bytes >= objects * bytesEach * 0.8, JSON.stringify(answer));
    assert.ok(answer.after.count <= answer.before.count, JSON.stringify(answer));
  });
}

test('memory(): jobs, threads, and what is there once', async () => {
  nodeOnly();
  const { answer } = await answerOf(
    `${PRELUDE}
     const derive = () => new Promise((resolve) => crypto.pbkdf2('secret', Buffer.alloc(700), 60_000, 32, 'sha256', resolve));
     (async () => {
       const atFirst = memory();
       // The first one is the host's.
       await derive();
       const several = Promise.all([derive(), derive(), derive()]);
       const during = memory();
       await several;
       crypto.randomBytes(16);
       await crypto.subtle.digest('SHA-256', Buffer.alloc(9));
       console.log(JSON.stringify({ atFirst, during, after: memory() }));
     })();`,
    { extension: 'cjs' },
  );
  const { atFirst, during, after } = answer;
  for (const kind of Object.keys(atFirst)) {
    if (kind !== 'scratch' && kind !== 'keyCache') assert.deepEqual(atFirst[kind], { count: 0, bytes: 0 }, kind);
  }
  assert.equal(atFirst.scratch.count, 1);
  assert.ok(atFirst.scratch.bytes > 20_000 && atFirst.scratch.bytes < 30_000);
  assert.equal(during.jobs.count, 3);
  assert.ok(during.jobs.bytes >= 3 * 700);
  assert.ok(during.threads.count >= 1);
  assert.deepEqual(after.jobs, { count: 0, bytes: 0 });
  assert.deepEqual(after.randomPool, { count: 1, bytes: 512 });
});

test('memory(): contents of keys, and those of another thread', async () => {
  nodeOnly();
  const { answer } = await answerOf(
    `${PRELUDE}
     const { Worker, isMainThread, parentPort } = require('node:worker_threads');
     const { publicKey, privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } });
     const signature = crypto.sign('sha256', 'a', privateKey);
     for (let use = 0; use < 5; use++) crypto.verify('sha256', Buffer.from('a'), publicKey, signature);
     if (isMainThread) {
       const { keyCache, parsedKeys } = memory();
       const worker = new Worker(__filename);
       worker.on('message', (other) => console.log(JSON.stringify({ here: { keyCache, parsedKeys }, other, after: memory().parsedKeys })));
     } else {
       parentPort.postMessage(memory().parsedKeys.count);
     }`,
    { extension: 'cjs' },
  );
  assert.ok(answer.here.keyCache.count >= 1 && answer.here.keyCache.bytes === 4096, JSON.stringify(answer));
  assert.ok(answer.here.parsedKeys.count >= 1);
  assert.equal(answer.other, answer.here.parsedKeys.count);
  assert.deepEqual(answer.after, answer.here.parsedKeys);
});

/** Tells the sum of what addons have told the collector: \`process.memoryUsage()\` has array buffers only. */
const SUM_OF_REPORTS = `
  typedef struct value *value; typedef struct env *env;
  extern int napi_adjust_external_memory(env, long long, long long *);
  extern int napi_create_double(env, double, value *);
  extern int napi_create_function(env, const char *, unsigned long, value (*)(env, void *), void *, value *);
  static value sum(env e, void *info) { long long sum = 0; value v; napi_adjust_external_memory(e, 0, &sum); napi_create_double(e, (double)sum, &v); return v; }
  value napi_register_module_v1(env e, value exports) { value f; napi_create_function(e, "sum", 3, sum, 0, &f); return f; }
`;

test('memory(): the collector is told of keys, and of their end', async () => {
  nodeOnly();
  if (process.platform !== 'linux') skip('a C compiler is at hand on Linux');
  const source = path.join(appDirectory, 'reports.c');
  writeFileSync(source, SUM_OF_REPORTS);
  execFileSync('cc', ['-shared', '-fPIC', '-o', path.join(appDirectory, 'reports.node'), source]);
  const { answer } = await answerOf(
    `${PRELUDE}
     const sum = require('./reports.node');
     (async () => {
       let kept = [];
       const make = (at) => { ${KINDS.hmacKeys[0]} const ecdh = crypto.createECDH('prime256v1'); ecdh.generateKeys(); ecdh.generateKeys(); kept.push(ecdh); };
       make(0);
       kept = [];
       await settle();
       const before = sum();
       for (let at = 0; at < 1000; at++) make(at);
       const during = sum();
       kept = [];
       await settle();
       console.log(JSON.stringify({ during: during - before, after: sum() - before }));
     })();`,
    GC,
  );
  // Others report to the same sum.
  const [each, slack] = [1232 + 710, 150_000];
  assert.ok(Math.abs(answer.during - 1000 * each) < slack, `${answer.during} bytes were reported`);
  assert.ok(Math.abs(answer.after) < slack, `${answer.after} bytes are still reported`);
});
