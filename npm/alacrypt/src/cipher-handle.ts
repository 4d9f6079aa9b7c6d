/**
 * The inside of a `Cipheriv` or `Decipheriv` that the engine serves.
 *
 * It takes the place of the host's native handle and answers to the same methods, so that the
 * host's own `update`, `final`, `_transform` and the others work on it unchanged.
 *
 * The first `update` is taken for the whole message, which most often it is: one call then makes
 * output and tag, and `final` and `getAuthTag` find them there. Until `final` the input is kept, in
 * the scratch or in private memory; when more of it comes, the message begins anew, in pieces: in
 * the addon, or in an object of the host where that is as fast.
 */

import { outgrew } from './algorithms';
import {
  type CipherAlgorithm,
  type HostCipherHandle,
  NO_TAG_LENGTH,
  SLOT_LENGTH,
  TAG_LENGTH,
  WHOLE_LIMIT,
  cipherHandleInside,
} from './ciphers';
import { isUtf8, LONG_TEXT, decode, removalDesk, utf8Bytes, writeUtf8 } from './encodings';
import { disguise } from './handle';
import { OwnedBuffer, hostCreateCipheriv, hostCreateDecipheriv } from './host';
import { native } from './native';
import { fips } from './policy';
import {
  Bytes,
  bytesOf,
  isView,
  makeRegistry,
  max,
  part,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import {
  INPUT_CAPACITY,
  Status,
  Word,
  input,
  inputWords,
  leave,
  moveInputOut,
  occupy,
  takeOutput,
  tenantsMoveOutBy,
  words,
} from './scratch';
import type { Counter, Reason } from './stats';

/** What an object is now. */
const enum Mode {
  /** Nothing was encrypted or decrypted yet. */
  Open,
  /** The first data was taken for the whole message. */
  Whole,
  /** A message in pieces, in the addon (see `crates/alacrypt-node/src/cipher.rs`). */
  Stream,
  /** An object of the host has taken over. */
  Host,
  /** `final` was called. */
  Done,
}

const slot = part(input, 0, SLOT_LENGTH);

/**
 * A message that goes on with more than this at once becomes one of the host's: what counts then is
 * the memory of the output, which comes back to the host sooner than what script asks for.
 */
const PIECE_LIMIT = 256 * 1024;
/** More data that is only authenticated makes the object one of the host's. */
const AAD_LIMIT = 4096;
/** What may hold a key does not lie on V8's heap, which moves things and leaves copies behind. */
const KEYED_MINIMUM = 128;
/** The host takes no more at once. */
const HOST_LIMIT = 0x7fffffff;

/** Bits of {@link Word.Scheme}. */
const DECRYPTS = 1;
const WITHOUT_PADDING = 2;

/** Buffers of their own that are not filled with zeros; the host makes its output in such. */
const { allocUnsafeSlow } = Buffer;
const NO_BYTES = new Bytes(0);

const tagBytes = new Bytes(TAG_LENGTH);
const tagWords = new Uint32Array(tagBytes.buffer);

const abandonedStreams = makeRegistry((id: number) => {
  words[Word.Id] = id;
  native?.cipherStreamRelease();
});

/** See {@link Handle} for what script may do to handles, and what follows from that. */
export class CipherHandle implements HostCipherHandle {
  static {
    disguise(CipherHandle, 'CipherBase');
    tenantsMoveOutBy((tenant) => {
      if (!(#mode in tenant)) return false;
      // Else it was stopped on its way in, and the bytes are in private memory still.
      if (tenant.#own === undefined) {
        tenant.#own = moveInputOut(tenant.#length, max(KEYED_MINIMUM, tenant.#length));
      }
      return true;
    });
  }

  readonly #algorithm: CipherAlgorithm;
  readonly #counter: Counter;
  readonly #encrypts: boolean;
  readonly #ivLength: number;
  /** The option `authTagLength`, or {@link NO_TAG_LENGTH}. */
  readonly #tagLength: number;
  /** Bytes of tag: of encryption what is given out, of decryption what is taken. */
  readonly #tagBytes: number;
  #mode: Mode = Mode.Open;
  /** Bytes of slot, key, IV, authenticated data and data so far: in the scratch, or in `#own`. */
  #length: number;
  #own: Uint8Array | undefined = undefined;
  #aadLength = 0;
  #dataLength = 0;
  #pads = true;
  /** How many bytes `final` returns. */
  #restLength = 0;
  /** Whether the slot, or `#streamTag`, holds the tag to check. */
  #hasTag = false;
  #streamTag: Uint8Array | undefined = undefined;
  /** The stream's number, or the host's handle, that has taken over. */
  #outcome: number | HostCipherHandle | undefined = undefined;
  #tag0 = 0;
  #tag1 = 0;
  #tag2 = 0;
  #tag3 = 0;

  /** `length` bytes are to be put into the input: the slot, the key and the IV. */
  constructor(
    algorithm: CipherAlgorithm,
    counter: Counter,
    encrypts: boolean,
    ivLength: number,
    tagLength: number,
    length: number,
  ) {
    this.#algorithm = algorithm;
    this.#counter = counter;
    this.#encrypts = encrypts;
    this.#ivLength = ivLength;
    this.#tagLength = tagLength;
    this.#tagBytes = tagLength === NO_TAG_LENGTH ? TAG_LENGTH : tagLength;
    this.#length = length;
  }

  update(data: unknown, encoding?: unknown): Buffer {
    if (this.#mode === Mode.Open && (this.#encrypts || this.#hasTag || !this.#algorithm.isAead)) {
      const length = this.#putData(data, encoding);
      if (length === 0 && !this.#algorithm.isUnit) return new OwnedBuffer(0);
      if (length > 0) {
        if (this.#compute(length)) return takeOutput(words[Word.OutputLength] as number);
        typedArrayFill(input, 0, this.#length, this.#length + length);
        this.#toHost('unusual use');
      }
    }
    return this.#updateFurther(data, encoding);
  }

  final(): Buffer {
    if (this.#mode === Mode.Open && !this.#finishEmpty()) this.#toHost('unusual use');
    if (this.#mode === Mode.Whole) {
      if (this.#own !== undefined) this.#moveIn();
      const length = this.#restLength;
      const rest = length === 0 ? new OwnedBuffer(0) : new OwnedBuffer(length === SLOT_LENGTH ? slot : part(input, 0, length));
      this.#algorithm.run = 0;
      this.#keepTag();
      this.#mode = Mode.Done;
      this.#wipe();
      return rest;
    }
    if (this.#mode === Mode.Stream) return this.#finishStream();
    return this.#hostHandle().final();
  }

  getAuthTag(): Buffer | undefined {
    if (this.#mode === Mode.Host) return this.#hostHandle().getAuthTag();
    if (this.#mode !== Mode.Done || !this.#encrypts || !this.#algorithm.isAead) return undefined;
    tagWords[0] = this.#tag0;
    tagWords[1] = this.#tag1;
    tagWords[2] = this.#tag2;
    tagWords[3] = this.#tag3;
    return new OwnedBuffer(this.#tagBytes === TAG_LENGTH ? tagBytes : part(tagBytes, 0, this.#tagBytes));
  }

  setAuthTag(tag: unknown): boolean {
    if (this.#mode === Mode.Stream) return this.#setStreamTag(tag);
    if (this.#mode === Mode.Done) return false;
    if (
      this.#mode === Mode.Open &&
      this.#algorithm.isAead &&
      !this.#encrypts &&
      !this.#hasTag &&
      typedArrayTag(tag) === 'Uint8Array' &&
      typedArrayLength(tag) === this.#tagBytes
    ) {
      typedArraySet(this.#own ?? input, tag as Uint8Array, 0);
      this.#hasTag = true;
      return true;
    }
    if (this.#mode !== Mode.Host) this.#toHost('unusual use');
    return this.#hostHandle().setAuthTag(tag);
  }

  setAAD(aad: unknown, plaintextLength: unknown): boolean {
    if (this.#mode === Mode.Done) return false;
    // Nothing may come behind data; but nothing is what there may be of it.
    if (this.#mode === Mode.Stream) return this.#algorithm.isAead && typedArrayLength(bytesIn(aad)) === 0;
    if (
      this.#mode === Mode.Open &&
      this.#algorithm.isAead &&
      plaintextLength === -1 &&
      typedArrayTag(aad) === 'Uint8Array'
    ) {
      const length = typedArrayLength(aad);
      if (this.#aadLength + length <= AAD_LIMIT) {
        if (length === 0) return true;
        if (this.#own !== undefined) this.#moveIn();
        typedArraySet(input, aad as Uint8Array, this.#length);
        this.#aadLength += length;
        this.#length += length;
        return true;
      }
    }
    if (this.#mode !== Mode.Host) this.#toHost('unusual use');
    return this.#hostHandle().setAAD(aad, plaintextLength);
  }

  setAutoPadding(on: boolean): boolean {
    switch (this.#mode) {
      case Mode.Open:
        this.#pads = on;
        return true;
      case Mode.Whole:
        if (on === this.#pads || !this.#algorithm.isBlockMode) return true;
        this.#toHost('unusual use');
        break;
      // Only what has no padding becomes a stream.
      case Mode.Stream:
        return true;
      case Mode.Done:
        return false;
      case Mode.Host:
        break;
    }
    return this.#hostHandle().setAutoPadding(on);
  }

  /**
   * Puts data behind what is in the input, and returns how many bytes that are: none where there is
   * no data, and -1 where it may be too much.
   */
  #putData(data: unknown, encoding: unknown): number {
    if (this.#own !== undefined) this.#moveIn();
    const from = this.#length;
    const { wholeLimit } = this.#algorithm;
    if (typeof data === 'string') {
      if (isUtf8(encoding)) {
        if (data.length * 3 > wholeLimit) return -1;
        if (data.length > LONG_TEXT) {
          return writeUtf8(data, part(input, from, INPUT_CAPACITY)) as number;
        }
        words[Word.DataLength] = from;
        native?.putString(data);
        return (words[Word.DataLength] as number) - from;
      }
      const bytes = decode(data, encoding as string, wholeLimit);
      if (bytes === undefined) return -1;
      const length = typedArrayLength(bytes);
      typedArraySet(input, bytes, from);
      typedArrayFill(bytes, 0, 0, length);
      return length;
    }
    const bytes =
      typedArrayTag(data) === 'Uint8Array'
        ? (data as Uint8Array)
        : (bytesOf(data as ArrayBufferView) ?? NO_BYTES);
    const length = typedArrayLength(bytes);
    if (length > wholeLimit) return -1;
    if (length > 0) typedArraySet(input, bytes, from);
    return length;
  }

  /** Takes the `length` bytes behind the rest for the whole message; `false` where that does not go. */
  #compute(length: number): boolean {
    this.#describe();
    words[Word.DataLength] = length;
    native?.cipherWhole();
    if (words[Word.Status] !== Status.Done) return false;
    this.#restLength = words[Word.KeyLength] as number;
    this.#dataLength = length;
    this.#length += length;
    this.#mode = Mode.Whole;
    return true;
  }

  #finishEmpty(): boolean {
    if (this.#algorithm.isUnit || (!this.#encrypts && this.#algorithm.isAead && !this.#hasTag)) return false;
    if (this.#own !== undefined) this.#moveIn();
    return this.#compute(0);
  }

  #describe(): void {
    words[Word.Algorithm] = this.#algorithm.number;
    words[Word.Scheme] = (this.#encrypts ? 0 : DECRYPTS) | (this.#pads ? 0 : WITHOUT_PADDING);
    words[Word.IvLength] = this.#ivLength;
    words[Word.ContextLength] = this.#aadLength;
    words[Word.KeyLength] = this.#tagBytes;
  }

  /** Data that is not the first, or too much. */
  #updateFurther(data: unknown, encoding: unknown): Buffer {
    if (this.#mode === Mode.Open || this.#mode === Mode.Whole) {
      // More data of no length changes nothing.
      if (lengthOf(data) === 0 && !this.#algorithm.isUnit) return new OwnedBuffer(0);
      if (!this.#algorithm.isStreamed || lengthOf(data) > PIECE_LIMIT || !this.#toStream()) {
        outgrew(this.#algorithm);
        this.#toHost('input is large');
      }
    }
    if (this.#mode !== Mode.Stream) return this.#hostHandle().update(data, encoding);
    if (typeof data !== 'string') return this.#updateStream(bytesOf(data as ArrayBufferView) ?? NO_BYTES);
    const bytes = isUtf8(encoding)
      ? utf8Bytes(data)
      : (decode(data, encoding as string, Infinity) ?? utf8Bytes(data));
    const out = this.#updateStream(bytes);
    typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
    return out;
  }

  #updateStream(bytes: Uint8Array): Buffer {
    const length = typedArrayLength(bytes);
    if (length === 0) return new OwnedBuffer(0);
    if (length <= WHOLE_LIMIT) {
      occupy();
      typedArraySet(input, bytes, 0);
      words[Word.Id] = this.#outcome as number;
      words[Word.DataLength] = length;
      native?.cipherStreamUpdateShort();
      if (words[Word.Status] === Status.Done) return takeOutput(length);
    } else if (length <= HOST_LIMIT) {
      const out = allocUnsafeSlow(length);
      words[Word.Id] = this.#outcome as number;
      native?.cipherStreamUpdate(bytes, out);
      if (words[Word.Status] === Status.Done) return out;
    }
    // More than a message may have, or than the host takes at once.
    return (this.#algorithm.finished as HostCipherHandle).update(bytes);
  }

  #setStreamTag(tag: unknown): boolean {
    if (this.#encrypts || this.#hasTag || !this.#algorithm.isAead) return false;
    const isUsual = typedArrayTag(tag) === 'Uint8Array' && typedArrayLength(tag) === this.#tagBytes;
    // Of other tags the host knows which it takes on this line, and warns of some.
    if (!isUsual && !this.#makeHostHandle(NO_BYTES, NO_BYTES).setAuthTag(tag)) return false;
    this.#streamTag = new Bytes(bytesIn(tag));
    this.#hasTag = true;
    return true;
  }

  #finishStream(): Buffer {
    const tag = this.#streamTag;
    const out = new OwnedBuffer(0);
    occupy();
    if (tag !== undefined) typedArraySet(input, tag, 0);
    words[Word.Id] = this.#outcome as number;
    words[Word.KeyLength] = tag === undefined ? 0 : typedArrayLength(tag);
    // First of all: the number may be another's as soon as this stream is finished.
    abandonedStreams.unregister(this);
    this.#algorithm.run = 0;
    this.#mode = Mode.Done;
    this.#outcome = undefined;
    native?.cipherStreamFinish();
    if (words[Word.Status] !== Status.Done) return this.#failingHostHandle().final();
    this.#keepTag();
    return out;
  }

  #keepTag(): void {
    if (!this.#encrypts || !this.#algorithm.isAead) return;
    this.#tag0 = inputWords[0] as number;
    this.#tag1 = inputWords[1] as number;
    this.#tag2 = inputWords[2] as number;
    this.#tag3 = inputWords[3] as number;
  }

  #hostHandle(): HostCipherHandle {
    return this.#mode === Mode.Host ? (this.#outcome as HostCipherHandle) : (this.#algorithm.finished as HostCipherHandle);
  }

  #makeHostHandle(key: Uint8Array, iv: Uint8Array): HostCipherHandle {
    const { name, keyLength } = this.#algorithm;
    const create = this.#encrypts ? hostCreateCipheriv : hostCreateDecipheriv;
    // Where what it is made of does not matter.
    const withKey = key === NO_BYTES ? new Bytes(keyLength) : key;
    const withIv = iv === NO_BYTES ? new Bytes(this.#ivLength) : iv;
    const object = create(
      name as 'aes-256-gcm',
      withKey,
      this.#ivLength === 0 ? (null as unknown as Uint8Array) : withIv,
      this.#tagLength === NO_TAG_LENGTH ? undefined : { authTagLength: this.#tagLength },
    );
    return cipherHandleInside(object);
  }

  /** A handle of the host's whose `final` says that the tag is wrong, or missing. */
  #failingHostHandle(): HostCipherHandle {
    const kept = this.#algorithm.failing;
    if (fips() !== true || kept === undefined) return this.#makeHostHandle(NO_BYTES, NO_BYTES);
    this.#algorithm.failing = undefined;
    return kept;
  }

  /** Becomes an object of the host, with all input so far. */
  #toHost(reason: Reason): void {
    this.#counter.serveNoMore(reason);
    const { keyLength } = this.#algorithm;
    const bytes = removalDesk();
    this.#copyBytesTo(bytes);
    const ivStart = SLOT_LENGTH + keyLength;
    const aadStart = ivStart + this.#ivLength;
    const dataStart = aadStart + this.#aadLength;
    const handle = this.#makeHostHandle(part(bytes, SLOT_LENGTH, ivStart), part(bytes, ivStart, aadStart));
    if (!this.#pads) handle.setAutoPadding(false);
    // A tag of an encryption is one that was made.
    if (this.#hasTag) handle.setAuthTag(part(bytes, 0, this.#tagBytes));
    if (this.#aadLength > 0) handle.setAAD(part(bytes, aadStart, dataStart), -1);
    if (this.#dataLength > 0) {
      const again = handle.update(part(bytes, dataStart, dataStart + this.#dataLength));
      typedArrayFill(again, 0, 0, typedArrayLength(again));
    }
    typedArrayFill(bytes, 0, 0, this.#length);
    this.#mode = Mode.Host;
    this.#outcome = handle;
    this.#wipe();
  }

  /** Becomes a stream, with all input so far; `false` where there is no room for one more. */
  #toStream(): boolean {
    if (this.#own !== undefined) this.#moveIn();
    this.#describe();
    native?.cipherStreamNew();
    if (words[Word.Status] !== Status.Done) return false;
    const id = words[Word.Id] as number;
    const length = this.#dataLength;
    const data = length === 0 ? NO_BYTES : new Bytes(part(input, this.#length - length, this.#length));
    if (this.#hasTag) this.#streamTag = new Bytes(part(slot, 0, this.#tagBytes));
    abandonedStreams.register(this, id, this);
    this.#mode = Mode.Stream;
    this.#outcome = id;
    this.#wipe();
    const again = this.#updateStream(data);
    typedArrayFill(again, 0, 0, length);
    typedArrayFill(data, 0, 0, length);
    return true;
  }

  #moveIn(): void {
    occupy(this);
    const own = this.#own as Uint8Array;
    typedArraySet(input, part(own, 0, this.#length), 0);
    typedArrayFill(own, 0, 0, this.#length);
    this.#own = undefined;
  }

  #copyBytesTo(target: Uint8Array): void {
    typedArraySet(target, part(this.#own ?? input, 0, this.#length), 0);
  }

  #wipe(): void {
    if (this.#own !== undefined) {
      typedArrayFill(this.#own, 0, 0, this.#length);
      this.#own = undefined;
    } else {
      typedArrayFill(input, 0, 0, this.#length);
      leave();
    }
    this.#length = 0;
    this.#dataLength = 0;
  }
}

/** The bytes of a view or of an `ArrayBuffer`, which is what the host's methods hand on. */
function bytesIn(value: unknown): Uint8Array {
  try {
    return isView(value) ? (bytesOf(value) ?? NO_BYTES) : new Bytes(value as ArrayBuffer);
  } catch {
    // What is detached counts as empty.
    return NO_BYTES;
  }
}

/** Bytes of data, or code units of text. */
function lengthOf(data: unknown): number {
  if (typeof data === 'string') return data.length;
  return typedArrayLength(bytesOf(data as ArrayBufferView) ?? NO_BYTES);
}
