import etag from 'etag';
import { bytes, list, must, numbers, text } from '../lib/inputs.mjs';

// What a web server sends: mostly short JSON, now and then a page or an image.
const SIZES_BYTES = [0, 16, 64, 180, 400, 1_000, 2_500, 6_000, 16_000, 100_000];
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz {}":,éß漢';

let bodies;

export default {
  name: 'etag',
  what: 'bodies of 0 to 100 kB, text and bytes',
  calls: 12_000,

  setup() {
    const next = numbers(6);
    bodies = list(256, (i) => {
      const size = SIZES_BYTES[Math.min(next() % 14, i % SIZES_BYTES.length)];
      return i % 2 ? text(next, size, ALPHABET) : bytes(next, size);
    });
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const tag = etag(bodies[i % bodies.length], { weak: i % 3 === 0 });
      must(tag.endsWith('"'), 'a tag is quoted');
      emit(tag);
    }
  },
};
