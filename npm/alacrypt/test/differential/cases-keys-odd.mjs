/**
 * Keys, signatures and key agreement: what a program can do to keys, options and built-ins between
 * two calls. A key is kept from its second use on, so each call is made four times.
 */

import { readFileSync } from 'node:fs';
import util from 'node:util';

const { keys } = JSON.parse(readFileSync(new URL('../../../../vectors/key/pool.json', import.meta.url), 'utf8'));

const USES = 4;
const DATA = Buffer.from('some data');

const NOT_THE_HOSTS =
  'what was collected cannot become an object of the host while FIPS is on: both refuse to sign, with another error';

const privatePem = (name) => keys[name].private;

/**
 * An encrypted key that each wrong passphrase turns into what is seen to be none: one time in 256
 * the padding comes out right, and the host says something else.
 */
function encryptedText(crypto, privateKey, passphrase, wrong) {
  for (let round = 0; round < 50; round++) {
    const text = privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase });
    const isSeen = (one) => {
      try {
        return crypto.createPrivateKey({ key: text, passphrase: one }) === undefined;
      } catch (error) {
        return /bad decrypt/.test(error.message);
      }
    };
    if (wrong.every(isSeen)) return text;
  }
  throw new Error('no such key in 50 rounds');
}

/** Both sides of a key, in the forms that are kept. */
function formsOf(crypto, name) {
  const privateKey = crypto.createPrivateKey(privatePem(name));
  const publicKey = crypto.createPublicKey(privateKey);
  return {
    privateKey,
    publicKey,
    privateText: privatePem(name),
    publicText: publicKey.export({ format: 'pem', type: 'spki' }),
    privateDer: privateKey.export({ format: 'der', type: 'pkcs8' }),
    publicDer: publicKey.export({ format: 'der', type: 'spki' }),
  };
}

const detached = (bytes) => {
  const memory = new ArrayBuffer(bytes.length);
  const view = new Uint8Array(memory);
  view.set(bytes);
  structuredClone(memory, { transfer: [memory] });
  return view;
};

const { defineProperty } = Object;

/** `body` with a property on an object for so long. */
function having(target, name, descriptor, body) {
  const before = Object.getOwnPropertyDescriptor(target, name);
  defineProperty(target, name, { __proto__: null, configurable: true, ...descriptor });
  try {
    return body();
  } finally {
    if (before === undefined) delete target[name];
    else defineProperty(target, name, { __proto__: null, ...before });
  }
}

const together = {
  'detached keys and signatures': {
    body({ crypto, attempt }) {
      const { publicKey, privateKey, publicText, privateText } = formsOf(crypto, 'rsa2048');
      const signature = crypto.sign('sha256', DATA, privateKey);
      for (let use = 0; use < USES; use++) {
        attempt(`verify ${use}`, () => crypto.verify('sha256', DATA, publicKey, detached(signature)));
        attempt(`verify data ${use}`, () => crypto.verify('sha256', detached(DATA), publicKey, signature));
        attempt(`Verify ${use}`, () => crypto.createVerify('sha256').update(DATA).verify(publicKey, detached(signature)));
        attempt(`sign data ${use}`, () => crypto.sign('sha256', detached(DATA), privateKey));
        attempt(`sign key ${use}`, () => crypto.sign('sha256', DATA, detached(Buffer.from(privateText))));
        attempt(`verify key ${use}`, () => crypto.verify('sha256', DATA, detached(Buffer.from(publicText)), signature));
        attempt(`createPublicKey ${use}`, () => crypto.createPublicKey(detached(Buffer.from(publicText))));
        attempt(`createPrivateKey ${use}`, () => crypto.createPrivateKey({ key: detached(Buffer.from(privateText)), format: 'der', type: 'pkcs8' }));
      }
    },
    only: 'node',
  },
  'options of keys that are inherited': {
    body({ crypto, attempt, line }) {
      const forms = formsOf(crypto, 'rsa2048');
      const signature = crypto.sign('sha256', DATA, forms.privateKey);
      const calls = {
        'sign text': () => crypto.sign('sha256', DATA, forms.privateText),
        'sign object': () => crypto.sign('sha256', DATA, forms.privateKey),
        'sign options': () => crypto.sign('sha256', DATA, { key: forms.privateText }),
        'sign options, object': () => crypto.sign('sha256', DATA, { key: forms.privateKey }),
        'sign der': () => crypto.sign('sha256', DATA, { key: forms.privateDer, format: 'der', type: 'pkcs8' }),
        'Sign text': () => crypto.createSign('sha256').update(DATA).sign(forms.privateText),
        'verify text': () => crypto.verify('sha256', DATA, forms.publicText, signature),
        'verify options': () => crypto.verify('sha256', DATA, { key: forms.publicText }, signature),
        'verify der': () => crypto.verify('sha256', DATA, { key: forms.publicDer, format: 'der', type: 'spki' }, signature),
        'Verify text': () => crypto.createVerify('sha256').update(DATA).verify(forms.publicText, signature),
        'createPublicKey': () => crypto.createPublicKey(forms.publicText).asymmetricKeyType,
        'createPublicKey options': () => crypto.createPublicKey({ key: forms.publicText }).asymmetricKeyType,
        'createPublicKey der': () => crypto.createPublicKey({ key: forms.publicDer, format: 'der', type: 'spki' }).asymmetricKeyType,
        'createPrivateKey': () => crypto.createPrivateKey(forms.privateText).asymmetricKeyType,
        'createPrivateKey options': () => crypto.createPrivateKey({ key: forms.privateText }).asymmetricKeyType,
        'no key': () => crypto.createPublicKey('no key'),
        'no private key': () => crypto.createPrivateKey('no key'),
      };
      for (let use = 0; use < USES; use++) {
        for (const [label, call] of Object.entries(calls)) {
          if (!label.startsWith('no ')) call();
          else attempt(`${label} ${use}`, call);
        }
      }
      for (const [name, value] of [['padding', 'none'], ['padding', 6], ['saltLength', 3], ['dsaEncoding', 'ieee-p1363'], ['dsaEncoding', 'none'], ['context', 5], ['format', 'der'], ['format', 'none'], ['format', 'jwk'], ['type', 'pkcs1'], ['type', 'none'], ['passphrase', 5], ['passphrase', 'p'], ['encoding', 'hex'], ['cipher', 'aes-128-cbc'], ['namedCurve', 5], ['properties', 5], ['key', 'other'], ['asymmetricKeyType', 'ec']]) {
        for (const [label, call] of Object.entries(calls)) {
          // With these the host ends the process.
          const isOption = ['padding', 'saltLength', 'dsaEncoding', 'context'].includes(name);
          if (!isOption && !/options|der/.test(label)) continue;
          let seen;
          attempt(`${name} ${value} ${label}`, () => having(Object.prototype, name, { value, writable: true }, () => {
            try {
              const result = call();
              seen = [Buffer.isBuffer(result) ? result.length : result];
            } catch (error) {
              seen = [error.name, error.code, error.message];
            }
          }));
          line('gave', JSON.stringify(seen));
        }
      }
    },
    only: 'node',
  },
  'members of a JWK that are inherited for a while': {
    body({ crypto, attempt }) {
      for (const [name, digest] of [['p256', 'sha256'], ['rsa2048', 'sha256'], ['ed25519', null]]) {
        const { privateKey, publicKey } = formsOf(crypto, name);
        const signature = crypto.sign(digest, DATA, privateKey);
        const jwk = publicKey.export({ format: 'jwk' });
        const { d, ...withoutSecret } = privateKey.export({ format: 'jwk' });
        const calls = {
          verify: () => crypto.verify(digest, DATA, { key: jwk, format: 'jwk' }, signature),
          // A signature by ECDSA has no fixed length in DER.
          sign: () => crypto.sign(digest, DATA, { key: withoutSecret, format: 'jwk' }).length > 60,
          createPublicKey: () => crypto.createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyType,
          createPrivateKey: () => crypto.createPrivateKey({ key: withoutSecret, format: 'jwk' }).asymmetricKeyType,
        };
        for (const [label, call] of Object.entries(calls)) {
          for (let use = 0; use < USES; use++) attempt(`${name} ${label} ${use}`, call);
          for (const [member, value] of [['d', d], ['kty', 'EC'], ['x', 'AAAA'], ['n', 'AAAA'], ['alg', 'none'], ['format', 'jwk']]) {
            attempt(`${name} ${label} with ${member}`, () => having(Object.prototype, member, { value, writable: true, enumerable: true }, call));
          }
          attempt(`${name} ${label} after all`, call);
        }
      }
    },
    only: 'node',
  },
  'a JWK that is not quite plain': {
    body({ crypto, attempt, line }) {
      const { privateKey, publicKey } = formsOf(crypto, 'p256');
      const signature = crypto.sign('sha256', DATA, privateKey);
      const jwk = () => publicKey.export({ format: 'jwk' });
      let asked = '';
      const made = {
        'key_ops and ext': { ...jwk(), key_ops: ['verify'], ext: true, x5c: ['text'] },
        'a number': { ...jwk(), iat: 5 },
        'undefined member': { ...jwk(), d: undefined },
        'null member': { ...jwk(), y: null },
        'a symbol': { ...jwk(), [Symbol('x')]: 'x' },
        hidden: Object.defineProperties({}, Object.getOwnPropertyDescriptors(Object.fromEntries(Object.entries(jwk()).map(([name, value]) => [name, value])))),
        'not enumerable': Object.defineProperties({}, Object.fromEntries(Object.entries(jwk()).map(([name, value]) => [name, { value }]))),
        'below another': Object.create(jwk()),
        'a class': Object.assign(new (class Jwk {})(), jwk()),
        'a proxy': new Proxy(jwk(), { get(target, name) { asked += `${String(name)} `; return target[name]; } }),
        'a getter': Object.defineProperty(jwk(), 'x', { get() { asked += 'getter '; return jwk().x; } }),
        'String objects': { ...jwk(), x: Object(jwk().x) },
        'a KeyObject': publicKey,
        array: Object.assign([], jwk()),
      };
      for (const [label, key] of Object.entries(made)) {
        for (let use = 0; use < USES; use++) {
          attempt(`verify ${label} ${use}`, () => crypto.verify('sha256', DATA, { key, format: 'jwk' }, signature));
          attempt(`create ${label} ${use}`, () => crypto.createPublicKey({ key, format: 'jwk' }).asymmetricKeyType);
        }
      }
      line('asked', asked);
    },
    only: 'node',
  },
  'keys that only look the same': {
    body({ crypto, attempt }) {
      const { privateKey, publicKey } = formsOf(crypto, 'ed25519');
      const signature = crypto.sign(null, DATA, privateKey);
      const jwk = publicKey.export({ format: 'jwk' });
      // The host reads the low byte of a unit that is no ASCII; in UTF-8 all lone surrogates are one.
      const hidden = (letter) => ({ ...jwk, x: `${jwk.x.slice(0, 6)}${String.fromCharCode(0xdc00 + letter.charCodeAt(0))}${jwk.x.slice(7)}` });
      const other = jwk.x[6] === 'A' ? 'B' : 'A';
      for (const [label, key] of [['right', jwk], ['hidden', hidden(jwk.x[6])], ['hidden other', hidden(other)], ['right again', jwk]]) {
        for (let use = 0; use < USES; use++) {
          attempt(`JWK ${label} ${use}`, () => crypto.verify(null, DATA, { key, format: 'jwk' }, signature));
          attempt(`JWK create ${label} ${use}`, () => crypto.createPublicKey({ key, format: 'jwk' }).equals(publicKey));
        }
      }
      // Raw keys are bytes, and text is none of them, whatever it says.
      const raw = { format: 'raw-private', asymmetricKeyType: 'ed25519' };
      for (const [label, key] of [['bytes', Buffer.alloc(32, 'a')], ['text', 'a'.repeat(32)], ['bytes again', Buffer.alloc(32, 'a')]]) {
        for (let use = 0; use < USES; use++) {
          attempt(`raw ${label} ${use}`, () => crypto.createPrivateKey({ ...raw, key }).asymmetricKeyType);
          attempt(`raw sign ${label} ${use}`, () => crypto.sign(null, DATA, { ...raw, key }));
        }
      }
      const point = Buffer.from(crypto.createECDH('prime256v1').generateKeys());
      for (const [label, how] of [['apart', { asymmetricKeyType: 'ec', namedCurve: 'P-256' }], ['joined', { asymmetricKeyType: 'ec P-256' }], ['moved', { asymmetricKeyType: 'ec P', namedCurve: '-256' }], ['long', { asymmetricKeyType: 'e'.repeat(70) }]]) {
        for (let use = 0; use < USES; use++) attempt(`names ${label} ${use}`, () => crypto.createPublicKey({ key: point, format: 'raw-public', ...how }).asymmetricKeyType);
      }
    },
    only: 'node',
  },
  'keys that say that they are others': {
    body({ crypto, attempt }) {
      const [one, other] = [formsOf(crypto, 'x25519'), formsOf(crypto, 'p256')];
      const agree = (use) => attempt(`agree ${use}`, () => crypto.diffieHellman({ privateKey: one.privateKey, publicKey: one.publicKey }).length);
      for (let use = 0; use < USES; use++) agree(use);
      Object.defineProperty(one.publicKey, 'asymmetricKeyType', { value: 'ec', configurable: true });
      agree('with another type of its own');
      Object.defineProperty(one.privateKey, 'asymmetricKeyType', { value: 'ec', configurable: true });
      agree('with another type of both');
      Object.defineProperty(one.privateKey, 'asymmetricKeyType', { value: 'none', configurable: true });
      Object.defineProperty(one.publicKey, 'asymmetricKeyType', { value: 'none', configurable: true });
      agree('with no type');
      attempt('with a curve', () => crypto.diffieHellman({ privateKey: other.privateKey, publicKey: other.publicKey }).length);
    },
    only: 'node',
  },
  'a passphrase in a Buffer that changes': {
    body({ crypto, attempt }) {
      const { privateKey } = formsOf(crypto, 'ed25519');
      const key = encryptedText(crypto, privateKey, 'secret', ['Secret']);
      const passphrase = Buffer.from('secret');
      const calls = {
        sign: () => crypto.sign(null, DATA, { key, passphrase }),
        create: () => crypto.createPrivateKey({ key, passphrase }).asymmetricKeyType,
        text: () => crypto.sign(null, DATA, { key, passphrase: 'secret' }),
        none: () => crypto.sign(null, DATA, { key }),
        encoded: () => crypto.sign(null, DATA, { key, passphrase: '736563726574', encoding: 'hex' }),
        null: () => crypto.sign(null, DATA, { key, passphrase: null }),
        array: () => crypto.sign(null, DATA, { key, passphrase: passphrase.buffer.slice(passphrase.byteOffset, passphrase.byteOffset + 6) }),
      };
      for (const content of ['secret', 'Secret', 'secret']) {
        passphrase.write(content);
        for (let use = 0; use < USES; use++) for (const [label, call] of Object.entries(calls)) attempt(`${content} ${label} ${use}`, call);
      }
    },
    only: 'node',
  },
  'a passphrase that is inherited for a while': {
    body({ crypto, attempt }) {
      const { privateKey } = formsOf(crypto, 'ed25519');
      const text = privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'secret' });
      const call = () => crypto.sign(null, DATA, { key: text });
      const create = () => crypto.createPrivateKey({ key: text }).asymmetricKeyType;
      attempt('without', call);
      attempt('create without', create);
      for (let use = 0; use < USES; use++) {
        attempt(`with ${use}`, () => having(Object.prototype, 'passphrase', { value: 'secret' }, call));
        attempt(`create with ${use}`, () => having(Object.prototype, 'passphrase', { value: 'secret' }, create));
      }
      attempt('without again', call);
      attempt('create without again', create);
    },
    only: 'node',
  },
  'key objects that are changed': {
    body({ crypto, attempt }) {
      const change = {
        'prototype Object': (key) => Object.setPrototypeOf(key, Object.prototype),
        'prototype null': (key) => Object.setPrototypeOf(key, null),
        'prototype Date': (key) => Object.setPrototypeOf(key, Date.prototype),
        'prototype KeyObject': (key) => Object.setPrototypeOf(key, crypto.KeyObject.prototype),
        'prototype secret': (key) => Object.setPrototypeOf(key, Object.getPrototypeOf(crypto.createSecretKey(DATA))),
        'prototype of the other side': (key, other) => Object.setPrototypeOf(key, Object.getPrototypeOf(other)),
        'prototype below': (key) => Object.setPrototypeOf(key, Object.create(Object.getPrototypeOf(key))),
        'key of its own': (key, other) => Object.assign(key, { key: other }),
        'prototype Object, key of its own': (key, other, text) => Object.assign(Object.setPrototypeOf(key, Object.prototype), { key: text }),
        'prototype null, key of its own': (key, other, text) => Object.assign(Object.setPrototypeOf(key, null), { key: text }),
        padding: (key) => Object.assign(key, { padding: 6 }),
        'padding undefined': (key) => Object.assign(key, { padding: undefined }),
        frozen: (key) => Object.freeze(key),
        toStringTag: (key) => Object.defineProperty(key, Symbol.toStringTag, { value: 'Uint8Array' }),
      };
      const other = formsOf(crypto, 'rsa3072');
      const ours = formsOf(crypto, 'rsa2048');
      const signature = crypto.sign('sha256', DATA, ours.privateKey);
      for (const [label, make] of Object.entries(change)) {
        for (const before of [0, 3]) {
          const privateKey = crypto.createPrivateKey(ours.privateText);
          const publicKey = crypto.createPublicKey(ours.publicText);
          for (let use = 0; use < before; use++) {
            crypto.sign('sha256', DATA, privateKey);
            crypto.verify('sha256', DATA, publicKey, signature);
          }
          make(privateKey, publicKey, other.privateText);
          make(publicKey, privateKey, other.publicText);
          for (let use = 0; use < USES; use++) {
            const at = `${label}, ${before} uses before, ${use}`;
            attempt(`sign ${at}`, () => crypto.sign('sha256', DATA, privateKey).length);
            attempt(`sign options ${at}`, () => crypto.sign('sha256', DATA, { key: privateKey }).length);
            attempt(`Sign ${at}`, () => crypto.createSign('sha256').update(DATA).sign(privateKey).length);
            attempt(`verify ${at}`, () => crypto.verify('sha256', DATA, publicKey, signature));
            attempt(`verify options ${at}`, () => crypto.verify('sha256', DATA, { key: publicKey }, signature));
            attempt(`verify with private ${at}`, () => crypto.verify('sha256', DATA, privateKey, signature));
            attempt(`Verify ${at}`, () => crypto.createVerify('sha256').update(DATA).verify(publicKey, signature));
            attempt(`create ${at}`, () => crypto.createPublicKey(privateKey).type);
            attempt(`create from public ${at}`, () => crypto.createPublicKey(publicKey).type);
            attempt(`create private ${at}`, () => crypto.createPrivateKey(privateKey).type);
          }
        }
      }
    },
    only: 'node',
  },
  'bytes that pass for options': {
    body({ crypto, attempt }) {
      const { privateText, publicText, privateKey } = formsOf(crypto, 'rsa2048');
      const other = formsOf(crypto, 'rsa3072');
      const signature = crypto.sign('sha256', DATA, privateKey);
      const memory = (text) => new Uint8Array(Buffer.from(text)).buffer;
      const make = {
        ArrayBuffer: (text) => memory(text),
        SharedArrayBuffer: (text) => {
          const shared = new SharedArrayBuffer(text.length);
          new Uint8Array(shared).set(Buffer.from(text));
          return shared;
        },
        Int8Array: (text) => new Int8Array(memory(text)),
        DataView: (text) => new DataView(memory(text)),
        Uint8Array: (text) => new Uint8Array(memory(text)),
      };
      for (const [label, view] of Object.entries(make)) {
        for (const prototype of [Object.prototype, null]) {
          const disguised = (text, otherText) => Object.assign(Object.setPrototypeOf(view(text), prototype), { key: otherText });
          for (let use = 0; use < USES; use++) {
            const at = `${label} ${prototype === null ? 'null' : 'Object'} ${use}`;
            attempt(`sign ${at}`, () => crypto.sign('sha256', DATA, disguised(privateText, other.privateText)).length);
            attempt(`Sign ${at}`, () => crypto.createSign('sha256').update(DATA).sign(disguised(privateText, other.privateText)).length);
            attempt(`verify ${at}`, () => crypto.verify('sha256', DATA, disguised(publicText, other.publicText), signature));
            attempt(`createPublicKey ${at}`, () => crypto.createPublicKey(disguised(publicText, other.publicText)).asymmetricKeyDetails.modulusLength);
            attempt(`createPrivateKey ${at}`, () => crypto.createPrivateKey(disguised(privateText, other.privateText)).asymmetricKeyDetails.modulusLength);
          }
        }
      }
    },
    only: 'node',
  },
  'code that a look at a key runs': {
    body({ crypto, attempt, line }) {
      const { privateText, publicText, privateKey, publicKey } = formsOf(crypto, 'rsa2048');
      const signature = crypto.sign('sha256', DATA, privateKey);
      let traps = [];
      const watched = (target) =>
        new Proxy(target, {
          get: (object, name, receiver) => (traps.push(`get ${String(name)}`), Reflect.get(object, name, receiver)),
          has: (object, name) => (traps.push(`has ${String(name)}`), Reflect.has(object, name)),
          getPrototypeOf: (object) => (traps.push('getPrototypeOf'), Reflect.getPrototypeOf(object)),
          ownKeys: (object) => (traps.push('ownKeys'), Reflect.ownKeys(object)),
          getOwnPropertyDescriptor: (object, name) => (traps.push(`own ${String(name)}`), Reflect.getOwnPropertyDescriptor(object, name)),
        });
      const make = {
        'options below a proxy': (value) => Object.setPrototypeOf({ key: value }, watched({})),
        'a class below a proxy': (value) => Object.assign(Object.create(watched({})), { key: value }),
        'options that are one': (value) => watched({ key: value }),
        'a key object that is one': (value, object) => watched(object),
        'options with one': (value, object) => ({ key: watched(object) }),
        'bytes below a proxy': (value) => Object.setPrototypeOf(new Uint8Array(Buffer.from(value)), watched(Uint8Array.prototype)),
        'getters': (value) => Object.defineProperty({}, 'key', { get: () => (traps.push('key'), value), enumerable: true }),
        'a key object below a proxy': (value, object) => Object.setPrototypeOf(object, watched(Object.getPrototypeOf(object))),
      };
      for (const [label, wrap] of Object.entries(make)) {
        for (let use = 0; use < USES; use++) {
          const calls = {
            sign: () => crypto.sign('sha256', DATA, wrap(privateText, crypto.createPrivateKey(privateText))).length,
            Sign: () => crypto.createSign('sha256').update(DATA).sign(wrap(privateText, crypto.createPrivateKey(privateText))).length,
            verify: () => crypto.verify('sha256', DATA, wrap(publicText, crypto.createPublicKey(publicText)), signature),
            Verify: () => crypto.createVerify('sha256').update(DATA).verify(wrap(publicText, crypto.createPublicKey(publicText)), signature),
            createPublicKey: () => crypto.createPublicKey(wrap(publicText, publicKey)).type,
            createPrivateKey: () => crypto.createPrivateKey(wrap(privateText, privateKey)).type,
          };
          for (const [name, call] of Object.entries(calls)) {
            traps = [];
            attempt(`${label} ${name} ${use}`, call);
            line('ran', traps.join());
          }
        }
      }
      const proxies = { Sign: () => watched(crypto.createSign('sha256').update(DATA)), Verify: () => watched(crypto.createVerify('sha256').update(DATA)) };
      for (let use = 0; use < USES; use++) {
        for (const key of [undefined, privateText, 'no key', privateKey]) {
          const sign = proxies.Sign();
          traps = [];
          attempt(`Sign behind a proxy ${use}`, () => crypto.Sign.prototype.sign.call(sign, key).length);
          line('ran', traps.join());
          const verify = proxies.Verify();
          traps = [];
          attempt(`Verify behind a proxy ${use}`, () => crypto.Verify.prototype.verify.call(verify, key === privateText ? publicText : key, signature));
          line('ran', traps.join());
        }
      }
    },
    only: 'node',
  },
  'agreement between odd keys': {
    body({ crypto, attempt }) {
      for (const name of ['x25519', 'p256']) {
        const { privateKey, publicKey, privateText, publicText } = formsOf(crypto, name);
        const bare = (key) => Object.assign(Object.create(null), { key });
        const pairs = {
          plain: [privateKey, publicKey],
          'private on both sides': [privateKey, privateKey],
          'the wrong way round': [publicKey, privateKey],
          'in objects without prototype': [bare(privateKey), bare(publicKey)],
          'one in an object without prototype': [privateKey, bare(publicKey)],
          'text in objects without prototype': [bare(privateText), bare(publicText)],
          'in objects': [{ key: privateKey }, { key: publicKey }],
          text: [privateText, publicText],
          'look-alikes': [Object.create(Object.getPrototypeOf(privateKey)), Object.create(Object.getPrototypeOf(publicKey))],
          'secret keys': [crypto.createSecretKey(DATA), crypto.createSecretKey(DATA)],
        };
        for (let use = 0; use < USES; use++) {
          for (const [label, [ours, theirs]] of Object.entries(pairs)) attempt(`${name} ${label} ${use}`, () => crypto.diffieHellman({ privateKey: ours, publicKey: theirs }));
        }
      }
    },
    only: 'node',
  },
  'what is thrown for no key, and after it': {
    body({ crypto, attempt }) {
      const { privateKey } = formsOf(crypto, 'rsa2048');
      const bad = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----';
      const texts = ['', 'secret', 'a'.repeat(300), '\0', '\ud800', 'é€', '----BEGIN PUBLIC KEY-----', 'BEGIN', '\u202e', 'x'.repeat(70_000)];
      for (let use = 0; use < USES; use++) {
        for (const text of texts) {
          attempt(`public ${text.slice(0, 9)} ${use}`, () => crypto.createPublicKey(text));
          attempt(`private ${text.slice(0, 9)} ${use}`, () => crypto.createPrivateKey(text));
        }
        attempt(`bad ${use}`, () => crypto.createPublicKey(bad));
        attempt(`after it ${use}`, () => crypto.createPublicKey('secret'));
        attempt(`decryption ${use}`, () => crypto.privateDecrypt(privateKey, Buffer.alloc(256, 1)));
        attempt(`after it ${use}`, () => crypto.createPrivateKey('secret'));
        attempt(`certificate ${use}`, () => new crypto.X509Certificate('none'));
        attempt(`after it ${use}`, () => crypto.createPublicKey('secret'));
        attempt(`digest ${use}`, () => crypto.createHash('none'));
        attempt(`after it ${use}`, () => crypto.createPublicKey('secret'));
        attempt(`of bytes ${use}`, () => crypto.createPublicKey(Buffer.from('secret')));
        attempt(`publicDecrypt after it ${use}`, () => crypto.publicDecrypt(privateKey, Buffer.alloc(256, 1)));
      }
    },
    only: 'node',
  },
  'objects that have ended': {
    body({ crypto, attempt, line }) {
      const { privateKey, publicKey, privateText, publicText } = formsOf(crypto, 'rsa2048');
      const ed = formsOf(crypto, 'ed25519');
      const signature = crypto.sign('sha256', DATA, privateKey);
      for (let use = 0; use < USES; use++) {
        for (const [label, key, wrong] of [['object', privateKey, ed.privateKey], ['text', privateText, ed.privateText], ['public', publicKey, 'no key'], ['pair', privateKey, {}]]) {
          const sign = crypto.createSign('sha256').update(DATA);
          attempt(`${label} wrong ${use}`, () => sign.sign(wrong));
          attempt(`${label} right ${use}`, () => sign.sign(key));
          attempt(`${label} again ${use}`, () => sign.sign(key));
          attempt(`${label} hex ${use}`, () => sign.sign(key, 'hex'));
          attempt(`${label} update ${use}`, () => sign.update('more') === sign);
          attempt(`${label} empty update ${use}`, () => sign.update('') === sign);
          attempt(`${label} no key ${use}`, () => sign.sign());
          attempt(`${label} of no digest ${use}`, () => crypto.createHash('none'));
          attempt(`${label} create ${use}`, () => crypto.createPublicKey('no key'));
        }
        for (const [label, key, wrong] of [['object', publicKey, ed.publicKey], ['text', publicText, ed.publicText]]) {
          const verify = crypto.createVerify('sha256').update(DATA);
          attempt(`${label} verify wrong ${use}`, () => verify.verify(wrong, signature));
          attempt(`${label} verify right ${use}`, () => verify.verify(key, signature));
          const false_ = crypto.createVerify('sha256').update('other');
          attempt(`${label} verify false ${use}`, () => false_.verify(key, signature));
          attempt(`${label} verify false again ${use}`, () => false_.verify(key, signature, 'hex'));
          attempt(`${label} verify update ${use}`, () => false_.update(DATA) === false_);
        }
        const sign = crypto.createSign('sha256');
        for (const [label, receiver] of [['verify', crypto.createVerify('sha256')], ['hash', crypto.createHash('sha256')], ['hmac', crypto.createHmac('sha256', 'k')], ['below', Object.create(sign.update(DATA))], ['nothing', undefined], ['null', null], ['object', {}], ['number', 5]]) {
          attempt(`sign of ${label} ${use}`, () => crypto.Sign.prototype.sign.call(receiver, privateKey));
          attempt(`sign again of ${label} ${use}`, () => crypto.Sign.prototype.sign.call(receiver, privateKey));
          attempt(`verify of ${label} ${use}`, () => crypto.Verify.prototype.verify.call(receiver, publicKey, signature));
          attempt(`update of ${label} ${use}`, () => typeof crypto.Sign.prototype.update.call(receiver, DATA));
        }
        attempt(`below ${use}`, () => sign.sign(privateKey));
        line(`constructed ${use}`, String([new crypto.Sign('sha256').update(DATA).sign(privateKey).length, crypto.Sign('sha256').update(DATA).sign(privateKey).length, new crypto.createSign('sha256').update(DATA).sign(privateKey).length]));
      }
    },
    only: 'node',
  },
  'shape of signature functions and objects': {
    body({ crypto, line, attempt }) {
      const describe = (target) =>
        Reflect.ownKeys(target).map((name) => {
          const { value, ...flags } = Object.getOwnPropertyDescriptor(target, name);
          return `${String(name)} ${typeof value === 'function' ? 'function' : util.inspect(value)} ${JSON.stringify(flags)}`;
        }).join('; ');
      for (const name of ['sign', 'verify', 'createSign', 'createVerify', 'createPublicKey', 'createPrivateKey', 'diffieHellman']) {
        line(name, describe(crypto[name]));
        line(`${name} on the module`, JSON.stringify(Object.getOwnPropertyDescriptor(crypto, name)));
        attempt(`new ${name}`, () => new crypto[name]());
        attempt(`${name} of nothing`, () => crypto[name]());
        attempt(`${name} of another receiver`, () => Reflect.apply(crypto[name], null, []));
      }
      for (const name of ['Sign', 'Verify']) {
        line(name, describe(crypto[name].prototype));
        for (const method of Reflect.ownKeys(crypto[name].prototype)) line(`${name}.${String(method)}`, describe(crypto[name].prototype[method]));
      }
      const { privateKey, publicText, privateText } = formsOf(crypto, 'rsa2048');
      const inspected = (object, options) => util.inspect(object, options).replace(/\[?Symbol\(asyncId.*?\)\]?: \d+/, '');
      for (let use = 0; use < USES; use++) {
        for (const name of ['createSign', 'createVerify']) {
          const object = crypto[name]('sha256');
          for (const options of [{}, { depth: 0 }, { showHidden: true, depth: 1 }]) line(`${name} ${JSON.stringify(options)}`, inspected(object, options));
          line(`${name} own`, Reflect.ownKeys(object).map(String).join());
          const inside = object[Object.getOwnPropertySymbols(object).find((symbol) => symbol.description === 'kHandle')];
          line(`${name} inside`, [util.inspect(inside), inside.constructor.name, typeof inside.sign, typeof inside.verify, typeof inside.update, Reflect.ownKeys(inside).map(String)].join());
          line(`${name} of`, [object instanceof crypto.Sign, object instanceof crypto.Verify, object.constructor.name].join());
          attempt(`${name} clone`, () => structuredClone(object));
        }
        for (const key of [crypto.createPublicKey(publicText), crypto.createPrivateKey(privateText), crypto.createPublicKey(privateText)]) {
          line('key', util.inspect(key, { showHidden: true, depth: 0 }));
          line('key own', Reflect.ownKeys(key).map((own) => `${String(own)} ${JSON.stringify(Object.getOwnPropertyDescriptor(key, own))}`).join());
          line('key clone', String(structuredClone(key).equals(key)));
        }
        line('signature', util.inspect(crypto.sign('sha256', DATA, privateKey), { showHidden: true }));
      }
    },
    only: 'node',
  },
  'one text for several things': {
    body({ crypto, attempt }) {
      for (const name of ['rsa2048', 'p256', 'ed25519', 'pss2048', 'p256explicit', 'ed448']) {
        const { privateText, publicText, privateKey, publicKey, privateDer, publicDer } = formsOf(crypto, name);
        const digest = name.startsWith('ed') ? null : 'sha256';
        const signature = crypto.sign(digest, DATA, privateKey);
        const secret = encryptedText(crypto, privateKey, 'p', ['q', '']);
        const contents = { privateText, publicText, secret, privateDer, publicDer, both: `${publicText}\n${privateText}`, bothRound: `${privateText}\n${publicText}`, indented: `  ${publicText}`, windows: publicText.replaceAll('\n', '\r\n'), cut: publicText.slice(0, -30), wrongLabel: publicText.replaceAll('PUBLIC KEY', 'PRIVATE KEY'), publicAsCertificate: publicText.replaceAll('PUBLIC KEY', 'CERTIFICATE'), before: `words before\n${privateText}words behind` };
        for (let use = 0; use < USES; use++) {
          for (const [label, content] of Object.entries(contents)) {
            const forms = { plain: content, bytes: Buffer.from(content), options: { key: content }, pem: { key: content, format: 'pem' }, passphrase: { key: content, passphrase: 'p' }, wrongPassphrase: { key: content, passphrase: 'q' }, emptyPassphrase: { key: content, passphrase: '' }, spki: { key: content, format: 'der', type: 'spki' }, pkcs8: { key: content, format: 'der', type: 'pkcs8' }, pkcs1: { key: content, format: 'der', type: 'pkcs1' }, sec1: { key: content, format: 'der', type: 'sec1' } };
            for (const [form, key] of Object.entries(forms)) {
              const at = `${name} ${label} ${form} ${use}`;
              attempt(`createPublicKey ${at}`, () => crypto.createPublicKey(key).equals(publicKey));
              attempt(`createPrivateKey ${at}`, () => crypto.createPrivateKey(key).equals(privateKey));
              attempt(`sign ${at}`, () => crypto.verify(digest, DATA, publicKey, crypto.sign(digest, DATA, key)));
              attempt(`verify ${at}`, () => crypto.verify(digest, DATA, key, signature));
            }
          }
        }
      }
    },
    only: 'node',
  },
  'signatures that are none': {
    body({ crypto, attempt }) {
      for (const name of ['rsa2048', 'p256', 'p521', 'secp256k1', 'ed25519', 'x25519', 'dsa2048']) {
        const { privateKey, publicKey } = formsOf(crypto, name);
        const digest = name.startsWith('ed') ? null : 'sha256';
        const made = (key) => {
          try {
            return crypto.sign(digest, DATA, key);
          } catch {
            return Buffer.alloc(64, 1);
          }
        };
        const der = made(privateKey);
        const p1363 = made({ key: privateKey, dsaEncoding: 'ieee-p1363' });
        const wrong = { der, p1363, empty: Buffer.alloc(0), short: der.subarray(1), long: Buffer.concat([der, Buffer.alloc(1)]), before: Buffer.concat([Buffer.alloc(1), der]), zeros: Buffer.alloc(p1363.length), ones: Buffer.alloc(p1363.length, 255), huge: Buffer.alloc(9000, 1), shortP1363: p1363.subarray(1), longP1363: Buffer.concat([p1363, Buffer.alloc(2)]) };
        for (let use = 0; use < USES; use++) {
          for (const [label, signature] of Object.entries(wrong)) {
            for (const [form, key] of Object.entries({ plain: publicKey, 'ieee-p1363': { key: publicKey, dsaEncoding: 'ieee-p1363' }, private: privateKey, padding: { key: publicKey, padding: 1 }, pss: { key: publicKey, padding: 6 }, salt: { key: publicKey, padding: 6, saltLength: -1 }, 'long salt': { key: publicKey, padding: 6, saltLength: 500 }, 'salt 2^31 - 1': { key: publicKey, padding: 6, saltLength: 2147483647 }, 'salt -3': { key: publicKey, padding: 6, saltLength: -3 }, 'salt -4': { key: publicKey, padding: 6, saltLength: -4 } })) {
              attempt(`${name} ${label} ${form} ${use}`, () => crypto.verify(digest, DATA, key, signature));
              attempt(`${name} null ${label} ${form} ${use}`, () => crypto.verify(null, DATA, key, signature));
              attempt(`${name} Verify ${label} ${form} ${use}`, () => crypto.createVerify('sha256').update(DATA).verify(key, signature));
              attempt(`${name} Verify hex ${label} ${form} ${use}`, () => crypto.createVerify('sha256').update(DATA).verify(key, signature.toString('hex'), 'hex'));
              if (label === 'der') attempt(`${name} sign ${form} ${use}`, () => crypto.sign(digest, DATA, { ...key, key: privateKey }).length > 9);
            }
          }
        }
      }
    },
    only: 'node',
  },
  'keys under FIPS': {
    body({ crypto, attempt }) {
      const forms = formsOf(crypto, 'rsa2048');
      const signature = crypto.sign('sha256', DATA, forms.privateKey);
      const agreement = formsOf(crypto, 'x25519');
      const calls = {
        sign: () => crypto.sign('sha256', DATA, forms.privateKey),
        'sign text': () => crypto.sign('sha256', DATA, forms.privateText),
        verify: () => crypto.verify('sha256', DATA, forms.publicText, signature),
        createSign: () => crypto.createSign('sha256').update(DATA).sign(forms.privateText),
        createVerify: () => crypto.createVerify('sha256').update(DATA).verify(forms.publicKey, signature),
        createPublicKey: () => crypto.createPublicKey(forms.publicText).type,
        createPrivateKey: () => crypto.createPrivateKey(forms.privateText).type,
        'no key': () => crypto.createPublicKey('no key'),
        diffieHellman: () => crypto.diffieHellman(agreement),
      };
      const all = (when) => {
        for (const [name, call] of Object.entries(calls)) attempt(`${name} ${when}`, call);
      };
      for (let use = 0; use < USES; use++) all(`before ${use}`);
      crypto.setFips(1);
      all('on');
      crypto.setFips(0);
      all('off');
    },
    only: 'node',
  },
  'signature objects made before FIPS': {
    body({ crypto, attempt }) {
      const forms = formsOf(crypto, 'rsa2048');
      const signature = crypto.sign('sha256', DATA, forms.privateKey);
      const open = [];
      for (let use = 0; use < USES; use++) crypto.createVerify('sha256').update(DATA).verify(forms.publicText, crypto.createSign('sha256').update(DATA).sign(forms.privateText));
      for (let at = 0; at < 12; at++) open.push(crypto.createSign('sha256').update(DATA), crypto.createVerify('sha256').update(DATA));
      const done = crypto.createSign('sha256').update(DATA);
      done.sign(forms.privateKey);
      crypto.setFips(1);
      attempt('Sign made before', () => open[0].sign(forms.privateKey));
      attempt('Verify made before', () => open[1].verify(forms.publicKey, signature));
      attempt('Sign made before, large', () => open[2].update(Buffer.alloc(20_000)).sign(forms.privateKey));
      attempt('Sign made before, text', () => open[4].sign(forms.privateText));
      attempt('Verify made before, text', () => open[5].verify(forms.publicText, signature));
      attempt('update', () => open[6].update(DATA) === open[6]);
      attempt('no key', () => open[8].sign('no key'));
      attempt('ended before', () => done.sign(forms.privateKey));
      attempt('ended before, update', () => done.update(DATA) === done);
      crypto.setFips(0);
      attempt('Sign made before', () => open[6].sign(forms.privateKey));
      attempt('Sign used while it was on', () => open[0].sign(forms.privateKey));
      attempt('no key before', () => open[8].sign(forms.privateKey));
    },
    only: 'node',
    expectedFailure: { 20: NOT_THE_HOSTS, 22: NOT_THE_HOSTS, 24: NOT_THE_HOSTS, 26: NOT_THE_HOSTS },
  },
  'a second signature under changed built-ins': {
    body({ crypto, attempt }) {
      const { privateKey, publicKey } = formsOf(crypto, 'rsa2048');
      const signature = crypto.sign('sha256', DATA, privateKey);
      const thrower = () => {
        throw new Error('it was used');
      };
      const changes = [[Buffer, 'from'], [Buffer.prototype, 'utf8Write'], [Uint8Array.prototype, 'set'], [Array.prototype, Symbol.iterator], [Object, 'defineProperty'], [globalThis, 'Error'], [Reflect, 'apply']];
      const again = (use) => {
        const sign = crypto.createSign('sha256').update(DATA);
        const verify = crypto.createVerify('sha256').update(DATA);
        attempt(`sign ${use}`, () => sign.sign(privateKey));
        attempt(`verify ${use}`, () => verify.verify(publicKey, signature));
        return [() => sign.sign(privateKey), () => verify.verify(publicKey, signature)];
      };
      for (let use = 0; use < USES; use++) again(use);
      for (const [target, name] of changes) {
        for (const call of again(String(name))) {
          for (let time = 0; time < 2; time++) {
            let outcome;
            having(target, name, { value: thrower, writable: true }, () => {
              try {
                outcome = call();
              } catch (error) {
                outcome = error.message;
              }
            });
            attempt(`${String(name)} ${time}`, () => outcome);
          }
          attempt(`${String(name)} after`, call);
        }
      }
    },
    only: 'node',
  },
  'what was taken stays when the stack ends': {
    body({ crypto, line }) {
      const { privateKey } = formsOf(crypto, 'rsa2048');
      const signatureOf = (...pieces) => pieces.reduce((sign, piece) => sign.update(piece), crypto.createSign('sha256')).sign(privateKey, 'hex');
      for (let use = 0; use < USES; use++) signatureOf('some');
      const dive = (depth, body) => (depth === 0 ? body() : dive(depth - 1, body));
      for (const [label, piece] of [['bytes', DATA], ['large', Buffer.alloc(20_000, 1)], ['text', 'data'], ['encoded', 'é'.repeat(3000)]]) {
        const right = [signatureOf('some '), signatureOf('some ', piece)];
        const outcomes = new Set();
        const updateAt = (depth) => {
          const sign = crypto.createSign('sha256').update('some ');
          let threw = false;
          try {
            dive(depth, () => sign.update(piece));
          } catch {
            threw = true;
          }
          return [threw, sign];
        };
        let [low, high] = [0, 40_000];
        while (high - low > 1) {
          const middle = (low + high) >> 1;
          if (updateAt(middle)[0]) high = middle;
          else low = middle;
        }
        for (let depth = high - 6; depth < high + 60; depth++) {
          const [threw, sign] = updateAt(depth);
          const signature = sign.sign(privateKey, 'hex');
          // What was refused for want of stack may have been taken, in part by none.
          outcomes.add(threw ? right.includes(signature) : signature === right[1]);
        }
        line(label, [...outcomes].join());
      }
    },
    only: 'node',
    right: { bytes: 'true', large: 'true', text: 'true', encoded: 'true' },
  },
};

/** Each in a process of its own: errors that others left in OpenSSL's queue would show up here. */
export const cases = Object.fromEntries(Object.entries(together).map(([name, entry]) => [name, { ...entry, fresh: true }]));
