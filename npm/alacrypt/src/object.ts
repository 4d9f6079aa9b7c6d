/**
 * The `Hash` and `Hmac` objects around our handles: the host's own from outside.
 */

import { types } from 'node:util';

import { Handle } from './handle';
import {
  type HostObject,
  type HostObjectPrototype,
  handleInside,
  hostCreateHash,
  symbols,
} from './host';
import { forgetAsked } from './key-options';
import { apply, getOwnPropertyDescriptor, hasOwn } from './primordials';

const kHandle = symbols?.kHandle as symbol;
const kState = symbols?.kState as symbol;
const kFinalized = symbols?.kFinalized as symbol;

type ServedClass = new (handle: Handle, options: unknown) => HostObject;

/** A constructor of what the host's constructor with that prototype makes, around our handle. */
export function servedClass(prototype: HostObjectPrototype): ServedClass {
  function Served(this: HostObject, handle: Handle, options: unknown): void {
    this[kHandle] = handle;
    this[kState] = { [kFinalized]: false };
    (this as { _options?: unknown })._options = options;
  }
  Served.prototype = prototype;
  return Served as unknown as ServedClass;
}

/** Records on `object` that `digest` was called, as the host does. */
export function setFinalized(object: HostObject): void {
  (object[kState] as Record<symbol, boolean>)[kFinalized] = true;
}

/** Whether the host would say that `digest` was called. */
export function isFinalized(object: HostObject): boolean {
  return (object[kState] as Record<symbol, boolean>)[kFinalized] === true;
}

let hostErrorsLeft = false;

/**
 * Calls the host's own function, and remembers when that may have left errors in its queue. What was
 * asked of keys is done with then, as it is where a call was served.
 */
export function handBack(target: unknown, receiver: unknown, args: ArrayLike<unknown>): unknown {
  forgetAsked();
  try {
    return apply(target, receiver, args);
  } catch (error) {
    hostErrorsLeft = true;
    throw error;
  }
}

/**
 * As {@link handBack}, of a function that asks neither for its receiver nor for the number of its
 * arguments: no object is made for those.
 */
export function handOver(
  target: (first: never, second: never) => unknown,
  first: unknown,
  second?: unknown,
): unknown {
  forgetAsked();
  try {
    return (target as (first: unknown, second: unknown) => unknown)(first, second);
  } catch (error) {
    hostErrorsLeft = true;
    throw error;
  }
}

/**
 * Where the host would have served the call that is served here, it would have emptied its error
 * queue. An error left in it would show up in the host's next error.
 */
export function emptyHostErrors(): void {
  forgetAsked();
  if (!hostErrorsLeft) return;
  hostErrorsLeft = false;
  handleInside(hostCreateHash('sha256') as unknown as HostObject).digest();
}

const { isProxy } = types;

/**
 * Puts the host's handle in the place of ours, once an object of the host has taken over: from
 * then on the host's methods work on it without a detour.
 */
export function giveBack(object: HostObject, handle: Handle): void {
  const hostHandle = Handle.hostHandle(handle);
  if (hostHandle === undefined || isProxy(object)) return;
  const property = getOwnPropertyDescriptor(object, kHandle);
  if (property === undefined || !hasOwn(property, 'value')) return;
  if (property.value === handle && property.writable === true) object[kHandle] = hostHandle;
}
