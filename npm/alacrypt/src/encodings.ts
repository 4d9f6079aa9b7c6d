/**
 * Encodings, as the host's native code reads their names.
 */

import { apply } from './primordials';
import { Encoding } from './scratch';

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

const { isEncoding } = Buffer;
/** `Buffer.from`. */
export const bufferFrom = Buffer.from;
const { toString } = Buffer.prototype;

/** `output` in `encoding`, or itself where that names none: the host then returns bytes. */
export function reencode(output: string | Buffer, encoding: unknown): string | Buffer {
  if (typeof output === 'string' || typeof encoding !== 'string' || !isEncoding(encoding)) {
    return output;
  }
  return apply(toString, output, [encoding]) as string;
}

/** The bytes of `text` in an input encoding; an unknown one counts as UTF-8, as on the host. */
export function decode(text: string, encoding: unknown): Uint8Array {
  return typeof encoding === 'string' && isEncoding(encoding)
    ? bufferFrom(text, encoding)
    : bufferFrom(text, 'utf8');
}
