/**
 * Web Crypto: keys made in every way, and what is done with them.
 *
 * A result that chance has a part in is checked by the host's own method instead of being compared.
 */

import { show, showError, showView } from '../canonical.mjs';
import { crypto } from '../host.mjs';
import { odd, text, view } from '../values.mjs';
import { bytesAs, plainBytes } from './bytes.mjs';
import { oracle, pool } from './pool.mjs';
import { overwrite } from './ways.mjs';

const { subtle } = crypto.webcrypto;

/** Long enough to be beyond whatever is copied, on both sides. */
const LENGTHS = [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1000, 1024, 4079, 4080, 4095, 4096, 4097, 5000, 16_000, 16_383, 16_384, 16_385, 40_000];

function message(rng) {
  const length = rng.chance(0.06) ? 0 : rng.chance(0.8) ? rng.pick(LENGTHS.slice(0, 18)) : rng.pick(LENGTHS);
  return rng.fill(Buffer.alloc(length));
}

/** A `BufferSource`, mostly a plain one. */
function source(rng, bytes) {
  if (rng.chance(0.02)) return odd(rng);
  if (rng.chance(0.02)) return text(rng, 5);
  if (rng.chance(0.02)) return { ...view(rng, bytes.length, true), isOther: true };
  return (rng.chance(0.8) ? plainBytes : bytesAs)(rng, bytes);
}

const DIGESTS = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
const NEWER_DIGESTS = ['SHA3-256', 'SHA3-384', 'SHA3-512'];

/** The name of an algorithm, written in some way. */
function spelled(rng, name) {
  return rng.weighted({ [name]: 20, [name.toLowerCase()]: 3, [name.toUpperCase()]: 2, [`${name} `]: 1, [name.replaceAll('S', '\u017f')]: 1 });
}

/** A member in a label; a view that lies about itself must not be looked at. */
function plainly(value) {
  if (!ArrayBuffer.isView(value)) return value instanceof CryptoKey ? value.type : 'object';
  const prototype = Object.getPrototypeOf(value);
  const isPlain = (prototype === Buffer.prototype || prototype === Uint8Array.prototype) && !Object.hasOwn(value, 'byteLength');
  return isPlain && value.byteLength > 0 && value.byteLength <= 64 ? showView(value) : 'view';
}

/** An algorithm with those members, as a plain object or as an odd one. */
function dictionary(rng, members) {
  const name = spelled(rng, members.name);
  const own = { ...members, name };
  if (Object.keys(members).length === 1 && rng.chance(0.6)) return { value: name, label: JSON.stringify(name) };
  const label = Object.entries(own).map(([key, value]) => `${key}: ${typeof value === 'object' && value !== null ? (plainly(value)) : String(value)}`).join(', ');
  switch (rng.weighted({ plain: 40, nullPrototype: 3, more: 3, inherited: 1, getter: 1, proxy: 1, frozen: 2, instance: 1, undefinedMember: 1, without: 1 })) {
    case 'nullPrototype':
      return { value: Object.assign(Object.create(null), own), label: `bare {${label}}` };
    case 'more':
      return { value: { ...own, more: 1, [Symbol('more')]: 2 }, label: `{${label}, more}` };
    case 'inherited':
      return { value: Object.create(own), label: `inherits {${label}}` };
    case 'getter': {
      const key = rng.pick(Object.keys(own));
      return { value: Object.defineProperty({ ...own }, key, { get: () => own[key], enumerable: true }), label: `{${label}, ${key} by getter}` };
    }
    case 'proxy':
      return { value: new Proxy(own, {}), label: `proxy of {${label}}` };
    case 'frozen':
      return { value: Object.freeze(own), label: `frozen {${label}}` };
    case 'instance':
      return { value: Object.assign(new (class Algorithm {})(), own), label: `instance {${label}}` };
    case 'undefinedMember':
      return { value: { ...own, tagLength: undefined, additionalData: undefined, context: undefined }, label: `{${label}, undefined members}` };
    case 'without': {
      const key = rng.pick(Object.keys(own));
      const { [key]: _, ...rest } = own;
      return { value: rest, label: `{${label} without ${key}}` };
    }
    default:
      return { value: own, label: `{${label}}` };
  }
}

/** A digest as a member: text, or a dictionary. */
const hashMember = (rng, name) => (rng.chance(0.5) ? spelled(rng, name) : { name: spelled(rng, name) });

/** How many rounds of microtasks an answer that comes at once would take at most. */
const MICROTASKS = 24;

/**
 * Calls a method and records how its promise is settled, and whether that happened before anything
 * else of the loop had its turn. What the caller gave is overwritten once the call has returned.
 */
async function callMethod(machine, rng, name, args, label, shown, { mine = [], receiver = subtle, asksWhen = true } = {}) {
  let state = '';
  let promise;
  const method = subtle[name];
  try {
    promise = Reflect.apply(method, receiver, args);
  } catch (error) {
    machine.record(`subtle.${label}`, `threw at once: ${showError(error)}`);
    return undefined;
  }
  if (rng.chance(0.5)) for (const value of mine) overwrite(value);
  let result;
  let outcome;
  const watched = promise.then(
    (value) => {
      state ||= 'fulfilled at once';
      result = value;
    },
    (error) => {
      state ||= 'rejected at once';
      outcome = showError(error);
    },
  );
  for (let round = 0; round < MICROTASKS; round++) await undefined;
  state ||= 'later';
  await watched;
  outcome ??= await shown(result);
  const isPromise = Object.getPrototypeOf(promise) === Promise.prototype ? '' : ' no plain promise';
  machine.record(`subtle.${label}`, `${outcome}${asksWhen && state !== 'later' ? ` ${state}` : ''}${isPromise}`);
  return result;
}

const showBuffer = (value) => (value instanceof ArrayBuffer ? `ArrayBuffer ${showView(new Uint8Array(value))}` : show(value));

/** What a key says of itself. */
function showKey(key) {
  if (!(key instanceof CryptoKey)) return show(key);
  const { type, extractable, algorithm, usages } = key;
  return `${type} ${extractable} ${JSON.stringify(algorithm)} ${usages.join()}`;
}

/** What keys are for, by the name of the algorithm. */
const PURPOSES = {
  HMAC: ['sign', 'verify'], ECDSA: ['sign', 'verify'], Ed25519: ['sign', 'verify'], 'RSASSA-PKCS1-v1_5': ['sign', 'verify'], 'RSA-PSS': ['sign', 'verify'],
  'AES-GCM': ['encrypt', 'decrypt'], 'AES-CBC': ['encrypt', 'decrypt'], 'AES-CTR': ['encrypt', 'decrypt'], 'ML-DSA-65': ['sign', 'verify'],
  HKDF: ['deriveBits'], PBKDF2: ['deriveBits'], ECDH: ['deriveBits'], X25519: ['deriveBits'],
};
const SIGNING = { HMAC: 40, ECDSA: 25, Ed25519: 20, 'RSASSA-PKCS1-v1_5': 12, 'RSA-PSS': 10, 'ML-DSA-65': 5 };
const DERIVING = { HKDF: 45, PBKDF2: 15, ECDH: 30, X25519: 20 };
const ENCRYPTING = { 'AES-GCM': 50, 'AES-CBC': 25, 'AES-CTR': 30 };
const CURVES = { p256: 'P-256', p384: 'P-384', p521: 'P-521' };

function usagesFor(rng, name, side) {
  const all = PURPOSES[name];
  const right = all[0] === 'deriveBits' ? (side === 'public' ? [] : all) : side === 'private' ? ['sign'] : side === 'public' ? ['verify'] : all;
  const kind = rng.weighted({ right: 40, one: 4, wrong: 2, none: 1, twice: 1 });
  if (kind === 'one' && right.length > 0) return [rng.pick(right)];
  if (kind === 'wrong') return [right[0] === 'deriveBits' ? 'deriveKey' : 'deriveBits'];
  if (kind === 'none') return [];
  return kind === 'twice' ? [...right, ...right] : right;
}

/** Makes a key in some way, and keeps it with what is known of it. */
async function makeKey(machine, rng, name) {
  const extractable = rng.chance(0.5);
  const keep = (key, side, stored, hash) => machine.shelve(`web ${name}`, key, { key, side, stored, hash });
  if (name === 'HMAC' || name.startsWith('AES')) {
    const isMac = name === 'HMAC';
    const bytes = rng.fill(Buffer.alloc(isMac ? rng.pick([1, 16, 20, 32, 32, 64, 65, 200, 1025]) : rng.pick([16, 16, 32, 32, 24, 17])));
    const hash = rng.pick(rng.chance(0.05) ? NEWER_DIGESTS : DIGESTS);
    const algorithm = dictionary(rng, isMac ? { name, hash: hashMember(rng, hash), ...(rng.chance(0.1) ? { length: rng.pick([8 * bytes.length, 8 * bytes.length - 1, 8, 0]) } : {}) } : { name });
    const usages = usagesFor(rng, name, 'secret');
    const way = rng.weighted({ raw: 50, jwk: 20, generate: 12, rawSecret: 3, odd: 2 });
    if (way === 'generate') {
      const members = isMac ? { name, hash } : { name, length: rng.pick([128, 256, 192]) };
      const key = await callMethod(machine, rng, 'generateKey', [members, extractable, usages], `generateKey(${JSON.stringify(members)}, ${extractable}, ${usages})`, showKey, { asksWhen: false });
      const made = keep(key, 'secret', undefined, hash);
      if (made !== undefined) made.random = true;
      return;
    }
    const jwk = { kty: 'oct', k: bytes.toString('base64url'), ...(rng.chance(0.3) ? { ext: rng.chance(0.8) } : {}), ...(rng.chance(0.2) ? { key_ops: usages } : {}), ...(rng.chance(0.1) ? { use: 'sig' } : {}), ...(rng.chance(0.05) ? { k: `${bytes.toString('base64')}=` } : {}) };
    const format = { raw: 'raw', rawSecret: 'raw-secret', jwk: 'jwk', odd: rng.pick(['spki', 'other']) }[way];
    const given = way === 'jwk' ? { value: jwk, label: JSON.stringify(jwk) } : rng.chance(0.9) ? plainBytes(rng, bytes) : bytesAs(rng, bytes);
    const key = await callMethod(
      machine, rng, 'importKey', [format, given.value, algorithm.value, extractable, usages],
      `importKey(${format}, ${given.label}, ${algorithm.label}, ${extractable}, ${usages})`, showKey, { mine: [given.value], asksWhen: false },
    );
    keep(key, 'secret', undefined, hash);
    return;
  }
  if (name === 'HKDF' || name === 'PBKDF2') {
    const bytes = rng.fill(Buffer.alloc(rng.pick([0, 1, 16, 32, 32, 64, 200, 1025, 5000])));
    const algorithm = dictionary(rng, { name });
    const usages = usagesFor(rng, name, 'secret');
    const format = rng.weighted({ raw: 40, 'raw-secret': 4, jwk: 1 });
    const given = rng.chance(0.9) ? plainBytes(rng, bytes) : bytesAs(rng, bytes);
    const mayExport = rng.chance(0.05);
    const key = await callMethod(
      machine, rng, 'importKey', [format, given.value, algorithm.value, mayExport, usages],
      `importKey(${format}, ${given.label}, ${algorithm.label}, ${mayExport}, ${usages})`, showKey, { mine: [given.value], asksWhen: false },
    );
    keep(key, 'secret');
    return;
  }
  const names = { ECDH: ['p256', 'p256', 'p256b', 'p384', 'p521'], X25519: ['x25519', 'x25519b'], ECDSA: ['p256', 'p256', 'p384', 'p521'], Ed25519: ['ed25519', 'ed25519b'], 'ML-DSA-65': ['mldsa65'] }[name] ?? ['rsa2048', 'rsa1024'];
  const stored = pool.get(rng.pick(names.filter((one) => pool.has(one))));
  if (stored === undefined) {
    machine.record(`no ${name} here`, 'nothing');
    return;
  }
  const side = rng.chance(0.5) ? 'private' : 'public';
  const usages = usagesFor(rng, name, side);
  const hash = rng.pick(DIGESTS);
  const members = name.startsWith('EC') ? { name, namedCurve: CURVES[stored.name] ?? 'P-256' } : name.startsWith('RSA') ? { name, hash: hashMember(rng, hash) } : { name };
  const algorithm = dictionary(rng, members);
  const format = rng.weighted({ der: 50, jwk: 30, raw: 10 });
  const word = format === 'der' ? (side === 'private' ? 'pkcs8' : 'spki') : format;
  let data;
  let isDamaged = false;
  if (format === 'jwk') {
    const jwk = stored.jwk(side) ?? {};
    if (rng.chance(0.1)) jwk.ext = false;
    if (rng.chance(0.05)) jwk.d = pool.get('p256').jwk('private').d;
    data = { value: jwk, label: `${stored.name} as JWK ${jwk.ext}` };
  } else {
    const der = stored.der(side, word === 'raw' ? (side === 'private' ? 'pkcs8' : 'spki') : word);
    const bytes = word === 'raw' ? der.subarray(der.length - (name.endsWith('25519') ? 32 : { p256: 65, p384: 97, p521: 133 }[stored.name] ?? 65)) : der;
    const copy = Buffer.from(bytes);
    isDamaged = rng.chance(0.04);
    if (isDamaged) copy[rng.below(copy.length)] ^= 1 << rng.below(8);
    const given = rng.chance(0.9) ? plainBytes(rng, copy) : bytesAs(rng, copy);
    data = { value: given.value, label: `${stored.name} as ${given.label}` };
  }
  const key = await callMethod(
    machine, rng, 'importKey', [word, data.value, algorithm.value, extractable, usages],
    `importKey(${word}, ${data.label}, ${algorithm.label}, ${extractable}, ${usages})`, showKey, { mine: [data.value], asksWhen: false },
  );
  const made = keep(key, side, stored, hash);
  // With one of RSA every signature is another, as it is blinded.
  if (made !== undefined && isDamaged) made.random = true;
}

/** A key of that algorithm, or, for a few, something else. */
async function keyOf(machine, rng, name) {
  const shelf = () => machine.shelf[`web ${name}`] ?? [];
  if (shelf().length < 2 || rng.chance(0.15)) await makeKey(machine, rng, name);
  if (rng.chance(0.03)) {
    const others = Object.entries(machine.shelf).filter(([kind]) => kind.startsWith('web ')).flatMap(([, row]) => row);
    if (others.length > 0 && rng.chance(0.7)) return rng.pick(others);
    const value = odd(rng);
    return { key: value.value, name: value.label };
  }
  if (shelf().length === 0) return { key: undefined, name: 'none' };
  return rng.pick(shelf());
}

/** A way to call: mostly the usual one. */
function way(rng, args) {
  switch (rng.weighted({ usual: 60, more: 1, fewer: 1, receiver: 1 })) {
    case 'more':
      return { args: [...args, 'more'], note: ' and more' };
    case 'fewer':
      return { args: args.slice(0, rng.below(args.length)), note: ' and less' };
    case 'receiver':
      return { args, receiver: rng.pick([undefined, null, {}, crypto.webcrypto]), note: ' of another' };
    default:
      return { args, note: '' };
  }
}

/** On some lines a receiver that is wrong makes the message name that. */
async function method(machine, rng, name, args, label, shown, mine) {
  const { args: given, receiver, note } = way(rng, args);
  return callMethod(machine, rng, name, given, `${label}${note}`, shown, { mine, ...(note === ' of another' ? { receiver } : {}) });
}

function signatureAlgorithm(rng, name, key) {
  if (name === 'ECDSA') return dictionary(rng, { name, hash: hashMember(rng, rng.pick(rng.chance(0.1) ? NEWER_DIGESTS : DIGESTS)) });
  if (name === 'RSA-PSS') return dictionary(rng, { name, saltLength: rng.pick([0, 20, 32, 32, 64, 94, 190, 222, 254, 300]) });
  if (rng.chance(0.02)) return dictionary(rng, { name: rng.pick(Object.keys(PURPOSES)) });
  if (name === 'ML-DSA-65' && rng.chance(0.2)) return dictionary(rng, { name, context: Buffer.from('context') });
  return dictionary(rng, { name, ...(rng.chance(0.05) ? { hash: 'SHA-1', context: key?.name } : {}) });
}

const shape = (value) => (value instanceof ArrayBuffer ? `ArrayBuffer of ${value.byteLength}` : show(value));

const isRandom = (name) => name === 'ECDSA' || name === 'RSA-PSS' || name.startsWith('ML-DSA');

export const calls = {
  async subtleDigest(machine, rng) {
    const name = rng.pick(rng.chance(0.1) ? [...NEWER_DIGESTS, 'MD5', 'sha', 'HMAC'] : DIGESTS);
    const algorithm = rng.chance(0.03) ? odd(rng) : dictionary(rng, { name });
    const data = source(rng, message(rng));
    const count = rng.chance(0.05) ? 2 + rng.below(40) : 1;
    const jobs = [];
    for (let at = 0; at < count; at++) {
      jobs.push(() => method(machine, rng, 'digest', [algorithm.value, data.value], `digest(${algorithm.label}, ${data.label})`, showBuffer, count === 1 ? [data.value] : []));
    }
    for (const job of jobs) await job();
  },

  async subtleSign(machine, rng) {
    const name = rng.weighted(SIGNING);
    const { key, name: label, stored, side, random } = await keyOf(machine, rng, name);
    const algorithm = signatureAlgorithm(rng, name, key);
    const bytes = message(rng);
    const data = source(rng, bytes);
    const shown = async (signature) => {
      if (!(signature instanceof ArrayBuffer)) return show(signature);
      if (!isRandom(name) && random !== true) return showBuffer(signature);
      const ours = name === 'HMAC' ? ` ${await oracle.subtle.verify('HMAC', key, signature, bytes).catch(showError)}` : '';
      return `ArrayBuffer of ${signature.byteLength}${ours}`;
    };
    const signature = await method(machine, rng, 'sign', [algorithm.value, key, data.value], `sign(${algorithm.label}, ${label}, ${data.label})`, shown, [data.value]);
    if (!(signature instanceof ArrayBuffer) || stored === undefined || side !== 'private' || !isRandom(name)) return;
    // Of what chance has a part in, the host says whether it is right.
    let outcome;
    try {
      const given = typeof algorithm.value === 'string' ? { name: algorithm.value } : algorithm.value;
      const usual = { ...given, name };
      const members = name === 'ECDSA' ? { name, namedCurve: CURVES[stored.name] } : name === 'RSA-PSS' ? { name, hash: key.algorithm.hash } : { name };
      const publicKey = await oracle.subtle.importKey('spki', stored.der('public', 'spki'), members, true, ['verify']);
      outcome = await oracle.subtle.verify(usual, publicKey, signature, bytes);
    } catch (error) {
      outcome = showError(error);
    }
    machine.record('verified by the host', String(outcome));
  },

  async subtleVerify(machine, rng) {
    const name = rng.weighted(SIGNING);
    const { key, name: label, stored, hash } = await keyOf(machine, rng, name);
    const algorithm = signatureAlgorithm(rng, name, key);
    const bytes = message(rng);
    let signature = Buffer.alloc(rng.pick([20, 32, 64, 96, 128, 132, 256]));
    try {
      const usual = { ...(typeof algorithm.value === 'string' ? {} : algorithm.value), name };
      if (name === 'HMAC') {
        const copy = key.extractable ? Buffer.from(await oracle.subtle.exportKey('raw', key)) : undefined;
        if (copy !== undefined) signature = oracle.createHmac(key.algorithm.hash.name.replace('-', ''), copy).update(bytes).digest();
      } else if (stored !== undefined) {
        const members = name === 'ECDSA' ? { name, namedCurve: CURVES[stored.name] } : name.startsWith('RSA') ? { name, hash: key?.algorithm?.hash ?? hash } : { name };
        const privateKey = await oracle.subtle.importKey('pkcs8', stored.der('private', 'pkcs8'), members, false, ['sign']);
        signature = Buffer.from(await oracle.subtle.sign(usual, privateKey, bytes));
      }
    } catch {
      // Something that no signature can be made with.
    }
    const kind = rng.weighted({ right: 40, flipped: 12, cut: 3, long: 3, none: 1, message: 8 });
    if (kind === 'flipped' && signature.length > 0) signature[rng.below(signature.length)] ^= 1 << rng.below(8);
    if (kind === 'cut') signature = signature.subarray(1);
    if (kind === 'long') signature = Buffer.concat([signature, Buffer.alloc(1)]);
    if (kind === 'none') signature = Buffer.alloc(0);
    const signed = source(rng, kind === 'message' ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes);
    const given = source(rng, signature);
    await method(machine, rng, 'verify', [algorithm.value, key, given.value, signed.value], `verify(${algorithm.label}, ${label}, ${kind}, ${given.label}, ${signed.label})`, show, [given.value, signed.value]);
  },

  async subtleCrypt(machine, rng) {
    const name = rng.weighted(ENCRYPTING);
    const { key, name: label, random } = await keyOf(machine, rng, name);
    const bytes = message(rng);
    const optional = (chance, members) => (rng.chance(chance) ? members : {});
    const block = () => rng.fill(Buffer.alloc(rng.chance(0.95) ? 16 : rng.pick([0, 12, 15, 17])));
    let members;
    if (name === 'AES-GCM') {
      members = {
        name, iv: rng.fill(Buffer.alloc(rng.chance(0.85) ? 12 : rng.pick([0, 1, 8, 16, 64, 200]))),
        ...optional(0.3, { additionalData: rng.fill(Buffer.alloc(rng.pick([0, 1, 16, 100, 1024, 1025, 3000]))) }),
        ...optional(0.2, { tagLength: rng.pick([128, 128, 120, 96, 64, 32, 127, 0]) }),
      };
    } else if (name === 'AES-CBC') {
      members = { name, iv: block() };
    } else {
      const counter = block();
      if (rng.chance(0.3)) counter.fill(0xff, rng.pick([0, 8, 12, 13, 15]));
      members = { name, counter, length: rng.pick([64, 64, 128, 32, 31, 33, 16, 8, 1, 0, 129]) };
    }
    const algorithm = dictionary(rng, members);
    const mine = [members.iv, members.counter, members.additionalData].filter((value) => value !== undefined);
    const data = source(rng, bytes);
    const direction = rng.weighted({ encrypt: 50, decrypt: 50 });
    if (direction === 'encrypt') {
      const again = Object.fromEntries(Object.entries(members).map(([member, value]) => [member, ArrayBuffer.isView(value) ? Buffer.from(value) : value]));
      const shown = async (sealed) => {
        if (random !== true || !(sealed instanceof ArrayBuffer)) return showBuffer(sealed);
        return `ArrayBuffer of ${sealed.byteLength} opens to ${await oracle.subtle.decrypt(again, key, sealed).then(showBuffer, showError)}`;
      };
      await method(machine, rng, 'encrypt', [algorithm.value, key, data.value], `encrypt(${algorithm.label}, ${label}, ${data.label})`, shown, [data.value, ...mine]);
      return;
    }
    let sealed = bytes;
    try {
      sealed = Buffer.from(await oracle.subtle.encrypt(algorithm.value, key, bytes));
    } catch {
      // A key that is not for that, or something that nothing is encrypted with.
    }
    const kind = rng.weighted({ right: 40, flipped: 12, cut: 4, long: 3, short: 2, first: 4, last: 4 });
    if (sealed.length > 0) {
      if (kind === 'flipped') sealed[rng.below(sealed.length)] ^= 1 << rng.below(8);
      if (kind === 'first') sealed[0] ^= 1;
      if (kind === 'last') sealed[sealed.length - 1] ^= 1;
      if (kind === 'cut') sealed = sealed.subarray(1);
      if (kind === 'long') sealed = Buffer.concat([sealed, Buffer.alloc(1)]);
      if (kind === 'short') sealed = sealed.subarray(0, rng.below(17));
    }
    const given = source(rng, sealed);
    // What another key makes of a message is chance where nothing authenticates that.
    const opened = (value) => (value instanceof ArrayBuffer ? `the message ${Buffer.from(value).equals(bytes)}` : show(value));
    const isChance = random === true && name !== 'AES-GCM' && (kind !== 'right' || sealed === bytes || given.isOther === true);
    if (isChance) return;
    await method(machine, rng, 'decrypt', [algorithm.value, key, given.value], `decrypt(${algorithm.label}, ${label}, ${kind}, ${random === true ? given.label.replace(/\d+/, 'n') : given.label})`, random === true ? opened : showBuffer, [given.value, ...mine]);
  },

  async subtleDerive(machine, rng) {
    const name = rng.weighted(DERIVING);
    const first = await keyOf(machine, rng, name);
    let label = first.name;
    const bytes = () => rng.fill(Buffer.alloc(rng.pick([0, 0, 1, 8, 16, 32, 64, 200, 2000])));
    const hash = hashMember(rng, rng.pick(rng.chance(0.08) ? [...NEWER_DIGESTS, 'MD5'] : DIGESTS));
    let members;
    const mine = [];
    if (name === 'HKDF') {
      const [salt, info] = [source(rng, bytes()), source(rng, bytes())];
      members = { name, hash, salt: salt.value, info: info.value };
      mine.push(salt.value, info.value);
      label += ` ${salt.label} ${info.label}`;
    } else if (name === 'PBKDF2') {
      const salt = source(rng, bytes());
      members = { name, hash, salt: salt.value, iterations: rng.pick([0, 1, 2, 20, 20, 100, 1000, 1.5, -1, 2 ** 32]) };
      mine.push(salt.value);
      label += ` ${salt.label}`;
    } else {
      const other = await keyOf(machine, rng, name);
      members = { name, public: other.key };
      label += ` ${other.name}`;
    }
    const algorithm = dictionary(rng, members);
    const length = rng.weighted({ 256: 30, 128: 10, 8: 3, 264: 4, 384: 5, 512: 8, 528: 4, 4096: 3, 4104: 3, 8160: 2, 16: 2, 0: 3, 7: 2, 257: 2, null: 14, undefined: 2, text: 1, 1000000: 1 });
    const given = { null: null, undefined: undefined, text: '256' }[length];
    await method(machine, rng, 'deriveBits', [algorithm.value, first.key, length in { null: 0, undefined: 0, text: 0 } ? given : Number(length)], `deriveBits(${algorithm.label}, ${label}, ${length})`, showBuffer, mine);
  },

  /** What a program may do to a key, or with it. */
  async subtleKey(machine, rng) {
    const name = rng.weighted({ ...SIGNING, ...ENCRYPTING, ...DERIVING });
    const { key, name: label, random } = await keyOf(machine, rng, name);
    if (!(key instanceof CryptoKey)) return;
    switch (rng.weighted({ clone: 6, export: 4, algorithm: 3, usages: 3, own: 2, frozen: 1, read: 4 })) {
      case 'clone': {
        const copy = structuredClone(key);
        machine.shelve(`web ${name}`, copy, { key: copy, random });
        machine.record(`structuredClone(${label})`, showKey(copy));
        return;
      }
      case 'export':
        await callMethod(machine, rng, 'exportKey', ['jwk', key], `exportKey(jwk, ${label})`, (jwk) => (random === true ? Object.keys(jwk).join() : JSON.stringify(jwk)), { asksWhen: false });
        return;
      case 'algorithm':
        // On older lines this is what the host goes by.
        machine.call(rng, `${label}.algorithm is changed`, () => {
          if (key.algorithm.hash !== undefined) key.algorithm.hash.name = rng.pick(DIGESTS);
          else if (key.algorithm.length !== undefined) key.algorithm.name = 'AES-GCM';
          else key.algorithm.name = 'HMAC';
        });
        return;
      case 'usages':
        machine.call(rng, `${label}.usages is changed`, () => (rng.chance(0.5) ? key.usages.push(rng.pick(PURPOSES[name])) : key.usages.pop()));
        return;
      case 'own':
        machine.call(rng, `${label} gets properties`, () => Object.defineProperty(key, 'usages', { value: ['sign', 'verify', 'encrypt', 'decrypt'], configurable: true }));
        return;
      case 'frozen':
        machine.call(rng, `${label} is frozen`, () => Object.isFrozen(Object.freeze(key)));
        return;
      default:
        machine.record(label, showKey(key));
    }
  },
};
