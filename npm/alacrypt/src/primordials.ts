/**
 * Built-in functions, kept from before the app runs, so that patched prototypes change nothing.
 */

type Method<This, Args extends unknown[], Result> = (receiver: This, ...args: Args) => Result;

const { call } = Function.prototype;

/** `method` as a function that takes its receiver first. */
export function uncurryThis<This, Args extends unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
): Method<This, Args, Result> {
  return call.bind(method) as unknown as Method<This, Args, Result>;
}

function getterOf<Result>(prototype: object, name: PropertyKey): (receiver: unknown) => Result {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  if (descriptor?.get === undefined) {
    throw new TypeError(`no getter ${String(name)}`);
  }
  return uncurryThis(descriptor.get as (this: unknown) => Result);
}

const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;

/** The name of a typed array's kind, read from its internal slot; `undefined` for all else. */
export const typedArrayTag = getterOf<string | undefined>(typedArrayPrototype, Symbol.toStringTag);
/** A typed array's length, read from its internal slot; 0 when detached or out of bounds. */
export const typedArrayLength = getterOf<number>(typedArrayPrototype, 'length');
const typedArrayBuffer = getterOf<ArrayBufferLike>(typedArrayPrototype, 'buffer');
const typedArrayByteOffset = getterOf<number>(typedArrayPrototype, 'byteOffset');
const typedArrayByteLength = getterOf<number>(typedArrayPrototype, 'byteLength');
const bufferIsResizable = getterOf<boolean>(ArrayBuffer.prototype, 'resizable');
const dataViewBuffer = getterOf<ArrayBufferLike>(DataView.prototype, 'buffer');
const dataViewByteOffset = getterOf<number>(DataView.prototype, 'byteOffset');
const dataViewByteLength = getterOf<number>(DataView.prototype, 'byteLength');

/** `target.set(source, offset)`. */
export const typedArraySet = uncurryThis(
  typedArrayPrototype.set as (this: Uint8Array, source: Uint8Array, offset: number) => void,
);
/** `target.fill(0, start, end)`. */
export const typedArrayFill = uncurryThis(
  typedArrayPrototype.fill as (
    this: Uint8Array,
    value: number,
    start: number,
    end: number,
  ) => Uint8Array,
);
/** `text.toLowerCase()`. */
export const toLowerCase = uncurryThis(String.prototype.toLowerCase);
/** `text.indexOf(part)`. */
export const indexOf = uncurryThis(String.prototype.indexOf as (this: string, part: string) => number);
/** `text.charCodeAt(index)`. */
export const charCodeAt = uncurryThis(String.prototype.charCodeAt);
/** `text.slice(start, end)`. */
export const slice = uncurryThis(String.prototype.slice as (this: string, start: number, end: number) => string);
/** `ArrayBuffer.isView`. */
export const { isView } = ArrayBuffer;
/** Reflection on objects. */
export const { getPrototypeOf, getOwnPropertyDescriptor, defineProperty, hasOwn, isExtensible } =
  Object;
/** `Object.create`. */
export const { create } = Object;
/** `Array.of`. */
export const { of: arrayOf } = Array;
/** `symbol.description`. */
export const descriptionOf = getterOf<string | undefined>(Symbol.prototype, 'description');
/** `Reflect.ownKeys`. */
export const { ownKeys } = Reflect;
/** `Reflect.apply`, of any function with the arguments that another was called with. */
export const apply = Reflect.apply as (
  target: unknown,
  receiver: unknown,
  args: ArrayLike<unknown>,
) => unknown;

/**
 * The bytes under any `ArrayBufferView`; `undefined` where the view is out of bounds.
 *
 * @throws {TypeError} for a `DataView` whose buffer is detached, as its own getters do.
 */
export function bytesOf(view: ArrayBufferView): Uint8Array | undefined {
  const tag = typedArrayTag(view);
  if (tag === 'Uint8Array') return view as Uint8Array;
  try {
    return tag === undefined
      ? new Bytes(dataViewBuffer(view), dataViewByteOffset(view), dataViewByteLength(view))
      : new Bytes(
          typedArrayBuffer(view),
          typedArrayByteOffset(view),
          typedArrayByteLength(view),
        );
  } catch {
    return undefined;
  }
}

const arrayBufferByteLength = getterOf<number>(ArrayBuffer.prototype, 'byteLength');

/** The bytes of a view or an `ArrayBuffer`; `undefined` for all else, and where its memory is gone. */
export function byteLengthOf(value: unknown): number | undefined {
  try {
    if (!isView(value)) return arrayBufferByteLength(value);
    return typedArrayTag(value) === undefined ? dataViewByteLength(value) : typedArrayByteLength(value);
  } catch {
    return undefined;
  }
}

/** The memory under a view. */
export function memoryOf(view: ArrayBufferView): ArrayBufferLike {
  return typedArrayTag(view) === undefined ? dataViewBuffer(view) : typedArrayBuffer(view);
}

/** Whether a typed array is on memory of this thread's own that keeps its length. */
export function isOfFixedLength(typedArray: unknown): boolean {
  try {
    return !bufferIsResizable(typedArrayBuffer(typedArray));
  } catch {
    // A `SharedArrayBuffer` has none of those getters.
    return false;
  }
}

/** Whether the memory of a typed array has gone elsewhere. */
export function isDetached(typedArray: Uint8Array): boolean {
  try {
    return new Bytes(typedArrayBuffer(typedArray)) === undefined;
  } catch {
    return true;
  }
}

/** Whether an `ArrayBuffer` keeps its length. */
export function isFixedArrayBuffer(buffer: unknown): boolean {
  return !bufferIsResizable(buffer);
}

/** Returns its argument from `super()`, so that the subclass's private field is put on that. */
const Given = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** Values put on objects under one private name. */
export interface Attachments {
  get<Value>(object: object): Value | undefined;
  /** Attaches a first value. */
  set<Value>(object: object, value: Value): void;
}

/**
 * A private name: script cannot see what is under it, a clone does not have it, and it dies with
 * the object. Unlike a `WeakMap` it costs the collector nothing.
 */
export function makeAttachments(): Attachments {
  return class Attachment extends Given {
    #value: unknown;

    private constructor(object: object, value: unknown) {
      super(object);
      this.#value = value;
    }

    static get<Value>(object: object): Value | undefined {
      return #value in object ? (object.#value as Value) : undefined;
    }

    static set<Value>(object: object, value: Value): void {
      new Attachment(object, value);
    }
  };
}

declare const FIELD: unique symbol;

/**
 * Puts a property of that name on an object as an assignment to a new one does. The field of a class
 * costs a fifth of what `defineProperty` does.
 */
export function makeField(name: PropertyKey, valueOf: () => unknown): (object: object) => void {
  const key = name as typeof FIELD;
  class Field extends Given {
    [key] = valueOf();
  }
  return (object) => void new Field(object);
}

/** What is known of key objects. */
export const Attachment = makeAttachments();

const { get: mapGet, set: mapSet, delete: mapDelete } = Map.prototype;

/** A `Map` with string keys, whose two methods nothing can replace. */
export interface Table<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => unknown;
}

export function makeTable<Value>(): Table<Value> {
  const map = new Map<string, Value>();
  return {
    get: mapGet.bind(map) as (key: string) => Value | undefined,
    set: mapSet.bind(map) as (key: string, value: Value) => unknown,
  };
}

/** Values by number that are taken out once, by methods that nothing can replace. */
export interface Shelf<Value> {
  readonly put: (number: number, value: Value) => unknown;
  readonly take: (number: number) => Value | undefined;
}

export function makeShelf<Value>(): Shelf<Value> {
  const map = new Map<number, Value>();
  const get = mapGet.bind(map) as (number: number) => Value | undefined;
  const remove = mapDelete.bind(map) as (number: number) => boolean;
  return {
    put: mapSet.bind(map) as (number: number, value: Value) => unknown,
    take(number) {
      const value = get(number);
      remove(number);
      return value;
    },
  };
}

/** The bytes of `bytes` from `start` up to `end`; unlike `subarray` it asks no property. */
export function part(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Bytes(typedArrayBuffer(bytes), typedArrayByteOffset(bytes) + start, end - start);
}

/** A property that is plain data of an object's own; `undefined` for all else. */
export function plainProperty(object: object, name: PropertyKey): unknown {
  const property = getOwnPropertyDescriptor(object, name);
  return property !== undefined && hasOwn(property, 'value') ? property.value : undefined;
}

/** An object without a prototype, as a table by number or by name. */
export function bare<Value>(): Record<PropertyKey, Value> {
  return create(null) as Record<PropertyKey, Value>;
}

/** `Math.max`, `Math.imul`. */
export const { max, imul } = Math;
/** `Uint8Array`, whatever the global of that name is by now. */
export const Bytes = Uint8Array;
/** `Promise`. */
export const Promise_ = Promise;
/** What the app may have put something on. */
export const { prototype: arrayBufferPrototype } = ArrayBuffer;
export const { prototype: plainObjectPrototype } = Object;
/** `Array.isArray`. */
export const { isArray } = Array;
const { prototype: arrayPrototype } = Array;
const iterator: typeof Symbol.iterator = Symbol.iterator;
const arrayIterator = arrayPrototype[iterator];
const arrayIteratorPrototype = Object.getPrototypeOf([][iterator]()) as { next: unknown };
const { next: nextInArray } = arrayIteratorPrototype;

/** Whether an array is walked through without the help of code of the app's. */
export function isPlainArray(value: unknown): value is readonly unknown[] {
  return (
    isArray(value) &&
    getPrototypeOf(value) === arrayPrototype &&
    !hasOwn(value, iterator) &&
    arrayPrototype[iterator] === arrayIterator &&
    arrayIteratorPrototype.next === nextInArray
  );
}

/** A `FinalizationRegistry` whose methods nothing can replace. */
export interface Registry<Held> {
  readonly register: (object: object, held: Held, token?: object) => void;
  readonly unregister: (token: object) => void;
}

export function makeRegistry<Held>(release: (held: Held) => void): Registry<Held> {
  const registry = new FinalizationRegistry(release);
  return {
    register: registry.register.bind(registry),
    unregister: registry.unregister.bind(registry),
  };
}
