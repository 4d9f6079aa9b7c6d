/**
 * Each way to switch Alacrypt on, and what of an app it reaches.
 */

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

import { answerOf, scriptOf } from '../support/app.mjs';
import { major, registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const SHA256_OF_A = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';

/** Prints what of an ES module's crypto is served. */
const REPORT = `
  import { createHash, randomBytes } from 'node:crypto';
  import alacrypt from 'alacrypt';
  const hex = createHash('sha256').update('a').digest('hex');
  randomBytes(16);
  const { createHash: hashes, randomBytes: random } = alacrypt.stats();
  console.log(JSON.stringify({ hex, hashes: hashes.served, random: random.served }));
`;

function nodeOnly() {
  if (runtime !== 'node') skip('a flag of Node');
}

async function served(source, options) {
  const { answer, stderr } = await answerOf(source, options);
  assert.equal(answer.hex, SHA256_OF_A);
  assert.equal(stderr, '');
  assert.ok(answer.hashes > 0, 'createHash was not served');
  assert.ok(answer.random > 0, 'randomBytes was not served');
}

for (const [form, args] of Object.entries({
  '--import alacrypt/register': ['--import', 'alacrypt/register'],
  '--require alacrypt/register': ['--require', 'alacrypt/register'],
  '--import with a path': ['--import', registerFile],
  '--import with a file address': ['--import', pathToFileURL(registerFile).href],
  '--require with a path': ['--require', registerFile],
  '--import and --require together': ['--require', 'alacrypt/register', '--import', 'alacrypt/register'],
})) {
  test(`register: ${form}`, async () => {
    nodeOnly();
    await served(REPORT, { args });
  });
}

test('register: a first line import', async () => {
  nodeOnly();
  await served(`import 'alacrypt/register';${REPORT}`, { args: [] });
});

test('register: a first line require', async () => {
  nodeOnly();
  await served(
    `require('alacrypt/register');
     const { createHash, randomBytes } = require('crypto');
     const hex = createHash('sha256').update('a').digest('hex');
     randomBytes(16);
     const stats = require('alacrypt').stats();
     console.log(JSON.stringify({ hex, hashes: stats.createHash.served, random: stats.randomBytes.served }));`,
    { args: [], extension: 'cjs' },
  );
});

for (const flag of ['--import=alacrypt/register', '--require=alacrypt/register']) {
  test(`register: NODE_OPTIONS ${flag}, inherited by child processes and workers`, async () => {
    nodeOnly();
    await served(REPORT, { args: [], env: { NODE_OPTIONS: flag } });
    const { answer } = await answerOf(
      `import { execFileSync } from 'node:child_process';
       import { Worker } from 'node:worker_threads';
       const script = ${JSON.stringify(scriptOf(REPORT))};
       const child = JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' }));
       const worker = await new Promise((resolve, reject) => {
         const thread = new Worker(script, { stdout: true });
         let text = '';
         thread.stdout.setEncoding('utf8').on('data', (piece) => (text += piece));
         thread.on('error', reject);
         thread.on('exit', () => setImmediate(() => resolve(JSON.parse(text))));
       });
       console.log(JSON.stringify([child, worker]));`,
      { args: [], env: { NODE_OPTIONS: flag } },
    );
    for (const { hex, hashes, random } of answer) {
      assert.equal(hex, SHA256_OF_A);
      assert.ok(hashes > 0 && random > 0);
    }
  });
}

/** What there is nothing to win on, and where every line has the host's own. */
const HOSTS_OWN = [
  'Certificate', 'Cipheriv', 'Decipheriv', 'DiffieHellman', 'ECDH', 'Hash', 'Hmac', 'KeyObject', 'Sign', 'Verify', 'X509Certificate',
  'checkPrime', 'checkPrimeSync', 'constants', 'createDiffieHellman', 'createDiffieHellmanGroup', 'createMac', 'createSecretKey',
  'generateKey', 'generateKeySync', 'generatePrime', 'generatePrimeSync', 'getCipherInfo', 'getCiphers', 'getCurves',
  'getDiffieHellman', 'getFips', 'getHashes', 'getMacs', 'parsePKCS12', 'randomFill', 'randomInt', 'randomUUID', 'randomUUIDv7',
  'secureHeapUsed', 'setEngine', 'setFips', 'subtle', 'timingSafeEqual', 'webcrypto',
];

for (const load of ['require(process.argv[2])', 'require("node:crypto")']) {
  test(`register: what is not served is the host's own, by ${load.includes('argv') ? 'alacrypt' : 'node:crypto'}`, async () => {
    nodeOnly();
    const { answer } = await answerOf(
      `const crypto = require('node:crypto');
       const before = new Map();
       for (const name of Object.keys(crypto)) if (name !== 'fips') before.set(name, crypto[name]);
       process.argv[2] = 'alacrypt';
       require('alacrypt/register');
       const loaded = ${load};
       const changed = [...before].filter(([name, value]) => loaded[name] !== value).map(([name]) => name);
       const stats = Object.keys(require('alacrypt').stats());
       const added = Object.keys(loaded).filter((name) => name !== 'fips' && !before.has(name));
       console.log(JSON.stringify({ changed, stats, added }));`,
      { args: [], extension: 'cjs' },
    );
    assert.deepEqual(answer.changed.filter((name) => HOSTS_OWN.includes(name)), []);
    // What was put in its place is counted, under the same name.
    assert.deepEqual(answer.changed.filter((name) => !answer.stats.includes(name)), []);
    assert.ok(answer.changed.includes('createHash'));
    assert.deepEqual(answer.added, load.includes('argv') ? ['stats', 'memory', 'loadError'] : []);
  });
}

for (const flag of ['--import', '--require']) {
  test(`register: workers inherit ${flag}`, async () => {
    nodeOnly();
    const source = `
      const crypto = require('crypto');
      crypto.createHash('sha256').update('a').digest();
      require('worker_threads').parentPort.postMessage(require('alacrypt').stats().createHash.served);
    `;
    // Node runs a script that is given as text before what is to be imported: that needs --require.
    const ways = [[scriptOf(source, 'cjs'), {}], ...(flag === '--require' ? [[source, { eval: true }]] : [])];
    for (const [script, options] of ways) {
      const { answer } = await answerOf(
        `import { Worker } from 'node:worker_threads';
         const worker = new Worker(${JSON.stringify(script)}, ${JSON.stringify(options)});
         worker.on('message', (count) => console.log(JSON.stringify(count)));`,
        { args: [flag, 'alacrypt/register'] },
      );
      assert.equal(answer, 1, JSON.stringify(options));
    }
  });
}

test('register: every way to name the module is reached', async () => {
  nodeOnly();
  const { answer } = await answerOf(
    `import * as space from 'crypto';
     import whole, { createHash, createHmac, hash, randomBytes, randomFillSync } from 'node:crypto';
     import { createRequire } from 'node:module';
     import alacrypt from 'alacrypt';
     const require = createRequire(import.meta.url);
     const ways = {
       named: createHash, default: whole.createHash, namespace: space.createHash,
       require: require('crypto').createHash, prefixed: require('node:crypto').createHash,
       dynamic: (await import('node:crypto')).createHash,
       builtin: process.getBuiltinModule?.('crypto').createHash ?? createHash,
     };
     const count = () => alacrypt.stats().createHash.served;
     const reached = {};
     for (const [name, way] of Object.entries(ways)) {
       const before = count();
       way('sha256').update('a').digest('hex');
       reached[name] = count() - before;
     }
     const before = alacrypt.stats();
     createHmac('sha256', 'k').update('a').digest();
     hash?.('sha256', 'a');
     randomBytes(8);
     randomFillSync(new Uint8Array(8));
     const after = alacrypt.stats();
     for (const name of ['createHmac', 'hash', 'randomBytes', 'randomFillSync']) reached[name] = after[name].served - before[name].served;
     console.log(JSON.stringify({ reached, hasHash: hash !== undefined }));`.replace("hash, randomBytes", major >= 21 || process.versions.node >= '20.12' ? 'hash, randomBytes' : 'randomBytes'),
  );
  for (const [name, count] of Object.entries(answer.reached)) {
    assert.equal(count, name === 'hash' && !answer.hasHash ? 0 : 1, name);
  }
});

test('register: references from before keep working, on the host', async () => {
  nodeOnly();
  const early = scriptOf(`
    import crypto from 'node:crypto';
    globalThis.early = { createHash: crypto.createHash, object: crypto.createHash('sha256'), update: crypto.Hash.prototype.update, digest: crypto.Hash.prototype.digest };
  `);
  const { answer } = await answerOf(
    `import { createHash } from 'node:crypto';
     import alacrypt from 'alacrypt';
     const { early } = globalThis;
     const results = [
       early.createHash('sha256').update('a').digest('hex'),
       early.object.update('a').digest('hex'),
       // The host's own methods, on an object of ours.
       Reflect.apply(early.digest, Reflect.apply(early.update, createHash('sha256'), ['a']), ['hex']),
       // Our methods, on an object of the host's.
       createHash('sha256').update.call(early.createHash('sha256'), 'a').digest('hex'),
     ];
     console.log(JSON.stringify({ results, served: alacrypt.stats().createHash.served }));`,
    { args: ['--import', early, '--import', 'alacrypt/register'] },
  );
  assert.deepEqual(answer.results, Array(4).fill(SHA256_OF_A));
  assert.equal(answer.served, 2);
});

test('register: on Bun and Deno, what is reached by require', async () => {
  if (runtime === 'node') skip('Node has tests of its own');
  const load = runtime === 'deno' ? `require(${JSON.stringify(registerFile)});` : '';
  const { answer, stderr } = await answerOf(
    `import { createRequire } from 'node:module';
     const require = createRequire(import.meta.url);
     ${load}
     const crypto = require('node:crypto');
     const alacrypt = require('alacrypt');
     const hex = crypto.createHash('sha256').update('a').digest('hex');
     const oneShot = crypto.hash('sha256', 'a');
     crypto.randomBytes(16);
     crypto.randomFillSync(new Uint8Array(16));
     const stats = alacrypt.stats();
     console.log(JSON.stringify({ hex, oneShot, stats, error: alacrypt.loadError?.message }));`,
  );
  assert.equal(answer.error, undefined);
  assert.equal(answer.hex, SHA256_OF_A);
  assert.equal(answer.oneShot, SHA256_OF_A);
  assert.equal(stderr, '');
  // README: what is patched per runtime is what was measured faster.
  const expected = runtime === 'bun' ? ['randomBytes', 'randomFillSync'] : ['hash'];
  const found = Object.keys(answer.stats).filter((name) => answer.stats[name].served > 0);
  assert.deepEqual(found.sort(), expected.sort());
});

test('package: require and import share one state', async () => {
  const { answer } = await answerOf(
    `import { createRequire } from 'node:module';
     import api, { createHash, randomBytes, stats, loadError } from 'alacrypt';
     const require = createRequire(import.meta.url);
     const required = require('alacrypt');
     required.randomBytes(8);
     randomBytes(8);
     api.randomBytes(8);
     required.createHash('sha256').update('a').digest('hex');
     required.hash('sha256', 'a');
     console.log(JSON.stringify({
       same: [required === api, required.createHash === createHash, required.stats === stats],
       counts: [stats(), required.stats()].map((one) => one.randomBytes.served + one.createHash.served + one.hash.served),
       hex: createHash('sha256').update('a').digest('hex'), loaded: loadError === undefined,
     }));`,
    { args: [] },
  );
  assert.deepEqual(answer.same, [true, true, true]);
  assert.equal(answer.counts[0], answer.counts[1]);
  assert.ok(answer.counts[0] > 0);
  assert.equal(answer.hex, SHA256_OF_A);
  assert.ok(answer.loaded);
});

test('package: what is served is served by named imports too', async () => {
  const { answer } = await answerOf(
    `import crypto from 'node:crypto';
     import * as named from 'alacrypt';
     const differing = Object.keys(crypto).filter((name) => named.default[name] !== crypto[name]);
     console.log(JSON.stringify({ count: differing.length, left: differing.filter((name) => named[name] !== named.default[name]) }));`,
    { args: [] },
  );
  assert.deepEqual(answer.left, []);
  assert.ok(answer.count > 0);
});

test('package: alone it leaves the exports of node:crypto as they are', async () => {
  const { answer } = await answerOf(
    `const crypto = require('node:crypto');
     const before = Object.getOwnPropertyDescriptors(crypto);
     const alacrypt = require('alacrypt');
     const changed = Object.keys(before).filter((name) => Object.getOwnPropertyDescriptor(crypto, name).value !== before[name].value);
     const missing = Reflect.ownKeys(crypto).filter((name) => !(name in alacrypt)).map(String);
     const mixed = crypto.createHash('sha256').update('a').digest('hex');
     console.log(JSON.stringify({ changed, missing, mixed, ours: alacrypt.createHash('sha256').update('a').digest('hex'), classes: alacrypt.createHash('sha256') instanceof crypto.Hash }));`,
    { args: [], extension: 'cjs' },
  );
  assert.deepEqual(answer, { changed: [], missing: [], mixed: SHA256_OF_A, ours: SHA256_OF_A, classes: true });
});
