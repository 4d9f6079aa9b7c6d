'use strict';

// Keys for what signs, verifies and agrees, as an app has them: one that it uses over and over. They
// are those of `vectors/key/pool.json`, so that no process spends its time on making any.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { MASK, strings } = require('./_shared.js');

const POOL = path.join(__dirname, '../../vectors/key/pool.json');
const { keys: pool } = JSON.parse(fs.readFileSync(POOL, 'utf8'));

/** Kinds of keys by their names in the table, and the digest that each signs with. */
const KINDS = {
  'RSA-2048': ['rsa2048', 'sha256'],
  'P-256': ['p256', 'sha256'],
  'P-384': ['p384', 'sha384'],
  'P-521': ['p521', 'sha512'],
  secp256k1: ['secp256k1', 'sha256'],
  Ed25519: ['ed25519', undefined],
  'ML-DSA-65': ['mldsa65', undefined],
  'P-256 of another': ['p256b', undefined],
  X25519: ['x25519', undefined],
  'X25519 of another': ['x25519b', undefined],
  'ML-KEM-768': ['mlkem768', undefined],
};

/** The kinds that sign. */
exports.SIGNING = ['RSA-2048', 'P-256', 'P-384', 'P-521', 'secp256k1', 'Ed25519', 'ML-DSA-65'];

/** Whether this host knows such keys; older ones have no ML-DSA and no ML-KEM. */
exports.isKnown = (kind) => {
  try {
    crypto.createPrivateKey(pool[KINDS[kind][0]].private);
    return true;
  } catch {
    return false;
  }
};

/** One key: its digest, and both halves as `KeyObject` and as text. */
exports.keyOf = (kind) => {
  const [name, digest] = KINDS[kind];
  const privateKey = crypto.createPrivateKey(pool[name].private);
  const publicKey = crypto.createPublicKey(privateKey);
  return {
    digest,
    KeyObject: { privateKey, publicKey },
    PEM: {
      privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }),
      publicKey: publicKey.export({ format: 'pem', type: 'spki' }),
    },
  };
};

/** Messages of turn `i`: text as bytes, as `sign` and `verify` take them. */
const messages = strings.map((text) => Buffer.from(text));
exports.message = (i) => messages[i & MASK];

/** How many messages have a signature made for them beforehand. */
const SIGNED = 16;

/** `SIGNED` signatures by that key, for the messages of as many turns. */
exports.signatures = ({ digest, KeyObject: { privateKey } }) => {
  const made = Array.from({ length: SIGNED }, (_, i) => crypto.sign(digest, exports.message(i), privateKey));
  return (i) => made[i % SIGNED];
};
exports.signedMessage = (i) => exports.message(i % SIGNED);

/** Every kind and form of key once and again, so that no call site has seen but one of them. */
function mixUp() {
  for (const kind of exports.SIGNING.filter(exports.isKnown)) {
    const key = exports.keyOf(kind);
    for (const form of ['KeyObject', 'PEM']) {
      const { privateKey, publicKey } = key[form];
      for (let i = 0; i < 4; i++) {
        const signature = crypto.sign(key.digest, exports.message(i), privateKey);
        crypto.verify(key.digest, exports.message(i), publicKey, signature);
        if (key.digest === undefined) continue;
        const written = crypto.createSign(key.digest).update(strings[i]).sign(privateKey, 'base64');
        crypto.createVerify(key.digest).update(strings[i]).verify(publicKey, written, 'base64');
      }
    }
  }
}

/**
 * Times `loop(n)` as `measure` of `_shared.js` does: after the mixture, and after a tenth of the
 * calls. What the loop returns must be true.
 */
exports.measure = (bench, loop, n) => {
  mixUp();
  loop(Math.ceil(n / 10));
  bench.start();
  const last = loop(n);
  bench.end(last ? n : 0);
};

/**
 * Times `n` calls of `start(i, callback)`, `atATime` of them under way, after the mixture and after
 * a tenth of the calls; each must end without an error and with an answer.
 */
exports.measureLater = (bench, start, n, atATime) => {
  mixUp();
  const loop = (count, ended) => {
    let begun = 0;
    let left = count;
    const next = () => {
      if (begun < count) start(begun++, done);
    };
    const done = (error, answer) => {
      if (error) throw error;
      if (!answer) throw new Error('no answer');
      if (--left === 0) ended();
      else next();
    };
    for (let at = 0; at < atATime; at++) next();
  };
  loop(Math.ceil(n / 10), () => {
    bench.start();
    loop(n, () => bench.end(n));
  });
};
