/**
 * Keys: what the addon holds beside the host's `KeyObject`s.
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
  hostSignMethod,
  hostVerifyMethod,
  symbols,
} from './host';
import { Content, isFamiliar, tagOf } from './key-cache';
import {
  type Given,
  asked,
  copyJwk,
  formOf,
  hasNoOptions,
  isInherited,
  isOptions,
  isPlain,
  isPlainBytes,
  memberOf,
  readOptions,
  resetAsked,
  textOfJwk,
} from './key-options';
import { native } from './native';
import {
  Attachment,
  apply,
  bare,
  descriptionOf,
  getPrototypeOf,
  isExtensible,
  makeRegistry,
  ownKeys,
  plainProperty,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import { INPUT_CAPACITY, NO_ID, Status, Word, input, occupy, words } from './scratch';

const { isCryptoKey, isProxy } = types;

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
  /** Without parameters, that is with any. */
  RsaPss = 13,
  /** With parameters, which prescribe digests and the least length of the salt. */
  RsaPssRestricted = 14,
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
    publicKey: shapeOf(exampleOf(EXAMPLE_PUBLIC, 'spki', false), 'spki'),
    privateKey: shapeOf(examplePrivateKey(), 'pkcs8'),
  });
}

/** A private `KeyObject` of the host's that nothing depends on, of a kind that signs digests. */
export function examplePrivateKey(): object {
  return exampleOf(EXAMPLE_PRIVATE, 'pkcs8', true);
}

function exampleOf(der: Uint8Array, type: string, isPrivate: boolean): object {
  const options = bare<unknown>();
  options['key'] = der;
  options['format'] = 'der';
  options['type'] = type;
  return create(options, isPrivate);
}

/** Why {@link findKey} found nothing. */
export const missing = { why: 'key' as 'first use' | 'key' | 'options' };

/**
 * The key of an argument of `sign` or `verify`, parsed; `undefined` where the host has to look at
 * it. Code of the app's never runs.
 */
export function findKey(argument: unknown, isPrivate: boolean): Key | undefined {
  resetAsked();
  missing.why = 'key';
  if (isInherited()) return undefined;
  if (typeof argument === 'string') return keyOfEntry(findAgain(argument, isPrivate, '', undefined), isPrivate);
  if (typeof argument !== 'object' || argument === null || isProxy(argument)) return undefined;
  if (isPlainBytes(argument)) {
    return hasNoOptions(argument) ? keyOfEntry(findAgain(argument, isPrivate, '', undefined), isPrivate) : undefined;
  }
  if (isPlain(argument)) {
    if (holdsNewContent(argument)) return firstUse();
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
  if (!holdsPrivate && prototype !== publicKey.prototype) {
    const inside = keyInside(object, prototype);
    if (inside === undefined || (mayHaveOptions && !hasNoOptions(object))) return undefined;
    return keyOfObject(inside, isPrivate, false);
  }
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

const { from: hostFromCryptoKey } = host.KeyObject;
const { prototype: plainPrototype } = Object;

/** The symbol under which a `CryptoKey` has its `KeyObject`; such a property is what makes it one. */
let kKeyObject: symbol | undefined;
/** Whether a `CryptoKey` was seen that has none: then none has one on this host. */
let isKeyHidden = false;

/**
 * The `KeyObject` of a `CryptoKey`, to the host as good as that itself. Newer lines keep it where only
 * their own functions find it, and warn of such use: the host has to do that.
 */
function keyInside(cryptoKey: object, prototype: unknown): object | undefined {
  if (isKeyHidden || !isBelowPlain(prototype)) return undefined;
  kKeyObject ??= symbolOf(cryptoKey);
  if (kKeyObject === undefined) {
    isKeyHidden = isCryptoKey(cryptoKey);
    return undefined;
  }
  const inside = plainProperty(cryptoKey, kKeyObject);
  if (typeof inside !== 'object' || inside === null || isProxy(inside)) return undefined;
  const { publicKey, privateKey } = hostShapes();
  const insidePrototype: unknown = getPrototypeOf(inside);
  return insidePrototype === privateKey.prototype || insidePrototype === publicKey.prototype ? inside : undefined;
}

/**
 * Whether the prototypes are two and then that of plain objects, as they are of a `CryptoKey`: options
 * are looked for on all of them.
 */
function isBelowPlain(prototype: unknown): boolean {
  if (typeof prototype !== 'object' || prototype === null || isProxy(prototype)) return false;
  const next: unknown = getPrototypeOf(prototype);
  if (typeof next !== 'object' || next === null || isProxy(next)) return false;
  return getPrototypeOf(next) === plainPrototype;
}

/** The symbol of the property with what the host takes out of it. */
function symbolOf(cryptoKey: object): symbol | undefined {
  const names = ownKeys(cryptoKey);
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as PropertyKey;
    if (typeof name !== 'symbol' || descriptionOf(name) !== 'kKeyObject') continue;
    try {
      const inside = apply(hostFromCryptoKey, host.KeyObject, [cryptoKey]);
      return inside === plainProperty(cryptoKey, name) ? name : undefined;
    } catch {
      // A symbol of that name that is not the host's.
      return undefined;
    }
  }
  return undefined;
}

/** The key in the addon, made now if it is time; `undefined` where there is none. */
function ready(key: Key, object: object, isPrivate: boolean): Key | undefined {
  asked.object = object;
  if (isPrivate && !key.isPrivate) return undefined;
  if (key.id !== NO_ID) return key;
  if (key.kind !== Kind.Unknown) return undefined;
  if (++key.uses < PARSE_AT_USE) {
    missing.why = 'first use';
    return undefined;
  }
  parse(key, object);
  return (key.kind as Kind) === Kind.Unsupported ? undefined : key;
}

/** The key of a `KeyObject` of the host's own that nobody else has, made at its second use. */
export function parsedKey(key: Key, object: object): Key | undefined {
  const found = ready(key, object, key.isPrivate);
  // What was asked for is of no interest here.
  asked.object = undefined;
  return found;
}

/** The key that the addon has just made; `undefined` where it made none, or one of another kind. */
export function keyJustMade(isPrivate: boolean, kind: Kind): Key | undefined {
  if (words[Word.Status] !== Status.Done) return undefined;
  const key = new Key(isPrivate);
  key.id = words[Word.Id] as number;
  key.kind = words[Word.Kind] as Kind;
  abandonedKeys.register(key, key.id);
  return key.kind === kind ? key : undefined;
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

/** The key of a plain object of options, all of them plain data. */
function keyOfOptions(options: object, isPrivate: boolean): Key | undefined {
  missing.why = 'options';
  const given = readOptions(options);
  if (given === undefined) return undefined;
  missing.why = 'key';
  const { key } = given;
  if (typeof key === 'object' && key !== null && typedArrayTag(key) === undefined) {
    if (isProxy(key)) return undefined;
    if (!isPlain(key)) return keyOfObject(key, isPrivate, false);
  }
  return keyOfEntry(entryOf(given, isPrivate), isPrivate);
}

/** What is known of a key that is given as text, bytes or JWK, and was seen before. */
function entryOf(given: Given, isPrivate: boolean): Entry | undefined {
  const { passphrase } = given;
  if (passphrase !== undefined && typeof passphrase !== 'string' && !isPlainBytes(passphrase)) return undefined;
  const form = formOf(given);
  if (form === undefined) return undefined;
  const { key } = given;
  if (asked.encoding !== undefined && asked.encoding !== 'utf8') {
    // It says how the text is to be read.
    if (typeof key === 'string' || typeof passphrase === 'string') return undefined;
  }
  if (form === 'jwk') {
    if (typeof key !== 'object' || key === null || isProxy(key) || !isPlain(key) || !isOptions(key)) return undefined;
    const jwk = copyJwk(key);
    if (jwk === undefined) return undefined;
    const text = textOfJwk(jwk);
    if (text === undefined) return undefined;
    given.key = jwk;
    return find(text, isPrivate, form, given);
  }
  // Raw keys are bytes; a text is none to the host, though it may say the same.
  if (typeof key === 'string' && given.asymmetricKeyType !== undefined) return undefined;
  return typeof key === 'string' || isPlainBytes(key) ? find(key, isPrivate, form, given) : undefined;
}

/**
 * Whether plain options hold a key's content on first sight: nothing else of them is looked at then,
 * as a key that is used once must cost next to nothing.
 */
function holdsNewContent(options: object): boolean {
  const key = plainProperty(options, 'key');
  if (typeof key === 'string') return !isFamiliar(key);
  if (typeof key !== 'object' || key === null || isProxy(key)) return false;
  if (isPlainBytes(key)) return !isFamiliar(key);
  return isPlain(key) && !isFamiliar(memberOf(key));
}

function keyOfEntry(entry: Entry | undefined, isPrivate: boolean): Key | undefined {
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

function firstUse(): undefined {
  missing.why = 'first use';
}

/** As {@link find}; nothing is looked for on first sight. */
function findAgain(
  content: string | Uint8Array,
  isPrivate: boolean,
  form: string,
  given: Given | undefined,
): Entry | undefined {
  return isFamiliar(content) ? find(content, isPrivate, form, given) : firstUse();
}

/**
 * What the host made of that content before, or makes of it now; `undefined` where it is no key to
 * the host. What is not PEM, or has a passphrase, comes with what was `given` beside the content.
 */
function find(
  content: string | Uint8Array,
  isPrivate: boolean,
  form: string,
  given: Given | undefined,
): Entry | undefined {
  const place = placeOf(content, isPrivate, form, given?.passphrase as string | Uint8Array | undefined);
  if (place === undefined) return undefined;
  const entry = cache.get(place);
  if (entry !== null) return entry;
  const made = make(content, place, isPrivate, form, given);
  cache.put(place, made);
  return made;
}

/** The place of a content in the cache; `undefined` for one that is too long for it. */
function placeOf(
  content: string | Uint8Array,
  isPrivate: boolean,
  form: string,
  passphrase: string | Uint8Array | undefined,
): string | undefined {
  const tag = tagOf(content);
  const passphraseTag = passphrase === undefined ? '' : tagOf(passphrase);
  if (tag === undefined || passphraseTag === undefined) return undefined;
  return `${tag}${isPrivate ? 'private' : 'public'}${passphrase === undefined ? ' ' : '+'}${passphraseTag}${form}`;
}

function make(
  content: string | Uint8Array,
  place: string,
  isPrivate: boolean,
  form: string,
  given: Given | undefined,
): Entry | undefined {
  // Another thread may change bytes while they are read: those that are parsed are those of the place.
  let own: string | Uint8Array = '';
  let passphrase: string | Uint8Array | undefined;
  try {
    own = copyOf(content);
    passphrase = given?.passphrase === undefined ? undefined : copyOf(given.passphrase as string | Uint8Array);
    const areCopies = typeof own !== 'string' || typeof passphrase === 'object';
    if (areCopies && placeOf(own, isPrivate, form, passphrase) !== place) return undefined;
    const object = create(given === undefined ? own : optionsFor(own, passphrase, given), isPrivate);
    const key = new Key(isPrivate);
    Attachment.set(object, key);
    return { object, key, handle: undefined };
  } catch {
    return undefined;
  } finally {
    wipe(own);
    wipe(passphrase);
  }
}

function copyOf(content: string | Uint8Array): string | Uint8Array {
  return typeof content === 'string' ? content : new OwnedBuffer(content);
}

function wipe(content: string | Uint8Array | undefined): void {
  if (typeof content === 'object') typedArrayFill(content, 0, 0, typedArrayLength(content));
}

function create(key: unknown, isPrivate: boolean): object {
  return ((isPrivate ? hostCreatePrivateKey : hostCreatePublicKey) as (key: unknown) => object)(key);
}

/** The options for the host to read the content, copies of whatever another thread may change. */
function optionsFor(content: string | Uint8Array, passphrase: unknown, given: Given): object {
  const options = bare<unknown>();
  options['key'] = given.format === 'jwk' ? given.key : content;
  options['format'] = given.format;
  options['type'] = given.type;
  options['passphrase'] = passphrase;
  options['asymmetricKeyType'] = given.asymmetricKeyType;
  options['namedCurve'] = given.namedCurve;
  return options;
}

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

/** Another `KeyObject` of the host's over the native key of one that was made of that content before. */
export function createAgain(argument: unknown, isPrivate: boolean): object | undefined {
  const entry = entryToCreate(argument, isPrivate);
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

function entryToCreate(argument: unknown, isPrivate: boolean): Entry | undefined {
  resetAsked();
  missing.why = 'key';
  if (typeof argument === 'string') return findAgain(argument, isPrivate, '', undefined);
  if (typeof argument !== 'object' || argument === null || isProxy(argument)) return undefined;
  if (isPlainBytes(argument)) return findAgain(argument, isPrivate, '', undefined);
  if (!isPlain(argument)) return undefined;
  if (holdsNewContent(argument)) return firstUse();
  if (!isOptions(argument)) return undefined;
  missing.why = 'options';
  const given = readOptions(argument);
  if (given === undefined) return undefined;
  missing.why = 'key';
  return entryOf(given, isPrivate);
}
