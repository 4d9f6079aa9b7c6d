/**
 * All kinds of call that have to do with keys.
 *
 * Loaded when a program first draws one: other programs need no pool of keys.
 */

const FILES = {
  './sign-calls.mjs': ['sign', 'verify'],
  './stream-calls.mjs': ['createSign', 'createVerify', 'signUpdate', 'signChain', 'signFinish', 'verifyFinish', 'signStream', 'signInspect', 'signOddReceiver'],
  './object-calls.mjs': ['createPublicKey', 'createPrivateKey', 'createSecret', 'keyExport', 'keyProperties', 'keyEquals', 'keyCopy', 'keyToCryptoKey', 'keyUse'],
  './agreement-calls.mjs': ['diffieHellman', 'createECDH', 'ecdhKeys', 'ecdhSecret', 'convertKey', 'createDiffieHellman', 'dhKeys', 'dhSecret'],
  './cipher-calls.mjs': ['publicEncrypt', 'privateDecrypt', 'privateEncrypt', 'publicDecrypt'],
  './symmetric-calls.mjs': ['createCipheriv', 'createDecipheriv', 'cipherUpdate', 'cipherFinal', 'cipherTag', 'cipherAad', 'cipherPadding', 'cipherChain', 'cipherPieces', 'cipherStream', 'cipherInspect', 'cipherOddReceiver'],
  './kdf-calls.mjs': ['hkdf', 'pbkdf2', 'scrypt', 'argon2'],
  './kem-calls.mjs': ['encapsulate', 'decapsulate'],
  './generate-calls.mjs': ['generateKeyPair', 'generateKey', 'generatePrime', 'checkPrime'],
  './web-calls.mjs': ['subtleDigest', 'subtleSign', 'subtleVerify', 'subtleCrypt', 'subtleDerive', 'subtleKey'],
  './certificate-calls.mjs': ['x509', 'x509Property', 'x509Method', 'x509Check', 'x509Verify', 'x509Belongs'],
};

/** @type {Record<string, (machine: any, rng: any) => Promise<void>>} */
export const calls = {};
for (const [file, names] of Object.entries(FILES)) {
  for (const name of names) {
    calls[name] = async (machine, rng) => {
      const loaded = await import(file);
      await loaded.calls[name](machine, rng);
    };
  }
}
