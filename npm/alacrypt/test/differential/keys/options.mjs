/**
 * Digests and options of signatures, and option objects of every kind.
 */

import { bytesAs } from './bytes.mjs';
import { crypto, hostFails } from '../host.mjs';
import { Boom, odd } from '../values.mjs';

const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING, RSA_NO_PADDING, RSA_PKCS1_OAEP_PADDING, RSA_PSS_SALTLEN_DIGEST, RSA_PSS_SALTLEN_MAX_SIGN, RSA_PSS_SALTLEN_AUTO } = crypto.constants;
export const PSS = RSA_PKCS1_PSS_PADDING;

const COMMON = ['sha256', 'sha256', 'sha256', 'sha384', 'sha512', 'sha1', 'RSA-SHA256', 'SHA256'];
const OTHER = [
  'sha224', 'sha512-256', 'sha512-224', 'sha3-256', 'sha3-384', 'sha3-512', 'SHA-256', 'Sha384', 'RSA-SHA1', 'RSA-SHA384', 'RSA-SHA512', 'rsa-sha256',
  'RSA-SHA224', 'RSA-SHA3-256', 'id-rsassa-pkcs1-v1_5-with-sha3-256', 'sha256WithRSAEncryption', 'sha1WithRSAEncryption', 'ecdsa-with-SHA256', 'md5', 'RSA-MD5',
  'md5-sha1', 'ripemd160', 'blake2b512', 'blake2s256', 'shake128', 'shake256', 'sm3', 'RSA-SM3',
];
const NEVER = ['', 'nope', 'sha', 'ES256', 'RS256', 'DSA', 'ecdsa', 'null', 'sha256\0', 'sha256 ', 'x'.repeat(200), '__proto__', 'ed25519'];

/** Whether this kind of key is used without a digest, as `null` or `undefined` ask for. */
export const wantsNoDigest = (key) => ['ed', 'mldsa', 'slhdsa'].includes(key.family);

/** A digest that suits the key for the most part. */
export function digest(rng, key) {
  const kind = rng.weighted(wantsNoDigest(key) ? { none: 30, common: 3, never: 1, odd: 1 } : { common: 30, other: 10, none: 4, never: 1, odd: 1 });
  switch (kind) {
    case 'none':
      return rng.chance(0.5) ? { value: undefined, label: 'undefined' } : { value: null, label: 'null' };
    case 'odd': {
      const drawn = odd(rng);
      return { value: drawn.value, label: `digest ${drawn.label}` };
    }
    default: {
      const value = rng.pick(kind === 'common' ? COMMON : kind === 'other' ? OTHER : NEVER);
      return { value, label: `'${value.slice(0, 40)}'` };
    }
  }
}

const SALTS = [RSA_PSS_SALTLEN_DIGEST, RSA_PSS_SALTLEN_MAX_SIGN, RSA_PSS_SALTLEN_AUTO, 0, 20, 32];
const ODD_SALTS = [-3, -4, 1, 31, 33, 48, 64, 94, 95, 190, 222, 223, 478, 10_000, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 32, 1.5, -0, NaN, Infinity, '32', null, {}, 32n, true, Symbol('salt')];
const PADDINGS = [RSA_PKCS1_PADDING, RSA_PKCS1_PADDING, PSS, PSS, PSS, PSS];
const ODD_PADDINGS = [0, 2, RSA_NO_PADDING, RSA_PKCS1_OAEP_PADDING, 5, 7, -1, 100, 1.5, '1', '6', null, {}, true, NaN, -0, 2 ** 32 + 1, Symbol('padding')];
const DSA_ENCODINGS = ['der', 'ieee-p1363', 'ieee-p1363', 'ieee-p1363'];
const ODD_DSA_ENCODINGS = ['DER', 'ieee-P1363', '', null, 5, {}, new String('der'), 'p1363'];

const named = (value) => (typeof value === 'symbol' ? 'symbol' : Object.is(value, -0) ? '-0' : `${typeof value === 'string' ? `'${value}'` : String(value)}${typeof value === 'bigint' ? 'n' : ''}`);

/** Options of a signature: the fields that stand beside the key, and a label. */
export function signatureOptions(rng, key) {
  const fields = {};
  const rsa = key.family === 'rsa' || key.family === 'pss';
  const add = (name, list, oddList, oddly = 0.06) => {
    fields[name] = rng.pick(rng.chance(oddly) ? oddList : list);
  };
  const none = rng.chance(rsa ? 0.45 : 0.6);
  if (!none) {
    if (rng.chance(rsa ? 0.8 : 0.15)) add('padding', key.family === 'pss' && rng.chance(0.9) ? [PSS] : PADDINGS, ODD_PADDINGS);
    if (rng.chance(rsa ? 0.6 : 0.15)) add('saltLength', SALTS, ODD_SALTS, 0.15);
    if (rng.chance(key.family === 'ec' || key.family === 'dsa' ? 0.9 : 0.05)) add('dsaEncoding', DSA_ENCODINGS, ODD_DSA_ENCODINGS);
    if (hostFails.onPlainSignaturesUnderFips && crypto.getFips() === 1) delete fields.dsaEncoding;
    if (rng.chance(['ed', 'mldsa', 'slhdsa'].includes(key.family) ? 0.7 : 0.03)) fields.context = context(rng);
  }
  const label = Object.entries(fields).map(([name, value]) => `${name} ${name === 'context' ? contextLabel(value) : named(value)}`).join(' ');
  return { fields, label };
}

const CONTEXTS = [Buffer.alloc(0), Buffer.from('a context'), Buffer.alloc(255, 7)];

function context(rng) {
  const kind = rng.weighted({ known: 12, long: 1, viewed: 2, text: 1, odd: 1 });
  if (kind === 'known') return rng.pick(CONTEXTS);
  if (kind === 'long') return Buffer.alloc(rng.pick([256, 1000]));
  if (kind === 'viewed') return bytesAs(rng, CONTEXTS[1]).value;
  return kind === 'text' ? 'a context' : odd(rng).value;
}

function contextLabel(value) {
  try {
    return ArrayBuffer.isView(value) ? `view(${value.byteLength})` : typeof value;
  } catch {
    return 'view';
  }
}

const OBJECTS = {
  literal: 50, more: 4, nullPrototype: 3, inherited: 3, getters: 3, throws: 2, proxy: 2, frozen: 1, hidden: 1, array: 1, function: 1, instance: 1, revoked: 1, ordered: 2,
};

class Options {
  constructor(fields) {
    Object.assign(this, fields);
  }
}

/**
 * An object with these properties: a literal for the most part, else one that shows who reads what
 * in which order, or that is odd otherwise.
 */
export function optionsObject(rng, fields, note) {
  const kind = rng.weighted(OBJECTS);
  const noted = (prototype) => {
    const target = Object.create(prototype);
    for (const name of Object.keys(fields)) {
      Object.defineProperty(target, name, { enumerable: true, get() { note(`read ${name}`); return fields[name]; } });
    }
    return target;
  };
  const made = () => {
    switch (kind) {
      case 'more':
        return { more: 1, type: undefined, encoding: undefined, ...fields, cipher: 'aes-256-cbc', [Symbol('s')]: 1 };
      case 'nullPrototype':
        return { __proto__: null, ...fields };
      case 'inherited':
        return Object.create(fields);
      case 'getters':
        return noted(Object.prototype);
      case 'throws': {
        const name = rng.pick(Object.keys(fields));
        return Object.defineProperty({ ...fields }, name, { get() { throw new Boom(`read ${name}`); } });
      }
      case 'proxy':
        return new Proxy(fields, {
          get(target, name) { note(`got ${String(name)}`); return target[name]; },
          has(target, name) { note(`has ${String(name)}`); return name in target; },
          ownKeys() { throw new Boom('ownKeys'); },
          getPrototypeOf() { throw new Boom('getPrototypeOf'); },
          getOwnPropertyDescriptor() { throw new Boom('getOwnPropertyDescriptor'); },
        });
      case 'frozen':
        return Object.freeze({ ...fields });
      case 'hidden':
        return Object.defineProperties({}, Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value }])));
      case 'array':
        return 'length' in fields ? { ...fields } : Object.assign([1, 2], fields);
      case 'function':
        return Object.defineProperties(function options() {}, Object.getOwnPropertyDescriptors({ ...fields }));
      case 'instance':
        return new Options(fields);
      case 'revoked': {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      }
      case 'ordered':
        return Object.fromEntries(Object.entries(fields).reverse());
      default:
        return { ...fields };
    }
  };
  return { value: made(), label: kind === 'literal' ? '' : ` in ${kind}` };
}

/**
 * A form of a key with options beside it, as the one argument that both become. `fields` are the
 * options that count: the host also reads those that stand on a `KeyObject` itself.
 */
export function keyArgument(machine, rng, form, { fields, label } = { fields: {}, label: '' }) {
  const bare = Object.keys(fields).length === 0;
  if (bare && form.base !== undefined && rng.chance(0.75)) return { value: form.base, label: form.label, fields: form.own ?? {} };
  const made = optionsObject(rng, { ...form.fields, ...fields }, machine.note);
  return { value: made.value, label: `{${form.label}${label === '' ? '' : `, ${label}`}}${made.label}`, fields };
}
