import { sign, unsign } from 'cookie-signature';
import { list, must, numbers, text } from '../lib/inputs.mjs';

let sessions;
let secrets;

export default {
  name: 'cookie-signature',
  what: 'sign, unsign; one in eight tampered with',
  calls: 11_000,

  setup() {
    const next = numbers(2);
    sessions = list(1_024, () => `s:${text(next, 32)}`);
    secrets = list(4, () => text(next, 40));
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const secret = secrets[i % secrets.length];
      const session = sessions[i % sessions.length];
      const cookie = sign(session, secret);
      const sent = i % 8 === 7 ? `x${cookie}` : cookie;
      const value = unsign(sent, secret);
      must(value === (sent === cookie ? session : false), 'only untouched cookies are accepted');
      emit(cookie);
      emit(value);
    }
  },
};
