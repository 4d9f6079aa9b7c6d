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
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  indexOf,
  makeRegistry,
  ownKeys,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import { INPUT_CAPACITY, NO_ID, Status, Word, input, occupy, words } from './scratch';
import { type Counter, counters } from './stats';

const { isProxy } = types;

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

const EXAMPLE_PUBLIC = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----`;
/** The example of RFC 8410, section 10.3; nobody's key. */
const EXAMPLE_PRIVATE = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----`;

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
    publicKey: shapeOf(hostCreatePublicKey(EXAMPLE_PUBLIC), 'spki'),
    privateKey: shapeOf(hostCreatePrivateKey(EXAMPLE_PRIVATE), 'pkcs8'),
  });
}

/** The example of RFC 6979, appendix A.2.5. */
const EXAMPLE_SIGNER = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
-----END PRIVATE KEY-----`;

/** A private `KeyObject` of the host's that signs digests, and that nothing depends on. */
export function exampleSigner(): object {
  return hostCreatePrivateKey(EXAMPLE_SIGNER);
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

const OPTION_NAMES = ['padding', 'saltLength', 'dsaEncoding', 'context'];
const stringObject = Object('') as object;
const { prototype: plainPrototype } = Object;

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
  if (typeof argument === 'string') {
    return hasNoOptions(stringObject) ? keyOfContent(argument, isPrivate, '') : undefined;
  }
  if (typeof argument !== 'object' || argument === null || isProxy(argument)) return undefined;
  const known = Attachment.get<Key>(argument);
  if (known !== undefined) {
    asked.isObject = true;
    return hasNoOptions(argument) ? ready(known, argument, isPrivate) : undefined;
  }
  if (typedArrayTag(argument) === 'Uint8Array') {
    return hasNoOptions(argument) ? keyOfContent(argument as Uint8Array, isPrivate, '') : undefined;
  }
  const prototype: unknown = getPrototypeOf(argument);
  if (prototype === plainPrototype || prototype === null) return keyOfOptions(argument, isPrivate);
  return hasNoOptions(argument) ? meet(argument, isPrivate) : undefined;
}

/** A `KeyObject` that may be new here: it is remembered, and the host does the work. */
function meet(object: object, isPrivate: boolean): Key | undefined {
  asked.isObject = true;
  const prototype: unknown = getPrototypeOf(object);
  const { publicKey, privateKey } = hostShapes();
  const holdsPrivate = prototype === privateKey.prototype;
  if (!holdsPrivate && prototype !== publicKey.prototype) return undefined;
  // Newer lines of V8 may refuse to attach to what cannot be extended.
  if (!Object.isExtensible(object)) return undefined;
  const key = new Key(holdsPrivate);
  Attachment.set(object, key);
  return ready(key, object, isPrivate);
}

/** The key in the addon, made now if it is time; `undefined` where there is none. */
function ready(key: Key, object: object, isPrivate: boolean): Key | undefined {
  // What is attached to a secret key is something else.
  if (!(key instanceof Key)) return undefined;
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
    // A look-alike has no native key inside, and makes the host throw. Not the object itself, on
    // which older lines would leave for everyone to see that it was exported.
    der = apply(exportKey, new Class(handleInsideKey(object, key.isPrivate)), [options]) as Uint8Array;
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
  for (let at = 0; at < OPTION_NAMES.length; at++) {
    if ((OPTION_NAMES[at] as string) in plainPrototype) return undefined;
  }
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
    if (isProxy(key)) return undefined;
    asked.isObject = true;
    const known = Attachment.get<Key>(key);
    return known === undefined ? meet(key, isPrivate) : ready(known, key, isPrivate);
  }
  if (typeof key !== 'string' && typedArrayTag(key) !== 'Uint8Array') return undefined;
  const form = formOf(format, type);
  return form === undefined ? undefined : keyOfContent(key as string | Uint8Array, isPrivate, form);
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
  const entry = cache.get(place);
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
  const own = typeof content === 'string' ? content : new OwnedBuffer(content);
  try {
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
  if (typeof content !== 'string' && typedArrayTag(content) !== 'Uint8Array') return undefined;
  const entry = find(content as string | Uint8Array, isPrivate, form);
  if (entry === undefined) return undefined;
  const { publicKey, privateKey } = hostShapes();
  const { Class } = isPrivate ? privateKey : publicKey;
  entry.handle ??= handleInsideKey(entry.object, isPrivate);
  const made = new Class(entry.handle);
  Attachment.set(made, entry.key);
  return made;
}

/** Key and form of an object that holds them as plain data, and nothing else. */
function plainContent(options: object): { content: unknown; form: string } | undefined {
  if (isProxy(options)) return undefined;
  const prototype: unknown = getPrototypeOf(options);
  if (prototype !== plainPrototype && prototype !== null) return undefined;
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
  readonly prototype: object;
  readonly message: string;
  /** Own properties in their order, without stack and message. */
  readonly properties: readonly (readonly [name: PropertyKey, descriptor: PropertyDescriptor])[];
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
  const error = new Error(found.message);
  for (let at = 0; at < found.properties.length; at++) {
    const [name, descriptor] = found.properties[at] as (typeof found.properties)[number];
    const { value } = descriptor as { value: unknown };
    Object.defineProperty(error, name, isArray(value) ? { ...descriptor, value: [...(value as unknown[])] } : descriptor);
  }
  return error;
}

const { isArray } = Array;

function caughtRefusal(hostCreate: unknown): Refusal | null {
  try {
    apply(hostCreate, undefined, ['']);
  } catch (error) {
    if (!(error instanceof Error) || getPrototypeOf(error) !== Error.prototype) return null;
    const properties: [PropertyKey, PropertyDescriptor][] = [];
    for (const name of ownKeys(error)) {
      if (name === 'stack' || name === 'message') continue;
      const descriptor = getOwnPropertyDescriptor(error, name) as PropertyDescriptor;
      if (!hasOwn(descriptor, 'value')) return null;
      properties.push([name, descriptor]);
    }
    return { prototype: Error.prototype, message: error.message, properties };
  }
  return null;
}
