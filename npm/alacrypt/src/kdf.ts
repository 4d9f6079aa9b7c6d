/**
 * `hkdf`, `pbkdf2`, `scrypt` and `argon2`, each at once and as a job.
 */

import { types } from 'node:util';

import { type Algorithm, macAlgorithm } from './algorithms';
import { type Argon2Parameters, readArgon2Parameters } from './argon2-options';
import { writeUtf8 } from './encodings';
import {
  hostArgon2,
  hostArgon2Sync,
  hostHkdf,
  hostHkdfSync,
  hostPbkdf2,
  hostPbkdf2Sync,
  hostScrypt,
  hostScryptSync,
  secretKeyBytes,
} from './host';
import { type CallbackForm, GivenKey, type Pending, handBackForm, isNew, mayStart, startJob } from './job';
import { isPlainBytes } from './key-options';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import {
  type Table,
  bytesOf,
  charCodeAt,
  hasOwn,
  isView,
  makeTable,
  part,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
} from './primordials';
import {
  Encoding,
  INPUT_CAPACITY,
  OUTPUT_LIMIT,
  Status,
  Word,
  input,
  occupy,
  takeArrayBuffer,
  takeOutput,
  words,
} from './scratch';
import { type Cost, readCost } from './scrypt-options';
import { type Counter, counters } from './stats';

const { isProxy } = types;

/** The longest keying material, password or salt. */
const PIECE_LIMIT = 4096;
/** The host takes no longer info. */
const INFO_LIMIT = 1024;
/** With more output OpenSSL's HKDF is as fast. */
const HKDF_OUTPUT_LIMIT = 512;
/** No more of it is taken by the engine's Argon2. */
const ASSOCIATED_DATA_LIMIT = 32;
/** The host takes no shorter nonce. */
const NONCE_MINIMUM = 8;
/** The host takes no more iterations. */
const ITERATIONS_LIMIT = 0x7fffffff;

/** A string may take three bytes for each of its units. */
const BYTES_PER_UNIT = 3;

/** Texts of at most so many units are written unit by unit, which saves a view. */
const SHORT_TEXT = 32;
const ASCII_END = 0x80;

/** What the host is asked for when the engine refuses a job. */
interface Refused {
  readonly digest: string;
  readonly keylen: number;
  readonly iterations: number;
  readonly cost: Cost | undefined;
  /** Where the salt begins in the job's input, and where it ends. */
  readonly saltFrom: number;
  readonly saltTo: number;
}

/** No job here is about a key that the addon holds. */
const NO_KEY = new GivenKey();

const hkdfForm: CallbackForm = {
  type: 'DERIVEBITSREQUEST',
  host: hostHkdf,
  start: native?.hkdfJob,
  position: 5,
  answer: () => takeArrayBuffer(words[Word.OutputLength] as number),
  again(pending, bytes) {
    const { digest, keylen, saltFrom, saltTo } = pending.more as Refused;
    const info = part(bytes, saltTo, typedArrayLength(bytes));
    return [digest, part(bytes, 0, saltFrom), part(bytes, saltFrom, saltTo), info, keylen, pending.callback];
  },
  Job: undefined,
};

const pbkdf2Form: CallbackForm = {
  type: 'PBKDF2REQUEST',
  host: hostPbkdf2,
  start: native?.pbkdf2Job,
  position: 5,
  answer: () => takeOutput(words[Word.OutputLength] as number),
  again(pending, bytes) {
    const { digest, iterations, keylen, saltFrom, saltTo } = pending.more as Refused;
    return [part(bytes, 0, saltFrom), part(bytes, saltFrom, saltTo), iterations, keylen, digest, pending.callback];
  },
  Job: undefined,
};

function scryptForm(position: number): CallbackForm {
  return {
    type: 'SCRYPTREQUEST',
    host: hostScrypt,
    start: native?.scryptJob,
    position,
    answer: () => takeOutput(words[Word.OutputLength] as number),
    again(pending: Pending, bytes: Uint8Array) {
      const { cost, keylen, saltFrom, saltTo } = pending.more as Refused;
      return [part(bytes, 0, saltFrom), part(bytes, saltFrom, saltTo), keylen, cost, pending.callback];
    },
    Job: undefined,
  };
}

/** With options, and without: the callback is in their place then. */
const scryptFormOfFive = scryptForm(4);
const scryptFormOfFour = scryptForm(3);

/** What the host is asked for when the engine refuses a job of Argon2. */
interface RefusedArgon2 {
  readonly algorithm: string;
  readonly parameters: Argon2Parameters;
  /** Where the nonce, the secret and the associated data begin in the job's input. */
  readonly nonceFrom: number;
  readonly secretFrom: number;
  readonly dataFrom: number;
}

const argon2Form: CallbackForm = {
  type: 'ARGON2REQUEST',
  host: hostArgon2,
  start: native?.argon2Job,
  position: 2,
  answer: () => takeOutput(words[Word.OutputLength] as number),
  again(pending, bytes) {
    const { algorithm, parameters, nonceFrom, secretFrom, dataFrom } = pending.more as RefusedArgon2;
    const again = {
      ...parameters,
      message: part(bytes, 0, nonceFrom),
      nonce: part(bytes, nonceFrom, secretFrom),
      secret: part(bytes, secretFrom, dataFrom),
      associatedData: part(bytes, dataFrom, typedArrayLength(bytes)),
    };
    return [algorithm, again, pending.callback];
  },
  Job: undefined,
};

/** The types by their numbers in the addon, and those that the host derived with before. */
const argon2Types = makeTable<number>();
for (const [number, name] of ['argon2d', 'argon2i', 'argon2id'].entries()) argon2Types.set(name, number);
const argon2Known = makeTable<true>();

/**
 * Names of digests that the host derived with before. It finds them on other ways than those of
 * hashes, and so a name's first call is the host's.
 */
const hkdfDigests = makeTable<true>();
const pbkdf2Digests = makeTable<true>();

/** The engine's numbers: from SHA-384 to SHA-512/256, and the last one that AWS-LC's PBKDF2 takes. */
const FIRST_OF_SHA512 = 4;
const LAST_OF_SHA512 = 7;
const LAST_OF_SHA3 = 11;
/** With more iterations the price of the call is gone, and OpenSSL's SHA-512 is the faster one. */
const SHA512_ITERATIONS = 16;

/** How many iterations of PBKDF2 are served; 0 for an algorithm that the engine does not have there. */
function iterationsOf({ number }: Algorithm): number {
  if (number > LAST_OF_SHA3) return 0;
  return number >= FIRST_OF_SHA512 && number <= LAST_OF_SHA512 ? SHA512_ITERATIONS : ITERATIONS_LIMIT;
}

export function hkdfSync(
  this: unknown,
  digest: unknown,
  ikm: unknown,
  salt: unknown,
  info: unknown,
  keylen: unknown,
): unknown {
  const counter = counters.hkdfSync;
  const algorithm = digestOf(counter, digest, keylen, hkdfDigests);
  if (algorithm !== undefined) {
    const length = putHkdf(counter, algorithm, ikm, salt, info, keylen as number);
    if (length !== undefined) {
      native?.hkdf();
      if (isDone(counter, length)) return takeArrayBuffer(keylen as number);
    }
  }
  const derived = handBack(hostHkdfSync, this, arguments);
  learn(hkdfDigests, digest, keylen);
  return derived;
}

export function hkdf(
  this: unknown,
  digest: unknown,
  ikm: unknown,
  salt: unknown,
  info: unknown,
  keylen: unknown,
  callback: unknown,
): unknown {
  const counter = counters.hkdf;
  if (isCallback(counter, hkdfForm, callback)) {
    const algorithm = digestOf(counter, digest, keylen, hkdfDigests);
    if (algorithm !== undefined) {
      const length = putHkdf(counter, algorithm, ikm, salt, info, keylen as number);
      if (length !== undefined) {
        if (starts(hkdfForm, counter, callback, length, digest as string, 0, undefined)) return undefined;
      }
    }
  }
  const returned = handBackForm(hkdfForm, this, arguments);
  learn(hkdfDigests, digest, keylen);
  return returned;
}

export function pbkdf2Sync(
  this: unknown,
  password: unknown,
  salt: unknown,
  iterations: unknown,
  keylen: unknown,
  digest: unknown,
): unknown {
  const counter = counters.pbkdf2Sync;
  const algorithm = digestOf(counter, digest, keylen, pbkdf2Digests);
  if (algorithm !== undefined) {
    const length = putPbkdf2(counter, algorithm, password, salt, iterations, keylen as number);
    if (length !== undefined) {
      native?.pbkdf2();
      if (isDone(counter, length)) return takeOutput(keylen as number);
    }
  }
  const derived = handBack(hostPbkdf2Sync, this, arguments);
  learn(pbkdf2Digests, digest, keylen);
  return derived;
}

export function pbkdf2(
  this: unknown,
  password: unknown,
  salt: unknown,
  iterations: unknown,
  keylen: unknown,
  digest: unknown,
  callback: unknown,
): unknown {
  const counter = counters.pbkdf2;
  if (isCallback(counter, pbkdf2Form, callback)) {
    const algorithm = digestOf(counter, digest, keylen, pbkdf2Digests);
    if (algorithm !== undefined) {
      const length = putPbkdf2(counter, algorithm, password, salt, iterations, keylen as number);
      if (length !== undefined) {
        if (starts(pbkdf2Form, counter, callback, length, digest as string, iterations as number, undefined)) {
          return undefined;
        }
      }
    }
  }
  const returned = handBackForm(pbkdf2Form, this, arguments);
  learn(pbkdf2Digests, digest, keylen);
  return returned;
}

export function scryptSync(
  this: unknown,
  password: unknown,
  salt: unknown,
  keylen: unknown,
  options?: unknown,
): unknown {
  const counter = counters.scryptSync;
  const cost = costOf(counter, keylen, options);
  if (cost !== undefined) {
    const length = putScrypt(counter, password, salt, cost, keylen as number);
    if (length !== undefined) {
      native?.scrypt();
      if (isDone(counter, length)) return takeOutput(keylen as number);
    }
  }
  return handBack(hostScryptSync, this, arguments);
}

export function scrypt(
  this: unknown,
  password: unknown,
  salt: unknown,
  keylen: unknown,
  options: unknown,
  callback?: unknown,
): unknown {
  const counter = counters.scrypt;
  const isShort = callback === undefined;
  const form = isShort ? scryptFormOfFour : scryptFormOfFive;
  const called = isShort ? options : callback;
  if (isCallback(counter, form, called)) {
    const cost = costOf(counter, keylen, isShort ? undefined : options);
    if (cost !== undefined) {
      const length = putScrypt(counter, password, salt, cost, keylen as number);
      if (length !== undefined) {
        if (starts(form, counter, called, length, '', 0, cost)) return undefined;
      }
    }
  }
  return handBackForm(form, this, arguments);
}

export function argon2Sync(this: unknown, algorithm: unknown, parameters: unknown): unknown {
  const counter = counters.argon2Sync;
  const read = parametersOf(counter, algorithm, parameters);
  if (read !== undefined) {
    const length = putArgon2(counter, algorithm as string, read);
    if (length !== undefined) {
      native?.argon2();
      if (isDone(counter, length)) return takeOutput(read.tagLength);
    }
  }
  const derived = handBack(hostArgon2Sync, this, arguments);
  learnArgon2(algorithm);
  return derived;
}

export function argon2(this: unknown, algorithm: unknown, parameters: unknown, callback: unknown): unknown {
  const counter = counters.argon2;
  if (isCallback(counter, argon2Form, callback)) {
    const read = parametersOf(counter, algorithm, parameters);
    if (read !== undefined) {
      const length = putArgon2(counter, algorithm as string, read);
      if (length !== undefined) {
        const nonceFrom = words[Word.KeyLength] as number;
        const secretFrom = nonceFrom + (words[Word.DataLength] as number);
        const dataFrom = secretFrom + (words[Word.ContextLength] as number);
        const more: RefusedArgon2 = { algorithm: algorithm as string, parameters: read, nonceFrom, secretFrom, dataFrom };
        if (startJob(argon2Form, counter, callback, NO_KEY, more, length)) return undefined;
        counter.handBack('engine refused');
      }
    }
  }
  const returned = handBackForm(argon2Form, this, arguments);
  learnArgon2(algorithm);
  return returned;
}

/** Whether a callback is there, and may be called by a job of ours. */
function isCallback(counter: Counter, form: CallbackForm, callback: unknown): boolean {
  if (callback === undefined) {
    counter.handBack('arguments');
    return false;
  }
  if (!mayStart(counter, form, callback)) return false;
  if (!isNew(form, callback)) return true;
  counter.handBack('first use');
  return false;
}

/** Whether so many bytes are asked for as the host gives out without a word, and the output has room for. */
function isLength(keylen: unknown): keylen is number {
  return typeof keylen === 'number' && keylen >>> 0 === keylen && keylen !== 0 && keylen <= OUTPUT_LIMIT;
}

/** The algorithm, if all that says nothing of the input is as it should be. */
function digestOf(
  counter: Counter,
  digest: unknown,
  keylen: unknown,
  known: Table<true>,
): Algorithm | undefined {
  if (typeof digest !== 'string' || !isLength(keylen)) {
    counter.handBack('arguments');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    const algorithm = macAlgorithm(digest);
    if (algorithm === undefined) counter.handBack('algorithm');
    else if (known.get(digest) === true) return algorithm;
    else counter.handBack('first use');
  }
  return undefined;
}

/** Notes that the host took that name of a digest; where it derives nothing, it need not look. */
function learn(known: Table<true>, digest: unknown, keylen: unknown): void {
  if (typeof digest !== 'string' || !isLength(keylen) || known.get(digest) === true) return;
  // A table of names that the engine knows, which are not many.
  if (macAlgorithm(digest) !== undefined) known.set(digest, true);
}

/** What scrypt is to cost, if all that says nothing of the input is as it should be. */
function costOf(counter: Counter, keylen: unknown, options: unknown): Cost | undefined {
  if (!isLength(keylen)) {
    counter.handBack('arguments');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    const cost = readCost(options);
    if (cost === undefined) counter.handBack('options');
    return cost;
  }
  return undefined;
}

/** What Argon2 is asked for, if all that says nothing of the pieces' lengths is as it should be. */
function parametersOf(counter: Counter, algorithm: unknown, parameters: unknown): Argon2Parameters | undefined {
  if (typeof algorithm !== 'string') {
    counter.handBack('arguments');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else if (argon2Types.get(algorithm) === undefined) {
    counter.handBack('algorithm');
  } else if (argon2Known.get(algorithm) !== true) {
    counter.handBack('first use');
  } else {
    const read = readArgon2Parameters(parameters);
    if (read !== undefined && read.tagLength <= OUTPUT_LIMIT) return read;
    counter.handBack('options');
  }
  return undefined;
}

/** Notes that the host's OpenSSL has that type of Argon2. */
function learnArgon2(algorithm: unknown): void {
  if (typeof algorithm === 'string' && argon2Types.get(algorithm) !== undefined) argon2Known.set(algorithm, true);
}

/** Puts the input of `hkdf` and its parameters into the scratch; the length of the former. */
function putHkdf(
  counter: Counter,
  { number }: Algorithm,
  ikm: unknown,
  salt: unknown,
  info: unknown,
  keylen: number,
): number | undefined {
  if (keylen > HKDF_OUTPUT_LIMIT) {
    counter.handBack('host is as fast');
    return undefined;
  }
  // The host asks for the length of its bytes.
  const isPlainInfo = typeof info === 'string' || (isPlainBytes(info) && !hasOwn(info, 'byteLength'));
  // Exported before the input is occupied; wiped below.
  const exported = typeof ikm === 'object' && ikm !== null && !isView(ikm) && !isProxy(ikm) ? secretKeyBytes(ikm) : undefined;
  const length = isPlainInfo ? putPieces(exported ?? ikm, salt, info) : undefined;
  if (exported !== undefined) typedArrayFill(exported, 0, 0, typedArrayLength(exported));
  if (length === undefined) {
    counter.handBack('arguments');
    return undefined;
  }
  words[Word.Algorithm] = number;
  words[Word.OutputLength] = keylen;
  words[Word.Encoding] = Encoding.Scratch;
  return length;
}

function putPbkdf2(
  counter: Counter,
  algorithm: Algorithm,
  password: unknown,
  salt: unknown,
  iterations: unknown,
  keylen: number,
): number | undefined {
  if (
    typeof iterations !== 'number' ||
    iterations >>> 0 !== iterations ||
    iterations === 0 ||
    iterations > ITERATIONS_LIMIT
  ) {
    counter.handBack('arguments');
    return undefined;
  }
  const limit = iterationsOf(algorithm);
  if (iterations > limit) {
    counter.handBack(limit === 0 ? 'algorithm' : 'host is as fast');
    return undefined;
  }
  const length = putPieces(password, salt, '');
  if (length === undefined) {
    counter.handBack('arguments');
    return undefined;
  }
  words[Word.Algorithm] = algorithm.number;
  words[Word.Iterations] = iterations;
  words[Word.OutputLength] = keylen;
  words[Word.Encoding] = Encoding.Scratch;
  return length;
}

function putScrypt(
  counter: Counter,
  password: unknown,
  salt: unknown,
  { N, r, p }: Cost,
  keylen: number,
): number | undefined {
  const length = putPieces(password, salt, '');
  if (length === undefined) {
    counter.handBack('arguments');
    return undefined;
  }
  words[Word.Cost] = N;
  words[Word.BlockSize] = r;
  words[Word.Parallelization] = p;
  words[Word.OutputLength] = keylen;
  words[Word.Encoding] = Encoding.Scratch;
  return length;
}

function putArgon2(counter: Counter, algorithm: string, parameters: Argon2Parameters): number | undefined {
  const { message, nonce, secret, associatedData } = parameters;
  const length = putPieces(message, nonce, secret);
  if (length !== undefined) {
    const more = putPiece(associatedData, length, ASSOCIATED_DATA_LIMIT);
    if (more !== undefined && (words[Word.DataLength] as number) >= NONCE_MINIMUM) {
      words[Word.IvLength] = more;
      words[Word.Algorithm] = argon2Types.get(algorithm) as number;
      words[Word.Memory] = parameters.memory;
      words[Word.Passes] = parameters.passes;
      words[Word.Parallelization] = parameters.parallelism;
      words[Word.OutputLength] = parameters.tagLength;
      words[Word.Encoding] = Encoding.Scratch;
      return length + more;
    }
    typedArrayFill(input, 0, 0, length + (more ?? 0));
  }
  counter.handBack('options');
  return undefined;
}

/** Whether the engine did it; the input, of that length, is wiped. */
function isDone(counter: Counter, length: number): boolean {
  const done = words[Word.Status] === Status.Done;
  typedArrayFill(input, 0, 0, length);
  if (!done) {
    counter.handBack('engine refused');
    return false;
  }
  counter.served++;
  emptyHostErrors();
  return true;
}

/** Gives what is in the scratch to the pool; `false` where it is refused. */
function starts(
  form: CallbackForm,
  counter: Counter,
  callback: unknown,
  length: number,
  digest: string,
  iterations: number,
  cost: Cost | undefined,
): boolean {
  const saltFrom = words[Word.KeyLength] as number;
  const saltTo = saltFrom + (words[Word.DataLength] as number);
  const keylen = words[Word.OutputLength] as number;
  const more: Refused = { digest, keylen, iterations, cost, saltFrom, saltTo };
  if (startJob(form, counter, callback, NO_KEY, more, length)) return true;
  counter.handBack('engine refused');
  return false;
}

/** Puts the three side by side into the input and returns how many bytes there are in all. */
function putPieces(ikm: unknown, salt: unknown, info: unknown): number | undefined {
  occupy();
  const ikmLength = putPiece(ikm, 0, PIECE_LIMIT);
  if (ikmLength === undefined) return undefined;
  const saltLength = putPiece(salt, ikmLength, PIECE_LIMIT);
  const infoLength = saltLength === undefined ? undefined : putPiece(info, ikmLength + saltLength, INFO_LIMIT);
  if (saltLength === undefined || infoLength === undefined) {
    typedArrayFill(input, 0, 0, ikmLength + (saltLength ?? 0));
    return undefined;
  }
  words[Word.KeyLength] = ikmLength;
  words[Word.DataLength] = saltLength;
  words[Word.ContextLength] = infoLength;
  return ikmLength + saltLength + infoLength;
}

/** Puts one into the input; `undefined`, with nothing left there, where the host has to look at it. */
function putPiece(piece: unknown, from: number, limit: number): number | undefined {
  if (typeof piece === 'string') {
    if (piece.length <= SHORT_TEXT && writeAscii(piece, from)) return piece.length;
    return BYTES_PER_UNIT * piece.length > limit ? undefined : writeUtf8(piece, part(input, from, INPUT_CAPACITY));
  }
  if (!isView(piece)) return undefined;
  const bytes = bytesOf(piece);
  if (bytes === undefined) return undefined;
  const length = typedArrayLength(bytes);
  if (length > limit) return undefined;
  try {
    // Throws where the bytes are gone, as those of a detached array are.
    typedArraySet(input, bytes, from);
  } catch {
    return undefined;
  }
  return length;
}

/** Writes a short text; `false`, with a part of it written, where it is not ASCII. */
function writeAscii(text: string, from: number): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = charCodeAt(text, at);
    if (unit >= ASCII_END) return false;
    input[from + at] = unit;
  }
  return true;
}
