/**
 * `publicEncrypt`, `privateDecrypt`, `privateEncrypt` and `publicDecrypt`.
 *
 * Decryption with PKCS #1 v1.5 padding is the host's, always: what it answers to a wrong padding
 * lets nobody decrypt by trial, and the engine has no such answer.
 */

import { type Algorithm, digestAlgorithm } from './algorithms';
import { decode, isUtf8, writeUtf8 } from './encodings';
import { hostPrivateDecrypt, hostPrivateEncrypt, hostPublicDecrypt, hostPublicEncrypt } from './host';
import { type Key, Kind, findKey, missing } from './key';
import { asked } from './key-options';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import {
  getPrototypeOf,
  makeTable,
  part,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import { Encoding, INPUT_CAPACITY, Status, Word, input, occupy, takeOutput, words } from './scratch';
import { hostSignsAsFast } from './sign';
import { type Counter, counters } from './stats';

/** The addon's numbers for paddings (`crates/alacrypt-node/src/rsa.rs`). */
const enum Padding {
  Oaep = 0,
  Pkcs1v15 = 1,
}

/** `constants.RSA_PKCS1_PADDING` and `constants.RSA_PKCS1_OAEP_PADDING`. */
const RSA_PKCS1_PADDING = 1;
const RSA_PKCS1_OAEP_PADDING = 4;

/** The longest label, and the longest data, that is looked at: the modulus has 2,048 bytes at most. */
const PIECE_LIMIT = 2048;
/** The digest of OAEP where none is named (RFC 8017, appendix A.2.1). */
const DEFAULT_DIGEST = 'sha1';

/** Names of digests that the host was seen to take for OAEP. */
const oaepNames = makeTable<true>();

export function publicEncrypt(this: unknown, key: unknown, buffer: unknown): unknown {
  const counter = counters.publicEncrypt;
  const found = keyOf(counter, key, false);
  if (found !== undefined) {
    const length = put(found, buffer, RSA_PKCS1_OAEP_PADDING);
    if (length !== undefined) native?.publicEncrypt();
    const output = take(counter, length);
    if (output !== undefined) return output;
  }
  return remember(asked.oaepHash, handBack(hostPublicEncrypt, this, arguments));
}

export function privateDecrypt(this: unknown, key: unknown, buffer: unknown): unknown {
  const counter = counters.privateDecrypt;
  const found = keyOf(counter, key, true);
  if (found !== undefined) {
    const length =
      asked.padding === RSA_PKCS1_PADDING ? undefined : put(found, buffer, RSA_PKCS1_OAEP_PADDING);
    if (length !== undefined) native?.privateDecrypt();
    const output = take(counter, length);
    if (output !== undefined) return output;
  }
  return remember(asked.oaepHash, handBack(hostPrivateDecrypt, this, arguments));
}

export function privateEncrypt(this: unknown, key: unknown, buffer: unknown): unknown {
  const counter = counters.privateEncrypt;
  const found = keyOf(counter, key, true);
  if (found !== undefined) {
    const length = put(found, buffer, RSA_PKCS1_PADDING);
    if (length !== undefined) native?.privateEncrypt();
    const output = take(counter, length);
    if (output !== undefined) return output;
  }
  return handBack(hostPrivateEncrypt, this, arguments);
}

export function publicDecrypt(this: unknown, key: unknown, buffer: unknown): unknown {
  const counter = counters.publicDecrypt;
  const found = keyOf(counter, key, false);
  if (found !== undefined) {
    const length = put(found, buffer, RSA_PKCS1_PADDING);
    if (length !== undefined) native?.publicDecrypt();
    const output = take(counter, length);
    if (output !== undefined) return output;
  }
  return handBack(hostPublicDecrypt, this, arguments);
}

/** The parsed RSA key, if the call may be served; what it asks for beside the key is in `asked`. */
function keyOf(counter: Counter, argument: unknown, isPrivate: boolean): Key | undefined {
  asked.oaepHash = undefined;
  if (fips() === true) {
    counter.handBack('FIPS is on');
    return undefined;
  }
  if (isInherited()) {
    counter.handBack('options');
    return undefined;
  }
  const found = findKey(argument, isPrivate);
  if (found === undefined) {
    counter.handBack(missing.why);
  } else if (found.kind !== Kind.Rsa) {
    counter.handBack('key');
  } else if (hasOptionsOnKey(argument)) {
    counter.handBack('options');
  } else if (isPrivate && hostSignsAsFast(found)) {
    counter.handBack('host is as fast');
  } else {
    return found;
  }
  return undefined;
}

const textObject = Object('') as object;
const { prototype: plainPrototype } = Object;

/** Whether the host finds options where nobody put them for that; beyond what `findKey` asks. */
function isInherited(): boolean {
  return 'oaepHash' in textObject || 'oaepLabel' in textObject || 'mgf1Hash' in textObject;
}

/** The same, on a `KeyObject` or bytes: the host takes them for both key and options. */
function hasOptionsOnKey(argument: unknown): boolean {
  if (typeof argument !== 'object' || argument === null) return false;
  const prototype: unknown = getPrototypeOf(argument);
  if (prototype === plainPrototype || prototype === null) return false;
  return (
    'oaepHash' in argument || 'oaepLabel' in argument || 'mgf1Hash' in argument || 'encoding' in argument
  );
}

/**
 * Puts label and data into the input and writes what is to be done; returns the bytes of both
 * together, and `undefined` where the host has to look at it.
 */
function put(key: Key, buffer: unknown, defaultPadding: number): number | undefined {
  const { padding, oaepHash, oaepLabel, encoding } = asked;
  let digest: Algorithm | undefined;
  // A padding of 0 counts as none given.
  const isOaep = (padding === undefined || padding === 0 ? defaultPadding : padding) === RSA_PKCS1_OAEP_PADDING;
  if (isOaep) {
    if (defaultPadding !== RSA_PKCS1_OAEP_PADDING) return undefined;
    digest = oaepDigest(oaepHash);
    if (digest === undefined) return undefined;
  } else if (
    (padding !== RSA_PKCS1_PADDING && padding !== undefined && padding !== 0) ||
    oaepHash !== undefined ||
    oaepLabel !== undefined
  ) {
    return undefined;
  }
  occupy();
  const labelLength = oaepLabel === undefined ? 0 : putPiece(oaepLabel, encoding, 0);
  if (labelLength === undefined) return undefined;
  const dataLength = putPiece(buffer, encoding, labelLength);
  if (dataLength === undefined) {
    typedArrayFill(input, 0, 0, labelLength);
    return undefined;
  }
  words[Word.Scheme] = isOaep ? Padding.Oaep : Padding.Pkcs1v15;
  words[Word.Algorithm] = digest === undefined ? 0 : digest.number;
  words[Word.Id] = key.id;
  words[Word.KeyLength] = labelLength;
  words[Word.DataLength] = dataLength;
  words[Word.Encoding] = Encoding.Scratch;
  return labelLength + dataLength;
}

function oaepDigest(name: unknown): Algorithm | undefined {
  if (name === undefined) return digestAlgorithm(DEFAULT_DIGEST);
  return typeof name === 'string' && oaepNames.get(name) === true ? digestAlgorithm(name) : undefined;
}

/**
 * Puts bytes, or a text in its encoding, into the input behind `from` bytes and returns how many;
 * `undefined` for what the host has to look at. Shared with `ecdh.ts`.
 */
export function putPiece(piece: unknown, encoding: unknown, from: number): number | undefined {
  if (typeof piece !== 'string') {
    if (typedArrayTag(piece) !== 'Uint8Array') return undefined;
    const length = typedArrayLength(piece);
    if (length > PIECE_LIMIT) return undefined;
    // From a view whose buffer is detached nothing can be copied, and it counts as empty.
    if (length !== 0) typedArraySet(input, piece as Uint8Array, from);
    return length;
  }
  if (encoding === undefined || encoding === 'utf8' || encoding === 'buffer') {
    return 3 * piece.length > PIECE_LIMIT ? undefined : writeUtf8(piece, part(input, from, INPUT_CAPACITY));
  }
  // One that the host does not know it refuses.
  if (typeof encoding !== 'string' || isUtf8(encoding)) return undefined;
  const bytes = decode(piece, encoding, PIECE_LIMIT);
  if (bytes === undefined) return undefined;
  const length = typedArrayLength(bytes);
  typedArraySet(input, bytes, from);
  typedArrayFill(bytes, 0, 0, length);
  return length;
}

/** The result of the call that was made with so many bytes of input, which are wiped. */
function take(counter: Counter, length: number | undefined): Buffer | undefined {
  if (length === undefined) {
    counter.handBack('options');
    return undefined;
  }
  const done = words[Word.Status] === Status.Done;
  typedArrayFill(input, 0, 0, length);
  if (!done) {
    counter.handBack('engine refused');
    return undefined;
  }
  counter.served++;
  emptyHostErrors();
  return takeOutput(words[Word.OutputLength] as number);
}

/** Notes the name of a digest that the host took. */
function remember(name: unknown, result: unknown): unknown {
  if (typeof name === 'string') oaepNames.set(name, true);
  return result;
}
