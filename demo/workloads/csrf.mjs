import Tokens from 'csrf';
import { must } from '../lib/inputs.mjs';

let tokens;

export default {
  name: 'csrf',
  what: 'random secrets; make and verify tokens',
  calls: 3_500,
  // The outputs are random: what is compared is their shape and what verifies.
  random: true,

  setup() {
    tokens = new Tokens();
  },

  run(calls, emit) {
    const seen = new Set();
    let before = tokens.secretSync();
    for (let i = 0; i < calls; i++) {
      const secret = tokens.secretSync();
      const token = tokens.create(secret);
      must(/^[A-Za-z0-9_-]{24}$/.test(secret), 'a secret is 18 bytes in base64url');
      must(/^[A-Za-z0-9]{8}-[A-Za-z0-9_-]{27}$/.test(token), 'a token is salt and SHA-1');
      emit(`${secret.length} ${token.length}`);
      emit(tokens.verify(secret, token));
      if (i % 8 === 0) emit(tokens.verify(before, token));
      seen.add(secret);
      before = secret;
    }
    must(seen.size === calls, 'no secret comes twice');
  },
};
