/**
 * New keys and primes: `generateKeyPair`, `generateKey`, `generatePrime`, `checkPrime`.
 *
 * What is made is chance: its kind and form are compared, and whether it works in the host's own
 * functions. Each new pair is used once, and then again.
 */

import { looksRandom, show } from '../canonical.mjs';
import { crypto, hostFails } from '../host.mjs';
import { odd } from '../values.mjs';
import { bytesAs } from './bytes.mjs';
import { optionsObject } from './options.mjs';
import { attempt, oracle } from './pool.mjs';
import { shape } from './signatures.mjs';
import { callAnyWay } from './ways.mjs';

/** Kinds by how often they come; RSA and DSA take long. */
const KINDS = {
  ec: 60, ed25519: 40, x25519: 30, ed448: 6, x448: 5, rsa: 4, 'rsa-pss': 2, dsa: 1, dh: 3, 'ml-dsa-44': 6, 'ml-dsa-65': 8, 'ml-dsa-87': 4, 'ml-kem-512': 5, 'ml-kem-768': 8, 'ml-kem-1024': 4,
  'slh-dsa-sha2-128f': 2, never: 6,
};
const NEVER = ['nope', '', 'RSA', 'EC', 'ed25519ph', 'ml-dsa-45', 'aes', 'hmac', 'x25519 '];

const CURVES = ['P-256', 'P-256', 'prime256v1', 'P-384', 'secp256k1', 'P-521', 'secp224r1', 'brainpoolP256r1', 'secp384r1'];

/** Options in any form, or what is none; a function would be taken for the callback. */
function optionsOf(machine, rng, fields) {
  const made = rng.chance(0.97) ? optionsObject(rng, fields, machine.note) : { ...odd(rng), isOdd: true };
  return typeof made.value === 'function' ? { value: fields, label: '' } : made;
}

/** The options that this kind needs, one of them wrong at times. */
function kindOptions(rng, kind) {
  const wrong = rng.chance(0.12);
  switch (kind) {
    case 'ec':
      // Not `X25519`, which Node 20 takes for such a curve, and aborts when it is to write SEC 1.
      return { namedCurve: wrong ? rng.pick(['nope', '', null, 5, undefined, 'p-256']) : rng.pick(CURVES), ...(rng.chance(0.1) ? { paramEncoding: rng.pick(['named', 'explicit', 'nope', null]) } : {}) };
    case 'rsa':
    case 'rsa-pss':
      return {
        modulusLength: wrong ? rng.pick([0, 1, 8, 256, 511, -1, 1.5, '1024', null, undefined, 2 ** 32]) : rng.pick([512, 1024, 1024]),
        // An exponent of 1 is for ever refused by some, and for ever tried by others.
        ...(rng.chance(0.3) ? { publicExponent: wrong ? rng.pick([0, 2, -1, 1.5, '3']) : rng.pick([3, 65_537, 17]) } : {}),
        ...(kind === 'rsa-pss' && rng.chance(0.5) ? { hashAlgorithm: rng.pick(['sha256', 'sha1', wrong ? 'nope' : 'sha256']), mgf1HashAlgorithm: 'sha256', saltLength: wrong ? -1 : 20 } : {}),
      };
    case 'dsa':
      return { modulusLength: wrong ? rng.pick([0, -1, 'x']) : 1024, divisorLength: wrong ? -1 : 160 };
    case 'dh':
      return wrong ? rng.pick([{}, { group: 'nope' }, { group: 'modp5', prime: Buffer.alloc(3) }, { primeLength: -1 }, { prime: 5 }, { group: 'modp5', generator: 2 }]) : { group: rng.pick(['modp14', 'modp5', 'modp15']) };
    default:
      return wrong ? { unknown: 1 } : {};
  }
}

/** An encoding for one side; most callers ask for none. */
function keyEncoding(rng, side, kind) {
  const how = rng.weighted({ none: 60, pem: 25, der: 15, jwk: 10, raw: 2, wrong: 4 });
  const types = side === 'public' ? ['spki', ...(kind === 'rsa' ? ['pkcs1'] : [])] : ['pkcs8', ...(kind === 'rsa' ? ['pkcs1'] : kind === 'ec' ? ['sec1'] : [])];
  if (how === 'none') return undefined;
  if (how === 'wrong') return rng.pick([null, 5, 'pem', {}, { format: 'pem' }, { format: 'nope', type: 'spki' }, { format: 'der', type: 'sec1' }, { format: 'pem', type: 'pkcs1' }, { format: 'pem', type: 'pkcs8', cipher: 'nope', passphrase: 'p' }, { format: 'pem', type: 'pkcs8', passphrase: 'p' }]);
  if (how === 'jwk') return { format: 'jwk' };
  if (how === 'raw') return { format: side === 'public' ? 'raw-public' : 'raw-private' };
  const encoding = { format: how, type: rng.pick(types) };
  if (side === 'private' && rng.chance(0.15)) Object.assign(encoding, { cipher: 'aes-256-cbc', passphrase: rng.pick(['secret', Buffer.from('secret')]) });
  return encoding;
}

/** A key as the host's own object, however it came; `undefined` if the host cannot read it. */
function asObject(value, side, encoding) {
  if (value instanceof crypto.KeyObject) return value;
  return attempt(() => {
    const given = { key: value, format: encoding.format, ...(encoding.format === 'der' ? { type: encoding.type } : {}), passphrase: encoding.passphrase };
    return side === 'public' ? oracle.createPublicKey(given) : oracle.createPrivateKey(given);
  });
}

function describe(value) {
  if (value instanceof crypto.KeyObject) return `${show(value)} ${value.type} ${value.asymmetricKeyType} ${show(value.asymmetricKeyDetails)} ${Object.values(value.asymmetricKeyDetails ?? {}).map((detail) => show(detail)).join()}`;
  if (typeof value === 'string') return `PEM ${value.split('\n', 1)[0]} ${value.endsWith('-----\n')}`;
  if (ArrayBuffer.isView(value)) return shape(value);
  return `JWK ${show(value)} ${['kty', 'crv', 'alg', 'e'].map((name) => value?.[name])} ${value?.x?.length} ${value?.n?.length}`;
}

/** Whether the halves belong together, and do what keys of this kind do. */
function works(pair, encodings) {
  const publicKey = asObject(pair.publicKey, 'public', encodings.publicKeyEncoding);
  const privateKey = asObject(pair.privateKey, 'private', encodings.privateKeyEncoding);
  if (publicKey === undefined || privateKey === undefined) return 'not read';
  const belong = attempt(() => oracle.createPublicKey(privateKey).equals(publicKey));
  const data = Buffer.from('a message');
  const digest = /^(ed|ml|slh)/.test(publicKey.asymmetricKeyType) ? null : 'sha256';
  const outcomes = [belong];
  // Once with each side's own functions, and again: the second use is another way inside.
  for (let use = 0; use < 2; use++) {
    outcomes.push(attempt(() => oracle.verify(digest, data, publicKey, crypto.sign(digest, data, privateKey))));
    outcomes.push(attempt(() => crypto.verify(digest, data, publicKey, oracle.sign(digest, data, privateKey))));
    outcomes.push(attempt(() => crypto.diffieHellman({ privateKey, publicKey }).equals(oracle.diffieHellman({ privateKey, publicKey }))));
  }
  return outcomes.map(String).join();
}

const SIZES = [1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 64, 65, 128, 256];

/** What a prime has to be: `add` and `rem` so that there is one at all. */
function primeOptions(rng) {
  const fields = {};
  if (rng.chance(0.2)) fields.safe = rng.chance(0.9) ? rng.chance(0.7) : rng.pick([null, 1, 'yes']);
  if (rng.chance(0.4)) fields.bigint = rng.chance(0.9) ? rng.chance(0.8) : rng.pick([null, 1]);
  if (rng.chance(0.15)) {
    const [add, rem] = rng.pick([[4n, 3n], [12n, 11n], [12n, undefined], [6n, 5n], [-4n, 3n], [4n, -1n], [2n ** 300n, 1n], ['4', 3n], [4n, 5], [null, null]]);
    // The host looks for a safe prime that is 3 modulo 12, if it is not told otherwise: for ever.
    if (fields.safe === true && rem === undefined) return fields;
    Object.assign(fields, { add: typeof add === 'bigint' && add > 0n && rng.chance(0.3) ? bytesOf(add) : add, rem });
  }
  return fields;
}

const bytesOf = (number) => Buffer.from(number.toString(16).padStart(2, '0').replace(/^(.(..)*)$/, '0$1'), 'hex');
const numberOf = (value) => (typeof value === 'bigint' ? value : BigInt(`0x0${Buffer.from(value).toString('hex')}`));

const PRIMES = [2n, 3n, 5n, 7n, 11n, 65_537n, 2n ** 31n - 1n, 2n ** 61n - 1n, 2n ** 127n - 1n, 2n ** 255n - 19n, 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n, 2n ** 521n - 1n];
const COMPOSITES = [0n, 1n, 4n, 9n, 15n, 561n, 1105n, 41_041n, 2n ** 32n + 1n, (2n ** 61n - 1n) * (2n ** 31n - 1n), 2n ** 255n - 18n, 2n ** 64n, 3_215_031_751n, 3_825_123_056_546_413_051n];

export const calls = {
  async generateKeyPair(machine, rng) {
    const drawn = rng.weighted(KINDS);
    const kind = drawn === 'never' ? (rng.chance(0.8) ? rng.pick(NEVER) : odd(rng).value) : drawn;
    const encodings = { publicKeyEncoding: keyEncoding(rng, 'public', kind), privateKeyEncoding: keyEncoding(rng, 'private', kind) };
    for (const name of Object.keys(encodings)) if (encodings[name] === undefined) delete encodings[name];
    const fields = { ...kindOptions(rng, kind), ...encodings };
    const bare = Object.keys(fields).length === 0;
    const made = bare && rng.chance(0.7) ? { value: undefined, label: '' } : optionsOf(machine, rng, bare ? { more: 1 } : fields);
    const label = Object.entries(fields).map(([name, value]) => `${name} ${typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? JSON.stringify(value) : show(value)}`).join(' ');
    const shown = (publicKey, privateKey) => `${describe(publicKey)} & ${describe(privateKey)} ${works({ publicKey, privateKey }, encodings)}`;
    await callAnyWay(
      machine,
      rng,
      { sync: 'generateKeyPairSync', callback: 'generateKeyPair', answers: 2 },
      made.value === undefined ? [kind] : [kind, made.value],
      `generateKeyPair(${show(kind)}, ${label}${made.label})`,
      // At once there is one object with both.
      (first, second) => (second === undefined && typeof first === 'object' ? `${show(first)} ${shown(first.publicKey, first.privateKey)}` : shown(first, second)),
    );
  },

  async generateKey(machine, rng) {
    const kind = rng.chance(0.9) ? rng.pick(['hmac', 'aes']) : rng.chance(0.5) ? rng.pick(['nope', '', 'HMAC', 'rsa']) : odd(rng).value;
    const length = rng.chance(0.8) ? (kind === 'aes' ? rng.pick([128, 192, 256]) : rng.pick([8, 9, 64, 128, 256, 257, 512, 1000])) : rng.pick([0, 1, 7, -1, 1.5, 127, 2 ** 31, '128', null, undefined]);
    const made = optionsOf(machine, rng, { length });
    await callAnyWay(machine, rng, { sync: 'generateKeySync', callback: 'generateKey' }, [kind, made.value], `generateKey(${show(kind)}, ${show(length)}${made.label})`, (key) =>
      key instanceof crypto.KeyObject ? `${show(key)} ${key.type} ${key.symmetricKeySize} ${looksRandom(oracle.exportKey(key))}` : show(key),
    );
  },

  async generatePrime(machine, rng) {
    const size = rng.chance(0.9) ? rng.pick(SIZES) : rng.pick([0, -1, 1.5, '8', null, undefined, NaN, 2 ** 31, {}]);
    const fields = primeOptions(rng);
    // A safe prime of a single bit, and the like, are looked for in vain.
    if (fields.add !== undefined || fields.safe) fields.bigint ??= true;
    const small = typeof size === 'number' && size < 32;
    const given = small && (fields.add !== undefined || fields.safe) ? {} : fields;
    const none = Object.keys(given).length === 0 && rng.chance(0.6);
    const made = none ? { value: undefined, label: '' } : optionsOf(machine, rng, Object.keys(given).length === 0 ? { more: 1 } : given);
    const label = Object.entries(given).map(([name, value]) => `${name} ${show(value)}`).join(' ');
    // What is asked of the prime; what nobody asked for it may have by chance.
    const shownAs = (asked) => (prime) => {
      if (typeof prime !== 'bigint' && !(prime instanceof ArrayBuffer)) return show(prime);
      const number = numberOf(prime);
      const fits = asked.add === undefined ? 'any' : number % numberOf(asked.add) === numberOf(asked.rem ?? (asked.safe ? 3n : 1n));
      return `${typeof prime} ${prime.byteLength} of ${number.toString(2).length} bits, prime ${oracle.checkPrimeSync(number)} safe ${asked.safe === true ? oracle.checkPrimeSync((number - 1n) / 2n) : 'or not'} fits ${fits}`;
    };
    const names = { sync: 'generatePrimeSync', callback: 'generatePrime', shownOfFewer: shownAs({}) };
    await callAnyWay(machine, rng, names, none ? [size] : [size, made.value], `generatePrime(${show(size)}, ${label}${made.label})`, shownAs(made.isOdd ? {} : given));
  },

  async checkPrime(machine, rng) {
    const number = rng.pick(rng.chance(0.5) ? PRIMES : COMPOSITES);
    const kind = rng.weighted({ bigint: 10, bytes: 10, negative: 1, odd: 1, empty: 1 });
    const drawn =
      kind === 'bigint' ? { value: number, label: `${number}n` }
      : kind === 'bytes' ? bytesAs(rng, bytesOf(number))
      : kind === 'negative' ? { value: -number - 1n, label: 'negative' }
      : kind === 'empty' ? { value: Buffer.alloc(0), label: 'empty' }
      : odd(rng);
    const minusZero = hostFails.onMinusZeroChecks ? 0 : -0;
    const checks = rng.chance(0.7) ? rng.pick([0, 1, 5, 64]) : rng.pick([-1, 1.5, '3', null, undefined, 2 ** 31, minusZero]);
    const made = rng.chance(0.5) ? { value: undefined, label: '' } : optionsOf(machine, rng, { checks });
    await callAnyWay(machine, rng, { sync: 'checkPrimeSync', callback: 'checkPrime' }, made.value === undefined ? [drawn.value] : [drawn.value, made.value], `checkPrime(${kind === 'bytes' ? `${number} as ` : ''}${drawn.label}, ${made.value === undefined ? '' : `checks ${show(checks)}`}${made.label})`, show);
  },
};
