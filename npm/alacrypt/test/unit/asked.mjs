/**
 * When crypto is asked for, by whatever name: until then an app pays for nothing, and from then on all
 * of it is reached.
 */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';

import { answerOf, appDirectory, scriptOf } from '../support/app.mjs';
import { major, registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

/** Lines that have hooks in which to wait. Older ones patch at once. */
const waits = runtime === 'node' && major >= 22;

function nodeOnly() {
  if (runtime !== 'node') skip('a flag of Node');
}

/** Whether the package's first file was read, as the app may see it. */
const WAS_READ = `(() => Object.keys(require('node:module')._cache).some((file) => file.endsWith('dist/alacrypt.cjs')))()`;

test('asked: an app that does not ask has nothing read, and loses no time in its modules', async () => {
  nodeOnly();
  for (const [extension, source] of [
    ['cjs', `require('node:fs'); require('node:path'); console.log(JSON.stringify(${WAS_READ}))`],
    ['mjs', `import 'node:fs'; import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); console.log(JSON.stringify(${WAS_READ}))`],
  ]) {
    for (const flag of ['--import', '--require']) {
      const { answer, stderr } = await answerOf(source, { args: [flag, 'alacrypt/register'], extension });
      assert.equal(answer, !waits, `${extension} ${flag}`);
      assert.equal(stderr, '');
    }
  }
});

test('asked: what is watched looks as before, and is as before once crypto was asked for', async () => {
  nodeOnly();
  const looks = `
    const of = (object, name) => {
      const { value, get, ...rest } = Object.getOwnPropertyDescriptor(object, name);
      const one = value ?? get;
      return [rest, typeof value, one.name, one.length];
    };
    const looks = () => [of(require('node:module'), '_load'), of(require('node:module'), '_resolveFilename'), of(process, 'getBuiltinModule'), of(globalThis, 'crypto')];
    const identities = () => [require('node:module')._load, require('node:module')._resolveFilename, process.getBuiltinModule, Object.getOwnPropertyDescriptor(globalThis, 'crypto').get];
  `;
  const early = scriptOf(`${looks} globalThis.early = [looks(), identities()];`, 'cjs');
  const { answer } = await answerOf(
    `${looks}
     const before = [looks(), identities()];
     require('crypto');
     const after = identities();
     console.log(JSON.stringify({
       looks: [globalThis.early[0], before[0]],
       watched: before[1].map((one, index) => one !== globalThis.early[1][index]),
       restored: after.map((one, index) => one === globalThis.early[1][index]),
     }));`,
    { args: ['--require', early, '--require', 'alacrypt/register'], extension: 'cjs' },
  );
  assert.deepEqual(answer.looks[0], answer.looks[1]);
  assert.deepEqual(answer.watched, Array(4).fill(waits));
  assert.deepEqual(answer.restored, Array(4).fill(true));
});

/** Ways to the module, each alone in its process: what it gives must be served. */
const WAYS = {
  'require, in CommonJS': ['cjs', `use(require('crypto'))`],
  'require with node:': ['cjs', `use(require('node:crypto'))`],
  'require behind a require': ['cjs', (file) => `use(require(${JSON.stringify(file('module.exports = require("crypto")', 'cjs'))}))`],
  'module.require': ['cjs', `use(module.require('crypto'))`],
  'Module._load': ['cjs', `use(require('node:module')._load('crypto'))`],
  'a later require': ['cjs', `setTimeout(() => use(require('crypto')), 1)`],
  getBuiltinModule: ['cjs', `use(process.getBuiltinModule?.('crypto') ?? require('crypto'))`],
  'import() from CommonJS': ['cjs', `import('node:crypto').then(use)`],
  'import() from CommonJS, later': ['cjs', `setTimeout(() => import('node:crypto').then(use), 1)`],
  'an ES module that CommonJS imports': ['cjs', (file) => `import(${JSON.stringify(file(`export * from 'node:crypto'`))}).then(use)`],
  'an ES module that CommonJS requires, and that keeps it': ['cjs', (file) => `use(require(${JSON.stringify(file(`import { createHash } from 'node:crypto'; export const kept = { createHash };`))}).kept)`, 22],
  'an ES module that CommonJS requires': ['cjs', (file) => `use(require(${JSON.stringify(file(`export { createHash, hash } from 'node:crypto'`))}))`, 22],
  'named import': ['mjs', `import { createHash } from 'node:crypto'; use({ createHash });`],
  'named import, kept at once': ['mjs', (file) => `import { kept } from ${JSON.stringify(file(`import { createHash } from 'crypto'; export const kept = { createHash };`))}; use(kept);`],
  'default import': ['mjs', `import crypto from 'crypto'; use(crypto);`],
  'import()': ['mjs', `use(await import('crypto'));`],
  'CommonJS that an ES module imports': ['mjs', (file) => `import crypto from ${JSON.stringify(file('module.exports = require("crypto")', 'cjs'))}; use(crypto);`],
  createRequire: ['mjs', `import { createRequire } from 'node:module'; use(createRequire(import.meta.url)('crypto'));`],
  'a worker': ['cjs', (file) => `new (require('node:worker_threads').Worker)(${JSON.stringify(file(`${'USE'} use(require('crypto'));`, 'cjs'))})`],
};

const USE = `
  const use = (crypto) => {
    const hex = crypto.createHash('sha256').update('a').digest('hex');
    const { stats } = globalThis.process.getBuiltinModule?.('module').createRequire(INDEX)(INDEX) ?? require(INDEX);
    console.log(JSON.stringify({ hex, served: stats().createHash.served }));
  };
`;

for (const [way, [extension, source, from = 20]] of Object.entries(WAYS)) {
  test(`asked: ${way}`, async () => {
    nodeOnly();
    if (major < from) skip(`Node ${from} and newer`);
    const use = USE.replaceAll('INDEX', JSON.stringify(registerFile.replace('register.cjs', 'index.cjs')));
    const file = (text, kind) => scriptOf(text.replace('USE', use), kind);
    const text = typeof source === 'string' ? source : source(file);
    const head = extension === 'mjs' ? `import { createRequire as from } from 'node:module'; const require = from(import.meta.url);` : '';
    for (const flag of ['--import', '--require']) {
      const { answer, stderr } = await answerOf(`${head}${use}\n${text}`, { args: [flag, 'alacrypt/register'], extension });
      assert.equal(answer.hex, 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb', flag);
      assert.equal(answer.served, 1, flag);
      assert.equal(stderr, '');
    }
  });
}

test('asked: by the name that a package gives it', async () => {
  nodeOnly();
  const folder = `${appDirectory}/node_modules/named`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, JSON.stringify({ name: 'named', imports: { '#crypto': 'crypto' }, exports: './a.mjs' }));
  writeFileSync(`${folder}/a.mjs`, `export { createHash } from '#crypto'`);
  const { answer } = await answerOf(
    `import { createHash } from 'named';
     import { createRequire } from 'node:module';
     createHash('sha256').update('a').digest();
     console.log(JSON.stringify(createRequire(import.meta.url)('alacrypt').stats().createHash.served));`,
  );
  assert.equal(answer, 1);
});

test('asked: by the global', async () => {
  nodeOnly();
  const { answer } = await answerOf(
    `import { createRequire } from 'node:module';
     const require = createRequire(import.meta.url);
     crypto.getRandomValues(new Uint8Array(8));
     console.log(JSON.stringify(require('alacrypt').stats().getRandomValues.served));`,
  );
  assert.equal(answer, 1);
});

test('asked: agents that wrap crypto or the loader keep their place, whichever comes first', async () => {
  nodeOnly();
  const agent = scriptOf(
    `const Module = require('module');
     const { require: original } = Module.prototype;
     globalThis.seen = 0;
     const wrapped = new WeakSet();
     Module.prototype.require = function (id) {
       const exports = Reflect.apply(original, this, arguments);
       if (id === 'crypto' && !wrapped.has(exports)) {
         wrapped.add(exports);
         const { createHash } = exports;
         exports.createHash = function () { globalThis.seen++; return Reflect.apply(createHash, this, arguments); };
       }
       return exports;
     };
     const { _load } = Module;
     Module._load = function () { return Reflect.apply(_load, this, arguments); };`,
    'cjs',
  );
  for (const args of [['--require', agent, '--require', 'alacrypt/register'], ['--require', 'alacrypt/register', '--require', agent]]) {
    const { answer, stderr } = await answerOf(
      `const crypto = require('crypto');
       const hex = crypto.createHash('sha256').update('a').digest('hex');
       
       console.log(JSON.stringify({ hex: hex.length, seen: globalThis.seen, served: require('alacrypt').stats().createHash.served }));`,
      { args, extension: 'cjs' },
    );
    assert.equal(stderr, '');
    assert.deepEqual(answer, { hex: 64, seen: 1, served: 1 });
  }
});

test('asked: errors while modules load stay those of the app', async () => {
  nodeOnly();
  const { answer } = await answerOf(
    `const codes = [];
     try { require('./no-such-file.cjs'); } catch (error) { codes.push(error.code); }
     try { require(''); } catch (error) { codes.push(error.code); }
     try { require(5); } catch (error) { codes.push(error.code); }
     import('./no-such-file.mjs').catch((error) => {
       codes.push(error.code);
       require('crypto').createHash('sha256').update('a').digest();
       console.log(JSON.stringify([codes, require('alacrypt').stats().createHash.served]));
     });`,
    { extension: 'cjs' },
  );
  assert.deepEqual(answer, [['MODULE_NOT_FOUND', 'ERR_INVALID_ARG_VALUE', 'ERR_INVALID_ARG_TYPE', 'ERR_MODULE_NOT_FOUND'], 1]);
});

test('asked: crypto that somebody froze stays as it is, with one line', async () => {
  nodeOnly();
  const early = scriptOf(`Object.freeze(require('crypto'));`, 'cjs');
  const { answer, stderr } = await answerOf(
    `const crypto = require('crypto');
     console.log(JSON.stringify(crypto.createHash('sha256').update('a').digest('hex').length));`,
    { args: ['--require', early, '--require', 'alacrypt/register'], extension: 'cjs' },
  );
  assert.equal(answer, 64);
  assert.equal(stderr, 'alacrypt: not active: node:crypto is frozen\n');
});

test('asked: by the package itself, as an app that looks at its counters first', async () => {
  nodeOnly();
  const uses = `crypto.createHash('sha256').update('a').digest(); globalThis.crypto.getRandomValues(new Uint8Array(8));
    const { createHash, getRandomValues } = stats(); console.log(JSON.stringify([createHash.served, getRandomValues.served]));`;
  for (const flag of ['--import', '--require']) {
    for (const [extension, source] of [
      ['cjs', `const { stats } = require('alacrypt'); const crypto = require('crypto'); ${uses}`],
      ['cjs', `const { stats } = require('alacrypt'); const crypto = process.getBuiltinModule?.('crypto') ?? require('crypto'); ${uses}`],
      ['cjs', `const { stats } = require('alacrypt'); globalThis.crypto.subtle; const crypto = require('crypto'); ${uses}`],
      ['mjs', `import { stats } from 'alacrypt'; const crypto = await import('node:crypto'); ${uses}`],
      ['mjs', `const { stats } = await import('alacrypt'); const crypto = await import('node:crypto'); ${uses}`],
    ]) {
      const { answer, stderr } = await answerOf(source, { args: [flag, 'alacrypt/register'], extension });
      assert.deepEqual(answer, [1, 1], `${flag} ${source}`);
      assert.equal(stderr, '');
    }
  }
});
