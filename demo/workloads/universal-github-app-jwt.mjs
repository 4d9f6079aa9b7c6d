// What @octokit/auth-app signs an app's requests with. GitHub hands keys out as PKCS #1, which
// createPrivateKey turns into PKCS #8 each time; the signature, nearly all of the work, is
// WebCrypto's and so the host's. It is here to show that such an app is not slowed down.

import githubAppJwt from 'universal-github-app-jwt';
import { numbers } from '../lib/inputs.mjs';
import { pem } from '../lib/keys.mjs';

const NOW_SECONDS = 1_760_000_000;
let apps;

export default {
  name: 'universal-github-app-jwt',
  what: "a GitHub app's token, RS256 by WebCrypto (host's)",
  calls: 40,

  setup() {
    const next = numbers(28);
    apps = ['rsa2048', 'rsa2048b'].map((name) => ({ id: next() % 1_000_000, privateKey: pem(name, 'pkcs1') }));
  },

  async run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      emit(await githubAppJwt({ ...apps[i % apps.length], now: NOW_SECONDS + i }));
    }
  },
};
