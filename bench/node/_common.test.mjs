// Each benchmark file speaks the protocol: `node --test bench/node/_common.test.mjs`.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const folder = import.meta.dirname;

/** Runs a file as a parent that listens; what it sent, its exit code and its complaints. */
function started(file, words) {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(folder, file), words, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const messages = [];
    let complaints = '';
    child.stderr.on('data', (chunk) => (complaints += chunk));
    child.on('message', (message) => messages.push(message));
    child.on('error', reject);
    child.on('close', (code) => resolve({ messages, code, complaints }));
  });
}

// For each file: words that make it short, and how many combinations they leave.
const SHORT = {
  'crypto/callback.js': [['method=sign', 'kind=P-256'], 2],
  'crypto/createCipheriv.js': [['cipher=aes-256-gcm', 'size=64'], 4],
  'crypto/createECDH.js': [['curve=prime256v1'], 3],
  'crypto/createHash.js': [['n=10'], 4],
  'crypto/createHash-large.js': [['size=65536', 'algorithm=md5', 'algorithm=sha256'], 3],
  'crypto/createPublicKey.js': [['text=HMAC secret', 'text=Ed25519'], 2],
  'crypto/createSign.js': [['algorithm=ES256'], 4],
  'crypto/freshKey.js': [['n=10', 'way=verify', 'kind=Ed25519'], 2],
  'crypto/generateKeyPair.js': [['kind=P-256'], 2],
  'crypto/hkdf.js': [['what=hkdf, Buffer', 'what=scrypt, 16'], 2],
  'crypto/rsaCipher.js': [['method=publicEncrypt'], 2],
  'crypto/sharedSecret.js': [['method=diffieHellman'], 2],
  'crypto/sign.js': [['kind=P-256', 'kind=Ed25519'], 4],
  'crypto/verify.js': [['kind=P-256', 'kind=RSA-2048'], 4],
  'crypto/createHmac.js': [['n=10', 'key=KeyObject', 'key=Buffer'], 4],
  'crypto/hash.js': [['n=10', 'data=64 B'], 2],
  'crypto/others-large.js': [['size=65536', 'algorithm=sha256'], 2],
  'crypto/getRandomValues.js': [['n=10'], 5],
  'crypto/randomBytes.js': [['size=16'], 2],
};

test('no file is left out here', () => {
  const files = readdirSync(path.join(folder, 'crypto')).map((name) => `crypto/${name}`);
  assert.deepEqual(files.sort(), Object.keys(SHORT).sort());
});

for (const [file, [words, count]] of Object.entries(SHORT)) {
  test(`${file} reports each of its combinations once`, async () => {
    const { messages, code, complaints } = await started(file, words);
    assert.equal(code, 0, complaints);
    const [config, ...reports] = messages;
    assert.deepEqual(config, { type: 'config', name: path.join(folder, file), queueLength: count });
    assert.deepEqual(reports.map(({ type }) => type), Array(count).fill('report'));
    assert.equal(new Set(reports.map(({ conf }) => JSON.stringify(conf))).size, count);
    for (const { rate, time, conf } of reports) {
      assert.ok(Number.isFinite(rate) && rate > 0, `rate ${rate}`);
      assert.ok(time > 0, `time ${time}`);
      if (conf.n !== undefined) assert.ok(Math.abs(rate * time - conf.n) < 1e-6 * conf.n);
    }
  });
}

test('what cannot be measured ends with a message, never with a report', async () => {
  const wrong = [
    [['colour=red'], /colour=red: expected KEY=VALUE with one of algorithm, data, digest, n/],
    [['n=many'], /n=many: expected a number/],
    [['data=64 B', 'digest=hex'], /no combination/],
    // The host itself refuses this one, in the process of the combination.
    [['algorithm=no-such', 'data=64 B', 'n=1'], /no-such.* ended with 1, without a report/],
  ];
  for (const [words, complaint] of wrong) {
    const { messages, code, complaints } = await started('crypto/createHash.js', words);
    assert.equal(code, 1);
    assert.match(complaints, complaint);
    assert.deepEqual(messages.filter(({ type }) => type === 'report'), []);
  }
});
