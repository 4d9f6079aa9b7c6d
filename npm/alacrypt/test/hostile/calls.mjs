/**
 * Each served function with arguments of its own for each call: what the tricks are played on.
 *
 * `args` makes them anew; `run` is given them, and returns the answer or a promise of it. Where an
 * answer is `random`, its kind and size are what is compared.
 */

import crypto from 'node:crypto';

const { Buffer } = globalThis;
const bytes = (length, fill = 7) => Buffer.alloc(length, fill);

/** With a callback: what it is called with, or what is thrown at once. */
const later = (name) => (...args) =>
  new Promise((resolve, reject) => {
    crypto[name](...args, (error, ...values) => (error ? reject(error) : resolve(values.length === 1 ? values[0] : values)));
  });
const atOnce = (name) => (...args) => crypto[name](...args);
const subtle = (name) => (...args) => crypto.webcrypto.subtle[name](...args);

function cipher(make) {
  return (name, key, iv, options, aad, data, encoding, tag) => {
    const object = crypto[make](name, key, iv, options);
    if (aad !== undefined) object.setAAD(aad);
    if (tag !== undefined) object.setAuthTag(tag);
    const parts = [object.update(data, encoding), object.final()];
    if (aad !== undefined && make === 'createCipheriv') parts.push(object.getAuthTag());
    return parts;
  };
}

/** The calls that this host has a function for; `keys` is what {@link ./keys.mjs} made. */
export async function makeCalls(keys) {
  const { webcrypto } = crypto;
  const imported = (format, key, algorithm, uses) => webcrypto.subtle.importKey(format, key, algorithm, false, uses);
  const hmacKey = await imported('raw', bytes(32), { name: 'HMAC', hash: 'SHA-256' }, ['sign', 'verify']);
  const gcmKey = await imported('raw', bytes(32), 'AES-GCM', ['encrypt', 'decrypt']);
  const hkdfKey = await imported('raw', bytes(32), 'HKDF', ['deriveBits']);
  const pbkdf2Key = await imported('raw', bytes(32), 'PBKDF2', ['deriveBits']);
  const from = (text) => Buffer.from(Buffer.from(text, 'base64'));
  const own = (text) => bytes(from(text).length).fill(text, 'base64');
  const rsa = crypto.createPrivateKey(keys.rsa);
  const rsaPublic = crypto.createPublicKey(keys.rsa);
  const x25519 = () => ({ privateKey: crypto.createPrivateKey(keys.x25519), publicKey: crypto.createPublicKey(keys.x25519) });
  const { constants } = crypto;
  const argon2 = () => ({ message: bytes(16), nonce: bytes(16), parallelism: 1, tagLength: 32, memory: 64, passes: 1 });
  const pair = () => ({ namedCurve: 'P-256', publicKeyEncoding: { type: 'spki', format: 'der' }, privateKeyEncoding: { type: 'pkcs8', format: 'der' } });
  const calls = [
    ['hash', () => ['sha256', bytes(48), 'hex'], atOnce('hash')],
    ['createHash', () => ['sha256', { outputLength: 32 }, bytes(48), 'utf8', 'hex'], (name, options, data, encoding, out) => crypto.createHash(name, options).update(data, encoding).copy().digest(out)],
    ['createHmac', () => ['sha256', bytes(32), bytes(48), 'utf8', 'hex'], (name, key, data, encoding, out) => crypto.createHmac(name, key).update(data, encoding).digest(out)],
    ['randomBytes', () => [16], atOnce('randomBytes'), 'random'],
    ['randomBytes', () => [16], later('randomBytes'), 'random'],
    ['randomFillSync', () => [bytes(48), 8, 16], atOnce('randomFillSync'), 'random'],
    ['randomUUID', () => [{ disableEntropyCache: true }], atOnce('randomUUID'), 'random'],
    ['timingSafeEqual', () => [bytes(16), bytes(16)], atOnce('timingSafeEqual')],
    ['createCipheriv', () => ['aes-256-gcm', bytes(32), bytes(12), { authTagLength: 16 }, bytes(20), bytes(40), 'utf8'], cipher('createCipheriv')],
    ['createCipheriv', () => ['aes-128-cbc', bytes(16), bytes(16), {}, undefined, bytes(40), 'utf8'], cipher('createCipheriv')],
    ['createCipheriv', () => ['chacha20-poly1305', bytes(32), bytes(12), { authTagLength: 16 }, bytes(20), bytes(40), 'utf8'], cipher('createCipheriv')],
    ['createDecipheriv', () => ['aes-256-gcm', bytes(32), bytes(12), { authTagLength: 16 }, bytes(20), bytes(40), 'utf8', bytes(16)], cipher('createDecipheriv')],
    ['createDecipheriv', () => ['aes-256-ctr', bytes(32), bytes(16), {}, undefined, bytes(40), 'utf8'], cipher('createDecipheriv')],
    ['sign', () => ['sha256', bytes(48), { key: keys.rsa, padding: constants.RSA_PKCS1_PADDING, dsaEncoding: 'der' }], atOnce('sign')],
    ['sign', () => [null, bytes(48), own(keys.ed25519Der)], (name, data, key) => crypto.sign(name, data, { key, format: 'der', type: 'pkcs8' })],
    ['sign', () => ['sha256', bytes(48), { key: rsa, padding: constants.RSA_PKCS1_PADDING }], later('sign')],
    ['verify', () => ['sha256', bytes(48), { key: rsaPublic, padding: constants.RSA_PKCS1_PADDING }, own(keys.rsaSignature)], atOnce('verify')],
    ['verify', () => ['sha256', bytes(48), keys.rsaPublic, own(keys.rsaSignature)], later('verify')],
    ['createSign', () => ['sha256', bytes(48), 'utf8', { key: keys.rsa, padding: constants.RSA_PKCS1_PADDING }, 'hex'], (name, data, encoding, key, out) => crypto.createSign(name).update(data, encoding).sign(key, out)],
    ['createVerify', () => ['sha256', bytes(48), 'utf8', { key: keys.rsaPublic, padding: constants.RSA_PKCS1_PADDING }, own(keys.rsaSignature), undefined], (name, data, encoding, key, signature, given) => crypto.createVerify(name).update(data, encoding).verify(key, signature, given)],
    ['createPublicKey', () => [{ key: own(keys.rsaPublicDer), format: 'der', type: 'spki' }], (given) => crypto.createPublicKey(given).export({ format: 'der', type: 'spki' })],
    ['createPrivateKey', () => [{ key: own(keys.ed25519Der), format: 'der', type: 'pkcs8' }], (given) => crypto.createPrivateKey(given).export({ format: 'der', type: 'pkcs8' })],
    ['createPublicKey', () => [{ key: { ...keys.jwk }, format: 'jwk' }], (given) => crypto.createPublicKey(given).export({ format: 'der', type: 'spki' })],
    ['publicEncrypt', () => [{ key: keys.rsaPublic, oaepHash: 'sha256', oaepLabel: bytes(8), padding: constants.RSA_PKCS1_OAEP_PADDING }, bytes(20)], atOnce('publicEncrypt'), 'random'],
    ['privateDecrypt', () => [{ key: keys.rsa, oaepHash: 'sha256', oaepLabel: bytes(8), padding: constants.RSA_PKCS1_OAEP_PADDING }, own(keys.oaep)], atOnce('privateDecrypt')],
    ['privateEncrypt', () => [{ key: keys.rsa, padding: constants.RSA_PKCS1_PADDING }, bytes(20)], atOnce('privateEncrypt')],
    ['publicDecrypt', () => [{ key: keys.rsaPublic, padding: constants.RSA_PKCS1_PADDING }, own(keys.rsaPrivateEncrypted)], atOnce('publicDecrypt')],
    ['createECDH', () => ['prime256v1', bytes(32, 3), own(keys.point), 'hex', 'hex'], (curve, secret, other, encoding, out) => {
      const object = crypto.createECDH(curve);
      object.setPrivateKey(secret, encoding);
      return object.computeSecret(other, encoding, out);
    }],
    ['createECDH', () => [own(keys.point), 'prime256v1', 'hex', 'hex', 'compressed'], (...args) => crypto.ECDH.convertKey(...args)],
    ['diffieHellman', () => [x25519()], atOnce('diffieHellman')],
    ['diffieHellman', () => [x25519()], later('diffieHellman'), undefined, (major) => major >= 24],
    ['generateKeyPairSync', () => ['ec', pair()], (...args) => Object.keys(crypto.generateKeyPairSync(...args)), 'random'],
    ['generateKeyPair', () => ['ec', pair()], later('generateKeyPair'), 'random'],
    ['hkdfSync', () => ['sha256', bytes(32), bytes(16), bytes(10), 42], atOnce('hkdfSync')],
    ['hkdf', () => ['sha256', bytes(32), bytes(16), bytes(10), 42], later('hkdf')],
    ['pbkdf2Sync', () => [bytes(32), bytes(16), 10, 32, 'sha256'], atOnce('pbkdf2Sync')],
    ['pbkdf2', () => [bytes(32), bytes(16), 10, 32, 'sha256'], later('pbkdf2')],
    ['scryptSync', () => [bytes(32), bytes(16), 32, { N: 16, r: 8, p: 1 }], atOnce('scryptSync')],
    ['scrypt', () => [bytes(32), bytes(16), 32, { N: 16, r: 8, p: 1 }], later('scrypt')],
    ['argon2Sync', () => ['argon2id', argon2()], atOnce('argon2Sync')],
    ['argon2', () => ['argon2id', argon2()], later('argon2')],
    ['encapsulate', () => [{ key: keys.kemPublic }], (key) => crypto.encapsulate(key), 'random'],
    ['decapsulate', () => [{ key: keys.kem }, own(keys.kemCiphertext ?? '')], atOnce('decapsulate')],
    ['subtle.digest', () => [{ name: 'SHA-256' }, bytes(48)], subtle('digest')],
    ['subtle.sign', () => [{ name: 'HMAC' }, hmacKey, bytes(48)], subtle('sign')],
    ['subtle.verify', () => [{ name: 'HMAC' }, hmacKey, bytes(32), bytes(48)], subtle('verify')],
    ['subtle.encrypt', () => [{ name: 'AES-GCM', iv: bytes(12), additionalData: bytes(20), tagLength: 128 }, gcmKey, bytes(48)], subtle('encrypt')],
    ['subtle.decrypt', () => [{ name: 'AES-GCM', iv: bytes(12), additionalData: bytes(20), tagLength: 128 }, gcmKey, bytes(48)], subtle('decrypt')],
    ['subtle.deriveBits', () => [{ name: 'HKDF', hash: 'SHA-256', salt: bytes(16), info: bytes(10) }, hkdfKey, 256], subtle('deriveBits')],
    ['subtle.deriveBits', () => [{ name: 'PBKDF2', hash: 'SHA-256', salt: bytes(16), iterations: 10 }, pbkdf2Key, 256], subtle('deriveBits')],
    ['getRandomValues', () => [bytes(48)], (view) => webcrypto.getRandomValues(view), 'random'],
  ];
  const major = Number(process.versions.node.split('.')[0]);
  return calls
    .filter(([name, , , , since]) => (name.includes('.') || name === 'getRandomValues' || typeof crypto[name] === 'function') && (since === undefined || since(major)))
    .filter(([name]) => !/capsulate/.test(name) || keys.kem !== undefined)
    .map(([name, args, run, random], number) => ({ name: `${name} (${number})`, args, run, isRandom: random === 'random' }));
}
