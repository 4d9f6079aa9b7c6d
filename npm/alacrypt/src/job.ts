/**
 * Callback forms: work on the addon's pool of threads that ends with a call of the app's callback.
 *
 * The callback's `this` is the host's native job object, whose class is nowhere to be had. So the
 * first calls of each function go to the host, and what their callbacks get as `this` shows its
 * prototype.
 */

import { types } from 'node:util';

import { frames } from './context';
import { native, type StartJob } from './native';
import { asked } from './key-options';
import { emptyHostErrors, handBack } from './object';
import { apply, arrayOf, bare, getPrototypeOf, makeShelf, part, typedArrayFill, typedArrayLength } from './primordials';
import { Status, Word, input, isVacant, wipeOutput, words } from './scratch';
import type { Counter, WorkCounter } from './stats';

const { isProxy } = types;
const { prototype: plainPrototype } = Object;
const NOTHING = new Uint8Array(0);
/** The class, whatever the global of its name is by now. */
const BaseArray = Array;

/** An object that looks like the host's native job from outside. */
interface JobObject {
  ondone?: (error: unknown, answer?: unknown) => void;
}

interface JobClass {
  new (): JobObject;
  prototype: object;
}

/** The callback form of one of the host's functions. */
export interface CallbackForm {
  /** What `async_hooks` calls its jobs. */
  readonly type: string;
  readonly host: unknown;
  readonly start: StartJob | undefined;
  /** The position of the callback. */
  readonly position: number;
  /** Whether the callback gets two values, and `answer` gives an array of both. */
  readonly hasTwoAnswers?: boolean;
  /**
   * What the callback gets, from the scratch; `more` is what the job was started with. `undefined`
   * where the host has to do it after all.
   */
  readonly answer: (status: Status, more: unknown) => unknown;
  /** The host's arguments for what the engine refused on the pool. */
  readonly again: (pending: Pending, input: Uint8Array) => unknown[];
  /** The class of its jobs; `undefined` as long as none was seen, `null` on a host without such. */
  Job: JobClass | null | undefined;
}

/** A key as it was asked for. */
export class GivenKey {
  readonly object = asked.object;
  readonly padding = asked.padding;
  readonly saltLength = asked.saltLength;
  readonly isP1363 = asked.isP1363;
  readonly hasContext = asked.context !== undefined;
  /** So many bytes of context are at the start of the job's input. */
  readonly contextLength: number;

  constructor(contextLength = 0) {
    this.contextLength = contextLength;
  }
}

/** What is behind the context in the input of a job. */
export function dataBehindContext({ contextLength }: GivenKey, input: Uint8Array): Uint8Array {
  return part(input, contextLength, typedArrayLength(input));
}

/** A key as an argument of the host's, with its options; a context is in the job's input. */
export function keyArgument(key: GivenKey, input: Uint8Array): unknown {
  const { object, padding, saltLength, isP1363, hasContext, contextLength } = key;
  const options = bare<unknown>();
  options['key'] = object;
  if (padding !== undefined) options['padding'] = padding;
  if (saltLength !== undefined) options['saltLength'] = saltLength;
  if (isP1363) options['dsaEncoding'] = 'ieee-p1363';
  if (hasContext) options['context'] = part(input, 0, contextLength);
  return options;
}

/** A job that is under way. What it needs of script it has; keys stay alive with it. */
export class Pending {
  readonly form: CallbackForm;
  readonly counter: Counter;
  readonly callback: unknown;
  readonly key: GivenKey;
  /** Whatever else `again` wants. */
  readonly more: unknown;
  readonly job: JobObject;
  readonly frame = frames?.current();

  constructor(
    form: CallbackForm,
    counter: Counter,
    callback: unknown,
    key: GivenKey,
    more: unknown,
    job: JobObject,
  ) {
    this.form = form;
    this.counter = counter;
    this.callback = callback;
    this.key = key;
    this.more = more;
    this.job = job;
  }
}

/** Work under way whose answer a promise is settled with. */
export class Waiting {
  readonly counter: WorkCounter;
  /** The answer, from the scratch. */
  readonly answer: (status: Status) => unknown;
  /** Has the host do what the engine refused on the pool, and returns its promise. */
  readonly again: (input: Uint8Array) => unknown;
  readonly resolve: (answer: unknown) => void;

  constructor(
    counter: WorkCounter,
    answer: Waiting['answer'],
    again: Waiting['again'],
    resolve: Waiting['resolve'],
  ) {
    this.counter = counter;
    this.answer = answer;
    this.again = again;
    this.resolve = resolve;
  }
}

const pendings = makeShelf<Pending | Waiting>();
let started = 0;

/** Whether a call with that callback, or with none, can be served as far as that is concerned. */
export function mayStart(counter: Counter, { Job }: CallbackForm, callback: unknown): boolean {
  if (callback === undefined) return true;
  if (typeof callback !== 'function') {
    counter.handBack('arguments');
  } else if (frames === undefined || Job === null || (Job !== undefined && 'ondone' in Job.prototype)) {
    // Where the app put an `ondone` on a prototype, the host's jobs run into it.
    counter.handBack('callback form');
  } else {
    return true;
  }
  return false;
}

/** Whether a call must still go to the host so that its jobs become known. */
export function isNew({ Job }: CallbackForm, callback: unknown): boolean {
  return Job === undefined && callback !== undefined;
}

/**
 * Gives the work that the scratch describes to the pool; `false` where it is refused. `length` is
 * that of the input, which is wiped.
 */
export function startJob(
  form: CallbackForm,
  counter: Counter,
  callback: unknown,
  key: GivenKey,
  more: unknown,
  length: number,
): boolean {
  const job = new (form.Job as JobClass)();
  const number = nextNumber();
  // With the frame of the caller: hooks that see the job start may change it.
  const pending = new Pending(form, counter, callback, key, more, job);
  // The addon wipes the input before hooks of the app's run, which may put bytes of their own there.
  (form.start as StartJob)(job, form.type);
  if (words[Word.Status] !== Status.Done) {
    if (isVacant()) typedArrayFill(input, 0, 0, length);
    return false;
  }
  job.ondone = (error, answer) => {
    if (error) {
      apply(callback, job, [error]);
    } else if (form.hasTwoAnswers === true) {
      const both = answer as readonly [unknown, unknown];
      apply(callback, job, [null, both[0], both[1]]);
    } else {
      apply(callback, job, [null, answer]);
    }
  };
  pendings.put(number, pending);
  counter.served++;
  emptyHostErrors();
  return true;
}

/**
 * Gives the work that the scratch describes to the pool; `false` where it is refused. `length` is
 * that of the input, which is wiped.
 */
export function startWaiting(type: string, start: StartJob, waiting: Waiting, length: number): boolean {
  const number = nextNumber();
  // What `async_hooks` sees of it.
  start({}, type);
  if (words[Word.Status] !== Status.Done) {
    if (isVacant()) typedArrayFill(input, 0, 0, length);
    return false;
  }
  pendings.put(number, waiting);
  waiting.counter.serveElsewhere();
  emptyHostErrors();
  return true;
}

function nextNumber(): number {
  const number = started;
  started = (started + 1) >>> 0;
  words[Word.Job] = number;
  return number;
}

/** Called by the addon in the context of a job that is done; with the input, if that was refused. */
function settle(refusedInput?: Uint8Array): void {
  const pending = pendings.take(words[Word.Job] as number);
  if (pending === undefined) {
    wipeOutput(words[Word.OutputLength] as number);
    return;
  }
  if (pending instanceof Waiting) {
    settleWaiting(pending, refusedInput);
    return;
  }
  const { form, job, frame, more } = pending;
  const prior = frames?.current();
  frames?.set(frame);
  const answer = refusedInput === undefined ? form.answer(words[Word.Status] as Status, more) : undefined;
  if (answer !== undefined) job.ondone?.(null, answer);
  else replay(pending, refusedInput ?? NOTHING);
  // Not where the callback throws: whoever handles that does so in its context.
  frames?.set(prior);
}

function settleWaiting({ counter, answer, again, resolve }: Waiting, refusedInput?: Uint8Array): void {
  counter.waitedMicros += words[Word.WaitedMicros] as number;
  if (refusedInput === undefined) {
    resolve(answer(words[Word.Status] as Status));
    return;
  }
  counter.pooled--;
  counter.serveNoMore('engine refused');
  // A promise of the host's, which never throws.
  resolve(again(refusedInput));
}

/**
 * Lets the host do a job that the engine refused on the pool, such as an RSA signature with numbers
 * that do not belong together: the callback is called once the host has said what is wrong, after
 * those of jobs that were started later.
 */
function replay(pending: Pending, refusedInput: Uint8Array): void {
  const { form, counter, job } = pending;
  counter.serveNoMore('engine refused');
  try {
    handBack(form.host, undefined, form.again(pending, refusedInput));
  } catch (error) {
    job.ondone?.(error);
  }
}

native?.jobsSettleBy(settle);

/** More threads than that are of no use to anybody. */
const MOST_THREADS = 64;
const threads = Number(process.env['ALACRYPT_THREADS']);
if (Number.isSafeInteger(threads) && threads > 0 && threads <= MOST_THREADS) {
  words[Word.OutputLength] = threads;
  native?.poolThreads();
}

/** Hands a call of a function that has a callback form back to the host. */
export function handBackForm(form: CallbackForm, receiver: unknown, args: ArrayLike<unknown>): unknown {
  const callback = args[form.position];
  if (form.Job !== undefined || typeof callback !== 'function') return handBack(form.host, receiver, args);
  const own = apply(arrayOf, BaseArray, args) as unknown[];
  own[form.position] = function (this: unknown): unknown {
    form.Job ??= classOf(this);
    return apply(callback, this, arguments);
  };
  return handBack(form.host, receiver, own);
}

/** A class of objects like that one from outside; `null` where it is no native job. */
function classOf(object: unknown): JobClass | null {
  if (typeof object !== 'object' || object === null || isProxy(object)) return null;
  const prototype = getPrototypeOf(object) as object | null;
  if (prototype === null || prototype === plainPrototype) return null;
  function Job(): void {}
  Job.prototype = prototype;
  return Job as unknown as JobClass;
}
