/**
 * What is drawn for each API: kinds of call and their weights. Calls of other kinds come in
 * between, since objects share memory on our side.
 */

const NOISE = { hash: 2, chain: 3, randomBytes: 1 };

/**
 * Calls with keys are slow, and so each API has its share of the time. Bun and Deno are served none
 * of them.
 */
const keyed = (seconds, weights, more) => ({ weights, program: 24, seconds, oracle: true, only: 'node', ...more });

/**
 * `seconds` instead of those of main.mjs; with `oracle` the host's own functions are kept from
 * before the hook; `needs` names a function that not every host has.
 *
 * @type {Record<string, { weights: Record<string, number>, program: number, seconds?: number, oracle?: boolean, needs?: string, poison?: boolean, only?: string }>}
 */
export const APIS = {
  createHash: {
    weights: { createHash: 25, update: 38, cutText: 6, digest: 18, copy: 2, encodedUpdate: 6, chain: 10, inspect: 1, createHmac: 3, ...NOISE },
    program: 24,
  },
  createHmac: {
    weights: { createHmac: 25, update: 38, cutText: 6, digest: 18, encodedUpdate: 6, chain: 10, inspect: 1, createHash: 3, createSecretKey: 2, ...NOISE },
    program: 24,
  },
  'Hash.copy': {
    weights: { createHash: 8, update: 25, cutText: 6, digest: 10, copy: 25, stream: 4, ...NOISE },
    program: 24,
  },
  streams: {
    weights: { createHash: 8, createHmac: 8, stream: 70, update: 8, digest: 6, copy: 2, ...NOISE },
    program: 24,
  },
  hash: {
    weights: { hash: 90, update: 3, createHash: 1, digest: 1, createHmac: 1 },
    program: 24,
  },
  randomBytes: {
    weights: { randomBytes: 60, randomBytesApart: 5, randomBytesCallback: 5, randomUUID: 2, randomInt: 2, update: 2, digest: 1 },
    program: 24,
  },
  randomFillSync: {
    weights: { randomFillSync: 60, randomBytes: 3, update: 2, digest: 1 },
    program: 24,
  },
  getRandomValues: {
    weights: { getRandomValues: 60, randomBytes: 3, update: 2, digest: 1 },
    program: 24,
  },
  timingSafeEqual: { weights: { timingSafeEqual: 60 }, program: 50 },
  getHashes: { weights: { getHashes: 20, chain: 20, createHash: 5 }, program: 24 },
  objects: {
    weights: { createHash: 10, createHmac: 10, shape: 12, inspect: 10, oddReceiver: 25, construct: 6, agent: 4, update: 12, digest: 8, copy: 3, stream: 4, ...NOISE },
    program: 24,
  },
  poisoned: {
    weights: { createHash: 12, createHmac: 12, update: 30, encodedUpdate: 6, cutText: 4, digest: 18, copy: 5, chain: 20, hash: 12, randomBytes: 8, randomFillSync: 8, getRandomValues: 6 },
    program: 24,
    poison: true,
    // Bun and Deno read patched built-ins themselves.
    only: 'node',
  },
  fips: {
    weights: { createHash: 12, createHmac: 12, fips: 8, update: 25, flood: 6, cutText: 4, digest: 18, copy: 4, stream: 8, chain: 8, hash: 8, randomBytes: 4, randomFillSync: 4, getRandomValues: 3, getHashes: 1 },
    program: 24,
    only: 'node',
  },
  sign: keyed(5, { sign: 90, ...NOISE }),
  verify: keyed(5, { verify: 90, ...NOISE }),
  'createSign and createVerify': keyed(4, {
    createSign: 14, createVerify: 14, signUpdate: 20, signChain: 24, signFinish: 6, verifyFinish: 6, signStream: 20, signInspect: 1, signOddReceiver: 2, ...NOISE,
  }),
  createPublicKey: keyed(4, { createPublicKey: 60, keyUse: 16, keyProperties: 3, keyEquals: 2, sign: 1, verify: 4, createSecretKey: 2, ...NOISE }),
  createPrivateKey: keyed(3, { createPrivateKey: 60, keyUse: 16, keyProperties: 3, keyEquals: 2, sign: 4, ...NOISE }),
  KeyObject: keyed(4, {
    createPublicKey: 10, createPrivateKey: 10, createSecret: 12, keyExport: 40, keyProperties: 12, keyEquals: 8, keyCopy: 8, keyToCryptoKey: 6, keyUse: 12, createHmac: 3, digest: 2, ...NOISE,
  }),
  diffieHellman: keyed(3, { diffieHellman: 90, ...NOISE }),
  ECDH: keyed(3, { createECDH: 14, ecdhKeys: 34, ecdhSecret: 40, convertKey: 14, ...NOISE }),
  DiffieHellman: keyed(2, { createDiffieHellman: 7, dhKeys: 40, dhSecret: 30, ...NOISE }),
  'publicEncrypt and privateDecrypt': keyed(3, { publicEncrypt: 40, privateDecrypt: 60, ...NOISE }),
  'privateEncrypt and publicDecrypt': keyed(2, { privateEncrypt: 50, publicDecrypt: 50, ...NOISE }),
  'createCipheriv and createDecipheriv': keyed(6, {
    cipherChain: 60, createCipheriv: 6, createDecipheriv: 6, cipherUpdate: 12, cipherTag: 4, cipherAad: 3, cipherPadding: 2, cipherFinal: 8, cipherPieces: 2, cipherInspect: 1, cipherOddReceiver: 2, ...NOISE,
  }),
  'cipher streams': keyed(3, { cipherStream: 70, createCipheriv: 10, createDecipheriv: 10, cipherUpdate: 3, cipherTag: 6, cipherAad: 2, cipherFinal: 1, ...NOISE }),
  'encapsulate and decapsulate': keyed(2, { encapsulate: 50, decapsulate: 50, ...NOISE }, { needs: 'encapsulate' }),
  hkdf: keyed(3, { hkdf: 90, createSecretKey: 2, createHmac: 2, update: 2, digest: 1, ...NOISE }),
  pbkdf2: keyed(2, { pbkdf2: 90, update: 2, digest: 1, ...NOISE }),
  scrypt: keyed(2, { scrypt: 90, update: 2, digest: 1, ...NOISE }),
  argon2: keyed(3, { argon2: 90, update: 2, digest: 1, ...NOISE }, { needs: 'argon2' }),
  generateKeyPair: keyed(3, { generateKeyPair: 90, ...NOISE }),
  'generateKey and primes': keyed(2, { generateKey: 40, generatePrime: 30, checkPrime: 40, ...NOISE }),
  'subtle digest': keyed(3, { subtleDigest: 90, ...NOISE }),
  'subtle sign and verify': keyed(6, { subtleSign: 45, subtleVerify: 55, subtleKey: 6, subtleDigest: 4, sign: 1, createHmac: 1, ...NOISE }),
  'subtle encrypt and decrypt': keyed(4, { subtleCrypt: 90, subtleKey: 4, subtleDigest: 2, cipherChain: 2, ...NOISE }),
  'subtle deriveBits': keyed(4, { subtleDerive: 90, subtleKey: 3, subtleSign: 2, hkdf: 2, ...NOISE }),
  'web crypto and FIPS': keyed(2, { fips: 8, subtleDigest: 40, hash: 3, createHash: 3, update: 4, digest: 3 }),
  X509Certificate: keyed(2, { x509: 20, x509Property: 30, x509Method: 10, x509Check: 16, x509Verify: 24, x509Belongs: 10, createPublicKey: 2, ...NOISE }),
  'poisoned keys': keyed(
    3,
    { sign: 20, verify: 20, createPublicKey: 12, createPrivateKey: 12, createSecret: 4, keyExport: 6, keyProperties: 3, diffieHellman: 6, hkdf: 5, pbkdf2: 3, scrypt: 3, argon2: 3, publicEncrypt: 4, privateDecrypt: 4, signChain: 8, createSign: 3, createVerify: 3, cipherChain: 16, cipherStream: 3, ecdhSecret: 4, generateKeyPair: 2, x509: 1, x509Verify: 2 },
    { poison: true },
  ),
  // Older lines abort when a key that was read under FIPS is to become a JWK, and in `privateDecrypt`.
  'keys and FIPS': keyed(2, { fips: 8, sign: 20, cipherChain: 16, verify: 24, createPublicKey: 10, createPrivateKey: 10, keyUse: 10, diffieHellman: 8, hkdf: 4, pbkdf2: 3, scrypt: 2, argon2: 2, publicEncrypt: 4, generateKeyPair: 2, createHash: 2, update: 2, digest: 2 }),
};
