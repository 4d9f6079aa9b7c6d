/**
 * Which of the host's functions have a faster form, and how that takes their place.
 */

import * as digest from './digest';
import {
  hashPrototype,
  hmacPrototype,
  host,
  hostConvertKey,
  hostSignMethod,
  hostVerifyMethod,
  runtime,
  symbols,
} from './host';
import * as mac from './mac';
import { native } from './native';
import { apply, defineProperty, getOwnPropertyDescriptor } from './primordials';
import * as random from './random';
import { WEB_METHODS, subtlePrototype, web } from './web-host';

/** Functions of `node:crypto`, by name. */
type Functions = Record<string, (...args: never[]) => unknown>;

/**
 * Families that have a file of their own, read when one of their functions is first called: the build
 * makes these `import()` a `require` of it.
 */
const families = {
  ciphers: () => import('./families/ciphers'),
  kdf: () => import('./families/kdf'),
  keys: () => import('./families/keys'),
  web: () => import('./families/web'),
};

/** Read where `ALACRYPT_SHADOW` says what share of calls is to be compared with the host's. */
const comparison = () => import('./families/shadow');

/**
 * The function of that name in a family, which is read at the first call. If its file is not to be had
 * by then, as when another version was installed meanwhile, the host's function stays in its place.
 */
function later(family: keyof typeof families, name: string, original: () => unknown): Functions[string] {
  let found: unknown;
  return function (this: unknown) {
    found ??= read(family)?.[name] ?? original();
    return apply(found, this, arguments);
  };
}

/** As {@link later}, of a method, which asks for its receiver; where `original` is no constructor, it is none. */
function laterMethod(family: keyof typeof families, name: string, original: object): Functions[string] {
  if (Object.hasOwn(original, 'prototype')) return later(family, name, () => original);
  let found: unknown;
  return {
    method(this: unknown) {
      found ??= read(family)?.[name] ?? original;
      return apply(found, this, arguments);
    },
  }.method;
}

function read(family: keyof typeof families): Functions | undefined {
  try {
    return families[family]() as unknown as Functions;
  } catch {
    return undefined;
  }
}

const everything: Functions = {
  createHash: digest.createHash,
  createHmac: mac.createHmac,
  hash: digest.hash,
  randomBytes: random.randomBytes,
  randomFillSync: random.randomFillSync,
};
for (const [family, names] of Object.entries({
  ciphers: ['createCipheriv', 'createDecipheriv'],
  kdf: ['argon2', 'argon2Sync', 'hkdf', 'hkdfSync', 'pbkdf2', 'pbkdf2Sync', 'scrypt', 'scryptSync'],
  keys: [
    'createECDH',
    'createPrivateKey',
    'createPublicKey',
    'createSign',
    'createVerify',
    'decapsulate',
    'diffieHellman',
    'encapsulate',
    'generateKeyPair',
    'generateKeyPairSync',
    'privateDecrypt',
    'privateEncrypt',
    'publicDecrypt',
    'publicEncrypt',
    'sign',
    'verify',
  ],
})) {
  for (const name of names) {
    const { [name]: original } = host as unknown as Functions;
    everything[name] = later(family as keyof typeof families, name, () => original);
  }
}

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
          'argon2',
          'argon2Sync',
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

/** Whether the replacement is in place: nothing is done to what was frozen, or is no plain property. */
function replace(target: object, name: string, replacement: object): boolean {
  const descriptor = getOwnPropertyDescriptor(target, name);
  if (descriptor === undefined || !('value' in descriptor)) return false;
  if (descriptor.configurable !== true && descriptor.writable !== true) return false;
  disguise(replacement, descriptor.value as object);
  defineProperty(target, name, { ...descriptor, value: replacement });
  return true;
}

/** `Hash.prototype.copy`. */
let copy: (this: never, options?: unknown) => unknown = digest.copy;
let isShadowed = false;

/** Has that share of calls compared with the host's, before anything is patched; if it cannot be, why. */
export function compareWithHost(): string | undefined {
  const given = process.env['ALACRYPT_SHADOW'];
  if (given === undefined || given === '' || isShadowed) return undefined;
  isShadowed = true;
  const share = Number(given);
  if (!(share >= 0 && share <= 1)) return 'ALACRYPT_SHADOW is no number from 0 to 1';
  if (share === 0) return undefined;
  ({ copy } = (comparison() as unknown as typeof import('./families/shadow')).shadow(served as Functions, share));
  return undefined;
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
  replace(hashPrototype, 'copy', copy);
  if (served['createSign'] !== undefined) {
    replace(host.Sign.prototype, 'sign', later('keys', 'signMethod', () => hostSignMethod));
    replace(host.Verify.prototype, 'verify', later('keys', 'verifyMethod', () => hostVerifyMethod));
  }
  if (served['createHmac'] !== undefined) {
    replace(hmacPrototype, 'update', digest.update);
    replace(hmacPrototype, 'digest', mac.digest);
  }
}

function replaceWebMethods(): void {
  const prototype = symbols === undefined ? undefined : subtlePrototype();
  if (prototype === undefined) return;
  for (const name of WEB_METHODS) {
    replace(prototype, name, laterMethod('web', name, web.methods[name]));
  }
  const { toCryptoKey } = web;
  if (typeof toCryptoKey === 'function') {
    replace(host.KeyObject.prototype, 'toCryptoKey', laterMethod('web', 'toCryptoKey', toCryptoKey));
  }
}

/** Puts the served functions on the module object that the whole process shares; whether it took any. */
export function replaceExports(): boolean {
  let count = 0;
  for (const [name, replacement] of Object.entries(served)) {
    if (replace(host, name, replacement)) count++;
  }
  if (count === 0) return false;
  replaceMethods();
  if (runtime === 'node' && native !== undefined) {
    replace(random.webCryptoPrototype(), 'getRandomValues', random.getRandomValues);
    replaceWebMethods();
  }
  if (served['createECDH'] !== undefined) {
    replace(host.ECDH, 'convertKey', later('keys', 'convertKey', () => hostConvertKey));
  }
  return true;
}
