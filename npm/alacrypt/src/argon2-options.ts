/**
 * The parameters of `argon2`, where they are plain ones within the host's limits.
 */

import { types } from 'node:util';

import { isPlain, isPlainBytes } from './key-options';
import { getOwnPropertyDescriptor, hasOwn } from './primordials';

const { isProxy } = types;

/** What the host's function is given, by its names. */
export interface Argon2Parameters {
  readonly message: string | Uint8Array;
  readonly nonce: string | Uint8Array;
  readonly parallelism: number;
  readonly tagLength: number;
  readonly memory: number;
  readonly passes: number;
  readonly secret: string | Uint8Array;
  readonly associatedData: string | Uint8Array;
}

/** The host's limits (RFC 9106, section 3.1). */
const TAG_MINIMUM = 4;
const PARALLELISM_LIMIT = 2 ** 24 - 1;
const MEMORY_PER_LANE = 8;

/** What these parameters ask for; `undefined` where they are odd, or not what the host takes. */
export function readArgon2Parameters(parameters: unknown): Argon2Parameters | undefined {
  if (typeof parameters !== 'object' || parameters === null || isProxy(parameters) || !isPlain(parameters)) return undefined;
  const parallelism = own(parameters, 'parallelism');
  const tagLength = own(parameters, 'tagLength');
  const memory = own(parameters, 'memory');
  const passes = own(parameters, 'passes');
  if (!isCount(parallelism, 1) || parallelism > PARALLELISM_LIMIT) return undefined;
  if (!isCount(tagLength, TAG_MINIMUM) || !isCount(memory, MEMORY_PER_LANE * parallelism) || !isCount(passes, 1)) return undefined;
  const message = own(parameters, 'message');
  const nonce = own(parameters, 'nonce');
  const secret = own(parameters, 'secret') ?? absent(parameters, 'secret');
  const associatedData = own(parameters, 'associatedData') ?? absent(parameters, 'associatedData');
  if (!isPiece(message) || !isPiece(nonce) || !isPiece(secret) || !isPiece(associatedData)) return undefined;
  return { message, nonce, parallelism, tagLength, memory, passes, secret, associatedData };
}

/** A property of the object's own that is plain data; `undefined` for all else. */
function own(parameters: object, name: string): unknown {
  const property = getOwnPropertyDescriptor(parameters, name);
  // A getter's descriptor has no value of its own, but may inherit one.
  return property !== undefined && hasOwn(property, 'value') ? property.value : undefined;
}

/** What stands for a piece that may be left out; `undefined` where the host would find something. */
function absent(parameters: object, name: string): string | undefined {
  const property = getOwnPropertyDescriptor(parameters, name);
  if (property === undefined) return name in parameters ? undefined : '';
  return hasOwn(property, 'value') && property.value === undefined ? '' : undefined;
}

function isCount(value: unknown, minimum: number): value is number {
  return typeof value === 'number' && value >>> 0 === value && value >= minimum;
}

/** Text or bytes; of the latter the host asks for the length. */
function isPiece(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || (isPlainBytes(value) && !hasOwn(value, 'byteLength'));
}
