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
