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

import { type Algorithm, outgrew } from './algorithms';
import {
  LONG_TEXT,
  bufferFrom,
  decode,
  isUtf8,
  outputEncoding,
  reencode,
  removalDesk,
  utf8Bytes,
  writeUtf8,
} from './encodings';
import {
  type HostHandle,
  type HostObject,
  hostCreateHash,
  handleInside,
  hostCreateHmac,
  hostHashDigest,
  OwnedBuffer,
  probes,
  secretKeyBytes,
} from './host';
import { native } from './native';
import { fips } from './policy';
import {
  Bytes,
  apply,
  bytesOf,
  charCodeAt,
  defineProperty,
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
  Word,
  input,
  isVacant,
  leave,
  moveInputOut,
  occupy,
  outputView,
  takeOutput,
  tenantsMoveOutBy,
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

/** Private memory with so much room lies on V8's heap, and costs a tenth of other memory. */
const SMALL = 64;
/** What may hold a key lies elsewhere, as V8 moves what is on its heap and leaves copies behind. */
const KEYED_MINIMUM = 128;
/** Each copy takes its whole input through the digest again; the host's takes its state. */
const COPY_LIMIT = 256;

const NO_BYTES = new Bytes(0);

const abandonedStreams = makeRegistry((id: number) => {
  words[Word.Id] = id;
  native?.streamRelease();
});

/**
 * The inside of a `Hash`, and of an {@link HmacHandle}.
 *
 * Script can get hold of handles, under the symbol where the host keeps its own. So they have the
 * methods that the host's have, which work on the handle's own data only; all else is static, and
 * this class out of reach (see {@link disguise}). No code of the app's runs between a change of
 * the fields and the call that it is for, and wherever V8 may stop a call (out of stack, end of a
 * `vm` timeout) the fields agree with where the bytes are.
 */
export class Handle implements HostHandle {
  static {
    disguise(Handle, 'Hash');
    tenantsMoveOutBy((tenant) => {
      if (!Handle.is(tenant)) return false;
      // Else it was stopped on its way in, and the bytes are in private memory still.
      if (tenant.#own === undefined) tenant.#moveOut();
      return true;
    });
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

  /** The host's native handle, once an object of the host has taken over. */
  static hostHandle(handle: Handle): HostHandle | undefined {
    return handle.#mode === Mode.Host ? handleInside(handle.#outcome as HostObject) : undefined;
  }

  static algorithm(handle: Handle): Algorithm {
    return handle.#algorithm;
  }

  /** Collects a string; `false`, with nothing done, where that is not the plain case. */
  static takeText(handle: Handle, piece: string): boolean {
    return handle.#takeText(piece);
  }

  /** Collects the bytes of a `Uint8Array`; `false`, with nothing done, where they do not fit. */
  static takeBytes(handle: Handle, bytes: Uint8Array): boolean {
    return handle.#takeBytes(bytes);
  }

  #takeText(piece: string): boolean {
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

  #takeBytes(bytes: Uint8Array): boolean {
    if (this.#mode !== Mode.Open) return false;
    const count = typedArrayLength(bytes);
    // Also of a view whose buffer is detached, from which nothing can be copied.
    if (count === 0) return true;
    if (!this.#fits(count)) return false;
    if (this.#own !== undefined) {
      if (!this.#findRoom(count)) return false;
    } else if (this.#length === 0) {
      occupy(this);
    }
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
        return this.#takeText(data) || this.#settleAndTake(data) || this.#pass(data, encoding);
      }
      return this.#takeEncoded(data, encoding as string) || this.#pass(data, encoding);
    }
    if (isView(data)) {
      const bytes = typedArrayTag(data) === 'Uint8Array' ? (data as Uint8Array) : bytesOf(data);
      if (bytes !== undefined && this.#takeBytes(bytes)) return true;
    }
    return this.#pass(data, encoding);
  }

  #takeEncoded(text: string, encoding: string): boolean {
    if (this.#mode !== Mode.Open) return false;
    const bytes = decode(text, encoding, this.#algorithm.limit);
    if (bytes === undefined) return false;
    const taken = this.#takeBytes(bytes);
    typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
    return taken;
  }

  /** As the host's native `digest`. */
  digest(encoding?: unknown): unknown {
    const code = outputEncoding(encoding);
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
    if (this.#mode === Mode.Done && this.#key === undefined) {
      // The call that made the output was stopped before it could keep it: it was called, though.
      const object = this.#finishedHostObject();
      apply(hostHashDigest, object, []);
      return apply(hostHashDigest, object, []);
    }
    return this.#hostHandle().digest(encoding);
  }

  /**
   * A second handle in the same state as one that {@link Handle.isHash}; `undefined` where the
   * host has to make it.
   */
  static copy(handle: Handle, counter: Counter, outputLength: number): Handle | undefined {
    const mode = handle.#mode;
    const length = handle.#length;
    if (mode === Mode.Open) {
      if (length > SMALL || length + handle.#text.length > COPY_LIMIT) {
        // Under FIPS the host cannot take over.
        if (fips() !== true) return undefined;
      }
    } else if (mode !== Mode.Stream) {
      return undefined;
    }
    const copy = new Handle(handle.#algorithm, counter, outputLength, undefined, undefined, 0);
    if (mode === Mode.Open) {
      copy.#text = handle.#text;
      copy.#lastPiece = handle.#lastPiece;
      copy.#length = length;
      if (length > 0) {
        copy.#own = new Bytes(copy.#capacity());
        handle.#copyBytesTo(copy.#own);
      }
      return copy;
    }
    words[Word.Id] = handle.#outcome as number;
    native?.streamCopy();
    if (words[Word.Status] !== Status.Done) throw new Error('alacrypt: out of memory');
    copy.#becomeStream(words[Word.Id] as number);
    return copy;
  }

  /** The object of the host that has taken over, made now if need be; for the host's methods. */
  static asHostObject(handle: Handle, reason: Reason): HostObject {
    if (handle.#mode === Mode.Open) handle.#toHost(reason);
    return handle.#mode === Mode.Host
      ? (handle.#outcome as HostObject)
      : handle.#finishedHostObject();
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

  /** Copies the bytes so far to `target`, which has room for {@link SMALL} of them at least. */
  #copyBytesTo(target: Uint8Array): void {
    const own = this.#own;
    // Whole, where making a view of a part would move the memory off V8's heap.
    const whole = own !== undefined && typedArrayLength(own) <= SMALL;
    typedArraySet(target, whole ? own : this.#bytes(), 0);
  }

  /** How much private memory to take for the bytes so far. */
  #capacity(): number {
    return this.#key === undefined
      ? max(SMALL, this.#length)
      : max(KEYED_MINIMUM, 2 * this.#length);
  }

  /**
   * Whether `count` more bytes, behind the text so far, may go to private memory, or to the
   * scratch if that is free for the bytes to move back in. If neither, others use the scratch
   * meanwhile, and an object of the host costs less than memory that grows; but not an `Hmac`.
   */
  #findRoom(count: number): boolean {
    const needed = this.#length + 3 * this.#text.length + count;
    if (needed <= typedArrayLength(this.#own as Uint8Array)) return true;
    if (!isVacant()) return this.#key !== undefined;
    this.#moveIn();
    return true;
  }

  /** Makes room in the scratch for another object. */
  #moveOut(): void {
    if (this.#key === undefined && this.#length > SMALL && fips() !== true) {
      outgrew(this.#algorithm);
      this.#toHost('interleaved');
    } else {
      this.#own = moveInputOut(this.#length, this.#capacity());
    }
  }

  /** Takes the bytes from private memory to the scratch. */
  #moveIn(): void {
    const own = this.#own as Uint8Array;
    occupy(this);
    this.#copyBytesTo(input);
    typedArrayFill(own, 0, 0, this.#length);
    this.#own = undefined;
  }

  /** Private memory with room for `count` more bytes. */
  #room(count: number): Uint8Array {
    const own = this.#own as Uint8Array;
    const needed = this.#length + count;
    if (needed <= typedArrayLength(own)) return own;
    const larger = new Bytes(max(needed, 2 * typedArrayLength(own)));
    this.#copyBytesTo(larger);
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
    if (this.#takeText(piece)) return true;
    if (this.#own !== undefined) return false;
    const before = this.#length;
    const count = writeUtf8(piece, part(input, before, INPUT_CAPACITY));
    if (count !== undefined) {
      this.#length = before + count;
      return true;
    }
    typedArrayFill(input, 0, before, INPUT_CAPACITY);
    return false;
  }

  /** Turns the key's text and the collected text into bytes. They fit: see `#fits`. */
  #settleText(): void {
    if (this.#keyText !== undefined) {
      this.#putText(this.#keyText);
      this.#keyText = undefined;
      this.#keyLength = this.#length;
    }
    if (this.#text !== '') this.#putText(this.#text);
    this.#text = '';
    this.#lastPiece = '';
  }

  #putText(text: string): void {
    const length = this.#length;
    if (this.#own !== undefined) {
      // Not by way of the desk: the bytes that the text is to be put before may lie there.
      const bytes = utf8Bytes(text);
      const count = typedArrayLength(bytes);
      typedArraySet(this.#room(count), bytes, length);
      typedArrayFill(bytes, 0, 0, count);
      this.#length = length + count;
    } else if (text.length > LONG_TEXT) {
      const rest = length === 0 ? input : part(input, length, INPUT_CAPACITY);
      this.#length = length + (writeUtf8(text, rest) as number);
    } else {
      words[Word.DataLength] = length;
      native?.putString(text);
      this.#length = words[Word.DataLength] as number;
    }
  }

  /** The output; `undefined` where the engine refused, with the input still there. */
  #compute(code: Encoding): string | Buffer | undefined {
    if (this.#own !== undefined) {
      this.#moveIn();
    } else if (this.#length === 0) {
      occupy(this.#text.length > LONG_TEXT ? this : undefined);
    }
    if (this.#text.length > LONG_TEXT) this.#settleText();
    const key = this.#key;
    const text = this.#text;
    const algorithm = this.#algorithm;
    const length = this.#option;
    // Made before the call: where memory is made, V8 may stop what runs.
    const kept = key === undefined && code === Encoding.Scratch ? new Bytes(length) : undefined;
    const view = kept === undefined ? undefined : outputView(length);
    words[Word.Algorithm] = algorithm.number;
    words[Word.Encoding] = code;
    let output: string | undefined;
    if (key === undefined) {
      words[Word.AskPolicy] = 0;
      words[Word.DataLength] = this.#length;
      words[Word.OutputLength] = length;
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
    // From here on the input is gone. The output is kept before anything can stop the call.
    this.#mode = Mode.Done;
    this.#text = '';
    this.#lastPiece = '';
    this.#length = 0;
    // The host gives a Hash's output again to a stream that ends after `digest`.
    algorithm.run = 0;
    if (key === undefined) {
      if (kept !== undefined) typedArraySet(kept, view as Uint8Array, 0);
      this.#outcome = output ?? kept;
      this.#option = code;
    }
    leave();
    return output ?? takeOutput(length);
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
    if (this.#mode === Mode.Open) {
      outgrew(this.#algorithm);
      this.#toHost('input is large');
    }
    if (this.#mode === Mode.Stream && typeof data === 'string') {
      this.#updateStreamAndWipe(
        isUtf8(encoding)
          ? utf8Bytes(data)
          : (decode(data, encoding as string, Infinity) ?? utf8Bytes(data)),
      );
      return true;
    }
    if (this.#mode === Mode.Stream && isView(data)) {
      this.#updateStream(bytesOf(data) ?? NO_BYTES);
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
          : (probes.hmac as HostObject);
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
    // Bytes also of a text, which the host would convert by methods that may be others by now.
    const keyCopy =
      this.#keyText !== undefined
        ? utf8Bytes(this.#keyText)
        : keyLength === 0
          ? NO_BYTES
          : new Bytes(part(this.#bytes(), 0, keyLength));
    const object = this.#makeHostObject(key?.object ?? keyCopy);
    typedArrayFill(keyCopy, 0, 0, typedArrayLength(keyCopy));
    const handle = handleInside(object);
    const length = this.#length;
    if (length > keyLength) {
      // Never from the scratch itself: the host's functions may be wrapped. Nor from memory on
      // V8's heap, which native code would have to move off it.
      const bytes = removalDesk();
      this.#copyBytesTo(bytes);
      handle.update(part(bytes, keyLength, length));
      typedArrayFill(bytes, 0, 0, length);
    }
    if (this.#text !== '') handle.update(this.#text, 'utf8');
    this.#mode = Mode.Host;
    this.#outcome = object;
    this.#wipe();
  }

  #toStream(): void {
    const key = this.#key;
    const text = this.#text;
    // Out of the scratch first: the stream's own calls need it.
    const bytes = new Bytes(this.#bytes());
    // Whatever goes wrong from here on, this object has no input any more to make output of.
    this.#mode = Mode.Done;
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
    if (text !== '') this.#updateStreamAndWipe(utf8Bytes(text));
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
      const to = length - from > INPUT_CAPACITY ? from + INPUT_CAPACITY : length;
      typedArraySet(input, part(bytes, from, to), 0);
      words[Word.Id] = this.#outcome as number;
      words[Word.DataLength] = to - from;
      native?.streamUpdate();
    }
  }

  #updateStreamAndWipe(bytes: Uint8Array): void {
    this.#updateStream(bytes);
    typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
  }

  #finishStream(): Buffer {
    occupy();
    // First of all: the number may be another's as soon as this stream is finished.
    abandonedStreams.unregister(this);
    words[Word.Id] = this.#outcome as number;
    words[Word.Encoding] = Encoding.Scratch;
    words[Word.OutputLength] = this.#option;
    this.#mode = Mode.Done;
    this.#outcome = undefined;
    native?.streamFinish();
    if (words[Word.Status] !== Status.Done) throw new Error('alacrypt: out of memory');
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
 * The inside of an `Hmac`; a class of its own for its name, which `util.inspect` shows. The
 * constructor is spelt out, as the one by default iterates over an array on older lines.
 */
export class HmacHandle extends Handle {
  constructor(
    algorithm: Algorithm,
    counter: Counter,
    outputLength: number,
    key: Key | undefined,
    keyText: string | undefined,
    keyLength: number,
  ) {
    super(algorithm, counter, outputLength, key, keyText, keyLength);
  }

  static {
    disguise(HmacHandle, 'Hmac');
  }
}

/**
 * Puts a function that makes nothing where script finds a class by its objects. `util.inspect`
 * shows its name, which is that of the host's.
 */
export function disguise(hidden: { prototype: object }, name: string): void {
  const shown = function (): never {
    throw new TypeError('Illegal constructor');
  };
  defineProperty(shown, 'name', { value: name });
  shown.prototype = hidden.prototype;
  defineProperty(hidden.prototype, 'constructor', { value: shown });
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
export function joinsSurrogates(before: string, after: string): boolean {
  const high = charCodeAt(before, before.length - 1);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = charCodeAt(after, 0);
  return low >= 0xdc00 && low <= 0xdfff;
}
