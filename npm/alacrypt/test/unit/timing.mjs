/**
 * Failed decryptions tell nothing of why: neither by what they throw nor by how long they take.
 */

import assert from 'node:assert/strict';

import { answerOf } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

/** How much two kinds of failure may differ: a second decryption would add three times that. */
const TOLERANCE = 0.2;

/** A ciphertext of zero is left out, whose power takes less, to all who see that it is zero. */
test('OAEP failures of all kinds say the same and take the same time', async () => {
  if (runtime !== 'node') skip('only Node has its decryptions served by ours');
  const { answer } = await answerOf(
    `const crypto = require('node:crypto');
     const { publicKey, privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
     const key = privateKey.export({ format: 'pem', type: 'pkcs8' });
     const data = Buffer.from('a message');
     const sealed = (options) => crypto.publicEncrypt({ key: publicKey, oaepHash: 'sha256', ...options }, data);
     const flipped = sealed({});
     flipped[200] ^= 1;
     const random = crypto.randomBytes(256);
     random[0] = 1;
     const kinds = {
       'a bit flipped': flipped,
       'random bytes': random,
       'another label': sealed({ oaepLabel: Buffer.from('other') }),
       'another hash': sealed({ oaepHash: 'sha1' }),
       'another padding': crypto.publicEncrypt({ key: publicKey, padding: crypto.constants.RSA_PKCS1_PADDING }, data),
     };
     const open = (ciphertext) => crypto.privateDecrypt({ key, oaepHash: 'sha256' }, ciphertext);
     for (let use = 0; use < 4; use++) open(sealed({}));
     const says = {}, times = {};
     const attempt = (name) => {
       const before = process.cpuUsage();
       try {
         open(kinds[name]);
         return 'opened';
       } catch (error) {
         const { user, system } = process.cpuUsage(before);
         (times[name] ??= []).push(user + system);
         return JSON.stringify([error.constructor.name, error.message, Object.entries(error)]);
       }
     };
     const names = Object.keys(kinds);
     for (let round = 0; round < 80; round++) {
       // Each kind in each place of the turn, so that none comes after the same one always.
       for (let at = 0; at < names.length; at++) {
         const name = names[(at * (1 + 4 * (round & 1)) + round) % names.length];
         says[name] = attempt(name);
       }
     }
     const median = (list) => [...list].sort((one, other) => one - other)[list.length >> 1];
     // Within each round, as the machine has slow minutes.
     const ratios = Object.fromEntries(names.map((name) => [name, median(times[name].map((time, round) => time / times[names[0]][round]))]));
     console.log(JSON.stringify({ says, ratios, served: require('alacrypt').stats().privateDecrypt }));`,
    { extension: 'cjs' },
  );
  assert.ok(answer.served.served > 0 && answer.served.reasons['engine refused'] >= 5 * 80, JSON.stringify(answer.served));
  const [first, ...others] = Object.values(answer.says);
  assert.notEqual(first, 'opened');
  for (const other of others) assert.equal(other, first);
  for (const ratio of Object.values(answer.ratios)) {
    assert.ok(Math.abs(ratio - 1) < TOLERANCE, JSON.stringify(answer.ratios));
  }
});
