/**
 * The `Hash` and `Hmac` objects around our handles: the host's own from outside.
 */

import { Handle } from './handle';
import { types } from 'node:util';

import {
  type HostObject,
  type HostObjectPrototype,
  handleInside,
  hashPrototype,
  hostCreateHash,
  hostTakesOurHandle,
  symbols,
} from './host';
import { apply, getOwnPropertyDescriptor } from './primordials';

const kHandle = symbols?.kHandle as symbol;
const kState = symbols?.kState;
const kFinalized = symbols?.kFinalized;

type ServedClass = new (handle: Handle, options: unknown) => HostObject;

/** A constructor of what the host's constructor with that prototype makes, around our handle. */
export function servedClass(prototype: HostObjectPrototype): ServedClass {
  function Served(this: HostObject, handle: Handle, options: unknown): void {
    this[kHandle] = handle;
    if (kState !== undefined) this[kState] = { [kFinalized as symbol]: false };
    (this as { _options?: unknown })._options = options;
  }
  Served.prototype = prototype;
  return Served as unknown as ServedClass;
}

/** Records on `object` that `digest` was called, where the host does. */
export function setFinalized(object: HostObject): void {
  if (kState !== undefined) {
    (object[kState] as Record<symbol, boolean>)[kFinalized as symbol] = true;
  } else if (kFinalized !== undefined) {
    object[kFinalized] = true;
  }
}

/** Whether the host would say that `digest` was called. */
export function isFinalized(object: HostObject): boolean {
  if (kFinalized === undefined) return false;
  const flags = kState === undefined ? object : (object[kState] as Record<symbol, boolean>);
  return flags[kFinalized] === true;
}

let hostErrorsLeft = false;

/** Calls the host's own function, and remembers when that may have left errors in its queue. */
export function handBack(target: unknown, receiver: unknown, args: ArrayLike<unknown>): unknown {
  try {
    return apply(target, receiver, args);
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
  if (!hostErrorsLeft) return;
  hostErrorsLeft = false;
  handleInside(hostCreateHash('sha256') as unknown as HostObject).digest();
}

/**
 * Calls the host's method. On Node it works on our objects as on its own; elsewhere the object of
 * the host that takes over from ours is called.
 */
export function onHost(method: unknown, receiver: HostObject, args: ArrayLike<unknown>): unknown {
  if (!hostTakesOurHandle && receiver !== undefined && receiver !== null) {
    const handle = receiver[kHandle];
    if (Handle.is(handle)) {
      const object = Handle.asHostObject(handle, 'unusual use');
      const result = apply(method, object, args);
      return result === object ? receiver : result;
    }
  }
  return apply(method, receiver, args);
}

const { isProxy } = types;

/**
 * Puts the host's handle in the place of ours, once an object of the host has taken over: from
 * then on the host's methods work on it without a detour.
 */
export function giveBack(object: HostObject, handle: Handle): void {
  if (!hostTakesOurHandle) return;
  const hostHandle = Handle.hostHandle(handle);
  if (hostHandle === undefined || isProxy(object)) return;
  const property = getOwnPropertyDescriptor(object, kHandle);
  if (property?.value === handle && property.writable === true) object[kHandle] = hostHandle;
}

const { _flush: hostFlush } = hashPrototype;

/** `_flush`, for hosts whose own cannot work on our handles. */
export function flush(this: HostObject, callback: () => void): unknown {
  const handle = this[kHandle];
  if (!Handle.is(handle)) return apply(hostFlush, this, arguments);
  const push = (this as unknown as { push(chunk: unknown): void }).push;
  if (Handle.hasOutput(handle)) {
    apply(push, this, [handle.digest()]);
    callback();
    return undefined;
  }
  const object = Handle.asHostObject(handle, 'unusual use');
  (object as unknown as { push(chunk: unknown): void }).push = (chunk) => {
    apply(push, this, [chunk]);
  };
  return apply(hostFlush, object, [callback]);
}
