/**
 * Web Crypto: when results arrive, where work is done, and what becomes of it when a thread ends.
 */

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';

import { answerOf, hook, runApp } from '../support/app.mjs';
import { indexFile, major, registerFile, runtime } from '../support/runtime.mjs';
import { skip, test as addTest } from '../support/suite.mjs';

const LONG = process.env.ALACRYPT_TEST_LONG === '1';

/** Only Node has these methods replaced. */
const test = (name, body, options) =>
  addTest(`web crypto: ${name}`, () => (runtime === 'node' ? body() : skip('only Node has its Web Crypto served')), options);

/** Some of everything that is served, ready to be called, and a look at the counts. */
const PRELUDE = `
  const { subtle } = globalThis.crypto;
  const data = Buffer.alloc(64, 7);
  const counts = () => Object.fromEntries(Object.entries(require(${JSON.stringify(indexFile)}).stats()).filter(([name]) => name.startsWith('subtle.')));
  const makeCalls = async () => {
    const mac = await subtle.importKey('raw', Buffer.alloc(32, 1), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
    const aes = await subtle.importKey('raw', Buffer.alloc(32, 1), 'AES-GCM', false, ['encrypt', 'decrypt']);
    const ec = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
    const tag = await subtle.sign('HMAC', mac, data);
    const algorithm = { name: 'AES-GCM', iv: Buffer.alloc(12) };
    const sealed = await subtle.encrypt(algorithm, aes, data);
    const ecdsa = { name: 'ECDSA', hash: 'SHA-256' };
    const secret = await subtle.importKey('raw', Buffer.alloc(32, 1), 'HKDF', false, ['deriveBits']);
    const derivation = { name: 'HKDF', hash: 'SHA-256', salt: data, info: new Uint8Array(0) };
    const one = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
    const calls = {
      digest: () => subtle.digest('SHA-256', data),
      sign: () => subtle.sign('HMAC', mac, data),
      verify: () => subtle.verify('HMAC', mac, tag, data),
      encrypt: () => subtle.encrypt(algorithm, aes, data),
      decrypt: () => subtle.decrypt(algorithm, aes, sealed),
      deriveBits: () => subtle.deriveBits(derivation, secret, 256),
      agree: () => subtle.deriveBits({ name: 'ECDH', public: one.publicKey }, one.privateKey, null),
      signEc: () => subtle.sign(ecdsa, ec.privateKey, data),
    };
    for (const call of Object.values(calls)) for (let use = 0; use < 3; use++) await call();
    return calls;
  };
`;

/** The answer of the body of an async function, on the stock host and with the hook. */
async function both(body, { env = {}, flags = [] } = {}) {
  const source = `${PRELUDE} (async () => { const answer = await (async () => { ${body} })(); console.log(JSON.stringify(answer)); })();`;
  const [stock, ours] = await Promise.all([
    answerOf(source, { args: flags, extension: 'cjs', env }),
    answerOf(source, { args: [...flags, ...hook], extension: 'cjs', env }),
  ]);
  return { stock: stock.answer, ours: ours.answer, stderr: { stock: stock.stderr, ours: ours.stderr } };
}

async function withHook(body, options = {}) {
  const source = `${PRELUDE} (async () => { const answer = await (async () => { ${body} })(); console.log(JSON.stringify(answer)); })();`;
  return answerOf(source, { extension: 'cjs', ...options, args: [...(options.flags ?? []), ...hook] });
}

test('methods look like the host\'s', async () => {
  const { stock, ours } = await both(`
    const prototype = Object.getPrototypeOf(subtle);
    const seen = {};
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (name === 'constructor') continue;
      const { value, get, ...flags } = Object.getOwnPropertyDescriptor(prototype, name);
      seen[name] = [value?.name, value?.length, flags, typeof get, value !== undefined && Object.hasOwn(value, 'prototype')];
      if (value === undefined) continue;
      try { const refused = value.call({}); refused.catch(() => {}); seen[name].push('no throw', await refused.then(() => 'fulfilled', (error) => error.code)); } catch (error) { seen[name].push(error.name); }
    }
    return { seen, same: globalThis.crypto.subtle === require('node:crypto').subtle, names: Object.keys(subtle) };`);
  assert.deepEqual(ours, stock);
});

test('each of the first calls is served', async () => {
  const { answer } = await withHook('await makeCalls(); return counts();');
  for (const [name, { served, inline, pooled }] of Object.entries(answer)) {
    assert.ok(inline >= 2, `${name}: ${inline}`);
    assert.equal(inline + pooled, served, name);
  }
});

test('an answer comes after all microtasks and ticks, and before a timer that comes later', async () => {
  const { answer } = await withHook(`
    const calls = await makeCalls();
    const seen = {};
    for (const [name, call] of Object.entries(calls)) {
      const order = [];
      const promise = call().then(() => order.push('answer'));
      process.nextTick(() => order.push('tick'));
      let rounds = 0;
      const spin = () => { if (++rounds === 500) order.push('microtasks'); else Promise.resolve().then(spin); };
      spin();
      setTimeout(() => order.push('timer'), 200);
      await promise;
      seen[name] = order.join();
    }
    return seen;`);
  for (const [name, order] of Object.entries(answer)) assert.match(order, /^(tick,microtasks|microtasks,tick),answer$/, name);
});

test('two answers have ticks and microtasks between them', async () => {
  const { stock, ours } = await both(`
    const calls = await makeCalls();
    const order = [];
    await Promise.all(Object.entries(calls).map(([name, call]) => call().then(() => {
      order.push(name);
      process.nextTick(() => order.push('tick of ' + name));
      queueMicrotask(() => queueMicrotask(() => order.push('microtask of ' + name)));
    })));
    await new Promise((resolve) => setImmediate(resolve));
    return Object.keys(calls).map((name) => { const at = order.indexOf(name); return order.slice(at + 1, at + 3).sort(); });`);
  assert.deepEqual(ours, stock);
});

test('answers come in the order of the calls', async () => {
  const { answer } = await withHook(`
    const order = [];
    await Promise.all(Array.from({ length: 2000 }, (_, at) => subtle.digest('SHA-256', data).then(() => order.push(at))));
    return order.every((one, at) => one === at);`, { env: { ALACRYPT_INLINE_BUDGET_US: '50000' } });
  assert.equal(answer, true);
});

test('a loop that awaits one answer after another leaves timers, immediates and files their turns', async () => {
  const { answer } = await withHook(`
    const calls = await makeCalls();
    const seen = {};
    for (const [name, call] of Object.entries(calls)) {
      const count = { timers: 0, immediates: 0, files: 0 };
      let goesOn = true;
      const timer = setInterval(() => count.timers++, 1);
      const again = () => { count.immediates++; if (goesOn) setImmediate(again); };
      again();
      const read = () => require('node:fs').stat(__filename, () => { count.files++; if (goesOn) read(); });
      read();
      // A loop that is kept from them comes to none in whatever time; a busy machine needs more of it.
      const end = performance.now() + 20_000;
      let made = 0;
      while (made < 50 || ((count.timers < 3 || count.files < 10) && performance.now() < end)) { await call(); made++; }
      goesOn = false;
      clearInterval(timer);
      seen[name] = { ...count, made };
    }
    return seen;`);
  for (const [name, { timers, immediates, files, made }] of Object.entries(answer)) {
    assert.ok(timers >= 3 && files >= 10, `${name}: ${timers} timers, ${files} files`);
    assert.ok(immediates >= made / 2, `${name}: ${immediates} immediates while ${made} answers came`);
  }
});

test('100,000 calls at once spend a budget, and go to the pool then', async () => {
  const { answer } = await withHook(`
    const { createHash } = require('node:crypto');
    const expected = createHash('sha256').update(data).digest('hex');
    const before = counts()['subtle.digest'];
    let wrong = 0;
    let files = 0;
    let goesOn = true;
    const read = () => require('node:fs').stat(__filename, () => { files++; if (goesOn) read(); });
    read();
    await Promise.all(Array.from({ length: 100_000 }, async () => { if (Buffer.from(await subtle.digest('SHA-256', data)).toString('hex') !== expected) wrong++; }));
    goesOn = false;
    const after = counts()['subtle.digest'];
    return { wrong, files, inline: after.inline - before.inline, pooled: after.pooled - before.pooled, served: after.served - before.served };`);
  assert.equal(answer.wrong, 0);
  assert.equal(answer.served, 100_000);
  assert.ok(answer.inline > 100, `inline ${answer.inline}`);
  assert.ok(answer.pooled > 50_000, `pooled ${answer.pooled}`);
  assert.ok(answer.files > 0);
});

test('the next turn has a budget of its own, also after calls that the host had to do', async () => {
  const { answer } = await withHook(`
    const aes = await subtle.importKey('raw', Buffer.alloc(32, 1), 'AES-GCM', false, ['encrypt', 'decrypt']);
    const algorithm = { name: 'AES-GCM', iv: Buffer.alloc(12) };
    for (let round = 0; round < 60; round++) {
      await Promise.allSettled(Array.from({ length: 100 }, () => subtle.decrypt(algorithm, aes, Buffer.alloc(2000))));
    }
    const before = counts()['subtle.digest'];
    await subtle.digest('SHA-256', data);
    const after = counts()['subtle.digest'];
    return after.inline - before.inline;`);
  assert.equal(answer, 1);
});

for (const [label, env] of [['ALACRYPT_INLINE=off', { ALACRYPT_INLINE: 'off' }], ['ALACRYPT_INLINE_BUDGET_US=0', { ALACRYPT_INLINE_BUDGET_US: '0' }]]) {
  test(`with ${label} nothing is done within a call`, async () => {
    const { answer } = await withHook(
      `const calls = await makeCalls();
       const results = {};
       for (const [name, call] of Object.entries(calls)) { const answer = await call(); results[name] = typeof answer === 'boolean' ? answer : ['signEc', 'agree'].includes(name) ? answer.byteLength : Buffer.from(answer).toString('hex'); }
       return { results, counts: counts() };`,
      { env },
    );
    for (const [name, { inline }] of Object.entries(answer.counts)) assert.equal(inline, 0, name);
    for (const name of ['digest', 'sign', 'verify', 'deriveBits']) assert.ok(answer.counts[`subtle.${name}`].pooled >= 2, name);
    assert.equal(answer.results.verify, true);
    assert.equal(answer.results.signEc, 64);
    const { answer: inline } = await withHook(`const calls = await makeCalls(); return Buffer.from(await calls.sign()).toString('hex');`);
    assert.equal(answer.results.sign, inline);
  });
}

test('ALACRYPT_THREADS says how many threads do long work', async () => {
  const named = async (threads) => {
    const { answer } = await withHook(
      `const { readdirSync, readFileSync } = require('node:fs');
       const secret = await subtle.importKey('raw', Buffer.alloc(32, 1), 'PBKDF2', false, ['deriveBits']);
       const start = () => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: data, iterations: 60_000 }, secret, 256);
       await Promise.all(Array.from({ length: 12 }, start));
       // Threads stay, and have given themselves their name by now.
       const count = readdirSync('/proc/self/task').filter((task) => readFileSync('/proc/self/task/' + task + '/comm', 'utf8').trim() === 'alacrypt').length;
       return count;`,
      { env: threads === undefined ? {} : { ALACRYPT_THREADS: threads } },
    );
    return answer;
  };
  if (process.platform !== 'linux') skip('threads have names in /proc on Linux only');
  // One more is for short work alone, and started where it is wanted.
  const three = await named('3');
  assert.ok(three === 3 || three === 4, `${three} threads`);
  const one = await named('1');
  assert.ok(one === 1 || one === 2, `${one} threads`);
  const usual = availableParallelism() + 1;
  for (const odd of ['0', '-1', 'many', '65']) {
    const count = await named(odd);
    assert.ok(count >= 1 && count <= usual, `${odd}: ${count} threads`);
  }
});

test('a budget that is no number is not one', async () => {
  for (const given of ['many', '-5', '1e9', '']) {
    const { answer } = await withHook('await makeCalls(); return counts();', { env: { ALACRYPT_INLINE_BUDGET_US: given } });
    assert.ok(answer['subtle.digest'].inline > 0, given);
  }
});

test('what was given may change once the call has returned', async () => {
  for (const env of [{}, { ALACRYPT_INLINE: 'off' }]) {
    const { stock, ours } = await both(`
      const calls = await makeCalls();
      const mac = await subtle.importKey('raw', Buffer.alloc(32, 1), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
      const aes = await subtle.importKey('raw', Buffer.alloc(32, 1), 'AES-CTR', false, ['encrypt', 'decrypt']);
      const changes = {
        fill: (view) => view.fill(9),
        transfer: (view) => structuredClone(view.buffer, { transfer: [view.buffer] }),
      };
      const seen = {};
      for (const [name, change] of Object.entries(changes)) {
        const own = () => new Uint8Array(64).fill(3);
        const counter = new Uint8Array(16).fill(4);
        const [one, two, three, four] = [own(), own(), own(), own()];
        const tag = new Uint8Array(await subtle.sign('HMAC', mac, own()));
        const algorithm = { name: 'AES-CTR', counter, length: 64 };
        const promises = [subtle.digest('SHA-256', one), subtle.sign('HMAC', mac, two), subtle.verify('HMAC', mac, tag, three), subtle.encrypt(algorithm, aes, four)];
        for (const view of [one, two, three, four, tag, counter]) change(view);
        algorithm.name = 'no such';
        seen[name] = (await Promise.all(promises)).map((answer) => (typeof answer === 'boolean' ? answer : Buffer.from(answer).toString('hex')));
      }
      const growing = new ArrayBuffer(64, { maxByteLength: 128 });
      const promise = subtle.digest('SHA-256', growing);
      growing.resize(0);
      seen.resize = await promise.then((answer) => Buffer.from(answer).toString('hex'), (error) => error.name);
      return seen;`, { env });
    assert.deepEqual(ours, stock);
  }
});

test('a key that is to be imported may change once the call has returned', async () => {
  const { stock, ours } = await both(`
    const seen = [];
    for (const extractable of [true, false]) {
      const bytes = Buffer.alloc(32, 1);
      const importing = subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, extractable, ['sign']);
      bytes.fill(2);
      const key = await importing;
      bytes.fill(3);
      for (let use = 0; use < 3; use++) seen.push(Buffer.from(await subtle.sign('HMAC', key, data)).toString('hex'));
      const jwk = { kty: 'oct', k: Buffer.alloc(32, 5).toString('base64url') };
      const other = subtle.importKey('jwk', jwk, { name: 'HMAC', hash: 'SHA-512' }, extractable, ['sign']);
      jwk.k = 'AAAA';
      seen.push(Buffer.from(await subtle.sign('HMAC', await other, data)).toString('hex'));
    }
    return seen;`);
  assert.deepEqual(ours, stock);
});

test('usages are lists of any kind, and what they do while they are walked through does not split a key', async () => {
  const { stock, ours } = await both(`
    const seen = [];
    const bytes = Buffer.alloc(32, 1);
    const usages = { *[Symbol.iterator]() { bytes.fill(9); yield 'sign'; } };
    const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, usages);
    seen.push(Buffer.from(await subtle.sign('HMAC', key, data)).toString('hex'));
    const own = Object.assign(['sign'], { [Symbol.iterator]: usages[Symbol.iterator] });
    bytes.fill(3);
    const another = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, own);
    seen.push(Buffer.from(await subtle.sign('HMAC', another, data)).toString('hex'));
    return seen;`);
  assert.deepEqual(ours, stock);
});

test('a key that may not be exported gives no warning, and no bytes', async () => {
  const { ours, stock, stderr } = await both(`
    const seen = [];
    process.on('warning', (warning) => seen.push(warning.code ?? warning.name));
    const { privateKey } = require('node:crypto').generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = [
      await subtle.importKey('raw', Buffer.alloc(32, 1), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
      (await subtle.generateKey('Ed25519', false, ['sign', 'verify'])).privateKey,
      await subtle.importKey('pkcs8', privateKey.export({ format: 'der', type: 'pkcs8' }), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']),
      await subtle.importKey('jwk', privateKey.export({ format: 'jwk' }), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']),
    ];
    for (const key of keys) {
      for (let use = 0; use < 3; use++) await subtle.sign({ name: key.algorithm.name, hash: 'SHA-256' }, key, data);
      seen.push(await subtle.exportKey('jwk', key).then(() => 'exported', (error) => error.name));
      seen.push(Object.keys(key).length, Object.getOwnPropertyNames(key).length);
    }
    await new Promise((resolve) => setImmediate(resolve));
    return seen;`, { flags: ['--pending-deprecation'] });
  assert.deepEqual(ours, stock);
  assert.equal(ours.length, 12);
  assert.equal(stderr.ours, stderr.stock);
});

test('private keys that may not be exported are served from their import on', async () => {
  const { answer } = await withHook(`
    const { privateKey } = require('node:crypto').generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const jwk = privateKey.export({ format: 'jwk' });
    const publicKey = await subtle.importKey('jwk', { ...jwk, d: undefined }, algorithm, true, ['verify']);
    const right = [];
    for (const [format, keyData] of [['pkcs8', der], ['jwk', jwk]]) {
      const key = await subtle.importKey(format, keyData, algorithm, false, ['sign']);
      for (let use = 0; use < 3; use++) right.push(await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, publicKey, await subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, data), data));
    }
    return { right, served: counts()['subtle.sign'].served };`);
  assert.deepEqual(answer.right, Array(6).fill(true));
  // Where each key's object is to be had, that is what is read, at the second use.
  assert.equal(answer.served, major < 24 ? 4 : 6);
});

test('keys made of a KeyObject are served, whether or not they may be exported', async () => {
  const body = `
    const crypto = require('node:crypto');
    if (crypto.KeyObject.prototype.toCryptoKey === undefined && crypto.createSecretKey(data).toCryptoKey === undefined) return null;
    const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519');
    const seen = [];
    for (const extractable of [true, false]) {
      const mac = crypto.createSecretKey(Buffer.alloc(32, 1)).toCryptoKey({ name: 'HMAC', hash: 'SHA-256' }, extractable, ['sign']);
      seen.push(mac.extractable, Buffer.from(await subtle.sign('HMAC', mac, data)).toString('hex'), await subtle.exportKey('raw', mac).then(() => 'exported', () => 'refused'));
      const signing = privateKey.toCryptoKey('Ed25519', extractable, ['sign']);
      const verifying = publicKey.toCryptoKey('Ed25519', extractable, ['verify']);
      for (let use = 0; use < 3; use++) seen.push(await subtle.verify('Ed25519', verifying, await subtle.sign('Ed25519', signing, data), data));
    }
    try { publicKey.toCryptoKey('Ed25519', true, ['sign']); } catch (error) { seen.push(error.name); }
    return { seen, descriptor: Object.getOwnPropertyDescriptor(crypto.KeyObject.prototype, 'toCryptoKey') }`;
  const { stock, ours } = await both(`${body};`);
  assert.deepEqual(ours, stock);
  if (ours === null) skip('this line has no such method');
  const { answer } = await withHook(`await (async () => { ${body}; })(); return counts();`);
  // Of pairs, all but the first use of each key.
  assert.ok(answer['subtle.sign'].served >= 2 + 4, answer['subtle.sign'].served);
  assert.ok(answer['subtle.verify'].served >= 4, answer['subtle.verify'].served);
});

test('while FIPS is on the host decides, and afterwards all is served again', async () => {
  const body = `
    const crypto = require('node:crypto');
    const calls = await makeCalls();
    const outcome = async (call) => call().then((answer) => (typeof answer === 'boolean' ? answer : answer.byteLength), (error) => [error.name, error.message, error.cause?.message]);
    const all = async () => { const seen = {}; for (const [name, call] of Object.entries(calls)) seen[name] = await outcome(call); return seen; };
    const seen = [await all()];
    try { crypto.setFips(1); } catch (error) { return [error.code]; }
    seen.push(await all());
    crypto.setFips(0);
    seen.push(await all());
    return seen;`;
  const { stock, ours } = await both(body);
  assert.deepEqual(ours, stock);
  const { answer } = await withHook(`
    const crypto = require('node:crypto');
    const calls = await makeCalls();
    const before = counts();
    try { crypto.setFips(1); } catch { return 'no FIPS'; }
    for (const call of Object.values(calls)) await call().catch(() => {});
    crypto.setFips(0);
    const after = counts();
    return Object.keys(after).map((name) => [after[name].served - before[name].served, after[name].reasons['FIPS is on'] ?? 0]);`);
  if (answer === 'no FIPS') skip('this host cannot switch FIPS on');
  for (const [served, because] of answer) assert.ok(served === 0 && because >= 1, JSON.stringify(answer));
});

test('a clone of a key is as good as that', async () => {
  const { stock, ours } = await both(`
    const mac = await subtle.importKey('raw', Buffer.alloc(32, 1), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const seen = [];
    for (let use = 0; use < 3; use++) seen.push(Buffer.from(await subtle.sign('HMAC', structuredClone(mac), data)).toString('hex'));
    return seen;`);
  assert.deepEqual(ours, stock);
});

test('buffers that the app makes thenables of are the host\'s business', async () => {
  const { stock, ours } = await both(`
    await makeCalls();
    ArrayBuffer.prototype.then = function (resolve) { resolve('taken'); };
    const answer = await subtle.digest('SHA-256', data);
    delete ArrayBuffer.prototype.then;
    return typeof answer;`);
  assert.equal(ours, stock);
});

test('answers find the caller\'s store, and so do errors', async () => {
  for (const env of [{}, { ALACRYPT_INLINE: 'off' }]) {
    const { stock, ours } = await both(`
      const { AsyncLocalStorage } = require('node:async_hooks');
      const storage = new AsyncLocalStorage();
      const calls = await makeCalls();
      const seen = await Promise.all(Object.entries(calls).map(([name, call], at) => storage.run(at, async () => { await call(); return [name, storage.getStore()]; })));
      const aes = await subtle.importKey('raw', Buffer.alloc(32, 1), 'AES-GCM', false, ['decrypt']);
      seen.push(await storage.run('error', () => subtle.decrypt({ name: 'AES-GCM', iv: Buffer.alloc(12) }, aes, Buffer.alloc(40)).catch((error) => [error.name, storage.getStore()])));
      return seen;`, { env });
    assert.deepEqual(ours, stock);
  }
});

test('a rejection that nobody handles ends the process as on the host', async () => {
  const source = `${PRELUDE} (async () => { await makeCalls(); const aes = await subtle.importKey('raw', Buffer.alloc(32, 1), 'AES-GCM', false, ['decrypt']);
    process.on('exit', (code) => console.log(code));
    process.on('unhandledRejection', (error, promise) => { console.log(error.name, error.message, promise instanceof Promise); process.exitCode = 7; });
    subtle.decrypt({ name: 'AES-GCM', iv: Buffer.alloc(12) }, aes, Buffer.alloc(40));
    subtle.importKey('raw', Buffer.alloc(0), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']); })();`;
  const [stock, ours] = await Promise.all([runApp(source, { args: [], extension: 'cjs' }), runApp(source, { extension: 'cjs' })]);
  assert.deepEqual([ours.code, ours.stdout.split('\n').sort()], [stock.code, stock.stdout.split('\n').sort()]);
});

test('a process waits for its answers, and process.exit() does not', async () => {
  for (const env of [{}, { ALACRYPT_INLINE: 'off' }]) {
    const waits = await runApp(`${PRELUDE} makeCalls().then((calls) => { for (const [name, call] of Object.entries(calls)) call().then(() => console.log(name)); });`, { extension: 'cjs', env });
    assert.deepEqual(waits.stdout.trim().split('\n').sort(), ['agree', 'decrypt', 'deriveBits', 'digest', 'encrypt', 'sign', 'signEc', 'verify']);
    const ends = await runApp(`${PRELUDE} makeCalls().then((calls) => { for (let round = 0; round < 50; round++) for (const call of Object.values(calls)) call().then(() => console.log('no')); process.exit(3); });`, { extension: 'cjs', env });
    assert.deepEqual([ends.code, ends.signal, ends.stdout, ends.stderr], [3, null, '', '']);
  }
});

test('workers that end in each phase take nobody along', async () => {
  const rounds = LONG ? 100 : 12;
  const { answer } = await withHook(`
    const { Worker } = require('node:worker_threads');
    const source = ${JSON.stringify(`require(${JSON.stringify(registerFile)});${PRELUDE}
      const { parentPort, workerData } = require('node:worker_threads');
      makeCalls().then(async (calls) => {
        const all = Object.values(calls);
        parentPort.postMessage('ready');
        if (workerData === 0) for (;;) for (const call of all) await call();
        if (workerData === 1) for (;;) await Promise.all(Array.from({ length: 3000 }, (_, at) => all[at % all.length]()));
        if (workerData === 2) { for (const call of all) call(); process.exit(0); }
        if (workerData === 3) { for (const call of all) call(); throw new Error('on purpose'); }
      });`)};
    let ended = 0;
    for (let round = 0; round < ${rounds}; round++) {
      await Promise.all([0, 1, 2, 3].map((workerData) => new Promise((resolve) => {
        const worker = new Worker(source, { eval: true, workerData, env: { ...process.env, ALACRYPT_INLINE: round % 2 === 0 ? 'off' : 'on' } });
        worker.on('error', () => {});
        worker.on('message', () => setTimeout(() => worker.terminate(), (round * 7) % 30));
        worker.on('exit', () => { ended++; resolve(); });
      })));
    }
    return { ended, last: Buffer.from(await (await makeCalls()).sign()).length };`);
  assert.deepEqual(answer, { ended: 4 * rounds, last: 32 });
});

test('promises that nobody waits for leave no memory behind', async () => {
  const { answer } = await withHook(`
    const calls = await makeCalls();
    const all = Object.values(calls);
    const run = async (count) => {
      for (let at = 0; at < count; at++) { all[at % all.length](); if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve)); }
      globalThis.gc(); await new Promise((resolve) => setTimeout(resolve, 50)); globalThis.gc();
      return process.memoryUsage().rss;
    };
    await run(30_000);
    const before = await run(30_000);
    return (await run(120_000)) - before;`, { flags: ['--expose-gc'] });
  assert.ok(answer < 24 * 2 ** 20, `${answer} bytes more`);
});

test('keys that nobody has are given back', async () => {
  const { answer } = await withHook(`
    const run = async (count) => {
      for (let at = 0; at < count; at++) {
        const key = await subtle.importKey('raw', Buffer.alloc(32, at), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
        await subtle.sign('HMAC', key, data);
        const aes = await subtle.importKey('raw', Buffer.alloc(32, at), 'AES-CTR', false, ['encrypt']);
        await subtle.encrypt({ name: 'AES-CTR', counter: Buffer.alloc(16), length: 64 }, aes, data);
        if (at % 500 === 0) globalThis.gc();
      }
    };
    // More than there is room for at a time.
    await run(12_000);
    globalThis.gc(); await new Promise((resolve) => setTimeout(resolve, 50));
    const before = counts()['subtle.sign'];
    const key = await subtle.importKey('raw', Buffer.alloc(32, 1), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    await subtle.sign('HMAC', key, data);
    return counts()['subtle.sign'].served - before.served;`, { flags: ['--expose-gc'] });
  assert.equal(answer, 1);
});

test('time that stands still before crypto is first asked for keeps no result back', async () => {
  const { stdout, stderr } = await runApp(
    `const { setTimeout: later } = globalThis;
     globalThis.setImmediate = () => {};
     require('node:timers').setImmediate = () => {};
     globalThis.setTimeout = () => {};
     process.nextTick = () => {};
     globalThis.crypto.subtle.digest('SHA-256', Buffer.alloc(3)).then((answer) => console.log(answer.byteLength));
     later(() => {}, 100);`,
    { extension: 'cjs' },
  );
  assert.deepEqual([stdout, stderr], ['32\n', '']);
});

test('the methods called for the first time under a patched global', async () => {
  const { stock, ours } = await both(`
    globalThis.setImmediate = () => { throw new Error('setImmediate was used'); };
    globalThis.Promise = class extends Promise { constructor(executor) { super(executor); throw new Error('Promise was used'); } };
    const key = await subtle.importKey('raw', Buffer.alloc(32, 1), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return [Buffer.from(await subtle.digest('SHA-256', data)).toString('hex'), Buffer.from(await subtle.sign('HMAC', key, data)).toString('hex')];`);
  assert.deepEqual(ours, stock);
});
