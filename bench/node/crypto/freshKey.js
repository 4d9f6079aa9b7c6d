'use strict';

// One verification by a key that is new each time, as when tokens of many issuers arrive: the key
// as JWK or as text, given to verify at once or made a KeyObject first. There are more keys than a
// cache of a usual size holds, and they come in turn.

const crypto = require('node:crypto');
const common = require('../common.js');
const { message, measure } = require('../_keys.js');

const KEYS = 1_024;
const KINDS = { 'P-256': ['ec', { namedCurve: 'P-256' }, 'sha256'], Ed25519: ['ed25519', {}, undefined] };

const bench = common.createBenchmark(main, {
  way: ['verify', 'createPublicKey'],
  kind: Object.keys(KINDS),
  key: ['JWK', 'PEM'],
  n: [500],
});

function main({ way, kind, key: form, n }) {
  const [type, options, digest] = KINDS[kind];
  const fresh = Array.from({ length: KEYS }, (_, i) => {
    const { publicKey, privateKey } = crypto.generateKeyPairSync(type, options);
    const key =
      form === 'JWK'
        ? { key: publicKey.export({ format: 'jwk' }), format: 'jwk' }
        : publicKey.export({ format: 'pem', type: 'spki' });
    return { key, signature: crypto.sign(digest, message(i), privateKey) };
  });
  // On from where the loop before ended, so that each key is as new as can be.
  let turn = 0;
  const loop = (count) => {
    let isRight = true;
    for (let i = 0; i < count; i++, turn++) {
      const { key, signature } = fresh[turn % KEYS];
      const given = way === 'verify' ? key : crypto.createPublicKey(key);
      isRight = crypto.verify(digest, message(turn % KEYS), given, signature) && isRight;
    }
    return isRight;
  };
  measure(bench, loop, n);
}
