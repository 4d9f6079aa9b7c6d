/**
 * A key in every form in which callers pass it.
 *
 * A form is `{ label, base, fields, mine, actual, doubtful }`: `base` is what can stand for the key
 * by itself (`undefined` if nothing can), `fields` are the properties of an options object that give
 * the same key. `mine` is memory that nobody else uses, `actual` the key that is inside; what a
 * `doubtful` one does may be chance, since calculations with it do not come out even.
 */

import { certificates, encryptedKeys, file, pool } from './pool.mjs';
import { brokenForm } from './broken.mjs';
import { bytesAs, plainBytes } from './bytes.mjs';
import { crypto } from '../host.mjs';
import { odd } from '../values.mjs';

/** What a call needs is one side; how often each form of it comes. */
const WEIGHTS = {
  object: 30, freshObject: 4, strangeObject: 2, cryptoKey: 3, pem: 24, pemBytes: 8, pemDisguised: 6, der: 12, text: 2, jwk: 12, raw: 5,
  encrypted: 3, certificate: 2, otherSide: 4, broken: 6, overwritten: 4, secret: 1, address: 1, odd: 1,
};
/** Forms that give the key that was asked for, whichever side is needed. */
const RIGHT = ['object', 'freshObject', 'cryptoKey', 'pem', 'pemBytes', 'der', 'jwk', 'raw'];

/** A form of a key; `right` leaves out those that may be another key, or none. */
export function keyForm(machine, rng, key, side, { right = false, weights = {} } = {}) {
  const all = { ...WEIGHTS, ...weights };
  const kind = rng.weighted(right ? Object.fromEntries(RIGHT.map((name) => [name, all[name]])) : all);
  const needed = key.sides.includes(side) ? side : 'public';
  const form = FORMS[kind](rng, key, needed, machine) ?? FORMS.object(rng, key, needed);
  if (kind === 'broken') form.doubtful = true;
  form.actual ??= key;
  return form;
}

/** Options on a `KeyObject` itself. */
const OWN = { padding: 6, dsaEncoding: 'ieee-p1363' };

const plain = (label, base, more, mine) => ({ label, base, fields: { key: base, ...more }, mine });

const FORMS = {
  object: (rng, key, side) => plain(`${key.name} ${side}`, key.object(side)),
  freshObject: (rng, key, side) => plain(`fresh ${key.name} ${side}`, key.fresh(side)),
  strangeObject(rng, key, side) {
    const kind = rng.pick(['frozen', 'proxied', 'heir', 'replaced', 'extended', 'cloned', 'shadowed']);
    const object = key.fresh(side);
    const value =
      kind === 'frozen' ? Object.freeze(object)
      : kind === 'proxied' ? new Proxy(object, {})
      : kind === 'heir' ? Object.create(object)
      : kind === 'replaced' ? Object.setPrototypeOf(object, rng.pick([null, Object.prototype, crypto.KeyObject.prototype]))
      : kind === 'cloned' ? structuredClone(object)
      : kind === 'extended' ? Object.assign(object, OWN, { key: 'none', format: 'jwk', passphrase: 'p' })
      : Object.defineProperty(object, 'export', { value: () => 'shadowed' });
    return { ...plain(`${kind} ${key.name} ${side}`, value), own: kind === 'extended' ? OWN : undefined };
  },
  cryptoKey(rng, key, side) {
    const made = cryptoKeyOf(key, side, rng.chance(0.3));
    return made === undefined ? undefined : plain(`CryptoKey ${key.name} ${side}`, made);
  },
  pem(rng, key, side) {
    const type = rng.pick(key.types(side));
    const text = key.pem(side, type);
    return text === undefined ? undefined : plain(`${key.name} ${type} PEM`, text, rng.chance(0.2) ? { format: 'pem' } : rng.chance(0.1) ? { format: 'pem', type } : {});
  },
  pemBytes(rng, key, side) {
    const type = rng.pick(key.types(side));
    const text = key.pem(side, type);
    if (text === undefined) return undefined;
    const drawn = rng.chance(0.5) ? plainBytes(rng, Buffer.from(text)) : bytesAs(rng, Buffer.from(text));
    return plain(`${key.name} ${type} PEM as ${drawn.label}`, drawn.value, rng.chance(0.2) ? { format: 'pem' } : {}, drawn.value);
  },
  pemDisguised(rng, key, side) {
    const type = rng.pick(key.types(side));
    const text = key.pem(side, type);
    if (text === undefined) return undefined;
    const kind = rng.pick(Object.keys(DISGUISES));
    const disguised = DISGUISES[kind](text, rng);
    return plain(`${key.name} ${type} PEM ${kind}`, rng.chance(0.3) ? Buffer.from(disguised) : disguised);
  },
  der(rng, key, side) {
    const parts = key.stored.pkcs8;
    const chosen = parts !== undefined && side === 'private' && rng.chance(0.6) ? rng.pick(Object.keys(parts)) : undefined;
    const type = chosen === undefined ? rng.pick(key.types(side)) : 'pkcs8';
    const der = chosen === undefined ? key.der(side, type) : Buffer.from(parts[chosen], 'base64');
    if (der === undefined) return undefined;
    const drawn = rng.chance(0.7) ? plainBytes(rng, der) : bytesAs(rng, der);
    const named = rng.weighted({ right: 20, none: 1, wrong: 1, nope: 1 });
    const given = named === 'right' ? type : named === 'wrong' ? rng.pick(['pkcs1', 'pkcs8', 'spki', 'sec1']) : named === 'nope' ? rng.pick(['pkcs12', '', null, 5]) : undefined;
    return { label: `${key.name} DER ${chosen ?? type} as ${drawn.label}, type ${String(given)}`, base: undefined, fields: { key: drawn.value, format: 'der', type: given }, mine: drawn.value };
  },
  /** Bytes written as text, in an encoding of the host's. */
  text(rng, key, side) {
    const type = rng.pick(key.types(side));
    const der = key.der(side, type);
    if (der === undefined) return undefined;
    const encoding = rng.pick(['hex', 'base64', 'base64url', 'latin1']);
    const said = rng.chance(0.8) ? encoding : rng.pick(['hex', 'utf8', 'nope', undefined, 'buffer', 5]);
    return { label: `${key.name} DER ${type} as ${encoding} text, said ${String(said)}`, base: undefined, fields: { key: der.toString(encoding), format: 'der', type, encoding: said } };
  },
  jwk(rng, key, side) {
    const jwk = key.jwk(side);
    if (jwk === undefined) return undefined;
    const more = rng.weighted({ none: 12, members: 3, order: 2, nullPrototype: 1, frozen: 1 });
    const value =
      more === 'members' ? { alg: 'whatever', use: 'sig', kid: 'a', ext: true, key_ops: ['sign'], ...jwk }
      : more === 'order' ? Object.fromEntries(Object.entries(jwk).reverse())
      : more === 'nullPrototype' ? { __proto__: null, ...jwk }
      : more === 'frozen' ? Object.freeze(jwk)
      : jwk;
    return { label: `${key.name} ${side} JWK ${more}`, base: undefined, fields: { key: value, format: 'jwk' }, mine: value };
  },
  raw(rng, key, side) {
    const format = side === 'public' ? 'raw-public' : rng.pick(['raw-private', 'raw-seed']);
    const bytes = key.raw(format);
    if (bytes === undefined) return undefined;
    const drawn = rng.chance(0.8) ? plainBytes(rng, bytes) : bytesAs(rng, bytes);
    const asymmetricKeyType = rng.chance(0.95) ? key.type : rng.pick(['ec', 'ed25519', 'rsa', undefined, 5]);
    const namedCurve = rng.chance(0.95) ? key.details.namedCurve : rng.pick(['P-256', 'P-384', 'nope', 5]);
    return { label: `${key.name} ${format} as ${drawn.label} of ${String(asymmetricKeyType)} ${String(namedCurve)}`, base: undefined, fields: { key: drawn.value, format, asymmetricKeyType, namedCurve }, mine: drawn.value };
  },
  encrypted(rng, key, side) {
    const own = encryptedKeys.filter(({ name }) => name === key.name);
    // One of them takes a fiftieth of a second to open.
    const stored = rng.pick((own.length > 0 ? own : encryptedKeys).filter(({ label }) => !label.endsWith('scrypt') || rng.chance(0.1)));
    const text = stored.passphrase.toString();
    const given = rng.weighted({ right: 10, bytes: 4, wrong: 3, missing: 2, ofAnother: 2, empty: 1, longer: 1, odd: 1, encoded: 1 });
    const fields = { key: stored.key, format: stored.format, ...(stored.format === 'der' ? { type: 'pkcs8' } : {}) };
    switch (given) {
      case 'right':
        fields.passphrase = Buffer.from(text).equals(stored.passphrase) ? text : stored.passphrase;
        break;
      case 'bytes':
        fields.passphrase = bytesAs(rng, stored.passphrase).value;
        break;
      case 'wrong':
        fields.passphrase = 'wrong';
        break;
      case 'ofAnother':
        fields.passphrase = rng.pick(encryptedKeys).passphrase;
        break;
      case 'empty':
        fields.passphrase = '';
        break;
      case 'longer':
        fields.passphrase = rng.pick([`${text}\0`, `${text} `, 'y'.repeat(1024), 'y'.repeat(1025), 'y'.repeat(2000)]);
        break;
      case 'odd':
        fields.passphrase = odd(rng).value;
        break;
      case 'encoded':
        Object.assign(fields, { passphrase: stored.passphrase.toString('hex'), encoding: 'hex', key: stored.format === 'der' ? stored.key : Buffer.from(stored.key) });
        break;
      default:
    }
    const base = given === 'missing' && stored.format === 'pem' ? stored.key : undefined;
    return { label: `${stored.label}, passphrase ${given}, for ${side}`, base, fields, actual: pool.get(stored.name) };
  },
  certificate(rng, key) {
    const own = Object.keys(certificates).filter((name) => certificates[name].key === key.name);
    const name = own.length > 0 && rng.chance(0.8) ? rng.pick(own) : rng.pick(Object.keys(certificates));
    const { pem } = certificates[name];
    const bytes = rng.chance(0.3);
    return { ...plain(`certificate ${name}${bytes ? ' as bytes' : ''}`, bytes ? Buffer.from(pem) : pem), actual: pool.get(certificates[name].key) };
  },
  /** A private key where a public one is needed works; the reverse does not. */
  otherSide(rng, key, side, machine) {
    const other = side === 'public' ? 'private' : 'public';
    if (!key.sides.includes(other)) return undefined;
    return FORMS[rng.pick(RIGHT)](rng, key, other, machine);
  },
  broken: brokenForm,
  /** One Buffer of the program's, which holds another key at each use: what is kept has to notice. */
  overwritten(rng, key, side, machine) {
    const name = rng.pick(OVERWRITING);
    const other = pool.get(name);
    const der = rng.chance(0.5);
    const type = side === 'private' ? 'pkcs8' : 'spki';
    const bytes = der ? other.der(side, type) : Buffer.from(other.pem(side, type));
    const held = (machine.overwritten[`${der} ${bytes.length}`] ??= Buffer.from(new ArrayBuffer(bytes.length)));
    held.set(bytes);
    const form = der
      ? { label: `held Buffer with ${name} DER`, base: undefined, fields: { key: held, format: 'der', type } }
      : plain(`held Buffer with ${name} PEM`, held);
    return { ...form, actual: other };
  },
  secret: (rng) => plain('secret KeyObject', crypto.createSecretKey(rng.fill(new Uint8Array(rng.pick([0, 16, 32]))))),
  /** Newer lines read private keys from a URL. */
  address: (rng) => plain('URL', new URL(rng.pick([file.href, 'file:///nonexistent/key.pem', 'https://example.com/key', 'pkcs11:object=key', 'file:///a%00b']))),
  odd(rng) {
    const drawn = odd(rng);
    return plain(drawn.label, drawn.value);
  },
};

/** Pairs whose encodings are equally long. */
const OVERWRITING = ['p256', 'p256b', 'ed25519', 'ed25519b', 'p384', 'p384b', 'x25519', 'x25519b', 'secp256k1', 'secp256k1b'];

const otherPem = () => pool.get('p256b').pem('public', 'spki');

/** Changes of a PEM text that leave it a key, for some readers at least. */
const DISGUISES = {
  'with CRLF': (pem) => pem.replaceAll('\n', '\r\n'),
  'with CR': (pem) => pem.replaceAll('\n', '\r'),
  'after text': (pem) => `some text\nand more: of it\n${pem}`,
  'after a comment on its line': (pem) => `text ${pem}`,
  'before text': (pem) => `${pem}some text\n`,
  trimmed: (pem) => pem.trim(),
  'after blank lines': (pem) => `\n\n  \n${pem}`,
  'with spaces at the ends of lines': (pem) => pem.replaceAll('\n', '  \n'),
  'with indentation': (pem) => pem.replaceAll('\n', '\n  '),
  'on one line': (pem) => pem.replace(/(-----\n)([^-]+)/, (_, head, body) => `${head}${body.replaceAll('\n', '')}\n`),
  'without any line end': (pem) => pem.replaceAll('\n', ''),
  'with escaped line ends': (pem) => pem.replaceAll('\n', '\\n'),
  'before another': (pem) => pem + otherPem(),
  'after another': (pem) => otherPem() + pem,
  'after a certificate': (pem) => certificates.edLeaf.pem + pem,
  'twice': (pem) => pem + pem,
  'after a byte order mark': (pem) => `\ufeff${pem}`,
  'with a zero at the end': (pem) => `${pem}\0`,
  'with a header': (pem) => pem.replace('-----\n', '-----\nComment: none\n\n'),
  'with short lines': (pem) => pem.replace(/[A-Za-z0-9+/]{40}/g, (line) => `${line}\n`),
  'of pieces': (pem, rng) => {
    const at = rng.below(pem.length);
    return `${pem.slice(0, at)}${pem.slice(at)}`;
  },
};

/** Names and parameters of Web Cryptography. */
function cryptoAlgorithm(key) {
  const { namedCurve, hashAlgorithm } = key.details;
  switch (key.family) {
    case 'rsa':
      return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    case 'pss':
      return { name: 'RSA-PSS', hash: hashAlgorithm === 'sha512' ? 'SHA-512' : 'SHA-256' };
    case 'ec':
      return { name: 'ECDSA', namedCurve: { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }[namedCurve] };
    default:
      return { name: { ed25519: 'Ed25519', ed448: 'Ed448', x25519: 'X25519', x448: 'X448' }[key.type] ?? key.type?.toUpperCase() };
  }
}

/** The key as a `CryptoKey`, where the host knows how. */
function cryptoKeyOf(key, side, extractable) {
  return key.once(`CryptoKey ${side} ${extractable}`, () => {
    const usages = { x: side === 'private' ? ['deriveBits'] : [], mlkem: side === 'private' ? ['decapsulateBits'] : ['encapsulateBits'] };
    return key.object(side).toCryptoKey(cryptoAlgorithm(key), extractable, usages[key.family] ?? (side === 'private' ? ['sign'] : ['verify']));
  });
}
