/**
 * The plain calls of which `docs/COVERAGE.md` says what becomes of them: for each export of
 * `node:crypto` that has a faster form, one per algorithm, kind of key and form of key.
 */

import { readFileSync } from 'node:fs';

import { webRows } from './web-rows.mjs';

const POOL = new URL('../../../vectors/key/pool.json', import.meta.url);
const { keys: pool } = JSON.parse(readFileSync(POOL, 'utf8'));

const MESSAGE = Buffer.from('a message of some thirty bytes');
const nothing = () => {};
/** Makes a call with a callback, and settles with it. */
const settled = (start) => new Promise((resolve) => start(resolve));

/**
 * One line of the table.
 *
 * @typedef {object} Row
 * @property {string} name the export of `node:crypto`
 * @property {string} part what the export is called with, in general
 * @property {string} [group] the kind of key, where `label` is one of several digests
 * @property {string} label what it is called with
 * @property {() => (crypto: any) => unknown} prepare makes what the call needs by the stock host;
 *   throws where that lacks it. A call with a callback returns a promise
 */

/** @returns {Row[]} */
export function rows(stock) {
  const keys = makeKeys(stock);
  return [
    ...digests(stock),
    ...ciphers(stock),
    ...random(),
    ...signatures(keys),
    ...signatureForms(keys),
    ...keyReading(keys),
    ...rsaEncryption(keys),
    ...agreement(stock, keys),
    ...ecdh(stock),
    ...encapsulation(stock, keys),
    ...cryptoKeys(keys),
    ...keyPairs(),
    ...derivation(stock),
    ...webRows(stock),
  ];
}

/** Rows that differ in one word. */
const each = (names, make) => names.map((name) => make(name));

function digests(stock) {
  const names = stock.getHashes().filter((name, at, all) => all.indexOf(name) === at);
  const isExtendable = /^(shake|keccak-kmac)/i;
  return [
    ...each(names, (name) => ({
      name: 'createHash', part: 'algorithm', label: name,
      prepare: () => (crypto) =>
        crypto.createHash(name, isExtendable.test(name) ? { outputLength: 32 } : undefined).update('text').digest('hex'),
    })),
    { name: 'createHash', part: 'use', label: '`copy()`', prepare: () => (crypto) => crypto.createHash('sha256').update('text').copy().digest() },
    { name: 'createHash', part: 'use', label: '16 KiB', prepare: () => (crypto) => crypto.createHash('sha256').update(Buffer.alloc(16_384)).digest() },
    { name: 'createHash', part: 'use', label: '64 KiB', prepare: () => (crypto) => crypto.createHash('sha256').update(Buffer.alloc(65_536)).digest() },
    ...each(names, (name) => ({
      name: 'createHmac', part: 'algorithm', label: name,
      prepare: () => (crypto) => crypto.createHmac(name, 'a key').update('text').digest('hex'),
    })),
    ...Object.entries({
      string: () => 'a key',
      Buffer: () => Buffer.from('a key'),
      KeyObject: () => stock.createSecretKey(Buffer.from('a key')),
    }).map(([label, makeKey]) => ({
      name: 'createHmac', part: 'key', label,
      prepare: () => {
        const key = makeKey();
        return (crypto) => crypto.createHmac('sha256', key).update('text').digest('hex');
      },
    })),
    ...each(names, (name) => ({
      name: 'hash', part: 'algorithm', label: name,
      prepare: () => (crypto) => crypto.hash(name, 'text'),
    })),
    { name: 'hash', part: 'use', label: 'options', prepare: () => (crypto) => crypto.hash('shake128', 'text', { outputLength: 32 }) },
  ];
}

function random() {
  const sizes = [16, 1024, 65_536];
  return [
    ...each(sizes, (size) => ({ name: 'randomBytes', part: 'size', label: `${size} bytes`, prepare: () => (crypto) => crypto.randomBytes(size) })),
    { name: 'randomBytes', part: 'use', label: 'callback', prepare: () => (crypto) => crypto.randomBytes(16, nothing) },
    ...each(sizes, (size) => ({
      name: 'randomFillSync', part: 'size', label: `${size} bytes`,
      prepare: () => (crypto) => crypto.randomFillSync(new Uint8Array(size)),
    })),
    { name: 'randomFillSync', part: 'use', label: 'offset and size', prepare: () => (crypto) => crypto.randomFillSync(new Uint8Array(16), 4, 4) },
    { name: 'randomFillSync', part: 'use', label: 'array of larger elements', prepare: () => (crypto) => crypto.randomFillSync(new Uint32Array(4)) },
    ...each(sizes, (size) => ({
      name: 'getRandomValues', part: 'size', label: `${size} bytes`,
      prepare: () => (crypto) => crypto.getRandomValues(new Uint8Array(size)),
    })),
    ...each([Uint8Array, Int16Array, Uint32Array, BigInt64Array], (Type) => ({
      name: 'getRandomValues', part: 'array', label: Type.name,
      prepare: () => (crypto) => crypto.getRandomValues(new Type(4)),
    })),
    { name: 'getRandomValues', part: 'array', label: 'on a SharedArrayBuffer', prepare: () => (crypto) => crypto.getRandomValues(new Uint8Array(new SharedArrayBuffer(16))) },
    { name: 'getRandomValues', part: 'use', label: 'crypto.webcrypto', prepare: () => (crypto) => crypto.webcrypto.getRandomValues(new Uint8Array(16)) },
    { name: 'getRandomValues', part: 'use', label: 'globalThis.crypto', prepare: () => () => globalThis.crypto.getRandomValues(new Uint8Array(16)) },
  ];
}

/** Kinds of keys by their names in the table, and the key of the pool that stands for each. */
const KINDS = {
  'RSA-1024': 'rsa1024', 'RSA-2048': 'rsa2048', 'RSA-4096': 'rsa4096', 'RSA-PSS': 'pss2048', 'RSA-PSS with parameters': 'pss2048sha256',
  'P-256': 'p256', 'P-384': 'p384', 'P-521': 'p521', secp256k1: 'secp256k1', 'P-224': 'p224', 'P-192': 'p192',
  brainpoolP256r1: 'brainpool256', sect233r1: 'sect233', Ed25519: 'ed25519', Ed448: 'ed448', X25519: 'x25519', X448: 'x448',
  DSA: 'dsa2048', DH: 'dh14', 'ML-DSA-44': 'mldsa44', 'ML-DSA-65': 'mldsa65', 'ML-DSA-87': 'mldsa87',
  'SLH-DSA-SHA2-128f': 'slhdsa128f', 'ML-KEM-512': 'mlkem512', 'ML-KEM-768': 'mlkem768', 'ML-KEM-1024': 'mlkem1024',
};
export const SIGNING_DIGESTS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-256', 'sha3-256', 'ripemd160', 'RSA-SHA256'];
/** These sign a message, not its digest. */
const WITHOUT_DIGEST = /^(Ed|ML-DSA|SLH-DSA)/;
const SIGNS = /^(RSA|P-|secp|brainpool|sect|Ed|DSA|ML-DSA|SLH-DSA)/;

/** Both halves of a key of each kind, made when they are asked for. */
function makeKeys(stock) {
  const made = new Map();
  return {
    stock,
    of(kind) {
      if (!made.has(kind)) {
        const privateKey = stock.createPrivateKey(pool[KINDS[kind]].private);
        made.set(kind, { privateKey, publicKey: stock.createPublicKey(privateKey) });
      }
      return made.get(kind);
    },
  };
}

/** By kind of key and digest, with `KeyObject`s. */
function signatures(keys) {
  const { stock } = keys;
  return Object.keys(KINDS).filter((kind) => SIGNS.test(kind)).flatMap((kind) =>
    (WITHOUT_DIGEST.test(kind) ? [undefined] : SIGNING_DIGESTS).flatMap((digest) => {
      const row = (name, prepare) => ({ name, part: 'key and digest', group: kind, label: digest ?? 'no digest', prepare });
      return [
        row('sign', () => {
          const { privateKey } = keys.of(kind);
          return (crypto) => crypto.sign(digest, MESSAGE, privateKey);
        }),
        row('verify', () => {
          const { privateKey, publicKey } = keys.of(kind);
          const signature = stock.sign(digest, MESSAGE, privateKey);
          return (crypto) => crypto.verify(digest, MESSAGE, publicKey, signature);
        }),
        ...(digest === undefined ? [] : [
          row('createSign', () => {
            const { privateKey } = keys.of(kind);
            return (crypto) => crypto.createSign(digest).update(MESSAGE).sign(privateKey);
          }),
          row('createVerify', () => {
            const { privateKey, publicKey } = keys.of(kind);
            const signature = stock.sign(digest, MESSAGE, privateKey);
            return (crypto) => crypto.createVerify(digest).update(MESSAGE).verify(publicKey, signature);
          }),
        ]),
      ];
    }));
}

/** What a key can be given as. */
const FORMS = {
  KeyObject: (key) => key,
  PEM: (key, type) => key.export({ format: 'pem', type }),
  'PEM in a Buffer': (key, type) => Buffer.from(key.export({ format: 'pem', type })),
  DER: (key, type) => ({ key: key.export({ format: 'der', type }), format: 'der', type }),
  JWK: (key) => ({ key: key.export({ format: 'jwk' }), format: 'jwk' }),
  'encrypted PEM': (key, type) => ({
    key: key.export({ format: 'pem', type, cipher: 'aes-256-cbc', passphrase: 'open' }), passphrase: 'open',
  }),
};

/** By form of key and by options, with few kinds of keys. */
function signatureForms(keys) {
  const { stock } = keys;
  const { constants } = stock;
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING };
  const forms = ['P-256', 'RSA-2048'].flatMap((kind) => Object.entries(FORMS).map(([label, form]) => ({
    part: `form of key (${kind})`, label, kind, digest: 'sha256', isPrivateOnly: label === 'encrypted PEM',
    makePrivate: (key) => form(key, 'pkcs8'), makePublic: (key) => form(key, 'spki'),
  })));
  const optioned = (label, kind, digest, options) => ({
    part: 'options', label, kind, digest, makePrivate: (key) => ({ key, ...options }), makePublic: (key) => ({ key, ...options }),
  });
  // As fast-jwt says both of each key.
  const ofNothing = { padding: constants.RSA_PKCS1_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  const cases = [
    ...forms,
    optioned('RSA-2048 PKCS #1 v1.5 by name', 'RSA-2048', 'sha256', { padding: constants.RSA_PKCS1_PADDING }),
    optioned('RSA-2048 PKCS #1 v1.5 with a salt length, which counts for nothing', 'RSA-2048', 'sha256', ofNothing),
    optioned('P-256 with a padding and a salt length, which count for RSA alone', 'P-256', 'sha256', ofNothing),
    optioned('RSA-2048 PSS', 'RSA-2048', 'sha256', pss),
    optioned('RSA-2048 PSS, salt as long as the digest', 'RSA-2048', 'sha256', { ...pss, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }),
    optioned('RSA-2048 PSS, salt of 20 bytes', 'RSA-2048', 'sha256', { ...pss, saltLength: 20 }),
    optioned('RSA-PSS, salt as long as the digest', 'RSA-PSS', 'sha256', { saltLength: constants.RSA_PSS_SALTLEN_DIGEST }),
    optioned('RSA-PSS with parameters, salt as long as the digest', 'RSA-PSS with parameters', 'sha256', { saltLength: constants.RSA_PSS_SALTLEN_DIGEST }),
    optioned('P-256 `ieee-p1363`', 'P-256', 'sha256', { dsaEncoding: 'ieee-p1363' }),
    optioned('ML-DSA-65 `context`', 'ML-DSA-65', undefined, { context: Buffer.from('context') }),
  ];
  return cases.flatMap(({ part, label, kind, digest, isPrivateOnly, makePrivate, makePublic }) => {
    const signed = () => {
      const { privateKey, publicKey } = keys.of(kind);
      const [own, others] = [makePrivate(privateKey), isPrivateOnly ? undefined : makePublic(publicKey)];
      return { own, others, signature: stock.sign(digest, MESSAGE, own) };
    };
    const row = (name, prepare) => ({ name, part, label, prepare });
    const verifies = (name, call) => (isPrivateOnly ? [] : [row(name, call)]);
    return [
      row('sign', () => {
        const { own } = signed();
        return (crypto) => crypto.sign(digest, MESSAGE, own);
      }),
      ...verifies('verify', () => {
        const { others, signature } = signed();
        return (crypto) => crypto.verify(digest, MESSAGE, others, signature);
      }),
      ...(digest === undefined ? [] : [
        row('createSign', () => {
          const { own } = signed();
          return (crypto) => crypto.createSign(digest).update(MESSAGE).sign(own);
        }),
        ...verifies('createVerify', () => {
          const { others, signature } = signed();
          return (crypto) => crypto.createVerify(digest).update(MESSAGE).verify(others, signature);
        }),
      ]),
    ];
  }).concat([
    { name: 'sign', part: 'use', label: 'callback', prepare: () => {
      const { privateKey } = keys.of('P-256');
      return (crypto) => settled((done) => crypto.sign('sha256', MESSAGE, privateKey, done));
    } },
    { name: 'verify', part: 'use', label: 'callback', prepare: () => {
      const { privateKey, publicKey } = keys.of('P-256');
      const signature = stock.sign('sha256', MESSAGE, privateKey);
      return (crypto) => settled((done) => crypto.verify('sha256', MESSAGE, publicKey, signature, done));
    } },
    { name: 'verify', part: 'use', label: 'private key', prepare: () => {
      const { privateKey } = keys.of('P-256');
      const signature = stock.sign('sha256', MESSAGE, privateKey);
      return (crypto) => crypto.verify('sha256', MESSAGE, privateKey, signature);
    } },
  ]);
}

function keyReading(keys) {
  const sides = [['createPublicKey', 'publicKey', 'spki'], ['createPrivateKey', 'privateKey', 'pkcs8']];
  return sides.flatMap(([name, half, type]) => [
    ...each(Object.keys(KINDS), (kind) => ({
      name, part: 'key as PEM', label: kind,
      prepare: () => {
        const pem = FORMS.PEM(keys.of(kind)[half], type);
        return (crypto) => crypto[name](pem);
      },
    })),
    ...Object.entries(FORMS)
      .filter(([form]) => form !== 'KeyObject' && (form !== 'encrypted PEM' || half === 'privateKey'))
      .map(([label, form]) => ({
        name, part: 'form of key (P-256)', label,
        prepare: () => {
          const given = form(keys.of('P-256')[half], type);
          return (crypto) => crypto[name](given);
        },
      })),
    {
      name, part: 'use', label: 'a text that is no key (refused)',
      prepare: () => (crypto) => {
        try {
          crypto[name]('a secret, and no key');
        } catch {
          return;
        }
        throw new Error('the host takes it for a key');
      },
    },
  ]).concat([
    { name: 'createPublicKey', part: 'use', label: 'private KeyObject', prepare: () => {
      const { privateKey } = keys.of('P-256');
      return (crypto) => crypto.createPublicKey(privateKey);
    } },
    { name: 'createPublicKey', part: 'use', label: 'private PEM', prepare: () => {
      const pem = FORMS.PEM(keys.of('P-256').privateKey, 'pkcs8');
      return (crypto) => crypto.createPublicKey(pem);
    } },
  ]);
}

/** The four old functions of RSA, by form of key and by padding. */
function rsaEncryption(keys) {
  const { stock } = keys;
  const { constants } = stock;
  const padding = (name) => ({ padding: constants[name] });
  const pairs = [
    { outward: 'publicEncrypt', back: 'privateDecrypt', isSecret: true },
    { outward: 'privateEncrypt', back: 'publicDecrypt', isSecret: false },
  ];
  return pairs.flatMap(({ outward, back, isSecret }) => {
    const sides = isSecret ? ['publicKey', 'privateKey'] : ['privateKey', 'publicKey'];
    const both = (part, label, kind, form, options) => {
      const made = () => {
        const halves = keys.of(kind);
        return sides.map((side) => {
          const key = FORMS[form](halves[side], side === 'publicKey' ? 'spki' : 'pkcs8');
          return options === undefined ? key : { key, ...options };
        });
      };
      return [
        { name: outward, part, label, prepare: () => {
          const [own] = made();
          return (crypto) => crypto[outward](own, MESSAGE);
        } },
        { name: back, part, label, prepare: () => {
          const [own, others] = made();
          const sealed = stock[outward](own, MESSAGE);
          return (crypto) => crypto[back](others, sealed);
        } },
      ];
    };
    return [
      ...each(['RSA-1024', 'RSA-2048', 'RSA-4096'], (kind) => both('key as PEM', kind, kind, 'PEM')).flat(),
      ...each(['KeyObject', 'PEM', 'PEM in a Buffer', 'DER', 'JWK'], (form) => both('form of key (RSA-2048)', form, 'RSA-2048', form, form === 'DER' || form === 'JWK' ? undefined : {})).flat(),
      ...(isSecret
        ? [
            ...each(['sha1', 'sha256', 'sha384', 'sha512', 'md5', 'sha3-256'], (oaepHash) => both('`oaepHash`', oaepHash, 'RSA-2048', 'PEM', { oaepHash })).flat(),
            ...both('options', '`oaepLabel`', 'RSA-2048', 'PEM', { oaepLabel: Buffer.from('label') }),
            ...both('options', '`mgf1Hash`', 'RSA-2048', 'PEM', { mgf1Hash: 'sha256' }),
          ]
        : []),
      ...both('options', 'RSA_PKCS1_PADDING', 'RSA-2048', 'PEM', padding('RSA_PKCS1_PADDING')),
    ];
  });
}

function agreement(stock, keys) {
  const name = 'diffieHellman';
  return [
    ...each(['X25519', 'X448', 'P-256', 'P-384', 'P-521', 'secp256k1', 'P-224', 'brainpoolP256r1', 'DH'], (kind) => ({
      name, part: 'key', label: kind,
      prepare: () => {
        const { privateKey, publicKey } = keys.of(kind);
        return (crypto) => crypto.diffieHellman({ privateKey, publicKey });
      },
    })),
    { name, part: 'use', label: 'callback', prepare: () => {
      const { privateKey, publicKey } = keys.of('X25519');
      // Hosts without this form do the work and call nothing.
      if (stock.diffieHellman({ privateKey, publicKey }, nothing) !== undefined) throw new Error('no callback form');
      return (crypto) => settled((done) => crypto.diffieHellman({ privateKey, publicKey }, done));
    } },
    { name, part: 'use', label: 'keys as PEM', prepare: () => {
      const { privateKey, publicKey } = keys.of('X25519');
      const options = { privateKey: FORMS.PEM(privateKey, 'pkcs8'), publicKey: FORMS.PEM(publicKey, 'spki') };
      return (crypto) => crypto.diffieHellman(options);
    } },
  ];
}

/** An `ECDH` object from its making to the secret. */
function cryptoKeys({ stock, of }) {
  const imported = (usage) => {
    const { privateKey, publicKey } = of('P-256');
    const isPrivate = usage === 'sign';
    const type = isPrivate ? 'pkcs8' : 'spki';
    const der = (isPrivate ? privateKey : publicKey).export({ format: 'der', type });
    return stock.subtle.importKey(type, der, { name: 'ECDSA', namedCurve: 'P-256' }, false, [usage]);
  };
  const row = (name, use, call) => ({
    name, part: 'form of key (P-256)', label: 'CryptoKey',
    prepare() {
      const key = imported(use);
      const signature = stock.sign('sha256', MESSAGE, of('P-256').privateKey);
      return async (crypto) => call(crypto, await key, signature);
    },
  });
  return [
    row('sign', 'sign', (crypto, key) => crypto.sign('sha256', MESSAGE, key)),
    row('verify', 'verify', (crypto, key, signature) => crypto.verify('sha256', MESSAGE, key, signature)),
    row('createSign', 'sign', (crypto, key) => crypto.createSign('sha256').update(MESSAGE).sign(key)),
    row('createVerify', 'verify', (crypto, key, signature) => crypto.createVerify('sha256').update(MESSAGE).verify(key, signature)),
    row('createPublicKey', 'sign', (crypto, key) => crypto.createPublicKey(key)),
  ];
}

const PAIRS = {
  'P-256': ['ec', { namedCurve: 'P-256' }], 'P-384': ['ec', { namedCurve: 'P-384' }], 'P-521': ['ec', { namedCurve: 'P-521' }],
  secp256k1: ['ec', { namedCurve: 'secp256k1' }], 'P-224': ['ec', { namedCurve: 'P-224' }], brainpoolP256r1: ['ec', { namedCurve: 'brainpoolP256r1' }],
  Ed25519: ['ed25519', {}], X25519: ['x25519', {}], Ed448: ['ed448', {}], X448: ['x448', {}],
  'ML-DSA-44': ['ml-dsa-44', {}], 'ML-DSA-65': ['ml-dsa-65', {}], 'ML-DSA-87': ['ml-dsa-87', {}],
  'ML-KEM-512': ['ml-kem-512', {}], 'ML-KEM-768': ['ml-kem-768', {}], 'ML-KEM-1024': ['ml-kem-1024', {}],
  'RSA-512': ['rsa', { modulusLength: 512 }],
};

function keyPairs() {
  const encoded = (format, type = 'pkcs8') => ({ publicKeyEncoding: { format, type: 'spki' }, privateKeyEncoding: { format, type } });
  const forms = {
    'as `KeyObject`s': {}, 'as PEM': encoded('pem'), 'as DER': encoded('der'), 'as JWK': { publicKeyEncoding: { format: 'jwk' }, privateKeyEncoding: { format: 'jwk' } },
  };
  const more = {
    'P-256 as SEC 1': encoded('pem', 'sec1'),
    'P-256, encrypted': { ...encoded('pem'), privateKeyEncoding: { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'a passphrase' } },
    'P-256, one half a `KeyObject`': { publicKeyEncoding: { format: 'pem', type: 'spki' } },
    'P-256, explicit parameters': { ...encoded('pem'), paramEncoding: 'explicit' },
  };
  const row = (part, group, label, type, options) => [
    { name: 'generateKeyPairSync', part, group, label, prepare: () => (crypto) => crypto.generateKeyPairSync(type, options) },
    { name: 'generateKeyPair', part, group, label, prepare: () => (crypto) => new Promise((resolve, reject) => crypto.generateKeyPair(type, options, (error) => (error ? reject(error) : resolve()))) },
  ];
  return [
    ...Object.entries(forms).flatMap(([part, encodings]) =>
      Object.entries(PAIRS).flatMap(([kind, [type, options]]) => row(part, undefined, kind, type, { ...options, ...encodings }))),
    ...Object.entries(more).flatMap(([label, encodings]) => row('options', undefined, label, 'ec', { namedCurve: 'P-256', ...encodings })),
  ];
}

function ecdh(stock) {
  const agreeing = (crypto, curve, theirs) => {
    const own = crypto.createECDH(curve);
    own.generateKeys();
    return own.computeSecret(theirs);
  };
  const other = (curve, form) => {
    const made = stock.createECDH(curve);
    made.generateKeys();
    return made.getPublicKey(null, form);
  };
  return [
    ...each(['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1', 'secp224r1', 'brainpoolP256r1'], (curve) => ({
      name: 'createECDH', part: '`generateKeys()` and `computeSecret()`', label: curve,
      prepare: () => {
        const theirs = other(curve, 'uncompressed');
        return (crypto) => agreeing(crypto, curve, theirs);
      },
    })),
    ...each(['compressed', 'hybrid'], (form) => ({
      name: 'createECDH', part: 'form of the other key', label: form,
      prepare: () => {
        const theirs = other('prime256v1', form);
        return (crypto) => agreeing(crypto, 'prime256v1', theirs);
      },
    })),
    { name: 'createECDH', part: 'use', label: '`setPrivateKey()`, `getPublicKey()`, `getPrivateKey()`', prepare: () => (crypto) => {
      const own = crypto.createECDH('prime256v1');
      own.setPrivateKey(Buffer.alloc(32, 5));
      return [own.getPublicKey('hex', 'compressed'), own.getPrivateKey('hex')];
    } },
    { name: 'createECDH', part: 'use', label: '`setPublicKey()`', prepare: () => {
      const theirs = other('prime256v1', 'uncompressed');
      return (crypto) => crypto.createECDH('prime256v1').setPublicKey(theirs);
    } },
  ];
}

function ciphers(stock) {
  const MESSAGE_OF_BLOCKS = Buffer.alloc(64, 3);
  /** One whole message, with what `needed` says of the cipher. */
  const parts = (name) => {
    const { keyLength, ivLength, mode } = stock.getCipherInfo(name);
    const isAead = mode === 'gcm' || mode === 'gcm-siv' || mode === 'ccm' || mode === 'ocb' || /poly1305/i.test(name);
    // Of padded key wrap it is prescribed (RFC 5649, section 3).
    const iv = ivLength === undefined ? null : ivLength === 4 ? Buffer.from('a65959a6', 'hex') : Buffer.alloc(ivLength, 5);
    const options = mode === 'ccm' || mode === 'ocb' ? { authTagLength: 16 } : undefined;
    // XTS refuses a key whose halves are equal.
    return { key: Buffer.from(Array.from({ length: keyLength }, (_, at) => at)), iv, options, isAead };
  };
  const encrypting = (name, change = {}) => {
    const { key, iv, options, isAead, message = MESSAGE_OF_BLOCKS } = { ...parts(name), ...change };
    return (crypto) => {
      const cipher = crypto.createCipheriv(name, key, iv, options);
      if (change.aad !== undefined) cipher.setAAD(change.aad);
      const output = Buffer.concat([...(change.pieces ?? [message]).map((piece) => cipher.update(piece)), cipher.final()]);
      return { output, tag: isAead ? cipher.getAuthTag() : undefined };
    };
  };
  const decrypting = (name, change = {}) => {
    const { key, iv, options } = { ...parts(name), ...change };
    const { output, tag } = encrypting(name, change)(stock);
    return (crypto) => {
      const decipher = crypto.createDecipheriv(name, key, iv, options);
      if (tag !== undefined && change.late !== true) decipher.setAuthTag(tag);
      if (change.aad !== undefined) decipher.setAAD(change.aad);
      const plaintext = [decipher.update(output)];
      if (tag !== undefined && change.late === true) decipher.setAuthTag(tag);
      return [...plaintext, decipher.final()];
    };
  };
  const secret = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
  const forms = {
    Buffer: secret, 'KeyObject': stock.createSecretKey(secret), text: secret.toString('latin1'), 'ArrayBuffer': new Uint8Array(secret).buffer, DataView: new DataView(new Uint8Array(secret).buffer),
  };
  const uses = {
    'associated data': { aad: Buffer.alloc(20) },
    'option `authTagLength` of 16': { options: { authTagLength: 16 } },
    'option `authTagLength` of 12': { options: { authTagLength: 12 } },
    'an IV of 16 bytes': { iv: Buffer.alloc(16) },
    'no data': { pieces: [] },
    '64 KiB': { message: Buffer.alloc(65_536) },
    'three pieces': { pieces: [MESSAGE_OF_BLOCKS, MESSAGE_OF_BLOCKS, MESSAGE_OF_BLOCKS] },
  };
  return [['createCipheriv', encrypting], ['createDecipheriv', decrypting]].flatMap(([name, way]) => [
    ...each(stock.getCiphers(), (cipher) => ({ name, part: 'cipher', label: cipher, prepare: () => way(cipher) })),
    ...each(Object.keys(forms), (form) => ({ name, part: 'form of key (aes-256-gcm)', label: form, prepare: () => way('aes-256-gcm', { key: forms[form] }) })),
    ...each(Object.keys(uses), (use) => ({ name, part: 'use (aes-256-gcm)', label: use, prepare: () => way('aes-256-gcm', uses[use]) })),
    ...(name === 'createDecipheriv' ? [{ name, part: 'use (aes-256-gcm)', label: 'the tag after the data', prepare: () => way('aes-256-gcm', { late: true }) }] : []),
    ...each(['aes-256-cbc', 'aes-256-ctr', 'chacha20-poly1305'], (cipher) => ({
      name, part: 'use', label: `64 KiB, ${cipher}`, prepare: () => way(cipher, { message: Buffer.alloc(65_536) }),
    })),
  ]);
}

function encapsulation(stock, keys) {
  const sealing = (kind, form) => () => {
    const key = FORMS[form](keys.of(kind).publicKey, 'spki');
    return (crypto) => crypto.encapsulate(key);
  };
  const opening = (kind, form) => () => {
    const { publicKey, privateKey } = keys.of(kind);
    const { ciphertext } = stock.encapsulate(publicKey);
    const key = FORMS[form](privateKey, 'pkcs8');
    return (crypto) => crypto.decapsulate(key, ciphertext);
  };
  const kinds = ['ML-KEM-512', 'ML-KEM-768', 'ML-KEM-1024', 'X25519', 'X448', 'P-256', 'P-384', 'RSA-2048'];
  return [['encapsulate', sealing], ['decapsulate', opening]].flatMap(([name, way]) => [
    ...each(kinds, (kind) => ({ name, part: 'key', label: kind, prepare: way(kind, 'KeyObject') })),
    ...each(['KeyObject', 'PEM', 'DER', 'JWK'], (form) => ({
      name, part: 'form of key (ML-KEM-768)', label: form, prepare: way('ML-KEM-768', form),
    })),
    { name, part: 'use', label: 'callback', prepare: () => {
      const { publicKey, privateKey } = keys.of('ML-KEM-768');
      const { ciphertext } = stock.encapsulate(publicKey);
      return name === 'encapsulate'
        ? (crypto) => settled((done) => crypto.encapsulate(publicKey, done))
        : (crypto) => settled((done) => crypto.decapsulate(privateKey, ciphertext, done));
    } },
  ]);
}

/** By digest, by what a secret is given as, and by cost. */
function derivation(stock) {
  const names = stock.getHashes();
  const [password, salt] = ['a password', Buffer.from('some 16 bytes...')];
  const argon2 = { message: password, nonce: salt, parallelism: 1, tagLength: 32, memory: 64, passes: 1 };
  const secrets = {
    string: () => 'a key', Buffer: () => Buffer.from('a key'), Uint16Array: () => new Uint16Array(8), ArrayBuffer: () => new ArrayBuffer(8),
    KeyObject: () => stock.createSecretKey(Buffer.from('a key')),
  };
  return [
    ...each(names, (name) => ({ name: 'hkdfSync', part: 'algorithm', label: name, prepare: () => (crypto) => crypto.hkdfSync(name, password, salt, 'info', 32) })),
    ...Object.entries(secrets).map(([label, make]) => ({
      name: 'hkdfSync', part: 'key', label,
      prepare: () => {
        const key = make();
        return (crypto) => crypto.hkdfSync('sha256', key, salt, 'info', 32);
      },
    })),
    ...each([1024, 4096], (length) => ({ name: 'hkdfSync', part: 'length', label: `${length} bytes`, prepare: () => (crypto) => crypto.hkdfSync('sha256', password, salt, 'info', length) })),
    { name: 'hkdf', part: 'use', label: 'callback', prepare: () => (crypto) => settled((done) => crypto.hkdf('sha256', password, salt, 'info', 32, done)) },
    ...each(names, (name) => ({ name: 'pbkdf2Sync', part: 'algorithm', label: name, prepare: () => (crypto) => crypto.pbkdf2Sync(password, salt, 10, 32, name) })),
    ...each(['sha1', 'sha256', 'sha384', 'sha512', 'sha3-256'], (name) => ({ name: 'pbkdf2Sync', part: '1,000 iterations', label: name, prepare: () => (crypto) => crypto.pbkdf2Sync(password, salt, 1000, 32, name) })),
    { name: 'pbkdf2', part: 'use', label: 'callback', prepare: () => (crypto) => settled((done) => crypto.pbkdf2(password, salt, 10, 32, 'sha256', done)) },
    ...Object.entries({ none: undefined, '`N`, `r`, `p`': { N: 16, r: 1, p: 2 }, '`cost`, `blockSize`, `parallelization`': { cost: 16, blockSize: 1, parallelization: 2 }, '`maxmem`': { N: 16, maxmem: 2 ** 20 } }).map(([label, options]) => ({
      name: 'scryptSync', part: 'options', label, prepare: () => (crypto) => crypto.scryptSync(password, salt, 32, options),
    })),
    ...each(['argon2d', 'argon2i', 'argon2id'], (type) => ({ name: 'argon2Sync', part: 'algorithm', label: type, prepare: () => (crypto) => crypto.argon2Sync(type, argon2) })),
    ...Object.entries({ '`secret`': { secret: 'a secret' }, '`associatedData`, 32 bytes': { associatedData: Buffer.alloc(32) }, '`associatedData`, 33 bytes': { associatedData: Buffer.alloc(33) }, '`message` as `ArrayBuffer`': { message: new ArrayBuffer(8) } }).map(([label, more]) => ({
      name: 'argon2Sync', part: 'options', label, prepare: () => (crypto) => crypto.argon2Sync('argon2id', { ...argon2, ...more }),
    })),
    { name: 'argon2', part: 'use', label: 'callback', prepare: () => (crypto) => settled((done) => crypto.argon2('argon2id', argon2, done)) },
    { name: 'scrypt', part: 'use', label: 'callback', prepare: () => (crypto) => settled((done) => crypto.scrypt(password, salt, 32, { N: 16 }, done)) },
    { name: 'scrypt', part: 'use', label: 'callback, no options', prepare: () => (crypto) => settled((done) => crypto.scrypt(password, salt, 32, done)) },
  ];
}
