// Why jose 5: see jose.mjs. These are the session cookies of Auth.js: AES runs on the host, the
// authentication tag is an HMAC.

import { EncryptJWT, jwtDecrypt } from 'jose';
import { bytes, list, must, numbers, text } from '../lib/inputs.mjs';

const NOW_SECONDS = 1_760_000_000;
const HEADER = { alg: 'dir', enc: 'A256CBC-HS512' };
const CHECKS = { currentDate: new Date((NOW_SECONDS + 1) * 1_000) };
let sessions;
let secret;

export default {
  name: 'jose (JWE)',
  what: 'encrypt and decrypt session cookies, A256CBC-HS512',
  calls: 800,
  // Each message has an initialization vector of its own.
  random: true,

  setup() {
    const next = numbers(25);
    secret = bytes(next, 64);
    sessions = list(32, (id) => ({ sub: `user-${id}`, name: text(next, 12), picture: text(next, 80) }));
  },

  async run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const session = sessions[i % sessions.length];
      const cookie = await new EncryptJWT(session)
        .setProtectedHeader(HEADER)
        .setIssuedAt(NOW_SECONDS)
        .setExpirationTime(NOW_SECONDS + 3_600)
        .encrypt(secret);
      const { payload } = await jwtDecrypt(cookie, secret, CHECKS);
      must(payload.sub === session.sub, 'the session is the one that was encrypted');
      emit(cookie);
    }
  },

  opened(cookies) {
    return Promise.all(cookies.map(async (cookie) => (await jwtDecrypt(cookie, secret, CHECKS)).payload));
  },
};
