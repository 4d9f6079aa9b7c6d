/**
 * `ALACRYPT_SHADOW=0.01`: that share of deterministic calls is carried out on both sides. The app gets
 * the host's answer; where ours is another one, that is counted and said, without a byte of what was
 * computed.
 */

import { types } from 'node:util';

import type { HostCipherHandle } from './ciphers';
import { copy as copyOfOurs } from './digest';
import { disguise } from './handle';
import { type HostHandle, type HostObject, hashPrototype, host, hostRandomFillSync, symbols } from './host';
import {
  apply,
  arrayBufferPrototype,
  bare,
  byteLengthOf,
  create,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isView,
  memoryOf,
  ownKeys,
  plainObjectPrototype,
} from './primordials';
import { ShadowCipherHandle } from './shadow-cipher';
import { compare, type Comparison, isDifferent } from './shadow-report';
import { counters } from './stats';

type Callable = (...args: unknown[]) => unknown;

const kHandle = symbols?.kHandle as symbol;
const { copy: copyOfHost } = hashPrototype;
const { isArrayBuffer, isProxy, isSharedArrayBuffer } = types;
const { prototype: keyPrototype } = host.KeyObject;

/** An answer, or what was thrown instead. */
export interface Outcome {
  value: unknown;
  error: unknown;
}

export function outcomeOf(callable: unknown, receiver: unknown, args: ArrayLike<unknown>): Outcome {
  try {
    return { value: apply(callable, receiver, args), error: undefined };
  } catch (error) {
    return { value: undefined, error: error ?? 'nothing' };
  }
}

export function answerOf({ value, error }: Outcome): unknown {
  if (error !== undefined) throw error;
  return value;
}

/** Where a function names its algorithm, and where its input is. */
interface Places {
  algorithm?: number;
  input?: number;
}

/** What is done in one call, has one right answer, and changes nothing. */
const ONE_SHOTS: Record<string, Places> = {
  hash: { algorithm: 0, input: 1 },
  hkdfSync: { algorithm: 0, input: 1 },
  pbkdf2Sync: { algorithm: 4, input: 0 },
  scryptSync: { input: 0 },
  argon2Sync: { algorithm: 0 },
  verify: { algorithm: 0, input: 1 },
  sign: { algorithm: 0, input: 1 },
  privateEncrypt: { input: 1 },
  publicDecrypt: { input: 1 },
  privateDecrypt: { input: 1 },
  diffieHellman: {},
  decapsulate: { input: 1 },
};

function sizeOf(value: unknown): number | undefined {
  return typeof value === 'string' ? value.length : byteLengthOf(value);
}

/** The classes of views as the host made them: of another one it may ask code of the app's. */
const viewPrototypes: readonly object[] = [
  Buffer.prototype,
  Uint8Array.prototype,
  DataView.prototype,
  Uint8ClampedArray.prototype,
  Int8Array.prototype,
  Uint16Array.prototype,
  Int16Array.prototype,
  Uint32Array.prototype,
  Int32Array.prototype,
  Float32Array.prototype,
  Float64Array.prototype,
  BigInt64Array.prototype,
  BigUint64Array.prototype,
];

/** What one may put on a view, in front of what its class has. */
const VIEW_PROPERTIES = ['buffer', 'byteLength', 'byteOffset', 'length', 'constructor', 'toString'];

/** Whether a view is as it was made, on memory that no other thread writes to meanwhile. */
function isPlainView(view: ArrayBufferView): boolean {
  const prototype: unknown = getPrototypeOf(view);
  let at = 0;
  while (at < viewPrototypes.length && viewPrototypes[at] !== prototype) at++;
  if (at === viewPrototypes.length) return false;
  for (at = 0; at < VIEW_PROPERTIES.length; at++) {
    if (hasOwn(view, VIEW_PROPERTIES[at] as string)) return false;
  }
  return !isSharedArrayBuffer(memoryOf(view));
}

function isKeyOfHost(object: object): boolean {
  for (let above = getPrototypeOf(object); above !== null; above = getPrototypeOf(above)) {
    if (above === keyPrototype) return true;
    if (isProxy(above)) return false;
  }
  return false;
}

/** Objects in objects: options that hold a JWK. */
const DEEPEST = 3;

/** What can be given to two functions in turn: nothing in it runs code of the app's. */
export function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value === 'function' || isProxy(value)) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (isView(value)) return isPlainView(value);
  const prototype: unknown = getPrototypeOf(value);
  if (isArrayBuffer(value)) return prototype === arrayBufferPrototype && ownKeys(value).length === 0;
  if (prototype !== plainObjectPrototype && prototype !== null && !isKeyOfHost(value)) return false;
  return depth < DEEPEST && hasPlainData(value, depth + 1);
}

function hasPlainData(object: object, depth: number): boolean {
  const names = ownKeys(object);
  for (let at = 0; at < names.length; at++) {
    const property = getOwnPropertyDescriptor(object, names[at] as PropertyKey);
    if (property === undefined || !hasOwn(property, 'value')) return false;
    // Under symbols a key has what the host put there.
    if (typeof names[at] === 'string' && !isPlain(property.value, depth)) return false;
  }
  return true;
}

/** Whether the app has put no code on what all objects inherit from, which reading options would run. */
function isNothingInherited(): boolean {
  const names = ownKeys(plainObjectPrototype);
  for (let at = 0; at < names.length; at++) {
    const property = getOwnPropertyDescriptor(plainObjectPrototype, names[at] as PropertyKey);
    if (property !== undefined && !hasOwn(property, 'value') && names[at] !== '__proto__') return false;
  }
  return true;
}

function arePlain(args: ArrayLike<unknown>): boolean {
  for (let at = 0; at < args.length; at++) {
    if (!isPlain(args[at])) return false;
  }
  return isNothingInherited();
}

/** A sequence of our own (xorshift): that of `Math.random` may be one that the app has fixed. */
const state = new Uint32Array(1);
hostRandomFillSync(state);
const LARGEST = 0x1_0000_0000;

function isDrawn(share: number): boolean {
  let drawn = (state[0] as number) || 1;
  drawn ^= drawn << 13;
  drawn ^= drawn >>> 17;
  drawn ^= drawn << 5;
  state[0] = drawn;
  return (drawn >>> 0) / LARGEST < share;
}

/** What is asked on both sides has been answered by ours; by its own counts, whether it is ours. */
interface Ours extends Outcome {
  readonly isOurs: boolean;
}

/**
 * Our function, which hands back what it does not serve: the answer is then the host's, and asking the
 * host again would do twice what only is to be done once.
 */
function askOurs(counter: (typeof counters)['hash'], ours: Callable, receiver: unknown, args: ArrayLike<unknown>): Ours {
  const { served, handedBack } = counter;
  const { value, error } = outcomeOf(ours, receiver, args);
  return { value, error, isOurs: counter.served > served || counter.handedBack === handedBack };
}

/** One call on both sides; the answer is the host's. */
function oneShot(name: string, theirs: Callable, ours: Callable, share: number): Callable {
  const { algorithm, input } = ONE_SHOTS[name] as Places;
  const counter = counters[name as keyof typeof counters];
  return function (this: unknown, ...args) {
    if (!isDrawn(share) || !arePlain(args)) return apply(ours, this, args);
    const actual = askOurs(counter, ours, this, args);
    if (!actual.isOurs) return answerOf(actual);
    const right = outcomeOf(theirs, this, args);
    // Most kinds of key sign anew each time. Only the host itself can be asked which without a trace.
    if (name === 'sign' && isDifferent(right, actual) && isDifferent(right, outcomeOf(theirs, this, args))) return answerOf(right);
    const comparison: Comparison = {
      name,
      algorithm: algorithm === undefined ? undefined : args[algorithm],
      inputLength: input === undefined ? undefined : sizeOf(args[input]),
    };
    compare(comparison, right, actual);
    return answerOf(right);
  };
}

/** Stands inside a `Hash` or `Hmac` of the host's, and feeds what is inside of one of ours beside it. */
class ShadowHandle implements HostHandle {
  readonly #theirs: HostHandle;
  readonly #comparison: Comparison;
  #ours: HostHandle | undefined;

  constructor(theirs: HostHandle, ours: HostHandle, comparison: Comparison) {
    this.#theirs = theirs;
    this.#ours = ours;
    this.#comparison = comparison;
  }

  update(data: unknown, encoding?: unknown): boolean {
    const right = outcomeOf(this.#theirs.update, this.#theirs, [data, encoding]);
    if (this.#ours !== undefined) {
      this.#comparison.inputLength = (this.#comparison.inputLength ?? 0) + (sizeOf(data) ?? 0);
      const actual = isPlain(data) && isPlain(encoding) ? outcomeOf(this.#ours.update, this.#ours, [data, encoding]) : undefined;
      if (actual === undefined || right.error !== undefined || right.value !== actual.value) {
        if (actual !== undefined) compare(this.#comparison, right, actual);
        this.#ours = undefined;
      }
    }
    return answerOf(right) as boolean;
  }

  digest(encoding?: unknown): unknown {
    const right = outcomeOf(this.#theirs.digest, this.#theirs, [encoding]);
    if (this.#ours !== undefined) {
      const actual = isPlain(encoding) ? outcomeOf(this.#ours.digest, this.#ours, [encoding]) : undefined;
      this.#ours = undefined;
      if (actual !== undefined) compare(this.#comparison, right, actual);
    }
    return answerOf(right);
  }

  /** The host's handle, for its native code; `undefined` for what is none of these. */
  static theirs(handle: unknown): HostHandle | undefined {
    return typeof handle === 'object' && handle !== null && #theirs in handle ? handle.#theirs : undefined;
  }
}

/** A class of its own for its name, which `util.inspect` shows. */
class ShadowHmacHandle extends ShadowHandle {}

disguise(ShadowHandle, 'Hash');
disguise(ShadowHmacHandle, 'Hmac');

/** What makes an object of the host's that has the inside of one of ours beside it. */
function factory(
  name: 'createHash' | 'createHmac' | 'createCipheriv' | 'createDecipheriv',
  theirs: Callable,
  ours: Callable,
  share: number,
): Callable {
  const counter = counters[name];
  return function (this: unknown, ...args) {
    if (!isDrawn(share) || !arePlain(args)) return apply(ours, this, args);
    const actual = askOurs(counter, ours, this, args);
    if (!actual.isOurs) return answerOf(actual);
    const right = outcomeOf(theirs, this, args);
    const comparison: Comparison = { name, algorithm: args[0], inputLength: undefined };
    if (right.error !== undefined || actual.error !== undefined) {
      compare(comparison, right, actual);
      return answerOf(right);
    }
    const object = right.value as HostObject;
    const handle = object[kHandle] as HostHandle;
    const beside = (actual.value as HostObject)[kHandle] as HostHandle;
    object[kHandle] =
      name === 'createHash'
        ? new ShadowHandle(handle, beside, comparison)
        : name === 'createHmac'
          ? new ShadowHmacHandle(handle, beside, comparison)
          : new ShadowCipherHandle(handle as unknown as HostCipherHandle, beside as unknown as HostCipherHandle, comparison);
    return object;
  };
}

/** `Hash.prototype.copy`: native code of the host's copies native handles. Of the copy nothing is compared. */
function copy(this: HostObject): unknown {
  const theirs = this === undefined || this === null ? undefined : ShadowHandle.theirs(this[kHandle]);
  if (theirs === undefined) return apply(copyOfOurs, this, arguments);
  // The receiver may be any object, or a proxy: all else is left where the host finds it.
  const receiver = create(this) as HostObject;
  const descriptor = bare<unknown>();
  descriptor['value'] = theirs;
  defineProperty(receiver, kHandle, descriptor);
  return apply(copyOfHost, receiver, arguments);
}

/** Puts what compares in the place of what is served; returns the methods that have to change. */
export function shadow(served: Record<string, unknown>, share: number): { copy: typeof copy } {
  for (const name of Object.keys(served)) {
    const [theirs, ours] = [(host as unknown as Record<string, unknown>)[name] as Callable, served[name] as Callable];
    const isFactory = name === 'createHash' || name === 'createHmac' || name === 'createCipheriv' || name === 'createDecipheriv';
    if (isFactory ? symbols === undefined : !Object.hasOwn(ONE_SHOTS, name)) continue;
    const compared = isFactory ? factory(name, theirs, ours, share) : oneShot(name, theirs, ours, share);
    for (const property of ['name', 'length', ...Object.getOwnPropertySymbols(ours)]) {
      const descriptor = getOwnPropertyDescriptor(ours, property);
      if (descriptor !== undefined) defineProperty(compared, property, descriptor);
    }
    served[name] = compared;
  }
  return { copy };
}
