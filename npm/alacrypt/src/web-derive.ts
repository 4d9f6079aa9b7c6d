/**
 * `SubtleCrypto.prototype.deriveBits`: HKDF, PBKDF2, ECDH and X25519.
 */

import { Kind } from './key';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import { Bytes, apply, bare, part, typedArrayFill, typedArrayLength, typedArraySet } from './primordials';
import { doElsewhere, doHere, settledLater } from './schedule';
import { Encoding, INPUT_CAPACITY, Status, Word, input, occupy, outputView, takeArrayBuffer, wipeOutput, words } from './scratch';
import { counters } from './stats';
import { DIGESTS, areBuffersPlain, bytesOrNone, isDictionary, memberOf, nameIn, nameOf } from './web';
import { web } from './web-host';
import { type WebKey, asymmetricKey, findKey, findPeer, sourceBytes } from './web-key';

const counter = counters['subtle.deriveBits'];
const { deriveBits: hostDeriveBits } = web.methods;

/** The class, whatever the global of its name is by now. */
const Memory = ArrayBuffer;

/** More takes long enough for the rest not to show. */
const OUTPUT_LIMIT = 512;
/** The host takes no more than that. */
const INFO_LIMIT = 1024;
const MOST_ITERATIONS = 0x7fffffff;

export function deriveBits(this: unknown, algorithm: unknown, baseKey: unknown, length: unknown): unknown {
  if (this !== web.subtle || arguments.length < 3) {
    counter.handBack('arguments');
  } else {
    const served = serve(algorithm, baseKey, length);
    if (served !== undefined) return served;
  }
  return handBack(hostDeriveBits, this, arguments);
}

function serve(algorithm: unknown, baseKey: unknown, length: unknown): Promise<unknown> | undefined {
  const name = isDictionary(algorithm) ? nameIn(algorithm) : undefined;
  if (name === undefined) return counter.handBack('algorithm');
  const key = findKey(baseKey, name, 'deriveBits');
  if (key === undefined) return counter.handBack('key');
  if (!areBuffersPlain()) return counter.handBack('arguments');
  if (fips() === true) return counter.handBack('FIPS is on');
  switch (name) {
    case 'HKDF':
      return hkdf(algorithm as object, baseKey as object, key, length);
    case 'PBKDF2':
      return pbkdf2(algorithm as object, baseKey as object, key, length);
    case 'ECDH':
    case 'X25519':
      return agree(algorithm as object, baseKey as object, key, length);
    default:
      return counter.handBack('algorithm');
  }
}

/** Bytes of output; `undefined` for what is no whole number of them, or none, or many. */
function outputLength(length: unknown): number | undefined {
  return typeof length === 'number' && length > 0 && length <= 8 * OUTPUT_LIMIT && length % 8 === 0 ? length / 8 : undefined;
}

/** The engine's number of the digest, of those that every line knows. */
function digestIn(algorithm: object): number | undefined {
  const name = nameOf(memberOf(algorithm, 'hash'));
  const number = name === undefined ? undefined : DIGESTS[name];
  return number === undefined || number > (DIGESTS['SHA-512'] as number) ? undefined : number;
}

/** Puts key and other inputs side by side into the input and returns how long the key is; `undefined` where they do not fit. */
function putSource(object: object, key: WebKey, rest: number): number | undefined {
  const bytes = sourceBytes(object, key);
  if (bytes === undefined) return undefined;
  const length = typedArrayLength(bytes);
  const fits = length + rest <= INPUT_CAPACITY;
  if (fits) typedArraySet(input, bytes, 0);
  typedArrayFill(bytes, 0, 0, length);
  return fits ? length : undefined;
}

function hkdf(algorithm: object, object: object, key: WebKey, length: unknown): Promise<unknown> | undefined {
  const digest = digestIn(algorithm);
  const salt = bytesOrNone(memberOf(algorithm, 'salt'));
  const info = bytesOrNone(memberOf(algorithm, 'info'));
  const bytes = outputLength(length);
  if (digest === undefined || salt === undefined || info === undefined || bytes === undefined) return counter.handBack('options');
  const saltLength = typedArrayLength(salt);
  const infoLength = typedArrayLength(info);
  if (infoLength > INFO_LIMIT) return counter.handBack('options');
  occupy();
  const keyLength = putSource(object, key, saltLength + infoLength);
  if (keyLength === undefined) return counter.handBack('input is large');
  typedArraySet(input, salt, keyLength);
  typedArraySet(input, info, keyLength + saltLength);
  words[Word.Algorithm] = digest;
  words[Word.Encoding] = Encoding.Scratch;
  words[Word.KeyLength] = keyLength;
  words[Word.DataLength] = saltLength;
  words[Word.ContextLength] = infoLength;
  words[Word.OutputLength] = bytes;
  const { hkdfHere, hkdfJob } = native as NonNullable<typeof native>;
  const end = keyLength + saltLength + infoLength;
  const status = doHere(hkdfHere);
  if (status === Status.Done) {
    typedArrayFill(input, 0, 0, end);
    return done(takeArrayBuffer(bytes));
  }
  if (status === Status.Later) {
    const copies = bare<unknown>();
    copies['name'] = 'HKDF';
    copies['hash'] = nameOf(memberOf(algorithm, 'hash'));
    copies['salt'] = new Bytes(salt);
    copies['info'] = new Bytes(info);
    const again = (): unknown => apply(hostDeriveBits, web.subtle, [copies, object, length]);
    const promise = doElsewhere('HKDFREQUEST', hkdfJob, end, counter, () => takeArrayBuffer(bytes), again);
    if (promise !== undefined) return promise;
  }
  typedArrayFill(input, 0, 0, end);
  return counter.handBack('engine refused');
}

/** Where OpenSSL is not the faster one, at any number of iterations. */
const SHA256 = DIGESTS['SHA-256'] as number;

function pbkdf2(algorithm: object, object: object, key: WebKey, length: unknown): Promise<unknown> | undefined {
  const digest = digestIn(algorithm);
  const salt = bytesOrNone(memberOf(algorithm, 'salt'));
  const iterations = memberOf(algorithm, 'iterations');
  const bytes = outputLength(length);
  if (digest === undefined || salt === undefined || bytes === undefined) return counter.handBack('options');
  if (typeof iterations !== 'number' || iterations >>> 0 !== iterations || iterations === 0 || iterations > MOST_ITERATIONS) {
    return counter.handBack('options');
  }
  if (digest > SHA256) return counter.handBack('host is as fast');
  const saltLength = typedArrayLength(salt);
  occupy();
  const keyLength = putSource(object, key, saltLength);
  if (keyLength === undefined) return counter.handBack('input is large');
  typedArraySet(input, salt, keyLength);
  words[Word.Algorithm] = digest;
  words[Word.Encoding] = Encoding.Scratch;
  words[Word.KeyLength] = keyLength;
  words[Word.DataLength] = saltLength;
  words[Word.Iterations] = iterations;
  words[Word.OutputLength] = bytes;
  const copies = bare<unknown>();
  copies['name'] = 'PBKDF2';
  copies['hash'] = nameOf(memberOf(algorithm, 'hash'));
  copies['salt'] = new Bytes(salt);
  copies['iterations'] = iterations;
  const again = (): unknown => apply(hostDeriveBits, web.subtle, [copies, object, length]);
  // Never within the call: what it takes is what it is for.
  const promise = doElsewhere('PBKDF2REQUEST', native?.pbkdf2Job, keyLength + saltLength, counter, () => takeArrayBuffer(bytes), again);
  return promise ?? counter.handBack('engine refused');
}

/** Bytes of the secret that two keys of a kind share. */
const SECRET_LENGTHS = bare<number>();
SECRET_LENGTHS[Kind.P256] = 32;
SECRET_LENGTHS[Kind.P384] = 48;
SECRET_LENGTHS[Kind.P521] = 66;
SECRET_LENGTHS[Kind.X25519] = 32;

function agree(algorithm: object, object: object, key: WebKey, length: unknown): Promise<unknown> | undefined {
  const { kind } = key;
  const whole = SECRET_LENGTHS[kind];
  const peerObject = memberOf(algorithm, 'public');
  const peer = findPeer(peerObject, key.name);
  if (whole === undefined || peer === undefined || peer.kind !== kind || key.type !== 'private') return counter.handBack('key');
  const bytes = length === null ? whole : outputLength(length);
  if (bytes === undefined || bytes > whole) return counter.handBack('options');
  occupy();
  const privateKey = asymmetricKey(object, key);
  const publicKey = asymmetricKey(peerObject as object, peer);
  if (privateKey === undefined || publicKey === undefined) {
    return counter.handBack(key.isClosed || peer.isClosed || !key.isOpen ? 'key' : 'first use');
  }
  words[Word.Id] = privateKey.id;
  words[Word.PeerId] = publicKey.id;
  words[Word.Encoding] = Encoding.Scratch;
  const answer = (): ArrayBuffer => takeStart(words[Word.OutputLength] as number, bytes);
  const { agreeHere, agreeJob } = native as NonNullable<typeof native>;
  const status = doHere(agreeHere);
  if (status === Status.Done) return done(answer());
  if (status === Status.Later) {
    const copies = bare<unknown>();
    copies['name'] = key.name;
    copies['public'] = peerObject;
    const again = (): unknown => apply(hostDeriveBits, web.subtle, [copies, object, length]);
    const promise = doElsewhere('ECDHBITSREQUEST', agreeJob, 0, counter, answer, again);
    if (promise !== undefined) return promise;
  }
  return counter.handBack('engine refused');
}

function done(answer: ArrayBuffer): Promise<unknown> {
  counter.serveHere();
  emptyHostErrors();
  return settledLater(answer);
}

/** The first `length` of `whole` bytes of output, all of which are wiped. */
function takeStart(whole: number, length: number): ArrayBuffer {
  if (length === whole) return takeArrayBuffer(whole);
  const taken = new Memory(length);
  typedArraySet(new Bytes(taken), part(outputView(whole), 0, length), 0);
  wipeOutput(whole);
  return taken;
}
