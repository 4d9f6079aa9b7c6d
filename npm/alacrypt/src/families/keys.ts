/** Everything around asymmetric keys: read when one of these is first called. */

import '../core';

export { diffieHellman } from '../agree';
export { convertKey, createECDH } from '../ecdh';
export { decapsulate, encapsulate } from '../kem';
export { createPrivateKey, createPublicKey } from '../key-create';
export { generateKeyPair, generateKeyPairSync } from '../key-pair';
export { privateDecrypt, privateEncrypt, publicDecrypt, publicEncrypt } from '../rsa';
export { sign, verify } from '../sign';
export { createSign, createVerify, sign as signMethod, verify as verifyMethod } from '../signer';
