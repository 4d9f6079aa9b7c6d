/**
 * The bounded cache of parsed keys by their content.
 *
 * A content's place is its HMAC under a key of this process's own: neither a key's text nor a
 * digest of it that could be compared elsewhere is kept. On first sight not even that is made: a
 * content that never comes again must cost next to nothing.
 */

import { LONG_TEXT, writeUtf8 } from './encodings';
import { heldInScript } from './memory';
import { native } from './native';
import { charCodeAt, apply, imul, typedArrayFill, typedArrayLength, typedArraySet } from './primordials';
import {
  Encoding,
  INPUT_CAPACITY,
  NO_ID,
  Status,
  TEXT_CAPACITY,
  Word,
  input,
  occupy,
  outputView,
  wipeOutput,
  words,
} from './scratch';

const DEFAULT_SIZE = 512;

/** How many contents are remembered; `ALACRYPT_KEY_CACHE` says how many, 0 for none. */
const SIZE = ((): number => {
  const given = process.env['ALACRYPT_KEY_CACHE'];
  const size = given === undefined || given === '' ? DEFAULT_SIZE : Number(given);
  return Number.isSafeInteger(size) && size >= 0 ? size : DEFAULT_SIZE;
})();

/** What was seen before, by a mark of 32 bits made of a few pieces of it. */
const SEEN = 1024;
const seen = new Uint32Array(SEEN);

/** So many pieces of a content, all over it, make its mark. */
const PIECES = 16;

/** Some odd number, so that nobody can tell which contents share a mark. */
const factor = ((Math.random() * 2 ** 32) | 1) >>> 0;

/**
 * Whether a content may have been seen before, which it has from now on. Others of the same length
 * may pass for it: that costs them time and no more, as their places differ.
 */
export function isFamiliar(content: string | Uint8Array): boolean {
  if (SIZE === 0) return false;
  const isText = typeof content === 'string';
  const length = isText ? content.length : typedArrayLength(content);
  const step = length < PIECES ? 1 : (length / PIECES) | 0;
  let mark = length;
  for (let at = step >> 1; at < length; at += step) {
    const piece = isText ? charCodeAt(content, at) : (content[at] as number);
    mark = imul(mark ^ piece, factor);
    mark ^= mark >>> 15;
  }
  mark >>>= 0;
  const place = mark % SEEN;
  if (seen[place] === mark) return true;
  seen[place] = mark;
  return false;
}

const INDEX_KEY_LENGTH = 32;
/** The number of SHA-256 in the addon. */
const SHA256 = 3;

let indexKey = NO_ID;

function makeIndexKey(): boolean {
  words[Word.OutputLength] = INDEX_KEY_LENGTH;
  native?.random();
  if (words[Word.Status] !== Status.Done) return false;
  typedArraySet(input, outputView(INDEX_KEY_LENGTH), 0);
  wipeOutput(INDEX_KEY_LENGTH);
  words[Word.Algorithm] = SHA256;
  words[Word.KeyLength] = INDEX_KEY_LENGTH;
  native?.keyNew();
  if (words[Word.Status] !== Status.Done) return false;
  indexKey = words[Word.Id] as number;
  return true;
}

/** The place of a content, a string of 32 characters; `undefined` for one that is too long. */
export function tagOf(content: string | Uint8Array): string | undefined {
  if (SIZE === 0) return undefined;
  occupy();
  if (indexKey === NO_ID && !makeIndexKey()) return undefined;
  let length = 0;
  if (typeof content === 'string') {
    if (content.length > TEXT_CAPACITY) return undefined;
    if (content.length > LONG_TEXT) length = writeUtf8(content, input) as number;
  } else {
    length = typedArrayLength(content);
    if (length > INPUT_CAPACITY) return undefined;
    // From a view whose buffer is detached nothing can be copied: the host says what it is.
    if (length !== 0) typedArraySet(input, content, 0);
  }
  words[Word.Id] = indexKey;
  words[Word.Encoding] = Encoding.Latin1;
  words[Word.KeyLength] = 0;
  words[Word.DataLength] = length;
  const tag =
    typeof content === 'string' && length === 0 ? native?.hmacString(content) : native?.hmac();
  if (words[Word.Status] === Status.Done) return tag;
  typedArrayFill(input, 0, 0, INPUT_CAPACITY);
  return undefined;
}

interface Place<Value> {
  value: Value | null | undefined;
  /** Whether it was asked for since it was last looked at for eviction. */
  hot: boolean;
}

/** How many contents each {@link Content} has. */
const contents: (() => number)[] = [];
heldInScript.keyCache = () => {
  let count = 0;
  for (const size of contents) count += size();
  return { count, bytes: seen.byteLength };
};

/** Values by place. A full one forgets what was not asked for the longest, roughly. */
export class Content<Value> {
  readonly #places = new Map<string, Place<Value>>();
  readonly #get = this.#places.get.bind(this.#places);
  readonly #set = this.#places.set.bind(this.#places);
  readonly #delete = this.#places.delete.bind(this.#places);
  readonly #keys = this.#places.keys.bind(this.#places);
  #size = 0;

  constructor() {
    contents.push(() => this.#size);
  }

  /** The value; `null` at a new place, which is kept; `undefined` at one whose content is no key. */
  get(place: string): Value | null | undefined {
    const found = this.#get(place);
    if (found !== undefined) {
      found.hot = true;
      return found.value;
    }
    if (this.#size >= SIZE) this.#evict();
    this.#set(place, { value: null, hot: false });
    this.#size++;
    return null;
  }

  put(place: string, value: Value | undefined): void {
    const found = this.#get(place);
    if (found !== undefined) found.value = value;
  }

  #evict(): void {
    const next = nextOf(this.#keys());
    for (;;) {
      const place = next();
      const found = place === undefined ? undefined : this.#get(place);
      if (place === undefined || found === undefined) return;
      this.#delete(place);
      if (!found.hot) {
        this.#size--;
        return;
      }
      // Behind all others, where this walk comes to it again.
      found.hot = false;
      this.#set(place, found);
    }
  }
}

const { next: nextInMap } = Object.getPrototypeOf(new Map().keys()) as Iterator<string>;

function nextOf(keys: Iterator<string>): () => string | undefined {
  return () => (apply(nextInMap, keys, []) as IteratorResult<string, undefined>).value;
}
