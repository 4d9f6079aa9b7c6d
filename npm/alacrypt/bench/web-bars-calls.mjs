/**
 * What `web-bars.mjs` measures: for each call the factor over the stock host that is to be reached, with two
 * processors or more and with one.
 */

import { readFileSync } from 'node:fs';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { createRequire } from 'node:module';

const POOL = new URL('../../../vectors/key/pool.json', import.meta.url);
const { keys: pool } = JSON.parse(readFileSync(POOL, 'utf8'));
/** Real packages are the demo's, unchanged. */
const requireInDemo = createRequire(new URL('../../../demo/package.json', import.meta.url));

const MESSAGE = new Uint8Array(64).fill(7);
const FAN_OUT = 1000;

const secret = (subtle, algorithm, usages) => subtle.importKey('raw', new Uint8Array(32).fill(1), algorithm, false, usages);
const spki = (name) => createPublicKey(pool[name].private).export({ format: 'der', type: 'spki' });
const pkcs8 = (name) => createPrivateKey(pool[name].private).export({ format: 'der', type: 'pkcs8' });

/** Makes one call of each kind from `subtle`. */
const kinds = {
  'digest SHA-256': async (subtle) => () => subtle.digest('SHA-256', MESSAGE),
  'sign HMAC': async (subtle) => {
    const key = await secret(subtle, { name: 'HMAC', hash: 'SHA-256' }, ['sign']);
    return () => subtle.sign('HMAC', key, MESSAGE);
  },
  'encrypt AES-GCM': async (subtle) => {
    const key = await secret(subtle, 'AES-GCM', ['encrypt']);
    const algorithm = { name: 'AES-GCM', iv: new Uint8Array(12) };
    return () => subtle.encrypt(algorithm, key, MESSAGE);
  },
  'verify Ed25519': (subtle) => verifying(subtle, 'ed25519', 'Ed25519', 'Ed25519'),
  'verify ECDSA P-256': (subtle) => verifying(subtle, 'p256', { name: 'ECDSA', namedCurve: 'P-256' }, { name: 'ECDSA', hash: 'SHA-256' }),
  'verify ECDSA P-384': (subtle) => verifying(subtle, 'p384', { name: 'ECDSA', namedCurve: 'P-384' }, { name: 'ECDSA', hash: 'SHA-384' }),
  'verify RSASSA-PKCS1-v1_5, 2048 bits': (subtle) => verifying(subtle, 'rsa2048', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, 'RSASSA-PKCS1-v1_5'),
  'deriveBits HKDF': async (subtle) => {
    const key = await secret(subtle, 'HKDF', ['deriveBits']);
    const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: MESSAGE, info: MESSAGE };
    return () => subtle.deriveBits(algorithm, key, 256);
  },
  'sign ECDSA P-256': async (subtle) => {
    const key = await subtle.importKey('pkcs8', pkcs8('p256'), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    return () => subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, MESSAGE);
  },
};

async function verifying(subtle, name, imported, algorithm) {
  const publicKey = await subtle.importKey('spki', spki(name), imported, true, ['verify']);
  const privateKey = await subtle.importKey('pkcs8', pkcs8(name), imported, false, ['sign']);
  const signature = await subtle.sign(algorithm, privateKey, MESSAGE);
  return async () => {
    if (!(await subtle.verify(algorithm, publicKey, signature, MESSAGE))) throw new Error('a right signature did not verify');
  };
}

const serial = (kind, bar, pinnedBar) => ({ label: `serial, ${kind}`, bar, pinnedBar, operations: 1, prepare: (subtle) => kinds[kind](subtle) });
const fanOut = (kind, bar, pinnedBar) => ({
  label: `fan-out of ${FAN_OUT.toLocaleString('en')}, ${kind}`,
  bar,
  pinnedBar,
  operations: FAN_OUT,
  async prepare(subtle) {
    const call = await kinds[kind](subtle);
    return () => Promise.all(Array.from({ length: FAN_OUT }, call));
  },
});

const NOW_SECONDS = 1_760_000_000;
const CHECKS = { currentDate: new Date((NOW_SECONDS + 1) * 1_000) };

/** jose 6, of which `jwtVerify` is what services call. */
const jose = (alg, name, bar) => ({
  label: `jose 6, \`jwtVerify\` ${alg}`,
  bar,
  pinnedBar: undefined,
  operations: 1,
  async prepare() {
    const { SignJWT, importJWK, jwtVerify } = await import(requireInDemo.resolve('jose6'));
    const bytes = new Uint8Array(32).fill(3);
    const key = async (isPrivate) => {
      if (name === undefined) return bytes;
      const { d, p, q, dp, dq, qi, ...open } = createPrivateKey(pool[name].private).export({ format: 'jwk' });
      return importJWK(isPrivate ? { ...open, d, ...(p === undefined ? {} : { p, q, dp, dq, qi }) } : open, alg);
    };
    const token = await new SignJWT({ sub: 'user' }).setProtectedHeader({ alg }).setIssuedAt(NOW_SECONDS).setExpirationTime(NOW_SECONDS + 3_600).sign(await key(true));
    const publicKey = await key(false);
    return () => jwtVerify(token, publicKey, CHECKS);
  },
});

export const calls = [
  serial('digest SHA-256', 15, 4),
  serial('sign HMAC', 15, 4),
  serial('encrypt AES-GCM', 15, 4),
  serial('verify Ed25519', 2.5),
  serial('verify ECDSA P-256', 1.4),
  serial('verify ECDSA P-384'),
  serial('verify RSASSA-PKCS1-v1_5, 2048 bits'),
  serial('sign ECDSA P-256'),
  serial('deriveBits HKDF'),
  fanOut('digest SHA-256', 3, 3),
  fanOut('sign HMAC', 3, 3),
  fanOut('encrypt AES-GCM', 5, 5),
  fanOut('verify Ed25519'),
  jose('HS256', undefined, 3),
  jose('EdDSA', 'ed25519', 2.5),
  jose('RS256', 'rsa2048', 1.8),
  jose('ES256', 'p256', 1.5),
];
