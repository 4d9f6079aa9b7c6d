/**
 * Values to call with: plain ones for the most part, and every odd kind that callers come with.
 *
 * Each draw is `{ value, label }`; the label goes into the line that describes the call.
 */

import vm from 'node:vm';

/**
 * Lengths around every place where something changes: hash blocks and paddings, V8's on-heap
 * arrays, Buffer's pool, the limits per algorithm, and the size of the scratch in bytes and in
 * UTF-16 code units (16 KiB, and a third of that).
 */
const LENGTHS = {
  small: [0, 0, 1, 1, 2, 3, 5, 7, 8, 15, 16, 17, 20, 24, 31, 32, 32, 33, 40, 55, 56, 63, 64, 64, 65],
  medium: [71, 72, 103, 104, 111, 112, 119, 127, 128, 129, 135, 136, 137, 143, 144, 145, 167, 168, 170, 171, 200, 255, 256],
  large: [
    511, 512, 513, 682, 683, 1023, 1024, 1025, 1365, 1366, 2047, 2048, 2049, 4095, 4096, 4097,
    5440, 5460, 5461, 5462, 8191, 8192, 8193, 10922, 10923, 16256, 16319, 16320, 16383, 16384, 16385,
    16386, 17000, 20000, 32768,
  ],
  huge: [65535, 65536, 100_000, 131_072],
};

export function length(rng) {
  const size = rng.weighted({ small: 60, medium: 20, large: 18, huge: 1 });
  // The neighbourhood of the limits, too, not only the limits.
  const drawn = rng.pick(LENGTHS[size]);
  return rng.chance(0.1) ? Math.max(0, drawn + rng.below(9) - 4) : drawn;
}

const HIGH = '\ud83d';
const LOW = '\ude00';

const TEXTS = {
  ascii: (rng, units) => repeat(rng, 'The quick brown fox, 0123456789; ', units),
  latin1: (rng, units) => repeat(rng, 'éàüÿ\u0080a\u00a0', units),
  two: (rng, units) => repeat(rng, 'éжאѐ\u07ff', units),
  three: (rng, units) => repeat(rng, '€한ก\uffff\u0800', units),
  astral: (rng, units) => repeat(rng, '😀𝒳🂡', units),
  zeros: (rng, units) => '\0'.repeat(units),
  mixed: (rng, units) => repeat(rng, 'a€b😀cé\ud800d', units),
  loneHighLast: (rng, units) => (units === 0 ? '' : repeat(rng, 'tail ', units - 1) + HIGH),
  loneLowFirst: (rng, units) => (units === 0 ? '' : LOW + repeat(rng, ' head', units - 1)),
  onlyHigh: (rng, units) => HIGH.repeat(units),
  onlyLow: (rng, units) => LOW.repeat(units),
  // Begins in the middle of a pair or ends in one, as chunks of a longer text do.
  cut: (rng, units) => ('x' + '😀'.repeat((units >> 1) + 2)).slice(rng.below(3), rng.below(3) + units),
};

function repeat(rng, pattern, units) {
  const from = rng.below(pattern.length);
  return pattern.repeat(Math.ceil(units / pattern.length) + 1).slice(from, from + units);
}

/** A string: flat, joined from pieces, or cut from a longer one. */
export function text(rng, units = length(rng)) {
  const kind = rng.weighted({
    ascii: 40, latin1: 6, two: 6, three: 8, astral: 6, zeros: 2, mixed: 6,
    loneHighLast: 7, loneLowFirst: 7, onlyHigh: 2, onlyLow: 2, cut: 8,
  });
  let value = TEXTS[kind](rng, units);
  if (rng.chance(0.2) && value.length > 1) {
    const at = rng.below(value.length);
    value = `${value.slice(0, at)}${value.slice(at)}`;
  }
  return { value, label: `${kind}(${value.length})` };
}

/** Text for an input encoding: well-formed, or not. */
export function encodedText(rng, encoding) {
  const name = typeof encoding === 'string' ? encoding.toLowerCase() : '';
  if (rng.chance(0.7)) {
    const size = rng.chance(0.9) ? rng.below(100) : length(rng);
    if (name === 'hex') {
      const value = Buffer.from(rng.fill(new Uint8Array(size))).toString('hex');
      const kind = rng.weighted({ right: 6, odd: 1, wrong: 1, upper: 1 });
      if (kind === 'odd') return { value: `${value}a`, label: `hex(${size}.5)` };
      if (kind === 'wrong') return { value: `${value}zz${value}`, label: `hex(${size},zz)` };
      return kind === 'upper'
        ? { value: value.toUpperCase(), label: `HEX(${size})` }
        : { value, label: `hex(${size})` };
    }
    if (name.startsWith('base64')) {
      const bytes = Buffer.from(rng.fill(new Uint8Array(size)));
      const kind = rng.weighted({ base64: 3, base64url: 3, unpadded: 1, junk: 1, cut: 1 });
      let value = bytes.toString(kind === 'base64url' ? 'base64url' : 'base64');
      if (kind === 'unpadded') value = value.replaceAll('=', '');
      if (kind === 'junk') value = ` ${value.slice(0, 4)}\n*=${value.slice(4)}`;
      if (kind === 'cut') value = value.slice(0, -1 - rng.below(2));
      return { value, label: `${kind}(${size})` };
    }
  }
  return text(rng);
}

const VIEW_KINDS = {
  u8: 30, buffer: 14, pooled: 8, slice: 8, onHeap: 8, other: 8, dataView: 4, shared: 4, detached: 2,
  resizable: 3, tracking: 3, shrunk: 2, growable: 2, crossRealm: 3, subclass: 4, liar: 4, wasm: 1,
  bufferSubclass: 2,
};

const OTHER_TYPES = [
  'Int8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array',
].filter((name) => typeof globalThis[name] === 'function');

const realm = vm.createContext({});
const foreignUint8Array = vm.runInContext('Uint8Array', realm);
const foreignDataView = vm.runInContext('DataView', realm);

class Named extends Uint8Array {}
class NamedBuffer extends Buffer {}

/** Says something else about itself than is true. */
class Liar extends Uint8Array {
  get length() { return 3; }
  get byteLength() { return 2; }
  get byteOffset() { return 1; }
  get buffer() { return new ArrayBuffer(9); }
  set() { throw new Error('Liar.set was called'); }
  subarray() { throw new Error('Liar.subarray was called'); }
  fill() { throw new Error('Liar.fill was called'); }
  [Symbol.iterator]() { throw new Error('Liar was iterated over'); }
  get [Symbol.toStringTag]() { return 'Float64Array'; }
}

let wasm;
function wasmBuffer() {
  wasm ??= new WebAssembly.Memory({ initial: 1, maximum: 2 });
  return wasm.buffer;
}

/** A view of any kind on memory of any kind; `truthful` leaves out those that lie about it. */
export function view(rng, size = length(rng), truthful = false) {
  let kind = rng.weighted(VIEW_KINDS);
  if (truthful && kind === 'liar') kind = 'subclass';
  return { value: makeView(rng, kind, size), label: `${kind}(${size})` };
}

/** A `Uint8Array` or Buffer, as most callers have them. */
export function plainView(rng, size = length(rng)) {
  const kind = rng.weighted({ u8: 4, buffer: 4, pooled: 2, slice: 2, onHeap: 2 });
  return { value: makeView(rng, kind, size), label: `${kind}(${size})` };
}

function makeView(rng, kind, size) {
  const filled = (memory, offset = 0) => {
    rng.fill(new Uint8Array(memory, offset, size));
    return memory;
  };
  switch (kind) {
    case 'u8':
      return new Uint8Array(filled(new ArrayBuffer(size)));
    case 'onHeap':
      return rng.fill(new Uint8Array(size));
    case 'buffer':
      return Buffer.from(filled(new ArrayBuffer(size)));
    case 'pooled':
      return Buffer.from(rng.fill(new Uint8Array(size)));
    case 'slice': {
      const offset = rng.below(70);
      return new Uint8Array(filled(new ArrayBuffer(offset + size + rng.below(9)), offset), offset, size);
    }
    case 'other': {
      const Type = globalThis[rng.pick(OTHER_TYPES)];
      const rounded = size - (size % Type.BYTES_PER_ELEMENT);
      const memory = filled(new ArrayBuffer(size + 8));
      return new Type(memory, rng.chance(0.5) ? 0 : 8, rounded / Type.BYTES_PER_ELEMENT);
    }
    case 'dataView':
      return new DataView(filled(new ArrayBuffer(size + 5), 3), 3, size);
    case 'shared':
      return new Uint8Array(filled(new SharedArrayBuffer(size)));
    case 'detached': {
      const memory = filled(new ArrayBuffer(size));
      const Type = rng.pick([Uint8Array, Uint8Array, DataView, Int8Array]);
      const detached = new Type(memory);
      structuredClone(memory, { transfer: [memory] });
      return detached;
    }
    case 'resizable':
      return new Uint8Array(filled(new ArrayBuffer(size, { maxByteLength: size + 100 })), 0, size);
    case 'tracking': {
      const memory = filled(new ArrayBuffer(size, { maxByteLength: size + 100 }));
      const tracking = new (rng.pick([Uint8Array, DataView]))(memory);
      memory.resize(rng.below(size + 100));
      return tracking;
    }
    case 'shrunk': {
      const memory = filled(new ArrayBuffer(size, { maxByteLength: size + 100 }));
      const shrunk = new (rng.pick([Uint8Array, Uint8Array, DataView, Int8Array]))(memory, 0, size);
      memory.resize(size >> 1);
      return shrunk;
    }
    case 'growable': {
      const memory = filled(new SharedArrayBuffer(size, { maxByteLength: size + 100 }));
      const tracking = new Uint8Array(memory);
      memory.grow(size + rng.below(100));
      return tracking;
    }
    case 'crossRealm':
      return rng.chance(0.7)
        ? rng.fill(new foreignUint8Array(size))
        : new foreignDataView(filled(new ArrayBuffer(size)));
    case 'subclass':
      return rng.fill(new Named(size));
    case 'bufferSubclass':
      return Object.setPrototypeOf(rng.fill(new Uint8Array(size)), NamedBuffer.prototype);
    case 'liar': {
      const bytes = rng.fill(new Uint8Array(size));
      const how = rng.below(3);
      if (how === 0) return Object.setPrototypeOf(bytes, Liar.prototype);
      if (how === 1) return Object.setPrototypeOf(bytes, null);
      Object.defineProperty(bytes, 'length', { value: 1 });
      Object.defineProperty(bytes, 'byteLength', { get() { throw new Error('byteLength was read'); } });
      return bytes;
    }
    case 'wasm':
      return rng.fill(new Uint8Array(wasmBuffer(), 8, Math.min(size, 65_000)));
    default:
      throw new Error(`no view ${kind}`);
  }
}

export class Boom extends Error {
  name = 'Boom';
}

const boom = (what) => () => {
  throw new Boom(what);
};

/** What is neither string nor view, or only looks like one. */
const ODD = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  false: () => false,
  zero: () => 0,
  minusZero: () => -0,
  number: (rng) => rng.pick([1, 5, -1, 1.5, NaN, Infinity, 2 ** 31, 2 ** 32, 2 ** 53]),
  bigint: () => 10n,
  symbol: () => Symbol('odd'),
  function: () => function odd() {},
  object: () => ({}),
  array: () => [1, 2, 3],
  stringObject: () => new String('boxed'),
  arrayBuffer: () => new ArrayBuffer(8),
  sharedArrayBuffer: () => new SharedArrayBuffer(8),
  looksLikeView: () => Object.create(Uint8Array.prototype),
  looksLikeBuffer: () => ({ __proto__: Buffer.prototype, length: 4, byteLength: 4 }),
  proxiedView: (rng) => new Proxy(rng.fill(new Uint8Array(8)), {}),
  throwsOnTag: () => ({ get [Symbol.toStringTag]() { throw new Boom('toStringTag'); } }),
  throwsOnToString: () => ({ toString: boom('toString') }),
  nullPrototype: () => Object.create(null),
  date: () => new Date(0),
  map: () => new Map(),
  regexp: () => /x/,
};

/** The host aborts when this is written to a stream: it takes it for a Buffer. */
const NEVER_WRITTEN = 'looksLikeBuffer';

export function odd(rng, written = false) {
  let kind = rng.pick(Object.keys(ODD));
  if (written && kind === NEVER_WRITTEN) kind = 'object';
  return { value: ODD[kind](rng), label: kind };
}

const ENCODINGS = [
  'hex', 'HEX', 'Hex', 'utf8', 'UTF8', 'utf-8', 'UTF-8', 'latin1', 'LATIN1', 'binary', 'Binary', 'ascii',
  'ASCII', 'base64', 'Base64', 'base64url', 'BASE64URL', 'ucs2', 'ucs-2', 'UCS2', 'utf16le', 'utf-16le',
  'UTF-16LE', 'buffer', 'Buffer', 'BUFFER', '', 'nope', 'hex ', 'utf', 'utf32', 'toString', 'length', '__proto__',
];

const ODD_ENCODINGS = {
  null: () => null,
  undefined: () => undefined,
  zero: () => 0,
  number: (rng) => rng.below(12) - 2,
  fraction: () => 5.5,
  true: () => true,
  false: () => false,
  object: () => ({}),
  saysHex: () => ({ toString: () => 'hex' }),
  throws: () => ({ toString: boom('encoding.toString') }),
  symbol: () => Symbol('hex'),
  array: () => ['hex'],
  emptyArray: () => [],
  bigint: () => 1n,
  stringObject: () => new String('hex'),
  nullPrototype: () => Object.create(null),
  function: () => () => 'hex',
  lengthThrows: () => ({ get length() { throw new Boom('encoding.length'); } }),
  // As long as the name of an encoding, which makes the host look closer.
  length4: () => ({ length: 4, toString: () => 'utf8' }),
};

/** An encoding: one in common use, any other name, or something that is no name. */
export function encoding(rng) {
  const kind = rng.weighted({ common: 10, named: 8, odd: 2 });
  if (kind === 'common') {
    const value = rng.pick(['hex', 'hex', 'hex', 'base64', 'base64url', 'latin1', 'utf8', 'buffer', undefined, undefined]);
    return { value, label: String(value) };
  }
  if (kind === 'named') {
    const value = rng.pick(ENCODINGS);
    return { value, label: `'${value}'` };
  }
  const name = rng.pick(Object.keys(ODD_ENCODINGS));
  return { value: ODD_ENCODINGS[name](rng), label: `encoding:${name}` };
}
