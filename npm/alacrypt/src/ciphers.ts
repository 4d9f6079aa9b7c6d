/**
 * The ciphers: their numbers in the addon, and what each needs.
 */

import type { Habit } from './algorithms';
import { hostCreateCipheriv, hostCreateDecipheriv, symbols } from './host';
import { native } from './native';
import { fips } from './policy';
import { Bytes, hasOwn, makeTable, part, typedArrayFill, typedArrayLength, typedArraySet } from './primordials';
import { Status, Word, input, occupy, outputView, words } from './scratch';

/** The native object inside the host's `Cipheriv` and `Decipheriv`. */
export interface HostCipherHandle {
  update(data: unknown, encoding?: unknown): Buffer;
  final(): Buffer;
  setAutoPadding(on: boolean): boolean;
  getAuthTag(): Buffer | undefined;
  setAuthTag(tag: unknown): boolean;
  setAAD(aad: unknown, plaintextLength: unknown): boolean;
}

/** One cipher under one of its names. */
export interface CipherAlgorithm extends Habit {
  /** The name that the app used. */
  readonly name: string;
  /** See `crates/alacrypt-node/src/cipher.rs`. */
  readonly number: number;
  readonly keyLength: number;
  /** The shortest and the longest initialization vector, in bytes. */
  readonly ivMinimum: number;
  readonly ivMaximum: number;
  readonly isAead: boolean;
  readonly isBlockMode: boolean;
  /** Longer messages are not copied into the scratch. */
  readonly wholeLimit: number;
  /** Whether the host looks at each piece as at a message, so that one of no length is something, too. */
  readonly isUnit: boolean;
  /** Whether messages in pieces are faster here. */
  readonly isStreamed: boolean;
  /** A handle of the host's on which `final` was called: what it says does not depend on how. */
  finished: HostCipherHandle | undefined;
  /** One whose `final` fails once, from before FIPS could keep the host from making another. */
  failing: HostCipherHandle | undefined;
}

/** At the start of the input: a tag, or what `final` returns. The key is behind it. */
export const SLOT_LENGTH = 16;
export const TAG_LENGTH = 16;
/** Stands for no option `authTagLength`. */
export const NO_TAG_LENGTH = -1;

/** The longest initialization vector that is looked at; the host takes up to 128 bytes. */
const IV_LIMIT = 64;
const FIRST_AEAD = 32;
const FIRST_UNIT = 48;
/** What a padded key wrap has for an initialization vector (RFC 5649, section 3); its length is not asked for, as the app may have replaced that. */
const PADDED_WRAP_IV_LENGTH = 4;
const PADDED_WRAP_IV = new Uint8Array([0xa6, 0x59, 0x59, 0xa6]);
const BLOCK_LENGTH = 16;

/** Longer messages are not copied into the scratch. */
export const WHOLE_LIMIT = 4096;

/** Names of which the host has not been asked yet whether it knows them. */
const candidates = makeTable<CipherAlgorithm>();

type Kind = Pick<CipherAlgorithm, 'ivMinimum' | 'ivMaximum' | 'isAead' | 'isBlockMode' | 'isUnit' | 'isStreamed' | 'wholeLimit'>;
const withIv = { ivMinimum: BLOCK_LENGTH, ivMaximum: BLOCK_LENGTH, isAead: false, isUnit: false, wholeLimit: WHOLE_LIMIT };
const BLOCKS: Kind = { ...withIv, isBlockMode: true, isStreamed: false };
const ECB: Kind = { ...BLOCKS, ivMinimum: 0, ivMaximum: 0 };
const COUNTER: Kind = { ...withIv, isBlockMode: false, isStreamed: true };
/** As fast as the host's where it is long. */
const FEEDBACK: Kind = { ...COUNTER, isStreamed: false };
/** With an operation of AES for each byte, what is saved around them soon does not show. */
const CFB8: Kind = { ...FEEDBACK, wholeLimit: 128 };
const GCM: Kind = { ivMinimum: 1, ivMaximum: IV_LIMIT, isAead: true, isBlockMode: false, isUnit: false, isStreamed: true, wholeLimit: WHOLE_LIMIT };
const GCM_SIV: Kind = { ...GCM, ivMinimum: 12, ivMaximum: 12, isUnit: true, isStreamed: false };
const XTS: Kind = { ...COUNTER, isUnit: true, isStreamed: false };
const WRAP: Kind = { ...XTS, ivMinimum: 8, ivMaximum: 8 };
const PADDED_WRAP: Kind = { ...XTS, ivMinimum: 4, ivMaximum: 4 };
const CHACHA20_POLY1305: Kind = { ...GCM, ivMinimum: 12, ivMaximum: 12, isStreamed: false };

function add(number: number, keyLength: number, kind: Kind, ...names: string[]): void {
  for (const name of names) {
    candidates.set(name, { name, number, keyLength, ...kind, run: 0, hostsTurns: 0, finished: undefined, failing: undefined });
  }
}

for (const [step, bits] of [128, 192, 256].entries()) {
  const keyLength = bits / 8;
  const both = (mode: string): string[] => [`aes-${bits}-${mode}`, `AES-${bits}-${mode.toUpperCase()}`];
  add(step, keyLength, BLOCKS, ...both('cbc'), `aes${bits}`, `AES${bits}`);
  add(3 + step, keyLength, COUNTER, ...both('ctr'));
  add(6 + step, keyLength, ECB, ...both('ecb'));
  add(9 + step, keyLength, FEEDBACK, ...both('cfb'));
  add(12 + step, keyLength, FEEDBACK, ...both('ofb'));
  add(15 + step, keyLength, CFB8, ...both('cfb8'));
  add(FIRST_UNIT + 1 + step, keyLength, WRAP, ...both('wrap'), `aes${bits}-wrap`, `id-aes${bits}-wrap`);
  add(FIRST_UNIT + 4 + step, keyLength, PADDED_WRAP, ...both('wrap-pad'), `aes${bits}-wrap-pad`, `id-aes${bits}-wrap-pad`);
  if (bits !== 192) add(FIRST_AEAD + 4 + step / 2, keyLength, GCM_SIV, ...both('gcm-siv'));
  if (bits === 256) add(FIRST_UNIT, 2 * keyLength, XTS, ...both('xts'));
  add(FIRST_AEAD + step, keyLength, GCM, ...both('gcm'), `id-aes${bits}-GCM`, `id-aes${bits}-gcm`);
}
add(FIRST_AEAD + 3, 32, CHACHA20_POLY1305, 'chacha20-poly1305', 'ChaCha20-Poly1305');

/** Names that the host knows, each with proof that host and engine agree on it. */
const ciphers = makeTable<CipherAlgorithm>();
const { get: findCipher } = ciphers;
const refused = makeTable<true>();

/** The cipher of that name, if the engine serves it. */
export function cipherAlgorithm(name: string): CipherAlgorithm | undefined {
  return findCipher(name) ?? resolve(name);
}

function resolve(name: string): CipherAlgorithm | undefined {
  const algorithm = candidates.get(name);
  if (algorithm === undefined || native === undefined) return undefined;
  // Under FIPS the host knows fewer names: that says nothing about later.
  if (refused.get(name) === true || fips() === true) return undefined;
  let agreed = false;
  try {
    agreed = agrees(algorithm);
  } catch {
    // The host does not know the name, or has FIPS on.
  }
  if (!agreed) {
    refused.set(name, true);
    return undefined;
  }
  ciphers.set(name, algorithm);
  return algorithm;
}

/** The handle inside an object of the host's. */
export function cipherHandleInside(object: object): HostCipherHandle {
  return (object as Record<symbol, HostCipherHandle>)[symbols?.kHandle as symbol] as HostCipherHandle;
}

function agrees(algorithm: CipherAlgorithm): boolean {
  const { name, number, keyLength, ivMinimum, isAead, isBlockMode } = algorithm;
  const kHandle = symbols?.kHandle as symbol;
  // A nonce of one byte is one of few that the host's may refuse.
  const ivLength = isAead ? 12 : ivMinimum;
  const iv = ivLength === PADDED_WRAP_IV_LENGTH ? PADDED_WRAP_IV : new Bytes(ivLength);
  // Of XTS its halves must not be equal.
  const key = new Bytes(keyLength);
  for (let at = 0; at < keyLength; at++) key[at] = at;
  const object = hostCreateCipheriv(
    name as 'aes-256-gcm',
    key,
    ivLength === 0 ? (null as unknown as Uint8Array) : iv,
  );
  if (!hasOwn(object, kHandle)) return false;
  const handle = cipherHandleInside(object);
  const expected = handle.update(new Bytes(BLOCK_LENGTH));
  const rest = handle.final();
  algorithm.finished = handle;
  if (isAead) {
    const opener = hostCreateDecipheriv(name as 'aes-256-gcm', key, iv);
    algorithm.failing = cipherHandleInside(opener);
  }
  occupy();
  typedArrayFill(input, 0, 0, SLOT_LENGTH + keyLength + ivLength + BLOCK_LENGTH);
  typedArraySet(input, key, SLOT_LENGTH);
  typedArraySet(input, iv, SLOT_LENGTH + keyLength);
  words[Word.Algorithm] = number;
  words[Word.Scheme] = 0;
  words[Word.IvLength] = ivLength;
  words[Word.ContextLength] = 0;
  words[Word.DataLength] = BLOCK_LENGTH;
  words[Word.KeyLength] = TAG_LENGTH;
  native?.cipherWhole();
  return (
    words[Word.Status] === Status.Done &&
    isEqual(expected, outputView(words[Word.OutputLength] as number)) &&
    isEqual(isAead ? (handle.getAuthTag() as Buffer) : rest, part(input, 0, isAead ? TAG_LENGTH : isBlockMode ? BLOCK_LENGTH : 0))
  );
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  const length = typedArrayLength(a);
  if (length !== typedArrayLength(b)) return false;
  let difference = 0;
  for (let at = 0; at < length; at++) difference |= (a[at] as number) ^ (b[at] as number);
  return difference === 0;
}
