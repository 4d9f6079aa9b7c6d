/**
 * Calls that draw random bytes: what is compared is all but the bytes themselves.
 */

import { looksRandom, show, showView } from './canonical.mjs';
import { crypto, hostFails } from './host.mjs';
import { odd, view } from './values.mjs';

const SIZES = [0, 1, 2, 8, 15, 16, 16, 16, 20, 24, 32, 32, 48, 64, 65, 100, 128, 255, 256, 257, 512, 1000, 1023, 1024, 1025, 2048, 4096, 4097, 8192, 20_000, 65_536, 65_537];
const WRONG_SIZES = [-1, -0, 1.5, NaN, Infinity, '16', 2 ** 31, 2 ** 32, 2 ** 32 + 16, 2 ** 53, null, undefined, {}, [16], true, 16n, Symbol('s')];

function size(rng) {
  const value = rng.chance(0.85) ? rng.pick(SIZES) : rng.pick(WRONG_SIZES);
  const label = Object.is(value, -0) ? '-0' : typeof value === 'symbol' ? 'symbol' : `${typeof value} ${String(value)}`;
  return { value, label };
}

const showRandom = (value) => (ArrayBuffer.isView(value) ? showView(value, true) : show(value));

export const calls = {
  randomBytes(machine, rng) {
    const drawn = size(rng);
    const form = rng.weighted({ plain: 30, undefinedCallback: 2, receiver: 2, more: 1 });
    machine.call(
      rng,
      `randomBytes:${form}(${drawn.label})`,
      () => {
        switch (form) {
          case 'plain':
            return crypto.randomBytes(drawn.value);
          case 'undefinedCallback':
            return crypto.randomBytes(drawn.value, undefined);
          case 'receiver':
            return Reflect.apply(crypto.randomBytes, null, [drawn.value]);
          default:
            return crypto.randomBytes(drawn.value, undefined, 'more');
        }
      },
      showRandom,
    );
  },

  /** Bytes are the caller's own: a write into them shows nowhere else. */
  randomBytesApart(machine, rng) {
    const count = rng.pick([16, 32, 100]);
    machine.call(rng, `two randomBytes(${count})`, () => {
      const one = crypto.randomBytes(count);
      one.fill(0);
      const other = crypto.randomBytes(count);
      return `${one.every((byte) => byte === 0)} ${looksRandom(other)} ${one.buffer === other.buffer}`;
    });
  },

  async randomBytesCallback(machine, rng) {
    const drawn = size(rng);
    const callback = rng.chance(0.9) ? undefined : odd(rng);
    let settle;
    const called = new Promise((resolve) => (settle = resolve));
    let synchronous = true;
    const result = machine.call(
      rng,
      `randomBytes(${drawn.label}, ${callback === undefined ? 'callback' : callback.label})`,
      () =>
        crypto.randomBytes(
          drawn.value,
          callback === undefined
            ? (error, bytes) => settle(`${synchronous ? 'at once' : 'later'} ${show(error)} ${showRandom(bytes)}`)
            : callback.value,
        ),
      (value) => (callback === undefined ? show(value) : showRandom(value)),
    );
    synchronous = false;
    if (callback === undefined && result === undefined) {
      const waited = new Promise((resolve) => setTimeout(resolve, 20_000, 'never called'));
      // After an error that was thrown the callback stays uncalled: no need to wait for that.
      const threw = isWrong(drawn.value);
      machine.record('callback', threw ? 'not waited for' : await Promise.race([called, waited]));
    }
  },

  randomFillSync(machine, rng) {
    const drawn = rng.chance(0.9) ? view(rng, rng.pick(SIZES.filter((value) => value <= 8192)), hostFails.onLyingViews || undefined) : odd(rng);
    const form = rng.weighted({ plain: 10, offset: 4, both: 4, undefined: 1 });
    const offset = rng.chance(0.8) ? { value: rng.below(40), label: '' } : size(rng);
    const count = rng.chance(0.8) ? { value: rng.below(40), label: '' } : size(rng);
    const args =
      form === 'plain' ? [drawn.value]
      : form === 'offset' ? [drawn.value, offset.value]
      : form === 'both' ? [drawn.value, offset.value, count.value]
      : [drawn.value, undefined, undefined];
    // Memory that others use as well says nothing.
    const memory = /^(wasm|pooled)/.test(drawn.label) ? undefined : whole(drawn.value);
    const map = memory === undefined ? undefined : new Uint8Array(memory.length);
    memory?.fill(0);
    machine.call(
      rng,
      `randomFillSync:${form}(${drawn.label}, ${offset.label || offset.value}, ${count.label || count.value})`,
      () => {
        const result = Reflect.apply(crypto.randomFillSync, crypto, args);
        if (map === undefined) return result;
        mark(map, memory);
        // A byte may be zero by chance, but not every time.
        for (let round = 0; round < 4; round++) {
          Reflect.apply(crypto.randomFillSync, crypto, args);
          mark(map, memory);
        }
        return result;
      },
      (result) => `${result === drawn.value ? 'its argument' : show(result)} ${map === undefined ? '' : runs(map)}`,
      // Changed getters make all views lie.
      !hostFails.onLyingViews,
    );
  },

  getRandomValues(machine, rng) {
    const drawn = rng.chance(0.9) ? view(rng, rng.pick([...SIZES, 131_072]), hostFails.onLyingViews || undefined) : odd(rng);
    const form = rng.weighted({ module: 6, web: 6, global: 6, more: 1, none: 1, receiver: 2, detachedMethod: 1 });
    const { webcrypto } = crypto;
    const fill = () => {
      switch (form) {
        case 'module':
          return crypto.getRandomValues(drawn.value);
        case 'web':
          return webcrypto.getRandomValues(drawn.value);
        case 'global':
          return globalThis.crypto.getRandomValues(drawn.value);
        case 'more':
          return webcrypto.getRandomValues(drawn.value, 'more');
        case 'none':
          return webcrypto.getRandomValues();
        case 'receiver':
          return Reflect.apply(webcrypto.getRandomValues, crypto, [drawn.value]);
        default:
          return Reflect.apply(webcrypto.getRandomValues, undefined, [drawn.value]);
      }
    };
    const memory = /^(wasm|pooled)/.test(drawn.label) ? undefined : whole(drawn.value);
    const map = memory === undefined ? undefined : new Uint8Array(memory.length);
    memory?.fill(0);
    machine.call(
      rng,
      `getRandomValues:${form}(${drawn.label})`,
      () => {
        const result = fill();
        if (map === undefined) return result;
        mark(map, memory);
        for (let round = 0; round < 4; round++) {
          fill();
          mark(map, memory);
        }
        return result;
      },
      (result) => `${result === drawn.value ? 'its argument' : show(result)} ${map === undefined ? '' : runs(map)}`,
      !hostFails.onLyingViews,
    );
  },

  randomUUID(machine, rng) {
    machine.call(rng, 'randomUUID()', () => crypto.randomUUID(), (value) => String(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value)));
  },

  randomInt(machine, rng) {
    const bounds = rng.pick([[5], [0, 1], [3, 4], [3, 3], [-1], [], [2 ** 48], [0, 2 ** 48], ['5'], [1.5], [-5, -4]]);
    machine.call(rng, `randomInt(${bounds})`, () => {
      const value = crypto.randomInt(...bounds);
      return typeof value === 'number' && value >= (bounds.length > 1 ? bounds[0] : 0) && value < bounds.at(-1);
    });
  },
};

function isWrong(value) {
  return typeof value !== 'number' || !(value >= 0) || !Number.isInteger(value) || value > 2 ** 31 - 1;
}

/** All the memory that a view is on. */
function whole(value) {
  try {
    return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer) : undefined;
  } catch {
    return undefined;
  }
}

/** Marks the bytes that were written to. */
function mark(map, memory) {
  for (let at = 0; at < map.length; at++) if (memory[at] !== 0) map[at] = 1;
}

/** The marked bytes as runs: `.5x16.3` is five untouched, sixteen written, three untouched. */
function runs(map) {
  let text = '';
  for (let from = 0; from < map.length; ) {
    let to = from + 1;
    while (to < map.length && map[to] === map[from]) to++;
    text += `${map[from] === 1 ? 'x' : '.'}${to - from}`;
    from = to;
  }
  return text;
}
