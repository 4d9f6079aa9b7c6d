/**
 * The digest algorithms: their numbers in the addon, and up to what size each is served.
 */

import {
  type HostObject,
  handleInside,
  hashPrototype,
  hostCreateHash,
  hostCreateHmac,
  probes,
} from './host';
import { native } from './native';
import { type Table, apply, makeTable, typedArrayLength } from './primordials';
import { fips } from './policy';
import { words, Encoding, INPUT_CAPACITY, NO_ID, Status, Word, occupy } from './scratch';

/** Who had better make the next object, as the last ones tell. */
export interface Habit {
  /** How many objects in a row the host had to take over. */
  run: number;
  /** How many of the next objects the host makes from the start. */
  hostsTurns: number;
}

/** One algorithm under one of its names. */
export interface Algorithm extends Habit {
  /** The name that the app used. */
  readonly name: string;
  /** The position in the engine's `Algorithm::ALL`. */
  readonly number: number;
  /** Bytes of output; 0 for an extendable-output function, which has no length of its own. */
  readonly outputLength: number;
  /** The longest input in bytes that the engine is at least as fast on as the host. */
  readonly limit: number;
}

type Row = readonly [number: number, outputLength: number, limit: number, ...names: string[]];

/**
 * Above these sizes the time goes into the primitive, not into the call. AWS-LC's SHA-512 family
 * and SHA-3 and RustCrypto's RIPEMD-160 are slower there than the host's OpenSSL.
 */
const WHOLE = INPUT_CAPACITY;
const SHA512_LIMIT = 2048;
const SHA3_LIMIT = 4096;
const RIPEMD_LIMIT = 512;

const ROWS: readonly Row[] = [
  [0, 16, WHOLE, 'md5', 'MD5', 'RSA-MD5'],
  [1, 20, WHOLE, 'sha1', 'SHA1', 'sha-1', 'SHA-1', 'RSA-SHA1'],
  [2, 28, WHOLE, 'sha224', 'SHA224', 'sha-224', 'SHA-224', 'RSA-SHA224'],
  [3, 32, WHOLE, 'sha256', 'SHA256', 'sha-256', 'SHA-256', 'RSA-SHA256'],
  [4, 48, SHA512_LIMIT, 'sha384', 'SHA384', 'sha-384', 'SHA-384', 'RSA-SHA384'],
  [5, 64, SHA512_LIMIT, 'sha512', 'SHA512', 'sha-512', 'SHA-512', 'RSA-SHA512'],
  [6, 28, SHA512_LIMIT, 'sha512-224', 'SHA512-224', 'RSA-SHA512/224'],
  [7, 32, SHA512_LIMIT, 'sha512-256', 'SHA512-256', 'RSA-SHA512/256'],
  [8, 28, SHA3_LIMIT, 'sha3-224', 'SHA3-224', 'RSA-SHA3-224'],
  [9, 32, SHA3_LIMIT, 'sha3-256', 'SHA3-256', 'RSA-SHA3-256'],
  [10, 48, SHA3_LIMIT, 'sha3-384', 'SHA3-384', 'RSA-SHA3-384'],
  [11, 64, SHA3_LIMIT, 'sha3-512', 'SHA3-512', 'RSA-SHA3-512'],
  [12, 0, SHA3_LIMIT, 'shake128', 'SHAKE128'],
  [13, 0, SHA3_LIMIT, 'shake256', 'SHAKE256'],
  [14, 64, WHOLE, 'blake2b512', 'BLAKE2b512'],
  [15, 32, WHOLE, 'blake2s256', 'BLAKE2s256'],
  [16, 20, RIPEMD_LIMIT, 'ripemd160', 'RIPEMD160', 'rmd160', 'ripemd', 'RSA-RIPEMD160'],
  [17, 36, WHOLE, 'md5-sha1', 'MD5-SHA1'],
];

/** Names of which the host has not been asked yet whether it knows them. */
const candidates = makeTable<Algorithm>();
for (const [number, outputLength, limit, ...names] of ROWS) {
  for (const name of names) {
    candidates.set(name, { name, number, outputLength, limit, run: 0, hostsTurns: 0 });
  }
}

/** A copy with counts of its own: an app may hash large data and authenticate small, or the reverse. */
function apart({ name, number, outputLength, limit }: Algorithm): Algorithm {
  return { name, number, outputLength, limit, run: 0, hostsTurns: 0 };
}

/** So many in a row are a habit: large files, or many of them read at once. */
const HABIT = 4;
/** After a habit is seen; each time that it is seen again they are twice as many, up to a limit. */
const TURNS = 32;
const MOST_TURNS = 256;

/** Notes that the host had to take an object over. */
export function outgrew(habit: Habit): void {
  // One that was made before the turns began, and says nothing new.
  if (habit.hostsTurns !== 0) return;
  const again = ++habit.run - HABIT;
  if (again < 0) return;
  habit.hostsTurns = again < 3 ? TURNS << again : MOST_TURNS;
}

/**
 * Whether the host had better make the next object, since of late it had to take each of them over.
 * Asking counts; when the turns are over, one object is tried here.
 */
export function isHostsTurn(habit: Habit): boolean {
  if (habit.hostsTurns === 0) return false;
  habit.hostsTurns--;
  return true;
}

/** Extendable-output functions have no HMAC. */
const hasHmac = (outputLength: number): boolean => outputLength !== 0;

/**
 * Names that the host knows, each with proof that host and engine agree on it. A name enters on
 * its first use: nothing is resolved before it is needed.
 */
const digests = makeTable<Algorithm>();
const macs = makeTable<Algorithm>();
const { get: findDigest } = digests;
const { get: findMac } = macs;

/** The digest algorithm of that name, if the engine serves it. */
export function digestAlgorithm(name: string): Algorithm | undefined {
  return findDigest(name) ?? resolve(name, digests, agreesOnDigest);
}

/** The digest algorithm of that name, if the engine serves HMAC over it. */
export function macAlgorithm(name: string): Algorithm | undefined {
  return findMac(name) ?? resolve(name, macs, agreesOnMac);
}

const refused = makeTable<true>();

function resolve(
  name: string,
  resolved: Table<Algorithm>,
  agrees: (algorithm: Algorithm) => boolean,
): Algorithm | undefined {
  const algorithm = candidates.get(name);
  if (algorithm === undefined || native === undefined) return undefined;
  const mark = resolved === macs ? `hmac ${name}` : name;
  // Under FIPS the host knows fewer names: that says nothing about later.
  if (refused.get(mark) === true || fips() === true) return undefined;
  occupy();
  let agreed = false;
  try {
    agreed = agrees(algorithm);
  } catch {
    // The host does not know the name, or has FIPS on.
  }
  if (!agreed) {
    refused.set(mark, true);
    return undefined;
  }
  const entry = resolved === macs ? apart(algorithm) : algorithm;
  resolved.set(name, entry);
  return entry;
}

const XOF_PROBE_LENGTH = 24;

function agreesOnDigest({ name, number, outputLength }: Algorithm): boolean {
  const options = outputLength === 0 ? { outputLength: XOF_PROBE_LENGTH } : undefined;
  const object = hostCreateHash(name, options) as unknown as HostObject;
  if (outputLength === 0) findCopiedLength(name, object);
  const expected = handleInside(object).digest('hex');
  words[Word.Algorithm] = number;
  words[Word.Encoding] = Encoding.Hex;
  words[Word.DataLength] = 0;
  words[Word.OutputLength] = XOF_PROBE_LENGTH;
  words[Word.AskPolicy] = 0;
  const actual = native?.digestString('');
  return words[Word.Status] === Status.Done && actual === expected;
}

function agreesOnMac({ name, number, outputLength }: Algorithm): boolean {
  if (!hasHmac(outputLength)) return false;
  const object = hostCreateHmac(name, '') as unknown as HostObject;
  probes.hmac ??= object;
  const expected = handleInside(object).digest('hex');
  words[Word.Algorithm] = number;
  words[Word.Encoding] = Encoding.Hex;
  words[Word.Id] = NO_ID;
  const actual = native?.hmacStrings('', '');
  return words[Word.Status] === Status.Done && actual === expected;
}

const copiedLengths = makeTable<number>();

/**
 * The output length of a copy of an extendable-output function's object, which does not have the
 * length that the object was made with: it is the host's default, and lines differ in it.
 */
export function copiedOutputLength({ name, outputLength }: Algorithm): number {
  return outputLength === 0 ? (copiedLengths.get(name) ?? 0) : outputLength;
}

function findCopiedLength(name: string, object: HostObject): void {
  // A copy, as making the object itself without a length warns on newer lines.
  const copy = apply(hashPrototype.copy, object, []) as HostObject;
  copiedLengths.set(name, typedArrayLength(handleInside(copy).digest()));
}
