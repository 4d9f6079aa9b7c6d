// Keys that are nobody's, the same in every process: those of the project's test vectors.

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';

const file = new URL('../../vectors/key/pool.json', import.meta.url);

/** A key pair as PEM text. */
export function pemPair(name) {
  const privateKey = pkcs8(name);
  const publicKey = createPublicKey(privateKey).export({ format: 'pem', type: 'spki' });
  return { privateKey, publicKey };
}

/** A private key as PEM text of another type: `pkcs1` (RSA), `sec1` (curves). */
export function pem(name, type) {
  return createPrivateKey(pkcs8(name)).export({ format: 'pem', type });
}

/** A private key as JWK. */
export function jwk(name) {
  return createPrivateKey(pkcs8(name)).export({ format: 'jwk' });
}

/** An Ed25519 key as `ssh-keygen` writes it, without a passphrase (OpenSSH's PROTOCOL.key). */
export function openssh(name) {
  const { d, x } = jwk(name);
  const [seed, point] = [d, x].map((part) => Buffer.from(part, 'base64url'));
  const publicKey = [string('ssh-ed25519'), string(point)];
  const check = Buffer.alloc(8, 7);
  const privatePart = [check, ...publicKey, string(Buffer.concat([seed, point])), string('')];
  const unpadded = Buffer.concat(privatePart);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, -unpadded.length & 7));
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    string('none'),
    string('none'),
    string(''),
    Buffer.from([0, 0, 0, 1]),
    string(Buffer.concat(publicKey)),
    string(Buffer.concat([unpadded, padding])),
  ]);
  const lines = body.toString('base64').match(/.{1,70}/g);
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

function pkcs8(name) {
  return JSON.parse(readFileSync(file, 'utf8')).keys[name].private;
}

/** Length and bytes, as RFC 4251 writes a string. */
function string(value) {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
