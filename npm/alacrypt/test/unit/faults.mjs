/**
 * What the system refuses: file descriptors. The app gets the answer that it gets without the hook, and never
 * the end of the process.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

import { answerOf } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

function canLimit() {
  if (runtime !== 'node' || process.platform !== 'linux') skip('limits are set with prlimit of Linux');
  try {
    execFileSync('prlimit', ['--version']);
  } catch {
    skip('there is no prlimit');
  }
}

/** Limits the process that runs it, once the threads of the host's own pool are there. */
const PRELUDE = `
  const crypto = require('node:crypto');
  const fs = require('node:fs');
  const { execFileSync } = require('node:child_process');
  const limit = (what, value) => execFileSync('prlimit', ['--pid', String(process.pid), '--' + what + '=' + value + ':' + value]);
  const said = (error) => error.name + ' ' + error.code;
  const settled = (promise) => promise.then((value) => Buffer.from(value).toString('hex'), said);
  const tried = (call) => { try { return Buffer.from(call()).toString('hex'); } catch (error) { return said(error); } };
  const { promisify } = require('node:util');
  const poolIsThere = () => Promise.all(Array.from({ length: 8 }, () => fs.promises.readFile('/proc/self/status')));
  const tell = (out) => console.log(JSON.stringify(out));
`;

const FAULTS = {
  'no file can be opened': `
    (async () => {
      await poolIsThere();
      limit('nofile', 3);
      const out = [];
      try { fs.openSync('/proc/self/status'); } catch (error) { out.push(error.code); }
      out.push(tried(() => crypto.createHash('sha256').update('a').digest()));
      out.push(tried(() => crypto.scryptSync('secret', 'salt', 32, { N: 16 })));
      out.push(crypto.randomBytes(16).length);
      out.push(tried(() => crypto.createCipheriv('aes-256-ctr', Buffer.alloc(32), Buffer.alloc(16)).update('text')));
      out.push(await settled(promisify(crypto.pbkdf2)('secret', 'salt', 1000, 32, 'sha256')));
      out.push(await settled(crypto.webcrypto.subtle.digest('SHA-256', Buffer.alloc(48))));
      tell(out);
    })();`,
};

for (const [what, source] of Object.entries(FAULTS)) {
  test(`faults: ${what}`, async () => {
    canLimit();
    const stock = await answerOf(PRELUDE + source, { args: [], extension: 'cjs' });
    const { answer } = await answerOf(PRELUDE + source, { extension: 'cjs' });
    assert.deepEqual(answer, stock.answer);
    assert.ok(answer.length >= 5);
  });
}
