/**
 * What looks like a key and is none, or only to some readers.
 */

import { bytesAs } from './bytes.mjs';
import { attempt, other, pool } from './pool.mjs';

const KINDS = {
  text: 10, cutPem: 4, changedPem: 4, label: 3, otherPem: 3, cutDer: 4, changedDer: 5, longDer: 2, jwkMember: 10, jwkOdd: 3, point: 4, rsaNumbers: 4, size: 1,
};

/** As the forms of `forms.mjs`. */
export function brokenForm(rng, key, side) {
  return BROKEN[rng.weighted(KINDS)](rng, key, side);
}

const der = (label, bytes, type, rng) => {
  const drawn = bytesAs(rng, bytes);
  return { label: `${label} as ${drawn.label}`, base: undefined, fields: { key: drawn.value, format: 'der', type } };
};
const jwk = (label, value) => ({ label, base: undefined, fields: { key: value, format: 'jwk' } });

function pemOf(rng, key, side) {
  const type = rng.pick(key.types(side));
  return key.pem(side, type) ?? key.pem('public', 'spki');
}

function derOf(rng, key, side) {
  const type = rng.pick(key.types(side));
  const bytes = key.der(side, type);
  return bytes === undefined ? { type: 'spki', bytes: key.der('public', 'spki') } : { type, bytes };
}

/** Secrets as they are given to libraries that try a public key first, and other texts. */
const TEXTS = [
  'secret', 'a-shared-secret-of-some-length-that-no-key-has', '', ' ', '\n', 'x'.repeat(5000), '0123456789abcdef'.repeat(4), 'ünïcode \ud83d\ude00', '\ud83d',
  '-----BEGIN', '-----BEGIN PUBLIC KEY-----', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
  '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n', '-----BEGIN -----\nAAAA\n-----END -----\n',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== user@host', '{"kty":"oct","k":"AAAA"}', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----\n',
  '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----\n', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENB\n-----END PGP PUBLIC KEY BLOCK-----\n', 'BEGIN PUBLIC KEY', '0', 'MCowBQYDK2VwAyEA',
];

const BROKEN = {
  text(rng) {
    const at = rng.below(TEXTS.length);
    const bytes = rng.chance(0.25);
    const base = bytes ? Buffer.from(TEXTS[at]) : TEXTS[at];
    return { label: `no key: ${at}${bytes ? ' as bytes' : ''}`, base, fields: { key: base } };
  },
  cutPem(rng, key, side) {
    const pem = pemOf(rng, key, side);
    const at = rng.below(pem.length);
    const base = rng.chance(0.5) ? pem.slice(0, at) : pem.slice(at);
    return { label: `${key.name} PEM cut at ${at}`, base, fields: { key: base } };
  },
  changedPem(rng, key, side) {
    const pem = pemOf(rng, key, side);
    const at = rng.below(pem.length);
    const base = pem.slice(0, at) + rng.pick(['A', 'B', '/', '=', '-', ' ', '\n', '\0', 'é', '*']) + pem.slice(at + 1);
    return { label: `${key.name} PEM changed at ${at}`, base, fields: { key: base } };
  },
  label(rng, key, side) {
    const pem = pemOf(rng, key, side);
    const label = rng.pick(['PUBLIC KEY', 'PRIVATE KEY', 'RSA PUBLIC KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'DSA PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'CERTIFICATE', 'X509 CERTIFICATE', 'EC PUBLIC KEY', 'public key', 'NOPE']);
    const base = pem.replaceAll(/(BEGIN|END) [A-Z ]+-----/g, `$1 ${label}-----`);
    return { label: `${key.name} PEM called ${label}`, base, fields: { key: base } };
  },
  otherPem(rng) {
    const name = rng.pick(Object.keys(other));
    return { label: `PEM ${name}`, base: other[name], fields: { key: other[name] } };
  },
  cutDer(rng, key, side) {
    const { type, bytes } = derOf(rng, key, side);
    const at = rng.below(bytes.length);
    return der(`${key.name} DER cut at ${at}`, bytes.subarray(0, at), type, rng);
  },
  changedDer(rng, key, side) {
    const { type, bytes } = derOf(rng, key, side);
    const changed = Buffer.from(bytes);
    const at = rng.below(rng.chance(0.6) ? Math.min(40, changed.length) : changed.length);
    changed[at] ^= 1 << rng.below(8);
    return der(`${key.name} DER changed at ${at}`, changed, type, rng);
  },
  longDer(rng, key, side) {
    const { type, bytes } = derOf(rng, key, side);
    return der(`${key.name} DER with more behind it`, Buffer.concat([bytes, Buffer.alloc(1 + rng.below(3))]), type, rng);
  },
  /** One member missing, of another type, or not what it should be. */
  jwkMember(rng, key, side) {
    const value = key.jwk(side);
    if (value === undefined) return undefined;
    const member = rng.pick(Object.keys(value));
    const kind = rng.pick(['missing', 'undefined', 'null', 'number', 'object', 'empty', 'base64', 'padded', 'spaces', 'junk', 'shorter', 'longer', 'zeros', 'flipped', 'lower', 'stringObject', 'throws', 'twin']);
    const now = value[member];
    const bytes = Buffer.from(now, 'base64url');
    switch (kind) {
      case 'missing':
        delete value[member];
        break;
      case 'undefined':
        value[member] = undefined;
        break;
      case 'null':
        value[member] = null;
        break;
      case 'number':
        value[member] = 5;
        break;
      case 'object':
        value[member] = {};
        break;
      case 'empty':
        value[member] = '';
        break;
      case 'base64':
        value[member] = bytes.toString('base64');
        break;
      case 'padded':
        value[member] = `${now}==`;
        break;
      case 'spaces':
        value[member] = ` ${now.slice(0, 4)}\n${now.slice(4)} `;
        break;
      case 'junk':
        value[member] = `${now.slice(0, 4)}*${now.slice(4)}`;
        break;
      case 'shorter':
        value[member] = bytes.subarray(0, -1).toString('base64url');
        break;
      case 'longer':
        value[member] = Buffer.concat([bytes, Buffer.from([1])]).toString('base64url');
        break;
      case 'zeros':
        value[member] = Buffer.concat([Buffer.alloc(1 + rng.below(3)), bytes]).toString('base64url');
        break;
      case 'flipped': {
        if (bytes.length > 0) bytes[rng.below(bytes.length)] ^= 1 << rng.below(8);
        value[member] = bytes.toString('base64url');
        break;
      }
      case 'lower':
        value[member] = now.toLowerCase();
        break;
      case 'stringObject':
        value[member] = new String(now);
        break;
      case 'throws':
        Object.defineProperty(value, member, { enumerable: true, get() { throw new RangeError(`read ${member}`); } });
        break;
      default: {
        // The same member of the key's twin: each half is right, the whole is not.
        const twin = attempt(() => pool.get(`${key.name}b`).jwk(side));
        if (twin !== undefined) value[member] = twin[member];
      }
    }
    return jwk(`${key.name} ${side} JWK with ${member} ${kind}`, value);
  },
  jwkOdd(rng, key, side) {
    const kind = rng.pick(['empty', 'null', 'text', 'array', 'oct', 'kty', 'crv', 'noFormat', 'pem']);
    const value = key.jwk(side) ?? {};
    const made = {
      empty: {}, null: null, text: JSON.stringify(value), array: [value], oct: { kty: 'oct', k: 'AAAA' }, kty: { ...value, kty: rng.pick(['RSA', 'EC', 'OKP', 'AKP', 'oct', 'rsa', 'NOPE']) },
      crv: { ...value, crv: rng.pick(['P-256', 'P-384', 'P-521', 'secp256k1', 'Ed25519', 'Ed448', 'X25519', 'X448', 'prime256v1', 'P-224', '']) }, noFormat: value, pem: key.pem('public', 'spki'),
    }[kind];
    const form = jwk(`${key.name} JWK ${kind}`, made);
    if (kind === 'noFormat') delete form.fields.format;
    return form;
  },
  /** Points that are none, or of small order. */
  point(rng) {
    const name = rng.pick(Object.keys(POINTS));
    return jwk(`point ${name}`, { ...POINTS[name] });
  },
  /** Numbers that no RSA key has, or that only few readers take. */
  rsaNumbers(rng) {
    const name = rng.pick(Object.keys(RSA_NUMBERS));
    return jwk(`RSA with ${name}`, RSA_NUMBERS[name]());
  },
  size(rng) {
    const name = rng.pick(['rsa8192', 'rsa16384', 'rsa16392']);
    const base = pool.get(name)?.pem('public', 'spki') ?? TEXTS[0];
    return { label: name, base, fields: { key: base } };
  },
};

const b64 = (hex) => Buffer.from(hex, 'hex').toString('base64url');
const okp = (crv, hex) => ({ kty: 'OKP', crv, x: b64(hex) });
const ec = (crv, x, y) => ({ kty: 'EC', crv, x: b64(x), y: b64(y) });
const zeros = (size) => '00'.repeat(size);

const POINTS = {
  'Ed25519 zero': okp('Ed25519', zeros(32)),
  'Ed25519 identity': okp('Ed25519', `01${zeros(31)}`),
  'Ed25519 of order 2': okp('Ed25519', `ec${'ff'.repeat(30)}7f`),
  'Ed25519 of order 8': okp('Ed25519', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
  'Ed25519 not reduced': okp('Ed25519', `ee${'ff'.repeat(30)}7f`),
  'Ed25519 off the curve': okp('Ed25519', `02${zeros(31)}`),
  'X25519 zero': okp('X25519', zeros(32)),
  'X25519 one': okp('X25519', `01${zeros(31)}`),
  'X25519 of order 8': okp('X25519', 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'),
  'X25519 with the highest bit': okp('X25519', `09${zeros(30)}80`),
  'X448 zero': okp('X448', zeros(56)),
  'P-256 zero': ec('P-256', zeros(32), zeros(32)),
  'P-256 off the curve': ec('P-256', `${zeros(31)}01`, `${zeros(31)}01`),
  'P-256 with x too large': ec('P-256', 'ff'.repeat(32), 'ff'.repeat(32)),
  'P-384 off the curve': ec('P-384', `${zeros(47)}02`, `${zeros(47)}03`),
  'secp256k1 off the curve': ec('secp256k1', `${zeros(31)}05`, `${zeros(31)}05`),
};

const rsaPublic = (changes) => ({ ...pool.get('rsa1024').jwk('public'), ...changes });
const rsaPrivate = (changes) => ({ ...pool.get('rsa1024').jwk('private'), ...changes });

const RSA_NUMBERS = {
  'exponent 1': () => rsaPublic({ e: b64('01') }),
  'exponent 0': () => rsaPublic({ e: b64('00') }),
  'exponent 2': () => rsaPublic({ e: b64('02') }),
  'exponent 3': () => rsaPublic({ e: b64('03') }),
  'exponent of 40 bits': () => rsaPublic({ e: b64('8000000001') }),
  'exponent as long as the modulus': () => rsaPublic({ e: rsaPublic().n }),
  'even modulus': () => rsaPublic({ n: b64(`80${zeros(126)}02`) }),
  'modulus 0': () => rsaPublic({ n: b64('00') }),
  'modulus of 15 bits': () => rsaPublic({ n: b64('7fff') }),
  'modulus of 256 bits': () => rsaPublic({ n: b64(`c1${'ab'.repeat(30)}01`) }),
  'zeros before the modulus': () => rsaPublic({ n: b64(`0000${Buffer.from(rsaPublic().n, 'base64url').toString('hex')}`) }),
  'secret exponent 1': () => rsaPrivate({ d: b64('01') }),
  'secret exponent of another key': () => rsaPrivate({ d: pool.get('rsa1024b').jwk('private').d }),
  'primes of another key': () => rsaPrivate({ p: pool.get('rsa1024b').jwk('private').p, q: pool.get('rsa1024b').jwk('private').q }),
  'primes exchanged': () => rsaPrivate({ p: rsaPrivate().q, q: rsaPrivate().p }),
  'coefficient 1': () => rsaPrivate({ qi: b64('01') }),
  'dp 1': () => rsaPrivate({ dp: b64('01') }),
};
