/**
 * When results of Web Crypto arrive.
 *
 * Short work is done within the call, but its promise is settled in a task of its own: what the app has
 * waiting by then comes first, and between two operations that are awaited one after another the loop
 * looks after timers, files and connections. The addon decides what is short
 * (`crates/alacrypt-node/src/schedule.rs`), within a budget for each turn of the loop; what is not goes
 * to its pool of threads.
 */

import { Waiting, startWaiting } from './job';
import { native, type StartJob } from './native';
import { Promise_ } from './primordials';
import { Status, Word, words } from './scratch';
import type { WorkCounter } from './stats';
import { web } from './web-host';

const { inNextTurn } = web;

/** What is taken for the budget where nothing else is asked for, in microseconds. */
const DEFAULT_BUDGET = 2000;
/** Beyond this the loop would stand still for longer than anybody would want. */
const MOST_BUDGET = 50_000;

/** `ALACRYPT_INLINE=off` does nothing within a call; `ALACRYPT_INLINE_BUDGET_US` says how much of a turn may be. */
function budget(): number {
  if (process.env['ALACRYPT_INLINE'] === 'off') return 0;
  const given = process.env['ALACRYPT_INLINE_BUDGET_US'];
  const micros = given === undefined || given === '' ? DEFAULT_BUDGET : Number(given);
  return Number.isSafeInteger(micros) && micros >= 0 && micros <= MOST_BUDGET ? micros : DEFAULT_BUDGET;
}

words[Word.OutputLength] = budget();
native?.workBudget();

/** The number of this turn of the loop. */
let turn = 1;
/** Whether something is to run in the next turn that begins with the number of that. */
let endsTurn = false;

function nextTurn(): void {
  turn = (turn + 1) >>> 0;
  endsTurn = false;
}

/**
 * Does work that the scratch describes, now, if it is short enough, and returns what became of it;
 * {@link Status.Later} if it is not.
 */
export function doHere(work: () => void): Status {
  words[Word.Turn] = turn;
  work();
  // The next turn has a budget of its own, whatever becomes of this work's promise.
  if (!endsTurn) {
    endsTurn = true;
    inNextTurn(nextTurn);
  }
  return words[Word.Status] as Status;
}

let resolveOfLast: (value: unknown) => void;

function keepResolve(resolve: (value: unknown) => void): void {
  resolveOfLast = resolve;
}

function settle(resolve: (value: unknown) => void, value: unknown): void {
  resolve(value);
}

/** A promise that a task of its own settles with `value`. */
export function settledLater(value: unknown): Promise<unknown> {
  const promise = new Promise_(keepResolve);
  inNextTurn(settle, resolveOfLast, value);
  return promise;
}

/**
 * A promise for work that the scratch describes, which goes to the pool; `undefined` where that takes
 * none. `length` is that of the input, which is wiped; `again` has the host do what the engine refuses
 * there.
 */
export function doElsewhere(
  type: string,
  start: StartJob | undefined,
  length: number,
  counter: WorkCounter,
  answer: (status: Status) => unknown,
  again: (input: Uint8Array) => unknown,
): Promise<unknown> | undefined {
  if (start === undefined) return undefined;
  const promise = new Promise_(keepResolve);
  const waiting = new Waiting(counter, answer, again, resolveOfLast);
  return startWaiting(type, start, waiting, length) ? promise : undefined;
}
