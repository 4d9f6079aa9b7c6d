import Keygrip from 'keygrip';
import { list, must, numbers, text } from '../lib/inputs.mjs';

let rings;
let cookies;

export default {
  name: 'keygrip',
  what: 'sign under one key, verify under three',
  calls: 3_000,

  setup() {
    const next = numbers(3);
    cookies = list(1_024, () => `session=${text(next, 24)}`);
    const keys = list(3, () => text(next, 32));
    rings = ['sha1', 'sha256', 'sha512'].map((algorithm) => ({
      current: new Keygrip(keys, algorithm),
      before: new Keygrip(keys.slice(2), algorithm),
    }));
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const { current, before } = rings[i % rings.length];
      const cookie = cookies[i % cookies.length];
      const fresh = current.sign(cookie);
      must(current.index(cookie, fresh) === 0, 'a fresh signature is found under the newest key');
      emit(fresh);
      if (i % 4 === 0) {
        const old = before.sign(cookie);
        must(current.index(cookie, old) === 2, 'an old signature is found under its old key');
        emit(old);
      }
    }
  },
};
