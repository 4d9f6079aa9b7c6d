/**
 * `randomBytes`, `randomFillSync` and `getRandomValues`.
 */

import { host, hostRandomBytes, hostRandomFillSync } from './host';
import { isPlainBytes } from './key-options';
import { native } from './native';
import { fips } from './policy';
import {
  Bytes,
  apply,
  bare,
  bytesOf,
  getPrototypeOf,
  hasOwn,
  isOfFixedLength,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import { OUTPUT_LIMIT, Status, Word, outputView, takeOutput, wipeOutput, words } from './scratch';
import { type Counter, counters } from './stats';

const bytesCounter = counters.randomBytes;
const fillCounter = counters.randomFillSync;
const valuesCounter = counters.getRandomValues;

let hostIsSeeded = false;

/**
 * The host makes its generator on first use, and under FIPS cannot. If the app's calls are served
 * here until FIPS is switched on, the host must have made it by then, as it would have.
 */
function seedHost(): void {
  if (hostIsSeeded) return;
  hostIsSeeded = true;
  hostRandomFillSync(new Bytes(1));
}

/** Fills the output; `false` where the host has to do it. */
function draw(length: number): boolean {
  seedHost();
  words[Word.OutputLength] = length;
  (native as NonNullable<typeof native>).random();
  return words[Word.Status] === Status.Done;
}

export function randomBytes(this: unknown, size: unknown, callback?: unknown): unknown {
  if (callback !== undefined) {
    bytesCounter.handBack('callback form');
  } else if (typeof size !== 'number' || size >>> 0 !== size || size === 0) {
    bytesCounter.handBack('arguments');
  } else if (size > OUTPUT_LIMIT) {
    bytesCounter.handBack('input is large');
  } else if (fips() === true) {
    bytesCounter.handBack('FIPS is on');
  } else if (draw(size)) {
    bytesCounter.served++;
    return takeOutput(size);
  } else {
    bytesCounter.handBack('engine refused');
  }
  return apply(hostRandomBytes, this, arguments);
}

export function randomFillSync(this: unknown, buffer: unknown, offset?: unknown, size?: unknown): unknown {
  // Most lines ask an array for its `byteLength`, in whose place the app may have put code.
  if (!isPlainBytes(buffer) || hasOwn(buffer, 'byteLength')) {
    fillCounter.handBack('arguments');
  } else {
    const from = offset === undefined ? 0 : lengthIn(offset);
    const rest = typedArrayLength(buffer) - from;
    const count = size === undefined ? rest : lengthIn(size);
    // Also of what is no length, which is no number here.
    if (!(count > 0 && count <= rest)) {
      fillCounter.handBack('arguments');
    } else if (fill(fillCounter, buffer, from, count)) {
      return buffer;
    }
  }
  return apply(hostRandomFillSync, this, arguments);
}

/** `value` as a length of at most 31 bits; else `NaN`, of which nothing is more or less. */
function lengthIn(value: unknown): number {
  return typeof value === 'number' && (value | 0) === value && value >= 0 ? value : NaN;
}

/** Fills `count` bytes of `bytes`; `false`, with the reason counted, where the host has to do it. */
function fill(counter: Counter, bytes: Uint8Array, from: number, count: number): boolean {
  if (count > OUTPUT_LIMIT) {
    counter.handBack('input is large');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else if (draw(count)) {
    counter.served++;
    typedArraySet(bytes, outputView(count), from);
    wipeOutput(count);
    return true;
  } else {
    counter.handBack('engine refused');
  }
  return false;
}

/** The kinds of array that the host fills: those of integers. */
const ofIntegers = bare<true>();
for (const name of [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
]) {
  ofIntegers[name] = true;
}

interface WebCryptoPrototype {
  getRandomValues(array: unknown): unknown;
}

let webCrypto: object | undefined;
let hostGetRandomValues: unknown;

/**
 * The prototype of Web Crypto's object, on which {@link getRandomValues} takes the host's place. The
 * function of that name in `node:crypto` calls what is found there. Asking makes the host load its
 * Web Crypto.
 */
export function webCryptoPrototype(): object {
  webCrypto ??= host.webcrypto as object;
  const prototype = getPrototypeOf(webCrypto) as WebCryptoPrototype;
  hostGetRandomValues ??= prototype.getRandomValues;
  return prototype;
}

/** `Crypto.prototype.getRandomValues`. */
export function getRandomValues(this: unknown, array: unknown): unknown {
  const tag = typedArrayTag(array);
  if (this !== webCrypto) {
    valuesCounter.handBack('unusual use');
  } else if (tag === undefined || ofIntegers[tag] !== true || !isOfFixedLength(array)) {
    valuesCounter.handBack('arguments');
  } else {
    const bytes = bytesOf(array as Uint8Array);
    const count = bytes === undefined ? 0 : typedArrayLength(bytes);
    if (bytes === undefined || count === 0) {
      valuesCounter.handBack('arguments');
    } else if (fill(valuesCounter, bytes, 0, count)) {
      return array;
    }
  }
  return apply(hostGetRandomValues, this, arguments);
}
