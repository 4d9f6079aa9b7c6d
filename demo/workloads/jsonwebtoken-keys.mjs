import jwt from 'jsonwebtoken';
import { list, must, numbers, text } from '../lib/inputs.mjs';
import { pemPair } from '../lib/keys.mjs';

const NOW_SECONDS = 1_760_000_000;
let users;
let pairs;

export default {
  name: 'jsonwebtoken (PEM)',
  what: 'sign ES256/384, verify RS256 and those; PEM',
  calls: 150,
  // ECDSA signatures differ from one another.
  random: true,

  setup() {
    const next = numbers(21);
    users = list(64, (id) => ({ sub: `user-${id}`, name: text(next, 12), iat: NOW_SECONDS }));
    const rsa = pemPair('rsa2048');
    pairs = [
      { algorithm: 'ES256', ...pemPair('p256') },
      { algorithm: 'ES384', ...pemPair('p384') },
      // An API verifies many tokens of an issuer, and signs none.
      { algorithm: 'RS256', ...rsa, tokens: users.map((user) => jwt.sign(user, rsa.privateKey, { algorithm: 'RS256', expiresIn: '1h' })) },
    ];
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const { algorithm, privateKey, publicKey, tokens } = pairs[i % pairs.length];
      const at = i % users.length;
      const token = tokens?.[at] ?? jwt.sign(users[at], privateKey, { algorithm, expiresIn: '1h' });
      const claims = jwt.verify(token, publicKey, { algorithms: [algorithm], clockTimestamp: NOW_SECONDS + 1 });
      must(claims.sub === users[at].sub, 'the claims are those that were signed');
      emit(token.length);
      emit(tokens === undefined ? token.slice(0, token.lastIndexOf('.')) : token);
      if (i % 16 === 0) emit(refusal(token, publicKey, algorithm));
    }
  },
};

/** What becomes of a token with another signature. */
function refusal(token, publicKey, algorithm) {
  const start = token.lastIndexOf('.') + 1;
  const forged = token.slice(0, start) + (token[start] === 'A' ? 'B' : 'A') + token.slice(start + 1);
  try {
    jwt.verify(forged, publicKey, { algorithms: [algorithm], clockTimestamp: NOW_SECONDS + 1 });
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  throw new Error('wrong result: a forged token verified');
}
