/**
 * The host's own functions, kept from before the register hook ran: loaded by `--require`, ahead
 * of the hook. What ours makes at random is checked with these, and the other way about.
 */

'use strict';

const crypto = require('node:crypto');

if (!process.execArgv.includes(__filename)) throw new Error(`${__filename} has to be loaded ahead of the hook`);

const FUNCTIONS = [
  'sign', 'verify', 'createPublicKey', 'createPrivateKey', 'createSecretKey', 'publicEncrypt', 'publicDecrypt', 'privateEncrypt',
  'privateDecrypt', 'diffieHellman', 'encapsulate', 'decapsulate', 'createECDH', 'createDiffieHellman', 'getDiffieHellman',
  'generateKeyPairSync', 'generateKeySync', 'generatePrimeSync', 'checkPrimeSync', 'createHash', 'createHmac', 'createCipheriv', 'createSign', 'createVerify',
];
for (const name of FUNCTIONS) exports[name] = crypto[name];

/** Methods, as functions of their object. */
const bound = (method) => Function.prototype.call.bind(method);
const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519');
const exporters = {
  public: bound(publicKey.export),
  private: bound(privateKey.export),
  secret: bound(crypto.createSecretKey(Buffer.from('a')).export),
};
const typeOf = bound(Object.getOwnPropertyDescriptor(crypto.KeyObject.prototype, 'type').get);

exports.typeOf = typeOf;
exports.exportKey = (key, options) => exporters[typeOf(key)](key, options);
exports.signOf = bound(crypto.Sign.prototype.sign);
exports.verifyOf = bound(crypto.Verify.prototype.verify);
exports.ecdh = { computeSecret: bound(crypto.ECDH.prototype.computeSecret), setPrivateKey: bound(crypto.ECDH.prototype.setPrivateKey) };
exports.dh = { computeSecret: bound(crypto.DiffieHellman.prototype.computeSecret), setPrivateKey: bound(crypto.DiffieHellman.prototype.setPrivateKey) };

const { subtle } = crypto.webcrypto;
exports.subtle = {};
for (const name of ['importKey', 'exportKey', 'sign', 'verify', 'encrypt', 'decrypt']) exports.subtle[name] = subtle[name].bind(subtle);
