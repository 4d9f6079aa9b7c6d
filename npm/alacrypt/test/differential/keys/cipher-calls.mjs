/**
 * `publicEncrypt`, `privateDecrypt`, `privateEncrypt`, `publicDecrypt`.
 *
 * Ciphertexts are padded here, by a seeded generator, so that both sides are given the same: what a
 * host answers to a broken one may depend on every bit of it.
 */

import { show, showView } from '../canonical.mjs';
import { crypto } from '../host.mjs';
import { encoding, odd, text } from '../values.mjs';
import { bytesAs, copyOf, plainBytes } from './bytes.mjs';
import { keyForm } from './forms.mjs';
import { keyArgument } from './options.mjs';
import { attempt, keyFor, oracle, weightedKeys } from './pool.mjs';
import { shape } from './signatures.mjs';
import { callAnyWay } from './ways.mjs';

const { RSA_PKCS1_PADDING: PKCS1, RSA_PKCS1_OAEP_PADDING: OAEP, RSA_NO_PADDING: NONE, RSA_PKCS1_PSS_PADDING: PSS } = crypto.constants;

const KEYS = weightedKeys({
  rsa2048: 40, rsa2048b: 10, rsa1024: 40, rsa1024b: 10, rsa512: 8, rsa1023: 6, rsa1025: 6, rsa1536: 5, rsa2041: 4, rsa2048e3: 5, rsa2048e32: 4, rsa2048e65: 3, rsa2048primes3: 3, rsa3072: 3, rsa4096: 1,
  pss2048: 2, p256: 2, ed25519: 2, x25519: 1, dh14: 1, rsa8192: 1, rsa16384: 1, mldsa44: 1,
});

const HASHES = ['sha1', 'sha256', 'sha512', 'sha384', 'sha224', 'SHA256', 'sha-256', 'sha3-256', 'md5', 'RSA-SHA256', 'sha512-256'];
const LABELS = [Buffer.alloc(0), Buffer.from('a label'), Buffer.alloc(300, 4)];

/** Options beside the key: padding, hashes, label, and the encoding of texts. */
function cipherOptions(rng, usual) {
  const fields = {};
  // Where the default is another padding, OAEP and its options are refused.
  const oaep = usual[0] === OAEP || rng.chance(0.1);
  if (rng.chance(0.55)) fields.padding = rng.chance(0.92) ? rng.pick(oaep ? usual : usual.filter((padding) => padding !== OAEP)) : rng.pick([0, 2, 5, PSS, 7, -1, '4', 1.5, null, NaN, {}, 2 ** 32 + 4, undefined]);
  if (oaep && rng.chance(0.5)) {
    fields.oaepHash = rng.chance(0.93) ? rng.pick(HASHES) : rng.pick(['nope', '', null, 5, undefined, {}, 'shake128']);
    if (rng.chance(0.1)) fields.mgf1Hash = rng.chance(0.8) ? rng.pick(['sha1', 'sha256']) : rng.pick(['nope', null, 5]);
  }
  if (oaep && rng.chance(0.3)) fields.oaepLabel = rng.chance(0.6) ? rng.pick(LABELS) : rng.chance(0.6) ? bytesAs(rng, LABELS[1]).value : rng.pick(['a label', '', null, 5, {}]);
  if (rng.chance(0.2)) fields.encoding = rng.chance(0.6) ? rng.pick(['hex', 'base64', 'latin1', 'utf8', 'nope']) : encoding(rng).value;
  const label = Object.entries(fields).map(([name, value]) => `${name} ${ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? 'bytes' : show(value)}`).join(' ');
  return { fields, label };
}

/** Whether a host takes this object for an OAEP call, and with what. */
function oaepOf(fields) {
  const hash = typeof fields.oaepHash === 'string' ? fields.oaepHash : 'sha1';
  const mgf = typeof fields.mgf1Hash === 'string' ? fields.mgf1Hash : hash;
  return { hash, mgf, label: copyOf(fields.oaepLabel) ?? Buffer.alloc(0) };
}

const digestOf = (name, bytes) => oracle.createHash(name).update(bytes).digest();

/** MGF1 (RFC 8017, appendix B.2.1). */
function mask(name, seed, size) {
  const parts = [];
  for (let counter = 0, length = 0; length < size; counter++) {
    const block = digestOf(name, Buffer.concat([seed, Buffer.from([0, 0, 0, counter])]));
    parts.push(block);
    length += block.length;
  }
  return Buffer.concat(parts).subarray(0, size);
}

const xor = (one, other) => Buffer.from(one.map((byte, at) => byte ^ other[at]));

/** EME-OAEP (RFC 8017, section 7.1.1), or something that fails the checks of section 7.1.2. */
function oaepBlock(rng, size, message, { hash, mgf, label }, fault) {
  const lHash = digestOf(hash, fault === 'label' ? Buffer.concat([label, Buffer.from('x')]) : label);
  const zeros = Buffer.alloc(Math.max(0, size - message.length - 2 * lHash.length - 2));
  const data = Buffer.concat([lHash, zeros, Buffer.from([fault === 'separator' ? 2 : 1]), message]);
  if (fault === 'zeros' && zeros.length > 0) data[lHash.length] = 3;
  const seed = rng.fill(Buffer.alloc(lHash.length));
  const masked = xor(data, mask(mgf, seed, data.length));
  return Buffer.concat([Buffer.from([fault === 'first' ? 1 : 0]), xor(seed, mask(mgf, masked, seed.length)), masked]);
}

/** EME-PKCS1-v1_5 (RFC 8017, section 7.2.1), or something that fails its checks. */
function pkcs1Block(rng, size, message, fault) {
  const padding = rng.fill(Buffer.alloc(Math.max(0, size - message.length - 3))).map((byte) => byte | 1);
  if (fault === 'zeros' && padding.length > 0) padding[rng.below(Math.min(8, padding.length))] = 0;
  return Buffer.concat([Buffer.from([fault === 'first' ? 1 : 0, fault === 'label' ? 1 : 2]), padding, Buffer.from([fault === 'separator' ? 7 : 0]), message]);
}

/** What is inside, by section 7.2.2: some hosts do not decrypt this any more. */
function openPkcs1(key, sealed) {
  const block = attempt(() => oracle.privateDecrypt({ key: key.object('private'), padding: NONE }, sealed));
  const end = block?.indexOf(0, 2) ?? -1;
  return end >= 10 && block[0] === 0 && block[1] === 2 ? block.subarray(end + 1) : undefined;
}

/** A message of a length at which something changes for a modulus of `size` bytes. */
function plaintext(rng, size) {
  const most = rng.pick([size - 42, size - 66, size - 130, size - 11, size]);
  const length = rng.chance(0.6) ? rng.pick([0, 1, 16, 24, 32, 33]) : Math.max(0, most + rng.below(3) - 1);
  return rng.fill(Buffer.alloc(length));
}

const sizeOf = (key) => Math.ceil((key.details.modulusLength ?? 1024) / 8);

/** Bytes in any form, text among them. */
function passedAs(rng, bytes, fields) {
  const kind = rng.weighted({ plain: 30, any: 10, text: typeof fields.encoding === 'string' ? 30 : 4, odd: 1 });
  if (kind === 'text') return typeof fields.encoding === 'string' && ['hex', 'base64', 'latin1'].includes(fields.encoding) ? { value: bytes.toString(fields.encoding), label: 'text' } : text(rng, 20);
  if (kind === 'odd') return odd(rng);
  return (kind === 'plain' ? plainBytes : bytesAs)(rng, bytes);
}

/** What a host reads a text as. */
const bytesOfText = (value, said) => (said === undefined || typeof said === 'string' ? attempt(() => Buffer.from(value, said === 'buffer' ? 'utf8' : said)) : undefined);

async function call(machine, rng, name, side, usual, make, shown) {
  const key = keyFor(machine, rng, 'cipher', KEYS);
  const form = keyForm(machine, rng, key, side, { weights: { broken: 4 } });
  const { fields, label } = cipherOptions(rng, usual);
  const bytes = make(key, fields);
  const passed = passedAs(rng, bytes.value, fields);
  const argument = keyArgument(machine, rng, form, { fields, label });
  const given = typeof passed.value === 'string' ? bytesOfText(passed.value, fields.encoding) : copyOf(passed.value);
  await callAnyWay(machine, rng, { sync: name }, [argument.value, passed.value], `${name}(${argument.label}, ${bytes.label} as ${passed.label})`, (result) => (ArrayBuffer.isView(result) ? shown(result, { form, fields: argument.fields, given }) : show(result)), [form.mine, passed.value].filter((value) => typeof value === 'object'));
}

const exact = (result, { form }) => (form.doubtful ? `${shape(result)} ${result.length}` : showView(result));

const FAULTS = { none: 40, first: 4, label: 4, separator: 4, zeros: 4 };

export const calls = {
  publicEncrypt: (machine, rng) =>
    call(
      machine, rng, 'publicEncrypt', 'public', [OAEP, OAEP, PKCS1, NONE],
      (key, fields) => {
        const value = fields.padding === NONE && rng.chance(0.7) ? rng.fill(Buffer.alloc(sizeOf(key))) : plaintext(rng, sizeOf(key));
        if (fields.padding === NONE && value.length > 0) value[0] = 0;
        return { value, label: `${value.length} bytes` };
      },
      (result, { form, fields, given }) => {
        // A padding of 0, `NaN` or `null` counts as none given.
        if (form.doubtful || (fields.padding || OAEP) === NONE) return exact(result, { form });
        const opened = fields.padding === PKCS1 ? openPkcs1(form.actual, result) : attempt(() => oracle.privateDecrypt({ key: form.actual.object('private'), ...fields }, result));
        return `${shape(result)} ${result.length} opens ${opened === undefined ? 'never' : given !== undefined && opened.equals(Buffer.from(given))}`;
      },
    ),

  privateDecrypt: (machine, rng) =>
    call(
      machine, rng, 'privateDecrypt', 'private', [OAEP, OAEP, OAEP, PKCS1, NONE],
      (key, fields) => {
        const size = sizeOf(key);
        const fault = rng.weighted(FAULTS);
        const padding = fields.padding || OAEP;
        const message = plaintext(rng, size);
        const block = attempt(() => (padding === PKCS1 ? pkcs1Block(rng, size, message, fault) : padding === NONE ? Buffer.concat([Buffer.alloc(1), rng.fill(Buffer.alloc(size - 1))]) : oaepBlock(rng, size, message, oaepOf(fields), fault)));
        const sealed = attempt(() => oracle.publicEncrypt({ key: key.object('public'), padding: NONE }, block)) ?? rng.fill(Buffer.alloc(size, 1));
        const change = rng.weighted({ none: 40, flipped: 6, cut: 2, long: 2, zeros: 1, ones: 1, empty: 1 });
        const value = { none: sealed, flipped: Buffer.from(sealed), cut: sealed.subarray(0, -1), long: Buffer.concat([Buffer.alloc(1), sealed]), zeros: Buffer.alloc(size), ones: Buffer.alloc(size, 0xff), empty: Buffer.alloc(0) }[change];
        if (change === 'flipped') value[rng.below(value.length)] ^= 1 << rng.below(8);
        return { value, label: `${message.length} bytes sealed, fault ${fault}, ${change}` };
      },
      exact,
    ),

  privateEncrypt: (machine, rng) =>
    call(
      machine, rng, 'privateEncrypt', 'private', [PKCS1, PKCS1, NONE, OAEP],
      (key, fields) => {
        const value = fields.padding === NONE && rng.chance(0.7) ? Buffer.concat([Buffer.alloc(1), rng.fill(Buffer.alloc(sizeOf(key) - 1))]) : plaintext(rng, sizeOf(key));
        return { value, label: `${value.length} bytes` };
      },
      exact,
    ),

  publicDecrypt: (machine, rng) =>
    call(
      machine, rng, 'publicDecrypt', 'public', [PKCS1, PKCS1, NONE, OAEP],
      (key) => {
        const message = plaintext(rng, sizeOf(key)).subarray(0, Math.max(0, sizeOf(key) - 11));
        const sealed = attempt(() => oracle.privateEncrypt({ key: key.object('private'), padding: PKCS1 }, message)) ?? Buffer.alloc(sizeOf(key), 1);
        const change = rng.weighted({ none: 40, flipped: 6, cut: 2, long: 2, zeros: 1, ones: 1, empty: 1 });
        const value = { none: sealed, flipped: Buffer.from(sealed), cut: sealed.subarray(0, -1), long: Buffer.concat([Buffer.alloc(1), sealed]), zeros: Buffer.alloc(sealed.length), ones: Buffer.alloc(sealed.length, 0xff), empty: Buffer.alloc(0) }[change];
        if (change === 'flipped') value[rng.below(value.length)] ^= 1 << rng.below(8);
        return { value, label: `${message.length} bytes, ${change}` };
      },
      exact,
    ),
};
