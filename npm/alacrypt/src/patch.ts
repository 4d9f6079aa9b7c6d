/**
 * Which of the host's functions have a faster form, and how that takes their place.
 */

import * as digest from './digest';
import { hashPrototype, hmacPrototype, host, hostTakesOurHandle, runtime, symbols } from './host';
import * as mac from './mac';
import { native } from './native';
import { flush } from './object';
import { defineProperty, getOwnPropertyDescriptor } from './primordials';
import * as random from './random';

/** Functions of `node:crypto`, by name. */
type Functions = Record<string, (...args: never[]) => unknown>;

const everything: Functions = {
  createHash: digest.createHash,
  createHmac: mac.createHmac,
  hash: digest.hash,
  randomBytes: random.randomBytes,
  randomFillSync: random.randomFillSync,
};

/**
 * What is measured faster than the host's own, by runtime. Bun's hashes and HMAC are as fast or
 * faster, and so are Deno's random bytes. Deno's `Hmac` is a stream from its creation on, with
 * nothing inside that could be replaced.
 */
const FASTER: Record<typeof runtime, readonly string[]> = {
  node:
    symbols === undefined
      ? ['hash', 'randomBytes', 'randomFillSync']
      : ['createHash', 'createHmac', 'hash', 'randomBytes', 'randomFillSync'],
  bun: ['randomBytes', 'randomFillSync'],
  deno: symbols === undefined ? ['hash'] : ['createHash', 'hash'],
};

/** The functions that are served here, each looking like the host's from outside. */
export const served: Readonly<Functions> = ((): Functions => {
  const found: Functions = {};
  for (const name of native === undefined ? [] : FASTER[runtime]) {
    const original = (host as unknown as Record<string, unknown>)[name];
    const replacement = everything[name];
    // A host that lacks a function (`hash`, on older lines) is given none.
    if (typeof original !== 'function' || replacement === undefined) continue;
    disguise(replacement, original);
    found[name] = replacement;
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
  if (served['createHmac'] !== undefined) {
    replace(hmacPrototype, 'update', digest.update);
    replace(hmacPrototype, 'digest', mac.digest);
  }
  if (!hostTakesOurHandle) replace(hashPrototype, '_flush', flush);
}

/** Puts the served functions on the module object that the whole process shares. */
export function replaceExports(): void {
  replaceMethods();
  for (const [name, replacement] of Object.entries(served)) replace(host, name, replacement);
}
