/**
 * `sign` and `verify`, and what they share with the objects in `signer.ts`.
 */

import { type Algorithm, digestAlgorithm } from './algorithms';
import { host, hostSign, hostVerify } from './host';
import {
  type CallbackForm,
  GivenKey,
  dataBehindContext,
  handBackForm,
  isNew,
  keyArgument,
  mayStart,
  startJob,
} from './job';
import { type Key, Kind, findKey, missing } from './key';
import { asked } from './key-options';
import { native } from './native';
import { emptyHostErrors } from './object';
import { fips } from './policy';
import { makeTable, typedArrayFill, typedArrayLength, typedArraySet, typedArrayTag, part } from './primordials';
import { writeUtf8 } from './encodings';
import {
  Encoding,
  INPUT_CAPACITY,
  NO_ID,
  Status,
  TEXT_CAPACITY,
  Word,
  input,
  occupy,
  takeOutput,
  words,
} from './scratch';
import { type Counter, counters } from './stats';

/** The addon's numbers for schemes (`crates/alacrypt-node/src/sign.rs`). */
const enum Scheme {
  RsaPkcs1v15 = 0,
  RsaPss = 1,
  EcdsaDer = 2,
  EcdsaP1363 = 3,
  Ed25519 = 4,
  MlDsa = 5,
}

const RSA_PKCS1_PADDING = 1;
const RSA_PKCS1_PSS_PADDING = 6;
/** RSA_PSS_SALTLEN_MAX_SIGN and RSA_PSS_SALTLEN_AUTO, the lowest that has a meaning here. */
const SALT_LENGTH_AUTO = -2;

/**
 * Older lines read such keys where their OpenSSL knows them, but do not sign with them. Those that
 * do have these functions as well.
 */
const hostSignsMlDsa = 'encapsulate' in host;

/** The longest signature that is looked at; of RSA with 8,192 bits, and above ML-DSA-87's. */
const SIGNATURE_LIMIT = 5120;

/**
 * Writes what the addon is to do with that key and the options that were asked for; `false`
 * where the host has to say what they mean. Without `algorithm` the message itself is signed.
 */
export function setScheme(key: Key, algorithm: Algorithm | undefined): boolean {
  const { padding, saltLength, isP1363, context } = asked;
  let scheme: Scheme;
  if (isRsa(key)) {
    if (algorithm === undefined || isP1363) return false;
    const isForPss = key.kind !== Kind.Rsa;
    const isPss = padding === RSA_PKCS1_PSS_PADDING || (padding === undefined && isForPss);
    if (isForPss) {
      if (!isPss) return false;
      // How much salt such a key signs with by itself, OpenSSL decides, not the same in all versions.
      if (saltLength === undefined && (key.isPrivate || key.kind === Kind.RsaPssRestricted)) return false;
    }
    if (!isPss && (padding === undefined || padding === RSA_PKCS1_PADDING)) {
      // The host reads a salt length here as well, and makes nothing of it.
      scheme = Scheme.RsaPkcs1v15;
    } else if (isPss) {
      const length = saltLength === undefined ? SALT_LENGTH_AUTO : saltLength;
      if (length < SALT_LENGTH_AUTO) return false;
      words[Word.SaltLength] = length;
      scheme = Scheme.RsaPss;
    } else {
      return false;
    }
  } else {
    // The host hands padding and salt length on to RSA alone; fast-jwt says both of each key.
    if (key.kind >= Kind.P256 && key.kind <= Kind.Secp256k1) {
      if (algorithm === undefined) return false;
      scheme = isP1363 ? Scheme.EcdsaP1363 : Scheme.EcdsaDer;
    } else if (algorithm !== undefined || isP1363) {
      return false;
    } else if (key.kind === Kind.Ed25519) {
      scheme = Scheme.Ed25519;
    } else if (hostSignsMlDsa && key.kind >= Kind.MlDsa44 && key.kind <= Kind.MlDsa87) {
      scheme = Scheme.MlDsa;
    } else {
      return false;
    }
  }
  if (context !== undefined && scheme !== Scheme.MlDsa) return false;
  words[Word.Scheme] = scheme;
  words[Word.Algorithm] = algorithm === undefined ? 0 : algorithm.number;
  words[Word.Id] = key.id;
  words[Word.Prehashed] = 0;
  return true;
}

/**
 * Whether a signature has a length that its encoding cannot have. That is a wrong signature to
 * `verify`, and an error to `Verify.prototype.verify`.
 */
export function isMalformed(key: Key, length: number): boolean {
  if (!asked.isP1363) return false;
  return length !== (key.kind === Kind.P384 ? 96 : key.kind === Kind.P521 ? 132 : 64);
}

/**
 * Whether the host signs as fast: with RSA the private operation is all that counts, which AWS-LC
 * checks before it gives the result out. What is to win is the reading of the key.
 */
export function hostSignsAsFast(key: Key): boolean {
  return isRsa(key) && asked.isObject;
}

function isRsa({ kind }: Key): boolean {
  return kind === Kind.Rsa || kind === Kind.RsaPss || kind === Kind.RsaPssRestricted;
}

/** The longest context (FIPS 204, algorithm 2, line 1). */
const CONTEXT_LIMIT = 255;

/** Puts the context, if any, at the start of the input and returns its length; `undefined` if it is too long. */
function putContext(): number | undefined {
  const { context } = asked;
  const length = context === undefined ? 0 : typedArrayLength(context);
  if (length > CONTEXT_LIMIT) return undefined;
  if (length !== 0) typedArraySet(input, context as Uint8Array, 0);
  words[Word.ContextLength] = length;
  return length;
}

/**
 * The signature of the `length` bytes of input behind `from` bytes of context, which are wiped;
 * `undefined` if refused.
 */
export function signInput(from: number, length: number, encoding: Encoding): Buffer | string | undefined {
  words[Word.DataLength] = length;
  words[Word.Encoding] = encoding;
  const output = native?.sign();
  const done = words[Word.Status] === Status.Done;
  typedArrayFill(input, 0, 0, from + length);
  if (!done) return undefined;
  return output ?? takeOutput(words[Word.OutputLength] as number);
}

/**
 * Whether the bytes of input behind `from` bytes of context start with a signature of the `length`
 * bytes behind it; `undefined` if refused.
 */
export function verifyInput(from: number, signatureLength: number, length: number): boolean | undefined {
  words[Word.KeyLength] = signatureLength;
  words[Word.DataLength] = length;
  native?.verify();
  const status = words[Word.Status];
  typedArrayFill(input, 0, 0, from + signatureLength + length);
  return status === Status.Done ? true : status === Status.Failed ? false : undefined;
}

/** Puts a signature into the input behind `from` bytes; one whose buffer is detached counts as empty. */
export function putSignature(signature: Uint8Array, from: number, length: number): void {
  if (length !== 0) typedArraySet(input, signature, from);
}

/** Puts data into the input behind `from` bytes and returns how many; `undefined` if it does not fit. */
export function putData(data: unknown, from: number): number | undefined {
  if (typeof data === 'string') {
    if (3 * data.length > INPUT_CAPACITY - from) return undefined;
    return writeUtf8(data, from === 0 ? input : part(input, from, INPUT_CAPACITY));
  }
  const length = typedArrayLength(data);
  if (length > INPUT_CAPACITY - from) return undefined;
  // From a view whose buffer is detached nothing can be copied, and it counts as empty.
  if (length !== 0) typedArraySet(input, data as Uint8Array, from);
  return length;
}

/** Whether the data may fit; what it is the host has to say otherwise. */
function isPlainData(data: unknown): boolean {
  return typeof data === 'string' ? data.length <= TEXT_CAPACITY : typedArrayTag(data) === 'Uint8Array';
}

/** Names that the host signed with before: it has another list of them here than for hashes. */
const signNames = makeTable<true>();
const verifyNames = makeTable<true>();

/** The name of a digest that the host was seen to take; '' for none. */
function knownName(algorithm: unknown, names: typeof signNames): string | undefined {
  if (algorithm === undefined || algorithm === null) return '';
  return typeof algorithm === 'string' && names.get(algorithm) === true ? algorithm : undefined;
}

function remember(algorithm: unknown, names: typeof signNames): void {
  if (typeof algorithm === 'string' && names.get(algorithm) !== true) names.set(algorithm, true);
}

const signForm: CallbackForm = {
  type: 'SIGNREQUEST',
  host: hostSign,
  start: native?.signJob,
  position: 3,
  answer: () => takeOutput(words[Word.OutputLength] as number),
  again: ({ more: algorithm, key, callback }, bytes) => [
    algorithm,
    dataBehindContext(key, bytes),
    keyArgument(key, bytes),
    callback,
  ],
  Job: undefined,
};

const verifyForm: CallbackForm = {
  type: 'SIGNREQUEST',
  host: hostVerify,
  start: native?.verifyJob,
  position: 4,
  answer: (status) => status === Status.Done,
  again({ more, key, callback }, bytes) {
    const { algorithm, signatureLength } = more as Verification;
    const behind = dataBehindContext(key, bytes);
    const signature = part(behind, 0, signatureLength);
    const data = part(behind, signatureLength, typedArrayLength(behind));
    return [algorithm, data, keyArgument(key, bytes), signature, callback];
  },
  Job: undefined,
};

/** What a job that verifies is about, beside its key. */
interface Verification {
  readonly algorithm: unknown;
  readonly signatureLength: number;
}

export function sign(this: unknown, algorithm: unknown, data: unknown, key: unknown, callback?: unknown): unknown {
  const counter = counters.sign;
  if (mayServe(counter, signForm, data, callback)) {
    const name = knownName(algorithm, signNames);
    const digest = name === undefined || name === '' ? undefined : digestAlgorithm(name);
    const found = findKey(key, true);
    if (found === undefined) {
      counter.handBack(missing.why);
    } else if (name === undefined || isNew(signForm, callback)) {
      counter.handBack('first use');
    } else if (name !== '' && digest === undefined) {
      counter.handBack('algorithm');
    } else if (hostSignsAsFast(found)) {
      counter.handBack('host is as fast');
    } else {
      occupy();
      if (callback !== undefined) {
        if (setScheme(found, digest) && signLater(counter, algorithm, data, callback)) return undefined;
        counter.handBack('options');
        return handBackForm(signForm, this, arguments);
      }
      const signature = setScheme(found, digest) ? signatureOf(data) : undefined;
      if (signature !== undefined) {
        counter.served++;
        emptyHostErrors();
        return signature;
      }
      counter.handBack('options');
    }
  }
  const result = handBackForm(signForm, this, arguments);
  remember(algorithm, signNames);
  return result;
}

function signLater(counter: Counter, algorithm: unknown, data: unknown, callback: unknown): boolean {
  const from = putContext();
  const length = from === undefined ? undefined : putData(data, from);
  if (from === undefined || length === undefined) return false;
  words[Word.DataLength] = length;
  return startJob(signForm, counter, callback, new GivenKey(from), algorithm, from + length);
}

function signatureOf(data: unknown): Buffer | string | undefined {
  const from = putContext();
  const length = from === undefined ? undefined : putData(data, from);
  return from === undefined || length === undefined ? undefined : signInput(from, length, Encoding.Scratch);
}

export function verify(
  this: unknown,
  algorithm: unknown,
  data: unknown,
  key: unknown,
  signature: unknown,
  callback?: unknown,
): unknown {
  const counter = counters.verify;
  if (typedArrayTag(signature) !== 'Uint8Array') {
    counter.handBack('arguments');
  } else if (mayServe(counter, verifyForm, data, callback)) {
    const name = knownName(algorithm, verifyNames);
    const digest = name === undefined || name === '' ? undefined : digestAlgorithm(name);
    const found = findKey(key, false);
    if (found === undefined) {
      counter.handBack(missing.why);
    } else if (name === undefined || isNew(verifyForm, callback)) {
      counter.handBack('first use');
    } else if (name !== '' && digest === undefined) {
      counter.handBack('algorithm');
    } else {
      if (callback !== undefined) {
        if (setScheme(found, digest) && verifyLater(counter, algorithm, data, signature as Uint8Array, callback)) {
          return undefined;
        }
        counter.handBack('options');
        return handBackForm(verifyForm, this, arguments);
      }
      const answer = setScheme(found, digest) ? verifyWith(data, signature as Uint8Array) : undefined;
      if (answer !== undefined) {
        counter.served++;
        emptyHostErrors();
        return answer;
      }
      counter.handBack('options');
    }
  }
  const result = handBackForm(verifyForm, this, arguments);
  remember(algorithm, verifyNames);
  return result;
}

function verifyLater(
  counter: Counter,
  algorithm: unknown,
  data: unknown,
  signature: Uint8Array,
  callback: unknown,
): boolean {
  const signatureLength = typedArrayLength(signature);
  occupy();
  const from = putContext();
  const length = from === undefined ? undefined : putSigned(signature, from, signatureLength, data);
  if (from === undefined || length === undefined) return false;
  words[Word.KeyLength] = signatureLength;
  words[Word.DataLength] = length;
  const more: Verification = { algorithm, signatureLength };
  return startJob(verifyForm, counter, callback, new GivenKey(from), more, from + signatureLength + length);
}

function verifyWith(data: unknown, signature: Uint8Array): boolean | undefined {
  const signatureLength = typedArrayLength(signature);
  occupy();
  const from = putContext();
  const length = from === undefined ? undefined : putSigned(signature, from, signatureLength, data);
  return from === undefined || length === undefined ? undefined : verifyInput(from, signatureLength, length);
}

/**
 * Puts both into the input behind `from` bytes and returns how many bytes of data there are;
 * `undefined` if they do not fit.
 */
function putSigned(signature: Uint8Array, from: number, signatureLength: number, data: unknown): number | undefined {
  if (signatureLength > SIGNATURE_LIMIT) return undefined;
  putSignature(signature, from, signatureLength);
  return putData(data, from + signatureLength);
}

function mayServe(counter: Counter, form: CallbackForm, data: unknown, callback: unknown): boolean {
  if (!mayStart(counter, form, callback)) return false;
  if (!isPlainData(data)) {
    counter.handBack('arguments');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    return true;
  }
  return false;
}

export { NO_ID, SIGNATURE_LIMIT };
