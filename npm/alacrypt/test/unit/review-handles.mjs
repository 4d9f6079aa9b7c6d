/**
 * Script can get hold of what is inside our objects. It gets no further: not at the bytes of
 * another object, and not at anything that would make another's results wrong.
 */

import assert from 'node:assert/strict';

import { answerOf } from '../support/app.mjs';
import { registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const PRELUDE = `
  const crypto = require('node:crypto');
  const { createHash, createHmac } = crypto;
  const key = Buffer.from('the key of the victim');
  const ofKey = createHash('sha256').update(key).digest('hex');
  const right = createHmac('sha256', key).update('data').digest('hex');
  const hostHandle = createHash('sha256');
  require(${JSON.stringify(registerFile)});
  const kHandle = Object.getOwnPropertySymbols(hostHandle).find((symbol) => symbol.description === 'kHandle');
  const handleOf = (object) => object[kHandle];
`;

async function answer(body) {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  return (await answerOf(`${PRELUDE}\n${body}`, { args: [], extension: 'cjs' })).answer;
}

test('handles: a handle has the methods of the host\'s, and its class makes nothing', async () => {
  const { names, made } = await answer(`
    const names = [], made = [];
    for (const object of [crypto.createHash('sha256'), crypto.createHmac('sha256', key)]) {
      const handle = handleOf(object);
      for (let at = handle; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
        names.push(...Reflect.ownKeys(at).map(String));
        for (const Class of [at.constructor, Object.getPrototypeOf(at.constructor)]) {
          try {
            made.push(typeof new Class({ number: 12, name: 'shake128', outputLength: 0, limit: 1e9 }, {}, 32, undefined, undefined, 16));
          } catch (error) {
            made.push(error.name);
          }
        }
      }
    }
    console.log(JSON.stringify({ names, made }));
  `);
  assert.deepEqual([...new Set(names)].sort(), ['constructor', 'digest', 'update']);
  assert.deepEqual([...new Set(made)], ['TypeError']);
});

test('handles: a handle that script has changed does not get at a waiting key', async () => {
  const { seen, tags } = await answer(`
    const seen = [], tags = [];
    for (const name of ['moveOut', 'leave', 'takeBytes', 'copy', 'asHostObject']) {
      const evil = crypto.createHash('sha256').update(Buffer.alloc(key.length));
      handleOf(evil)[name] = () => {};
      Object.getPrototypeOf(handleOf(evil))[name] = () => {};
      const victim = crypto.createHmac('sha256', key);
      seen.push(evil.digest('hex') === ofKey);
      tags.push(victim.update('data').digest('hex') === right);
    }
    console.log(JSON.stringify({ seen, tags }));
  `);
  assert.ok(!seen.includes(true), 'the key was read');
  assert.ok(!tags.includes(false), 'the tag is wrong');
});
