/**
 * The inside of a `Hash` or `Hmac` that the engine serves.
 *
 * On Node it takes the place of the host's native handle and answers to the same two methods, so
 * that the host's own `update`, `digest`, `_transform` and `_flush` work on it unchanged.
 *
 * Nothing is computed before the output is asked for. Bytes are copied at once, as they may
 * change: into the scratch, and into private memory when another object needs the scratch
 * meanwhile. Strings, which do not change, are kept behind those bytes. One call then does all
 * the work. What grows beyond the algorithm's limit becomes an object of the host, which is as
 * fast there.
 */

import type { Algorithm } from './algorithms';
import { bufferFrom, decode, isUtf8, outputEncoding, reencode, utf8Bytes } from './encodings';
import {
  type HostHandle,
  type HostObject,
  hostCreateHash,
  handleInside,
  hostCreateHmac,
  hostTakesOurHandle,
  OwnedBuffer,
  probes,
  runtime,
  secretKeyBytes,
} from './host';
import { native } from './native';
import { fips } from './policy';
import {
  Bytes,
  bytesOf,
  charCodeAt,
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
  Encoding,
  INPUT_CAPACITY,
  NO_ID,
  Status,
  type Tenant,
  Word,
  input,
  leave,
  moveInputOut,
  occupy,
  outputView,
  takeOutput,
  words,
} from './scratch';
import type { Counter, Reason } from './stats';

/** What an object is now. */
const enum Mode {
  /** Input is being collected. */
  Open,
  /** An object of the host has taken over. */
  Host,
  /** A stream of the addon has taken over (see `crates/alacrypt-node/src/stream.rs`). */
  Stream,
  /** The output was made. */
  Done,
}

/** Where the key of an HMAC is from; shared by all objects with that key. */
export interface Key {
  /** The number of a keyed state, or {@link NO_ID}. */
  readonly id: number;
  /** The host's key object, for handing back. */
  readonly object: object | undefined;
}

/** A key given as a string or as bytes, of which nothing outlives the object. */
export const RAW_KEY: Key = { id: NO_ID, object: undefined };

const NO_BYTES = new Uint8Array(0);

/** Private memory starts with at least this much room. */
const OWN_MINIMUM = 128;

const abandonedStreams = makeRegistry((id: number) => {
  words[Word.Id] = id;
  native?.streamRelease();
});

/** The inside of a `Hash`, and of an {@link HmacHandle}. */
export class Handle implements Tenant, HostHandle {
  static {
    // What `util.inspect` shows of the host's.
    Object.defineProperty(Handle, 'name', { value: runtime === 'deno' ? 'Hasher' : 'Hash' });
  }

  readonly #algorithm: Algorithm;
  readonly #counter: Counter;
  readonly #key: Key | undefined;
  #mode: Mode = Mode.Open;
  /** Bytes collected so far, the key's included: in the scratch, or in `#own`. */
  #length: number;
  #own: Uint8Array | undefined = undefined;
  /** Text behind those bytes, and its last piece. */
  #text = '';
  #lastPiece = '';
  /** A key given as a string, until it is put before the data; `undefined` for others. */
  #keyText: string | undefined;
  /** Bytes of key at the start of the object's bytes. */
  #keyLength: number;
  /** The host's object, or the stream's number, that has taken over; the output, once done. */
  #outcome: HostObject | number | string | Uint8Array | undefined = undefined;
  /** The length of the output in bytes; once that is made and kept, its encoding. */
  #option: number;

  constructor(
    algorithm: Algorithm,
    counter: Counter,
    outputLength: number,
    key: Key | undefined,
    keyText: string | undefined,
    keyLength: number,
  ) {
    this.#algorithm = algorithm;
    this.#counter = counter;
    this.#option = outputLength;
    this.#key = key;
    this.#keyText = keyText;
    this.#keyLength = keyLength;
    this.#length = keyLength;
  }

  /** Whether `value` is one of ours. */
  static is(value: unknown): value is Handle {
    return typeof value === 'object' && value !== null && #mode in value;
  }

  /** Whether `value` is one of ours that is collecting input. */
  static isOpen(value: unknown): value is Handle {
    return (
      typeof value === 'object' && value !== null && #mode in value && value.#mode === Mode.Open
    );
  }

  /** Whether `value` is one of ours inside a `Hash`. */
  static isHash(value: unknown): value is Handle {
    return Handle.is(value) && value.#key === undefined;
  }

  /** Whether the output was made and kept. */
  hasOutput(): boolean {
    return this.#mode === Mode.Done && this.#outcome !== undefined;
  }

  algorithm(): Algorithm {
    return this.#algorithm;
  }

  /** Collects a string; `false`, with nothing done, where that is not the plain case. */
  takeText(piece: string): boolean {
    if (this.#mode !== Mode.Open) return false;
    const before = this.#text;
    const length = before.length + piece.length;
    // A code unit takes at most three bytes of UTF-8, and at least one.
    if (
      length > this.#algorithm.limit ||
      this.#length + this.#reserved() + 3 * length > INPUT_CAPACITY
    ) {
      return false;
    }
    if (before === '') {
      this.#text = piece;
    } else {
      if (joinsSurrogates(this.#lastPiece, piece)) return false;
      this.#text = before + piece;
    }
    if (piece !== '') this.#lastPiece = piece;
    return true;
  }

  /** Collects the bytes of a `Uint8Array`; `false`, with nothing done, where they do not fit. */
  takeBytes(bytes: Uint8Array): boolean {
    if (this.#mode !== Mode.Open) return false;
    const count = typedArrayLength(bytes);
    // Also of a view whose buffer is detached, from which nothing can be copied.
    if (count === 0) return true;
    if (!this.#fits(count)) return false;
    if (this.#length === 0 && this.#own === undefined) occupy(this);
    if (this.#text !== '' || this.#keyText !== undefined) this.#settleText();
    const from = this.#length;
    typedArraySet(this.#own === undefined ? input : this.#room(count), bytes, from);
    this.#length = from + count;
    return true;
  }

  /** As the host's native `update`: `false` where the host refuses without saying why. */
  update(data: unknown, encoding?: unknown): boolean {
    if (typeof data === 'string') {
      if (isUtf8(encoding)) {
        return this.takeText(data) || this.#settleAndTake(data) || this.#pass(data, encoding);
      }
      return this.#takeEncoded(data, encoding as string) || this.#pass(data, encoding);
    }
    if (isView(data)) {
      const bytes = typedArrayTag(data) === 'Uint8Array' ? (data as Uint8Array) : bytesOf(data);
      if (bytes !== undefined && this.takeBytes(bytes)) return true;
    }
    return this.#pass(data, encoding);
  }

  #takeEncoded(text: string, encoding: string): boolean {
    if (this.#mode !== Mode.Open) return false;
    const bytes = decode(text, encoding, this.#algorithm.limit);
    if (bytes === undefined) return false;
    const taken = this.takeBytes(bytes);
    typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
    return taken;
  }

  /** As the host's native `digest`. */
  digest(encoding?: unknown): unknown {
    const code = outputEncoding(encoding);
    if (code === undefined && !hostTakesOurHandle) this.asHostObject('unusual use');
    if (this.#mode === Mode.Open) {
      const output = this.#compute(code ?? Encoding.Scratch);
      if (output !== undefined) return code === undefined ? reencode(output, encoding) : output;
    }
    if (this.#mode === Mode.Stream) {
      return reencode(this.#finishStream(), encoding);
    }
    if (this.#mode === Mode.Done && this.#outcome !== undefined) {
      return reencode(this.#keptOutput(), encoding);
    }
    return this.#hostHandle().digest(encoding);
  }

  /** A second handle in the same state; `undefined` where the host has to make it. */
  copy(counter: Counter, outputLength: number): Handle | undefined {
    const copy = new Handle(this.#algorithm, counter, outputLength, undefined, undefined, 0);
    if (this.#mode === Mode.Open) {
      copy.#text = this.#text;
      copy.#lastPiece = this.#lastPiece;
      copy.#length = this.#length;
      if (this.#length > 0) {
        copy.#own = new Bytes(max(OWN_MINIMUM, this.#length));
        typedArraySet(copy.#own, this.#bytes(), 0);
      }
      return copy;
    }
    if (this.#mode !== Mode.Stream) return undefined;
    words[Word.Id] = this.#outcome as number;
    native?.streamCopy();
    if (words[Word.Status] !== Status.Done) throw new Error('alacrypt: out of memory');
    copy.#becomeStream(words[Word.Id] as number);
    return copy;
  }

  /** The object of the host that has taken over, made now if need be; for the host's methods. */
  asHostObject(reason: Reason): HostObject {
    if (this.#mode === Mode.Open) this.#toHost(reason);
    return typeof this.#outcome === 'object' && this.#mode === Mode.Host
      ? (this.#outcome as HostObject)
      : this.#finishedHostObject();
  }

  moveOut(): void {
    this.#own = moveInputOut(this.#length, max(OWN_MINIMUM, 2 * this.#length));
  }

  #fits(count: number): boolean {
    const upTo = this.#length + 3 * this.#text.length + count;
    return (
      upTo - this.#keyLength <= this.#algorithm.limit && upTo + this.#reserved() <= INPUT_CAPACITY
    );
  }

  /** Bytes that the key's text may take once it is put before the data. */
  #reserved(): number {
    return this.#keyText === undefined ? 0 : 3 * this.#keyText.length;
  }

  #bytes(): Uint8Array {
    return part(this.#own ?? input, 0, this.#length);
  }

  /** Private memory with room for `count` more bytes. */
  #room(count: number): Uint8Array {
    const own = this.#own as Uint8Array;
    const needed = this.#length + count;
    if (needed <= typedArrayLength(own)) return own;
    const larger = new Bytes(max(needed, 2 * typedArrayLength(own)));
    typedArraySet(larger, part(own, 0, this.#length), 0);
    typedArrayFill(own, 0, 0, this.#length);
    this.#own = larger;
    return larger;
  }

  /**
   * Collects a string that cannot simply be joined to what is there: it is long, or two halves
   * of a surrogate pair would meet (two errors in two calls, where one call has one character).
   */
  #settleAndTake(piece: string): boolean {
    if (this.#mode !== Mode.Open || !this.#fits(piece.length)) return false;
    if (this.#length === 0 && this.#own === undefined) occupy(this);
    this.#settleText();
    if (this.takeText(piece)) return true;
    if (this.#own !== undefined) return false;
    const before = this.#length;
    words[Word.DataLength] = before;
    native?.putString(piece);
    if (words[Word.Status] === Status.Done) {
      this.#length = words[Word.DataLength] as number;
      return true;
    }
    typedArrayFill(input, 0, before, INPUT_CAPACITY);
    return false;
  }

  /** Turns the key's text and the collected text into bytes. They fit: see `#fits`. */
  #settleText(): void {
    const keyText = this.#keyText;
    if (keyText !== undefined) {
      this.#keyText = undefined;
      this.#putText(keyText);
      this.#keyLength = this.#length;
    }
    const text = this.#text;
    this.#text = '';
    this.#lastPiece = '';
    if (text !== '') this.#putText(text);
  }

  #putText(text: string): void {
    if (this.#own === undefined) {
      words[Word.DataLength] = this.#length;
      native?.putString(text);
      this.#length = words[Word.DataLength] as number;
      return;
    }
    occupy();
    words[Word.DataLength] = 0;
    native?.putString(text);
    const count = words[Word.DataLength] as number;
    typedArraySet(this.#room(count), part(input, 0, count), this.#length);
    typedArrayFill(input, 0, 0, count);
    this.#length += count;
  }

  /** The output; `undefined` where the engine refused, with the input still there. */
  #compute(code: Encoding): string | Buffer | undefined {
    const own = this.#own;
    if (own !== undefined) {
      occupy(this);
      typedArraySet(input, part(own, 0, this.#length), 0);
      typedArrayFill(own, 0, 0, this.#length);
      this.#own = undefined;
    } else if (this.#length === 0) {
      occupy();
    }
    const key = this.#key;
    const text = this.#text;
    const algorithm = this.#algorithm;
    words[Word.Algorithm] = algorithm.number;
    words[Word.Encoding] = code;
    let output: string | undefined;
    if (key === undefined) {
      words[Word.AskPolicy] = 0;
      words[Word.DataLength] = this.#length;
      words[Word.OutputLength] = this.#option;
      output = text === '' ? native?.digest() : native?.digestString(text);
    } else if (this.#keyText !== undefined) {
      output = native?.hmacStrings(text, this.#keyText);
    } else {
      words[Word.Id] = key.id;
      words[Word.KeyLength] = this.#keyLength;
      words[Word.DataLength] = this.#length - this.#keyLength;
      output = text === '' ? native?.hmac() : native?.hmacString(text);
    }
    if (words[Word.Status] !== Status.Done) {
      this.#toHost('engine refused');
      typedArrayFill(input, 0, 0, INPUT_CAPACITY);
      return undefined;
    }
    leave();
    this.#mode = Mode.Done;
    this.#text = '';
    this.#lastPiece = '';
    this.#length = 0;
    if (output !== undefined) {
      // The host gives a Hash's output again to a stream that ends after `digest`.
      if (key === undefined) {
        this.#outcome = output;
        this.#option = code;
      }
      return output;
    }
    const length = this.#option;
    if (key === undefined) {
      this.#outcome = new Bytes(outputView(length));
      this.#option = Encoding.Scratch;
    }
    return takeOutput(length);
  }

  #keptOutput(): Buffer {
    const kept = this.#outcome as string | Uint8Array;
    return new OwnedBuffer(
      typeof kept === 'string'
        ? bufferFrom(kept, KEPT_ENCODINGS[this.#option] as BufferEncoding)
        : kept,
    );
  }

  /** Lets the host, or the stream, have what this object cannot take. */
  #pass(data: unknown, encoding: unknown): boolean {
    if (this.#mode === Mode.Open) this.#toHost('input is large');
    if (this.#mode === Mode.Stream && (typeof data === 'string' || isView(data))) {
      this.#updateStream(
        typeof data === 'string'
          ? isUtf8(encoding)
            ? utf8Bytes(data)
            : (decode(data, encoding as string, Infinity) ?? utf8Bytes(data))
          : (bytesOf(data) ?? NO_BYTES),
      );
      return true;
    }
    return this.#hostHandle().update(data, encoding);
  }

  #hostHandle(): HostHandle {
    const object =
      this.#mode === Mode.Host ? (this.#outcome as HostObject) : this.#finishedHostObject();
    return handleInside(object);
  }

  /** An object of the host on which `digest` was called, to say what such an object says. */
  #finishedHostObject(): HostObject {
    // Under FIPS the host makes few objects; one that was made before stands in.
    const object =
      fips() !== true
        ? this.#makeHostObject('')
        : this.#key === undefined
          ? probes.hash
          : probes.hmac;
    handleInside(object).digest();
    return object;
  }

  #makeHostObject(key: unknown): HostObject {
    const { name, outputLength } = this.#algorithm;
    const object =
      this.#key !== undefined
        ? hostCreateHmac(name, key as string)
        : outputLength === 0
          ? hostCreateHash(name, { outputLength: this.#mode === Mode.Open ? this.#option : 1 })
          : hostCreateHash(name);
    return object as unknown as HostObject;
  }

  /** Becomes an object of the host, with all input so far. */
  #toHost(reason: Reason): void {
    this.#counter.serveNoMore(reason);
    // The host makes no new object of most algorithms now, but would finish this one.
    if (fips() === true) {
      this.#toStream();
      return;
    }
    const key = this.#key;
    const keyLength = this.#keyLength;
    const length = this.#length;
    // A copy: whatever has wrapped the host's functions must not see the scratch.
    const bytes = length === 0 ? NO_BYTES : new Bytes(this.#bytes());
    const object = this.#makeHostObject(
      key?.object ?? this.#keyText ?? (length === keyLength ? bytes : part(bytes, 0, keyLength)),
    );
    const handle = handleInside(object);
    if (length > keyLength) handle.update(part(bytes, keyLength, length));
    if (this.#text !== '') handle.update(this.#text, 'utf8');
    if (length !== 0) typedArrayFill(bytes, 0, 0, length);
    this.#wipe();
    this.#mode = Mode.Host;
    this.#outcome = object;
  }

  #toStream(): void {
    const key = this.#key;
    const text = this.#text;
    this.#text = '';
    // Out of the scratch first: the stream's own calls need it.
    const bytes = new Bytes(this.#bytes());
    this.#wipe();
    let keyBytes: Uint8Array | undefined;
    if (this.#keyText !== undefined) keyBytes = utf8Bytes(this.#keyText);
    else if (key?.object !== undefined) keyBytes = secretKeyBytes(key.object);
    else if (key !== undefined) keyBytes = part(bytes, 0, this.#keyLength);
    occupy();
    words[Word.Algorithm] = this.#algorithm.number;
    words[Word.KeyLength] = keyBytes === undefined ? NO_ID : typedArrayLength(keyBytes);
    if (keyBytes !== undefined) typedArraySet(input, keyBytes, 0);
    native?.streamNew();
    if (words[Word.Status] !== Status.Done) throw new Error('alacrypt: out of memory');
    this.#becomeStream(words[Word.Id] as number);
    this.#updateStream(part(bytes, this.#keyLength, typedArrayLength(bytes)));
    if (text !== '') this.#updateStream(utf8Bytes(text));
    typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
    if (keyBytes !== undefined) {
      typedArrayFill(keyBytes, 0, 0, typedArrayLength(keyBytes));
    }
  }

  #becomeStream(id: number): void {
    abandonedStreams.register(this, id, this);
    this.#mode = Mode.Stream;
    this.#outcome = id;
  }

  #updateStream(bytes: Uint8Array): void {
    const length = typedArrayLength(bytes);
    occupy();
    for (let from = 0; from < length; from += INPUT_CAPACITY) {
      const to = Math.min(length, from + INPUT_CAPACITY);
      typedArraySet(input, part(bytes, from, to), 0);
      words[Word.Id] = this.#outcome as number;
      words[Word.DataLength] = to - from;
      native?.streamUpdate();
    }
  }

  #finishStream(): Buffer {
    occupy();
    words[Word.Id] = this.#outcome as number;
    words[Word.Encoding] = Encoding.Scratch;
    words[Word.OutputLength] = this.#option;
    native?.streamFinish();
    if (words[Word.Status] !== Status.Done) throw new Error('alacrypt: out of memory');
    abandonedStreams.unregister(this);
    this.#mode = Mode.Done;
    this.#outcome = undefined;
    const length = this.#option;
    if (this.#key === undefined) {
      this.#outcome = new Bytes(outputView(length));
      this.#option = Encoding.Scratch;
    }
    return takeOutput(length);
  }

  #wipe(): void {
    if (this.#own !== undefined) {
      typedArrayFill(this.#own, 0, 0, this.#length);
      this.#own = undefined;
    } else if (this.#length > 0) {
      typedArrayFill(input, 0, 0, this.#length);
      leave();
    }
    this.#text = '';
    this.#lastPiece = '';
    this.#length = 0;
  }
}

/**
 * The inside of an `Hmac`; a class of its own for its name, which `util.inspect` shows. It has no
 * constructor of its own, which would cost as much again as making the object.
 */
export class HmacHandle extends Handle {
  static {
    Object.defineProperty(HmacHandle, 'name', { value: 'Hmac' });
  }
}

/** The encodings of kept output, by {@link Encoding}. */
const KEPT_ENCODINGS: readonly (BufferEncoding | undefined)[] = [
  undefined,
  'hex',
  'base64',
  'base64url',
  'latin1',
];

/** Whether two pieces of text would become one character where they meet. */
function joinsSurrogates(before: string, after: string): boolean {
  const high = charCodeAt(before, before.length - 1);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = charCodeAt(after, 0);
  return low >= 0xdc00 && low <= 0xdfff;
}
