/**
 * What `handed-back.mjs` measures: calls that are handed back, and, where the engine has
 * what they need, a call that has it do the same work.
 */

import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';

const POOL = new URL('../../../vectors/key/pool.json', import.meta.url);
const { keys: pool, certificates } = JSON.parse(readFileSync(POOL, 'utf8'));

const MESSAGE = Buffer.from('a message of some thirty bytes');
const SECRET = Buffer.alloc(32, 7);
const NONE = 'the engine has none';

const pair = (name) => {
  const privateKey = crypto.createPrivateKey(pool[name].private);
  return { privateKey, publicKey: crypto.createPublicKey(privateKey) };
};
const pem = (key) => key.export({ format: 'pem', type: key.type === 'private' ? 'pkcs8' : 'spki' });

const signing = [
  ['RSA-2048', 'rsa2048', 'sha256', 'as fast: the private operation is all of it'],
  ['RSA-4096', 'rsa4096', 'sha256', 'as fast'],
].flatMap(([label, name, digest, why]) => [
  {
    part: '`sign`, `createSign`', label: `${label}, \`KeyObject\``, why,
    call() {
      const { privateKey } = pair(name);
      return ({ sign }) => sign(digest, MESSAGE, privateKey);
    },
    engine() {
      const text = pem(pair(name).privateKey);
      return ({ sign }) => sign(digest, MESSAGE, text);
    },
  },
]);

/** A key whose digest and salt are prescribed, without a length of salt that is asked for; the engine has to be told one. */
const pss = (part, label, why, call) => ({
  part, label, why,
  call: () => call(pair('pss2048sha256'), undefined),
  engine: () => call(pair('pss2048sha256'), 32),
});

/** Newer lines keep the key inside where their own functions alone find it, and warn of such use (DEP0203). */
const WARNED = 'newer lines hide the key inside, and warn of such use; "engine" is with a `KeyObject`';
const cryptoKeys = [
  ['`sign`, `createSign`', 'P-256, `CryptoKey`', 'p256', { name: 'ECDSA', namedCurve: 'P-256' }, (key) => ({ sign }) => sign('sha256', MESSAGE, key.privateKey)],
  ['`verify`, `createVerify`', 'RSA-2048, `CryptoKey`', 'rsa2048', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, (key) => {
    const signature = crypto.sign('sha256', MESSAGE, pool.rsa2048.private);
    return ({ verify }) => verify('sha256', MESSAGE, key.publicKey, signature);
  }],
  ['`KeyObject`', '`createPublicKey` of a private `CryptoKey`', 'p256', { name: 'ECDSA', namedCurve: 'P-256' }, (key) => ({ createPublicKey }) => createPublicKey(key.privateKey)],
].map(([part, label, name, algorithm, make]) => ({
  part, label, why: WARNED,
  call() {
    const { privateKey, publicKey } = pair(name);
    return make({ privateKey: privateKey.toCryptoKey(algorithm, true, ['sign']), publicKey: publicKey.toCryptoKey(algorithm, true, ['verify']) });
  },
  engine: part === '`KeyObject`' ? undefined : () => make(pair(name)),
}));

const lacking = [
  ['P-224', 'p224', 'sha256'], ['P-192', 'p192', 'sha256'], ['brainpoolP256r1', 'brainpool256', 'sha256'], ['sect233r1', 'sect233', 'sha256'],
  ['DSA-2048', 'dsa2048', 'sha256'], ['Ed448', 'ed448', undefined], ['SLH-DSA-SHA2-128f', 'slhdsa128f', undefined],
].flatMap(([label, name, digest]) => [
  {
    part: '`sign`, `createSign`', label, why: NONE,
    call() {
      const { privateKey } = pair(name);
      return ({ sign }) => sign(digest, MESSAGE, privateKey);
    },
  },
  {
    part: '`verify`, `createVerify`', label, why: NONE,
    call() {
      const { privateKey, publicKey } = pair(name);
      const signature = crypto.sign(digest, MESSAGE, privateKey);
      return ({ verify }) => verify(digest, MESSAGE, publicKey, signature);
    },
  },
]);

const agreement = ['x448', 'p224', 'brainpool256', 'dh14'].map((name) => ({
  part: '`diffieHellman`', label: { x448: 'X448', p224: 'P-224', brainpool256: 'brainpoolP256r1', dh14: 'DH, modp14' }[name], why: NONE,
  call() {
    const keys = pair(name);
    return ({ diffieHellman }) => diffieHellman(keys);
  },
}));

const objects = [
  ...['prime256v1', 'secp224r1', 'brainpoolP256r1'].map((curve) => ({
    part: '`createECDH`', label: curve === 'prime256v1' ? 'prime256v1, `setPublicKey()`' : `${curve}, \`generateKeys()\` and \`computeSecret()\``,
    why: curve === 'prime256v1' ? 'such a pair may not belong together' : NONE,
    call() {
      const other = crypto.createECDH(curve);
      const theirs = other.generateKeys();
      if (curve === 'prime256v1') return ({ createECDH }) => createECDH(curve).setPublicKey(theirs);
      return ({ createECDH }) => {
        const own = createECDH(curve);
        own.generateKeys();
        return own.computeSecret(theirs);
      };
    },
  })),
  ...['modp5', 'modp14'].map((group) => ({
    part: '`createDiffieHellman`, `getDiffieHellman`', label: `${group}: \`generateKeys()\` and \`computeSecret()\``, why: NONE,
    call() {
      const other = crypto.getDiffieHellman(group);
      const theirs = other.generateKeys();
      return ({ getDiffieHellman }) => {
        const own = getDiffieHellman(group);
        own.generateKeys();
        return own.computeSecret(theirs);
      };
    },
  })),
  {
    part: '`createDiffieHellman`, `getDiffieHellman`', label: '`createDiffieHellman(prime)`, the same', why: NONE,
    call() {
      const prime = crypto.getDiffieHellman('modp5').getPrime();
      const theirs = crypto.createDiffieHellman(prime).generateKeys();
      return ({ createDiffieHellman }) => {
        const own = createDiffieHellman(prime);
        own.generateKeys();
        return own.computeSecret(theirs);
      };
    },
  },
];

const encoding = (format) => ({ publicKeyEncoding: { format, type: 'spki' }, privateKeyEncoding: { format, type: 'pkcs8' } });

/** New pairs as `KeyObject`s; the engine's would be made of its DER. */
const pairs = [
  ['P-256', 'ec', { namedCurve: 'P-256' }], ['Ed25519', 'ed25519', {}], ['X25519', 'x25519', {}],
  ['ML-DSA-44', 'ml-dsa-44', {}], ['ML-DSA-65', 'ml-dsa-65', {}], ['ML-DSA-87', 'ml-dsa-87', {}], ['ML-KEM-768', 'ml-kem-768', {}],
].map(([label, type, options]) => ({
  part: '`generateKeyPair`, `generateKeyPairSync`', label: `${label}, as \`KeyObject\`s`, why: 'the host would have to read what the engine made',
  call: () => ({ generateKeyPairSync }) => generateKeyPairSync(type, options),
  engine() {
    const all = { ...options, ...encoding('der') };
    return ({ generateKeyPairSync, createPrivateKey, createPublicKey }) => {
      const privateKey = createPrivateKey({ key: generateKeyPairSync(type, all).privateKey, format: 'der', type: 'pkcs8' });
      return { privateKey, publicKey: createPublicKey(privateKey) };
    };
  },
}));
const otherPairs = [
  ['P-224', 'ec', { namedCurve: 'P-224' }], ['brainpoolP256r1', 'ec', { namedCurve: 'brainpoolP256r1' }], ['Ed448', 'ed448', {}], ['X448', 'x448', {}],
  ['DH, modp14', 'dh', { group: 'modp14' }], ['SLH-DSA-SHA2-128f', 'slh-dsa-sha2-128f', {}],
].map(([label, type, options]) => ({
  part: '`generateKeyPair`, `generateKeyPairSync`', label, why: NONE,
  call: () => ({ generateKeyPairSync }) => generateKeyPairSync(type, options),
}));
const formsOfPairs = [
  {
    part: '`generateKeyPair`, `generateKeyPairSync`', label: 'RSA-2048', why: 'AWS-LC takes 1.5 times as long; chance makes these differ from one another',
    call: () => ({ generateKeyPairSync }) => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  },
  {
    part: '`generateKeyPair`, `generateKeyPairSync`', label: 'P-256, as JWK', why: 'rare; "engine" is what it takes as DER',
    call: () => ({ generateKeyPairSync }) => generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding: { format: 'jwk' }, privateKeyEncoding: { format: 'jwk' } }),
    engine: () => ({ generateKeyPairSync }) => generateKeyPairSync('ec', { namedCurve: 'P-256', ...encoding('der') }),
  },
  {
    part: '`generateKeyPair`, `generateKeyPairSync`', label: 'P-256, encrypted', why: 'most of it is the derivation of the key for the cipher',
    call() {
      const options = { namedCurve: 'P-256', ...encoding('pem') };
      options.privateKeyEncoding = { ...options.privateKeyEncoding, cipher: 'aes-256-cbc', passphrase: 'a passphrase' };
      return ({ generateKeyPairSync }) => generateKeyPairSync('ec', options);
    },
  },
];

const encryption = [
  ['`privateDecrypt`', 'RSA-2048, OAEP, `KeyObject`', 'as fast: the private operation is all of it', (key) => {
    const sealed = crypto.publicEncrypt(pair('rsa2048').publicKey, MESSAGE);
    return ({ privateDecrypt }) => privateDecrypt(key, sealed);
  }],
  ['`privateEncrypt`', 'RSA-2048, `KeyObject`', 'as fast', (key) => ({ privateEncrypt }) => privateEncrypt(key, MESSAGE)],
].map(([part, label, why, make]) => ({
  part, label, why,
  call: () => make(pair('rsa2048').privateKey),
  engine: () => make(pem(pair('rsa2048').privateKey)),
}));
encryption.push({
  part: '`privateDecrypt`', label: 'RSA-2048, PKCS #1 v1.5', why: 'never: the engine tells a wrong padding from a right one',
  call() {
    const { privateKey, publicKey } = pair('rsa2048');
    const options = { padding: crypto.constants.RSA_PKCS1_PADDING };
    const sealed = crypto.publicEncrypt({ key: publicKey, ...options }, MESSAGE);
    return ({ privateDecrypt }) => privateDecrypt({ key: privateKey, ...options }, sealed);
  },
});

const encapsulation = ['x25519', 'p256', 'rsa2048'].map((name) => ({
  part: '`encapsulate`, `decapsulate`', label: { x25519: 'X25519', p256: 'P-256', rsa2048: 'RSA-2048' }[name], why: NONE,
  call() {
    const { privateKey, publicKey } = pair(name);
    return ({ encapsulate, decapsulate }) => decapsulate(privateKey, encapsulate(publicKey).ciphertext);
  },
}));

const [certificate] = Object.values(certificates).map((one) => (typeof one === 'string' ? one : one.pem ?? one.certificate));
/** What has no faster form here: the host's own function is called, with the hook and without it. */
const rest = [
  ['`KeyObject`', '`export`, RSA-2048 public, PEM', () => { const { publicKey } = pair('rsa2048'); return () => publicKey.export({ format: 'pem', type: 'spki' }); }],
  ['`KeyObject`', '`export`, P-256 private, DER', () => { const { privateKey } = pair('p256'); return () => privateKey.export({ format: 'der', type: 'pkcs8' }); }],
  ['`KeyObject`', '`export`, P-256 public, JWK', () => { const { publicKey } = pair('p256'); return () => publicKey.export({ format: 'jwk' }); }],
  ['`KeyObject`', '`export` of a secret', () => { const key = crypto.createSecretKey(SECRET); return () => key.export(); }],
  ['`KeyObject`', '`equals`, P-256', () => { const { publicKey } = pair('p256'); const other = pair('p256').publicKey; return () => publicKey.equals(other); }],
  ['`KeyObject`', '`createPublicKey` of a private one', () => { const { privateKey } = pair('p256'); return ({ createPublicKey }) => createPublicKey(privateKey); }],
  ['`KeyObject`', '`createSecretKey`', () => ({ createSecretKey }) => createSecretKey(SECRET)],
  ['`X509Certificate`', '`new`', () => ({ X509Certificate }) => new X509Certificate(certificate)],
  ['`X509Certificate`', '`new`, then `fingerprint256`', () => ({ X509Certificate }) => new X509Certificate(certificate).fingerprint256],
  ['`X509Certificate`', '`verify`', () => { const one = new crypto.X509Certificate(certificate); const key = one.publicKey; return () => one.verify(key); }],
  ['`X509Certificate`', '`checkIssued`', () => { const one = new crypto.X509Certificate(certificate); return () => one.checkIssued(one); }],
  ['Primes and secrets', '`generatePrimeSync(256)`', () => ({ generatePrimeSync }) => generatePrimeSync(256)],
  ['Primes and secrets', '`checkPrimeSync`, 512 bits', () => { const prime = crypto.generatePrimeSync(512); return ({ checkPrimeSync }) => checkPrimeSync(prime); }],
  ['Primes and secrets', '`generateKeySync(\'aes\', { length: 256 })`', () => ({ generateKeySync }) => generateKeySync('aes', { length: 256 })],
].map(([part, label, call]) => ({ part, label, call, why: label.includes('equals') ? 'with the hook two keys of one content share a native key, and are seen to be equal at once' : part === '`KeyObject`' ? 'the host\'s own object' : part === '`X509Certificate`' ? 'the engine reads no certificates' : label.includes('Key') ? 'one native object' : NONE }));

/** Ciphers that the host keeps, with one message of 64 bytes. */
const modes = [
  ['aes-256-cfb1', 16, 'an operation of AES for each bit: the engine takes 1.1 to 1.5 times as long'],
  ['aes-256-cfb8', 16, 'an operation of AES for each byte: from some 1 KiB on the engine takes 1.1 times as long', 4096],
  ['aes-256-ccm', 12, 'not done: its checks of lengths are the host\'s'],
  ['aes-256-ocb', 12, NONE],
  ['aes-128-xts', 16, NONE],
  ['chacha20', 16, 'none: without authentication it is not there'],
  ['des-ede3-cbc', 8, 'not done: rare'],
  ['camellia-256-cbc', 16, NONE],
  ['aes-256-cbc', 16, 'as fast: AES is all of it', 65_536],
].map(([name, ivLength, why, length = 64]) => ({
  part: '`createCipheriv`', label: `${name}, ${length.toLocaleString('en')} bytes`, why,
  call() {
    const { keyLength } = crypto.getCipherInfo(name);
    const key = Buffer.from(Array.from({ length: keyLength }, (_, at) => at));
    const [iv, message] = [Buffer.alloc(ivLength, 5), Buffer.alloc(length, 3)];
    const options = /ccm|ocb/.test(name) ? { authTagLength: 16 } : undefined;
    return ({ createCipheriv }) => {
      const cipher = createCipheriv(name, key, iv, options);
      return [cipher.update(message), cipher.final()];
    };
  },
}));

const settled = (start) => new Promise((resolve, reject) => start((error, answer) => (error ? reject(error) : resolve(answer))));
const sixteen = Buffer.alloc(16);
const OWN = 'the host keeps random bytes of its own';
const inPool = 'the way to another thread and back is most of it; "engine" is the same without a callback';

/** Functions that draw random bytes. */
const random = [
  ['`randomBytes`, 16 bytes, callback', inPool, () => ({ randomBytes }) => settled((done) => randomBytes(16, done)), () => ({ randomBytes }) => randomBytes(16)],
  ['`randomFill`, 16 bytes, callback', inPool, () => ({ randomFill }) => settled((done) => randomFill(sixteen, done)), () => ({ randomFillSync }) => randomFillSync(sixteen)],
  ['`randomUUID()`', OWN, () => ({ randomUUID }) => randomUUID(), () => ({ randomBytes }) => randomBytes(16)],
  ['`randomUUID({ disableEntropyCache: true })`', 'not done: rare; "engine" is its 16 bytes, without the text', () => ({ randomUUID }) => randomUUID({ disableEntropyCache: true }), () => ({ randomBytes }) => randomBytes(16)],
  ['`randomUUIDv7()`', OWN, () => ({ randomUUIDv7 }) => randomUUIDv7()],
  ['`randomInt(1000)`', OWN, () => ({ randomInt }) => randomInt(1000)],
].map(([label, why, call, engine]) => ({ part: 'Random', label, why, call, ...(engine === undefined ? {} : { engine }) }));

/** `createMac`, where the host has it. */
const macs = [
  ['hmac', { digest: 'sha256' }, 32, 'not done: new, and few call it; "engine" is `createHmac`', () => ({ createHmac }) => createHmac('sha256', SECRET).update(MESSAGE).digest()],
  ['cmac', { cipher: 'aes-256-cbc' }, 32, 'not done: new, and few call it'],
  ['gmac', { cipher: 'aes-256-gcm', iv: Buffer.alloc(12) }, 32, 'not done: new, and few call it'],
  ['poly1305', {}, 32, 'not done: new, and few call it'],
  ['kmac128', {}, 32, NONE],
  ['siphash', {}, 16, NONE],
].map(([name, options, keyLength, why, engine]) => ({
  part: '`createMac`', label: name, why,
  call() {
    const key = crypto.createSecretKey(Buffer.alloc(keyLength, 7));
    return ({ createMac }) => createMac(name, key, options).update(MESSAGE).final();
  },
  ...(engine === undefined ? {} : { engine }),
}));

/** Whatever has nothing to win: these are the host's own functions, which a test makes sure of. */
const others = [
  ['`timingSafeEqual`, 32 bytes', () => ({ timingSafeEqual }) => timingSafeEqual(SECRET, SECRET)],
  ['`getCiphers`', () => ({ getCiphers }) => getCiphers()],
  ['`getCipherInfo`', () => ({ getCipherInfo }) => getCipherInfo('aes-256-gcm')],
  ['`getCurves`', () => ({ getCurves }) => getCurves()],
  ['`getHashes`', () => ({ getHashes }) => getHashes()],
  ['`getMacs`', () => ({ getMacs }) => getMacs()],
  ['`secureHeapUsed`', () => ({ secureHeapUsed }) => secureHeapUsed()],
  ['`constants`', () => (module) => module.constants],
  ['`Certificate.verifySpkac`', () => { const spkac = Buffer.from('no challenge'); return ({ Certificate }) => Certificate.verifySpkac(spkac); }],
].map(([label, call]) => ({ part: 'The rest', label, call, why: 'the host\'s own' }));

export const calls = [
  ...signing,
  ...cryptoKeys.filter(({ part }) => part.includes('sign')),
  pss('`sign`, `createSign`', 'RSA-PSS with parameters, 2,048 bits, PEM, no salt length', 'it is OpenSSL that decides how much salt that is', ({ privateKey }, saltLength) => {
    const key = { key: pem(privateKey), saltLength };
    return ({ sign }) => sign('sha256', MESSAGE, key);
  }),
  ...lacking.filter(({ part }) => part.includes('sign')),
  pss('`verify`, `createVerify`', 'RSA-PSS with parameters, 2,048 bits, no salt length', 'it is OpenSSL that decides how much salt that is', ({ privateKey, publicKey }, saltLength) => {
    const signature = crypto.sign('sha256', MESSAGE, { key: privateKey, saltLength: 32 });
    return ({ verify }) => verify('sha256', MESSAGE, { key: publicKey, saltLength }, signature);
  }),
  ...lacking.filter(({ part }) => part.includes('verify')),
  ...cryptoKeys.filter(({ part }) => part.includes('verify')),
  ...agreement, ...objects, ...pairs, ...formsOfPairs, ...otherPairs, ...encryption, ...encapsulation, ...modes, ...random, ...macs,
  ...cryptoKeys.filter(({ part }) => part.includes('Object')), ...rest, ...others,
];
