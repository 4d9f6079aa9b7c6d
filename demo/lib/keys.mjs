// Keys that are nobody's, the same in every process: those of the project's test vectors.

import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';

const file = new URL('../../vectors/key/pool.json', import.meta.url);

/** A key pair as PEM text. */
export function pemPair(name) {
  const { keys } = JSON.parse(readFileSync(file, 'utf8'));
  const privateKey = keys[name].private;
  const publicKey = createPublicKey(privateKey).export({ format: 'pem', type: 'spki' });
  return { privateKey, publicKey };
}
