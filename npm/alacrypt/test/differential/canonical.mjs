/**
 * Results and errors as text in which nothing that a caller can see is left out.
 */

/** FNV-1a over 53 bits of state, so that long values can be told apart by a short text. */
function fingerprint(length, at) {
  let low = 0x811c9dc5;
  let high = 0x1234567;
  for (let index = 0; index < length; index++) {
    const unit = at(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 13), 0x5bd1e995);
  }
  return `${(high >>> 0).toString(16)}${(low >>> 0).toString(16).padStart(8, '0')}`;
}

const LONG = 200;

function showString(text) {
  let shown = '';
  for (let index = 0; index < Math.min(text.length, LONG); index++) {
    const unit = text.charCodeAt(index);
    shown += unit >= 32 && unit < 127 ? text[index] : `\\u${unit.toString(16).padStart(4, '0')}`;
  }
  return text.length <= LONG
    ? `"${shown}"`
    : `"${shown.slice(0, 60)}…"(${text.length}, ${fingerprint(text.length, (at) => text.charCodeAt(at))})`;
}

function hex(bytes) {
  let text = '';
  for (let index = 0; index < bytes.length; index++) {
    text += (bytes[index] < 16 ? '0' : '') + bytes[index].toString(16);
  }
  return text;
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);

function prototypeName(value) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Buffer.prototype) return 'Buffer';
  if (prototype === Uint8Array.prototype) return 'Uint8Array';
  if (prototype === null) return 'null';
  const known = prototypes.get(prototype);
  if (known !== undefined) return known;
  const name = prototype.constructor?.name;
  return `other:${typeof name === 'string' ? name : '?'}`;
}

const prototypes = new Map();

/** Gives a prototype a name, so that its identity is compared, not only its constructor's name. */
export function namePrototype(prototype, name) {
  prototypes.set(prototype, name);
}

/** Buffer's pool, where a place says nothing; some hosts make it a little larger than they say. */
function isPool({ byteLength }) {
  return byteLength >= Buffer.poolSize && byteLength <= Buffer.poolSize + 64;
}

/** A view: type, place in its buffer, and bytes, or for random bytes only whether there are any. */
export function showView(view, random = false) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const content = random
    ? looksRandom(bytes)
    : bytes.length <= LONG
      ? hex(bytes)
      : `${hex(bytes.subarray(0, 16))}…${fingerprint(bytes.length, (at) => bytes[at])}`;
  // A long view lists each of its elements as a key.
  const keys =
    bytes.length <= LONG
      ? Reflect.ownKeys(view).filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key))
      : Object.getOwnPropertySymbols(view);
  return (
    `${prototypeName(view)}[${view.byteLength}]@${isPool(view.buffer) ? 'pool' : `${view.byteOffset}/${view.buffer.byteLength}`}` +
    `${Buffer.isBuffer(view) ? ' buffer' : ''}${view.buffer instanceof ArrayBuffer ? '' : ' shared'}` +
    `${keys.length === 0 ? '' : ` keys ${keys.map(String).join()}`} ${content}`
  );
}

const seen = new Set();

/** What can be said of random bytes: a chance of one in 2^64 or less to be wrong. */
export function looksRandom(bytes) {
  if (bytes.length < 16) return `${bytes.length} random`;
  for (let from = 0; from + 16 <= bytes.length && from <= 4096; from += 16) {
    const block = hex(bytes.subarray(from, from + 16));
    if (/^(..)\1+$/.test(block)) return `16 equal bytes at ${from}`;
    if (seen.has(block)) return `bytes seen before at ${from}`;
    if (seen.size < 200_000) seen.add(block);
  }
  const tail = bytes.subarray(bytes.length - 16);
  return tail.every((byte) => byte === 0) ? 'zeros at the end' : `${bytes.length} random`;
}

/** Any value. */
export function show(value, depth = 0) {
  switch (typeof value) {
    case 'string':
      return showString(value);
    case 'symbol':
      return `symbol ${String(value.description)}`;
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'function':
      return `function ${value.name}`;
    case 'object':
      break;
    default:
      return String(value);
  }
  if (value === null) return 'null';
  if (ArrayBuffer.isView(value) && Object.getPrototypeOf(value) !== typedArray) return showView(value);
  if (Array.isArray(value)) {
    return `[${value.slice(0, 40).map((item) => show(item, depth + 1)).join(', ')}${value.length > 40 ? `, …${value.length}` : ''}]`;
  }
  if (value instanceof Error) return showError(value);
  const keys = depth > 1 ? [] : Reflect.ownKeys(value);
  return `${prototypeName(value)}{${keys.map((key) => String(key)).join()}}`;
}

/** Where in which source an error was thrown, which Bun puts on it. */
const POSITIONS = new Set(['line', 'column', 'originalLine', 'originalColumn', 'sourceURL']);

/** An error: its class, and all that it says. */
export function showError(error) {
  if (!(error instanceof Error)) return `threw ${show(error, 1)}`;
  const own = [];
  for (const key of Reflect.ownKeys(error)) {
    if (key === 'stack' || POSITIONS.has(key)) continue;
    const descriptor = Object.getOwnPropertyDescriptor(error, key);
    const flags = ['writable', 'enumerable', 'configurable']
      .map((flag) => (descriptor[flag] ? flag[0] : '-'))
      .join('');
    const content = 'value' in descriptor ? show(descriptor.value, 2) : 'accessor';
    own.push(`${String(key)}:${flags}=${content}`);
  }
  const stack = typeof error.stack === 'string' ? error.stack.split('\n', 1)[0].slice(0, 120) : 'none';
  return `threw ${prototypeName(error)} ${show(error.name)} ${show(error.message)} {${own.join(' ')}} stack ${showString(stack)}`;
}
