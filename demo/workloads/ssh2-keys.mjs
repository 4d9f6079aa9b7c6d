import ssh2 from 'ssh2';
import { bytes, list, must, numbers } from '../lib/inputs.mjs';
import { openssh, pem } from '../lib/keys.mjs';

const { parseKey } = ssh2.utils;
let users;
let requests;

export default {
  name: 'ssh2 (keys)',
  what: 'log-ins: read a key, sign, verify; Ed25519, P-256, RSA',
  calls: 150,
  // ECDSA signatures differ from one another.
  random: true,

  setup() {
    const next = numbers(27);
    const texts = [openssh('ed25519'), pem('p256', 'sec1'), pem('rsa2048', 'pkcs1')];
    users = texts.map((text) => {
      const key = parseKey(text);
      // RSA keys are used with SHA-256 by every server of today.
      const hash = key.type === 'ssh-rsa' ? 'sha256' : undefined;
      return { key, hash, authorized: `${key.type} ${key.getPublicSSH().toString('base64')} user@example.com` };
    });
    requests = list(32, () => bytes(next, 180));
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const { key, hash, authorized } = users[i % users.length];
      const request = requests[i % requests.length];
      const signature = key.sign(request, hash);
      // A server reads the line of authorized_keys at each log-in.
      must(parseKey(authorized).verify(request, signature, hash) === true, 'the user may log in');
      emit(signature);
    }
  },

  opened(signatures) {
    return signatures.map((signature, i) => {
      const { key, hash } = users[i % users.length];
      must(key.verify(requests[i % requests.length], signature, hash) === true, 'the signature is good');
      return key.type.startsWith('ecdsa') ? key.type : signature;
    });
  },
};
