/**
 * `createPublicKey` and `createPrivateKey`.
 */

import { types } from 'node:util';

import { hostCreatePrivateKey, hostCreatePublicKey } from './host';
import { createAgain, missing } from './key';
import { isInherited, isPlain } from './key-options';
import { emptyHostErrors, handBack, handOver } from './object';
import { fips } from './policy';
import {
  apply,
  arrayOf,
  bare,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  indexOf,
  makeField,
  ownKeys,
  typedArrayTag,
} from './primordials';
import { type Counter, counters } from './stats';

const { isProxy } = types;

export function createPublicKey(this: unknown, key: unknown): unknown {
  return createKey(this, arguments, key, false);
}

export function createPrivateKey(this: unknown, key: unknown): unknown {
  return createKey(this, arguments, key, true);
}

function createKey(receiver: unknown, args: ArrayLike<unknown>, key: unknown, isPrivate: boolean): unknown {
  const hostCreate = isPrivate ? hostCreatePrivateKey : hostCreatePublicKey;
  const counter = isPrivate ? counters.createPrivateKey : counters.createPublicKey;
  if (args.length !== 1) {
    counter.handBack('arguments');
  } else if (isObject(key)) {
    // As quickly as can be: the host needs little more than this takes.
    counter.handBack('key');
    return handOver(hostCreate as (key: never) => unknown, key);
  } else if (isInherited()) {
    counter.handBack('options');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else if (typeof key === 'string' && indexOf(key, '-----BEGIN') === -1) {
    const error = refusal(hostCreate, counter, isPrivate);
    if (error !== undefined) throw error;
  } else {
    const made = createAgain(key, isPrivate);
    if (made !== undefined) {
      counter.served++;
      emptyHostErrors();
      return made;
    }
    counter.handBack(missing.why);
  }
  return handBack(hostCreate, receiver, args);
}

/** Whether errors inherit what the host sets on them, as where the app put a setter there. */
function inheritErrorFields(): boolean {
  return (
    'code' in errorPrototype ||
    'function' in errorPrototype ||
    'library' in errorPrototype ||
    'opensslErrorStack' in errorPrototype ||
    'reason' in errorPrototype
  );
}

/** Whether it is neither content of a key nor plain options: a `KeyObject`, most likely. */
function isObject(key: unknown): boolean {
  return (
    typeof key === 'object' && key !== null && !isProxy(key) && typedArrayTag(key) === undefined && !isPlain(key)
  );
}

/** What the host throws for a text that can be no key. */
interface Refusal {
  readonly message: string;
  /** Put the other own properties on an error, in their order. */
  readonly fields: Readonly<Record<number, (error: object) => void>>;
  readonly count: number;
}

const refusals: Record<'publicKey' | 'privateKey', Refusal | null | undefined> = {
  publicKey: undefined,
  privateKey: undefined,
};

/** The error for a text without the line that every key in PEM starts with; `undefined` where the host has to say it. */
function refusal(hostCreate: unknown, counter: Counter, isPrivate: boolean): Error | undefined {
  if (inheritErrorFields()) {
    counter.handBack('unusual use');
    return undefined;
  }
  const which = isPrivate ? 'privateKey' : 'publicKey';
  let found = refusals[which];
  if (found === undefined) {
    emptyHostErrors();
    found = caughtRefusal(hostCreate);
    refusals[which] = found;
  }
  if (found === null) {
    counter.handBack('key');
    return undefined;
  }
  counter.served++;
  const { message, fields, count } = found;
  const error = new BaseError(message);
  for (let at = 0; at < count; at++) (fields[at] as (error: object) => void)(error);
  return error;
}

/** The classes, whatever the globals of their names are by now. */
const BaseError = Error;
const BaseArray = Array;
const { isArray } = Array;
const { prototype: errorPrototype } = Error;

function caughtRefusal(hostCreate: unknown): Refusal | null {
  try {
    apply(hostCreate, undefined, ['']);
  } catch (error) {
    return typeof error === 'object' && error !== null ? refusalOf(error) : null;
  }
  return null;
}

function refusalOf(error: object): Refusal | null {
  if (getPrototypeOf(error) !== errorPrototype) return null;
  const fields = bare<(error: object) => void>();
  let count = 0;
  const names = ownKeys(error);
  let message: unknown;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as PropertyKey;
    if (name === 'stack') continue;
    const property = getOwnPropertyDescriptor(error, name);
    if (property === undefined || !hasOwn(property, 'value')) return null;
    const value: unknown = property.value;
    if (name === 'message') {
      message = value;
      continue;
    }
    if (property.writable !== true || property.enumerable !== true || property.configurable !== true) return null;
    // Each error has a list of its own.
    const valueOf = isArray(value) ? () => apply(arrayOf, BaseArray, value) : () => value;
    fields[count++] = makeField(name, valueOf);
  }
  return typeof message === 'string' ? { message, fields, count } : null;
}
