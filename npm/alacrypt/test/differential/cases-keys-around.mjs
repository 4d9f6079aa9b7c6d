/**
 * What surrounds calls with keys: other threads, asynchronous contexts, TLS, the collector, names
 * and shapes; and every kind of key with every digest, ours against the host's.
 */

import asyncHooks from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import util from 'node:util';
import { Worker } from 'node:worker_threads';

import { describe } from './cases-shape.mjs';

const load = async () => import('./keys/pool.mjs');

const FUNCTIONS = [
  'sign', 'verify', 'createSign', 'createVerify', 'createPublicKey', 'createPrivateKey', 'createSecretKey', 'diffieHellman', 'createECDH', 'createDiffieHellman', 'createDiffieHellmanGroup', 'getDiffieHellman',
  'publicEncrypt', 'privateDecrypt', 'privateEncrypt', 'publicDecrypt', 'encapsulate', 'decapsulate', 'generateKeyPair', 'generateKeyPairSync', 'generateKey', 'generateKeySync', 'generatePrime',
  'generatePrimeSync', 'checkPrime', 'checkPrimeSync',
];
const CLASSES = ['Sign', 'Verify', 'KeyObject', 'ECDH', 'DiffieHellman', 'DiffieHellmanGroup', 'X509Certificate'];

const SIGNING = ['rsa2048', 'rsa1024', 'rsa2048e3', 'pss2048', 'pss2048sha256', 'p256', 'p384', 'p521', 'secp256k1', 'p224', 'brainpool256', 'ed25519', 'ed448', 'dsa2048', 'mldsa44', 'mldsa65', 'mldsa87'];
const DIGESTS = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3-256', 'RSA-SHA512', undefined, null];
const OPTIONS = { none: {}, 'PSS, salt as the digest': { padding: 6, saltLength: -1 }, 'PSS, the longest salt': { padding: 6, saltLength: -2 }, 'PSS, no salt': { padding: 6, saltLength: 0 }, plain: { dsaEncoding: 'ieee-p1363' } };

/** Both ways round, once and again; `true` where it holds, and the error's code where it throws. */
function roundTrips(crypto, oracle, key, digest, options) {
  const data = Buffer.from('what is signed');
  const own = { key: key.object('private'), ...options };
  const theirs = { key: key.object('public'), ...options };
  const code = (call) => {
    try {
      return String(call());
    } catch (error) {
      return error.code ?? error.message;
    }
  };
  const results = [];
  for (let use = 0; use < 2; use++) {
    results.push(code(() => oracle.verify(digest, data, theirs, crypto.sign(digest, data, own))));
    results.push(code(() => crypto.verify(digest, data, theirs, oracle.sign(digest, data, own))));
    results.push(code(() => crypto.verify(digest, Buffer.from('another'), theirs, oracle.sign(digest, data, own))));
  }
  return results.join();
}

export const cases = {
  'every kind of key with every digest, both ways': {
    async body({ crypto, line }) {
      const { oracle, pool } = await load();
      for (const name of SIGNING.filter((one) => pool.has(one))) {
        const key = pool.get(name);
        for (const digest of DIGESTS) {
          for (const [label, options] of Object.entries(OPTIONS)) {
            const suits = label === 'none' || (label === 'plain' ? key.family === 'ec' || key.family === 'dsa' : key.family === 'rsa' || key.family === 'pss');
            if (suits) line(`${name} ${digest} ${label}`, roundTrips(crypto, oracle, key, digest, options));
          }
        }
      }
    },
    only: 'node',
    oracle: true,
    right: {
      'p256 sha256 plain': 'true,true,false,true,true,false',
      'rsa2048 sha512 PSS, no salt': 'true,true,false,true,true,false',
      'ed25519 null none': 'true,true,false,true,true,false',
    },
  },
  'names, lengths and descriptors around keys': {
    body({ crypto, line }) {
      for (const name of [...FUNCTIONS, ...CLASSES]) line(name, describe(crypto, name));
      const key = crypto.generateKeyPairSync('ed25519');
      const prototypes = Object.fromEntries(CLASSES.map((name) => [name, crypto[name].prototype]));
      for (const [label, object] of [['public', key.publicKey], ['private', key.privateKey], ['secret', crypto.createSecretKey(Buffer.from('a'))]]) prototypes[`${label} key`] = Object.getPrototypeOf(object);
      for (const [label, target] of Object.entries(prototypes)) {
        line(label, Reflect.ownKeys(target).map(String).join());
        for (const property of Reflect.ownKeys(target)) line(`${label}.${String(property)}`, describe(target, property));
      }
      line('static', ['ECDH', 'KeyObject', 'X509Certificate'].map((name) => Reflect.ownKeys(crypto[name]).map(String).join()).join(' '));
      line('shared methods', [crypto.Sign.prototype.update === crypto.Verify.prototype.update, crypto.DiffieHellman.prototype.computeSecret === crypto.ECDH.prototype.computeSecret].join());
      line('promisified', [crypto.generateKeyPair, crypto.sign].map((one) => Reflect.ownKeys(one).map(String).join()).join(' '));
      line('globals', Reflect.ownKeys(globalThis).map(String).sort().join());
    },
    only: 'node',
    fresh: true,
  },
  'callbacks keep their context': {
    async body({ crypto, line, turn }) {
      const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519');
      const x = crypto.generateKeyPairSync('x25519');
      const data = Buffer.from('data');
      const signature = crypto.sign(null, data, privateKey);
      const starts = {
        sign: (done) => crypto.sign(null, data, privateKey, done),
        verify: (done) => crypto.verify(null, data, publicKey, signature, done),
        generateKeyPair: (done) => crypto.generateKeyPair('ed25519', undefined, done),
        generateKey: (done) => crypto.generateKey('hmac', { length: 64 }, done),
        checkPrime: (done) => crypto.checkPrime(7n, done),
        ...(crypto.diffieHellman.length > 1 ? { diffieHellman: (done) => crypto.diffieHellman({ ...x }, done) } : {}),
        ...(crypto.encapsulate === undefined ? {} : { encapsulate: (done) => crypto.encapsulate(x.publicKey, done) }),
      };
      const storage = new asyncHooks.AsyncLocalStorage();
      for (const [name, start] of Object.entries(starts)) {
        const seen = [];
        // What the callback throws is nobody's but the process's.
        process.once('uncaughtException', (error) => seen.push(`uncaught ${error.message}`));
        await storage.run(`store of ${name}`, () => new Promise((resolve) => {
          let later = false;
          start((error, ...answers) => {
            seen.push(`${storage.getStore()} ${later} ${String(error)} ${answers.length}`);
            setImmediate(resolve);
            throw new Error('from the callback');
          });
          later = true;
        }));
        await turn();
        process.removeAllListeners('uncaughtException');
        line(name, seen.join('; '));
      }
      // Several at once end in the order in which they began, or not; each has its own answer.
      const many = await Promise.all(Array.from({ length: 40 }, (_, at) => util.promisify(crypto.sign)(null, Buffer.from(`data ${at}`), privateKey)));
      line('many', String(many.every((one, at) => crypto.verify(null, Buffer.from(`data ${at}`), publicKey, one))));
    },
    only: 'node',
    fresh: true,
  },
  'what a callback form read before it returned': {
    async body({ crypto, line }) {
      const { pool } = await load();
      for (const name of ['ed25519', 'p256', 'rsa1024']) {
        const key = pool.get(name);
        const digest = name === 'ed25519' ? null : 'sha256';
        const data = Buffer.from('what was there');
        const shared = new Uint8Array(new SharedArrayBuffer(data.length));
        shared.set(data);
        const pem = Buffer.from(key.pem('private', 'pkcs8'));
        for (const given of [Buffer.from(data), shared]) {
          const answer = await new Promise((resolve, reject) => {
            crypto.sign(digest, given, pem, (error, signature) => (error ? reject(error) : resolve(signature)));
            given.fill(0);
            pem.fill(0);
          });
          line(`${name} ${given === shared ? 'shared' : 'own'}`, String(crypto.verify(digest, data, key.object('public'), answer)));
          pem.set(Buffer.from(key.pem('private', 'pkcs8')));
          const signature = crypto.sign(digest, data, key.object('private'));
          given.set(data);
          line(`${name} verified`, String(await new Promise((resolve) => {
            crypto.verify(digest, given, key.object('public'), signature, (_error, right) => resolve(right));
            given.fill(1);
            signature.fill(1);
          })));
        }
      }
    },
    only: 'node',
    oracle: true,
  },
  'keys go to other threads and come back': {
    async body({ crypto, line }) {
      const source = `
        const { parentPort } = require('node:worker_threads');
        const crypto = require('node:crypto');
        parentPort.on('message', ({ keys, text, digest }) => {
          const data = Buffer.from('from a worker');
          const results = [];
          for (let use = 0; use < 4; use++) {
            const signature = crypto.sign(digest, data, keys.privateKey);
            results.push(crypto.verify(digest, data, keys.publicKey, signature), crypto.verify(digest, data, text, signature), signature.length > 0);
          }
          parentPort.postMessage({ results, keys, made: crypto.createPrivateKey(text), signature: crypto.sign(digest, data, text) });
        });
      `;
      const folder = mkdtempSync(path.join(tmpdir(), 'alacrypt-case-'));
      const file = path.join(folder, 'worker.cjs');
      writeFileSync(file, source);
      const worker = new Worker(file);
      for (const [type, options, digest] of [['ed25519', undefined, null], ['ec', { namedCurve: 'P-256' }, 'sha256'], ['rsa', { modulusLength: 1024 }, 'sha256'], ['ec', { namedCurve: 'secp256k1' }, 'sha256']]) {
        const keys = crypto.generateKeyPairSync(type, options);
        const text = keys.privateKey.export({ format: 'pem', type: 'pkcs8' });
        // Used here before it is sent: what is kept beside it stays here.
        for (let use = 0; use < 3; use++) crypto.sign(digest, Buffer.from('x'), keys.privateKey);
        const answer = await new Promise((resolve, reject) => {
          worker.once('message', resolve);
          worker.once('error', reject);
          worker.postMessage({ keys, text, digest });
        });
        const data = Buffer.from('from a worker');
        line(type, answer.results.join());
        line(`${type} back`, [answer.keys.privateKey.equals(keys.privateKey), answer.made.equals(keys.privateKey), answer.keys.publicKey instanceof crypto.KeyObject, crypto.verify(digest, data, keys.publicKey, answer.signature), crypto.verify(digest, data, answer.keys.publicKey, crypto.sign(digest, data, answer.keys.privateKey)), Reflect.ownKeys(answer.made).map(String).join()].join());
      }
      await worker.terminate();
      rmSync(folder, { recursive: true });
    },
    only: 'node',
    fresh: true,
  },
  'keys are the host\'s own wherever they are handed to': {
    async body({ crypto, line, attempt }) {
      const { certificates, pool } = await load();
      for (const [name, key] of [['rsaLeaf', 'rsa2048'], ['ecLeaf', 'p256'], ['edLeaf', 'ed25519']]) {
        const made = crypto.createPrivateKey(pool.get(key).pem('private', 'pkcs8'));
        for (let use = 0; use < 3; use++) crypto.sign(key === 'ed25519' ? null : 'sha256', Buffer.from('x'), made);
        attempt(`secure context ${name}`, () => typeof tls.createSecureContext({ key: made.export({ format: 'pem', type: 'pkcs8' }), cert: certificates[name].pem }).context);
        attempt(`belongs ${name}`, () => new crypto.X509Certificate(certificates[name].pem).checkPrivateKey(made));
        line(`kind ${name}`, [util.types.isKeyObject(made), made instanceof crypto.KeyObject, util.inspect(made), Object.prototype.toString.call(made)].join());
      }
      attempt('as a cipher key', () => crypto.createCipheriv('aes-128-ecb', crypto.createSecretKey(Buffer.alloc(16)), null).update(Buffer.alloc(16)).toString('hex'));
      const extracted = crypto.KeyObject.from(await crypto.subtle.importKey('pkcs8', pool.get('p256').der('private', 'pkcs8'), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']));
      line('from a CryptoKey', String(extracted.equals(pool.get('p256').object('private'))));
      line('signs', String(crypto.verify('sha256', Buffer.from('x'), pool.get('p256').object('public'), crypto.sign('sha256', Buffer.from('x'), extracted))));
    },
    only: 'node',
    oracle: true,
  },
  'keys that are dropped while calls are under way': {
    async body({ crypto, line, turn }) {
      const data = Buffer.from('data');
      let right = 0;
      const pending = [];
      for (let round = 0; round < 20; round++) {
        for (let at = 0; at < 25; at++) {
          const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519');
          for (let use = 0; use < 3; use++) if (crypto.verify(null, data, publicKey, crypto.sign(null, data, privateKey))) right++;
          pending.push(util.promisify(crypto.sign)(null, data, privateKey).then((signature) => crypto.verify(null, data, publicKey, signature)));
        }
        globalThis.gc?.();
        await turn();
      }
      line('at once', String(right));
      line('later', String((await Promise.all(pending)).filter(Boolean).length));
    },
    only: 'node',
    fresh: true,
    right: { 'at once': '1500', later: '500' },
  },
  'a CryptoKey as key': {
    async body({ crypto, line, attempt }) {
      const { pool } = await load();
      const data = Buffer.from('signed with a CryptoKey');
      const kinds = { p256: [{ name: 'ECDSA', namedCurve: 'P-256' }, 'sha256'], p384: [{ name: 'ECDSA', namedCurve: 'P-384' }, 'sha384'], rsa2048: [{ name: 'RSA-PSS', hash: 'SHA-256' }, 'sha256'] };
      for (const [name, [algorithm, digest]] of Object.entries(kinds)) {
        for (const extractable of [true, false]) {
          const privateKey = await crypto.subtle.importKey('pkcs8', pool.get(name).der('private', 'pkcs8'), algorithm, extractable, ['sign']);
          const publicKey = await crypto.subtle.importKey('spki', pool.get(name).der('public', 'spki'), algorithm, extractable, ['verify']);
          const secret = await crypto.subtle.importKey('raw', Buffer.alloc(32, 1), { name: 'HMAC', hash: 'SHA-256' }, extractable, ['sign']);
          for (let use = 0; use < 4; use++) {
            const label = `${name} ${extractable} ${use}`;
            const object = pool.get(name).object('public');
            attempt(`${label} sign`, () => crypto.verify(digest, data, object, crypto.sign(digest, data, privateKey)));
            attempt(`${label} createSign`, () => crypto.createVerify(digest).update(data).verify(publicKey, crypto.createSign(digest).update(data).sign({ key: privateKey })));
            attempt(`${label} verify`, () => crypto.verify(digest, data, { key: publicKey }, crypto.sign(digest, data, privateKey)));
            attempt(`${label} verify by the private half`, () => crypto.verify(digest, data, privateKey, crypto.sign(digest, data, privateKey)));
            attempt(`${label} sign with the public half`, () => crypto.sign(digest, data, publicKey).length);
            attempt(`${label} sign with a secret`, () => crypto.sign(digest, data, secret).length);
            attempt(`${label} verify with a secret`, () => crypto.verify(digest, data, secret, data));
            attempt(`${label} agree`, () => crypto.diffieHellman({ privateKey, publicKey }).length);
            attempt(`${label} createPublicKey`, () => crypto.createPublicKey(privateKey).equals(object));
            attempt(`${label} createPrivateKey`, () => crypto.createPrivateKey(privateKey));
            attempt(`${label} an heir`, () => crypto.sign(digest, data, Object.create(privateKey)).length > 0);
            attempt(`${label} from`, () => crypto.KeyObject.from(publicKey).equals(object));
          }
          line(`${name} ${extractable}`, [privateKey, publicKey].map((key) => Reflect.ownKeys(key).map(String).join()).join(' '));
          const marked = Object.assign(publicKey, { dsaEncoding: 'ieee-p1363', padding: 6 });
          attempt(`${name} ${extractable} with options on it`, () => crypto.verify(digest, data, marked, crypto.sign(digest, data, { key: pool.get(name).object('private'), dsaEncoding: 'ieee-p1363', padding: 6 })));
          const symbol = Reflect.ownKeys(privateKey).find((one) => String(one) === 'Symbol(kKeyObject)');
          if (symbol === undefined) continue;
          for (const value of [secret[symbol], publicKey[symbol], {}, undefined]) {
            const other = Object.create(Object.getPrototypeOf(privateKey), { [symbol]: { value } });
            attempt(`${name} ${extractable} with another inside`, () => crypto.sign(digest, data, other).length);
          }
        }
      }
    },
    only: 'node',
    fresh: true,
    oracle: true,
  },
  'warnings around keys': {
    async body({ crypto, line, attempt, turn }) {
      const { pool } = await load();
      const cryptoKey = await crypto.subtle.importKey('spki', pool.get('p256').der('public', 'spki'), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']);
      for (let use = 0; use < 3; use++) {
        attempt(`CryptoKey ${use}`, () => crypto.verify('sha256', Buffer.from('x'), cryptoKey, Buffer.alloc(70)));
        await turn();
      }
      attempt('ecdh.setPublicKey', () => crypto.createECDH('prime256v1').setPublicKey(Buffer.alloc(65, 4)));
      await turn();
      attempt('KeyObject from nothing', () => new crypto.KeyObject('secret', {}));
      line('done', 'yes');
    },
    only: 'node',
    fresh: true,
    oracle: true,
  },
};
