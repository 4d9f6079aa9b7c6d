/**
 * Memory: abandoned objects cost no more than the host's.
 */

import assert from 'node:assert/strict';

import { answerOf } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

/** `ALACRYPT_TEST_LONG=1` runs the two million of the project's target. */
const OBJECTS = process.env.ALACRYPT_TEST_LONG === '1' ? 2_000_000 : 200_000;
/** Growth that is no leak: what a collector leaves for later, and the addon itself. */
const SLACK_BYTES = 24 * 2 ** 20;

const KINDS = {
  'untouched hashes': `createHash('sha256');`,
  'hashes with text': `createHash('sha256').update('some text ' + count);`,
  'hashes with bytes': `createHash('sha256').update(bytes);`,
  'HMACs with bytes as key': `createHmac('sha256', bytes).update('text');`,
  'HMACs with a key object': `createHmac('sha256', key).update(bytes);`,
  'copies': `parent.copy().update(bytes);`,
  'ciphers with data': `createCipheriv('aes-256-gcm', cipherKey, nonce).update(bytes);`,
  'ciphers in pieces': `const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce); cipher.update(bytes); cipher.update(bytes);`,
};

for (const [kind, statement] of Object.entries(KINDS)) {
  test(`abandoned: ${kind}`, async () => {
    if (runtime !== 'node') skip('only Node has its objects replaced by ours');
    const objects = kind === 'untouched hashes' ? OBJECTS : OBJECTS / 4;
    const source = `
      const { createCipheriv, createHash, createHmac, createSecretKey } = require('node:crypto');
      const [cipherKey, nonce] = [new Uint8Array(32), new Uint8Array(12)];
      const bytes = new Uint8Array(48).fill(7);
      const key = createSecretKey(bytes);
      const parent = createHash('sha256').update(bytes);
      const run = (objects) => { for (let count = 0; count < objects; count++) { ${statement} } };
      run(2000);
      const before = process.memoryUsage().rss;
      const start = process.cpuUsage();
      run(${objects});
      const { user, system } = process.cpuUsage(start);
      console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS * 1024, growth: process.memoryUsage().rss - before, cpu: (user + system) / 1000 }));
    `;
    const stock = (await answerOf(source, { args: [], extension: 'cjs' })).answer;
    const ours = (await answerOf(source, { extension: 'cjs' })).answer;
    const figure = ({ peak, growth, cpu }) => `peak ${(peak / 2 ** 20).toFixed(0)} MiB, growth ${(growth / 2 ** 20).toFixed(0)} MiB, ${cpu.toFixed(0)} ms of CPU`;
    console.log(`     ${objects} ${kind}: host ${figure(stock)}; ours ${figure(ours)}`);
    assert.ok(ours.peak <= stock.peak + SLACK_BYTES, 'peak memory is higher than the host\'s');
    assert.ok(ours.growth <= Math.max(stock.growth, 0) + SLACK_BYTES, 'memory grows more than the host\'s');
  });
}

test('key objects that are dropped give their keyed states back', async () => {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  const { answer } = await answerOf(
    `const { createHmac, createSecretKey } = require('node:crypto');
     const turn = () => new Promise((resolve) => setImmediate(resolve));
     (async () => {
       const use = (round, at) => {
         const key = createSecretKey(Buffer.from('key ' + round + ' ' + at));
         for (let use = 0; use < 3; use++) createHmac('sha256', key).update('a').digest('hex');
       };
       const served = () => require('alacrypt').stats().createHmac;
       for (let round = 0; round < 30; round++) {
         for (let at = 0; at < 1000; at++) use(round, at);
         for (let wait = 0; wait < 4; wait++) { globalThis.gc(); await turn(); }
       }
       console.log(JSON.stringify(served()));
     })();`,
    { args: ['--expose-gc', '--import', 'alacrypt/register'], extension: 'cjs' },
  );
  // 30,000 keys, room for 8,192 states: none was refused, so places came free.
  assert.equal(answer.served, 90_000);
  assert.equal(answer.handedBack, 0);
});
