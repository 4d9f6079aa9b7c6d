/**
 * Algorithms, options and keys to call with.
 */

import { crypto, hostFails } from './host.mjs';
import { Boom, encodedText, encoding, length, odd, plainView, text, view } from './values.mjs';

const SERVED = [
  'sha256', 'sha256', 'sha256', 'sha1', 'md5', 'sha512', 'sha384', 'sha224', 'SHA256', 'sha-256', 'SHA-1', 'Sha256',
  'sha512-256', 'sha512-224', 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512', 'SHA3-256', 'blake2b512',
  'blake2s256', 'ripemd160', 'rmd160', 'md5-sha1', 'RSA-SHA256', 'RSA-MD5', 'BLAKE2b512', 'RIPEMD160',
];
const EXTENDABLE = ['shake128', 'shake256', 'SHAKE128', 'SHAKE256', 'shake-128', 'SHAKE-256'];
const NEVER = [
  '', 'nope', 'sha', 'sha257', 'sha256 ', ' sha256', 'sha_256', 'sha512/256', 'SHA2-256', 'sm3', 'whirlpool', 'md4',
  'ssl3-md5', 'null', 'undefined', '__proto__', 'constructor', 'toString', 'sha256\0', 'ſha256', '2.16.840.1.101.3.4.2.1',
  'KECCAK-256', 'cshake128', 'kmac256', 'blake2b-512', 'aes-256-gcm', '*', 'sha256:', 'x'.repeat(300),
];
export const hostHashes = crypto.getHashes();

/** The name of an algorithm: mostly one that is served. */
export function algorithm(rng) {
  const kind = rng.weighted({ served: 70, extendable: 10, host: 12, changed: 4, never: 3, odd: 1 });
  switch (kind) {
    case 'served':
      return named(rng.pick(SERVED));
    case 'extendable':
      return named(rng.pick(EXTENDABLE));
    case 'host':
      return named(rng.pick(hostHashes));
    case 'changed': {
      const name = rng.pick(hostHashes);
      return named(rng.pick([name.toUpperCase(), name.toLowerCase(), name.replaceAll('-', ''), `RSA-${name}`, `${name}x`]));
    }
    case 'never':
      return named(rng.pick(NEVER));
    default:
      return odd(rng);
  }
}

function named(name) {
  return { value: name, label: `'${name.length > 40 ? `${name.slice(0, 40)}…` : name}'` };
}

const LENGTHS = [0, 1, 2, 15, 16, 20, 28, 32, 33, 48, 63, 64, 65, 128, 136, 168, 200, 1000, 1023, 1024, 1025, 5000];
const WRONG_LENGTHS = [-0, -1, 1.5, NaN, Infinity, '16', null, undefined, 2 ** 32, 2 ** 32 + 16, -(2 ** 31), 16n, {}, [], true, Symbol('l')];

/** Options of `createHash`, `copy` and `createHmac`; `note` gets what is done to them. */
export function options(rng, note) {
  const kind = rng.weighted({
    none: 45, length: 25, empty: 3, wrongLength: 4, getter: 3, throws: 1, inherited: 3, more: 4, stream: 5, odd: 3,
    proxy: 1, nullPrototype: 2, array: 1, frozen: 1, symbolKey: 1, hidden: 1, function: 1, encoding: 2, revoked: 1,
  });
  const outputLength = rng.pick(LENGTHS);
  const withLabel = (value, label = `${kind}(${outputLength})`) => ({ value, label });
  switch (kind) {
    case 'none':
      return withLabel(undefined, 'no options');
    case 'length':
      return withLabel({ outputLength });
    case 'empty':
      return withLabel({}, '{}');
    case 'wrongLength': {
      const drawn = rng.pick(WRONG_LENGTHS);
      const wrong = Object.is(drawn, -0) && hostFails.onMinusZeroLength ? -1 : drawn;
      return withLabel({ outputLength: wrong }, `{outputLength: ${typeof wrong} ${Object.is(wrong, -0) ? '-0' : String(wrong)}}`);
    }
    case 'getter':
      return withLabel({
        get outputLength() {
          note('options.outputLength read');
          return outputLength;
        },
      });
    case 'throws':
      return withLabel({
        get outputLength() {
          throw new Boom('outputLength');
        },
      });
    case 'inherited':
      return withLabel(Object.create({ outputLength }));
    case 'more':
      return withLabel({ outputLength, more: 1, ...(rng.chance(0.3) ? { functionName: 'n' } : {}), ...(rng.chance(0.3) ? { customization: Buffer.from('c') } : {}) });
    case 'stream':
      return withLabel(
        // Not `objectMode`: the host aborts on a number that is written then.
        rng.pick([{ highWaterMark: 3 }, { decodeStrings: false }, { encoding: 'hex' }, { autoDestroy: false }, { emitClose: false }, { defaultEncoding: 'latin1' }, { readableHighWaterMark: 1 }, { allowHalfOpen: false }, { transform: 5 }]),
        'stream options',
      );
    case 'proxy':
      return withLabel(
        new Proxy({ outputLength }, {
          get(target, key) {
            note(`options.${String(key)} got`);
            return target[key];
          },
          getPrototypeOf() {
            throw new Boom('getPrototypeOf');
          },
          ownKeys() {
            throw new Boom('ownKeys');
          },
        }),
      );
    case 'revoked': {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return withLabel(proxy, 'revoked proxy');
    }
    case 'nullPrototype':
      return withLabel({ __proto__: null, outputLength });
    case 'array':
      return withLabel(Object.assign([1], { outputLength }));
    case 'frozen':
      return withLabel(Object.freeze({ outputLength }));
    case 'symbolKey':
      return withLabel({ outputLength, [Symbol('s')]: 1 });
    case 'hidden':
      return withLabel(Object.defineProperty({}, 'outputLength', { value: outputLength }));
    case 'function':
      return withLabel(Object.assign(() => {}, { outputLength }));
    case 'encoding': {
      const drawn = encoding(rng);
      return withLabel({ encoding: drawn.value }, `{encoding: ${drawn.label}}`);
    }
    default:
      return odd(rng);
  }
}

/** Data for `update`, with the encoding that goes with it. */
export function data(rng, written = false) {
  const kind = rng.weighted({ text: 42, view: 32, plainView: 14, encoded: 10, odd: 2 });
  const none = { value: undefined, label: '' };
  switch (kind) {
    case 'text':
      return { ...text(rng), kind, encoding: rng.chance(0.2) ? { value: 'utf8', label: 'utf8' } : none };
    case 'view':
      return { ...view(rng), kind, encoding: rng.chance(0.1) ? encoding(rng) : none };
    case 'plainView':
      return { ...plainView(rng), kind, encoding: none };
    case 'encoded': {
      const drawn = encoding(rng);
      return { ...encodedText(rng, drawn.value), kind, encoding: drawn };
    }
    default:
      return { ...odd(rng, written), kind, encoding: rng.chance(0.2) ? encoding(rng) : none };
  }
}

const KEY_LENGTHS = [0, 1, 16, 20, 32, 32, 63, 64, 65, 71, 72, 73, 104, 127, 128, 129, 135, 136, 137, 143, 144, 145, 341, 342, 512, 1023, 1024, 1025, 3072, 4096, 17000];

export function keyLength(rng) {
  return rng.chance(0.9) ? rng.pick(KEY_LENGTHS) : length(rng);
}

/** A secret `KeyObject`. */
export function secretKey(rng) {
  const size = rng.pick(KEY_LENGTHS);
  const bytes = rng.fill(new Uint8Array(size));
  return { value: crypto.createSecretKey(bytes), label: `KeyObject(${size})` };
}

const wrongKeys = {};
function wrongKey(kind) {
  wrongKeys[kind] ??= crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })[kind];
  return wrongKeys[kind];
}

/** A key for HMAC; `keys` are `KeyObject`s to use again. */
export function key(rng, keys) {
  const kind = rng.weighted({ text: 30, plainView: 25, keyObject: 30, view: 6, odd: 2, arrayBuffer: 2, wrong: 1, strange: 2 });
  switch (kind) {
    case 'text':
      return text(rng, keyLength(rng));
    case 'plainView':
      return plainView(rng, keyLength(rng));
    case 'view':
      return view(rng, keyLength(rng));
    case 'arrayBuffer':
      return { value: rng.fill(new Uint8Array(rng.pick(KEY_LENGTHS))).buffer, label: 'ArrayBuffer key' };
    case 'keyObject': {
      if (keys.length > 0 && rng.chance(0.8)) {
        const index = rng.below(keys.length);
        return { value: keys[index], label: `key${index}` };
      }
      const made = secretKey(rng);
      keys.push(made.value);
      return made;
    }
    case 'wrong': {
      const which = rng.pick(['publicKey', 'privateKey']);
      return { value: wrongKey(which), label: which };
    }
    case 'strange':
      return strangeKey(rng);
    default:
      return odd(rng);
  }
}

function strangeKey(rng) {
  const made = secretKey(rng);
  const kind = rng.pick(['frozen', 'proxied', 'heir', 'replaced', 'renamed', 'cloned', 'cryptoKey']);
  const label = `${kind} ${made.label}`;
  switch (kind) {
    case 'frozen':
      return { value: Object.freeze(made.value), label };
    case 'proxied':
      return { value: new Proxy(made.value, {}), label };
    case 'heir':
      return { value: Object.create(made.value), label };
    case 'replaced':
      return { value: Object.setPrototypeOf(made.value, rng.pick([null, Object.prototype, crypto.KeyObject.prototype])), label };
    case 'renamed':
      Object.defineProperty(made.value, 'type', { value: 'public', configurable: true });
      return { value: made.value, label };
    case 'cryptoKey':
      return { value: attempt(made.value, () => made.value.toCryptoKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign'])), label };
    default:
      return { value: attempt(made.value, () => structuredClone(made.value)), label };
  }
}

/** Not every host has it, and none under FIPS. */
function attempt(otherwise, make) {
  try {
    return make();
  } catch {
    return otherwise;
  }
}
