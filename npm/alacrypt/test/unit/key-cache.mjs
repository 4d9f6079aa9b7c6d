/**
 * The cache of parsed keys: what it forgets, what it costs, and what it does not keep.
 */

import assert from 'node:assert/strict';

import { answerOf, hook } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

/** Counts how often the host reads a key, by its text, and makes keys of random points. */
const PRELUDE = `
  const crypto = require('node:crypto');
  const reads = new Map();
  const { createPublicKey: hostCreate } = crypto;
  crypto.createPublicKey = function createPublicKey(key) {
    const text = key?.key ?? key;
    reads.set(text, (reads.get(text) ?? 0) + 1);
    return hostCreate(key);
  };
  require('alacrypt/register');
  const { stats } = require('alacrypt');
  // RFC 8410, section 4.
  const derOf = (point) => Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), point]);
  const pemOf = (point) => '-----BEGIN PUBLIC KEY-----\\n' + derOf(point).toString('base64') + '\\n-----END PUBLIC KEY-----\\n';
  const points = (count) => Array.from({ length: count }, () => crypto.randomBytes(32));
  const isKeyOf = (key, point) => key.export({ format: 'der', type: 'spki' }).equals(derOf(point));
`;

async function cacheAnswer(body, { size, args = [] } = {}) {
  if (runtime !== 'node') skip('only Node has its keys served by ours');
  const env = size === undefined ? {} : { ALACRYPT_KEY_CACHE: String(size) };
  return (await answerOf(`${PRELUDE}\n(async () => {\n${body}\n})();`, { args, env, extension: 'cjs' })).answer;
}

test('the key cache forgets what was not asked for, and keeps what was', async () => {
  const { hot, cold, wrong } = await cacheAnswer(
    `const [hotPoint, ...others] = points(41);
     const hotText = pemOf(hotPoint), texts = others.map(pemOf);
     let wrong = 0;
     const use = (text, point) => { if (!isKeyOf(crypto.createPublicKey(text), point)) wrong++; };
     for (let round = 0; round < 3; round++) {
       texts.forEach((text, at) => {
         for (let time = 0; time < 3; time++) use(text, others[at]);
         use(hotText, hotPoint);
       });
     }
     console.log(JSON.stringify({ hot: reads.get(hotText), cold: texts.map((text) => reads.get(text)), wrong }));`,
    { size: 8 },
  );
  assert.equal(wrong, 0, 'another key than that of the text');
  // Were it forgotten in its turn like others, it would be read some 17 times.
  assert.ok(hot <= 9, `${hot} readings of a key that is in use`);
  // In each round again: between two rounds of a key there are five times as many others as places.
  for (const times of cold) assert.ok(times >= 4, `${times} readings of a key that was to be forgotten`);
});

test('a key cache with room reads each key twice and no more', async () => {
  const { least, most } = await cacheAnswer(
    `const texts = points(20).map(pemOf);
     for (let round = 0; round < 9; round++) for (const text of texts) crypto.createPublicKey(text);
     const times = texts.map((text) => reads.get(text));
     console.log(JSON.stringify({ least: Math.min(...times), most: Math.max(...times) }));`,
    { size: 20 },
  );
  // Two keys that share a mark may be new to it in turn.
  assert.equal(least, 2);
  assert.ok(most <= 9, `${most} readings`);
});

test('without a key cache every key is read by the host each time', async () => {
  const { times, served } = await cacheAnswer(
    `const [text] = points(1).map(pemOf);
     for (let use = 0; use < 7; use++) crypto.createPublicKey(text);
     console.log(JSON.stringify({ times: reads.get(text), served: stats().createPublicKey.served }));`,
    { size: 0 },
  );
  assert.deepEqual([times, served], [7, 0]);
});

test('ten thousand keys, each used four times, leave no more memory behind than the first two thousand', async () => {
  const { growth, served, capacity } = await cacheAnswer(
    `const data = Buffer.from('data'), signature = Buffer.alloc(64, 1);
     const turn = () => new Promise((resolve) => setImmediate(resolve));
     const rest = async () => { for (let wait = 0; wait < 4; wait++) { globalThis.gc(); await turn(); } };
     const use = async (count) => {
       for (let at = 0; at < count; at++) {
         const text = pemOf(crypto.randomBytes(32));
         for (let time = 0; time < 4; time++) crypto.verify(null, data, text, signature);
         reads.clear();
         if (at % 500 === 0) await rest();
       }
       await rest();
     };
     await use(2_000);
     const before = process.memoryUsage().rss;
     await use(10_000);
     console.log(JSON.stringify({ growth: process.memoryUsage().rss - before, served: stats().verify.served, capacity: 12_000 * 2 }));`,
    { args: ['--expose-gc'] },
  );
  // The third and the fourth use are the engine's; where its table were full, they would not be.
  assert.ok(served >= capacity * 0.99, `${served} of ${capacity} served`);
  assert.ok(growth < 8 * 2 ** 20, `${growth} bytes`);
});

test('neither the text of a key nor its passphrase is kept', async () => {
  if (runtime !== 'node') skip('only Node has its keys served by ours');
  const { answer } = await answerOf(
    `const crypto = require('node:crypto');
     const v8 = require('node:v8');
     const turn = () => new Promise((resolve) => setImmediate(resolve));
     // Texts as numbers, which are no strings in a heap.
     const codes = (text) => Array.from(text, (character) => character.charCodeAt(0) + 1);
     const bodyOf = (text) => text.split('\\n').slice(1, 3).join('').slice(10, 60);
     const cases = {
       'private PEM'() {
         const text = crypto.generateKeyPairSync('ed25519', { publicKeyEncoding: { format: 'pem', type: 'spki' }, privateKeyEncoding: { format: 'pem', type: 'pkcs8' } }).privateKey;
         for (let use = 0; use < 5; use++) crypto.sign(null, 'data', text);
         return codes(bodyOf(text));
       },
       'public PEM'() {
         const text = crypto.generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' });
         for (let use = 0; use < 5; use++) crypto.verify(null, 'data', text, Buffer.alloc(64));
         return codes(bodyOf(text));
       },
       passphrase() {
         const passphrase = 'passphrase ' + crypto.randomBytes(12).toString('hex');
         const key = crypto.generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-128-cbc', passphrase });
         for (let use = 0; use < 5; use++) crypto.sign(null, 'data', { key, passphrase });
         return codes(passphrase);
       },
       JWK() {
         const key = crypto.generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
         for (let use = 0; use < 5; use++) crypto.sign(null, 'data', { key, format: 'jwk' });
         return codes(key.d);
       },
     };
     (async () => {
       const kept = [];
       const needles = Object.entries(cases).map(([name, use]) => [name, use()]);
       globalThis.control = 'control ' + crypto.randomBytes(12).toString('hex');
       needles.push(['control', codes(globalThis.control)]);
       for (let wait = 0; wait < 5; wait++) { globalThis.gc(); await turn(); }
       const chunks = [];
       for await (const chunk of v8.getHeapSnapshot()) chunks.push(chunk);
       const heap = Buffer.concat(chunks).toString('latin1');
       for (const [name, numbers] of needles) {
         const needle = String.fromCharCode(...numbers.map((number) => number - 1));
         if (heap.includes(needle) || heap.includes(JSON.stringify(needle).slice(1, -1))) kept.push(name);
       }
       const { sign, verify } = require('alacrypt').stats();
       console.log(JSON.stringify({ kept, served: [sign.served, verify.served] }));
     })();`,
    { args: ['--expose-gc', ...hook], extension: 'cjs' },
  );
  assert.ok(answer.served[0] >= 6 && answer.served[1] >= 2, `served ${answer.served}`);
  assert.deepEqual(answer.kept, ['control']);
});
