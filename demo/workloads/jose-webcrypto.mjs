// jose 6, which goes through Web Crypto alone. Secrets are imported anew for each token, as jose does
// with bytes; keys come as CryptoKey and as JWK, which jose imports once.

import { SignJWT, decodeJwt, importJWK, jwtVerify } from 'jose6';
import { bytes, list, must, numbers, text } from '../lib/inputs.mjs';
import { jwk } from '../lib/keys.mjs';

const NOW_SECONDS = 1_760_000_000;
const CHECKS = { issuer: 'https://id.example.com', currentDate: new Date((NOW_SECONDS + 1) * 1_000) };
let users;
let keys;

export default {
  name: 'jose (Web Crypto)',
  what: 'sign and verify HS256, ES256, EdDSA; bytes and CryptoKey',
  calls: 3_000,
  // Each ES256 signature has a random part.
  random: true,

  async setup() {
    const next = numbers(26);
    users = list(64, (id) => ({ sub: `user-${id}`, name: text(next, 12) }));
    const pair = async (alg, name) => {
      const { d, ...open } = jwk(name);
      return { alg, signing: await importJWK({ ...open, d }, alg), verifying: await importJWK(open, alg) };
    };
    const secret = bytes(next, 32);
    const hs256 = { alg: 'HS256', signing: secret, verifying: secret };
    keys = [hs256, await pair('ES256', 'p256'), hs256, await pair('EdDSA', 'ed25519')];
  },

  async run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const { alg, signing, verifying } = keys[i % keys.length];
      const user = users[i % users.length];
      const token = await new SignJWT(user)
        .setProtectedHeader({ alg })
        .setIssuer(CHECKS.issuer)
        .setIssuedAt(NOW_SECONDS)
        .setExpirationTime(NOW_SECONDS + 3_600)
        .sign(signing);
      const { payload } = await jwtVerify(token, verifying, { ...CHECKS, algorithms: [alg] });
      must(payload.sub === user.sub, 'the claims are those that were signed');
      emit(token);
    }
  },

  async opened(tokens) {
    const opened = [];
    for (const [i, token] of tokens.entries()) {
      const { alg, verifying } = keys[i % keys.length];
      await jwtVerify(token, verifying, { ...CHECKS, algorithms: [alg] });
      opened.push(alg === 'ES256' ? JSON.stringify(decodeJwt(token)) : token);
    }
    return opened;
  },
};
