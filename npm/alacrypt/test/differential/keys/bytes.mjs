/**
 * Given bytes in every form in which callers bring them, and messages to sign.
 */

import { types } from 'node:util';
import vm from 'node:vm';

import { odd, text, view } from '../values.mjs';

const FORMS = {
  buffer: 20, u8: 12, pooled: 8, slice: 8, arrayBuffer: 6, dataView: 5, other: 4, shared: 2, sharedArrayBuffer: 2,
  resizable: 2, crossRealm: 2, crossRealmBuffer: 1, subclass: 2, liar: 1, detached: 1, detachedBuffer: 1, proxied: 1,
};

class Named extends Uint8Array {}
const realm = vm.createContext({});
const foreign = { Uint8Array: vm.runInContext('Uint8Array', realm), ArrayBuffer: vm.runInContext('ArrayBuffer', realm) };

/** A copy of the bytes, as a view or an `ArrayBuffer` of any kind. */
export function bytesAs(rng, bytes) {
  const kind = rng.weighted(FORMS);
  return { value: copyAs(rng, kind, bytes), label: `${kind}(${bytes.length})` };
}

/** A copy in the forms that nearly all callers use. */
export function plainBytes(rng, bytes) {
  const kind = rng.weighted({ buffer: 4, u8: 2, pooled: 2, slice: 1 });
  return { value: copyAs(rng, kind, bytes), label: `${kind}(${bytes.length})` };
}

function copyAs(rng, kind, bytes) {
  const memory = (Type = ArrayBuffer, before = 0, after = 0, ...how) => {
    const made = new Type(before + bytes.length + after, ...how);
    new Uint8Array(made).set(bytes, before);
    return made;
  };
  switch (kind) {
    case 'buffer':
      return Buffer.from(memory());
    case 'u8':
      return new Uint8Array(memory());
    case 'pooled':
      return Buffer.from(bytes);
    case 'slice': {
      const before = rng.below(70);
      return new Uint8Array(memory(ArrayBuffer, before, rng.below(9)), before, bytes.length);
    }
    case 'arrayBuffer':
      return memory();
    case 'dataView':
      return new DataView(memory(ArrayBuffer, 3, 5), 3, bytes.length);
    case 'other': {
      const Type = [BigUint64Array, Float64Array, Int32Array, Uint16Array, Int8Array].find(({ BYTES_PER_ELEMENT }) => bytes.length % BYTES_PER_ELEMENT === 0);
      return new Type(memory());
    }
    case 'shared':
      return new Uint8Array(memory(SharedArrayBuffer));
    case 'sharedArrayBuffer':
      return memory(SharedArrayBuffer);
    case 'resizable':
      return new Uint8Array(memory(ArrayBuffer, 0, 0, { maxByteLength: bytes.length + 100 }));
    case 'crossRealm':
      return new foreign.Uint8Array(bytes);
    case 'crossRealmBuffer':
      return memory(foreign.ArrayBuffer);
    case 'subclass':
      return new Named(bytes);
    case 'liar': {
      const liar = new Uint8Array(bytes);
      for (const property of ['length', 'byteLength', 'byteOffset']) Object.defineProperty(liar, property, { value: 1 });
      return liar;
    }
    case 'detached': {
      const detached = new Uint8Array(memory());
      structuredClone(detached.buffer, { transfer: [detached.buffer] });
      return detached;
    }
    case 'detachedBuffer': {
      const detached = memory();
      structuredClone(detached, { transfer: [detached] });
      return detached;
    }
    default:
      return new Proxy(new Uint8Array(bytes), {});
  }
}

/** Sizes at which something changes: blocks of digests, what is copied and what is not. */
const SIZES = {
  small: [0, 1, 2, 15, 16, 17, 20, 31, 32, 33, 48, 63, 64, 65, 111, 112, 127, 128, 129, 136, 255, 256],
  medium: [1000, 1023, 1024, 1025, 2048, 4095, 4096, 4097],
  large: [8191, 8192, 16_383, 16_384, 16_385, 20_000],
  huge: [65_536, 1_048_576],
};
const HOW_OFTEN = { small: 700, medium: 120, large: 80, huge: 2 };

/** The messages of a run: few, so that a signature made once serves often. */
const messages = [];
for (const size of [0, 1, 15, 16, 17, 20, 28, 32, 48, 63, 64, 65, 200, 1000]) {
  messages.push(Buffer.from(Uint8Array.from({ length: size }, (_, at) => at * 31 + size)));
}
const TEXTS = ['', 'a', 'header.payload', 'über die Maßen', '€\ud83d\ude00', 'ends in half a pair \ud83d', '\ude00 begins with one', 'x'.repeat(16_385)];

/** One of few messages: its bytes as the host sees them, and the value to pass. */
export function fixedMessage(rng) {
  if (rng.chance(0.4)) {
    const at = rng.below(TEXTS.length);
    return { id: `t${at}`, bytes: Buffer.from(TEXTS[at]), value: TEXTS[at], label: `text ${at}` };
  }
  const at = rng.below(messages.length);
  const drawn = rng.chance(0.7) ? plainBytes(rng, messages[at]) : bytesAs(rng, messages[at]);
  const gone = drawn.label.startsWith('detached');
  return { id: gone ? 'b0' : `b${at}`, bytes: gone ? messages[0] : messages[at], ...drawn };
}

/** Any message: text, view of any kind, or what is neither. */
export function anyMessage(rng) {
  const size = rng.pick(SIZES[rng.weighted(HOW_OFTEN)]);
  const kind = rng.weighted({ text: 40, view: 45, bytes: 15, odd: 2 });
  if (kind === 'text') return text(rng, size);
  if (kind === 'view') return view(rng, size);
  return kind === 'bytes' ? bytesAs(rng, rng.fill(new Uint8Array(size))) : odd(rng);
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const slotsOf = (prototype, value) => ['buffer', 'byteOffset', 'byteLength'].map((name) => Reflect.get(prototype, name, value));

/** What a message is before anybody changes it: text, or bytes of its own, whatever it says of itself. */
export function copyOf(value) {
  try {
    if (types.isTypedArray(value)) return Buffer.from(new Uint8Array(...slotsOf(typedArray, value)));
    if (types.isDataView(value)) return Buffer.from(new Uint8Array(...slotsOf(DataView.prototype, value)));
    return types.isAnyArrayBuffer(value) ? Buffer.from(new Uint8Array(value)) : typeof value === 'string' ? value : undefined;
  } catch {
    // Detached: it counts as empty.
    return Buffer.alloc(0);
  }
}
