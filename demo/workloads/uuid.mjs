import { v3, v5, validate, version } from 'uuid';
import { list, must, numbers, text } from '../lib/inputs.mjs';

let names;
const namespaces = [v5.DNS, v5.URL];

export default {
  name: 'uuid',
  what: 'v5 (SHA-1), one in four v3 (MD5)',
  calls: 11_000,

  setup() {
    const next = numbers(5);
    names = list(1_024, () => `https://example.com/${text(next, 24)}`);
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const make = i % 4 === 3 ? v3 : v5;
      const id = make(names[i % names.length], namespaces[i % namespaces.length]);
      if (i % 512 === 0) must(validate(id) && version(id) === (make === v3 ? 3 : 5), 'a valid id');
      emit(id);
    }
  },
};
