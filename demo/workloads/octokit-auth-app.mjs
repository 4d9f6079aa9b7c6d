// How a GitHub app authenticates. GitHub hands keys out as PKCS #1, which createPrivateKey turns into
// PKCS #8 each time; the signature, nearly all of the work, is WebCrypto's and so the host's. It is
// here to show that such an app is not slowed down.

import { verify } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { numbers } from '../lib/inputs.mjs';
import { pem, pemPair } from '../lib/keys.mjs';

const KEYS = ['rsa2048', 'rsa2048b'];
let apps;

export default {
  name: '@octokit/auth-app',
  what: "a GitHub app's token, RS256 by WebCrypto (host's)",
  calls: 40,

  setup() {
    const next = numbers(28);
    apps = KEYS.map((name) => createAppAuth({ appId: next() % 1_000_000, privateKey: pem(name, 'pkcs1') }));
  },

  async run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const { token } = await apps[i % apps.length]({ type: 'app' });
      emit(token);
    }
  },

  /** Tokens say when they were made: what else is in them is the same in every run. */
  opened(outputs) {
    const publicKeys = KEYS.map((name) => pemPair(name).publicKey);
    return outputs.map((output, i) => {
      const [header, payload, signature] = String(output).split('.');
      const bytes = Buffer.from(signature, 'base64url');
      if (!verify('sha256', Buffer.from(`${header}.${payload}`), publicKeys[i % KEYS.length], bytes)) {
        throw new Error('a token does not verify');
      }
      const { iss, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url'));
      return JSON.stringify({ iss, lifetime: exp - iat });
    });
  },
};
