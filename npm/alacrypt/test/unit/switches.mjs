/**
 * How Alacrypt is switched off, what it prints, and that an app runs without the addon.
 */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { answerOf, appDirectory, runApp } from '../support/app.mjs';
import { registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const SHA256_OF_A = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
/** Deno has no flag: the script loads the hook itself. */
const LOAD = runtime === 'deno' ? `require(${JSON.stringify(registerFile)});` : '';
const REPORT = `
  ${LOAD}
  const crypto = require('node:crypto');
  const hex = crypto.createHash('sha256').update('a').digest('hex');
  const mac = crypto.createHmac('sha256', 'k').update('a').digest('hex');
  const random = crypto.randomBytes(16).length;
  const oneShot = crypto.hash?.('sha256', 'a') ?? hex;
  const alacrypt = require('alacrypt');
  const served = Object.values(alacrypt.stats()).reduce((sum, { served }) => sum + served, 0);
  console.log(JSON.stringify({ hex, mac, random, oneShot, served, error: alacrypt.loadError instanceof Error, api: alacrypt.createHash('sha256').update('a').digest('hex') }));
`;

test('ALACRYPT=off leaves all to the host, in silence', async () => {
  const { answer, stderr } = await answerOf(REPORT, { extension: 'cjs', env: { ALACRYPT: 'off' } });
  assert.equal(answer.hex, SHA256_OF_A);
  assert.equal(answer.api, SHA256_OF_A);
  assert.equal(answer.served, 0);
  assert.equal(stderr, '');
});

test('without those settings nothing is printed', async () => {
  const { answer, stderr } = await answerOf(REPORT, { extension: 'cjs' });
  assert.ok(answer.served > 0);
  assert.equal(stderr, '');
});

test('ALACRYPT_STATS=1 prints what was served and what was not', async () => {
  const { answer, stderr, stdout } = await answerOf(REPORT, { extension: 'cjs', env: { ALACRYPT_STATS: '1' } });
  assert.ok(answer.served > 0);
  assert.equal(stdout.trim().split('\n').length, 1);
  const lines = stderr.trimEnd().split('\n');
  assert.match(lines[0], /^alacrypt\s+served\s+handed back\s+why$/);
  for (const name of ['createHash', 'Hash.copy', 'createHmac', 'hash', 'randomBytes', 'randomFillSync']) {
    assert.ok(lines.some((line) => new RegExp(`^${name.replace('.', '\\.')}\\s+\\d+\\s+\\d+`).test(line)), name);
  }
  const row = lines.find((line) => /^randomBytes\s/.test(line));
  const expected = runtime === 'deno' ? /^randomBytes\s+0\s+0/ : /^randomBytes\s+1\s+0/;
  assert.match(row, expected);
});

test('stats() counts each call once, with the reason for each hand-back', async () => {
  if (runtime !== 'node') skip('only Node has all of these served');
  const { answer } = await answerOf(
    `const crypto = require('crypto');
     const { stats } = require('alacrypt');
     const attempt = (body) => { try { body(); } catch {} };
     const h = (name, options) => crypto.createHash(name, options);
     h('sha256').update('a').digest(); h('sha256'); h('sha256').update(Buffer.from('a')).digest('hex');
     h('sm3'); attempt(() => h('nope')); attempt(() => h(5)); h('sha256', new (class Options {})());
     h('sha256').update('x'.repeat(20000)).digest();
     const parent = h('sha1'); parent.copy(); parent.copy(new (class Options {})()); attempt(() => { parent.digest(); parent.copy(); });
     crypto.createHmac('sha256', 'k').update('a').digest(); crypto.createHmac('sha256', new DataView(new ArrayBuffer(3)));
     crypto.createHmac('sha256', Buffer.from('k')).update(Buffer.alloc(20000)).digest();
     crypto.hash?.('sha256', 'a'); crypto.hash?.('sha256', 'x'.repeat(20000)); attempt(() => crypto.hash?.('sha256', 5)); crypto.hash?.('sha256', 'a', 'utf8');
     crypto.randomBytes(16); crypto.randomBytes(5000); crypto.randomBytes(3, () => {}); attempt(() => crypto.randomBytes('3'));
     crypto.randomFillSync(new Uint8Array(4)); crypto.randomFillSync(new Uint16Array(4)); crypto.randomFillSync(new Uint8Array(4), 1);
     crypto.randomFillSync(new Uint8Array(4), 1, 2); attempt(() => crypto.randomFillSync(new Uint8Array(4), 1, 4));
     crypto.getRandomValues(new Uint32Array(4)); crypto.webcrypto.getRandomValues(new Uint8Array(4)); globalThis.crypto.getRandomValues(new Uint8Array(4));
     crypto.getRandomValues(new Uint8Array(5000)); crypto.getRandomValues(new Uint8Array(0)); attempt(() => crypto.getRandomValues(new Float64Array(2)));
     attempt(() => crypto.webcrypto.getRandomValues.call({}, new Uint8Array(4)));
     const counts = stats();
     console.log(JSON.stringify({ counts, hasHash: crypto.hash !== undefined }));`,
    { extension: 'cjs' },
  );
  const { counts, hasHash } = answer;
  const total = (name) => counts[name].served + counts[name].handedBack;
  assert.equal(total('createHash'), 9);
  assert.equal(counts.createHash.reasons.algorithm, 2);
  assert.equal(counts.createHash.reasons.arguments, 1);
  assert.equal(counts.createHash.reasons.options, 1);
  assert.equal(counts.createHash.reasons['input is large'], 1);
  assert.equal(counts['Hash.copy'].served, 1);
  assert.equal(counts['Hash.copy'].reasons.options, 1);
  assert.equal(total('createHmac'), 3);
  assert.equal(counts.createHmac.reasons.key, 1);
  assert.equal(counts.createHmac.reasons['input is large'], 1);
  assert.equal(total('hash'), hasHash ? 4 : 0);
  assert.equal(counts.randomBytes.served, 1);
  assert.deepEqual(counts.randomBytes.reasons, { 'input is large': 1, 'callback form': 1, arguments: 1 });
  assert.deepEqual(counts.randomFillSync, { served: 3, handedBack: 2, reasons: { arguments: 2 } });
  assert.deepEqual(counts.getRandomValues, { served: 3, handedBack: 4, reasons: { arguments: 2, 'input is large': 1, 'unusual use': 1 } });
  for (const { handedBack, reasons } of Object.values(counts)) {
    assert.equal(handedBack, Object.values(reasons).reduce((sum, count) => sum + count, 0));
  }
});

const textFile = path.join(appDirectory, 'no-addon.node');
writeFileSync(textFile, 'This is no shared library.\n');

for (const [what, file] of [['missing', '/nonexistent/alacrypt.node'], ['a text file', textFile], ['a folder', appDirectory]]) {
  test(`an addon that is ${what}: one line, and the app runs`, async () => {
    const { answer, stderr } = await answerOf(REPORT, { extension: 'cjs', env: { ALACRYPT_NATIVE: file } });
    assert.equal(answer.hex, SHA256_OF_A);
    assert.equal(answer.oneShot, SHA256_OF_A);
    assert.equal(answer.api, SHA256_OF_A);
    assert.equal(answer.random, 16);
    assert.equal(answer.served, 0);
    assert.equal(answer.error, true);
    const lines = stderr.trimEnd().split('\n');
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0], /^alacrypt: not active: /);
  });
}

test('a script that fails fails as ever', async () => {
  const { code, stderr } = await runApp(`${LOAD} require('node:crypto').createHash('no such'); `, { extension: 'cjs' });
  assert.notEqual(code, 0);
  assert.match(stderr, /digest|Digest|hash|algorithm/);
});
