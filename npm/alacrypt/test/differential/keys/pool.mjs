/**
 * The keys that programs draw from: `vectors/key/pool.json`, as far as the running host knows them.
 *
 * The same few keys come up again and again, in one program and in all of a run: what is kept of a
 * key from an earlier call is then in use.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { crypto, emptyErrorQueue } from '../host.mjs';

const require = createRequire(import.meta.url);
export const oracle = require('./oracle.cjs');

export const file = new URL('../../../../../vectors/key/pool.json', import.meta.url);
const { keys, encrypted, certificates, other, message } = JSON.parse(readFileSync(file, 'utf8'));
export { certificates, other, message };

/** Families by the beginning of the name. */
const FAMILIES = {
  rsa: /^rsa/, pss: /^pss/, ec: /^(p\d|secp|brainpool|sect|sm2)/, ed: /^ed/, x: /^x/, dsa: /^dsa/, dh: /^dh/,
  mldsa: /^mldsa/, mlkem: /^mlkem/, slhdsa: /^slhdsa/,
};

/**
 * What a call gives, or `undefined` where the host refuses. Errors that others left in OpenSSL's
 * queue would make the host refuse what is right, and those that this leaves would do so later.
 */
export function attempt(body) {
  emptyErrorQueue();
  try {
    return outsideFips(body);
  } catch {
    emptyErrorQueue();
    return undefined;
  }
}

/** What the suite itself does is not done under FIPS, whatever the program has switched on. */
function outsideFips(body) {
  const on = crypto.getFips();
  if (on === 0) return body();
  crypto.setFips(0);
  try {
    return body();
  } finally {
    crypto.setFips(on);
  }
}

/** One key of the pool, with everything that can be derived from it, derived once. */
class Key {
  #kept = new Map();

  constructor(name, stored) {
    this.name = name;
    this.stored = stored;
    this.family = Object.keys(FAMILIES).find((family) => FAMILIES[family].test(name));
    this.sides = stored.private === undefined ? ['public'] : ['private', 'public'];
  }

  once(label, make) {
    if (!this.#kept.has(label)) this.#kept.set(label, attempt(make));
    return this.#kept.get(label);
  }

  /** The process's own `KeyObject`; `fresh` gives another one each time. */
  object(side) {
    return this.once(side, () => this.fresh(side));
  }

  fresh(side) {
    return outsideFips(() => (side === 'private' ? oracle.createPrivateKey(this.stored.private) : oracle.createPublicKey(this.stored.private ?? this.stored.public)));
  }

  /** The encodings of this side by the host's names for them. */
  types(side) {
    if (side === 'public') return this.family === 'rsa' ? ['spki', 'pkcs1'] : ['spki'];
    // Writing an SM2 key as SEC 1 makes Node 20 abort.
    const sec1 = this.family === 'ec' && this.name !== 'sm2';
    return this.family === 'rsa' ? ['pkcs8', 'pkcs1'] : sec1 ? ['pkcs8', 'sec1'] : ['pkcs8'];
  }

  pem(side, type) {
    return this.once(`pem ${side} ${type}`, () => oracle.exportKey(this.object(side), { format: 'pem', type }));
  }

  der(side, type) {
    return this.once(`der ${side} ${type}`, () => oracle.exportKey(this.object(side), { format: 'der', type }));
  }

  /** A JWK of the caller's own. */
  jwk(side) {
    const jwk = this.once(`jwk ${side}`, () => oracle.exportKey(this.object(side), { format: 'jwk' }));
    return jwk === undefined ? undefined : { ...jwk };
  }

  raw(format) {
    return this.once(format, () => oracle.exportKey(this.object(format === 'raw-public' ? 'public' : 'private'), { format }));
  }

  get type() {
    return this.object('public').asymmetricKeyType;
  }

  get details() {
    return this.once('details', () => this.object('public').asymmetricKeyDetails) ?? {};
  }
}

export const pool = new Map();
for (const [name, stored] of Object.entries(keys)) {
  const key = new Key(name, stored);
  if (key.object('public') !== undefined) pool.set(name, key);
}

/** Encrypted keys whose inside the host knows. */
export const encryptedKeys = encrypted
  .filter(({ name }) => pool.has(name))
  .map(({ label, name, passphrase, format, key }) => ({
    label: `${name} encrypted as ${label}`,
    name,
    passphrase: Buffer.from(passphrase, 'base64'),
    format,
    key: format === 'der' ? Buffer.from(key, 'base64') : key,
  }));

/** Draws from a table of weights by name, without those that this host lacks. */
export function weightedKeys(weights) {
  const known = Object.fromEntries(Object.entries(weights).filter(([name]) => pool.has(name)));
  return (rng) => pool.get(rng.weighted(known));
}

/**
 * A key for the program's next call: mostly one of the few that the program came across before.
 */
export function keyFor(machine, rng, purpose, draw) {
  const known = (machine.keysInHand[purpose] ??= []);
  if (known.length < 2 || rng.chance(0.25)) {
    const key = draw(rng);
    if (!known.includes(key)) known.push(key);
    return key;
  }
  return rng.pick(known);
}
