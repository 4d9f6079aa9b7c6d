/**
 * The ways to call a function that answers at once, through a callback, or as a promise; and what
 * a caller does with its memory afterwards.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import util from 'node:util';

import { show, showError } from '../canonical.mjs';
import { crypto } from '../host.mjs';
import { odd } from '../values.mjs';

const WAYS = { sync: 70, callback: 14, several: 6, promise: 4, oddCallback: 2, receiver: 1, fewer: 1, more: 1, undefinedCallback: 1 };
/** Nothing takes longer on the slowest machine. */
const PATIENCE_MS = 60_000;

/** Fills the memory that a view or an `ArrayBuffer` shows, and no more: it may be a piece of a pool. */
export function overwrite(value) {
  try {
    if (ArrayBuffer.isView(value)) new Uint8Array(value.buffer, value.byteOffset, value.byteLength).fill(0xee);
    else if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) new Uint8Array(value).fill(0xee);
    else if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) for (const name of Object.keys(value)) value[name] = 'gone';
  } catch {
    // Detached, or not what it says.
  }
}

/**
 * Calls `crypto[names.sync]`, or `crypto[names.callback]` in one of its ways; `mine` is overwritten
 * once the call has returned.
 *
 * @param {{ sync: string, callback?: string, answers?: number, shownOfFewer?: (...answers: any[]) => string }} names
 *   `answers`: how many values a callback gets after the error; `shownOfFewer`: instead of `shown`,
 *   where arguments are left out
 * @param {(...answers: any[]) => string} shown
 */
export async function callAnyWay(machine, rng, names, args, label, shown, mine = []) {
  const way = rng.weighted(names.callback === undefined ? { sync: 96, receiver: 1, fewer: 1, more: 1 } : WAYS);
  const target = crypto[way === 'sync' || way === 'receiver' || way === 'fewer' || way === 'more' ? names.sync : names.callback];
  const spoil = rng.chance(0.5);
  const written = `${way === 'sync' ? '' : `${way} `}${label}`;
  const done = () => {
    if (spoil) for (const value of mine) overwrite(value);
  };
  switch (way) {
    case 'callback': {
      await withCallback(machine, rng, written, (callback) => Reflect.apply(target, crypto, [...args, callback]), shown, done);
      return undefined;
    }
    case 'several': {
      await inARow(machine, rng, written, (callback) => Reflect.apply(target, crypto, [...args, callback]), shown, done);
      return undefined;
    }
    case 'promise': {
      let outcome;
      try {
        const promise = util.promisify(target)(...args);
        done();
        const answer = await promise;
        outcome = names.answers > 1 ? shown(...Object.values(answer)) : shown(answer);
        if (names.answers > 1) outcome += ` as ${Object.keys(answer).join()}`;
      } catch (error) {
        outcome = showError(error);
      }
      machine.record(written, outcome);
      return undefined;
    }
    default: {
      const all =
        way === 'oddCallback' ? [...args, odd(rng).value]
        : way === 'undefinedCallback' ? [...args, undefined]
        : way === 'fewer' ? args.slice(0, rng.below(args.length))
        : way === 'more' ? [...args, undefined, 'more']
        : args;
      const describe = way === 'fewer' ? (names.shownOfFewer ?? shown) : shown;
      const result = machine.call(rng, written, () => Reflect.apply(target, way === 'receiver' ? null : crypto, all), describe, way === 'sync');
      done();
      return result;
    }
  }
}

const storage = new AsyncLocalStorage();

/**
 * Starts the same call some times, with a job of the host's own between, and records how each ends.
 * In which order they do is not: on the host that hangs on the size of its pool, and ours is another.
 */
async function inARow(machine, rng, label, start, shown, returned) {
  const count = 2 + rng.below(4);
  const between = rng.below(count);
  const outcomes = [];
  const jobs = [];
  for (let at = 0; at < count; at++) {
    if (at === between) jobs.push(new Promise((resolve) => crypto.randomFill(Buffer.alloc(1), resolve)));
    let threw = false;
    jobs.push(
      new Promise((resolve) => {
        const result = machine.call(rng, `${label} ${at} of ${count}`, () => {
          threw = true;
          const value = storage.run(at, () => start((error, ...answers) => {
            const place = storage.getStore() === at ? '' : ' out of its context';
            outcomes[at] = `${error !== undefined && error !== null ? showError(error) : shown(...answers)}${place}`;
            resolve();
          }));
          threw = value !== undefined;
          return value;
        }, (value) => (value === undefined ? 'started' : shown(value)), false);
        if (threw || result !== undefined) resolve();
      }),
    );
    if (threw) break;
  }
  returned();
  await Promise.all(jobs);
  if (outcomes.length === 0) return;
  machine.record('ended', outcomes.join(' '));
}

/** Records the call, then what its callback gets, and whether it gets that at once or later. */
export async function withCallback(machine, rng, label, start, shown, returned = () => {}) {
  const store = rng.below(1000);
  let settle;
  const called = new Promise((resolve) => (settle = resolve));
  let when = 'at once';
  let waits = false;
  machine.call(
    rng,
    label,
    () => {
      const result = storage.run(store, () => start(function (...answers) {
        settle([when, answers, storage.getStore() === store ? '' : ' out of its context', this]);
      }));
      // A host that knows no callback here has answered already.
      waits = result === undefined;
      return result;
    },
    show,
    false,
  );
  when = 'later';
  returned();
  if (!waits) return;
  let timer;
  const waited = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
  const settled = await Promise.race([called, waited]);
  clearTimeout(timer);
  if (settled === undefined) {
    machine.record('callback', 'never called');
    return;
  }
  const [time, [error, ...answers], lost, receiver] = settled;
  const failed = error !== undefined && error !== null;
  machine.record('callback', `${time}${lost} of a ${receiver?.constructor?.name} ${failed ? showError(error) : `${String(error)} ${shown(...answers)}`} of ${answers.length}`);
}
