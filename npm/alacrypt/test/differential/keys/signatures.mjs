/**
 * Signatures: how they are shown when no two are the same, made by the host's own functions, and
 * changed.
 */

import { showView } from '../canonical.mjs';
import { PSS } from './options.mjs';
import { attempt, message, oracle, pool } from './pool.mjs';

/** Whether the same call gives another signature each time. */
export function isRandomised(key, fields) {
  if (key.family === 'rsa' || key.family === 'pss') return (key.family === 'pss' || fields.padding === PSS) && !Object.is(fields.saltLength, 0);
  return key.family !== 'ed';
}

/** Whether its signatures are DER: hosts do not count SM2 among the keys that have two encodings. */
export function isDerEncoded(key, fields) {
  return (key.family === 'ec' || key.family === 'dsa') && (fields.dsaEncoding !== 'ieee-p1363' || key.name === 'sm2');
}

/** What can be compared of a value whose bytes and even length are chance. */
export function shape(view) {
  if (!ArrayBuffer.isView(view)) return `${typeof view}`;
  const own = `${view.byteOffset}+${view.buffer.byteLength - view.byteLength}`;
  return `${view.constructor.name}@${own} ${Buffer.isBuffer(view) ? 'buffer' : ''}`;
}

/** An ECDSA signature in DER, each number as short as it can be (X.690, section 8.3.2). */
export function isMinimalDer(bytes) {
  const at = bytes[1] === 0x81 ? 3 : 2;
  if (bytes[0] !== 0x30 || (at === 3 && bytes[2] < 128) || bytes[at - 1] !== bytes.length - at) return false;
  const r = bytes[at + 1];
  const s = bytes[at + 3 + r];
  const minimal = (from, size) => bytes[from - 2] === 2 && size > 0 && bytes[from] < 128 && (size === 1 || bytes[from] !== 0 || bytes[from + 1] >= 128);
  return at + r + s + 4 === bytes.length && minimal(at + 2, r) && minimal(at + 4 + r, s);
}

/**
 * A signature that ours or the host made: exact where it is the same each time, else its shape and
 * what the host's own function says of it. `data` is what was signed, if that is known.
 */
export function showSignature(signature, { form, fields, digest, data, encoding }) {
  if (form.doubtful) return `${shape(signature)}`;
  const key = form.actual;
  if (!isRandomised(key, fields)) return typeof signature === 'string' ? signature : showView(signature);
  const bytes = typeof signature === 'string' ? Buffer.from(signature, encoding) : signature;
  const isDer = isDerEncoded(key, fields);
  const parts = [shape(signature), isDer ? `DER ${isMinimalDer(bytes)}` : `${bytes.length}`];
  if (data === undefined) return parts.join(' ');
  const verified = (given) => attempt(() => oracle.verify(digest, data, { key: key.object('public'), ...fields, ...given }, bytes));
  parts.push(`verified ${verified()}`);
  if (key.family === 'rsa' || key.family === 'pss') {
    const size = attempt(() => oracle.createHash(digest).digest().length);
    const most = Math.ceil(((key.details.modulusLength ?? 0) - 1) / 8) - size - 2;
    for (const [name, saltLength] of Object.entries({ digest: size, most, twenty: 20 })) parts.push(`${name} ${verified({ saltLength })}`);
  }
  return parts.join(' ');
}

const made = new Map();

/**
 * A true signature of a fixed message by the host's own function; `undefined` if it refuses.
 * `how` tells digests and options apart.
 */
export function trueSignature(key, { digest, fields, how, drawn }) {
  if (key.family === 'slhdsa') return key.stored.signature === undefined ? undefined : Buffer.from(key.stored.signature, 'base64');
  if (!key.sides.includes('private')) return undefined;
  const known = `${key.name} ${how} ${drawn.id}`;
  if (!made.has(known)) made.set(known, attempt(() => oracle.sign(digest, drawn.bytes, { key: key.object('private'), ...fields })));
  return made.get(known);
}

/** The one message whose signature by slow keys is known. */
export const slowMessage = { id: 'slow', bytes: Buffer.from(message), value: message, label: 'the known message' };

/** Group orders (SEC 2, FIPS 186). */
const ORDERS = {
  prime256v1: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  secp384r1: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
};

const number = (bytes) => BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
const fixed = (value, size) => Buffer.from(value.toString(16).padStart(size * 2, '0').slice(-size * 2), 'hex');

function derNumber(bytes) {
  let at = 0;
  while (at < bytes.length - 1 && bytes[at] === 0) at++;
  const body = bytes[at] >= 128 ? Buffer.concat([Buffer.alloc(1), bytes.subarray(at)]) : bytes.subarray(at);
  return Buffer.concat([Buffer.from([2, body.length]), body]);
}

function derSignature(r, s) {
  const body = Buffer.concat([derNumber(r), derNumber(s)]);
  return Buffer.concat([Buffer.from(body.length < 128 ? [0x30, body.length] : [0x30, 0x81, body.length]), body]);
}

/** `r` and `s` of a signature in either encoding. */
function halves(signature, isDer) {
  if (!isDer) return [signature.subarray(0, signature.length / 2), signature.subarray(signature.length / 2)];
  const at = signature[1] === 0x81 ? 3 : 2;
  const r = signature[at + 1];
  return [signature.subarray(at + 2, at + 2 + r), signature.subarray(at + 4 + r)];
}

const WEIGHTS = { right: 46, flipped: 9, cut: 4, longer: 4, empty: 2, otherEncoding: 4, otherKey: 4, otherSize: 2, zeros: 2, high: 4, reduced: 2, loose: 3, front: 1, ones: 1 };

/**
 * A signature for a call of `verify`: right, or wrong in one way. What is wrong is drawn; where in
 * it does not depend on the signature's own length, which is chance.
 */
export function givenSignature(rng, key, about) {
  const { fields } = about;
  const right = trueSignature(key, about) ?? Buffer.alloc(64, 9);
  const kind = rng.weighted(WEIGHTS);
  const isDer = isDerEncoded(key, fields);
  const isPair = key.family === 'ec' || key.family === 'dsa';
  const order = ORDERS[key.details.namedCurve];
  const paired = (change) => {
    if (!isPair || right.length < 16) return right;
    const [r, s] = halves(right, isDer);
    return change(r, s, isDer ? derSignature : (one, other) => Buffer.concat([one, other]));
  };
  const size = Math.ceil((order ?? 1n).toString(16).length / 2);
  const changes = {
    right: () => right,
    flipped() {
      const changed = Buffer.from(right);
      changed[rng.below(8) === 0 ? rng.below(4) : 8 + rng.below(changed.length > 60 ? 50 : Math.max(1, changed.length - 8))] ^= 1 << rng.below(8);
      return changed;
    },
    // The first byte of a randomised RSA signature may be a zero, which some hosts do not miss.
    cut: () => (rng.chance(0.5) || isRandomised(key, fields) ? right.subarray(0, -1 - rng.below(3)) : right.subarray(1 + rng.below(2))),
    longer: () => Buffer.concat([right, Buffer.alloc(1 + rng.below(3), rng.pick([0, 1]))]),
    front: () => Buffer.concat([Buffer.alloc(1), right]),
    empty: () => Buffer.alloc(0),
    otherEncoding: () => paired((r, s) => (isDer ? Buffer.concat([fixed(number(r), size), fixed(number(s), size)]) : derSignature(r, s))),
    otherKey: () => trueSignature(pool.get(`${key.name.replace(/b$/, '')}b`) ?? key, about) ?? right,
    otherSize: () => Buffer.alloc(rng.pick([1, 32, 63, 64, 65, 114, 128, 256, 512, 3309])),
    zeros: () => paired((_r, _s, join) => join(Buffer.alloc(isDer ? 1 : size), Buffer.alloc(isDer ? 1 : size))),
    // The other root of the same equation: what OpenSSL makes half of the time (s > n/2), or not.
    high: () => (order === undefined ? right : paired((r, s, join) => join(r, fixed(order - number(s), size)))),
    // `s + n`, the same modulo the order.
    reduced: () => (order === undefined || !isDer ? right : paired((r, s, join) => join(r, fixed(order + number(s), size + 1)))),
    // Numbers longer than they need to be.
    loose: () => (isDer ? paired((r, s) => {
      const body = Buffer.concat([Buffer.from([2, r.length + 1, 0]), r, Buffer.from([2, s.length]), s]);
      return Buffer.concat([Buffer.from(rng.chance(0.5) && body.length < 128 ? [0x30, 0x81, body.length] : body.length < 128 ? [0x30, body.length] : [0x30, 0x81, body.length]), body]);
    }) : right),
    ones: () => Buffer.alloc(right.length, 0xff),
  };
  return { bytes: changes[kind](), label: `signature ${kind}` };
}
