import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { list, must, numbers, text } from '../lib/inputs.mjs';

const NOW_SECONDS = 1_760_000_000;
const variants = [];
let users;

export default {
  name: 'jsonwebtoken',
  what: 'sign, verify HS256/512; string, KeyObject',
  calls: 1_000,

  setup() {
    const next = numbers(1);
    users = list(64, (id) => ({ sub: `user-${id}`, name: text(next, 12), iat: NOW_SECONDS }));
    for (const algorithm of ['HS256', 'HS512']) {
      const secret = text(next, 48);
      variants.push({ algorithm, key: secret });
      variants.push({ algorithm, key: createSecretKey(Buffer.from(text(next, 64))) });
    }
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const { algorithm, key } = variants[i % variants.length];
      const user = users[i % users.length];
      const token = jwt.sign(user, key, { algorithm, expiresIn: '1h' });
      const claims = jwt.verify(token, key, { clockTimestamp: NOW_SECONDS + 1 });
      must(claims.sub === user.sub, 'the claims are those that were signed');
      emit(token);
      emit(claims.exp);
      if (i % 64 === 0) emit(refusal(token, variants[(i + 1) % variants.length].key));
    }
  },
};

function refusal(token, otherKey) {
  try {
    jwt.verify(token, otherKey, { clockTimestamp: NOW_SECONDS + 1 });
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  throw new Error('wrong result: a token verified under another key');
}
