/**
 * Encodings, as the host's native code reads their names.
 */

import { TextEncoder } from 'node:util';

import { OwnedBuffer } from './host';
import { apply, bare, defineProperty, part, toLowerCase, typedArrayLength, uncurryThis } from './primordials';
import { Encoding, INPUT_CAPACITY } from './scratch';

/**
 * The number of an output encoding that the addon makes strings in; `undefined` for the others,
 * which are made from bytes by {@link reencode}.
 */
export function outputEncoding(encoding: unknown): Encoding | undefined {
  switch (encoding) {
    case 'hex':
      return Encoding.Hex;
    case undefined:
    case 'buffer':
      return Encoding.Scratch;
    case 'base64':
      return Encoding.Base64;
    case 'base64url':
      return Encoding.Base64Url;
    case 'latin1':
    case 'binary':
      return Encoding.Latin1;
    default:
      return undefined;
  }
}

const { ceil } = Math;
/** `Buffer.from`. */
export const bufferFrom = Buffer.from;

/** The host's native readers; `Buffer.prototype.toString` asks `this` for its length. */
type Reader = (this: Uint8Array, start: number, end: number) => string;
const readers = Buffer.prototype as unknown as Record<string, Reader | undefined>;
const { asciiSlice, base64Slice, base64urlSlice, hexSlice, latin1Slice, ucs2Slice, utf8Slice } =
  readers;
const outputReaders = bare<Reader | undefined>();
outputReaders['ascii'] = asciiSlice;
outputReaders['base64'] = base64Slice;
outputReaders['base64url'] = base64urlSlice;
outputReaders['hex'] = hexSlice;
outputReaders['latin1'] = latin1Slice;
outputReaders['binary'] = latin1Slice;
outputReaders['ucs2'] = ucs2Slice;
outputReaders['ucs-2'] = ucs2Slice;
outputReaders['utf16le'] = ucs2Slice;
outputReaders['utf-16le'] = ucs2Slice;
outputReaders['utf8'] = utf8Slice;
outputReaders['utf-8'] = utf8Slice;

const readBase64 = uncurryThis(base64Slice as Reader);

/** Bytes as base64. */
export function base64Text(bytes: Uint8Array): string {
  return readBase64(bytes, 0, typedArrayLength(bytes));
}

/** `output` in `encoding`, or itself where that names none: the host then returns bytes. */
export function reencode(output: string | Buffer, encoding: unknown): string | Buffer {
  if (typeof output === 'string' || typeof encoding !== 'string') return output;
  const read = outputReaders[toLowerCase(encoding)];
  return read === undefined
    ? output
    : (apply(read, output, [0, typedArrayLength(output)]) as string);
}

/** The host's native writers; they put a text's bytes in `this` and return how many. */
type Writer = (text: string, offset: number, length: number) => number;
const writers = Buffer.prototype as unknown as Record<string, Writer | undefined>;
const { asciiWrite, base64Write, base64urlWrite, hexWrite, latin1Write, ucs2Write, utf8Write } =
  writers;

interface InputEncoding {
  write: Writer | undefined;
  /** At most so many bytes come from one character. */
  bytesPerUnit: number;
}

const latin1 = { write: latin1Write, bytesPerUnit: 1 };
const ucs2 = { write: ucs2Write, bytesPerUnit: 2 };
const inputEncodings = bare<InputEncoding>();
inputEncodings['ascii'] = { write: asciiWrite, bytesPerUnit: 1 };
inputEncodings['base64'] = { write: base64Write, bytesPerUnit: 1 };
inputEncodings['base64url'] = { write: base64urlWrite, bytesPerUnit: 1 };
inputEncodings['hex'] = { write: hexWrite, bytesPerUnit: 0.5 };
inputEncodings['latin1'] = latin1;
inputEncodings['binary'] = latin1;
inputEncodings['ucs2'] = ucs2;
inputEncodings['ucs-2'] = ucs2;
inputEncodings['utf16le'] = ucs2;
inputEncodings['utf-16le'] = ucs2;

/** Whether a text in that input encoding counts as UTF-8, as in an unknown one it does. */
export function isUtf8(encoding: unknown): boolean {
  return (
    encoding === undefined ||
    encoding === 'utf8' ||
    typeof encoding !== 'string' ||
    inputEncodings[toLowerCase(encoding)] === undefined
  );
}

/**
 * Texts of more code units are written by {@link writeUtf8} before the call that works on them.
 * The addon writes shorter ones on the way, which saves a crossing; but beyond ASCII it takes up
 * to ten times as long for a character.
 */
export const LONG_TEXT = 128;

const encoder = new TextEncoder();
const encodeInto = uncurryThis(
  encoder.encodeInto as (
    this: TextEncoder,
    text: string,
    target: Uint8Array,
  ) => { read: number; written: number },
);

/**
 * Writes `text` as UTF-8 to the start of `target`, and returns how many bytes that took;
 * `undefined`, with a part of them written, where they do not fit.
 */
export function writeUtf8(text: string, target: Uint8Array): number | undefined {
  const { read, written } = encodeInto(encoder, text, target);
  return read === text.length ? written : undefined;
}

/** Newer hosts' writers ask `this` for its length, which the app may have changed for all views. */
function withOwnLength(bytes: Buffer, length: number): Buffer {
  return defineProperty(bytes, 'byteLength', { __proto__: null, value: length } as PropertyDescriptor);
}

let deskMemory: Buffer | undefined;
let removalMemory: Buffer | undefined;

/**
 * Memory for bytes on their way to or from the host's native code, for use within one call; who
 * uses it wipes it. Memory for one text would cost more than the text's conversion.
 */
export function desk(): Buffer {
  return (deskMemory ??= withOwnLength(new OwnedBuffer(INPUT_CAPACITY), INPUT_CAPACITY));
}

/**
 * The same for what is collected in an object that the host takes over, which may happen because
 * another object's text, on the desk, needs the scratch.
 */
export function removalDesk(): Buffer {
  return (removalMemory ??= new OwnedBuffer(INPUT_CAPACITY));
}

/**
 * The bytes of `text` in an input encoding that is not UTF-8, in memory that the next call uses
 * again (not in the pool that `Buffer.from` shares out); the caller wipes them. `undefined` where that may be more than `limit`, or where
 * this host has no such writer.
 */
export function decode(text: string, encoding: string, limit: number): Uint8Array | undefined {
  const found = inputEncodings[toLowerCase(encoding)];
  if (found?.write === undefined) return undefined;
  const room = ceil(text.length * found.bytesPerUnit);
  if (room > limit) return undefined;
  if (room === 0) return new OwnedBuffer(0);
  const bytes = room > INPUT_CAPACITY ? withOwnLength(new OwnedBuffer(room), room) : desk();
  return part(bytes, 0, apply(found.write, bytes, [text, 0, room]) as number);
}

/** The UTF-8 of `text`, in memory of its own. */
export function utf8Bytes(text: string): Uint8Array {
  if (text === '' || utf8Write === undefined) return new OwnedBuffer(bufferFrom(text));
  const room = text.length * 3;
  const bytes = withOwnLength(new OwnedBuffer(room), room);
  return part(bytes, 0, apply(utf8Write, bytes, [text, 0, room]) as number);
}
