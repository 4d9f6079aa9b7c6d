/**
 * `ALACRYPT_SHADOW=0.01`: that share of deterministic calls is carried out on both sides. The app gets
 * the host's answer; where ours is another one, that is counted and said, without a byte of what was
 * computed.
 */

import { types } from 'node:util';

import { copy as copyOfOurs, digest as digestOfOurs, update as updateOfOurs } from './digest';
import { disguise } from './handle';
import { type HostHandle, type HostObject, host, hostCreatePrivateKey, symbols } from './host';
import { digest as macOfOurs } from './mac';
import { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } from './primordials';
import { ShadowCipherHandle } from './shadow-cipher';
import { compare, type Comparison } from './shadow-report';
import { counters } from './stats';

type Callable = (...args: unknown[]) => unknown;

const kHandle = symbols?.kHandle as symbol;
const { random } = Math;
const { isProxy } = types;
const { KeyObject, constants } = host;
const { prototype: plainPrototype } = Object;

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

export function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return value.length;
  try {
    return ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? value.byteLength : undefined;
  } catch {
    // A view of memory that is gone.
    return undefined;
  }
}

/** What can be given to two functions in turn: nothing in it runs code of the app's. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || isProxy(value)) return false;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return true;
  if (value instanceof ArrayBuffer || value instanceof KeyObject) return true;
  const prototype: unknown = getPrototypeOf(value);
  if (prototype !== plainPrototype && prototype !== null) return false;
  for (const name of Reflect.ownKeys(value)) {
    const property = getOwnPropertyDescriptor(value, name);
    if (property === undefined || !('value' in property)) return false;
  }
  return true;
}

function arePlain(args: ArrayLike<unknown>): boolean {
  for (let at = 0; at < args.length; at++) {
    if (!isPlain(args[at])) return false;
  }
  return true;
}

/** Whether a signature with that key is the same each time. */
function isDeterministic(key: unknown): boolean {
  try {
    const given = key as { key?: unknown; asymmetricKeyType?: string; padding?: number };
    const object = given instanceof KeyObject ? given : given.key instanceof KeyObject ? given.key : hostCreatePrivateKey(key as string);
    const { asymmetricKeyType: type } = object as { asymmetricKeyType?: string };
    if (type === 'ed25519') return true;
    return type === 'rsa' && (given.padding === undefined || given.padding === constants.RSA_PKCS1_PADDING);
  } catch {
    return false;
  }
}

/** One call on both sides; the answer is the host's. */
function oneShot(name: string, theirs: Callable, ours: Callable, share: number): Callable {
  const { algorithm, input } = ONE_SHOTS[name] as Places;
  const counter = counters[name as keyof typeof counters];
  return function (this: unknown, ...args) {
    if (random() >= share || !arePlain(args) || (name === 'sign' && !isDeterministic(args[2]))) {
      return apply(ours, this, args);
    }
    const right = outcomeOf(theirs, this, args);
    const before = counter.served;
    const actual = outcomeOf(ours, this, args);
    // What was handed back is the host's own answer.
    if (counter.served > before) {
      const comparison: Comparison = {
        name,
        algorithm: algorithm === undefined ? undefined : args[algorithm],
        inputLength: input === undefined ? undefined : sizeOf(args[input]),
      };
      compare(comparison, right, actual);
    }
    return answerOf(right);
  };
}

/** Stands inside a `Hash` or `Hmac` of the host's, and feeds one of ours beside it. */
class ShadowHandle implements HostHandle {
  readonly #theirs: HostHandle;
  readonly #comparison: Comparison;
  readonly #digest: unknown;
  #ours: HostObject | undefined;

  constructor(theirs: HostHandle, ours: HostObject, comparison: Comparison, digest: unknown) {
    this.#theirs = theirs;
    this.#ours = ours;
    this.#comparison = comparison;
    this.#digest = digest;
  }

  update(data: unknown, encoding?: unknown): boolean {
    const right = this.#theirs.update(data, encoding);
    if (this.#ours !== undefined) {
      this.#comparison.inputLength = (this.#comparison.inputLength ?? 0) + (sizeOf(data) ?? 0);
      const { error } = outcomeOf(updateOfOurs, this.#ours, [data, encoding]);
      if (error !== undefined) {
        compare(this.#comparison, { value: right, error: undefined }, { value: undefined, error });
        this.#ours = undefined;
      }
    }
    return right;
  }

  digest(encoding?: unknown): unknown {
    const right = outcomeOf(this.#theirs.digest, this.#theirs, [encoding]);
    if (this.#ours !== undefined) {
      const actual = outcomeOf(this.#digest, this.#ours, [encoding]);
      this.#ours = undefined;
      compare(this.#comparison, right, actual);
    }
    return answerOf(right);
  }

  /** The host's handle, for its native code: from then on nothing is compared. */
  static replaceIn(object: HostObject): void {
    const handle = object?.[kHandle];
    if (typeof handle === 'object' && handle !== null && #theirs in handle) object[kHandle] = handle.#theirs;
  }
}

/** A class of its own for its name, which `util.inspect` shows. */
class ShadowHmacHandle extends ShadowHandle {
  constructor(theirs: HostHandle, ours: HostObject, comparison: Comparison) {
    super(theirs, ours, comparison, macOfOurs);
  }
}

disguise(ShadowHandle, 'Hash');
disguise(ShadowHmacHandle, 'Hmac');

/** What makes an object of the host's that has one of ours beside it. */
function factory(
  name: 'createHash' | 'createHmac' | 'createCipheriv' | 'createDecipheriv',
  theirs: Callable,
  ours: Callable,
  share: number,
): Callable {
  const counter = counters[name];
  return function (this: unknown, ...args) {
    if (random() >= share || !arePlain(args)) return apply(ours, this, args);
    const object = apply(theirs, this, args) as HostObject;
    const before = counter.served;
    const comparison: Comparison = { name, algorithm: args[0], inputLength: undefined };
    const { value, error } = outcomeOf(ours, this, args);
    if (error !== undefined) {
      compare(comparison, { value: object, error: undefined }, { value: undefined, error });
      return object;
    }
    // One that is the host's all the same needs no comparison.
    if (counter.served === before) return object;
    const beside = value as HostObject;
    const handle = object[kHandle] as object;
    const standIn =
      name === 'createHash'
        ? new ShadowHandle(handle as HostHandle, beside, comparison, digestOfOurs)
        : name === 'createHmac'
          ? new ShadowHmacHandle(handle as HostHandle, beside, comparison)
          : new ShadowCipherHandle(handle, beside, comparison);
    object[kHandle] = standIn;
    return object;
  };
}

/** `Hash.prototype.copy`: native code of the host's copies native handles. */
function copy(this: HostObject): unknown {
  ShadowHandle.replaceIn(this);
  return apply(copyOfOurs, this, arguments);
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
