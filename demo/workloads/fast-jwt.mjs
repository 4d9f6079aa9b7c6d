import { createSigner, createVerifier } from 'fast-jwt';
import { list, must, numbers, text } from '../lib/inputs.mjs';
import { pemPair } from '../lib/keys.mjs';

let users;
let signers;

export default {
  name: 'fast-jwt',
  what: 'sign and verify EdDSA, ES384; PEM',
  calls: 120,
  // ECDSA signatures differ from one another.
  random: true,

  setup() {
    const next = numbers(22);
    users = list(64, (id) => ({ sub: `user-${id}`, name: text(next, 12), iat: 1_760_000_000 }));
    signers = [['EdDSA', 'ed25519'], ['ES384', 'p384']].map(([algorithm, name]) => {
      const { privateKey, publicKey } = pemPair(name);
      return {
        algorithm,
        sign: createSigner({ key: privateKey, algorithm }),
        verify: createVerifier({ key: publicKey, algorithms: [algorithm], cache: false }),
      };
    });
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const { algorithm, sign, verify } = signers[i % signers.length];
      const user = users[i % users.length];
      const token = sign(user);
      must(verify(token).sub === user.sub, 'the claims are those that were signed');
      emit(algorithm === 'EdDSA' ? token : token.slice(0, token.lastIndexOf('.')));
    }
  },
};
