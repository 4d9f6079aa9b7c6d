/**
 * The `Hash` and `Hmac` objects around our handles: the host's own from outside.
 */

import { Handle } from './handle';
import {
  type HostObject,
  type HostObjectPrototype,
  hashPrototype,
  hostTakesOurHandle,
  symbols,
} from './host';
import { apply } from './primordials';

const kHandle = symbols?.kHandle as symbol;
const kState = symbols?.kState;
const kFinalized = symbols?.kFinalized as symbol;

type ServedClass = new (handle: Handle, options: unknown) => HostObject;

/** A constructor of what the host's constructor with that prototype makes, around our handle. */
export function servedClass(prototype: HostObjectPrototype): ServedClass {
  function Served(this: HostObject, handle: Handle, options: unknown): void {
    this[kHandle] = handle;
    if (kState !== undefined) this[kState] = { [kFinalized]: false };
    (this as { _options?: unknown })._options = options;
  }
  Served.prototype = prototype;
  return Served as unknown as ServedClass;
}

/** Records on `object` that `digest` was called, where the host does. */
export function setFinalized(object: HostObject): void {
  if (kState !== undefined) (object[kState] as Record<symbol, boolean>)[kFinalized] = true;
}

/** Whether the host would say that `digest` was called. */
export function isFinalized(object: HostObject): boolean {
  return (
    kState !== undefined && (object[kState] as Record<symbol, boolean>)[kFinalized] === true
  );
}

/**
 * Calls the host's method. On Node it works on our objects as on its own; elsewhere the object of
 * the host that takes over from ours is called.
 */
export function onHost(method: unknown, receiver: HostObject, args: ArrayLike<unknown>): unknown {
  if (!hostTakesOurHandle && receiver !== undefined && receiver !== null) {
    const handle = receiver[kHandle];
    if (Handle.is(handle)) {
      const object = handle.asHostObject('unusual use');
      const result = apply(method, object, args);
      return result === object ? receiver : result;
    }
  }
  return apply(method, receiver, args);
}

const { _transform: hostTransform, _flush: hostFlush } = hashPrototype;

/** `_transform`, for hosts whose own cannot work on our handles. */
export function transform(
  this: HostObject,
  chunk: unknown,
  encoding: unknown,
  callback: () => void,
): unknown {
  const handle = this[kHandle];
  if (Handle.is(handle)) {
    handle.update(chunk, encoding === 'buffer' ? undefined : encoding);
    callback();
    return undefined;
  }
  return apply(hostTransform, this, arguments);
}

/** `_flush`, for hosts whose own cannot work on our handles. */
export function flush(this: HostObject, callback: () => void): unknown {
  const handle = this[kHandle];
  if (Handle.is(handle)) {
    const push = (this as unknown as { push(chunk: unknown): void }).push;
    if (handle.open) {
      apply(push, this, [handle.digest()]);
      callback();
      return undefined;
    }
    const object = handle.asHostObject('unusual use');
    (object as unknown as { push(chunk: unknown): void }).push = (chunk) => {
      apply(push, this, [chunk]);
    };
    return apply(hostFlush, object, [callback]);
  }
  return apply(hostFlush, this, arguments);
}
