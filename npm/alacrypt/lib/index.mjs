import api from './index.cjs';

export * from 'node:crypto';
// Those that a host lacks (`encapsulate`, on older lines) are undefined.
export const {
  argon2, argon2Sync, createCipheriv, createDecipheriv, createECDH, createHash, createHmac,
  createPrivateKey, createPublicKey, createSign, createVerify, decapsulate, diffieHellman, encapsulate,
  generateKeyPair, generateKeyPairSync, hash, hkdf, hkdfSync, pbkdf2, pbkdf2Sync, privateDecrypt,
  privateEncrypt, publicDecrypt, publicEncrypt, randomBytes, randomFillSync, scrypt, scryptSync,
  sign, verify, stats, memory, loadError,
} = api;
export default api;
