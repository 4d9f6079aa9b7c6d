/**
 * `SubtleCrypto.prototype.encrypt` and `decrypt`, with AES.
 */

import { SLOT_LENGTH, TAG_LENGTH, WHOLE_LIMIT } from './ciphers';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import { Bytes, bare, isView, part, typedArrayFill, typedArrayLength, typedArraySet, typedArrayTag } from './primordials';
import { doHere, settledLater } from './schedule';
import { NO_ID, Status, Word, input, occupy, outputView, wipeOutput, words } from './scratch';
import { type WorkCounter, counters } from './stats';
import { REFUSED, areBuffersPlain, bytesOfSource, isDictionary, memberOf, nameIn } from './web';
import { web } from './web-host';
import { findKey, secretId } from './web-key';

const encryptCounter = counters['subtle.encrypt'];
const decryptCounter = counters['subtle.decrypt'];
const { encrypt: hostEncrypt, decrypt: hostDecrypt } = web.methods;

/** The class, whatever the global of its name is by now. */
const Memory = ArrayBuffer;

/** The addon's number of a mode with a key of 128 bits; the two longer ones are behind it. */
const FIRST = bare<number>();
FIRST['AES-CBC'] = 0;
FIRST['AES-CTR'] = 3;
FIRST['AES-GCM'] = 32;

const DECRYPTS = 1;
const BLOCK_LENGTH = 16;
const NONCE_LENGTH = 12;
const AAD_LIMIT = 1024;

/** `SubtleCrypto.prototype.encrypt`. */
export function encrypt(this: unknown, algorithm: unknown, key: unknown, data: unknown): unknown {
  if (this !== web.subtle || arguments.length < 3) {
    encryptCounter.handBack('arguments');
  } else {
    const served = serve(encryptCounter, algorithm, key, data, true);
    if (served !== undefined) return served;
  }
  return handBack(hostEncrypt, this, arguments);
}

/** `SubtleCrypto.prototype.decrypt`. */
export function decrypt(this: unknown, algorithm: unknown, key: unknown, data: unknown): unknown {
  if (this !== web.subtle || arguments.length < 3) {
    decryptCounter.handBack('arguments');
  } else {
    const served = serve(decryptCounter, algorithm, key, data, false);
    if (served !== undefined) return served;
  }
  return handBack(hostDecrypt, this, arguments);
}

function serve(
  counter: WorkCounter,
  algorithm: unknown,
  key: unknown,
  data: unknown,
  encrypts: boolean,
): Promise<unknown> | undefined {
  const name = isDictionary(algorithm) ? nameIn(algorithm) : undefined;
  const first = name === undefined ? undefined : FIRST[name];
  if (name === undefined || first === undefined) return counter.handBack('algorithm');
  const found = findKey(key, name, encrypts ? 'encrypt' : 'decrypt');
  if (found === undefined || found.type !== 'secret') return counter.handBack('key');
  const isGcm = name === 'AES-GCM';
  // Older lines stumble over views of other kinds there.
  const mayBeOdd = encrypts || !isGcm || !isView(data) || typedArrayTag(data) === 'Uint8Array';
  const bytes = mayBeOdd ? bytesOfSource(data) : undefined;
  if (bytes === undefined || !areBuffersPlain()) return counter.handBack('arguments');
  const tagLength = isGcm && !encrypts ? TAG_LENGTH : 0;
  const length = typedArrayLength(bytes) - tagLength;
  if (length > WHOLE_LIMIT) return counter.handBack('input is large');
  // A message that is shorter than its tag, or has nothing beside it, the host may look at.
  if (length <= 0) return counter.handBack('arguments');
  const dictionary = algorithm as object;
  const iv = isGcm ? nonceOf(dictionary) : name === 'AES-CTR' ? counterOf(dictionary, length) : blockOf(dictionary, 'iv');
  if (iv === undefined) return counter.handBack('options');
  const aad = isGcm ? aadOf(dictionary) : NO_BYTES;
  if (aad === undefined) return counter.handBack('options');
  if (fips() === true) return counter.handBack('FIPS is on');
  const id = secretId(key as object, found);
  if (id === NO_ID) return counter.handBack('key');

  const keyLength = found.length;
  const ivLength = typedArrayLength(iv);
  const aadLength = typedArrayLength(aad);
  const from = SLOT_LENGTH + keyLength + ivLength + aadLength;
  occupy();
  words[Word.Id] = id;
  words[Word.KeyLength] = keyLength;
  const { cipherKeyLoad, cipherHere } = native as NonNullable<typeof native>;
  cipherKeyLoad();
  if (words[Word.Status] !== Status.Done) return counter.handBack('key');
  typedArraySet(input, iv, SLOT_LENGTH + keyLength);
  if (aadLength !== 0) typedArraySet(input, aad, SLOT_LENGTH + keyLength + ivLength);
  if (tagLength === 0) {
    typedArraySet(input, bytes, from);
  } else {
    typedArraySet(input, part(bytes, 0, length), from);
    typedArraySet(slot, part(bytes, length, length + tagLength), 0);
  }
  // 16, 24 and 32 bytes, one number after the other.
  words[Word.Algorithm] = first + (keyLength - 16) / 8;
  words[Word.Scheme] = encrypts ? 0 : DECRYPTS;
  words[Word.IvLength] = ivLength;
  words[Word.ContextLength] = aadLength;
  words[Word.DataLength] = length;
  words[Word.KeyLength] = TAG_LENGTH;
  const status = doHere(cipherHere);
  const output = status === Status.Done ? take(isGcm && encrypts ? TAG_LENGTH : (words[Word.KeyLength] as number)) : undefined;
  typedArrayFill(input, 0, 0, from + length);
  if (output === undefined) {
    return counter.handBack(status === Status.Later ? 'no time left' : 'engine refused');
  }
  counter.serveHere();
  emptyHostErrors();
  return settledLater(output);
}

const NO_BYTES = new Bytes(0);
/** Where a tag is, or what a message ends with. */
const slot = part(input, 0, SLOT_LENGTH);

/** What was put out, and behind it what is in the slot. */
function take(restLength: number): ArrayBuffer {
  const length = words[Word.OutputLength] as number;
  const taken = new Memory(length + restLength);
  const bytes = new Bytes(taken);
  typedArraySet(bytes, outputView(length), 0);
  if (restLength !== 0) typedArraySet(bytes, restLength === SLOT_LENGTH ? slot : part(slot, 0, restLength), length);
  wipeOutput(length);
  return taken;
}

function blockOf(algorithm: object, name: string): Uint8Array | undefined {
  const bytes = bytesOfSource(memberOf(algorithm, name));
  return bytes === undefined || typedArrayLength(bytes) !== BLOCK_LENGTH ? undefined : bytes;
}

/** The bits of a counter that are looked at. */
const COUNTER_BITS = 32;

/**
 * The first block of a counter, of which the engine counts all bits: where fewer are to be counted, they
 * must not run over on the way.
 */
function counterOf(algorithm: object, length: number): Uint8Array | undefined {
  const bits = memberOf(algorithm, 'length');
  if (typeof bits !== 'number' || bits >>> 0 !== bits || bits < COUNTER_BITS || bits > 128) return undefined;
  const block = blockOf(algorithm, 'counter');
  if (block === undefined) return undefined;
  // A copy, which no other thread changes.
  const copy = new Bytes(block);
  let last = 0;
  for (let at = 12; at < BLOCK_LENGTH; at++) last = last * 256 + (copy[at] as number);
  return last + length / BLOCK_LENGTH < 2 ** COUNTER_BITS - 1 ? copy : undefined;
}

function nonceOf(algorithm: object): Uint8Array | undefined {
  const tagLength = memberOf(algorithm, 'tagLength');
  if (tagLength !== undefined && tagLength !== 8 * TAG_LENGTH) return undefined;
  const bytes = bytesOfSource(memberOf(algorithm, 'iv'));
  return bytes === undefined || typedArrayLength(bytes) !== NONCE_LENGTH ? undefined : bytes;
}

function aadOf(algorithm: object): Uint8Array | undefined {
  const aad = memberOf(algorithm, 'additionalData');
  if (aad === undefined) return NO_BYTES;
  const bytes = aad === REFUSED ? undefined : bytesOfSource(aad);
  return bytes === undefined || typedArrayLength(bytes) > AAD_LIMIT ? undefined : bytes;
}

