/**
 * What `key-bars.mjs` measures: for each call the factor over the stock host that is to be reached,
 * and, where a key may be given as text, the same call with that.
 */

import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const POOL = new URL('../../../vectors/key/pool.json', import.meta.url);
const { keys: pool } = JSON.parse(readFileSync(POOL, 'utf8'));
/** Real packages are the demo's, unchanged. */
const requireInDemo = createRequire(new URL('../../../demo/package.json', import.meta.url));

const COUNT = 64;
const texts = Array.from({ length: COUNT }, (_, at) => `${at}:`.padEnd(32, 'alacrypt-bench-'));
const messages = texts.map((text) => Buffer.from(text));

const objects = (name) => {
  const privateKey = crypto.createPrivateKey(pool[name].private);
  return { privateKey, publicKey: crypto.createPublicKey(privateKey) };
};
const pems = (name) => {
  const { privateKey, publicKey } = objects(name);
  return {
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    publicKey: publicKey.export({ format: 'pem', type: 'spki' }),
  };
};

/** A call whose inputs take turns. */
const inTurn = (call) => {
  let turn = 0;
  return (host) => call(host, turn++ % COUNT);
};

/** `make` gives a call for a pair of keys. */
const withKeys = (part, label, name, bar, make) => ({
  part, label, bar,
  object: () => make(objects(name), name),
  pem: () => make(pems(name), name),
});

const signing = [
  ['Ed25519', 'ed25519', undefined, 3.5, 3], ['P-256', 'p256', 'sha256', 1.4, 1.25], ['P-384', 'p384', 'sha384', 6, 2.6],
  ['P-521', 'p521', 'sha512', 8, 3.5], ['secp256k1', 'secp256k1', 'sha256', 8, 4], ['ML-DSA-65', 'mldsa65', undefined, 2.8, 2.8],
  ['RSA-2048', 'rsa2048', 'sha256', 1, 1.2],
];
const signatures = signing.flatMap(([label, name, digest, signBar, verifyBar]) => [
  withKeys('Signatures', `${label}, \`sign\``, name, signBar, ({ privateKey }) =>
    inTurn(({ sign }, at) => sign(digest, messages[at], privateKey))),
  withKeys('Signatures', `${label}, \`verify\``, name, verifyBar, ({ publicKey }) => {
    const made = messages.map((message) => crypto.sign(digest, message, pool[name].private));
    return inTurn(({ verify }, at) => {
      if (!verify(digest, messages[at], publicKey, made[at])) throw new Error('a right signature did not verify');
    });
  }),
]);
const streams = [['ES256', 'p256'], ['RS256', 'rsa2048']].flatMap(([label, name]) => [
  withKeys('Signatures', `${label}, \`createSign\``, name, 1, ({ privateKey }) =>
    inTurn(({ createSign }, at) => createSign('sha256').update(texts[at]).sign(privateKey, 'base64'))),
  withKeys('Signatures', `${label}, \`createVerify\``, name, 1, ({ publicKey }) => {
    const made = messages.map((message) => crypto.sign('sha256', message, pool[name].private).toString('base64'));
    return inTurn(({ createVerify }, at) => createVerify('sha256').update(texts[at]).verify(publicKey, made[at], 'base64'));
  }),
]);
const salted = (key) => ({ key, padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
streams.push(withKeys('Signatures', 'PS256, `verify`', 'rsa2048', 1, ({ publicKey }) => {
  const made = messages.map((message) => crypto.sign('sha256', message, salted(pool.rsa2048.private)));
  return inTurn(({ verify }, at) => verify('sha256', messages[at], salted(publicKey), made[at]));
}));

const agreement = [['X25519', 'x25519', 1.35], ['P-256', 'p256', 1], ['P-384', 'p384', 1], ['P-521', 'p521', 1], ['secp256k1', 'secp256k1', 1]];
const secrets = agreement.map(([label, name, bar]) => ({
  part: 'Shared secrets', label: `${label}, \`diffieHellman\``, bar,
  object() {
    const { privateKey } = objects(name);
    const { publicKey } = objects(`${name}b`);
    return ({ diffieHellman }) => diffieHellman({ privateKey, publicKey });
  },
}));
secrets.push(
  withKeys('Shared secrets', 'ML-KEM-768, `encapsulate`', 'mlkem768', 1.8, ({ publicKey }) => ({ encapsulate }) => encapsulate(publicKey)),
  withKeys('Shared secrets', 'ML-KEM-768, `decapsulate`', 'mlkem768', 1.8, ({ privateKey }) => {
    const sent = messages.map(() => crypto.encapsulate(crypto.createPublicKey(pool.mlkem768.private)).ciphertext);
    return inTurn(({ decapsulate }, at) => decapsulate(privateKey, sent[at]));
  }),
);

const encryption = [
  withKeys('RSA encryption', 'RSA-2048, `publicEncrypt`', 'rsa2048', 1, ({ publicKey }) => inTurn(({ publicEncrypt }, at) => publicEncrypt(publicKey, messages[at]))),
  withKeys('RSA encryption', 'RSA-2048, `privateDecrypt`', 'rsa2048', 1, ({ privateKey, publicKey }) => {
    const sealed = messages.map((message) => crypto.publicEncrypt(publicKey, message));
    return inTurn(({ privateDecrypt }, at) => privateDecrypt(privateKey, sealed[at]));
  }),
];

/**
 * More keys than any mark of them lasts, so that each is new when its turn comes again. Those of RSA
 * are random moduli, under which nothing verifies: a host spends the same on that.
 */
const FRESH = 8_192;
const freshKeys = {
  'P-256': () => generated('ec', { namedCurve: 'P-256' }, 'sha256'),
  Ed25519: () => generated('ed25519', {}, undefined),
  'RSA-2048': () => {
    const signature = crypto.randomBytes(256);
    signature[0] = 1;
    const modulus = crypto.randomBytes(256);
    modulus[0] |= 128;
    modulus[255] |= 1;
    return { jwk: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, digest: 'sha256', signature, isRight: false };
  },
};
function generated(type, options, digest) {
  const encoding = { publicKeyEncoding: { format: 'pem', type: 'spki' }, privateKeyEncoding: { format: 'pem', type: 'pkcs8' } };
  const { publicKey, privateKey } = crypto.generateKeyPairSync(type, { ...options, ...encoding });
  // Of a key that was read: Node 20 waits for ever where it collects what made one while it exports that.
  return { jwk: crypto.createPublicKey(publicKey).export({ format: 'jwk' }), digest, signature: crypto.sign(digest, messages[0], privateKey), isRight: true };
}
const fresh = Object.entries(freshKeys).flatMap(([label, make]) => ['verify', 'createPublicKey'].map((way) => ({
  part: 'A key that is used once', label: `${label} as JWK, ${way === 'verify' ? '`verify`' : '`createPublicKey`, then `verify`'}`, bar: 1,
  object() {
    const all = Array.from({ length: FRESH }, make);
    let turn = 0;
    return ({ verify, createPublicKey }) => {
      const { jwk, digest, signature, isRight } = all[turn++ % FRESH];
      const key = { key: jwk, format: 'jwk' };
      if (verify(digest, messages[0], way === 'verify' ? key : createPublicKey(key), signature) !== isRight) throw new Error('wrong answer');
    };
  },
})));

const parsing = [
  {
    part: 'Reading of keys', label: '`createPublicKey` of an HMAC secret (refused)', bar: 3,
    object: () => inTurn(({ createPublicKey }, at) => {
      try {
        createPublicKey(texts[at]);
      } catch {
        return;
      }
      throw new Error('taken');
    }),
  },
  ...['rsa2048', 'p256', 'ed25519'].flatMap((name) => [
    { part: 'Reading of keys', label: `\`createPublicKey\` of one PEM, ${name}`, bar: 1, object() { const { publicKey } = pems(name); return ({ createPublicKey }) => createPublicKey(publicKey); } },
    { part: 'Reading of keys', label: `\`createPrivateKey\` of one PEM, ${name}`, bar: 1, object() { const { privateKey } = pems(name); return ({ createPrivateKey }) => createPrivateKey(privateKey); } },
  ]),
];

const SECRET = 'a secret of some thirty characters';
const tokens = [['HS256', undefined, { 20: 3, other: 1.5 }], ['RS256', 'rsa2048', { 20: 3, other: 1.5 }], ['ES256', 'p256', { 20: 3, other: 1.5 }]].map(([algorithm, name, bar]) => ({
  part: '`jsonwebtoken.verify`', label: `${algorithm}, ${name === undefined ? 'secret string' : 'PEM'}`, bar,
  object() {
    const jwt = requireInDemo('jsonwebtoken');
    const { privateKey, publicKey } = name === undefined ? { privateKey: SECRET, publicKey: SECRET } : pems(name);
    const signed = texts.map((sub) => jwt.sign({ sub, iat: 1_760_000_000 }, privateKey, { algorithm }));
    return inTurn((_, at) => {
      if (jwt.verify(signed[at], publicKey, { algorithms: [algorithm] }).sub !== texts[at]) throw new Error('wrong claims');
    });
  },
}));

export const calls = [...signatures, ...streams, ...secrets, ...encryption, ...fresh, ...parsing, ...tokens];
