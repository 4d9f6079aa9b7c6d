/**
 * `createCipheriv` and `createDecipheriv`.
 */

import { types } from 'node:util';

import { isHostsTurn } from './algorithms';
import { CipherHandle } from './cipher-handle';
import { type CipherAlgorithm, NO_TAG_LENGTH, SLOT_LENGTH, TAG_LENGTH, cipherAlgorithm } from './ciphers';
import { writeUtf8 } from './encodings';
import { host, hostCreateCipheriv, hostCreateDecipheriv, secretKeyBytes, symbols } from './host';
import { isPlain } from './key-options';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import {
  getOwnPropertyDescriptor,
  hasOwn,
  isExtensible,
  makeAttachments,
  makeRegistry,
  part,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import { NO_ID, Status, Word, input, leave, occupy, words } from './scratch';
import { type Counter, counters } from './stats';

const { isProxy } = types;

const kHandle = symbols?.kHandle as symbol;

type ServedCipher = new (handle: CipherHandle, options: unknown) => object;

/** A constructor of what the host's constructor with that prototype makes, around our handle. */
function servedCipher(prototype: object): ServedCipher {
  function Served(this: Record<PropertyKey, unknown>, handle: CipherHandle, options: unknown): void {
    this[kHandle] = handle;
    this['_decoder'] = null;
    this['_options'] = options;
  }
  Served.prototype = prototype;
  return Served as unknown as ServedCipher;
}

const NewCipheriv = servedCipher((host as unknown as { Cipheriv: { prototype: object } }).Cipheriv.prototype);
const NewDecipheriv = servedCipher((host as unknown as { Decipheriv: { prototype: object } }).Decipheriv.prototype);

/** Longer keys are none. */
const KEY_LIMIT = 64;

export function createCipheriv(this: unknown, cipher: unknown, key: unknown, iv: unknown, options?: unknown): unknown {
  const handle = makeHandle(counters.createCipheriv, true, cipher, key, iv, options);
  if (handle !== undefined) return new NewCipheriv(handle, options);
  return handBack(hostCreateCipheriv, this, arguments);
}

export function createDecipheriv(this: unknown, cipher: unknown, key: unknown, iv: unknown, options?: unknown): unknown {
  const handle = makeHandle(counters.createDecipheriv, false, cipher, key, iv, options);
  if (handle !== undefined) return new NewDecipheriv(handle, options);
  return handBack(hostCreateDecipheriv, this, arguments);
}

function makeHandle(
  counter: Counter,
  encrypts: boolean,
  cipher: unknown,
  key: unknown,
  iv: unknown,
  options: unknown,
): CipherHandle | undefined {
  if (typeof cipher !== 'string') {
    counter.handBack('arguments');
    return undefined;
  }
  const algorithm = cipherAlgorithm(cipher);
  if (algorithm === undefined) {
    counter.handBack('algorithm');
  } else if (isHostsTurn(algorithm)) {
    counter.outgrownBefore++;
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    const tagLength = options === undefined ? NO_TAG_LENGTH : plainTagLength(options, algorithm);
    if (tagLength === undefined) {
      counter.handBack('options');
    } else {
      const ivLength = plainIvLength(iv, algorithm);
      if (ivLength === undefined) {
        counter.handBack('arguments');
      } else {
        const length = SLOT_LENGTH + algorithm.keyLength + ivLength;
        const handle = new CipherHandle(algorithm, counter, encrypts, ivLength, tagLength, length);
        occupy(handle);
        if (putKey(key, algorithm.keyLength) && !(isTwice(algorithm.keyLength))) {
          if (ivLength > 0) typedArraySet(input, iv as Uint8Array, SLOT_LENGTH + algorithm.keyLength);
          counter.served++;
          emptyHostErrors();
          return handle;
        }
        leave();
        counter.handBack('key');
      }
    }
  }
  return undefined;
}

/** The length of an initialization vector that the cipher takes; 0 where it takes none. */
function plainIvLength(iv: unknown, { ivMinimum, ivMaximum }: CipherAlgorithm): number | undefined {
  if (iv === null) return ivMinimum === 0 ? 0 : undefined;
  if (typedArrayTag(iv) !== 'Uint8Array') return undefined;
  const length = typedArrayLength(iv);
  return length >= ivMinimum && length <= ivMaximum ? length : undefined;
}

/** The shortest tag of a usual length; of the others the host takes two, and only in GCM. */
const LONG_TAG_MINIMUM = 12;

/** The option `authTagLength` of plain options, where it is none or one that the host takes. */
function plainTagLength(options: unknown, { isAead, isStreamed }: CipherAlgorithm): number | undefined {
  if (typeof options !== 'object') return undefined;
  if (options === null) return NO_TAG_LENGTH;
  if (isProxy(options) || !isPlain(options) || 'encoding' in options) return undefined;
  if (!('authTagLength' in options)) return NO_TAG_LENGTH;
  const property = getOwnPropertyDescriptor(options, 'authTagLength');
  // A getter's descriptor has no value of its own, but may inherit one.
  if (property === undefined || !hasOwn(property, 'value')) return undefined;
  const length: unknown = property.value;
  if (!isAead) return undefined;
  if (length === TAG_LENGTH) return TAG_LENGTH;
  // Of what is no GCM there is no way here to check a short one.
  if (!isStreamed || typeof length !== 'number') return undefined;
  const isLength = length === 4 || length === 8 || (length >>> 0 === length && length >= LONG_TAG_MINIMUM && length < TAG_LENGTH);
  return isLength ? length : undefined;
}

/** Puts a key of that length behind the slot; `false` for all else. */
function putKey(key: unknown, keyLength: number): boolean {
  if (typeof key === 'string') return key.length <= KEY_LIMIT && putText(key, keyLength);
  if (typeof key !== 'object' || key === null) return false;
  if (typedArrayTag(key) === 'Uint8Array') {
    if (typedArrayLength(key) !== keyLength) return false;
    typedArraySet(input, key as Uint8Array, SLOT_LENGTH);
    return true;
  }
  return putKeyObject(key, keyLength);
}

/** Whether the key behind the slot is one for XTS, and its halves are equal: the host refuses most such. */
function isTwice(keyLength: number): boolean {
  if (keyLength !== KEY_LIMIT) return false;
  let difference = 0;
  for (let at = SLOT_LENGTH; at < SLOT_LENGTH + KEY_LIMIT / 2; at++) {
    difference |= (input[at] as number) ^ (input[at + KEY_LIMIT / 2] as number);
  }
  if (difference !== 0) return false;
  typedArrayFill(input, 0, SLOT_LENGTH, SLOT_LENGTH + KEY_LIMIT);
  return true;
}

/** What is known of a `KeyObject` that was used before. */
interface KeyUse {
  /** How often it was used. */
  count: number;
  /** The number of the key in the addon, or {@link NO_ID}. */
  id: number;
}

/** Asking the host for a key's bytes costs more than keeping them, but most keys are used once or twice. */
const USES_BEFORE_KEEPING = 2;

const uses = makeAttachments();
const abandonedKeys = makeRegistry((id: number) => {
  words[Word.Id] = id;
  native?.cipherKeyRelease();
});

/** On its third use a key is kept for as long as the `KeyObject` lives, while there is room. */
function putKeyObject(key: object, keyLength: number): boolean {
  const use = uses.get<KeyUse>(key);
  words[Word.KeyLength] = keyLength;
  if (use !== undefined && use.id !== NO_ID) {
    words[Word.Id] = use.id;
    native?.cipherKeyLoad();
    return words[Word.Status] === Status.Done;
  }
  // A proxy may be another key at the next use.
  if (use === undefined && isProxy(key)) return false;
  const bytes = secretKeyBytes(key);
  if (bytes === undefined) return false;
  const length = typedArrayLength(bytes);
  if (length === keyLength) typedArraySet(input, bytes, SLOT_LENGTH);
  typedArrayFill(bytes, 0, 0, length);
  if (length !== keyLength) return false;
  if (use === undefined) {
    // Newer lines of V8 may refuse to attach to what cannot be extended.
    if (isExtensible(key)) uses.set<KeyUse>(key, { count: 1, id: NO_ID });
  } else if (++use.count > USES_BEFORE_KEEPING) {
    native?.cipherKeyNew();
    if (words[Word.Status] === Status.Done) {
      use.id = words[Word.Id] as number;
      abandonedKeys.register(key, use.id);
    }
  }
  return true;
}

function putText(key: string, keyLength: number): boolean {
  if (writeUtf8(key, part(input, SLOT_LENGTH, SLOT_LENGTH + 3 * KEY_LIMIT)) === keyLength) return true;
  typedArrayFill(input, 0, SLOT_LENGTH, SLOT_LENGTH + 3 * KEY_LIMIT);
  return false;
}
