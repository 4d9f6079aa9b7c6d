/**
 * Worker threads: each has a state of its own, and none takes the process down.
 */

import assert from 'node:assert/strict';

import { answerOf } from '../support/app.mjs';
import { indexFile, registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

/** Processes that load the addon in a worker only. `ALACRYPT_TEST_LONG=1` runs the full number. */
const LONG = process.env.ALACRYPT_TEST_LONG === '1';
const PROCESSES = LONG ? 50 : 12;
/** Workers made, used and ended in one process. */
const WORKERS = LONG ? 200 : 40;

/** What a worker does: everything that leaves something behind natively. */
const WORK = `
  const { createHash, createHmac, createSecretKey, randomBytes } = require('node:crypto');
  const key = createSecretKey(randomBytes(32));
  let sum = '';
  for (let round = 0; round < 50; round++) {
    sum = createHmac('sha256', key).update(sum).digest('hex');
    sum = createHash('sha256').update(sum).update(randomBytes(20)).digest('hex');
  }
  try { createHash('no such'); } catch {}
  createHash('sha256').update(randomBytes(100));
`;

test(`the addon in a worker only, ${PROCESSES} processes`, async () => {
  const load = `require(${JSON.stringify(registerFile)});`;
  for (let count = 0; count < PROCESSES; count++) {
    const { answer } = await answerOf(
      `const { Worker } = require('node:worker_threads');
       const worker = new Worker(${JSON.stringify(load + WORK)}, { eval: true });
       worker.on('error', (error) => { throw error; });
       worker.on('exit', (code) => { console.log(JSON.stringify(code)); ${count % 2 === 0 ? 'process.exit(0);' : ''} });`,
      { args: [], extension: 'cjs' },
    );
    assert.equal(answer, 0);
  }
});

test(`${WORKERS} workers made, used and ended`, async () => {
  const { answer } = await answerOf(
    `const { Worker } = require('node:worker_threads');
     require(${JSON.stringify(registerFile)});
     const source = ${JSON.stringify(`require(${JSON.stringify(registerFile)});${WORK} require('node:worker_threads').parentPort.postMessage(require(${JSON.stringify(indexFile)}).loadError === undefined);`)};
     let made = 0, loaded = 0;
     const one = () => new Promise((resolve, reject) => {
       const number = made++;
       const worker = new Worker(source, { eval: true });
       worker.on('error', reject);
       worker.on('message', async (ok) => { loaded += ok; if (number % 2 === 0) { await worker.terminate(); } resolve(); });
       // Some are ended while they start, or work.
       if (number % 5 === 4) setTimeout(() => worker.terminate().then(resolve), number % 40);
     });
     (async () => {
       while (made < ${WORKERS}) await Promise.all([one(), one(), one(), one()]);
       const { createHash } = require('node:crypto');
       console.log(JSON.stringify({ made, loaded, hex: createHash('sha256').update('a').digest('hex') }));
       process.exit(0);
     })();`,
    { args: [], extension: 'cjs', timeoutSeconds: 300 },
  );
  assert.ok(answer.made >= WORKERS);
  assert.ok(answer.loaded >= WORKERS * 0.5, `the addon loaded in ${answer.loaded} workers`);
  assert.equal(answer.hex, 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb');
});

test('random bytes of two threads differ', async () => {
  const { answer } = await answerOf(
    `const { Worker } = require('node:worker_threads');
     const source = ${JSON.stringify(`require(${JSON.stringify(registerFile)}); require('node:worker_threads').parentPort.postMessage(Array.from({ length: 200 }, () => require('node:crypto').randomBytes(16).toString('hex')));`)};
     const all = [];
     const one = () => new Promise((resolve, reject) => {
       const worker = new Worker(source, { eval: true });
       worker.on('message', (list) => { all.push(...list); resolve(); });
       worker.on('error', reject);
     });
     Promise.all([one(), one(), one()]).then(() => { console.log(JSON.stringify([all.length, new Set(all).size])); process.exit(0); });`,
    { args: [], extension: 'cjs' },
  );
  assert.deepEqual(answer, [600, 600]);
});
