/**
 * The block of memory that this side and the addon share, and who has bytes waiting in it.
 *
 * Parameters and input go in, one call is made, output comes out; see
 * `crates/alacrypt-node/src/scratch.rs` for the layout. Script never sees the memory.
 */

import { native } from './native';
import { OwnedBuffer } from './host';
import { Bytes, bare, part, typedArrayFill, typedArraySet } from './primordials';

const memory = native?.scratch ?? new ArrayBuffer(96 + 5120 + 16384 + 8);
const layout = native?.layout ?? {
  protocol: 0,
  outputOffset: 96,
  outputCapacity: 5120,
  inputOffset: 5216,
  inputCapacity: 16384,
};

/** The parameters, by the positions in {@link Word}. */
export const words = new Uint32Array(memory, 0, 24);

/** Positions of the parameters. */
export const enum Word {
  Status = 0,
  Algorithm = 1,
  Encoding = 2,
  DataLength = 3,
  KeyLength = 4,
  Id = 5,
  OutputLength = 6,
  AskPolicy = 7,
  Scheme = 8,
  SaltLength = 9,
  Prehashed = 10,
  Kind = 11,
  PeerId = 12,
  ContextLength = 13,
  IvLength = 14,
  Job = 15,
  Turn = 16,
  WaitedMicros = 17,
  // What some hold for key derivation.
  Iterations = 8,
  Cost = 8,
  BlockSize = 9,
  Memory = 8,
  Passes = 9,
  Parallelization = 10,
}

/** What became of a call. */
export const enum Status {
  Done = 0,
  Policy = 1,
  Refused = 2,
  /** A signature or a tag does not match, or padding is wrong. */
  Failed = 3,
  /** Not now: as a job. */
  Later = 4,
}

/** How output is handed over. */
export const enum Encoding {
  Scratch = 0,
  Hex = 1,
  Base64 = 2,
  Base64Url = 3,
  Latin1 = 4,
}

/** The number that names no keyed state and no stream. */
export const NO_ID = 0xffffffff;

/** The input: a key, if any, then the data. */
export const input = new Uint8Array(memory, layout.inputOffset, layout.inputCapacity);
/** The start of the input as 32-bit words, for what is short and not secret. */
export const inputWords = new Uint32Array(memory, layout.inputOffset, 4);
/** The longest input in bytes, a key included. */
export const INPUT_CAPACITY = layout.inputCapacity;
/** The longest output in bytes of what has no length of its own. */
export const OUTPUT_LIMIT = 1024;
/** A string of at most so many UTF-16 code units fits the input whatever it holds. */
export const TEXT_CAPACITY = Math.floor(layout.inputCapacity / 3);

/** The class, whatever the global of its name is by now. */
const Memory = ArrayBuffer;

const outputViews = bare<Uint8Array>();

/** The first `length` bytes of the output. */
export function outputView(length: number): Uint8Array {
  return (outputViews[length] ??= new Bytes(memory, layout.outputOffset, length));
}

/** The output as 32-bit words: short outputs are wiped by plain stores, at a fifth of the price. */
const outputWords = new Uint32Array(memory, layout.outputOffset, layout.outputCapacity / 4);
const SHORT_LENGTH = 64;

/** Wipes the first `length` bytes of output. */
export function wipeOutput(length: number): void {
  if (length <= SHORT_LENGTH) {
    for (let word = (length + 3) >> 2; word-- > 0; ) outputWords[word] = 0;
  } else {
    typedArrayFill(outputView(length), 0, 0, length);
  }
}

/** A buffer of its own with the first `length` bytes of output, which are wiped. */
export function takeOutput(length: number): Buffer<ArrayBuffer> {
  const taken = new OwnedBuffer(outputView(length));
  wipeOutput(length);
  return taken;
}

/** An `ArrayBuffer` of its own with the first `length` bytes of output, which are wiped. */
export function takeArrayBuffer(length: number): ArrayBuffer {
  const taken = new Memory(length);
  typedArraySet(new Bytes(taken), outputView(length), 0);
  wipeOutput(length);
  return taken;
}

/** Something with bytes waiting at the start of the input. */
export type Tenant = object;

let tenant: Tenant | undefined;
let moveOut: (tenant: Tenant) => void = () => {};

/**
 * Says how tenants of one kind take their bytes elsewhere, when another needs the input; `false` for
 * those of other kinds. It is no method of the tenant's: script can get hold of tenants, and could
 * call it or put another in its place.
 */
export function tenantsMoveOutBy(movedOut: (tenant: Tenant) => boolean): void {
  const others = moveOut;
  moveOut = (tenant) => {
    if (!movedOut(tenant)) others(tenant);
  };
}

/** Makes room for `next`, or, without `next`, for a call that leaves nothing behind. */
export function occupy(next?: Tenant): void {
  if (tenant !== undefined && tenant !== next) moveOut(tenant);
  tenant = next;
}

/** Whether nobody has bytes waiting in the input. */
export function isVacant(): boolean {
  return tenant === undefined;
}

/** Ends a stay whose bytes the addon has wiped. */
export function leave(): void {
  tenant = undefined;
}

/** A private copy, with room for `capacity` bytes, of the first `length` bytes of input, which are wiped. */
export function moveInputOut(length: number, capacity: number): Uint8Array {
  const copy = new Bytes(capacity);
  typedArraySet(copy, part(input, 0, length), 0);
  typedArrayFill(input, 0, 0, length);
  return copy;
}
