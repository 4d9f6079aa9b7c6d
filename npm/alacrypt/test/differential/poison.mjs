/**
 * Built-ins changed for the time of one call, as hostile or careless code may do.
 *
 * Some of these reach into the host, most do not; where one does, and not into ours, there is
 * nothing to compare (see `hostRanIntoIt` in main.mjs).
 */

import { hostFails } from './host.mjs';

/** What is read of keys and of what stands beside them. */
const KEY_OPTIONS = ['padding', 'saltLength', 'dsaEncoding', 'context', 'passphrase', 'format', 'type', 'cipher', 'oaepHash', 'oaepLabel', 'mgf1Hash', 'asymmetricKeyType', 'namedCurve', 'privateKey', 'publicKey', 'kty', 'crv', 'N', 'cost', 'r', 'blockSize', 'p', 'parallelization', 'maxmem', 'message', 'nonce', 'parallelism', 'tagLength', 'memory', 'passes', 'secret', 'associatedData'];

/** Changes that throw, or say so in `note`, when anything uses them. */
function makePoisons(note) {
  const thrower = (name) =>
    function poisoned() {
      throw new Error(`poisoned ${name} was used`);
    };
  const teller = (name, value) => ({
    configurable: true,
    get() {
      note(`${name} read`);
      return value;
    },
    set() {
      note(`${name} set`);
    },
  });
  const method = (target, name, label = String(name)) => ({
    target,
    name,
    label,
    descriptor: { value: thrower(label), writable: true, configurable: true },
  });
  const accessor = (target, name, value, label = String(name)) => ({ target, name, label, descriptor: teller(label, value) });
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
  const slots = hostFails.onReplacedSlots ? [] : ['length', 'byteLength', 'byteOffset', 'buffer'];
  return [
    ...KEY_OPTIONS.map((name) => accessor(Object.prototype, name, undefined, `Object.prototype.${name}`)),
    ...['outputLength', 'functionName', 'customization', 'encoding', 'outputEncoding', 'highWaterMark', 'text', 'id', 'ids', 'key', 'value', 'get', 'set', 'writable', 'call', 'done', '0', '32', 'kHandle', 'moveOut', 'served'].map((name) =>
      accessor(Object.prototype, name, undefined, `Object.prototype.${name}`),
    ),
    ...['set', 'subarray', 'slice', 'fill', 'copyWithin', Symbol.iterator].map((name) => method(typedArray, name, `TypedArray.${String(name)}`)),
    ...['set', 'subarray', 'fill', ...slots, 'constructor', Symbol.toStringTag].map((name) => accessor(Uint8Array.prototype, name, 7, `Uint8Array.prototype.${String(name)}`)),
    ...[...slots, Symbol.toStringTag].map((name) => accessor(typedArray, name, 7, `TypedArray.${String(name)}`)),
    method(Uint8Array, Symbol.species, 'Uint8Array[Symbol.species]'),
    ...['toString', 'write', 'hexSlice', 'utf8Slice', 'latin1Slice', 'asciiSlice', 'base64Slice', 'base64urlSlice', 'ucs2Slice', 'hexWrite', 'utf8Write', 'latin1Write', 'base64Write', 'base64urlWrite', 'ucs2Write', 'asciiWrite', 'copy', 'slice'].map((name) => method(Buffer.prototype, name, `Buffer.prototype.${name}`)),
    ...['from', 'alloc', 'allocUnsafe', 'allocUnsafeSlow', 'isEncoding', 'isBuffer', 'concat', 'byteLength'].map((name) => method(Buffer, name, `Buffer.${name}`)),
    ...['charCodeAt', 'charAt', 'codePointAt', 'at', 'slice', 'toLowerCase', 'toUpperCase', 'concat', 'isWellFormed', 'toString', Symbol.iterator].map((name) => method(String.prototype, name, `String.prototype.${String(name)}`)),
    ...['push', 'pop', 'includes', 'indexOf', 'slice', 'map', 'forEach', 'find', Symbol.iterator].map((name) => method(Array.prototype, name, `Array.prototype.${String(name)}`)),
    accessor(Array.prototype, '0', undefined, 'Array.prototype.0'),
    accessor(Array.prototype, '40', undefined, 'Array.prototype.40'),
    ...['get', 'set', 'has', 'delete'].map((name) => method(Map.prototype, name, `Map.prototype.${name}`)),
    ...['get', 'set', 'has'].map((name) => method(WeakMap.prototype, name, `WeakMap.prototype.${name}`)),
    ...['has', 'add'].map((name) => method(Set.prototype, name, `Set.prototype.${name}`)),
    ...['call', 'apply', 'bind'].map((name) => method(Function.prototype, name, `Function.prototype.${name}`)),
    ...['apply', 'ownKeys', 'construct', 'get', 'has'].map((name) => method(Reflect, name, `Reflect.${name}`)),
    ...['getPrototypeOf', 'getOwnPropertyDescriptor', 'defineProperty', 'keys', 'create'].map((name) => method(Object, name, `Object.${name}`)),
    ...['max', 'min', 'floor', 'imul'].map((name) => method(Math, name, `Math.${name}`)),
    ...['register', 'unregister'].map((name) => method(FinalizationRegistry.prototype, name, `FinalizationRegistry.prototype.${name}`)),
    method(ArrayBuffer, 'isView', 'ArrayBuffer.isView'),
    ...['Uint8Array', 'Map', 'Object', 'Array', 'String', 'Math', 'Reflect', 'ArrayBuffer', 'DataView', 'Uint32Array', 'Error', 'TypeError'].map((name) => ({
      target: globalThis, name, label: `global ${name}`, descriptor: { value: thrower(name), writable: true, configurable: true },
    })),
  ];
}

const { defineProperty, getOwnPropertyDescriptor } = Object;
const { deleteProperty } = Reflect;

/**
 * Has the host begin a new pool for short Buffers: one that it begins while the length or the memory
 * of an array is said to be another stays broken for the whole process.
 */
function renewPool() {
  const { buffer: pool } = Buffer.allocUnsafe(1);
  while (Buffer.allocUnsafe(1024).buffer === pool);
}

/** The host itself makes a Buffer of an HMAC key that is text. */
const USED_BY_HOST = { 'Buffer.from': 'createHmac' };

/** Runs `body`, the call named `call`, with one built-in changed. */
export function withPoison(rng, note, call, body) {
  const poisons = makePoisons(note);
  const { target, name, label, descriptor } = poisons[rng.below(poisons.length)];
  if (USED_BY_HOST[label] !== undefined && call.startsWith(USED_BY_HOST[label])) return body();
  const before = getOwnPropertyDescriptor(target, name);
  if (before !== undefined && before.configurable === false) return body();
  renewPool();
  // A descriptor without prototype: `Object.prototype.get` may be what is poisoned.
  defineProperty(target, name, { __proto__: null, ...descriptor });
  try {
    return body();
  } finally {
    if (before === undefined) deleteProperty(target, name);
    else defineProperty(target, name, { __proto__: null, ...before });
    renewPool();
    note(`with ${label}`);
  }
}
