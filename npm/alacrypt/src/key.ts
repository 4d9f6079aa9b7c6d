/**
 * Keys: what the addon holds beside the host's `KeyObject`s, and `createPublicKey` and
 * `createPrivateKey`.
 *
 * The host's objects stay what they are. A parsed key lies in the addon, script holds its number
 * under a private name on the `KeyObject`, and it is freed with the last object that has it. It is
 * made at the second use of a key, from what the host exports: so the host alone reads the many
 * forms of keys, and a key that is used once pays nothing.
 */

import { types } from 'node:util';

import {
  type HostObject,
  OwnedBuffer,
  host,
  hostCreatePrivateKey,
  hostCreatePublicKey,
  symbols,
} from './host';
import { Content, tagOf } from './key-cache';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import {
  Attachment,
  apply,
  bare,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  indexOf,
  isExtensible,
  isView,
  makeRegistry,
  ownKeys,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import { INPUT_CAPACITY, NO_ID, Status, Word, input, occupy, words } from './scratch';
import { type Counter, counters } from './stats';

const { isAnyArrayBuffer, isCryptoKey, isKeyObject, isProxy } = types;

/** The addon's numbers for kinds of keys (`crates/alacrypt-node/src/key.rs`). */
export const enum Kind {
  Rsa = 0,
  P256 = 1,
  P384 = 2,
  P521 = 3,
  Secp256k1 = 4,
  Ed25519 = 5,
  X25519 = 6,
  MlDsa44 = 7,
  MlDsa65 = 8,
  MlDsa87 = 9,
  MlKem512 = 10,
  MlKem768 = 11,
  MlKem1024 = 12,
  /** Not looked at yet. */
  Unknown = -1,
  /** The host's business. */
  Unsupported = -2,
}

/** What is known of a key of the host's; all `KeyObject`s made of one content share it. */
export class Key {
  readonly isPrivate: boolean;
  kind: Kind = Kind.Unknown;
  /** The number of the parsed key, once there is one. */
  id: number = NO_ID;
  uses = 0;

  constructor(isPrivate: boolean) {
    this.isPrivate = isPrivate;
  }
}

/** From this use on the addon's key is made and used. */
const PARSE_AT_USE = 2;

const abandonedKeys = makeRegistry((id: number) => {
  words[Word.Id] = id;
  native?.asymmetricKeyRelease();
});

/** The host's two classes of asymmetric keys. */
interface Shape {
  readonly prototype: object;
  readonly Class: new (handle: unknown) => object;
  readonly exportKey: unknown;
  readonly options: object;
}

interface Shapes {
  readonly publicKey: Shape;
  readonly privateKey: Shape;
}

/** Bytes, which the host reads without the help of methods that the app may have changed. */
const EXAMPLE_PUBLIC = new OwnedBuffer(
  Buffer.from('MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=', 'base64'),
);
/** The example of RFC 6979, appendix A.2.5; nobody's key. */
const EXAMPLE_PRIVATE = new OwnedBuffer(
  Buffer.from(
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ',
    'base64',
  ),
);

let shapes: Shapes | undefined;

function shapeOf(example: object, type: string): Shape {
  const prototype = getPrototypeOf(example) as { constructor: Shape['Class']; export: unknown };
  const options = bare<unknown>();
  options['format'] = 'der';
  options['type'] = type;
  return { prototype, Class: prototype.constructor, exportKey: prototype.export, options };
}

/** Found on first use: making keys is dear. */
function hostShapes(): Shapes {
  return (shapes ??= {
    publicKey: shapeOf(keyObjectOf(EXAMPLE_PUBLIC, false, 'spki'), 'spki'),
    privateKey: shapeOf(examplePrivateKey(), 'pkcs8'),
  });
}

/** A private `KeyObject` of the host's that nothing depends on, of a kind that signs digests. */
export function examplePrivateKey(): object {
  return keyObjectOf(EXAMPLE_PRIVATE, true, 'pkcs8');
}

/** The options beside the key of the call in progress; set by {@link findKey}. */
export const asked = {
  padding: undefined as number | undefined,
  saltLength: undefined as number | undefined,
  isP1363: false,
  /** Whether the key was given as a `KeyObject`, which costs the host nothing to read. */
  isObject: false,
};

/** Why {@link findKey} found nothing. */
export let missing: 'first use' | 'key' | 'options' = 'key';

const textObject = Object('') as object;
const { prototype: plainPrototype } = Object;
const { prototype: bytesPrototype } = Uint8Array;
const { prototype: bufferPrototype } = Buffer;

/**
 * Whether the host may find something of a key, or of how it is used, where nobody put it for
 * that: on the prototype of texts, of options, or of what it hands on inside.
 */
function isInherited(): boolean {
  return (
    'padding' in textObject ||
    'saltLength' in textObject ||
    'dsaEncoding' in textObject ||
    'context' in textObject ||
    'key' in textObject ||
    'format' in textObject ||
    'type' in textObject ||
    'encoding' in textObject ||
    'passphrase' in textObject ||
    'cipher' in textObject ||
    'namedCurve' in textObject ||
    'asymmetricKeyType' in textObject ||
    'properties' in textObject
  );
}

/** Whether it is bytes; below another prototype there may be a proxy, which the host asks things. */
function isPlainBytes(value: unknown): value is Uint8Array {
  if (typedArrayTag(value) !== 'Uint8Array') return false;
  const prototype: unknown = getPrototypeOf(value);
  return prototype === bufferPrototype || prototype === bytesPrototype;
}

/**
 * Whether the host takes that object, which has the prototype of plain ones or none, for options:
 * what keys and bytes are, it sees by what is inside of them.
 */
function isOptions(object: object): boolean {
  return (
    !isView(object) &&
    !isAnyArrayBuffer(object) &&
    Attachment.get(object) === undefined &&
    !isKeyObject(object) &&
    !isCryptoKey(object)
  );
}

/** Whether the host will find none of the options on what it takes for both key and options. */
function hasNoOptions(object: object): boolean {
  return !('padding' in object || 'saltLength' in object || 'dsaEncoding' in object || 'context' in object);
}

/**
 * The key of an argument of `sign` or `verify`, parsed; `undefined` where the host has to look at
 * it. Code of the app's never runs.
 */
export function findKey(argument: unknown, isPrivate: boolean): Key | undefined {
  asked.padding = undefined;
  asked.saltLength = undefined;
  asked.isP1363 = false;
  asked.isObject = false;
  missing = 'key';
  if (isInherited()) return undefined;
  if (typeof argument === 'string') return keyOfContent(argument, isPrivate, '');
  if (typeof argument !== 'object' || argument === null || isProxy(argument)) return undefined;
  const prototype: unknown = getPrototypeOf(argument);
  if (isPlainBytes(argument)) {
    return hasNoOptions(argument) ? keyOfContent(argument, isPrivate, '') : undefined;
  }
  if (prototype === plainPrototype || prototype === null) {
    return isOptions(argument) ? keyOfOptions(argument, isPrivate) : undefined;
  }
  return keyOfObject(argument, isPrivate, true);
}

/**
 * The key of a `KeyObject`. One that is new here is remembered, and the host does the work; so it
 * does where the app has changed the prototype, by which older lines know a key.
 */
function keyOfObject(object: object, isPrivate: boolean, mayHaveOptions: boolean): Key | undefined {
  asked.isObject = true;
  const prototype: unknown = getPrototypeOf(object);
  const { publicKey, privateKey } = hostShapes();
  const holdsPrivate = prototype === privateKey.prototype;
  if (!holdsPrivate && prototype !== publicKey.prototype) return undefined;
  if (mayHaveOptions && !hasNoOptions(object)) return undefined;
  let key = Attachment.get<Key>(object);
  if (key === undefined) {
    // Newer lines of V8 may refuse to attach to what cannot be extended.
    if (!isExtensible(object)) return undefined;
    key = new Key(holdsPrivate);
    Attachment.set(object, key);
  }
  // What is attached to a secret key is something else.
  if (!(key instanceof Key) || key.isPrivate !== holdsPrivate) return undefined;
  return ready(key, object, isPrivate);
}

/** The key in the addon, made now if it is time; `undefined` where there is none. */
function ready(key: Key, object: object, isPrivate: boolean): Key | undefined {
  if (isPrivate && !key.isPrivate) return undefined;
  if (key.id !== NO_ID) return key;
  if (key.kind !== Kind.Unknown) return undefined;
  if (++key.uses < PARSE_AT_USE) {
    missing = 'first use';
    return undefined;
  }
  parse(key, object);
  return (key.kind as Kind) === Kind.Unsupported ? undefined : key;
}

function parse(key: Key, object: object): void {
  key.kind = Kind.Unsupported;
  const { publicKey, privateKey } = hostShapes();
  const { Class, exportKey, options } = key.isPrivate ? privateKey : publicKey;
  let der: Uint8Array;
  try {
    // A look-alike has no native key inside, and makes the host throw.
    // Not of the object itself, on which older lines would leave for everyone to see that it was
    // exported.
    const another = new Class(handleInsideKey(object, key.isPrivate));
    der = apply(exportKey, another, [options]) as Uint8Array;
  } catch {
    return;
  }
  const length = typedArrayLength(der);
  if (length <= INPUT_CAPACITY) {
    occupy();
    typedArraySet(input, der, 0);
    words[Word.DataLength] = length;
    if (key.isPrivate) native?.privateKeyNew();
    else native?.publicKeyNew();
    if (words[Word.Status] === Status.Done) {
      key.id = words[Word.Id] as number;
      key.kind = words[Word.Kind] as Kind;
      abandonedKeys.register(key, key.id);
    }
  }
  typedArrayFill(der, 0, 0, length);
}

/** What the host's native code takes for an integer; its own check lets -0 through as well. */
function isInt32(value: unknown): value is number {
  return typeof value === 'number' && value === value >> 0 && (value !== 0 || 1 / value > 0);
}

/** The key of a plain object of options, all of them plain data. */
function keyOfOptions(options: object, isPrivate: boolean): Key | undefined {
  missing = 'options';
  let key: unknown;
  let format: unknown;
  let type: unknown;
  const names = ownKeys(options);
  for (let at = 0; at < names.length; at++) {
    const property = getOwnPropertyDescriptor(options, names[at] as PropertyKey);
    if (property === undefined || !hasOwn(property, 'value')) return undefined;
    const value: unknown = property.value;
    switch (names[at]) {
      case 'key':
        key = value;
        break;
      case 'padding':
        if (value !== undefined && !isInt32(value)) return undefined;
        asked.padding = value;
        break;
      case 'saltLength':
        if (value !== undefined && !isInt32(value)) return undefined;
        asked.saltLength = value;
        break;
      case 'dsaEncoding':
        if (value !== undefined && value !== 'der' && value !== 'ieee-p1363') return undefined;
        asked.isP1363 = value === 'ieee-p1363';
        break;
      case 'format':
        format = value;
        break;
      case 'type':
        type = value;
        break;
      default:
        if (value !== undefined) return undefined;
    }
  }
  missing = 'key';
  if (typeof key === 'object' && key !== null && typedArrayTag(key) === undefined) {
    return isProxy(key) ? undefined : keyOfObject(key, isPrivate, false);
  }
  if (typeof key !== 'string' && !isPlainBytes(key)) return undefined;
  const form = formOf(format, type);
  return form === undefined ? undefined : keyOfContent(key, isPrivate, form);
}

/** The form of a key's content, as a part of its place in the cache; '' for PEM. */
function formOf(format: unknown, type: unknown): string | undefined {
  if (format === undefined || format === 'pem') return type === undefined ? '' : undefined;
  if (format !== 'der' || typeof type !== 'string') return undefined;
  return type === 'spki' || type === 'pkcs8' || type === 'pkcs1' || type === 'sec1' ? type : undefined;
}

function keyOfContent(content: string | Uint8Array, isPrivate: boolean, form: string): Key | undefined {
  const entry = find(content, isPrivate, form);
  return entry === undefined ? undefined : ready(entry.key, entry.object, isPrivate);
}

/** A key's content that the host made a `KeyObject` of. */
interface Entry {
  readonly object: object;
  readonly key: Key;
  /** The host's native handle, which `KeyObject`s of one content share. */
  handle: unknown;
}

const cache = new Content<Entry>();

/** What the host made of that content before; `undefined` on first sight, and where it failed. */
function find(content: string | Uint8Array, isPrivate: boolean, form: string): Entry | undefined {
  const tag = tagOf(content);
  if (tag === undefined) return undefined;
  const place = (isPrivate ? 'private ' : 'public ') + form + tag;
  const entry = cache.get(place, tag);
  if (entry === undefined) {
    missing = 'first use';
    return undefined;
  }
  if (entry !== null) return entry;
  const made = make(content, tag, isPrivate, form);
  cache.put(place, made);
  return made;
}

function make(
  content: string | Uint8Array,
  tag: string,
  isPrivate: boolean,
  form: string,
): Entry | undefined {
  // Another thread may change bytes while they are read: those that are parsed are those of the tag.
  let own: string | Uint8Array = '';
  try {
    own = typeof content === 'string' ? content : new OwnedBuffer(content);
    if (own !== content && tagOf(own) !== tag) return undefined;
    const object = keyObjectOf(own, isPrivate, form);
    const key = new Key(isPrivate);
    Attachment.set(object, key);
    return { object, key, handle: undefined };
  } catch {
    return undefined;
  } finally {
    if (typeof own !== 'string') typedArrayFill(own, 0, 0, typedArrayLength(own));
  }
}

function keyObjectOf(content: string | Uint8Array, isPrivate: boolean, form: string): object {
  const hostCreate = (isPrivate ? hostCreatePrivateKey : hostCreatePublicKey) as (key: unknown) => object;
  if (form === '') return hostCreate(content);
  const options = bare<unknown>();
  options['key'] = content;
  options['format'] = 'der';
  options['type'] = form;
  return hostCreate(options);
}

const { sign: hostSignMethod } = host.Sign.prototype as { sign: unknown };
const { verify: hostVerifyMethod } = host.Verify.prototype as { verify: unknown };

/**
 * The native handle inside a `KeyObject`. Newer lines keep it where only the host's own functions
 * find it; they hand it to the native object of a signature.
 */
function handleInsideKey(object: object, isPrivate: boolean): unknown {
  let handle: unknown;
  const catcher = bare<unknown>() as unknown as HostObject;
  const inside = bare<unknown>();
  const caught = (first: unknown): Uint8Array => {
    handle = first;
    return new OwnedBuffer(0);
  };
  inside['sign'] = caught;
  inside['verify'] = caught;
  catcher[symbols?.kHandle as symbol] = inside;
  if (isPrivate) apply(hostSignMethod, catcher, [object]);
  else apply(hostVerifyMethod, catcher, [object, new OwnedBuffer(0)]);
  return handle;
}

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
    counter.handBack(missing);
  }
  return handBack(hostCreate, receiver, args);
}

/** Another `KeyObject` of the host's over the native key of one that was made before. */
function createAgain(key: unknown, isPrivate: boolean): object | undefined {
  missing = 'key';
  let content = key;
  let form: string | undefined = '';
  if (typeof key === 'object' && key !== null && typedArrayTag(key) === undefined) {
    const plain = plainContent(key);
    if (plain === undefined) return undefined;
    ({ content, form } = plain);
  }
  if (typeof content !== 'string' && !isPlainBytes(content)) return undefined;
  const entry = find(content, isPrivate, form);
  if (entry === undefined) return undefined;
  const { publicKey, privateKey } = hostShapes();
  const { Class } = isPrivate ? privateKey : publicKey;
  if (entry.handle === undefined) {
    // The host's methods, which this goes through, look for options on the key.
    if (!hasNoOptions(entry.object)) return undefined;
    entry.handle = handleInsideKey(entry.object, isPrivate);
  }
  const made = new Class(entry.handle);
  Attachment.set(made, entry.key);
  return made;
}

/** Key and form of an object that holds them as plain data, and nothing else. */
function plainContent(options: object): { content: unknown; form: string } | undefined {
  if (isProxy(options)) return undefined;
  const prototype: unknown = getPrototypeOf(options);
  if ((prototype !== plainPrototype && prototype !== null) || !isOptions(options)) return undefined;
  missing = 'options';
  let content: unknown;
  let format: unknown;
  let type: unknown;
  const names = ownKeys(options);
  for (let at = 0; at < names.length; at++) {
    const property = getOwnPropertyDescriptor(options, names[at] as PropertyKey);
    if (property === undefined || !hasOwn(property, 'value')) return undefined;
    if (names[at] === 'key') content = property.value;
    else if (names[at] === 'format') format = property.value;
    else if (names[at] === 'type') type = property.value;
    else if (property.value !== undefined) return undefined;
  }
  missing = 'key';
  const form = formOf(format, type);
  return form === undefined ? undefined : { content, form };
}

/** What the host throws for a text that can be no key. */
interface Refusal {
  readonly message: string;
  /** Names of own properties in their order. */
  readonly names: readonly PropertyKey[];
  /** Those properties, but for `stack` and `message`. */
  readonly properties: Readonly<Record<PropertyKey, PropertyDescriptor>>;
}

const refusals: Record<'publicKey' | 'privateKey', Refusal | null | undefined> = {
  publicKey: undefined,
  privateKey: undefined,
};

/** The error for a text without the line that every key in PEM starts with; `undefined` where the host has to say it. */
function refusal(hostCreate: unknown, counter: Counter, isPrivate: boolean): Error | undefined {
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
  const { message, names, properties } = found;
  const error = new BaseError(message);
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as PropertyKey;
    const property = properties[name];
    if (property === undefined) continue;
    const { value } = property as { value: unknown };
    const own = bare<unknown>();
    // Each error has a list of its own.
    own['value'] = isArray(value) ? apply(arrayOf, BaseArray, value) : value;
    own['writable'] = property.writable;
    own['enumerable'] = property.enumerable;
    own['configurable'] = property.configurable;
    defineProperty(error, name, own);
  }
  return error;
}

/** The classes, whatever the globals of their names are by now. */
const BaseError = Error;
const BaseArray = Array;
const { isArray, of: arrayOf } = Array;
const { prototype: errorPrototype } = Error;

function caughtRefusal(hostCreate: unknown): Refusal | null {
  try {
    apply(hostCreate, undefined, ['']);
  } catch (error) {
    if (typeof error !== 'object' || error === null || getPrototypeOf(error) !== errorPrototype) return null;
    const names = ownKeys(error);
    const properties = bare<PropertyDescriptor>();
    let message: unknown;
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as PropertyKey;
      if (name === 'stack') continue;
      const property = getOwnPropertyDescriptor(error, name);
      if (property === undefined || !hasOwn(property, 'value')) return null;
      if (name === 'message') message = property.value;
      else properties[name] = property;
    }
    return typeof message === 'string' ? { message, names, properties } : null;
  }
  return null;
}
