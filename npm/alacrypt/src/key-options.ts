/**
 * What the arguments that name a key say: plain objects of options, the forms of a key's content,
 * JWK. Code of the app's never runs here: what is not plain data, the host has to look at.
 */

import { types } from 'node:util';

import {
  Attachment,
  bare,
  charCodeAt,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isView,
  makeTable,
  ownKeys,
  typedArrayTag,
} from './primordials';

const { isAnyArrayBuffer, isCryptoKey, isKeyObject } = types;

/** The options beside the key of the call in progress; reset by {@link resetAsked}. */
export const asked = {
  padding: undefined as number | undefined,
  saltLength: undefined as number | undefined,
  isP1363: false,
  /** Of ML-DSA. */
  context: undefined as Uint8Array | undefined,
  /** Of `publicEncrypt` and the like, whatever they are; other functions do not look at them. */
  oaepHash: undefined as unknown,
  oaepLabel: undefined as unknown,
  /** Of a key or passphrase that is text, too. */
  encoding: undefined as unknown,
  /** Whether the key was given as a `KeyObject`, which costs the host nothing to read. */
  isObject: false,
  /** The `KeyObject`, given or made of what was given. */
  object: undefined as object | undefined,
};

/** Lets go of what was asked for: nothing of the app's is kept alive once its call has ended. */
export function forgetAsked(): void {
  asked.context = undefined;
  asked.oaepHash = undefined;
  asked.oaepLabel = undefined;
  asked.encoding = undefined;
  asked.object = undefined;
}

export function resetAsked(): void {
  asked.padding = undefined;
  asked.saltLength = undefined;
  asked.isP1363 = false;
  forgetAsked();
  asked.isObject = false;
}

const textObject = Object('') as object;
const { prototype: plainPrototype } = Object;
/** Whether an object is as `{}` is, or without a prototype; not of a proxy. */
export function isPlain(object: object): boolean {
  const prototype: unknown = getPrototypeOf(object);
  return prototype === plainPrototype || prototype === null;
}
const { prototype: bytesPrototype } = Uint8Array;
const { prototype: bufferPrototype } = Buffer;

/**
 * Whether the host may find something of a key, or of how it is used, where nobody put it for
 * that: on the prototype of texts, of options, or of what it hands on inside.
 */
export function isInherited(): boolean {
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
export function isPlainBytes(value: unknown): value is Uint8Array {
  if (typedArrayTag(value) !== 'Uint8Array') return false;
  const prototype: unknown = getPrototypeOf(value);
  return prototype === bufferPrototype || prototype === bytesPrototype;
}

/**
 * Whether the host takes that object, which has the prototype of plain ones or none, for options:
 * what keys and bytes are, it sees by what is inside of them.
 */
export function isOptions(object: object): boolean {
  return (
    !isView(object) &&
    !isAnyArrayBuffer(object) &&
    Attachment.get(object) === undefined &&
    !isKeyObject(object) &&
    !isCryptoKey(object)
  );
}

/** Whether the host will find none of the options on what it takes for both key and options. */
export function hasNoOptions(object: object): boolean {
  return !('padding' in object || 'saltLength' in object || 'dsaEncoding' in object || 'context' in object);
}

/** What the host's native code takes for an integer; its own check lets -0 through as well. */
function isInt32(value: unknown): value is number {
  return typeof value === 'number' && value === value >> 0 && (value !== 0 || 1 / value > 0);
}

/** What an object of options says of the key. */
export interface Given {
  key: unknown;
  format: unknown;
  type: unknown;
  passphrase: unknown;
  asymmetricKeyType: unknown;
  namedCurve: unknown;
}

/** What all of the options say, which have to be plain data; what is asked beside the key goes into {@link asked}. */
export function readOptions(options: object): Given | undefined {
  const given: Given = {
    key: undefined,
    format: undefined,
    type: undefined,
    passphrase: undefined,
    asymmetricKeyType: undefined,
    namedCurve: undefined,
  };
  const names = ownKeys(options);
  for (let at = 0; at < names.length; at++) {
    const property = getOwnPropertyDescriptor(options, names[at] as PropertyKey);
    if (property === undefined || !hasOwn(property, 'value')) return undefined;
    const value: unknown = property.value;
    switch (names[at]) {
      case 'key':
        given.key = value;
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
      case 'context':
        if (value !== undefined && !isPlainBytes(value)) return undefined;
        asked.context = value;
        break;
      case 'oaepHash':
        asked.oaepHash = value;
        break;
      case 'oaepLabel':
        asked.oaepLabel = value;
        break;
      case 'encoding':
        asked.encoding = value;
        break;
      case 'format':
        given.format = value;
        break;
      case 'type':
        given.type = value;
        break;
      case 'passphrase':
        given.passphrase = value;
        break;
      case 'asymmetricKeyType':
        given.asymmetricKeyType = value;
        break;
      case 'namedCurve':
        given.namedCurve = value;
        break;
      default:
        if (value !== undefined) return undefined;
    }
  }
  return given;
}

/** Longer names are none that a host knows. */
const NAME_LIMIT = 64;

/** The form of a key's content, as a part of its place in the cache; '' for PEM. */
export function formOf({ format, type, asymmetricKeyType, namedCurve }: Given): string | undefined {
  if (format === 'raw-public' || format === 'raw-private' || format === 'raw-seed') {
    if (type !== undefined || !isName(asymmetricKeyType)) return undefined;
    const named = `${format} ${asymmetricKeyType.length} ${asymmetricKeyType}`;
    if (namedCurve === undefined) return named;
    return isName(namedCurve) ? `${named} ${namedCurve}` : undefined;
  }
  if (asymmetricKeyType !== undefined || namedCurve !== undefined) return undefined;
  if (format === undefined || format === 'pem') return type === undefined ? '' : undefined;
  if (format === 'jwk') return type === undefined ? 'jwk' : undefined;
  if (format !== 'der' || typeof type !== 'string') return undefined;
  return type === 'spki' || type === 'pkcs8' || type === 'pkcs1' || type === 'sec1' ? type : undefined;
}

/** Whether it may be the name of a kind of key or of a curve. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= NAME_LIMIT;
}

/** The members of a JWK that some line of the host reads (RFC 7518, section 6; RFC 8037, section 2). */
const JWK_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'alg', 'pub', 'priv'] as const;
/** And some that no line reads, but for which they need not be text. */
const UNREAD_JWK_MEMBERS = makeTable<true>();
for (const name of ['ext', 'key_ops', 'x5c']) UNREAD_JWK_MEMBERS.set(name, true);

export type Jwk = Record<string, string>;

/** A text in a plain JWK that is another in most others: a coordinate, a modulus. */
export function memberOf(jwk: object): string {
  const property =
    getOwnPropertyDescriptor(jwk, 'x') ?? getOwnPropertyDescriptor(jwk, 'n') ?? getOwnPropertyDescriptor(jwk, 'pub');
  return property !== undefined && hasOwn(property, 'value') && typeof property.value === 'string' ? property.value : '';
}

/** The texts in a plain JWK; `undefined` where it has members of another type. */
export function copyJwk(jwk: object): Jwk | undefined {
  const copy = bare<string>();
  const names = ownKeys(jwk);
  for (let at = 0; at < names.length; at++) {
    const name = names[at];
    if (typeof name !== 'string') return undefined;
    const property = getOwnPropertyDescriptor(jwk, name);
    if (property === undefined || !hasOwn(property, 'value')) return undefined;
    const value: unknown = property.value;
    if (typeof value === 'string') copy[name] = value;
    else if (UNREAD_JWK_MEMBERS.get(name) !== true) return undefined;
  }
  for (let at = 0; at < JWK_MEMBERS.length; at++) {
    const name = JWK_MEMBERS[at] as string;
    if (copy[name] === undefined && name in jwk) return undefined;
  }
  return copy;
}

/**
 * A text that says what the JWK says, and that no other one gives; `undefined` where that holds more
 * than ASCII: as UTF-8 all lone surrogates are the same, while the host reads a part of each.
 */
export function textOfJwk(jwk: Jwk): string | undefined {
  let text = '';
  const names = ownKeys(jwk);
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    const value = jwk[name] as string;
    text += `${name.length} ${name}${value.length} ${value}`;
  }
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= charCodeAt(text, at);
  return bits < 0x80 ? text : undefined;
}

