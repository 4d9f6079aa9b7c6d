/**
 * Carries out one part on this process's functions, and writes a line for each call:
 *
 *     child.mjs KEYS arguments FROM SKIPPED | poison NAME | promises | callbacks | stack
 *
 * `FROM` is the first call to carry out, and `SKIPPED` an array of those to leave out. Before each of
 * these its number is written, by which one knows what the process did last.
 */

import crypto from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

import { indexFile } from '../support/runtime.mjs';
import { makeCalls } from './calls.mjs';
import { POISONS, changedArguments } from './tricks.mjs';

const [, , keysFile, part, name] = process.argv;
const { apply } = Reflect;
const { defineProperty, getOwnPropertyDescriptor } = Object;
const { deleteProperty } = Reflect;
const { then } = Promise.prototype;
const NativePromise = Promise;
const { setTimeout, setImmediate } = globalThis;
const calls = await makeCalls(JSON.parse(readFileSync(keysFile, 'utf8')));

let text = '';
function line(what, outcome) {
  text += `${what} -> ${outcome}\n`;
  if (text.length > 50_000) flush();
}
function flush() {
  for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest));
  text = '';
}

function describe(value, isRandom) {
  if (Array.isArray(value)) return `[${value.map((item) => describe(item, isRandom)).join(', ')}]`;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    const bytes = Buffer.from(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength);
    return `${value.constructor.name} ${bytes.length} ${isRandom ? '' : bytes.toString('hex')}`;
  }
  if (typeof value === 'object' && value !== null) return `object ${Object.keys(value)}`;
  return isRandom ? typeof value : `${typeof value} ${String(value)}`;
}
function describeError(error) {
  return `threw ${error?.name} ${String(error?.code)} ${String(error?.message).split('\n')[0]}`;
}

/** The outcome as `[value]` or `{ error }`, sooner or later. */
function start({ run }, args, settle) {
  try {
    const value = apply(run, undefined, args);
    if (value instanceof NativePromise) apply(then, value, [(found) => settle({ value: found }), (error) => settle({ error })]);
    else settle({ value });
  } catch (error) {
    settle({ error });
  }
}
const outcomeOf = (call, args) => new NativePromise((resolve) => start(call, args, (outcome) => resolve({ __proto__: null, outcome })));
function tell(call, what, outcome, args = []) {
  let said;
  try {
    said = 'error' in outcome ? describeError(outcome.error) : describe(outcome.value, call.isRandom);
  } catch (error) {
    said = `cannot be told: ${error.message}`;
  }
  const sizes = args.filter((value) => ArrayBuffer.isView(value)).map((value) => { try { return value.byteLength; } catch { return 'gone'; } });
  line(`${call.name} ${what}`, `${said} | ${sizes}`);
}

const parts = {
  async arguments() {
    const from = Number(name);
    const skipped = new Set(JSON.parse(process.argv[5]));
    let number = 0;
    const attempt = async (call, what, args) => {
      const isWanted = number >= from && !skipped.has(number);
      if (isWanted) {
        text += `? ${number}\n`;
        flush();
        const { outcome } = await outcomeOf(call, args);
        tell(call, what, outcome, args.filter((value) => ArrayBuffer.isView(value)));
      }
      number++;
    };
    for (const call of calls) {
      // Several times, as what is kept of keys is used from the second or third time on.
      for (let round = 0; round < 4; round++) await attempt(call, 'plain', call.args());
      for (const [what, args] of changedArguments(call)) await attempt(call, what, args);
      await attempt(call, 'plain again', call.args());
    }
  },

  /** In rounds, so that what is read at first use is read under the change. */
  async poison() {
    // The host's own jobs may run into the change where nobody can catch it.
    process.on('uncaughtException', () => {});
    process.on('unhandledRejection', () => {});
    const changes = POISONS[name]();
    const prepared = calls.flatMap((call) => [call, call, call].map((same) => ({ call: same, args: same.args() })));
    const outcomes = { __proto__: null };
    let pending = prepared.length;
    const before = changes.map(([target, property]) => getOwnPropertyDescriptor(target, property));
    for (let at = 0; at < changes.length; at++) defineProperty(changes[at][0], changes[at][1], { __proto__: null, ...changes[at][2] });
    for (let at = 0; at < prepared.length; at++) {
      start(prepared[at].call, prepared[at].args, (outcome) => {
        outcomes[at] = outcome;
        pending--;
      });
    }
    const restore = () => {
      for (let at = 0; at < changes.length; at++) {
        if (before[at] === undefined) deleteProperty(changes[at][0], changes[at][1]);
        else defineProperty(changes[at][0], changes[at][1], { __proto__: null, ...before[at] });
      }
    };
    let turns = 0;
    await new NativePromise((resolve) => {
      const look = () => (pending === 0 || turns++ > 100 ? resolve() : setTimeout(look, 10));
      look();
    });
    restore();
    for (let at = 0; at < prepared.length; at++) tell(prepared[at].call, `under ${name}`, outcomes[at] ?? { value: 'never settled' });
    for (const call of calls) tell(call, 'afterwards', (await outcomeOf(call, call.args())).outcome);
  },

  /** Nobody waits for what was begun, nor takes its errors. */
  async promises() {
    const seen = [];
    process.on('unhandledRejection', (error) => seen.push(`unhandled ${describeError(error)}`));
    for (let round = 0; round < 20; round++) {
      for (const call of calls) {
        try { call.run(...call.args()); } catch (error) { seen.push(describeError(error)); }
        const args = call.args();
        args[0] = 'no such thing';
        try { call.run(...args); } catch (error) { seen.push(describeError(error)); }
      }
    }
    await new NativePromise((resolve) => setTimeout(resolve, 1500));
    for (const entry of seen.sort()) line('left alone', entry);
  },

  /** What callbacks throw is caught by nobody. */
  async callbacks() {
    const seen = [];
    process.on('uncaughtException', (error) => seen.push(`${error.message}`));
    const forms = {
      pbkdf2: ['secret', 'salt', 10, 32, 'sha256'], hkdf: ['sha256', 'secret', 'salt', 'info', 32], scrypt: ['secret', 'salt', 32, { N: 16 }],
      randomBytes: [16], generateKeyPair: ['ec', { namedCurve: 'P-256' }], sign: ['sha256', Buffer.alloc(48), JSON.parse(readFileSync(keysFile, 'utf8')).rsa],
    };
    for (const [form, args] of Object.entries(forms)) {
      for (let round = 0; round < 6; round++) {
        const kinds = [new Error(`thrown by the callback of ${form}`), undefined, null];
        await new NativePromise((resolve) => crypto[form](...args, () => { setImmediate(resolve); throw kinds[0]; }));
      }
    }
    for (const entry of seen) line('callback', entry);
  },

  /** From the end of the stack upwards; what counts is that all is well afterwards. */
  async stack() {
    for (const call of calls) {
      let tries = 0;
      const odd = new Set();
      const attempt = () => {
        const note = (error) => { if (!(error instanceof RangeError)) odd.add(describeError(error)); };
        try {
          const value = call.run(...call.args());
          if (value instanceof NativePromise) value.then(() => {}, note);
        } catch (error) { note(error); }
      };
      const dive = () => {
        try { dive(); } catch (error) { if (!(error instanceof RangeError)) throw error; }
        if (tries < 60) { tries++; try { attempt(); } catch { /* the handler itself had no room */ } }
      };
      dive();
      tell(call, `after ${tries} tries without stack`, (await outcomeOf(call, call.args())).outcome);
    }
  },
};

await parts[part]();
if (process[Symbol.for('alacrypt')] !== undefined) {
  const counts = Object.values(createRequire(import.meta.url)(indexFile).stats());
  line('! served', counts.reduce((sum, { served }) => sum + served, 0));
}
line('end', 'reached');
flush();
