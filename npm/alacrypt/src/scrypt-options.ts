/**
 * The options of `scrypt`, where they are plain ones within the host's limits.
 */

import { types } from 'node:util';

import { getOwnPropertyDescriptor, getPrototypeOf, hasOwn } from './primordials';

const { isProxy } = types;
const { prototype: plainPrototype } = Object;

/** What a derivation costs, by the host's names. */
export interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly maxmem: number;
}

/** The host's defaults, of each line. */
const DEFAULTS: Cost = { N: 16384, r: 8, p: 1, maxmem: 32 * 1024 * 1024 };
/** A block is so many bytes for each unit of `r` (RFC 7914, section 4). */
const BLOCK_BYTES = 128;
/** Beyond that `r`, any `N` is small enough (RFC 7914, section 6); below, it must be under 2^(16 · r). */
const SHORT_BLOCK = 1;
const SHORT_BLOCK_COST_LIMIT = 0x10000;
/** At most so much is `p` times `r` (RFC 7914, section 6). */
const BLOCKS_LIMIT = 2 ** 30 - 1;

/** What the host takes for a memory limit. */
const { isSafeInteger } = Number;

/** Where an option is neither absent nor plain data that the host takes. */
const WRONG = -1;

/** What these options ask for; `undefined` where they are odd, or more than the host allows. */
export function readCost(options: unknown): Cost | undefined {
  if (options === undefined) return DEFAULTS;
  if (typeof options !== 'object' || options === null || isProxy(options)) return undefined;
  const prototype: unknown = getPrototypeOf(options);
  if (prototype !== plainPrototype && prototype !== null) return undefined;
  const N = either(options, 'N', 'cost', DEFAULTS.N);
  const r = either(options, 'r', 'blockSize', DEFAULTS.r);
  const p = either(options, 'p', 'parallelization', DEFAULTS.p);
  const maxmem = option(options, 'maxmem') ?? DEFAULTS.maxmem;
  if (N === WRONG || r === WRONG || p === WRONG || !isSafeInteger(maxmem) || maxmem < 0) return undefined;
  const cost = { N, r, p, maxmem: maxmem === 0 ? DEFAULTS.maxmem : maxmem };
  return isWithinLimits(cost) ? cost : undefined;
}

/** The host's checks: RFC 7914, section 6, and its limit of memory. */
function isWithinLimits({ N, r, p, maxmem }: Cost): boolean {
  if (N < 2 || (N & (N - 1)) !== 0) return false;
  if (r === SHORT_BLOCK && N >= SHORT_BLOCK_COST_LIMIT) return false;
  if (p * r > BLOCKS_LIMIT) return false;
  return BLOCK_BYTES * r * (N + p + 2) <= maxmem;
}

/** An option under one of its two names; {@link WRONG} for both, and for what the host refuses. */
function either(options: object, short: string, long: string, otherwise: number): number {
  const one = option(options, short);
  const other = option(options, long);
  if (one !== undefined && other !== undefined) return WRONG;
  const value = one ?? other ?? 0;
  if (value >>> 0 !== value) return WRONG;
  return value === 0 ? otherwise : value;
}

/** A number of the object's own; `undefined` where it has none, {@link WRONG} for all else. */
function option(options: object, name: string): number | undefined {
  const property = getOwnPropertyDescriptor(options, name);
  if (property === undefined) return name in options ? WRONG : undefined;
  if (!hasOwn(property, 'value')) return WRONG;
  const value: unknown = property.value;
  return value === undefined || typeof value === 'number' ? value : WRONG;
}
