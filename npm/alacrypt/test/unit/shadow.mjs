/**
 * `ALACRYPT_SHADOW`: both sides are asked, the app gets the host's answer, and what differs is told
 * without a byte of it. Wrong answers are planted in the addon as it is loaded.
 */

import assert from 'node:assert/strict';

import { answerOf, scriptOf } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

function nodeOnly() {
  if (runtime !== 'node') skip('Node serves all of the functions');
}

/** Every kind of call that is compared, several times, as the first are the host's; prints what came of it. */
const CALLS = `
  const crypto = require('node:crypto');
  const out = {};
  const rsa = crypto.createPrivateKey(crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const rsaPublic = crypto.createPublicKey(rsa);
  const rsaPem = rsa.export({ type: 'pkcs8', format: 'pem' });
  const ed = crypto.createPrivateKey('-----BEGIN PRIVATE KEY-----\\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\\n-----END PRIVATE KEY-----');
  const ec = crypto.generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const data = Buffer.alloc(48, 5), key = Buffer.alloc(32, 1), iv = Buffer.alloc(12, 2);
  const signature = crypto.sign(null, data, ed);
  for (let round = 0; round < 8; round++) {
    out.hash = crypto.hash('sha256', 'secret text');
    out.createHash = crypto.createHash('sha256').update('secret').update(' text').digest('hex');
    out.copied = crypto.createHash('sha256').update('secret').copy().update(' text').digest('hex');
    out.createHmac = crypto.createHmac('sha256', key).update(data).digest('base64');
    out.hkdfSync = Buffer.from(crypto.hkdfSync('sha256', key, 'salt', 'info', 32)).toString('hex');
    out.pbkdf2Sync = crypto.pbkdf2Sync('secret', 'salt', 10, 32, 'sha256').toString('hex');
    out.scryptSync = crypto.scryptSync('secret', 'salt', 32, { N: 16 }).toString('hex');
    out.verify = crypto.verify(null, data, ed, signature);
    out.sign = [crypto.sign(null, data, ed), crypto.sign('sha256', data, rsaPem)].map((made) => made.toString('hex')).join();
    crypto.sign('sha256', data, ec.privateKey);
    out.privateEncrypt = crypto.publicDecrypt(rsaPublic, crypto.privateEncrypt(rsaPem, data)).toString('hex');
    out.diffieHellman = crypto.diffieHellman(ec).toString('hex').length;
    const cipher = crypto.createCipheriv('aes-256-gcm', key, iv);
    cipher.setAAD(data);
    const sealed = Buffer.concat([cipher.update('secret text', 'utf8'), cipher.update(data), cipher.final()]);
    const opener = crypto.createDecipheriv('aes-256-gcm', key, iv);
    opener.setAAD(data);
    opener.setAuthTag(cipher.getAuthTag());
    out.createDecipheriv = opener.update(sealed, undefined, 'hex') + opener.final('hex');
    try { crypto.createHash('sha256').digest('no such').digest(); } catch (error) { out.error = error.code + error.message; }
    const stream = crypto.createHash('sha256');
    stream.end('secret text');
    out.stream = stream.read().toString('hex');
  }
  const stats = require('alacrypt').stats();
  const shadow = Object.fromEntries(Object.entries(stats).filter(([, { shadow }]) => shadow !== undefined).map(([name, { shadow }]) => [name, shadow]));
  console.log(JSON.stringify({ out: { ...out, sign: out.sign.slice(0, 128), privateEncrypt: out.privateEncrypt }, shadow }));
`;
const COMPARED = ['hash', 'createHash', 'createHmac', 'hkdfSync', 'pbkdf2Sync', 'scryptSync', 'verify', 'sign', 'privateEncrypt', 'publicDecrypt', 'diffieHellman', 'createCipheriv', 'createDecipheriv'];

/** Changes the addon as it is loaded, before the hook: what `change` does to `exports`. */
function planted(change) {
  const file = scriptOf(
    `const { dlopen } = process;
     process.dlopen = function (module, ...rest) {
       dlopen.call(this, module, ...rest);
       const { exports } = module;
       if (exports.scratch === undefined) return;
       const output = new Uint8Array(exports.scratch, exports.layout.outputOffset, 64);
       const words = new Uint32Array(exports.scratch, 0, 24);
       const after = (name, then) => { const right = exports[name]; exports[name] = (...args) => then(right(...args)); };
       ${change}
     };`,
    'cjs',
  );
  return ['--require', file, '--import', 'alacrypt/register'];
}

const shadowed = (share, extra = {}) => ({ extension: 'cjs', env: { ALACRYPT_SHADOW: share }, ...extra });

test('shadow: everything is compared, and nothing differs', async () => {
  nodeOnly();
  const stock = await answerOf(CALLS.replace("require('alacrypt').stats()", '{}'), { args: [], extension: 'cjs' });
  const { answer, stderr } = await answerOf(CALLS, shadowed('1'));
  assert.deepEqual(answer.out, stock.answer.out);
  assert.equal(stderr, '');
  assert.deepEqual(Object.keys(answer.shadow).sort(), [...COMPARED].sort());
  for (const name of COMPARED) {
    assert.ok(answer.shadow[name].compared >= 4, `${name}: ${answer.shadow[name].compared} compared`);
    assert.deepEqual(answer.shadow[name].differences, {}, name);
  }
});

/** A wrong answer of the addon; which functions tell of it, and in what words. */
const WRONG = {
  // The empty message is what an algorithm is tried with.
  'a wrong digest': [`after('digestString', (hex) => typeof hex === 'string' && !hex.startsWith('e3b0') ? hex.replace(/^./, (first) => (first === 'f' ? '0' : 'f')) : hex);`, { hash: 'sha256: answers differ', createHash: 'sha256: answers differ' }],
  'a wrong derived key': [`for (const name of ['hkdf', 'pbkdf2', 'scrypt']) after(name, () => { output[3] ^= 1; });`, { hkdfSync: 'sha256: bytes differ', pbkdf2Sync: 'sha256: bytes differ', scryptSync: 'bytes differ' }],
  'signatures that never match': [`after('verify', () => { words[0] = 3; });`, { verify: 'answers differ' }],
  'wrong signatures': [`after('sign', () => { output[0] ^= 1; });`, { sign: 'bytes differ' }],
  'wrong ciphertext': [`after('cipherStreamUpdateShort', () => { output[5] ^= 1; });`, { createCipheriv: 'aes-256-gcm: bytes differ' }],
};

for (const [what, [change, told]] of Object.entries(WRONG)) {
  test(`shadow: ${what} is told of, and the app gets the host's answers`, async () => {
    nodeOnly();
    const stock = await answerOf(CALLS.replace("require('alacrypt').stats()", '{}'), { args: [], extension: 'cjs' });
    const { answer, stderr } = await answerOf(CALLS, shadowed('1', { args: planted(change) }));
    assert.deepEqual(answer.out, stock.answer.out);
    for (const [name, kind] of Object.entries(told)) {
      assert.ok(answer.shadow[name].differences[kind] >= 1, `${name}: ${JSON.stringify(answer.shadow[name])}`);
      const lines = stderr.split('\n').filter((line) => line.startsWith(`alacrypt: shadow: ${name}`) && line.includes(kind.replace(/^.*: /, '')));
      assert.ok(lines.length >= 1, stderr);
      assert.equal(new Set(lines).size, lines.length, 'a kind is told of more than once');
    }
    assert.doesNotMatch(stderr, /secret|0505|ca97|[0-9a-f]{12}/, 'data is told of');
  });
}

test('shadow: the planted faults do show without it', async () => {
  nodeOnly();
  const source = `const { createHash } = require('node:crypto'); console.log(JSON.stringify(createHash('sha256').update('a').digest('hex')));`;
  const { answer } = await answerOf(source, { args: planted(WRONG['a wrong digest'][0]), extension: 'cjs' });
  assert.notEqual(answer, 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb');
});

test('shadow: a share is a share, and none is none', async () => {
  nodeOnly();
  const source = `
    const { createHash } = require('node:crypto');
    for (let round = 0; round < 20_000; round++) createHash('sha256').update('a').digest();
    console.log(JSON.stringify(require('alacrypt').stats().createHash.shadow ?? null));`;
  const { answer } = await answerOf(source, shadowed('0.05'));
  assert.ok(answer.compared > 700 && answer.compared < 1300, `${answer.compared} of 20000 at 5 %`);
  assert.equal((await answerOf(source, shadowed('0'))).answer, null);
  assert.equal((await answerOf(source, shadowed(''))).answer, null);
});

test('shadow: what is no share is said, and the host serves', async () => {
  nodeOnly();
  const { answer, stderr } = await answerOf(
    `const { createHash } = require('node:crypto'); createHash('sha256').update('a').digest(); console.log(JSON.stringify(require('alacrypt').stats().createHash.served));`,
    shadowed('1%'),
  );
  assert.equal(answer, 0);
  assert.match(stderr, /^alacrypt: not active: ALACRYPT_SHADOW is no number from 0 to 1\n$/);
});

test('shadow: its file is read only where it is asked for', async () => {
  nodeOnly();
  const source = `require('node:crypto').createHash('sha256').update('a').digest(); console.log(JSON.stringify(Object.keys(require.cache).filter((name) => /shadow-\\w+\\.cjs$/.test(name)).length));`;
  assert.equal((await answerOf(source, { extension: 'cjs' })).answer, 0);
  assert.equal((await answerOf(source, shadowed('0.5'))).answer, 1);
});

/** What the app does to the process, and what it then asks; each answers the same with and without shadow. */
const AWKWARD = {
  'globals are replaced': `
    const { createHash, hash, createHmac, createCipheriv } = crypto;
    const kept = new Map();
    for (const name of ['ArrayBuffer', 'Uint8Array', 'Set', 'Map', 'String', 'Reflect', 'Math', 'process']) {
      kept.set(name, globalThis[name]);
      globalThis[name] = function replaced() { throw new Error('a replaced ' + name + ' was used'); };
    }
    const made = [hash('sha256', 'a'), createHash('sha256').update(data).digest('hex'), createHmac('sha256', 'k').update('a').digest('hex')];
    const cipher = createCipheriv('aes-256-ctr', key, data);
    made.push(cipher.update(data, undefined, 'hex') + cipher.final('hex'));
    try { createHash('sha256', { outputLength: 63 }); } catch (error) { made.push(error.code); }
    for (const [name, value] of kept) globalThis[name] = value;
    out.push(...made);`,
  'methods of built-ins are replaced': `
    const { createHash, hash } = crypto;
    const targets = [[ArrayBuffer, 'isView'], [Object, 'getPrototypeOf'], [Reflect, 'ownKeys'], [Uint8Array.prototype, 'every'], [RegExp.prototype, 'exec'], [Set.prototype, 'has'], [Set.prototype, 'add'], [Array.prototype, 'map'], [Array.prototype, Symbol.iterator], [Math, 'random']];
    const kept = targets.map(([target, name]) => target[name]);
    for (let at = 0; at < targets.length; at++) targets[at][0][targets[at][1]] = () => { throw new Error('a replaced method was used'); };
    let made = hash('sha256', 'a') + createHash('sha256').update(data).digest('hex');
    for (let at = 0; at < targets.length; at++) targets[at][0][targets[at][1]] = kept[at];
    out.push(made);`,
  'getters on Object.prototype count how often they are read': `
    for (const name of ['padding', 'outputLength', 'N', 'encoding']) {
      let reads = 0;
      Object.defineProperty(Object.prototype, name, { configurable: true, get() { reads++; return undefined; } });
      crypto.createHash('sha256', {}).update('a').digest('hex');
      crypto.sign('sha256', data, rsaPem);
      crypto.scryptSync('secret', 'salt', 32, {});
      delete Object.prototype[name];
      out.push(reads);
    }`,
  'a getter of length counts how often it is read': `
    let reads = 0;
    const prototype = Object.getPrototypeOf(Uint8Array.prototype);
    const { get } = Object.getOwnPropertyDescriptor(prototype, 'length');
    const wrap = crypto.createCipheriv('id-aes256-wrap', key, Buffer.alloc(8, 0xa6));
    Object.defineProperty(prototype, 'length', { configurable: true, get() { reads++; return get.call(this); } });
    const wrapped = wrap.update('0123456789abcdef', 'utf8');
    Object.defineProperty(prototype, 'length', { configurable: true, get });
    out.push(reads, wrapped.toString('hex'));`,
  'what is given has toString, which counts': `
    let calls = 0;
    const counting = { toString() { calls++; return 'hex'; } };
    const hash = crypto.createHash('sha256');
    try { hash.update('ab', counting); } catch (error) { out.push(error.code); }
    out.push(hash.digest(counting), calls);
    crypto.scryptSync('secret', 'salt', 32, { N: 16, [Symbol('x')]: counting });
    let reads = 0;
    const jwk = new Proxy(rsa.export({ format: 'jwk' }), { get(target, name) { reads++; return target[name]; } });
    crypto.sign('sha256', data, { key: jwk, format: 'jwk' });
    out.push(reads);`,
  'the receiver is another object': `
    const hash = crypto.createHash('sha256').update('a');
    const heir = Object.create(hash);
    const { copy } = crypto.Hash.prototype;
    out.push(copy.call(heir).digest('hex'), copy.call(new Proxy(hash, {})).digest('hex'), copy.call(Object.assign(Object.create(crypto.Hash.prototype), hash)).digest('hex'), hash.copy().update('b').digest('hex'));
    for (const odd of [undefined, null, 1, {}]) try { copy.call(odd); } catch (error) { out.push(error.name + error.code); }`,
  'methods are instrumented, and count': `
    let calls = 0;
    for (const [Class, names] of [[crypto.Cipheriv, ['update', 'final', 'setAAD', 'getAuthTag']], [crypto.Hash, ['update', 'digest']]]) {
      for (const name of names) {
        const method = Class.prototype[name];
        Class.prototype[name] = function (...args) { calls++; return method.apply(this, args); };
      }
    }
    const cipher = crypto.createCipheriv('aes-256-gcm', key, Buffer.alloc(12));
    cipher.setAAD(data);
    cipher.update(data); cipher.final(); cipher.getAuthTag();
    crypto.createHash('sha256').update(data).digest();
    out.push(calls);`,
  'a key only looks like one': `
    const forged = Object.create(rsa, {});
    const disguised = Object.setPrototypeOf(crypto.createSecretKey(key), Object.getPrototypeOf(rsa));
    for (const odd of [forged, disguised, { key: disguised }, {}, { key: {} }]) {
      try { out.push(crypto.sign('sha256', data, odd).length); } catch (error) { out.push(error.name + error.code); }
    }`,
  'keys are looked at afterwards': `
    const fresh = crypto.createPrivateKey(rsaPem);
    crypto.sign('sha256', data, fresh);
    out.push(require('node:util').inspect(fresh));`,
  'memory is shared with another thread': `
    const shared = new Uint8Array(new SharedArrayBuffer(32));
    out.push(crypto.createHash('sha256').update(shared).digest('hex'), crypto.hash('sha256', Buffer.from(shared)));`,
  'stack runs out': `
    let depth = 0;
    const dive = () => { try { dive(); } catch { if (depth++ < 200) try { crypto.createHash('sha256').update('a').digest('hex'); crypto.hash('sha256', 'a'); } catch {} } };
    dive();
    out.push(crypto.createHash('sha256').update('a').digest('hex'));`,
};

for (const [what, source] of Object.entries(AWKWARD)) {
  test(`shadow: changes nothing where ${what}`, async () => {
    nodeOnly();
    const whole = `
      const crypto = require('node:crypto');
      crypto.hash ??= (name, data) => crypto.createHash(name).update(data).digest('hex');
      const { getPrototypeOf } = Object;
      const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
      const rsaPem = rsa.export({ type: 'pkcs8', format: 'pem' });
      const data = Buffer.alloc(16, 5), key = Buffer.alloc(32, 1);
      const out = [];
      for (let round = 0; round < 4; round++) { ${source} }
      console.log(JSON.stringify(out));`;
    const stock = await answerOf(whole, { args: [], extension: 'cjs' });
    const { answer, stderr } = await answerOf(whole, shadowed('1'));
    assert.deepEqual(answer, stock.answer);
    assert.ok(answer.length >= 4);
    assert.equal(stderr, stock.stderr);
  });
}

test('shadow: a fixed sequence of Math.random stays the same', async () => {
  nodeOnly();
  const source = `const { createHash } = require('node:crypto');
    const out = [];
    for (let round = 0; round < 6; round++) { createHash('sha256').update('a').digest(); out.push(Math.random()); }
    console.log(JSON.stringify(out));`;
  const stock = await answerOf(source, { args: ['--random-seed=7'], extension: 'cjs' });
  const { answer } = await answerOf(source, shadowed('0.5', { args: ['--random-seed=7', '--import', 'alacrypt/register'] }));
  assert.deepEqual(answer, stock.answer);
});
