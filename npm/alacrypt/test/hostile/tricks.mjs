/** What a hostile script does to the arguments of a call, and to built-ins before it. */

const { structuredClone } = globalThis;

const isView = (value) => ArrayBuffer.isView(value);
const isOptions = (value) => typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** What is done to memory in the middle of a call. */
const EFFECTS = {
  transfer: { effect: ({ buffer }) => void structuredClone(buffer, { transfer: [buffer] }) },
  'shrink to nothing': { isResizable: true, effect: ({ buffer }) => buffer.resize(0) },
  'shrink by half': { isResizable: true, effect: ({ buffer }) => buffer.resize(buffer.byteLength >> 1) },
  grow: { isResizable: true, effect: ({ buffer }) => buffer.resize(buffer.maxByteLength) },
  'write over': { effect: (view) => new Uint8Array(view.buffer).fill(0xaa) },
};

/** The same bytes on memory that can change its size; the view follows that or has a length of its own. */
function onResizable(view, follows) {
  const memory = new ArrayBuffer(view.byteLength, { maxByteLength: view.byteLength * 2 + 16 });
  new Uint8Array(memory).set(view);
  return follows ? new Uint8Array(memory) : new Uint8Array(memory, 0, view.byteLength);
}

/** The places where bytes are: an argument, or a property of one. */
function placesOfBytes(args) {
  const places = [];
  args.forEach((value, at) => {
    if (isView(value)) places.push([at]);
    if (isOptions(value)) for (const name of Object.keys(value)) if (isView(value[name])) places.push([at, name]);
  });
  return places;
}

const read = (args, [at, name]) => (name === undefined ? args[at] : args[at][name]);
function write(args, [at, name], value) {
  if (name === undefined) args[at] = value;
  else args[at][name] = value;
}

function once(effect) {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    effect();
  };
}

/** Each way in which one argument can run code: what is put in its place. */
function* trapped(value, act) {
  if (isOptions(value)) {
    for (const name of Object.keys(value)) {
      const copy = { ...value };
      Object.defineProperty(copy, name, { enumerable: true, configurable: true, get: () => (act(), value[name]) });
      yield [`getter ${name}`, copy];
      if (typeof value[name] === 'string' || typeof value[name] === 'number') {
        yield [`toString ${name}`, { ...value, [name]: speaking(value[name], act) }];
      }
    }
    yield ['proxy', new Proxy(value, { get: (target, name) => (act(), target[name]) })];
    yield ['heir', Object.create(new Proxy(value, { get: (target, name) => (act(), target[name]) }))];
  } else if (typeof value === 'string' || typeof value === 'number' || value === undefined) {
    yield ['toString', speaking(value, act)];
  } else if (isView(value)) {
    yield ['proxy', new Proxy(value, { get: (target, name) => (act(), target[name]) })];
    const shown = new Uint8Array(value);
    for (const name of ['length', 'byteLength', 'byteOffset', 'buffer']) {
      Object.defineProperty(shown, name, { get: () => (act(), value[name]) });
    }
    yield ['own getters', shown];
  }
}

function speaking(value, act) {
  return { toString: () => (act(), String(value)), valueOf: () => (act(), value) };
}

/** Arguments of `call` for each trick, with what it is called. */
export function* changedArguments({ args: make }) {
  const places = placesOfBytes(make());
  for (const place of places) {
    for (const [what, { isResizable, effect }] of Object.entries(EFFECTS)) {
      for (const follows of isResizable === true ? [true, false] : [false]) {
        const count = make().length;
        for (let at = 0; at < count; at++) {
          for (let way = 0; ; way++) {
            const args = make();
            if (isResizable === true) write(args, place, onResizable(read(args, place), follows));
            const target = read(args, place);
            const act = once(() => effect(target));
            const found = [...trapped(args[at], act)][way];
            if (found === undefined) break;
            const [how, changed] = found;
            args[at] = changed;
            yield [`${what}${follows ? ' (followed)' : ''} ${place.join('.')} by ${how} of ${at}`, args];
          }
        }
      }
    }
  }
  // What is odd from the start.
  for (const place of places) {
    for (const [what, change] of Object.entries({
      detached: (view) => (EFFECTS.transfer.effect(view), view),
      resizable: (view) => onResizable(view, true),
      'out of bounds': (view) => {
        const changed = onResizable(view, false);
        changed.buffer.resize(1);
        return changed;
      },
      shared: (view) => {
        const shared = new Uint8Array(new SharedArrayBuffer(view.byteLength, { maxByteLength: view.byteLength * 2 }));
        shared.set(view);
        return shared;
      },
      'of another class': (view) => new (class Bytes extends Uint8Array {})(view),
      'without a prototype': (view) => Object.setPrototypeOf(new Uint8Array(view), null),
      'a DataView': (view) => new DataView(view.buffer, view.byteOffset, view.byteLength),
      'a memory': (view) => new Uint8Array(view).buffer,
      words: (view) => new Uint16Array(new Uint8Array(view.byteLength & ~1).buffer),
    })) {
      const args = make();
      write(args, place, change(read(args, place)));
      yield [`${place.join('.')} ${what}`, args];
    }
  }
  // The class of what is passed on must not be asked.
  for (let at = 0; at < make().length; at++) {
    const args = make();
    if (typeof args[at] !== 'object' || args[at] === null) continue;
    args[at] = new Proxy(args[at], {});
    yield [`plain proxy of ${at}`, args];
    const gone = make();
    const { proxy, revoke } = Proxy.revocable(gone[at], {});
    revoke();
    gone[at] = proxy;
    yield [`revoked proxy of ${at}`, gone];
  }
}

const thrower = (label) =>
  function () {
    throw new Error(`poisoned ${label} was used`);
  };

function methods(target, label, names) {
  return names.filter((name) => Object.hasOwn(target, name)).map((name) => [target, name, { value: thrower(`${label}.${String(name)}`), writable: true, configurable: true }]);
}

const accessors = (target, names, value) => names.map((name) => [target, name, { get: () => value, set() {}, configurable: true }]);

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const species = (target) => [target, Symbol.species, { get: () => thrower('species'), configurable: true }];

/** Changed built-ins, which stay so from before the first call until all calls have ended. */
export const POISONS = {
  // The first indices stop the timers of older lines.
  'Array.prototype has accessors of indices': () => accessors(Array.prototype, ['7', '8', '31', '32', '40'], undefined),
  'Object.prototype has options': () => accessors(Object.prototype, ['outputLength', 'padding', 'saltLength', 'oaepHash', 'authTagLength', 'N', 'passphrase', 'format', 'hash', 'iv', 'tagLength', 'salt', 'info'], undefined),
  'Object.prototype has values of options': () => accessors(Object.prototype, ['outputLength', 'cost', 'dsaEncoding', 'additionalData', 'disableEntropyCache'], 5),
  'Object.prototype.then': () => [[Object.prototype, 'then', { value(resolve) { resolve('taken'); }, writable: true, configurable: true }]],
  'Object.prototype.then is read': () => accessors(Object.prototype, ['then'], undefined),
  'Uint8Array.prototype': () => methods(typedArray, 'TypedArray', ['set', 'subarray', 'slice', 'fill', 'copyWithin', 'every', Symbol.iterator]),
  'species and constructors': () => [species(typedArray.constructor), species(ArrayBuffer), species(Array), species(Promise), species(Map)],
  'Symbol.iterator': () => [...methods(Array.prototype, 'Array', [Symbol.iterator]), ...methods(String.prototype, 'String', [Symbol.iterator]), ...methods(Map.prototype, 'Map', [Symbol.iterator, 'get', 'set', 'has'])],
  'Buffer': () => methods(Buffer, 'Buffer', ['from', 'alloc', 'allocUnsafe', 'allocUnsafeSlow', 'isBuffer', 'isEncoding', 'concat', 'byteLength']),
  'Buffer.prototype': () => methods(Buffer.prototype, 'Buffer.prototype', ['toString', 'write', 'hexSlice', 'utf8Slice', 'base64Slice', 'utf8Write', 'hexWrite', 'latin1Write', 'copy', 'slice', 'fill']),
  'String.prototype': () => methods(String.prototype, 'String.prototype', ['charCodeAt', 'slice', 'indexOf', 'split', 'startsWith', 'includes', 'toLowerCase', 'toUpperCase', 'replace']),
  'Reflect and Object': () => [...methods(Reflect, 'Reflect', ['apply', 'ownKeys', 'construct', 'get', 'has']), ...methods(Object, 'Object', ['getPrototypeOf', 'getOwnPropertyDescriptor', 'keys', 'entries', 'create', 'assign'])],
  'Function.prototype': () => methods(Function.prototype, 'Function.prototype', ['call', 'apply', 'bind']),
  globals: () => ['ArrayBuffer', 'SharedArrayBuffer', 'Uint8Array', 'Uint32Array', 'DataView', 'Map', 'WeakMap', 'Set', 'Math', 'JSON', 'Number', 'String', 'Error', 'TypeError', 'RangeError', 'queueMicrotask', 'setImmediate', 'structuredClone', 'DOMException', 'FinalizationRegistry', 'Buffer'].map((name) => [globalThis, name, { value: thrower(`global ${name}`), writable: true, configurable: true }]),
  'Promise.prototype and statics': () => [...methods(Promise, 'Promise', ['resolve', 'reject', 'all']), ...methods(Promise.prototype, 'Promise.prototype', ['then', 'catch', 'finally'])],
};
