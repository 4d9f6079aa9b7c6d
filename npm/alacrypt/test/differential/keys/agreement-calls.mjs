/**
 * Key agreement: `diffieHellman`, `createECDH`, `createDiffieHellman`, `getDiffieHellman`.
 */

import util from 'node:util';

import { namePrototype, show } from '../canonical.mjs';
import { crypto } from '../host.mjs';
import { encoding, odd } from '../values.mjs';
import { bytesAs, plainBytes } from './bytes.mjs';
import { keyForm } from './forms.mjs';
import { keyArgument, optionsObject } from './options.mjs';
import { attempt, keyFor, oracle, pool, weightedKeys } from './pool.mjs';
import { shape } from './signatures.mjs';
import { callAnyWay, overwrite } from './ways.mjs';

const { ECDH, DiffieHellman, DiffieHellmanGroup } = crypto;
namePrototype(ECDH.prototype, 'ECDH.prototype');
namePrototype(DiffieHellman.prototype, 'DiffieHellman.prototype');
namePrototype(DiffieHellmanGroup.prototype, 'DiffieHellmanGroup.prototype');

const AGREEING = weightedKeys({
  x25519: 40, x25519b: 12, p256: 40, p256b: 12, p384: 10, p384b: 4, p521: 3, secp256k1: 14, secp256k1b: 6, x448: 8, x448b: 4, p256zeroX: 4, p256zeroD: 4, p384zeroY: 2, p521zeroX: 1,
  secp256k1zeroD: 3, p224: 3, brainpool256: 3, p256explicit: 3, sect233: 2, sm2: 1, dh14: 3, dh14b: 1, dh5: 2, rsa1024: 2, ed25519: 3, ed448: 1, mlkem768: 1,
});

/** Somebody whose key fits, for the most part. */
function peerOf(rng, key) {
  const fitting = [...pool.values()].filter(({ name, type, details }) => name !== 'sm2' && type === key.type && details.namedCurve === key.details.namedCurve);
  return fitting.length > 0 && rng.chance(0.9) ? rng.pick(fitting) : AGREEING(rng);
}

/** Older lines know no callback here, and no form but `KeyObject`. */
const onlyObjects = crypto.diffieHellman.length < 2;
const DIFFIE_HELLMAN = { sync: 'diffieHellman', callback: onlyObjects ? undefined : 'diffieHellman' };
const FORMS = onlyObjects ? { object: 300, freshObject: 100, strangeObject: 10 } : {};

export const calls = {
  async diffieHellman(machine, rng) {
    const key = keyFor(machine, rng, 'agree', AGREEING);
    const peer = peerOf(rng, key);
    const own = keyForm(machine, rng, key, 'private', { weights: FORMS });
    const their = keyForm(machine, rng, peer, 'public', { weights: FORMS });
    const [ownArgument, theirArgument] = [keyArgument(machine, rng, own), keyArgument(machine, rng, their)];
    const fields = { privateKey: ownArgument.value, publicKey: theirArgument.value };
    const missing = rng.weighted({ none: 60, privateKey: 1, publicKey: 1, both: 1 });
    if (missing !== 'none') for (const name of missing === 'both' ? ['privateKey', 'publicKey'] : [missing]) fields[name] = rng.chance(0.5) ? undefined : null;
    const made = rng.chance(0.97) ? optionsObject(rng, fields, machine.note) : odd(rng);
    await callAnyWay(
      machine,
      rng,
      DIFFIE_HELLMAN,
      [made.value],
      `diffieHellman({${ownArgument.label}; ${theirArgument.label}; without ${missing}}${made.label})`,
      show,
      [own.mine, their.mine].filter((value) => typeof value === 'object'),
    );
  },

  createECDH(machine, rng) {
    const name = curve(rng);
    const form = rng.weighted({ plain: 30, receiver: 1, classNew: 3, classCall: 2, subclass: 2 });
    const object = machine.call(
      rng,
      `createECDH:${form}(${name.label})`,
      () =>
        form === 'plain' ? crypto.createECDH(name.value)
        : form === 'receiver' ? Reflect.apply(crypto.createECDH, undefined, [name.value, 'more'])
        : form === 'classNew' ? new ECDH(name.value)
        : form === 'classCall' ? ECDH(name.value)
        : new (class Sub extends ECDH {})(name.value),
      (value) => `${show(value)} ${value instanceof ECDH}`,
    );
    machine.shelve('ecdh', object, { curve: name.value, random: false });
  },

  ecdhKeys(machine, rng) {
    const one = liveEcdh(machine, rng);
    const format = pointFormat(rng);
    const output = rng.chance(0.6) ? { value: undefined, label: '' } : encoding(rng);
    const kind = rng.weighted({ setPrivate: 30, generate: 8, setPublic: 3, getPublic: 20, getPrivate: 8, inspect: 1 });
    const shown = (value) => (one.random ? `${shape(value)} ${ArrayBuffer.isView(value) && kind !== 'getPrivate' ? `${value.length} ${pointKind(value)}` : ''}` : show(value));
    switch (kind) {
      case 'setPrivate': {
        const drawn = secretNumber(rng, one.curve);
        const passed = inputAs(rng, drawn.bytes);
        machine.call(rng, `${one.name}.setPrivateKey(${drawn.label} ${passed.label})`, () => {
          const result = one.object.setPrivateKey(...passed.args);
          one.random = false;
          return result;
        }, (result) => (result === one.object ? 'itself' : show(result)));
        if (rng.chance(0.5)) overwrite(passed.args[0]);
        break;
      }
      case 'generate':
        machine.call(rng, `${one.name}.generateKeys(${output.label}, ${String(format)})`, () => {
          // It is done before the format turns out to be none.
          one.random = true;
          return one.object.generateKeys(...trimmed(output.value, format));
        }, (value) => `${shown(value)} agrees ${attempt(() => agrees(one))}`);
        break;
      case 'setPublic': {
        const drawn = point(rng, one.curve);
        const passed = inputAs(rng, drawn.bytes);
        machine.call(rng, `${one.name}.setPublicKey(${drawn.label} ${passed.label})`, () => one.object.setPublicKey(...passed.args), (result) => (result === one.object ? 'itself' : show(result)));
        break;
      }
      case 'getPublic':
        machine.call(rng, `${one.name}.getPublicKey(${output.label}, ${String(format)})`, () => one.object.getPublicKey(...trimmed(output.value, format)), shown);
        break;
      case 'getPrivate':
        machine.call(rng, `${one.name}.getPrivateKey(${output.label})`, () => one.object.getPrivateKey(...trimmed(output.value)), shown);
        break;
      default:
        machine.call(rng, `inspect(${one.name})`, () => `${util.inspect(one.object, { depth: 0 })} ${Reflect.ownKeys(one.object).map(String).join()}`);
    }
  },

  ecdhSecret(machine, rng) {
    const one = liveEcdh(machine, rng);
    const drawn = point(rng, one.curve);
    const passed = inputAs(rng, drawn.bytes);
    const output = rng.chance(0.6) ? { value: undefined, label: '' } : encoding(rng);
    const args = output.value === undefined ? passed.args : [passed.args[0], passed.args[1], output.value];
    machine.call(rng, `${one.name}.computeSecret(${drawn.label} ${passed.label}, ${output.label})`, () => one.object.computeSecret(...args), (secret) =>
      one.random && ArrayBuffer.isView(secret) ? `${shape(secret)} ${secret.length} as the host's ${attempt(() => shadowOf(one).computeSecret(drawn.bytes).equals(secret))}` : one.random ? typeof secret : show(secret),
    );
    if (rng.chance(0.5)) overwrite(passed.args[0]);
  },

  convertKey(machine, rng) {
    const name = curve(rng);
    const drawn = point(rng, rng.chance(0.9) ? name.value : 'secp256k1');
    const passed = inputAs(rng, drawn.bytes);
    const output = rng.chance(0.6) ? { value: undefined, label: '' } : encoding(rng);
    const format = pointFormat(rng);
    machine.call(rng, `ECDH.convertKey(${drawn.label} ${passed.label}, ${name.label}, ${output.label}, ${String(format)})`, () => ECDH.convertKey(passed.args[0], name.value, ...trimmed(passed.args[1], output.value, format)));
  },

  createDiffieHellman(machine, rng) {
    const kind = rng.weighted({ group: 20, prime: 30, wrong: 6, size: 3, odd: 2 });
    const form = rng.weighted({ plain: 20, classNew: 2, classCall: 1 });
    let label;
    let args;
    let create = form === 'classNew' ? (...given) => new DiffieHellman(...given) : form === 'classCall' ? DiffieHellman : crypto.createDiffieHellman;
    if (kind === 'group') {
      const name = rng.chance(0.9) ? rng.chance(0.05) ? rng.pick(['modp1', 'modp2']) : rng.pick(['modp5', 'modp5', 'modp14', 'MODP14', 'modp15']) : rng.pick(['nope', '', 'modp3', 5, null, undefined]);
      [label, args] = [`'${String(name)}'`, [name]];
      create = form === 'classNew' ? (...given) => new DiffieHellmanGroup(...given) : form === 'classCall' ? DiffieHellmanGroup : rng.pick([crypto.getDiffieHellman, crypto.createDiffieHellmanGroup]);
    } else if (kind === 'size') {
      const size = rng.chance(0.03) ? 512 : rng.pick([0, 1, 2, -1, 100, 2 ** 31 - 1, 2 ** 31, 10_001, 1.5, NaN]);
      [label, args] = [`${size}`, [size]];
    } else if (kind === 'odd') {
      const drawn = odd(rng);
      // A number is a size, and takes as long as a prime of that size takes.
      const value = typeof drawn.value === 'number' ? 'text' : drawn.value;
      [label, args] = [drawn.label, [value]];
    } else {
      // To check the longest one takes a tenth of a second.
      const prime = kind === 'wrong' ? rng.pick(NO_PRIMES) : PRIMES[rng.weighted({ 0: 12, 1: 6, 2: 1 })];
      const passed = inputAs(rng, prime);
      const generator = rng.weighted({ none: 10, number: 6, bytes: 3, text: 2, wrong: 2 });
      const given = { none: [], number: [rng.pick([2, 5])], bytes: [Buffer.from([2])], text: ['02', 'hex'], wrong: [rng.pick([0, 1, -1, 1.5, '', Buffer.alloc(0), {}, 2 ** 31])] }[generator];
      [label, args] = [`prime of ${prime.length} ${passed.label}, generator ${generator} ${generator === 'wrong' ? show(given[0]) : given.length}`, [...passed.args, ...given]];
    }
    const object = machine.call(rng, `createDiffieHellman:${form}(${label})`, () => create(...args), (value) => (kind === 'size' ? `${Object.getPrototypeOf(value) === DiffieHellman.prototype} ${value.verifyError}` : `${show(value)} ${value.verifyError} ${show(value.getPrime())} ${show(value.getGenerator())}`));
    machine.shelve('dh', object, { random: true, generated: kind === 'size', chance: kind === 'size', group: kind === 'group' ? args[0] : undefined });
  },

  dhKeys(machine, rng) {
    const one = liveDh(machine, rng);
    const output = rng.chance(0.6) ? { value: undefined, label: '' } : encoding(rng);
    const kind = rng.weighted({ setPrivate: 14, setPublic: 8, generate: 10, getPublic: 10, getPrivate: 6, getPrime: 3, getGenerator: 3, verifyError: 2, inspect: 1 });
    const method = { getPublic: 'getPublicKey', getPrivate: 'getPrivateKey', getPrime: 'getPrime', getGenerator: 'getGenerator', generate: 'generateKeys' }[kind];
    if (kind === 'generate') one.generated = true;
    // A public key that was made at random stays when another secret one is set.
    const random = one.chance || ((one.random || one.generated) && !['getPrime', 'getGenerator', 'verifyError'].includes(kind));
    if (kind === 'setPrivate' || kind === 'setPublic') {
      // A group's objects have no such methods.
      const drawn = rng.chance(0.9) ? Buffer.from(rng.fill(new Uint8Array(rng.pick([20, 32, 60])))) : rng.pick([Buffer.alloc(0), Buffer.alloc(1), Buffer.from([1]), Buffer.alloc(200, 0xff)]);
      const passed = inputAs(rng, drawn);
      machine.call(rng, `${one.name}.${kind}Key(${passed.label})`, () => {
        const result = one.object[`${kind}Key`](...passed.args);
        if (kind === 'setPrivate') one.random = false;
        return result;
      }, (result) => (result === one.object ? 'itself' : show(result)));
      return;
    }
    if (method === undefined) {
      machine.call(rng, `${kind} of ${one.name}`, () => (kind === 'verifyError' ? one.object.verifyError : `${util.inspect(one.object, { depth: 0 }).replace(/\d{6,}/g, '')} ${Reflect.ownKeys(one.object).map(String).join()}`));
      return;
    }
    machine.call(rng, `${one.name}.${method}(${output.label})`, () => one.object[method](...trimmed(output.value)), (value) => (random ? `${shape(value)}` : show(value)));
  },

  dhSecret(machine, rng) {
    const one = liveDh(machine, rng);
    const size = attempt(() => one.object.getPrime().length) ?? 64;
    const kind = rng.weighted({ some: 10, other: 6, small: 3, large: 2, empty: 1 });
    const { other, theirs } = partnerOf(one);
    const bytes = { some: Buffer.from(rng.fill(new Uint8Array(Math.max(size - 1, 0)))), other: theirs ?? Buffer.from([5]), small: rng.pick([Buffer.from([0]), Buffer.from([1]), Buffer.from([2])]), large: Buffer.alloc(size, 0xff), empty: Buffer.alloc(0) }[kind];
    const passed = inputAs(rng, bytes, kind === 'other');
    const output = rng.chance(0.6) ? { value: undefined, label: '' } : encoding(rng);
    const args = output.value === undefined ? passed.args : [passed.args[0], passed.args[1], output.value];
    machine.call(rng, `${one.name}.computeSecret(${kind} ${passed.label}, ${output.label})`, () => one.object.computeSecret(...args), (secret) => {
      if (!one.random && !one.generated) return show(secret);
      if (!ArrayBuffer.isView(secret) || kind !== 'other' || theirs === undefined) return ArrayBuffer.isView(secret) ? `${shape(secret)} ${secret.length}` : typeof secret;
      return `${shape(secret)} ${secret.length} as the host's ${attempt(() => other.computeSecret(one.object.getPublicKey()).equals(secret))}`;
    });
  },
};

const trimmed = (...args) => args.slice(0, args.findLastIndex((value) => value !== undefined) + 1);

const CURVES = { prime256v1: 40, secp384r1: 10, secp521r1: 4, secp256k1: 20, secp224r1: 4, brainpoolP256r1: 3, prime192v1: 2, sect233k1: 2 };
const NO_CURVES = ['nope', '', 'X25519', 'P-256', 'P-384', 'p-256', 'PRIME256V1', 'secp256r1', 'SM2', 'prime256v1 ', 'prime256v1\0'];

function curve(rng) {
  const value = rng.chance(0.9) ? rng.weighted(CURVES) : rng.chance(0.8) ? rng.pick(NO_CURVES) : odd(rng).value;
  return { value, label: show(value) };
}

/** The fixed prime of a group is in `modp1`; these are a safe one and one that is not. */
const PRIMES = [
  Buffer.from('d9fbe0838230dff5fcb897fe8990e12bd6cbe81b8fd7f48c19d7789176f7ad5bbdfa142b5d3fb3b5ab59ff3e9f154d32e4108f7b13e01c561aa0519736f655d3', 'hex'),
  Buffer.from('f1390a89e828231951100f2d83cf09a5e737f2fbc142cbe7c02ca09ecf9e258e7850ce45306d3db2e83faed534b30a64003e589d2d8e3f668612db23bdb5bb23', 'hex'),
  oracle.getDiffieHellman('modp1').getPrime(),
];
const NO_PRIMES = [Buffer.alloc(0), Buffer.alloc(64), Buffer.from([7]), Buffer.from([23]), Buffer.alloc(64, 0xff), Buffer.concat([Buffer.alloc(3), PRIMES[0]])];

function pointFormat(rng) {
  return rng.weighted({ u: 4, c: 4, h: 3, n: 6, w: 1 }) === 'w' ? rng.pick(['COMPRESSED', '', null, 5, {}, 'raw', true]) : rng.pick([undefined, 'compressed', 'uncompressed', 'hybrid']);
}

const pointKind = (bytes) => ({ 2: 'compressed', 3: 'compressed', 4: 'uncompressed', 6: 'hybrid', 7: 'hybrid' })[bytes[0]] ?? 'other';

const poolOn = (name) => [...pool.values()].filter((key) => key.family === 'ec' && key.details.namedCurve === name && key.name !== 'p256explicit' && key.types('private').includes('sec1'));

/** A secret number of the pool on this curve, or one at the edges of what is allowed. */
function secretNumber(rng, name) {
  const keys = poolOn(name);
  const kind = rng.weighted({ own: 30, small: 3, zero: 1, large: 1, long: 1, zeros: 2, empty: 1, random: 4 });
  const d = keys.length > 0 ? secretOf(rng.pick(keys)) : Buffer.alloc(28, 5);
  const bytes = { own: d, small: Buffer.from([1 + rng.below(5)]), zero: Buffer.alloc(d.length), large: Buffer.alloc(d.length, 0xff), long: Buffer.concat([Buffer.from([1]), d]), zeros: Buffer.concat([Buffer.alloc(2), d]), empty: Buffer.alloc(0), random: Buffer.from(rng.fill(new Uint8Array(Math.max(1, d.length - 1)))) }[kind];
  return { bytes, label: `${kind}(${bytes.length})` };
}

/** In SEC 1 (section C.4) the number is an octet string behind the version. */
function secretOf(key) {
  const der = key.der('private', 'sec1');
  const at = der[1] === 0x81 ? 7 : 6;
  return der.subarray(at + 1, at + 1 + der[at]);
}

/** A point of somebody's on this curve in one of its forms, or what is none. */
function point(rng, name) {
  const keys = poolOn(name);
  const key = keys.length > 0 && rng.chance(0.93) ? rng.pick(keys) : pool.get('p256');
  const form = rng.pick(['compressed', 'uncompressed', 'uncompressed', 'hybrid']);
  const right = key.once(`point ${form}`, () => {
    const own = oracle.createECDH(key.details.namedCurve);
    own.setPrivateKey(secretOf(key));
    return own.getPublicKey(undefined, form);
  }) ?? Buffer.alloc(65, 4);
  const kind = rng.weighted({ right: 40, flipped: 6, sign: 2, cut: 2, long: 2, infinity: 1, empty: 1, zeros: 1, prefix: 2 });
  const changed = Buffer.from(right);
  if (kind === 'flipped') changed[1 + rng.below(changed.length - 1)] ^= 1 << rng.below(8);
  if (kind === 'sign') changed[0] ^= 1;
  if (kind === 'prefix') changed[0] = rng.below(10);
  if (kind === 'zeros') changed.fill(0, 1);
  const bytes = kind === 'cut' ? right.subarray(0, -1) : kind === 'long' ? Buffer.concat([right, Buffer.alloc(1)]) : kind === 'infinity' ? Buffer.alloc(1) : kind === 'empty' ? Buffer.alloc(0) : changed;
  return { bytes, label: `${key.name} ${form} ${kind}` };
}

/** Bytes as the arguments in which these old classes take them: a view, or text and its encoding. */
function inputAs(rng, bytes, isRandom = false) {
  const kind = rng.weighted({ plain: 14, any: 4, text: 8, wrong: 1, odd: 1 });
  if (kind === 'plain' || kind === 'any') {
    const drawn = (kind === 'plain' ? plainBytes : bytesAs)(rng, bytes);
    return { args: [drawn.value, rng.chance(0.05) ? 'hex' : undefined], label: `as ${drawn.label}` };
  }
  if (kind === 'odd') {
    const drawn = odd(rng);
    // A number would be taken for a size.
    return { args: [typeof drawn.value === 'number' ? null : drawn.value, undefined], label: `as ${drawn.label}` };
  }
  const name = rng.pick(['hex', 'base64', 'base64url', 'latin1', 'HEX']);
  // What a text of random bytes says in another encoding is chance.
  const said = kind === 'text' || isRandom ? name : rng.pick(['nope', 'utf8', undefined, 'hex']);
  return { args: [bytes.toString(name), said], label: `as ${name}, said ${String(said)}` };
}

function liveEcdh(machine, rng) {
  const row = machine.shelf.ecdh ?? [];
  if (row.length > 0 && rng.chance(0.9)) return rng.pick(row);
  const name = rng.weighted(CURVES);
  const one = machine.shelve('ecdh', crypto.createECDH(name), { curve: name, random: false });
  if (rng.chance(0.9)) attempt(() => one.object.setPrivateKey(secretNumber(rng, name).bytes));
  return one;
}

function liveDh(machine, rng) {
  const row = machine.shelf.dh ?? [];
  if (row.length > 0 && rng.chance(0.97)) return rng.pick(row);
  const one = machine.shelve('dh', crypto.createDiffieHellman(PRIMES[rng.below(2)]), { random: rng.chance(0.1) });
  if (!one.random) one.object.setPrivateKey(Buffer.from(rng.fill(new Uint8Array(20))));
  return one;
}

const partners = new Map();

/** One of the host's with the same prime and generator, made once: to check a prime takes long. */
function partnerOf({ object, group }) {
  const name = group ?? attempt(() => `${object.getPrime('hex')} ${object.getGenerator('hex')}`);
  if (!partners.has(name)) {
    const other = attempt(() => (group === undefined ? oracle.createDiffieHellman(object.getPrime(), object.getGenerator()) : oracle.getDiffieHellman(group)));
    // A group's objects take no keys from outside; what they agree on is chance anyway.
    if (group === undefined) attempt(() => other.setPrivateKey(Buffer.alloc(30, 77)));
    // As long as the prime: older lines leave out zeros in front.
    const theirs = attempt(() => {
      const key = other.generateKeys();
      return Buffer.concat([Buffer.alloc(Math.max(0, other.getPrime().length - key.length)), key]);
    });
    partners.set(name, { other, theirs });
  }
  return partners.get(name);
}

/** The host's own object with the same secret. */
function shadowOf(one) {
  const shadow = oracle.createECDH(one.curve);
  oracle.ecdh.setPrivateKey(shadow, one.object.getPrivateKey());
  return { computeSecret: (bytes) => oracle.ecdh.computeSecret(shadow, bytes) };
}

/** Whether ours and the host's object come to the same secret from both sides. */
function agrees(one) {
  const other = oracle.createECDH(one.curve);
  other.generateKeys();
  return one.object.computeSecret(other.getPublicKey()).equals(oracle.ecdh.computeSecret(other, one.object.getPublicKey()));
}
