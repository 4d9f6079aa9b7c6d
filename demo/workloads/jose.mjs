// jose 5: the last line that calls node:crypto; for 6 see jose-webcrypto.mjs. ES256 and the like are
// asked of `sign` with a callback, to run on a thread of the pool: those calls are the host's, and
// counted as handed back.

import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto';
import { SignJWT, decodeJwt, jwtVerify } from 'jose';
import { bytes, list, must, numbers, text } from '../lib/inputs.mjs';
import { pemPair } from '../lib/keys.mjs';

const NOW_SECONDS = 1_760_000_000;
const CHECKS = { issuer: 'https://id.example.com', currentDate: new Date((NOW_SECONDS + 1) * 1_000) };
let users;
let keys;

export default {
  name: 'jose',
  what: 'sign and verify HS256/512, few ES256; KeyObject',
  calls: 1_200,
  // ECDSA signatures differ from one another.
  random: true,

  setup() {
    const next = numbers(24);
    users = list(64, (id) => ({ sub: `user-${id}`, name: text(next, 12) }));
    const pair = pemPair('p256');
    const es256 = {
      alg: 'ES256',
      signing: createPrivateKey(pair.privateKey),
      verifying: createPublicKey(pair.publicKey),
    };
    const secrets = [['HS256', 32], ['HS512', 64]].map(([alg, length]) => {
      const secret = createSecretKey(bytes(next, length));
      return { alg, signing: secret, verifying: secret };
    });
    keys = list(32, (i) => (i === 31 ? es256 : secrets[i % secrets.length]));
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
