/**
 * What the methods of `SubtleCrypto` share: what they take for plain arguments, of which the host would
 * find no more than is found here, and would run no code of the app's to do so.
 */

import { types } from 'node:util';

import { isPlain } from './key-options';
import {
  Bytes,
  arrayBufferPrototype,
  bare,
  bytesOf,
  charCodeAt,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isDetached,
  isFixedArrayBuffer,
  isOfFixedLength,
  isView,
  plainObjectPrototype,
  toLowerCase,
  typedArrayLength,
} from './primordials';

const { isArrayBuffer, isProxy } = types;

/** Names as they are written in the specifications, by themselves in small letters. */
const spelled = bare<string>();
for (const name of [
  'SHA-1',
  'SHA-256',
  'SHA-384',
  'SHA-512',
  'SHA3-256',
  'SHA3-384',
  'SHA3-512',
  'HMAC',
  'AES-GCM',
  'AES-CBC',
  'AES-CTR',
  'ECDSA',
  'Ed25519',
  'RSASSA-PKCS1-v1_5',
  'RSA-PSS',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
  'HKDF',
  'PBKDF2',
  'ECDH',
  'X25519',
]) {
  spelled[name.toLowerCase()] = name;
  // Most are written like that.
  spelled[name] = name;
}
const LONGEST_NAME = 20;

/** The name as the host spells it, which takes capitals and small letters for the same; `undefined` for others. */
function spelling(name: string): string | undefined {
  const found = spelled[name];
  if (found !== undefined || name.length > LONGEST_NAME) return found;
  // What is no ASCII must not become a letter of it.
  for (let at = 0; at < name.length; at++) if (charCodeAt(name, at) > 0x7f) return undefined;
  return spelled[toLowerCase(name)];
}

/**
 * A member of a dictionary as the host would find it: plain data of the object's own, or nothing at all.
 * {@link REFUSED} where code of the app's might run, or where it is inherited.
 */
export function memberOf(dictionary: object, name: string): unknown {
  const property = getOwnPropertyDescriptor(dictionary, name);
  if (property === undefined) return name in plainObjectPrototype ? REFUSED : undefined;
  return hasOwn(property, 'value') ? property.value : REFUSED;
}

/** Stands for a member that the host has to look at. */
export const REFUSED = Symbol('refused');

/** Whether it is an object whose members can be looked at with {@link memberOf}. */
export function isDictionary(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isProxy(value) && isPlain(value);
}

/** The algorithm's name, of a string or of a plain dictionary; `undefined` where the host has to look. */
export function nameOf(algorithm: unknown): string | undefined {
  if (typeof algorithm === 'string') return spelling(algorithm);
  return isDictionary(algorithm) ? nameIn(algorithm) : undefined;
}

/** The name in what is known to be a plain dictionary. */
export function nameIn(dictionary: object): string | undefined {
  const name = memberOf(dictionary, 'name');
  return typeof name === 'string' ? spelling(name) : undefined;
}

/** The bytes of a `BufferSource`; `undefined` where there are none, or the host has to say what it is. */
export function bytesOfSource(source: unknown): Uint8Array | undefined {
  const bytes = bytesOrNone(source);
  return bytes === undefined || typedArrayLength(bytes) === 0 ? undefined : bytes;
}

/** As {@link bytesOfSource}, of what may also be empty. */
export function bytesOrNone(source: unknown): Uint8Array | undefined {
  let bytes: Uint8Array | undefined;
  if (isView(source)) {
    bytes = bytesOf(source);
    if (bytes === undefined || !isOfFixedLength(bytes)) return undefined;
  } else {
    // Older lines take none of another realm.
    if (!isArrayBuffer(source) || getPrototypeOf(source) !== arrayBufferPrototype || !isFixedArrayBuffer(source)) {
      return undefined;
    }
    try {
      bytes = new Bytes(source);
    } catch {
      // It is detached.
      return undefined;
    }
  }
  // Nothing is also what is left of a buffer that is detached.
  return typedArrayLength(bytes) === 0 && isDetached(bytes) ? undefined : bytes;
}

/** Whether promises may be settled with buffers: not where the app makes something else of them. */
export function areBuffersPlain(): boolean {
  return !('then' in arrayBufferPrototype);
}

/** The engine's numbers of digests, by name. */
export const DIGESTS = bare<number>();
DIGESTS['SHA-1'] = 1;
DIGESTS['SHA-256'] = 3;
DIGESTS['SHA-384'] = 4;
DIGESTS['SHA-512'] = 5;
DIGESTS['SHA3-256'] = 9;
DIGESTS['SHA3-384'] = 10;
DIGESTS['SHA3-512'] = 11;

/** Bytes of output, by the engine's number. */
export const DIGEST_LENGTHS = bare<number>();
DIGEST_LENGTHS[1] = 20;
DIGEST_LENGTHS[3] = 32;
DIGEST_LENGTHS[4] = 48;
DIGEST_LENGTHS[5] = 64;
DIGEST_LENGTHS[9] = 32;
DIGEST_LENGTHS[10] = 48;
DIGEST_LENGTHS[11] = 64;
