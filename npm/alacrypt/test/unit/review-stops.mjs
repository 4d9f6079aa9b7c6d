/**
 * V8 may stop a call where another call begins: when the stack is used up, and when a script's
 * time is. An app may catch that and go on with the same objects. What they then give is right for
 * the input that they took, or what the host says of an object whose digest was made.
 */

import assert from 'node:assert/strict';

import { answerOf } from '../support/app.mjs';
import { registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

async function answer(body, args) {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  return (await answerOf(body, { args, extension: 'cjs' })).answer;
}

const STACK = `
  const crypto = require('node:crypto');
  const bytes = Buffer.from('some bytes'), key = Buffer.from('a key of bytes'), large = Buffer.alloc(20000, 1);
  const hash = (...pieces) => pieces.reduce((hash, piece) => hash.update(piece), crypto.createHash('sha256')).digest('hex');
  const hmac = (key, ...pieces) => pieces.reduce((hmac, piece) => hmac.update(piece), crypto.createHmac('sha256', key)).digest('hex');
  const expected = {
    bytes: [hash(), hash(bytes)],
    'text, bytes': [hash('text'), hash('text', bytes)],
    'text key, bytes': [hmac('a key'), hmac('a key', bytes)],
    'key, bytes': [hmac(key), hmac(key, bytes)],
    latin1: [hash(), hash(bytes)],
    large: [hash(bytes), hash(bytes, large)],
    'another comes': [hash(bytes)],
    'another comes, key': [hmac(key, bytes)],
    digest: [hash(bytes), 'ERR_CRYPTO_HASH_FINALIZED'],
    'digest, moved': [hash(bytes), 'ERR_CRYPTO_HASH_FINALIZED'],
    'digest, key': [hmac(key, bytes), ''],
    copy: [hash(bytes)],
  };
  require(${JSON.stringify(registerFile)});
  const { createHash, createHmac } = crypto;
  const other = () => createHash('sha256').update(key);
  const made = {
    bytes: () => { const o = createHash('sha256'); return [o, () => o.update(bytes)]; },
    'text, bytes': () => { const o = createHash('sha256').update('text'); return [o, () => o.update(bytes)]; },
    'text key, bytes': () => { const o = createHmac('sha256', 'a key'); return [o, () => o.update(bytes)]; },
    'key, bytes': () => { const o = createHmac('sha256', key); return [o, () => o.update(bytes)]; },
    latin1: () => { const o = createHash('sha256'); return [o, () => o.update('some bytes', 'latin1')]; },
    large: () => { const o = createHash('sha256').update(bytes); return [o, () => o.update(large)]; },
    'another comes': () => [createHash('sha256').update(bytes), other],
    'another comes, key': () => [createHmac('sha256', key).update(bytes), other],
    digest: () => { const o = createHash('sha256').update(bytes); return [o, () => o.digest()]; },
    'digest, moved': () => { const o = createHash('sha256').update(bytes); other(); return [o, () => o.digest('hex'), other]; },
    'digest, key': () => { const o = createHmac('sha256', key).update(bytes); return [o, () => o.digest('hex')]; },
    copy: () => { const o = createHash('sha256').update(bytes); return [o, () => o.copy()]; },
  };
  // Frames of several sizes, to end at many distances from the end of the stack.
  const dives = [
    function dive(depth, f) { return depth === 0 ? f() : dive(depth - 1, f); },
    function dive(depth, f, a, b) { return depth === 0 ? f() : dive(depth - 1, f, 1, 2); },
    function dive(depth, f, a, b, c, d, e) { return depth === 0 ? f() : dive(depth - 1, f, 1, 2, 3, 4, 5); },
  ];
  function deepest(dive) {
    let from = 0, to = 20000;
    while (from + 1 < to) {
      const middle = (from + to) >> 1;
      try { dive(middle, () => {}); from = middle; } catch { to = middle; }
    }
    return from;
  }
  for (let round = 0; round < 2000; round++) for (const make of Object.values(made)) { const [object, f] = make(); f(); try { object.digest(); } catch {} }
  let stops = 0;
  const wrong = {};
  for (const [name, make] of Object.entries(made)) {
    for (const dive of dives) {
      const depth = deepest(dive);
      for (let at = depth + 2; at > depth - 200; at--) {
        const [object, f, after] = make();
        try { dive(at, f); } catch { stops++; }
        after?.();
        let output;
        try { output = object.digest('hex'); } catch (error) { output = error.code ?? String(error); }
        if (!expected[name].includes(output)) wrong[name] = output;
      }
    }
  }
  console.log(JSON.stringify({ stops, wrong }));
`;

for (const args of [['--stack-size=300'], ['--stack-size=300', '--no-opt']]) {
  test(`stops: the end of the stack (${args.join(' ')})`, async () => {
    const { stops, wrong } = await answer(STACK, args);
    assert.ok(stops > 50, `only ${stops} calls were stopped`);
    assert.deepEqual(wrong, {});
  });
}

const TIME = `
  const crypto = require('node:crypto');
  const vm = require('node:vm');
  const bytes = Buffer.from('some bytes.'), key = Buffer.from('0123456789abcdef');
  const make = (kind) => kind === 'hash' ? crypto.createHash('sha256') : crypto.createHmac('sha256', kind === 'key' ? key : 'a key');
  const outputs = {};
  for (const kind of ['hash', 'key', 'text key']) {
    outputs[kind] = [];
    for (let count = 0; count < 6; count++) {
      const object = make(kind);
      for (let at = 0; at < count; at++) object.update(bytes);
      outputs[kind].push(object.digest('hex'));
    }
  }
  require(${JSON.stringify(registerFile)});
  /** Two objects at a time, so that one has to make room for the other; what they took so far. */
  let kind, pair, asked;
  globalThis.work = () => {
    for (;;) {
      for (kind of ['hash', 'key', 'text key']) {
        pair = undefined;
        asked = false;
        const made = [{ object: make(kind), count: 0 }, { object: make(kind), count: 0 }];
        pair = made;
        for (let at = 0; at < 4; at++) for (const one of pair) { one.object.update(bytes); one.count++; }
        asked = true;
        for (const one of pair) one.object.digest(one === pair[0] ? 'hex' : undefined);
        pair = undefined;
      }
    }
  };
  let stops = 0;
  const wrong = {};
  for (const end = Date.now() + 6000; Date.now() < end; stops++) {
    try { vm.runInThisContext('work()', { timeout: 1 }); } catch (error) { if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error; }
    for (const { object, count } of pair ?? []) {
      let output;
      try { output = object.digest('hex'); } catch (error) { output = error.code ?? String(error); }
      // The last update may have been stopped before or behind its work.
      const right = [outputs[kind][count], outputs[kind][count + 1]];
      if (asked) right.push('ERR_CRYPTO_HASH_FINALIZED', ...(kind === 'hash' ? [] : ['']));
      if (!right.includes(output)) wrong[kind + ' ' + count + (asked ? ', asked' : '')] = output;
    }
    pair = undefined;
  }
  console.log(JSON.stringify({ stops, wrong }));
`;

for (const args of [[], ['--no-opt']]) {
  test(`stops: the end of a script's time ${args.join(' ')}`, async () => {
    const { stops, wrong } = await answer(TIME, args);
    assert.ok(stops > 100, `only ${stops} scripts were stopped`);
    assert.deepEqual(wrong, {});
  });
}
