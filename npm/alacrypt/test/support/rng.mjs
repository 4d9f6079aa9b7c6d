/**
 * A small seeded generator: the same seed gives the same draws on every runtime.
 */

/** A number from a text, to seed with (FNV-1a). */
export function seedOf(text) {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export class Rng {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** 32 bits (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number from 0 to `end - 1`. */
  below(end) {
    return Math.floor((this.next() / 0x1_0000_0000) * end);
  }

  chance(probability) {
    return this.next() < probability * 0x1_0000_0000;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** One of the keys of `weights`, as often as its weight says. */
  weighted(weights) {
    let sum = 0;
    for (const key in weights) sum += weights[key];
    let left = this.below(sum);
    for (const key in weights) {
      left -= weights[key];
      if (left < 0) return key;
    }
    throw new Error('weights do not add up');
  }

  /** Fills a `Uint8Array`. */
  fill(bytes) {
    let word = 0;
    for (let index = 0; index < bytes.length; index++) {
      word = index % 4 === 0 ? this.next() : word >>> 8;
      bytes[index] = word;
    }
    return bytes;
  }
}
