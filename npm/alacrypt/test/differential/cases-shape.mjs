/**
 * What can be seen of the functions and objects without calling them, and what calls must not
 * change around them.
 */

import asyncHooks from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import util from 'node:util';
import { Worker } from 'node:worker_threads';

const FUNCTIONS = ['createHash', 'createHmac', 'hash', 'randomBytes', 'randomFillSync', 'timingSafeEqual', 'getHashes', 'Hash', 'Hmac', 'randomUUID', 'randomInt'];

/** All about a property but what it does. */
export function describe(target, property) {
  const descriptor = Object.getOwnPropertyDescriptor(target, property);
  if (descriptor === undefined) return 'none';
  const flags = ['writable', 'enumerable', 'configurable'].filter((flag) => descriptor[flag]).join();
  const value = descriptor.value;
  if (typeof value !== 'function') return `${flags} ${'value' in descriptor ? typeof value : 'accessor'}`;
  return [
    flags,
    `own ${Reflect.ownKeys(value).map(String).sort().join()}`,
    `name ${JSON.stringify(Object.getOwnPropertyDescriptor(value, 'name'))}`,
    `length ${JSON.stringify(Object.getOwnPropertyDescriptor(value, 'length'))}`,
    `prototype ${JSON.stringify(Object.getOwnPropertyDescriptor(value, 'prototype') === undefined)}`,
    `proto ${Object.getPrototypeOf(value) === Function.prototype}`,
    `extensible ${Object.isExtensible(value)}`,
  ].join('; ');
}

export const cases = {
  'names, lengths and descriptors': {
    body({ crypto, line }) {
      line('exports', Reflect.ownKeys(crypto).map(String).join());
      for (const name of FUNCTIONS) line(name, describe(crypto, name));
      for (const [label, target] of [['Hash', crypto.Hash.prototype], ['Hmac', crypto.Hmac.prototype]]) {
        line(label, Reflect.ownKeys(target).map(String).join());
        for (const property of Reflect.ownKeys(target)) line(`${label}.${String(property)}`, describe(target, property));
      }
      line('one update for both', String(crypto.Hash.prototype.update === crypto.Hmac.prototype.update));
      line('globals', Reflect.ownKeys(globalThis).map(String).sort().join());
    },
  },
  'instances and classes': {
    body({ crypto, line, attempt }) {
      const hash = crypto.createHash('sha256');
      const hmac = crypto.createHmac('sha256', 'k');
      line('instanceof', [hash instanceof crypto.Hash, hmac instanceof crypto.Hmac, hash instanceof crypto.Hmac, hmac instanceof crypto.Hash].join());
      line('prototype', [Object.getPrototypeOf(hash) === crypto.Hash.prototype, Object.getPrototypeOf(hmac) === crypto.Hmac.prototype].join());
      line('constructor', [hash.constructor === crypto.Hash, hmac.constructor === crypto.Hmac].join());
      for (const options of [{}, { showHidden: true }, { colors: true }, { depth: 9 }, { getters: true }]) {
        line(`inspect ${JSON.stringify(options)}`, util.inspect(hash, options));
        line(`inspect hmac ${JSON.stringify(options)}`, util.inspect(hmac, options));
      }
      line('json', JSON.stringify(hash));
      line('string', `${hash} ${hmac}`);
      attempt('clone', () => structuredClone(hash));
      attempt('without new', () => crypto.Hash('sha256').update('a').digest('hex'));
      attempt('new', () => new crypto.Hash('sha256').update('a').digest('hex'));
      attempt('hmac without new', () => crypto.Hmac('sha256', 'k').update('a').digest('hex'));
      attempt('subclass', () => {
        class Sub extends crypto.Hash {
          update(data, encoding) {
            return super.update(`sub ${data}`, encoding);
          }
        }
        const sub = new Sub('sha256');
        return [sub instanceof Sub, sub.constructor === Sub, sub.update('a').digest('hex')];
      });
      attempt('old inheritance', () => {
        function Old() {
          return Reflect.construct(crypto.Hash, ['sha256'], Old);
        }
        util.inherits(Old, crypto.Hash);
        return new Old().update('a').digest('hex');
      });
    },
    only: 'node',
  },
  'a patch on the prototype sees every call': {
    body({ crypto, line }) {
      const seen = [];
      for (const [prototype, name] of [[crypto.Hash.prototype, 'update'], [crypto.Hash.prototype, 'digest'], [crypto.Hmac.prototype, 'update']]) {
        const original = prototype[name];
        prototype[name] = function (...args) {
          seen.push(`${name} ${args.length}`);
          return Reflect.apply(original, this, args);
        };
      }
      line('result', crypto.createHash('sha256').update('a').digest('hex') + crypto.createHmac('sha256', 'k').update('a').digest('hex'));
      const createHash = crypto.createHash;
      crypto.createHash = (...args) => {
        seen.push(`createHash ${args.length}`);
        return createHash(...args);
      };
      line('result again', crypto.createHash('sha256').update('a').digest('hex'));
      line('seen', seen.join());
    },
    fresh: true,
  },
  'warnings: constructors and lengths left out': {
    async body({ crypto, turn, line }) {
      crypto.createHash('sha256').update('a').digest();
      await turn();
      crypto.createHash('shake128').update('a').digest();
      await turn();
      crypto.createHash('shake256', { outputLength: undefined }).digest();
      await turn();
      crypto.Hash('sha256');
      crypto.Hmac('sha256', 'k');
      await turn();
      crypto.hash?.('shake128', 'a');
      await turn();
      line('done', 'yes');
    },
    fresh: true,
    only: 'node',
  },
  'async hooks see nothing of ours': {
    async body({ crypto, line, turn }) {
      const seen = [];
      const hook = asyncHooks.createHook({
        init(_id, type) {
          // Some hosts make a resource for synchronous random bytes too; none is made for ours.
          if (type !== 'RANDOMBYTESREQUEST') seen.push(type);
        },
      });
      hook.enable();
      crypto.createHash('sha256').update('a').digest('hex');
      crypto.createHmac('sha256', 'k').update('a').digest();
      const hash = crypto.createHash('sha1');
      hash.end('x');
      crypto.randomBytes(8);
      crypto.randomFillSync(new Uint8Array(8));
      const callback = new Promise((resolve) => crypto.randomBytes(8, resolve));
      hook.disable();
      await callback;
      await turn();
      line('types', seen.join());
      const storage = new asyncHooks.AsyncLocalStorage();
      const store = await storage.run('the store', () => new Promise((resolve) => crypto.randomBytes(8, () => resolve(storage.getStore()))));
      line('store', store);
    },
    fresh: true,
    only: 'node',
  },
  'workers have a state of their own': {
    async body({ crypto, line }) {
      const source = `
        const { workerData, parentPort } = require('node:worker_threads');
        const crypto = require('node:crypto');
        const key = crypto.createSecretKey(Buffer.from('key ' + workerData));
        let sum = '';
        for (let round = 0; round < 300; round++) {
          const open = crypto.createHash('sha256').update(new Uint8Array(round % 99).fill(workerData));
          sum = crypto.createHmac('sha256', key).update(sum).digest('hex');
          sum += open.update(sum).digest('base64');
        }
        parentPort.postMessage([crypto.createHash('sha1').update(sum).digest('hex'), crypto.createHash('sha1').update(sum).digest()]);
      `;
      // A file: a script given as text runs before what is to be imported.
      const folder = mkdtempSync(path.join(tmpdir(), 'alacrypt-case-'));
      const file = path.join(folder, 'worker.cjs');
      writeFileSync(file, source);
      const results = await Promise.all(
        Array.from({ length: 4 }, (_, id) => new Promise((resolve, reject) => {
          const worker = new Worker(file, { workerData: id });
          worker.on('message', resolve);
          worker.on('error', reject);
        })),
      );
      rmSync(folder, { recursive: true });
      results.forEach(([text, bytes], id) => {
        line(`worker ${id}`, text);
        line(`worker ${id} bytes`, `${bytes.byteOffset} ${bytes.byteLength} ${bytes.buffer.byteLength} ${Buffer.from(bytes).toString('hex')}`);
      });
      line('here', crypto.createHash('sha256').update('here').digest('hex'));
    },
    fresh: true,
    only: 'node',
  },
};
