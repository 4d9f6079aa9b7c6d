/**
 * Which of the host's functions have a faster form, and how that takes their place.
 */

import * as agree from './agree';
import * as cipher from './cipher';
import * as digest from './digest';
import * as ecdh from './ecdh';
import { hashPrototype, hmacPrototype, host, runtime, symbols } from './host';
import * as kdf from './kdf';
import * as kem from './kem';
import * as keyCreate from './key-create';
import * as keyPair from './key-pair';
import * as mac from './mac';
import { native } from './native';
import { apply, defineProperty, getOwnPropertyDescriptor } from './primordials';
import * as random from './random';
import * as rsa from './rsa';
import * as sign from './sign';
import * as signer from './signer';

/** Functions of `node:crypto`, by name. */
type Functions = Record<string, (...args: never[]) => unknown>;

const everything: Functions = {
  createCipheriv: cipher.createCipheriv,
  createDecipheriv: cipher.createDecipheriv,
  createECDH: ecdh.createECDH,
  createHash: digest.createHash,
  createHmac: mac.createHmac,
  createPrivateKey: keyCreate.createPrivateKey,
  createPublicKey: keyCreate.createPublicKey,
  createSign: signer.createSign,
  createVerify: signer.createVerify,
  decapsulate: kem.decapsulate,
  diffieHellman: agree.diffieHellman,
  encapsulate: kem.encapsulate,
  generateKeyPair: keyPair.generateKeyPair,
  generateKeyPairSync: keyPair.generateKeyPairSync,
  hash: digest.hash,
  hkdf: kdf.hkdf,
  hkdfSync: kdf.hkdfSync,
  pbkdf2: kdf.pbkdf2,
  pbkdf2Sync: kdf.pbkdf2Sync,
  privateDecrypt: rsa.privateDecrypt,
  privateEncrypt: rsa.privateEncrypt,
  publicDecrypt: rsa.publicDecrypt,
  publicEncrypt: rsa.publicEncrypt,
  randomBytes: random.randomBytes,
  randomFillSync: random.randomFillSync,
  scrypt: kdf.scrypt,
  scryptSync: kdf.scryptSync,
  sign: sign.sign,
  verify: sign.verify,
};

/**
 * What is measured faster than the host's own, by runtime. Bun's hashes and HMAC are as fast or
 * faster, and so are Deno's random bytes. Deno's `Hash` and `Hmac` hand what is inside of them to
 * native code, so that nothing can stand in for it.
 */
const FASTER: Record<typeof runtime, readonly string[]> = {
  node:
    symbols === undefined
      ? ['hash', 'randomBytes', 'randomFillSync']
      : [
          'createCipheriv',
          'createDecipheriv',
          'createECDH',
          'createHash',
          'createHmac',
          'createPrivateKey',
          'createPublicKey',
          'createSign',
          'createVerify',
          'decapsulate',
          'diffieHellman',
          'encapsulate',
          'generateKeyPair',
          'generateKeyPairSync',
          'hash',
          'hkdf',
          'hkdfSync',
          'pbkdf2',
          'pbkdf2Sync',
          'privateDecrypt',
          'privateEncrypt',
          'publicDecrypt',
          'publicEncrypt',
          'randomBytes',
          'randomFillSync',
          'scrypt',
          'scryptSync',
          'sign',
          'verify',
        ],
  bun: ['randomBytes', 'randomFillSync'],
  deno: ['hash'],
};

/** On a host whose functions are no constructors, neither may the replacements be. */
function likeTheHosts(replacement: Functions[string], original: object): Functions[string] {
  if (Object.hasOwn(original, 'prototype')) return replacement;
  const callable = replacement as (...args: unknown[]) => unknown;
  return {
    method(this: unknown, first: unknown, second: unknown) {
      return arguments.length === 1
        ? callable(first)
        : arguments.length === 2
          ? callable(first, second)
          : apply(callable, this, arguments);
    },
  }.method;
}

/** The functions that are served here, each looking like the host's from outside. */
export const served: Readonly<Functions> = ((): Functions => {
  const found: Functions = {};
  for (const name of native === undefined ? [] : FASTER[runtime]) {
    const original = (host as unknown as Record<string, unknown>)[name];
    const replacement = everything[name];
    // A host that lacks a function (`encapsulate`, on older lines) is given none.
    if (typeof original !== 'function' || replacement === undefined) continue;
    found[name] = likeTheHosts(replacement, original);
    disguise(found[name], original);
    // By which `util.promisify` knows of two answers.
    for (const symbol of Object.getOwnPropertySymbols(original)) {
      defineProperty(found[name], symbol, getOwnPropertyDescriptor(original, symbol) as PropertyDescriptor);
    }
  }
  return found;
})();

function disguise(replacement: object, original: object): void {
  for (const property of ['name', 'length']) {
    const descriptor = getOwnPropertyDescriptor(original, property);
    if (descriptor !== undefined) defineProperty(replacement, property, descriptor);
  }
}

function replace(target: object, name: string, replacement: object): void {
  const descriptor = getOwnPropertyDescriptor(target, name);
  if (descriptor === undefined || !('value' in descriptor)) return;
  disguise(replacement, descriptor.value as object);
  defineProperty(target, name, { ...descriptor, value: replacement });
}

let methodsReplaced = false;

/**
 * Puts our methods on the host's `Hash.prototype` and `Hmac.prototype`. They pass objects of the
 * host's on to the host's methods, so that this changes nothing for those.
 */
export function replaceMethods(): void {
  if (methodsReplaced || served['createHash'] === undefined) return;
  methodsReplaced = true;
  replace(hashPrototype, 'update', digest.update);
  replace(hashPrototype, 'digest', digest.digest);
  replace(hashPrototype, 'copy', digest.copy);
  if (served['createSign'] !== undefined) {
    replace(signer.signPrototype, 'sign', signer.sign);
    replace(signer.verifyPrototype, 'verify', signer.verify);
  }
  if (served['createHmac'] !== undefined) {
    replace(hmacPrototype, 'update', digest.update);
    replace(hmacPrototype, 'digest', mac.digest);
  }
}

/** Puts the served functions on the module object that the whole process shares. */
export function replaceExports(): void {
  replaceMethods();
  for (const [name, replacement] of Object.entries(served)) replace(host, name, replacement);
  if (runtime === 'node' && native !== undefined) {
    replace(random.webCryptoPrototype(), 'getRandomValues', random.getRandomValues);
  }
  if (served['createECDH'] !== undefined) replace(host.ECDH, 'convertKey', ecdh.convertKey);
}
