/**
 * Key derivation: `hkdf`, `pbkdf2`, `scrypt` and `argon2`, each at once, with a callback and as a promise.
 */

import { hostHashes, key as keyArgument } from '../arguments.mjs';
import { namePrototype, show, showView } from '../canonical.mjs';
import { hostFails } from '../host.mjs';
import { odd, plainView, text, view } from '../values.mjs';
import { callAnyWay } from './ways.mjs';

namePrototype(ArrayBuffer.prototype, 'ArrayBuffer.prototype');

/** What `hkdf` gives, with what is in it. */
function showDerived(value) {
  if (!(value instanceof ArrayBuffer)) return show(value);
  return `${show(value)}${value.resizable ? ' resizable' : ''} of ${showView(new Uint8Array(value))}`;
}

const DIGESTS = ['sha256', 'sha256', 'sha256', 'sha256', 'sha1', 'sha1', 'sha512', 'sha384', 'sha224', 'md5', 'SHA256', 'sha-256', 'SHA-1', 'RSA-SHA1', 'RSA-SHA256', 'sha512-256', 'sha3-256', 'ripemd160', 'blake2b512', 'blake2s256', 'md5-sha1'];
const ODD_DIGESTS = ['', 'nope', 'sha', 'Sha256', 'sha256 ', 'shake128', 'shake256', 'sha256\0', '__proto__', 'sm3', 'RSA-RIPEMD160', 'x'.repeat(300)];

function digest(rng) {
  const kind = rng.weighted({ usual: 80, host: 10, odd: 5, none: 3 });
  if (kind === 'none') return odd(rng);
  const value = rng.pick({ usual: DIGESTS, host: hostHashes, odd: ODD_DIGESTS }[kind]);
  return { value, label: `'${value.slice(0, 20)}'` };
}

/** Around the digests' lengths, HKDF's limits for SHA-1 and SHA-256, and ours. */
const KEYLENS = [1, 8, 16, 20, 21, 32, 32, 32, 33, 48, 64, 65, 100, 255, 1023, 1024, 1025, 4096, 5100, 5101, 8160, 8161];
const WRONG_KEYLENS = [0, -1, 1.5, NaN, Infinity, '16', null, undefined, 2 ** 32, 2 ** 32 + 16, 2 ** 53, 16n, {}, [16], true, Symbol('k')];

/** `hkdf` aborts on what is longer than 32 bits say, on every line. */
const hostAborts = (value) => Number.isInteger(value) && value >= 2 ** 32;

function keylen(rng, wrong = WRONG_KEYLENS) {
  const value = rng.chance(0.93) ? rng.pick(KEYLENS) : rng.pick(wrong);
  return { value, label: typeof value === 'symbol' ? 'symbol' : `${typeof value} ${String(value)}` };
}

const LENGTHS = [0, 0, 1, 3, 8, 16, 16, 20, 32, 32, 63, 64, 65, 128, 129, 255, 256, 257, 341, 342, 1023, 1024, 1025, 1365, 1366, 4095, 4096, 4097, 20_000];

/** A password, a salt or info. */
function piece(rng, most = Infinity) {
  const size = Math.min(most, rng.pick(LENGTHS));
  const kind = rng.weighted({ text: 40, plainView: 40, view: 12, arrayBuffer: 3, odd: 2 });
  switch (kind) {
    case 'text':
      return text(rng, size);
    case 'plainView':
      return plainView(rng, size);
    case 'view':
      return view(rng, size, hostFails.onLyingViews || undefined);
    case 'arrayBuffer':
      return { value: rng.fill(new Uint8Array(size)).buffer, label: `ArrayBuffer(${size})` };
    default:
      return odd(rng);
  }
}

function ikmArgument(rng, keys) {
  const drawn = keyArgument(rng, keys);
  return hostFails.onOddKeysForHkdf && /^(publicKey|privateKey|proxied|heir)/.test(drawn.label) ? odd(rng) : drawn;
}

const changeable = (...values) => values.filter((value) => typeof value === 'object' && value !== null);

const ITERATIONS = [1, 1, 2, 3, 5, 10, 100, 1000];
const WRONG_ITERATIONS = [0, -0, -1, 1.5, NaN, Infinity, '1', null, undefined, 2 ** 31, 2 ** 32 + 1, 1n, {}, true, Symbol('i')];

/** Options of `scrypt`: within the limits, at them, and beyond. */
function scryptOptions(rng, note) {
  const kind = rng.weighted({ none: 1, drawn: 60, limit: 12, wrong: 8, both: 3, getter: 2, inherited: 2, nullPrototype: 3, proxy: 1, odd: 2, frozen: 2 });
  // The host's default takes as long as hundreds of the others.
  const N = rng.chance(0.01) ? 0 : rng.pick([2, 4, 16, 16, 32, 64, 128]);
  const r = rng.pick([0, 1, 1, 2, 8]);
  const p = rng.pick([0, 1, 1, 2, 5]);
  const [nName, rName, pName] = [rng.pick(['N', 'cost']), rng.pick(['r', 'blockSize']), rng.pick(['p', 'parallelization'])];
  const drawn = {};
  if (rng.chance(0.99)) drawn[nName] = N;
  if (rng.chance(0.7)) drawn[rName] = r;
  if (rng.chance(0.5)) drawn[pName] = p;
  const described = (value) => ({ value, label: `${kind} ${nName} ${N} ${rName} ${r} ${pName} ${p}` });
  switch (kind) {
    case 'none':
      return { value: undefined, label: 'no options' };
    case 'limit': {
      const maxmem = 128 * 8 * (64 + 2 + 2) + rng.below(3) - 1;
      const more = rng.pick([{ N: 64, r: 8, p: 2, maxmem }, { N: 64, r: 8, p: 2, maxmem: 0 }, { N: 2 ** 16, r: 1 }, { N: 2 ** 15, r: 1 }, { N: 2, r: 1, p: 2 ** 30 }, { N: 2, r: 2 ** 15, p: 2 ** 15 }, { N: 2 ** 20, r: 8 }, { N: 2 ** 31, r: 8, maxmem: 2 ** 30 }, { N: 2 ** 15, r: 8, p: 1 }]);
      return { value: more, label: JSON.stringify(more) };
    }
    case 'wrong': {
      const name = rng.pick(['N', 'cost', 'r', 'blockSize', 'p', 'parallelization', 'maxmem']);
      const value = rng.pick([1, 3, 6, 17, -1, -0, 1.5, NaN, Infinity, '16', null, 2 ** 32, 16n, {}, true, Symbol('o')]);
      return { value: { N: 16, r: 1, [name]: value }, label: `${name}: ${typeof value} ${typeof value === 'symbol' ? '' : String(value)}` };
    }
    case 'both':
      return described({ N: 16, cost: rng.pick([16, undefined]), r: 1, blockSize: rng.pick([1, undefined]) });
    case 'getter':
      return described({
        get N() {
          note('options.N read');
          return 16;
        },
      });
    case 'inherited':
      return described(Object.create(drawn));
    case 'nullPrototype':
      return described({ __proto__: null, ...drawn });
    case 'proxy':
      return described(
        new Proxy(drawn, {
          get(target, name) {
            note(`options.${String(name)} got`);
            return target[name];
          },
        }),
      );
    case 'frozen':
      return described(Object.freeze(drawn));
    case 'odd':
      return odd(rng);
    default:
      return described(drawn);
  }
}

const ODD_TYPES = ['argon2', 'Argon2id', 'argon2id ', 'argon2x', '', '__proto__'];

/** Parameters of `argon2`: within the limits, at them, and beyond. */
function argon2Parameters(rng, note) {
  const kind = rng.weighted({ drawn: 70, wrong: 14, missing: 4, getter: 2, inherited: 2, nullPrototype: 3, proxy: 1, odd: 2, lyingLength: 2 });
  const parallelism = rng.pick([1, 1, 1, 2, 3, 4, 7]);
  const memory = rng.pick([8 * parallelism, 8 * parallelism + 1, 64, 64, 65, 100, 128]);
  const drawn = { parallelism, memory, passes: rng.pick([1, 1, 2, 3]), tagLength: rng.pick([4, 5, 16, 32, 32, 33, 63, 64, 65, 96, 97, 128, 200, 1023, 1024, 1025]) };
  const pieces = { message: piece(rng), nonce: rng.chance(0.9) ? rng.pick([() => text(rng, 8), () => plainView(rng, 16), () => plainView(rng, 9)])() : piece(rng) };
  if (rng.chance(0.3)) pieces.secret = rng.chance(0.8) ? plainView(rng, rng.pick([0, 1, 8, 32, 100])) : piece(rng, 1024);
  if (rng.chance(0.3)) pieces.associatedData = rng.chance(0.8) ? plainView(rng, rng.pick([0, 1, 12, 31, 32, 33])) : piece(rng, 64);
  for (const [name, { value }] of Object.entries(pieces)) drawn[name] = value;
  if (rng.chance(0.05)) drawn[rng.pick(['secret', 'associatedData'])] = rng.pick([undefined, null]);
  const mine = Object.values(pieces).map(({ value }) => value);
  const label = `${kind} of ${drawn.memory}, ${drawn.passes}, ${drawn.parallelism} to ${drawn.tagLength}, ${Object.entries(pieces).map(([name, one]) => `${name} ${one.label}`).join(', ')}`;
  const described = (value, more = '') => ({ value, label: `${label}${more}`, mine });
  switch (kind) {
    case 'wrong': {
      const name = rng.pick(['parallelism', 'memory', 'passes', 'tagLength']);
      // What is longer or costs more than this is never returned from.
      const value = rng.pick([0, -0, -1, 1, 3, 7, 1.5, NaN, Infinity, '16', null, undefined, 2 ** 32, 16n, {}, true, Symbol('o')]);
      return described({ ...drawn, [name]: value }, ` with ${name}: ${typeof value} ${typeof value === 'symbol' ? '' : String(value)}`);
    }
    case 'missing': {
      const name = rng.pick(Object.keys(drawn));
      delete drawn[name];
      return described(drawn, ` without ${name}`);
    }
    case 'getter': {
      const name = rng.pick(Object.keys(drawn));
      const value = drawn[name];
      Object.defineProperty(drawn, name, { enumerable: true, get: () => (note(`parameters.${name} read`), value) });
      return described(drawn, ` of ${name}`);
    }
    case 'inherited':
      return described(rng.chance(0.5) ? Object.create(drawn) : Object.assign(Object.create({ secret: 'inherited', associatedData: 'too' }), drawn));
    case 'nullPrototype':
      return described({ __proto__: null, ...drawn });
    case 'proxy':
      return described(new Proxy(drawn, { get: (target, name) => (note(`parameters.${String(name)} got`), target[name]) }));
    case 'lyingLength': {
      const name = rng.pick(['message', 'nonce', 'secret', 'associatedData']);
      const bytes = new Uint8Array(16);
      const length = rng.pick([3, 16]);
      Object.defineProperty(bytes, 'byteLength', { get: () => (note(`${name}.byteLength read`), length) });
      return described({ ...drawn, [name]: bytes }, ` of ${name}`);
    }
    case 'odd': {
      const { value, label: name } = odd(rng);
      return { value, label: name, mine };
    }
    default:
      return described(drawn);
  }
}

export const calls = {
  async argon2(machine, rng) {
    const type = rng.chance(0.95) ? rng.pick(['argon2d', 'argon2i', 'argon2id']) : rng.chance(0.7) ? rng.pick(ODD_TYPES) : odd(rng).value;
    const parameters = argon2Parameters(rng, machine.note);
    await callAnyWay(
      machine,
      rng,
      { sync: 'argon2Sync', callback: 'argon2' },
      [type, parameters.value],
      `argon2(${typeof type === 'string' ? type : typeof type}, ${parameters.label})`,
      show,
      changeable(parameters.value, ...parameters.mine),
    );
  },

  async hkdf(machine, rng) {
    const name = digest(rng);
    const ikm = ikmArgument(rng, machine.keys);
    const salt = piece(rng);
    const info = piece(rng, rng.chance(0.95) ? 1024 : undefined);
    const length = keylen(rng, WRONG_KEYLENS.filter((value) => !hostAborts(value)));
    await callAnyWay(
      machine,
      rng,
      { sync: 'hkdfSync', callback: 'hkdf' },
      [name.value, ikm.value, salt.value, info.value, length.value],
      `hkdf(${name.label}, ${ikm.label}, ${salt.label}, ${info.label}, ${length.label})`,
      showDerived,
      changeable(ikm.value, salt.value, info.value),
    );
  },

  async pbkdf2(machine, rng) {
    const name = digest(rng);
    const password = piece(rng);
    const salt = piece(rng);
    const iterations = rng.chance(0.95) ? rng.pick(ITERATIONS) : rng.pick(WRONG_ITERATIONS);
    // Many iterations for much output take long.
    const length = typeof iterations === 'number' && iterations > 10 ? { value: 40, label: '40' } : keylen(rng);
    await callAnyWay(
      machine,
      rng,
      { sync: 'pbkdf2Sync', callback: 'pbkdf2' },
      [password.value, salt.value, iterations, length.value, name.value],
      `pbkdf2(${password.label}, ${salt.label}, ${typeof iterations} ${String(iterations)}, ${length.label}, ${name.label})`,
      show,
      changeable(password.value, salt.value),
    );
  },

  async scrypt(machine, rng) {
    const password = piece(rng);
    const salt = piece(rng);
    const length = keylen(rng);
    const options = scryptOptions(rng, machine.note);
    const args = [password.value, salt.value, length.value];
    if (options.value !== undefined || rng.chance(0.3)) args.push(options.value);
    await callAnyWay(
      machine,
      rng,
      { sync: 'scryptSync', callback: 'scrypt' },
      args,
      `scrypt(${password.label}, ${salt.label}, ${length.label}, ${options.label})`,
      show,
      changeable(password.value, salt.value, options.value),
    );
  },
};
