/**
 * `createCipheriv` and `createDecipheriv`: objects that take a message in pieces, by `update` or as
 * streams. What is to be decrypted was encrypted by the host, and then changed now and then.
 */

import { Readable } from 'node:stream';
import util from 'node:util';

import { namePrototype, show, showError } from '../canonical.mjs';
import { crypto, hostFails } from '../host.mjs';
import { encodedText, encoding, odd, plainView, text, view } from '../values.mjs';
import { bytesAs, plainBytes } from './bytes.mjs';
import { attempt, oracle } from './pool.mjs';
import { overwrite } from './ways.mjs';

const { Cipheriv, Decipheriv } = crypto;
namePrototype(Cipheriv.prototype, 'Cipheriv.prototype');
namePrototype(Decipheriv.prototype, 'Decipheriv.prototype');

const METHODS = ['update', 'final', 'setAutoPadding', 'setAAD'];
const kept = {
  encrypt: Object.fromEntries([...METHODS, 'getAuthTag'].map((name) => [name, Cipheriv.prototype[name]])),
  decrypt: Object.fromEntries([...METHODS, 'setAuthTag'].map((name) => [name, Decipheriv.prototype[name]])),
};

/** Name, length of the key, lengths of the IV with the usual one first. */
const GCM = [12, 12, 12, 12, 12, 16, 1, 8, 13, 64, 65, 100, 0];
const IV = [16, 16, 16, 16, 16, 16, 12, 15, 17, 0];
const NONE = [0, 0, 0, 0, 16];
const CIPHERS = [];
for (const bits of [128, 192, 256]) {
  const add = (times, ivs, ...names) => names.forEach((name) => CIPHERS.push(...Array.from({ length: times }, () => ({ name, keyLength: bits / 8, ivs }))));
  add(8, GCM, `aes-${bits}-gcm`);
  add(2, GCM, `AES-${bits}-GCM`, `id-aes${bits}-GCM`);
  add(5, IV, `aes-${bits}-cbc`);
  add(4, IV, `aes-${bits}-ctr`);
  add(4, NONE, `aes-${bits}-ecb`);
  add(2, IV, `aes-${bits}-cfb`, `aes-${bits}-ofb`, `aes${bits}`);
  add(1, IV, `AES-${bits}-CBC`, `Aes-${bits}-Cbc`, `aes-${bits}-cfb8`, `aes-${bits}-cfb1`);
  add(1, [12, 7, 13], `aes-${bits}-ccm`, `aes-${bits}-ocb`);
  add(2, [8, 8, 8, 8, 8, 8, 4, 0], `id-aes${bits}-wrap`, `aes${bits}-wrap`);
  add(2, [4, 4, 4, 4, 4, 4, 8, 0], `id-aes${bits}-wrap-pad`);
  add(1, [4], `aes${bits}-wrap-pad`, `aes-${bits}-wrap-pad`);
  add(2, [12, 12, 12, 12, 8, 16], `aes-${bits}-gcm-siv`);
}
CIPHERS.push(
  ...Array.from({ length: 10 }, () => ({ name: 'chacha20-poly1305', keyLength: 32, ivs: [12, 12, 12, 12, 8, 13, 16, 0] })),
  { name: 'ChaCha20-Poly1305', keyLength: 32, ivs: [12] },
  { name: 'chacha20', keyLength: 32, ivs: [16] },
  { name: 'aes-128-xts', keyLength: 32, ivs: [16] },
  ...Array.from({ length: 5 }, () => ({ name: 'aes-256-xts', keyLength: 64, ivs: IV })),
  { name: 'des-ede3-cbc', keyLength: 24, ivs: [8] },
  { name: 'camellia-256-cbc', keyLength: 32, ivs: [16] },
  { name: 'aria-128-gcm', keyLength: 16, ivs: [12] },
  { name: 'none', keyLength: 32, ivs: [12] },
  { name: 'sha256', keyLength: 32, ivs: [12] },
  { name: '', keyLength: 32, ivs: [16] },
);

const isAead = (name) => /gcm|ccm|ocb|poly1305/i.test(name);

/** Lengths of messages: blocks, what is copied, what is not. */
const SIZES = {
  small: [0, 1, 2, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129, 200],
  medium: [1000, 1023, 1024, 1365, 1366, 2048, 4080, 4095, 4096, 4097, 4112],
  large: [5120, 8192, 16_384, 16_385, 65_536, 100_000],
};
const size = (rng) => rng.pick(SIZES[rng.weighted({ small: 70, medium: 20, large: 10 })]);
const bytes = (rng, length) => Buffer.from(rng.fill(new Uint8Array(length)));

/** A key of the right length, mostly, in some form. */
function drawKey(rng, machine, keyLength) {
  const length = rng.chance(0.96) ? keyLength : rng.pick([0, 1, 8, 16, 24, 31, 32, 33, 64]);
  const actual = bytes(rng, length);
  // Of XTS with equal halves.
  if (length === 64 && rng.chance(0.1)) actual.copyWithin(32, 0, 32);
  const kind = rng.weighted({ plain: 40, any: 6, text: 8, object: 14, again: 25, odd: 2, wide: 1 });
  switch (kind) {
    case 'plain':
      return { ...plainBytes(rng, actual), actual };
    case 'any':
      return { ...bytesAs(rng, actual), actual };
    case 'text': {
      const ascii = Buffer.from(actual.map((byte) => 32 + (byte % 90)));
      return { value: ascii.toString('latin1'), label: `text(${length})`, actual: ascii };
    }
    case 'wide': {
      const wide = 'ü'.repeat(length >> 1);
      return { value: wide, label: `wide(${length})`, actual: Buffer.from(wide) };
    }
    case 'object':
    case 'again': {
      // Now and then one that was used for another cipher.
      const fitting = machine.shelf.secret?.filter((one) => one.actual.length === length || rng.chance(0.1)) ?? [];
      const one = kind === 'again' && fitting.length > 0 ? rng.pick(fitting) : machine.shelve('secret', crypto.createSecretKey(actual), { actual });
      return { value: one.object, label: `${one.name}(${length})`, actual: one.actual };
    }
    default:
      return { ...odd(rng), actual };
  }
}

function drawIv(rng, ivs) {
  const length = rng.pick(ivs);
  const actual = bytes(rng, length);
  // What a padded key wrap has there.
  if (length === 4 && rng.chance(0.8)) actual.set([0xa6, 0x59, 0x59, 0xa6]);
  const kind = length === 0 && rng.chance(0.8) ? 'null' : rng.weighted({ plain: 60, any: 5, text: 2, odd: 1 });
  if (kind === 'null') return { value: null, label: 'null', actual };
  if (kind === 'text') {
    const value = 'v'.repeat(length);
    return { value, label: `text(${length})`, actual: Buffer.from(value) };
  }
  return { ...(kind === 'plain' ? plainBytes(rng, actual) : kind === 'any' ? bytesAs(rng, actual) : odd(rng)), actual };
}

function drawOptions(rng, name, note) {
  const kind = rng.weighted({ none: 60, undefined: 4, null: 2, empty: 2, tag: 18, stream: 3, encoding: 2, getter: 2, inherited: 2, odd: 1, nullPrototype: 1, more: 1 });
  const authTagLength = rng.chance(0.7) ? 16 : rng.pick([4, 8, 12, 12, 12, 12, 13, 14, 15, 4, 8, 0, 1, 5, 17, 32, -1, 1.5, '16', null, undefined, NaN, 2 ** 32, true, {}]);
  const withLabel = (value, label = kind) => ({ value, label, given: kind !== 'none' });
  switch (kind) {
    case 'none':
    case 'undefined':
      return withLabel(/ccm|ocb/i.test(name) ? { authTagLength: 16 } : undefined);
    case 'null':
      return withLabel(null);
    case 'empty':
      return withLabel({});
    case 'tag':
      return withLabel({ authTagLength }, `authTagLength ${typeof authTagLength} ${String(authTagLength)}`);
    case 'nullPrototype':
      return withLabel({ __proto__: null, authTagLength }, `bare ${String(authTagLength)}`);
    case 'more':
      return withLabel({ authTagLength: 16, more: 5, plaintextLength: 4 });
    case 'stream':
      return withLabel(rng.pick([{ highWaterMark: 3 }, { decodeStrings: false }, { emitClose: false }, { autoDestroy: false }, { allowHalfOpen: false }]));
    case 'encoding':
      return withLabel({ encoding: encoding(rng).value });
    case 'getter':
      return withLabel({
        get authTagLength() {
          note('authTagLength read');
          return 16;
        },
      });
    case 'inherited':
      return withLabel(Object.create({ authTagLength }), `inherits ${String(authTagLength)}`);
    default:
      return { ...odd(rng), given: true };
  }
}

function make(machine, rng, direction) {
  const { name, keyLength, ivs } = rng.pick(CIPHERS);
  const given = rng.chance(0.98) ? { value: name, label: name } : odd(rng);
  const key = drawKey(rng, machine, keyLength);
  const iv = drawIv(rng, ivs);
  const options = drawOptions(rng, name, machine.note);
  const aad = isAead(name) && rng.chance(0.5) ? bytes(rng, rng.pick([0, 1, 13, 16, 20, 100, 1000, 4096, 4097, 20_000])) : undefined;
  const length = size(rng);
  // A key is wrapped in halves of blocks.
  const message = bytes(rng, name.endsWith('wrap') && rng.chance(0.9) ? length & ~7 : length);
  const Class = direction === 'encrypt' ? Cipheriv : Decipheriv;
  const create = direction === 'encrypt' ? crypto.createCipheriv : crypto.createDecipheriv;
  const form = rng.weighted({ plain: 40, receiver: 2, classNew: 2, classCall: 1, subclass: 1 });
  const args = [given.value, key.value, iv.value];
  if (options.given) args.push(options.value);
  else if (options.value !== undefined) args.push(options.value);
  const object = machine.call(
    rng,
    `${create.name}:${form}(${given.label}, ${key.label}, ${iv.label}, ${options.label})`,
    () =>
      form === 'plain' ? create(...args)
      : form === 'receiver' ? Reflect.apply(create, null, [...args, ...(args.length === 3 ? [undefined] : []), 'more'])
      : form === 'classNew' ? new Class(...args)
      : form === 'classCall' ? Class(...args)
      : new (class Sub extends Class {})(...args),
    (value) => `${show(value)} ${value instanceof Class} ${value.constructor === Class}`,
  );
  // After a call the caller does what it likes with its memory.
  if (rng.chance(0.3)) for (const value of [key.value, iv.value]) if (ArrayBuffer.isView(value)) overwrite(value);
  const pads = rng.chance(0.85);
  const source = direction === 'encrypt' ? { message } : sealed(name, key.actual, iv, options.value, aad, message, pads);
  return machine.shelve(direction, object, { direction, aad, pads, usesCcm: /ccm/i.test(name), position: 0, ...source });
}

/** The host's ciphertext and tag. */
function sealed(name, key, iv, options, aad, message, pads) {
  const tag = Buffer.alloc(16, 7);
  return (
    attempt(() => {
      const authTagLength = Reflect.getOwnPropertyDescriptor(options ?? {}, 'authTagLength')?.value;
      const cipher = oracle.createCipheriv(name, key, iv.value === null ? null : iv.actual, typeof authTagLength === 'number' ? { authTagLength } : undefined);
      if (aad !== undefined) cipher.setAAD(aad, { plaintextLength: message.length });
      if (!pads) cipher.setAutoPadding(false);
      const whole = pads ? message : message.subarray(0, message.length & ~15);
      const ciphertext = Buffer.concat([cipher.update(whole), cipher.final()]);
      return { message: ciphertext, tag: isAead(name) ? cipher.getAuthTag() : tag };
    }) ?? { message, tag }
  );
}

const anyDirection = (rng) => (rng.chance(0.5) ? 'encrypt' : 'decrypt');

/** A live object, most often one of those made last. */
function live(machine, rng, direction = anyDirection(rng)) {
  const row = machine.shelf[direction] ?? [];
  if (row.length > 0) return rng.pick(row);
  const create = direction === 'encrypt' ? crypto.createCipheriv : crypto.createDecipheriv;
  if (machine.fipsTouched) crypto.setFips(0);
  const object = create('aes-256-gcm', Buffer.alloc(32, 1), Buffer.alloc(12, 2));
  return machine.shelve(direction, object, { direction, message: bytes(rng, size(rng)), tag: Buffer.alloc(16), position: 0, pads: true });
}

function method(rng, one, name) {
  const own = rng.chance(0.95) ? one.object[name] : kept[one.direction][name];
  return typeof own === 'function' ? own : kept[one.direction][name] ?? kept.encrypt[name] ?? kept.decrypt[name];
}

/** What an encoding may be called without asking it. */
const named = (value) => (typeof value === 'string' ? value : typeof value);

const itself = (object) => (result) => (result === object ? 'itself' : show(result));

/** The next piece of the object's message, as bytes or as text. */
function piece(rng, one) {
  const left = one.message.length - one.position;
  const length = rng.weighted({ all: 60, some: 30, none: 5 }) === 'all' ? left : Math.min(left, rng.pick([0, 1, 5, 15, 16, 17, 100, 1024, 4096]));
  const part = one.message.subarray(one.position, one.position + length);
  one.position += length;
  const kind = rng.weighted({ plain: 50, any: 5, text: 20 });
  if (kind !== 'text') return { ...(kind === 'plain' ? plainBytes(rng, part) : bytesAs(rng, part)), encoding: rng.chance(0.1) ? encoding(rng).value : undefined };
  const name = rng.pick(['hex', 'base64', 'base64url', 'latin1', 'binary', 'HEX']);
  return { value: part.toString(name), label: `${name}(${length})`, encoding: name };
}

/** Any data, of the object's message or not. */
function anyData(rng, one) {
  switch (rng.weighted({ piece: 60, text: 14, encoded: 5, view: 5, odd: 1, changed: 2 })) {
    case 'piece':
      return piece(rng, one);
    case 'text': {
      const drawn = rng.chance(0.5) ? text(rng, rng.pick([0, 1, 5, 40, 128, 129, 500])) : text(rng);
      return { ...drawn, encoding: rng.pick([undefined, 'utf8', 'utf-8', 'UTF8', 'nope', '', null]) };
    }
    case 'encoded': {
      const drawn = encoding(rng);
      return { ...encodedText(rng, drawn.value), encoding: drawn.value };
    }
    case 'view':
      return { ...(rng.chance(0.5) ? view(rng) : plainView(rng)), encoding: undefined };
    case 'changed': {
      const drawn = piece(rng, { ...one, message: Buffer.from(one.message) });
      if (ArrayBuffer.isView(drawn.value) && drawn.value.byteLength > 0) attempt(() => (new Uint8Array(drawn.value.buffer, drawn.value.byteOffset)[0] ^= 1));
      return { ...drawn, label: `changed ${drawn.label}` };
    }
    default:
      return { ...odd(rng, true), encoding: undefined };
  }
}

function output(rng) {
  if (rng.chance(0.65)) return undefined;
  return rng.chance(0.8) ? rng.pick(['hex', 'base64', 'latin1', 'utf8', 'buffer']) : encoding(rng).value;
}

export const calls = {
  createCipheriv: (machine, rng) => void make(machine, rng, 'encrypt'),
  createDecipheriv: (machine, rng) => void make(machine, rng, 'decrypt'),

  cipherUpdate(machine, rng, given) {
    const one = given ?? live(machine, rng);
    const drawn = anyData(rng, one);
    const shown = output(rng);
    const args = [drawn.value];
    if (drawn.encoding !== undefined || shown !== undefined) args.push(drawn.encoding);
    if (shown !== undefined) args.push(shown);
    machine.call(rng, `${one.name}.update(${drawn.label}, ${named(drawn.encoding)}, ${named(shown)})`, () => Reflect.apply(method(rng, one, 'update'), one.object, args));
    if (rng.chance(0.3) && ArrayBuffer.isView(drawn.value)) overwrite(drawn.value);
  },

  cipherFinal(machine, rng, given) {
    const one = given ?? live(machine, rng);
    const shown = output(rng);
    machine.call(rng, `${one.name}.final(${named(shown)})`, () => Reflect.apply(method(rng, one, 'final'), one.object, shown === undefined ? [] : [shown]));
    if (one.direction === 'encrypt' && rng.chance(0.7)) calls.cipherTag(machine, rng, one);
    const row = machine.shelf[one.direction];
    if (rng.chance(0.8) && row.includes(one)) row.splice(row.indexOf(one), 1);
  },

  cipherTag(machine, rng, given) {
    const one = given ?? live(machine, rng);
    if (one.direction === 'encrypt') {
      if (hostFails.onTagAfterFailure && one.usesCcm) return;
      const tag = machine.call(rng, `${one.name}.getAuthTag()`, () => Reflect.apply(method(rng, one, 'getAuthTag'), one.object, []));
      // It is the caller's own: what is done to it shows nowhere.
      if (Buffer.isBuffer(tag) && rng.chance(0.3)) tag.fill(9);
      return;
    }
    const right = one.tag ?? Buffer.alloc(16);
    const kind = rng.weighted({ right: 60, flipped: 8, short: 5, long: 1, empty: 1, text: 3, any: 8, odd: 2 });
    const flipped = Buffer.from(right);
    if (flipped.length > 0) flipped[rng.below(flipped.length)] ^= 1 << rng.below(8);
    const drawn =
      kind === 'right' ? plainBytes(rng, right)
      : kind === 'flipped' ? plainBytes(rng, flipped)
      : kind === 'short' ? plainBytes(rng, right.subarray(0, rng.pick([1, 3, 4, 5, 8, 12, 13, 15])))
      : kind === 'long' ? plainBytes(rng, Buffer.concat([right, right]))
      : kind === 'empty' ? plainBytes(rng, right.subarray(0, 0))
      : kind === 'text' ? { value: right.toString('hex'), label: 'hex' }
      : kind === 'any' ? bytesAs(rng, right)
      : odd(rng);
    const args = kind === 'text' ? [drawn.value, rng.pick(['hex', 'hex', 'latin1', undefined])] : [drawn.value];
    machine.call(rng, `${one.name}.setAuthTag(${kind} ${drawn.label}, ${String(args[1])})`, () => Reflect.apply(method(rng, one, 'setAuthTag'), one.object, args), itself(one.object));
    if (rng.chance(0.3) && ArrayBuffer.isView(drawn.value)) overwrite(drawn.value);
  },

  cipherAad(machine, rng, given) {
    const one = given ?? live(machine, rng);
    const right = one.aad ?? bytes(rng, rng.pick([0, 1, 16, 100]));
    const kind = rng.weighted({ right: 60, any: 8, text: 6, halves: 8, odd: 2 });
    const drawn =
      kind === 'right' || kind === 'halves' ? plainBytes(rng, kind === 'right' ? right : right.subarray(0, right.length >> 1))
      : kind === 'any' ? bytesAs(rng, right)
      : kind === 'text' ? text(rng, rng.below(40))
      : odd(rng);
    const options = rng.weighted({ none: 60, length: 8, encoding: 3, empty: 2, wrong: 1, odd: 1 });
    const args = [drawn.value];
    if (options === 'length') args.push({ plaintextLength: one.message.length });
    if (options === 'encoding') args.push({ encoding: 'utf8' });
    if (options === 'empty') args.push({});
    if (options === 'wrong') args.push({ plaintextLength: rng.pick([-1, 1.5, '5', null]) });
    if (options === 'odd') args.push(odd(rng).value);
    machine.call(rng, `${one.name}.setAAD(${kind} ${drawn.label}, ${options})`, () => Reflect.apply(method(rng, one, 'setAAD'), one.object, args), itself(one.object));
    if (kind === 'halves') {
      const rest = right.subarray(right.length >> 1);
      machine.call(rng, `${one.name}.setAAD(the rest)`, () => one.object.setAAD(rest), itself(one.object));
    }
    if (rng.chance(0.3) && ArrayBuffer.isView(drawn.value)) overwrite(drawn.value);
  },

  cipherPadding(machine, rng, given) {
    const one = given ?? live(machine, rng);
    const drawn = given === undefined ? rng.pick([[], [true], [false], [0], [1], [null], ['']]) : [one.pads];
    machine.call(rng, `${one.name}.setAutoPadding(${drawn.map(String)})`, () => Reflect.apply(method(rng, one, 'setAutoPadding'), one.object, drawn), itself(one.object));
  },

  /** The whole of the most common use in one go. */
  cipherChain(machine, rng) {
    const one = make(machine, rng, anyDirection(rng));
    if (one === undefined) return;
    const early = rng.chance(0.8);
    const tag = () => one.direction === 'decrypt' && rng.chance(0.9) && calls.cipherTag(machine, rng, one);
    if (!one.pads) calls.cipherPadding(machine, rng, one);
    if (rng.chance(0.5) && early) tag();
    if (one.aad !== undefined && rng.chance(0.95)) calls.cipherAad(machine, rng, one);
    else if (early) tag();
    const updates = rng.pick([0, 1, 1, 1, 1, 1, 2, 3, 6]);
    for (let count = 0; count < updates; count++) calls.cipherUpdate(machine, rng, one);
    if (!early) tag();
    calls.cipherFinal(machine, rng, one);
  },

  /** Many messages in pieces, one after another, as a file server has them. */
  cipherPieces(machine, rng) {
    const name = rng.pick(['aes-256-cbc', 'aes-256-gcm', 'chacha20-poly1305', 'aes-128-ctr', 'aes-192-ecb', 'aes-256-ofb']);
    const [key, iv] = [bytes(rng, name.includes('192') ? 24 : name.includes('128') ? 16 : 32), bytes(rng, name.includes('cbc') || name.includes('ctr') || name.includes('ofb') ? 16 : 12)];
    const parts = Array.from({ length: 3 }, () => bytes(rng, rng.pick([5, 16, 100, 5000])));
    machine.call(rng, `six messages in pieces, ${name}`, () => {
      const results = [];
      for (let count = 0; count < 6; count++) {
        const cipher = crypto.createCipheriv(name, key, name.includes('ecb') ? null : iv);
        results.push(Buffer.concat([...parts.map((part) => cipher.update(part)), cipher.final()]).toString('base64'));
      }
      return `${new Set(results).size} ${results[0].slice(0, 60)}`;
    });
  },

  async cipherStream(machine, rng) {
    const one = live(machine, rng);
    try {
      listen(one);
    } catch (error) {
      one.events = [];
      machine.record(`${one.name} listened to`, showError(error));
      return;
    }
    await streams[rng.weighted({ write: 30, end: 14, pipe: 8, wait: 12, state: 5, destroy: 1, direct: 3, read: 8 })](machine, rng, one);
  },

  cipherInspect(machine, rng) {
    const one = live(machine, rng);
    const how = rng.pick([{}, { showHidden: true }, { depth: 0 }, { depth: 4 }]);
    machine.call(rng, `inspect(${one.name})`, () => util.inspect(one.object, how).replace(/\n\s*at .*/g, '').slice(0, 3000));
    machine.call(rng, `keys of ${one.name}`, () => Reflect.ownKeys(one.object).map(String).join());
  },

  cipherOddReceiver(machine, rng) {
    const one = live(machine, rng);
    const name = rng.pick(Object.keys(kept[one.direction]));
    const kinds = { undefined: () => undefined, object: () => ({}), prototype: () => Cipheriv.prototype, heir: () => Object.create(one.object), proxy: () => new Proxy(one.object, {}), number: () => 5 };
    const receiver = rng.pick(Object.keys(kinds));
    const args = name === 'update' ? [Buffer.from('data')] : name === 'setAAD' ? [Buffer.from('aad')] : name === 'setAuthTag' ? [Buffer.alloc(16, 1)] : [];
    machine.call(rng, `${name}.call(${receiver} of ${one.name})`, () => Reflect.apply(kept[one.direction][name], kinds[receiver](), args), (result) => (ArrayBuffer.isView(result) ? show(result) : typeof result));
  },
};

function listen(one) {
  if (one.events !== undefined) return;
  one.events = [];
  for (const name of ['finish', 'end', 'close', 'error', 'prefinish', 'pipe', 'unpipe', 'drain', 'data']) {
    if (name === 'data' && one.position % 2 === 1) continue;
    one.object.on(name, (argument) => one.events.push(name === 'error' ? showError(argument) : name === 'data' ? `data ${show(argument)}` : name));
  }
}

const streams = {
  write(machine, rng, one) {
    const drawn = anyData(rng, one);
    let { value } = drawn;
    // Older lines take a proxy for bytes, and abort; all do on a number in object mode.
    if (typeof value === 'number' || util.types.isProxy(value)) value = 'no bytes';
    if (hostFails.onOddHexWritten && typeof value === 'string' && value.length % 2 === 1) value += '0';
    const args = [value];
    if (rng.chance(0.5)) args.push(rng.chance(0.5) ? (drawn.encoding ?? 'utf8') : (...answers) => one.events.push(`written ${answers.map((answer) => show(answer)).join()}`));
    machine.call(rng, `${one.name}.write(${drawn.label}, ${named(drawn.encoding)})`, () => one.object.write(...args));
  },
  end(machine, rng, one) {
    const args = rng.chance(0.5) ? [] : [one.message.subarray(one.position)];
    machine.call(rng, `${one.name}.end(${args.length})`, () => one.object.end(...args), itself(one.object));
  },
  async pipe(machine, rng, one) {
    const pieces = Array.from({ length: rng.below(4) }, () => Buffer.from(plainView(rng).value)).filter((part) => part.length > 0);
    machine.call(rng, `${pieces.length} pieces piped into ${one.name}`, () => Readable.from(pieces).on('error', () => {}).pipe(one.object) === one.object);
    await turns(4);
  },
  async wait(machine) {
    await turns(1);
    machine.record('a turn', 'passed');
  },
  read(machine, rng, one) {
    machine.call(rng, `${one.name}.read()`, () => one.object.read());
  },
  state(machine, rng, one) {
    const names = ['writable', 'writableLength', 'writableEnded', 'writableFinished', 'readableLength', 'readableEnded', 'destroyed', 'writableHighWaterMark', 'errored', 'closed', 'writableNeedDrain', 'writableObjectMode'];
    machine.call(rng, `state of ${one.name}`, () => names.map((name) => `${name} ${show(one.object[name])}`).join());
  },
  destroy(machine, rng, one) {
    machine.call(rng, `${one.name}.destroy()`, () => one.object.destroy(rng.chance(0.3) ? new Error('destroyed') : undefined), itself(one.object));
  },
  direct(machine, rng, one) {
    const name = rng.pick(['_transform', '_flush']);
    const args = name === '_transform' ? [Buffer.from('bytes'), 'buffer'] : [];
    machine.call(rng, `${one.name}.${name}`, () => one.object[name](...args, (error) => one.events.push(`${name} called back ${error === undefined ? '' : showError(error)}`)));
  },
};

async function turns(count) {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
