/**
 * Ciphers, where a generated call would be too long or too dear: large messages, many objects.
 */

import assert from 'node:assert/strict';

import { answerOf } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

/** `ALACRYPT_TEST_LONG=1` sends 5 GiB through each. */
const MIB = process.env.ALACRYPT_TEST_LONG === '1' ? 5120 : 32;

// In pieces of 128 KiB they stay with the engine, in longer ones they are the host's.
for (const [name, ivLength, pieceLength] of [
  ['aes-256-gcm', 12, 2 ** 17], ['aes-128-ctr', 16, 2 ** 17], ['aes-256-cbc', 16, 2 ** 17], ['aes-256-gcm', 12, 2 ** 20],
]) {
  test(`${MIB} MiB through ${name} in pieces of ${pieceLength / 1024} KiB, there and back`, async () => {
    if (runtime !== 'node') skip('only Node has its objects replaced by ours');
    const source = `
      const crypto = require('node:crypto');
      const key = Buffer.alloc(${name.includes('128') ? 16 : 32}, 1), iv = Buffer.alloc(${ivLength}, 2);
      const cipher = crypto.createCipheriv('${name}', key, iv);
      const decipher = crypto.createDecipheriv('${name}', key, iv);
      const [sealed, opened, sent] = [crypto.createHash('sha1'), crypto.createHash('sha1'), crypto.createHash('sha1')];
      const piece = Buffer.alloc(${pieceLength}, 'piece of data');
      for (let at = 0; at < ${MIB * 2 ** 20 / pieceLength}; at++) {
        piece.writeUInt32LE(at);
        sent.update(piece);
        // Some pieces are short, and end within a block.
        const part = at % 16 === 0 ? piece.subarray(0, 1000 + at) : piece;
        const ciphertext = cipher.update(part);
        sealed.update(ciphertext);
        opened.update(decipher.update(ciphertext));
      }
      const rest = cipher.final();
      sealed.update(rest);
      opened.update(decipher.update(rest));
      const tag = cipher.getAuthTag === undefined || '${name}' !== 'aes-256-gcm' ? undefined : cipher.getAuthTag();
      if (tag !== undefined) decipher.setAuthTag(tag);
      opened.update(decipher.final());
      console.log(JSON.stringify([sealed.digest('hex'), opened.digest('hex'), sent.digest('hex'), tag?.toString('hex')]));
    `;
    const timeoutSeconds = 600;
    const [stock, ours] = [
      await answerOf(source, { args: [], extension: 'cjs', timeoutSeconds }),
      await answerOf(source, { extension: 'cjs', timeoutSeconds }),
    ];
    assert.deepEqual(ours.answer, stock.answer);
  });
}

test('a message cut at every boundary is the message', async () => {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  const source = `
    const crypto = require('node:crypto');
    const message = Buffer.from(Array.from({ length: 100 }, (_, at) => at * 7));
    const modes = ['cbc', 'ctr', 'ecb', 'cfb', 'cfb8', 'ofb', 'gcm'].flatMap((mode) => [128, 256].map((bits) => 'aes-' + bits + '-' + mode));
    const found = [];
    for (const name of [...modes, 'chacha20-poly1305']) {
      const { keyLength, ivLength, mode } = crypto.getCipherInfo(name);
      const isAead = mode === 'gcm' || name.startsWith('chacha20');
      const [key, iv] = [Buffer.alloc(keyLength, 1), ivLength === undefined ? null : Buffer.alloc(ivLength, 2)];
      const run = (create, pieces, tag) => {
        const cipher = create(name, key, iv);
        if (isAead) cipher.setAAD(Buffer.from('some data beside'));
        if (tag !== undefined) cipher.setAuthTag(tag);
        const out = Buffer.concat([...pieces.map((piece) => cipher.update(piece)), cipher.final()]);
        return [out, isAead && tag === undefined ? cipher.getAuthTag() : undefined];
      };
      // The first is the host's.
      const [expected, tag] = run(crypto.createCipheriv, [message]);
      for (let cut = 0; cut <= message.length; cut++) {
        for (let next = cut; next <= message.length; next += 9) {
          const pieces = (all) => [all.subarray(0, cut), all.subarray(cut, next), all.subarray(next)];
          const [out, made] = run(crypto.createCipheriv, pieces(message));
          const [back] = run(crypto.createDecipheriv, pieces(expected), tag);
          if (!out.equals(expected) || (isAead && !made.equals(tag)) || !back.equals(message)) found.push([name, cut, next]);
          // So that it is not left to the host after a row of such messages.
          if (!run(crypto.createCipheriv, [message])[0].equals(expected)) found.push([name]);
        }
      }
    }
    const { createCipheriv, createDecipheriv } = require('alacrypt').stats();
    console.log(JSON.stringify([found, createCipheriv.served > 10_000, createDecipheriv.served > 1000]));
  `;
  const { answer } = await answerOf(source, { extension: 'cjs' });
  assert.deepEqual(answer, [[], true, true]);
});

test('data that another thread writes to meanwhile', async () => {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  const { answer } = await answerOf(
    `const crypto = require('node:crypto');
     const { Worker } = require('node:worker_threads');
     const shared = new Uint8Array(new SharedArrayBuffer(100_000));
     const stop = new Int32Array(new SharedArrayBuffer(4));
     const worker = new Worker("const { shared, stop } = require('node:worker_threads').workerData; let at = 0; while (Atomics.load(stop, 0) === 0) shared[at++ % shared.length]++;", { eval: true, workerData: { shared, stop } });
     worker.on('online', () => {
       let total = 0;
       for (let count = 0; count < 300; count++) {
         const cipher = crypto.createCipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12));
         total += cipher.update(shared.subarray(0, count * 300)).length + cipher.update(shared).length + cipher.final().length + cipher.getAuthTag().length;
       }
       Atomics.store(stop, 0, 1);
       console.log(JSON.stringify(total));
     });`,
    { extension: 'cjs' },
  );
  assert.equal(answer, 300 * (100_000 + 16) + (300 * 299 / 2) * 300);
});

test('messages in pieces and keys that are dropped give their places back', async () => {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  const { answer } = await answerOf(
    `const crypto = require('node:crypto');
     const turn = () => new Promise((resolve) => setImmediate(resolve));
     const iv = Buffer.alloc(12);
     (async () => {
       const use = (round, at) => {
         const key = crypto.createSecretKey(Buffer.alloc(32, round + at));
         for (let use = 0; use < 3; use++) {
           const cipher = crypto.createCipheriv('aes-256-gcm', key, iv);
           cipher.update('one piece');
           cipher.update('and another');
         }
       };
       for (let round = 0; round < 60; round++) {
         for (let at = 0; at < 500; at++) use(round, at);
         for (let wait = 0; wait < 4; wait++) { globalThis.gc(); await turn(); }
       }
       console.log(JSON.stringify(require('alacrypt').stats().createCipheriv));
     })();`,
    { args: ['--expose-gc', '--import', 'alacrypt/register'], extension: 'cjs' },
  );
  // 90,000 messages, room for 4,096: none was refused, so places came free.
  assert.equal(answer.served, 90_000);
  assert.equal(answer.handedBack, 0);
});
