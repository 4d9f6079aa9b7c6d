// Inputs that are the same in every process: a small generator with a fixed seed.

/** A generator of 32-bit numbers (mulberry32), the same sequence for the same seed. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** `length` characters of `alphabet`. */
export function text(next, length, alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789') {
  let result = '';
  for (let i = 0; i < length; i++) result += alphabet[next() % alphabet.length];
  return result;
}

/** A Buffer of `length` bytes with memory of its own. */
export function bytes(next, length) {
  const buffer = Buffer.alloc(length);
  for (let i = 0; i < length; i++) buffer[i] = next();
  return buffer;
}

/** An array of `count` values, each made by `make(index)`. */
export function list(count, make) {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Throws unless a condition holds that a correct package guarantees. */
export function must(condition, sentence) {
  if (!condition) throw new Error(`wrong result: ${sentence}`);
}
