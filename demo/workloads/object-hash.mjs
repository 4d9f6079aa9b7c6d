import objectHash from 'object-hash';
import { list, must, numbers, text } from '../lib/inputs.mjs';

const ALGORITHMS = ['sha1', 'sha256', 'md5'];
let queries;

export default {
  name: 'object-hash',
  what: 'cache keys of nested objects',
  calls: 1_100,

  setup() {
    const next = numbers(8);
    queries = list(128, (i) => ({
      table: text(next, 8),
      where: { id: next(), tags: list(i % 6, () => text(next, 6)), active: i % 2 === 0 },
      since: new Date(1_700_000_000_000 + i * 1_000),
      order: [{ by: 'created', descending: true }, null],
    }));
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const query = queries[i % queries.length];
      const algorithm = ALGORITHMS[i % ALGORITHMS.length];
      const key = objectHash(query, { algorithm });
      if (i % 64 === 0) {
        const turned = Object.fromEntries(Object.entries(query).reverse());
        must(objectHash(turned, { algorithm }) === key, 'the order of properties is no matter');
      }
      emit(key);
    }
  },
};
