/**
 * Carries out one program: a list of calls, each drawn from a seed of its own, on a few objects
 * that live side by side. Every call becomes one line: what was called, and what came of it.
 */

import util from 'node:util';

import { algorithm, data, hostHashes, key, options, secretKey } from './arguments.mjs';
import { namePrototype, show, showError, showView } from './canonical.mjs';
import { crypto, emptyErrorQueue, hostFails } from './host.mjs';
import { calls as keyCalls } from './keys/calls.mjs';
import { withPoison } from './poison.mjs';
import * as random from './random-calls.mjs';
import { Rng } from '../support/rng.mjs';
import { streamCall } from './stream-calls.mjs';
import { encodedText, encoding, odd, plainView, text, view } from './values.mjs';

const { Hash, Hmac } = crypto;
namePrototype(Hash.prototype, 'Hash.prototype');
namePrototype(Hmac.prototype, 'Hmac.prototype');
namePrototype(crypto.KeyObject.prototype, 'KeyObject.prototype');

/** Methods as code finds them that looked them up once, after the hook had its turn. */
const kept = {
  hashUpdate: Hash.prototype.update,
  hashDigest: Hash.prototype.digest,
  hmacUpdate: Hmac.prototype.update,
  hmacDigest: Hmac.prototype.digest,
  copy: Hash.prototype.copy,
};

const LIVE_OBJECTS = 6;

export class Machine {
  /** @type {{ object: any, kind: 'hash' | 'hmac', name: string, events: string[] | undefined }[]} */
  live = [];
  keys = [];
  /** Live objects of other kinds: `{ object, name, events, … }`. */
  shelf = {};
  /** Asymmetric keys that the program came across, by what they were used for. */
  keysInHand = {};
  /** Buffers that hold another key at each use. */
  overwritten = {};
  notes = [];
  warnings = [];
  fipsTouched = false;
  #weights;
  #made = 0;
  #poisoned;
  #line;

  /**
   * @param {Record<string, number>} weights of the kinds of call
   * @param {{ poison?: boolean }} how
   * @param {(line: string) => void} line takes each call's line
   */
  constructor(weights, { poison = false }, line) {
    this.#weights = weights;
    this.#poisoned = poison;
    this.#line = line;
  }

  note = (text) => {
    this.notes.push(text);
  };

  /** Carries out one call. */
  async step(seed) {
    const rng = new Rng(seed);
    const kind = rng.weighted(this.#weights);
    await calls[kind](this, rng);
  }

  /** Lets everything settle that was started. */
  async settle() {
    await turn();
    await turn();
    this.record('at the end', 'settled');
  }

  /** Restores what lasts beyond a program. */
  async close() {
    if (this.fipsTouched) crypto.setFips(0);
    this.record('closed', 'done');
  }

  /** Makes a call and records what comes of it; returns the result, or `undefined`. */
  call(rng, label, body, shown = show, mayPoison = true) {
    let result;
    let outcome;
    const poison = this.#poisoned && mayPoison && rng.chance(0.5);
    try {
      result = poison ? withPoison(rng, this.note, label, body) : body();
      outcome = shown(result);
    } catch (error) {
      result = undefined;
      outcome = showError(error);
    }
    this.record(label, outcome);
    return result;
  }

  /** Writes the line of a call, with all that happened meanwhile. */
  record(label, outcome) {
    let line = `${label} -> ${outcome}`;
    if (this.notes.length > 0) line += ` | ${this.notes.splice(0).join('; ')}`;
    for (const { name, events } of [...this.live, ...Object.values(this.shelf).flat()]) {
      if (events !== undefined && events.length > 0) line += ` | ${name}: ${events.splice(0).join(' ')}`;
    }
    if (this.warnings.length > 0) line += ` | warned ${this.warnings.splice(0).join('; ')}`;
    this.#line(line);
    emptyErrorQueue();
  }

  /** Keeps an object that a call made. */
  keep(object, kind) {
    if (typeof object !== 'object' || object === null) return;
    const name = `${kind}${this.#made++}`;
    if (this.live.length === LIVE_OBJECTS) this.live.shift();
    this.live.push({ object, kind, name, events: undefined });
  }

  /** Keeps an object of another kind, with what is known of it. */
  shelve(kind, object, known) {
    if ((typeof object !== 'object' && typeof object !== 'function') || object === null) return undefined;
    const kept = { object, name: `${kind}${this.#made++}`, events: undefined, ...known };
    const row = (this.shelf[kind] ??= []);
    if (row.length === LIVE_OBJECTS) row.shift();
    row.push(kept);
    return kept;
  }

  /** A live object of some kind; one is made if there is none. */
  object(rng, kind) {
    const fitting = kind === undefined ? this.live : this.live.filter((one) => one.kind === kind);
    if (fitting.length > 0) return rng.pick(fitting);
    const isHmac = kind === undefined ? rng.chance(0.4) : kind === 'hmac';
    // While FIPS is on none can be made.
    if (this.fipsTouched) crypto.setFips(0);
    const object = isHmac
      ? crypto.createHmac('sha256', 'first key')
      : crypto.createHash('sha256');
    this.keep(object, isHmac ? 'hmac' : 'hash');
    return this.live.at(-1);
  }
}

export function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** An object of crypto: what it is, and that the hook did not give it another shape. */
function showObject(value) {
  if (typeof value !== 'object' || value === null) return show(value);
  const isHash = value instanceof Hash;
  const isHmac = value instanceof Hmac;
  return `${show(value)} ${isHash ? 'instanceof Hash' : ''}${isHmac ? 'instanceof Hmac' : ''}`;
}

/** After a call the caller does what it likes with its memory. */
function changeAfterwards(rng, value, label) {
  if (!ArrayBuffer.isView(value) || label.startsWith('wasm') || rng.chance(0.5)) return;
  try {
    new Uint8Array(value.buffer).fill(0xee);
  } catch {
    // Detached, or not what it says.
  }
}

/** Calls without arguments left out and with `undefined` are told apart. */
function apply(target, receiver, args) {
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) count--;
  return Reflect.apply(target, receiver, args.slice(0, count));
}

const calls = {
  createHash(machine, rng) {
    const name = algorithm(rng);
    const drawn = options(rng, machine.note);
    const form = rng.weighted({ plain: 30, receiver: 2, classNew: 3, classCall: 1, subclass: 2, bare: 1 });
    const object = machine.call(
      rng,
      `createHash:${form}(${name.label}, ${drawn.label})`,
      () => makeHash(form, name.value, drawn.value),
      showObject,
    );
    machine.keep(object, 'hash');
  },

  createHmac(machine, rng) {
    const name = algorithm(rng);
    const drawnKey = key(rng, machine.keys);
    const drawn = rng.chance(0.85) ? { value: undefined, label: '' } : options(rng, machine.note);
    const form = rng.weighted({ plain: 30, receiver: 2, classNew: 3, classCall: 1, subclass: 2, bare: 1 });
    const object = machine.call(
      rng,
      `createHmac:${form}(${name.label}, ${drawnKey.label}, ${drawn.label})`,
      () => makeHmac(form, name.value, drawnKey.value, drawn.value),
      showObject,
    );
    changeAfterwards(rng, drawnKey.value, drawnKey.label);
    machine.keep(object, 'hmac');
  },

  update(machine, rng) {
    const { object, kind, name } = machine.object(rng);
    const drawn = data(rng);
    const method = rng.weighted({ own: 20, kept: 3, other: 1, subclass: 1 });
    const update =
      method === 'own' ? object.update
      : method === 'kept' ? kept[`${kind}Update`]
      : method === 'other' ? kept[kind === 'hash' ? 'hmacUpdate' : 'hashUpdate']
      : Object.create(object).update;
    machine.call(
      rng,
      `${name}.update:${method}(${drawn.label}, ${drawn.encoding.label})`,
      () => apply(update, object, [drawn.value, drawn.encoding.value]),
      (result) => (result === object ? 'itself' : show(result)),
    );
    changeAfterwards(rng, drawn.value, drawn.label);
  },

  /** Text in two calls, cut anywhere: also between the halves of a pair. */
  cutText(machine, rng) {
    const { object, name, events } = machine.object(rng);
    const units = rng.chance(0.7) ? rng.below(20) : rng.pick([5459, 5460, 5461, 5462, 1366, 683, 1000]);
    const whole = text(rng, units);
    const at = rng.below(whole.value.length + 1);
    // The second half goes to the object, or to a copy of it.
    const copied = rng.chance(0.3);
    for (const part of [whole.value.slice(0, at), ...(rng.chance(0.2) ? [''] : []), whole.value.slice(at)]) {
      machine.call(rng, `${name}.update(${whole.label} cut at ${at}: ${part.length})`, () => object.update(part), (result) => (result === object ? 'itself' : show(result)));
      if (copied && object.copy !== undefined && !(hostFails.onCopyAfterStream && events !== undefined)) {
        machine.call(rng, `${name}.copy().update(the rest).digest()`, () => object.copy().update(whole.value.slice(at)).digest('hex'));
      }
    }
  },

  digest(machine, rng) {
    const { object, kind, name } = machine.object(rng);
    const drawn = encoding(rng);
    const method = rng.weighted({ own: 20, kept: 3, other: 1, heir: 1 });
    const [digest, receiver] =
      method === 'own' ? [object.digest, object]
      : method === 'kept' ? [kept[`${kind}Digest`], object]
      : method === 'other' ? [kept[kind === 'hash' ? 'hmacDigest' : 'hashDigest'], object]
      : [object.digest, Object.create(object)];
    machine.call(rng, `${name}.digest:${method}(${drawn.label})`, () => apply(digest, receiver, [drawn.value]));
  },

  /** The whole of the most common use in one go. */
  chain(machine, rng) {
    const name = algorithm(rng);
    const drawn = rng.chance(0.6) ? text(rng) : plainView(rng);
    const output = encoding(rng);
    const isHmac = rng.chance(0.4);
    const drawnKey = isHmac ? key(rng, machine.keys) : undefined;
    machine.call(rng, `${isHmac ? `createHmac(${name.label}, ${drawnKey.label})` : `createHash(${name.label})`}.update(${drawn.label}).digest(${output.label})`, () =>
      (isHmac ? crypto.createHmac(name.value, drawnKey.value) : crypto.createHash(name.value))
        .update(drawn.value)
        .digest(output.value),
    );
  },

  copy(machine, rng) {
    const { object, name, events } = machine.object(rng, rng.chance(0.97) ? 'hash' : 'hmac');
    if (hostFails.onCopyAfterStream && events !== undefined) return;
    const drawn = rng.chance(0.7) ? { value: undefined, label: '' } : options(rng, machine.note);
    const own = rng.chance(0.8);
    const copy = machine.call(
      rng,
      own ? `${name}.copy(${drawn.label})` : `Hash.prototype.copy.call(${name}, ${drawn.label})`,
      () => apply(own ? object.copy : kept.copy, object, [drawn.value]),
      showObject,
    );
    machine.keep(copy, 'hash');
  },

  hash(machine, rng) {
    const name = algorithm(rng);
    const drawn = data(rng);
    const third = rng.weighted({ encoding: 6, none: 3, options: 1, both: 1 });
    let output = { value: undefined, label: '' };
    if (third === 'encoding') output = encoding(rng);
    if (third === 'options') output = options(rng, machine.note);
    if (third === 'both') {
      const inner = encoding(rng);
      output = { value: { outputEncoding: inner.value }, label: `{outputEncoding: ${inner.label}}` };
    }
    machine.call(rng, `hash(${name.label}, ${drawn.label}, ${output.label})`, () =>
      apply(crypto.hash, crypto, [name.value, drawn.value, output.value]),
    );
  },

  ...random.calls,
  ...keyCalls,
  stream: streamCall,

  getHashes(machine, rng) {
    machine.call(rng, 'getHashes()', () => crypto.getHashes(), (list) => `${list.length} ${show(list)}`);
  },

  timingSafeEqual(machine, rng) {
    const size = rng.below(70);
    const one = rng.chance(0.9) ? view(rng, size) : odd(rng);
    const kind = rng.weighted({ copy: 4, changed: 3, same: 1, other: 2, odd: 1 });
    let other = one;
    if (kind === 'other') other = view(rng, rng.chance(0.5) ? size : rng.below(70));
    if (kind === 'odd') other = odd(rng);
    if ((kind === 'copy' || kind === 'changed') && ArrayBuffer.isView(one.value)) {
      let bytes = new Uint8Array(0);
      try {
        bytes = new Uint8Array(one.value.buffer.slice(one.value.byteOffset, one.value.byteOffset + one.value.byteLength));
      } catch {
        // Detached, or not what it says.
      }
      if (kind === 'changed' && bytes.length > 0) bytes[rng.below(bytes.length)] ^= 1 << rng.below(8);
      other = { value: bytes, label: kind };
    }
    machine.call(rng, `timingSafeEqual(${one.label}, ${other.label})`, () => crypto.timingSafeEqual(one.value, other.value));
  },

  createSecretKey(machine, rng) {
    const made = secretKey(rng);
    machine.keys.push(made.value);
    machine.record(made.label, 'made');
  },

  inspect(machine, rng) {
    const { object, name } = machine.object(rng);
    const how = rng.pick([{}, { showHidden: true }, { colors: true }, { depth: 0 }, { depth: 6, showHidden: true }, { compact: false, sorted: true }]);
    machine.call(rng, `inspect(${name}, ${JSON.stringify(how)})`, () => util.inspect(object, how), inspected);
  },

  shape(machine, rng) {
    const { object, name } = machine.object(rng);
    machine.call(rng, `shape of ${name}`, () =>
      [
        Reflect.ownKeys(object).map((own) => `${String(own)}:${flags(object, own)}`).join(),
        `prototype ${Object.getPrototypeOf(object) === Hash.prototype || Object.getPrototypeOf(object) === Hmac.prototype}`,
        `constructor ${object.constructor === Hash || object.constructor === Hmac}`,
        `tag ${Object.prototype.toString.call(object)}`,
        `extensible ${Object.isExtensible(object)}`,
        `json ${JSON.stringify(Object.keys(object))}`,
      ].join(' '),
    );
  },

  oddReceiver(machine, rng) {
    const receiver = oddReceiver(machine, rng);
    const streamed = machine.live.some(({ events }) => events !== undefined);
    const methods = ['hashUpdate', 'hashDigest', 'hmacUpdate', 'hmacDigest'];
    if (!(hostFails.onCopyAfterStream && streamed)) methods.push('copy');
    const method = rng.pick(methods);
    const args = method.endsWith('Update') ? ['data'] : method === 'copy' ? [] : ['hex'];
    machine.call(rng, `${method}.call(${receiver.label})`, () => Reflect.apply(kept[method], receiver.value, args), (result) => (result === receiver.value ? 'itself' : showObject(result)));
  },

  construct(machine, rng) {
    const method = rng.pick(Object.keys(kept));
    const name = rng.pick(['createHash', 'createHmac', 'hash', 'randomBytes', 'randomFillSync', 'Hash', 'Hmac']);
    const target = rng.chance(0.4) ? kept[method] : crypto[name];
    const label = target === kept[method] ? method : name;
    machine.call(rng, `new ${label}('sha256', 'key')`, () => Reflect.construct(target, ['sha256', 'key']), showObject);
  },

  /** A method replaced on the instance or the prototype, as monitoring agents do. */
  agent(machine, rng) {
    const { object, name } = machine.object(rng);
    const method = rng.pick(['update', 'digest']);
    const original = object[method];
    object[method] = function (...args) {
      machine.note(`agent saw ${method}(${args.length})`);
      return Reflect.apply(original, this, args);
    };
    machine.record(`${name}.${method} replaced`, 'done');
  },

  fips(machine, rng) {
    machine.fipsTouched = true;
    const on = rng.chance(0.6) ? 1 : 0;
    machine.call(rng, `setFips(${on})`, () => {
      if (rng.chance(0.5)) crypto.setFips(on);
      else crypto.fips = on === 1;
      return crypto.getFips();
    });
  },

  /** Much input, in pieces: an object that was made before FIPS came on has to take it. */
  flood(machine, rng) {
    const { object, name } = machine.object(rng);
    const piece = rng.chance(0.5) ? text(rng, 5000) : plainView(rng, 9000);
    machine.call(rng, `${name}.update(${piece.label}) 12 times`, () => {
      for (let count = 0; count < 12; count++) object.update(piece.value);
      return 'done';
    });
  },

  encodedUpdate(machine, rng) {
    const { object, name } = machine.object(rng);
    const drawn = encoding(rng);
    const value = encodedText(rng, drawn.value);
    machine.call(rng, `${name}.update(${value.label}, ${drawn.label})`, () => object.update(value.value, drawn.value), (result) => (result === object ? 'itself' : show(result)));
  },
};

function flags(object, property) {
  const descriptor = Object.getOwnPropertyDescriptor(object, property);
  return ['writable', 'enumerable', 'configurable'].map((flag) => (descriptor[flag] ? flag[0] : '-')).join('');
}

/** Without what differs between two runs of the same host, and without the stacks of errors. */
function inspected(text) {
  return show(text.replace(/\[Symbol\(async_id_symbol\)\]: \d+/g, '[async id]').replace(/\n(?:\x1b\[\d+m|\s)*at .*/g, '').slice(0, 3000));
}

function makeHash(form, name, given) {
  switch (form) {
    case 'plain':
      return given === undefined ? crypto.createHash(name) : crypto.createHash(name, given);
    case 'bare': {
      const { createHash } = crypto;
      return createHash(name, given);
    }
    case 'receiver':
      return Reflect.apply(crypto.createHash, { odd: true }, [name, given, 'more', 'arguments']);
    case 'classNew':
      return new Hash(name, given);
    case 'classCall':
      return Hash(name, given);
    default:
      return new (class Sub extends Hash {})(name, given);
  }
}

function makeHmac(form, name, secret, given) {
  switch (form) {
    case 'plain':
      return given === undefined ? crypto.createHmac(name, secret) : crypto.createHmac(name, secret, given);
    case 'bare': {
      const { createHmac } = crypto;
      return createHmac(name, secret, given);
    }
    case 'receiver':
      return Reflect.apply(crypto.createHmac, undefined, [name, secret, given, 'more', 'arguments']);
    case 'classNew':
      return new Hmac(name, secret, given);
    case 'classCall':
      return Hmac(name, secret, given);
    default:
      return new (class Sub extends Hmac {})(name, secret, given);
  }
}

function oddReceiver(machine, rng) {
  const one = machine.object(rng).object;
  const kinds = {
    undefined: () => undefined,
    null: () => null,
    number: () => 5,
    string: () => 'text',
    symbol: () => Symbol('receiver'),
    object: () => ({}),
    prototype: () => Hash.prototype,
    heirOfPrototype: () => Object.create(Hash.prototype),
    heir: () => Object.create(one),
    proxy: () => new Proxy(one, {}),
    spread: () => ({ ...one }),
    assigned: () => Object.assign(Object.create(Hash.prototype), one),
    class: () => Hash,
    revoked: () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  };
  const label = rng.pick(Object.keys(kinds));
  return { value: kinds[label](), label };
}

export { hostHashes, showView };
