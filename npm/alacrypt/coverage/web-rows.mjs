/**
 * Plain calls of Web Crypto for `docs/COVERAGE.md`; see `rows.mjs`.
 */

const MESSAGE = Buffer.from('a message of some thirty bytes');

/** What is done with keys of an algorithm, and ways to come by one. */
const SIGNING = {
  ...Object.fromEntries(['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512', 'SHA3-256'].map((hash) => [`HMAC with ${hash}`, { key: { name: 'HMAC', hash }, use: 'HMAC' }])),
  ...Object.fromEntries(['P-256', 'P-384', 'P-521'].map((namedCurve) => [`ECDSA on ${namedCurve}`, { key: { name: 'ECDSA', namedCurve }, use: { name: 'ECDSA', hash: 'SHA-256' } }])),
  Ed25519: { key: 'Ed25519', use: 'Ed25519' },
  Ed448: { key: 'Ed448', use: 'Ed448' },
  'RSASSA-PKCS1-v1_5': { key: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, use: 'RSASSA-PKCS1-v1_5' },
  'RSA-PSS': { key: { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, use: { name: 'RSA-PSS', saltLength: 32 } },
  ...Object.fromEntries(['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'].map((name) => [name, { key: name, use: name }])),
};

const ENCRYPTING = {
  'AES-GCM': { iv: Buffer.alloc(12) },
  'AES-GCM with a nonce of 16 bytes': { name: 'AES-GCM', iv: Buffer.alloc(16) },
  'AES-GCM with a tag of 96 bits': { name: 'AES-GCM', iv: Buffer.alloc(12), tagLength: 96 },
  'AES-GCM with additional data': { name: 'AES-GCM', iv: Buffer.alloc(12), additionalData: MESSAGE },
  'AES-CBC': { iv: Buffer.alloc(16) },
  'AES-CTR': { counter: Buffer.alloc(16), length: 64 },
  'AES-OCB': { iv: Buffer.alloc(12) },
  'ChaCha20-Poly1305': { iv: Buffer.alloc(12) },
};

const once = (make) => {
  let made;
  return () => (made ??= make());
};

/** A call whose key is made first, once. */
const withKey = (makeKey, call) => () => {
  const key = once(makeKey);
  return async (crypto) => call(crypto.webcrypto.subtle, await key());
};

export function webRows({ webcrypto: { subtle } }) {
  return [
    ...['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512', 'SHA3-256', 'SHA3-384', 'SHA3-512', 'cSHAKE128', 'TurboSHAKE128', 'KT128'].map((name) => ({
      name: 'subtle.digest', part: 'algorithm', label: name,
      prepare: () => {
        const algorithm = name.startsWith('SHA') ? name : { name, outputLength: 256 };
        return (crypto) => crypto.webcrypto.subtle.digest(algorithm, MESSAGE);
      },
    })),
    ...[['16 KiB', 16_384], ['64 KiB', 65_536]].map(([label, size]) => ({
      name: 'subtle.digest', part: 'use', label, prepare: () => (crypto) => crypto.webcrypto.subtle.digest('SHA-256', Buffer.alloc(size)),
    })),
    ...signing(subtle),
    ...encrypting(subtle),
    ...wayToKeys(subtle),
    ...deriving(subtle),
  ];
}

function signing(subtle) {
  return Object.entries(SIGNING).flatMap(([label, { key, use }]) => {
    const make = async () => {
      const made = await subtle.generateKey(key, true, ['sign', 'verify']);
      return made.type === undefined ? made : { privateKey: made, publicKey: made };
    };
    return [
      { name: 'subtle.sign', part: 'algorithm', label, prepare: withKey(make, (own, { privateKey }) => own.sign(use, privateKey, MESSAGE)) },
      {
        name: 'subtle.verify', part: 'algorithm', label,
        prepare: withKey(
          async () => {
            const { privateKey, publicKey } = await make();
            return { publicKey, signature: await subtle.sign(use, privateKey, MESSAGE) };
          },
          (own, { publicKey, signature }) => own.verify(use, publicKey, signature, MESSAGE),
        ),
      },
    ];
  });
}

function encrypting(subtle) {
  return Object.entries(ENCRYPTING).flatMap(([label, given]) => {
    const algorithm = { name: label, ...given };
    const make = () => subtle.generateKey({ name: algorithm.name, length: 256 }, true, ['encrypt', 'decrypt']);
    return [
      { name: 'subtle.encrypt', part: 'algorithm', label, prepare: withKey(make, (own, key) => own.encrypt(algorithm, key, MESSAGE)) },
      {
        name: 'subtle.decrypt', part: 'algorithm', label,
        prepare: withKey(
          async () => {
            const key = await make();
            return { key, sealed: await subtle.encrypt(algorithm, key, MESSAGE) };
          },
          (own, { key, sealed }) => own.decrypt(algorithm, key, sealed),
        ),
      },
    ];
  });
}

const SALT = { salt: Buffer.alloc(16), hash: 'SHA-256' };
const DERIVING = {
  HKDF: [['raw', 'HKDF'], () => ({ name: 'HKDF', ...SALT, info: MESSAGE })],
  'PBKDF2 with SHA-256': [['raw', 'PBKDF2'], () => ({ name: 'PBKDF2', ...SALT, iterations: 10 })],
  'PBKDF2 with SHA-512': [['raw', 'PBKDF2'], () => ({ name: 'PBKDF2', ...SALT, hash: 'SHA-512', iterations: 10 })],
  ...Object.fromEntries(['P-256', 'P-384', 'P-521'].map((namedCurve) => [`ECDH on ${namedCurve}`, [['pair', { name: 'ECDH', namedCurve }], (peer) => ({ name: 'ECDH', public: peer })]])),
  X25519: [['pair', 'X25519'], (peer) => ({ name: 'X25519', public: peer })],
  X448: [['pair', 'X448'], (peer) => ({ name: 'X448', public: peer })],
};

function deriving(subtle) {
  return Object.entries(DERIVING).map(([label, [[origin, algorithm], use]]) => ({
    name: 'subtle.deriveBits', part: 'algorithm', label,
    prepare: withKey(
      async () => {
        if (origin === 'pair') return subtle.generateKey(algorithm, true, ['deriveBits']);
        return { privateKey: await subtle.importKey('raw', Buffer.alloc(32, 1), algorithm, false, ['deriveBits']) };
      },
      (own, { privateKey, publicKey }) => own.deriveBits(use(publicKey), privateKey, 256),
    ),
  }));
}

/** Keys of each origin. */
function wayToKeys(subtle) {
  const mac = { name: 'HMAC', hash: 'SHA-256' };
  const ec = { name: 'ECDSA', namedCurve: 'P-256' };
  const raw = Buffer.alloc(32, 1);
  const pair = (extractable) => subtle.generateKey(ec, extractable, ['sign', 'verify']);
  const exported = async (format, side) => subtle.exportKey(format, (await pair(true))[side]);
  const ways = {
    'secret, imported, not to be exported': () => subtle.importKey('raw', raw, mac, false, ['sign']),
    'secret, imported as JWK, not to be exported': () => subtle.importKey('jwk', { kty: 'oct', k: raw.toString('base64url') }, mac, false, ['sign']),
    'secret, generated': () => subtle.generateKey(mac, true, ['sign']),
    'secret, generated, not to be exported': () => subtle.generateKey(mac, false, ['sign']),
    'secret, a clone': async () => structuredClone(await subtle.importKey('raw', raw, mac, true, ['sign'])),
    'private, imported': async () => subtle.importKey('pkcs8', await exported('pkcs8', 'privateKey'), ec, true, ['sign']),
    'private, imported, not to be exported': async () => subtle.importKey('pkcs8', await exported('pkcs8', 'privateKey'), ec, false, ['sign']),
    'private, imported as JWK, not to be exported': async () => subtle.importKey('jwk', { ...(await exported('jwk', 'privateKey')), ext: false, key_ops: ['sign'] }, ec, false, ['sign']),
    'private, generated, not to be exported': async () => (await pair(false)).privateKey,
  };
  return Object.entries(ways).map(([label, make]) => ({
    name: 'subtle.sign', part: 'key (HMAC, ECDSA on P-256)', label,
    prepare: withKey(make, (own, key) => own.sign(key.type === 'secret' ? 'HMAC' : { name: 'ECDSA', hash: 'SHA-256' }, key, MESSAGE)),
  }));
}
