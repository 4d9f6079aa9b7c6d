/**
 * `encapsulate` and `decapsulate`, on hosts that have them.
 */

import { hostDecapsulate, hostEncapsulate, OwnedBuffer } from './host';
import { type CallbackForm, GivenKey, handBackForm, isNew, mayStart, startJob } from './job';
import { type Key, Kind, findKey, missing } from './key';
import { native } from './native';
import { emptyHostErrors } from './object';
import { fips } from './policy';
import { part, typedArrayFill, typedArrayLength, typedArraySet, typedArrayTag } from './primordials';
import {
  Encoding,
  Status,
  Word,
  input,
  occupy,
  outputView,
  takeOutput,
  wipeOutput,
  words,
} from './scratch';
import { type Counter, counters } from './stats';

/** The length of the secret (FIPS 203, section 8). */
const SHARED_LENGTH = 32;
/** The longest ciphertext, that of ML-KEM-1024 (FIPS 203, section 8, table 3). */
const CIPHERTEXT_LIMIT = 1568;

const encapsulateForm: CallbackForm = {
  type: 'DERIVEBITSREQUEST',
  host: hostEncapsulate,
  start: native?.encapsulateJob,
  position: 1,
  answer: () => takePair(words[Word.OutputLength] as number),
  again: ({ key, callback }) => [key.object, callback],
  Job: undefined,
};

const decapsulateForm: CallbackForm = {
  type: 'DERIVEBITSREQUEST',
  host: hostDecapsulate,
  start: native?.decapsulateJob,
  position: 2,
  answer: () => takeOutput(SHARED_LENGTH),
  again: ({ key, callback }, ciphertext) => [key.object, ciphertext, callback],
  Job: undefined,
};

export function encapsulate(this: unknown, key: unknown, callback?: unknown): unknown {
  const counter = counters.encapsulate;
  if (mayServe(counter, encapsulateForm, callback)) {
    const found = keyOf(counter, encapsulateForm, key, false, callback);
    if (found !== undefined) {
      occupy();
      words[Word.Id] = found.id;
      if (callback !== undefined) {
        if (startJob(encapsulateForm, counter, callback, new GivenKey(), undefined, 0)) return undefined;
        counter.handBack('engine refused');
        return handBackForm(encapsulateForm, this, arguments);
      }
      words[Word.Encoding] = Encoding.Scratch;
      native?.encapsulate();
      if (words[Word.Status] === Status.Done) {
        counter.served++;
        emptyHostErrors();
        return takePair(words[Word.OutputLength] as number);
      }
      counter.handBack('engine refused');
    }
  }
  return handBackForm(encapsulateForm, this, arguments);
}

export function decapsulate(
  this: unknown,
  key: unknown,
  ciphertext: unknown,
  callback?: unknown,
): unknown {
  const counter = counters.decapsulate;
  if (typedArrayTag(ciphertext) !== 'Uint8Array') {
    counter.handBack('arguments');
  } else if (mayServe(counter, decapsulateForm, callback)) {
    const length = typedArrayLength(ciphertext);
    const found = keyOf(counter, decapsulateForm, key, true, callback);
    if (found !== undefined) {
      if (callback !== undefined) {
        if (length !== 0 && length <= CIPHERTEXT_LIMIT) {
          putCiphertext(found, ciphertext as Uint8Array, length);
          if (startJob(decapsulateForm, counter, callback, new GivenKey(), undefined, length)) return undefined;
        }
        counter.handBack('engine refused');
        return handBackForm(decapsulateForm, this, arguments);
      }
      if (length !== 0 && length <= CIPHERTEXT_LIMIT && open(found, ciphertext as Uint8Array, length)) {
        counter.served++;
        emptyHostErrors();
        return takeOutput(SHARED_LENGTH);
      }
      counter.handBack('engine refused');
    }
  }
  return handBackForm(decapsulateForm, this, arguments);
}

/** Leaves the secret in the output; `false` where the host has to say what is wrong. */
function open(key: Key, ciphertext: Uint8Array, length: number): boolean {
  putCiphertext(key, ciphertext, length);
  words[Word.Encoding] = Encoding.Scratch;
  native?.decapsulate();
  const done = words[Word.Status] === Status.Done;
  typedArrayFill(input, 0, 0, length);
  return done;
}

function putCiphertext(key: Key, ciphertext: Uint8Array, length: number): void {
  occupy();
  typedArraySet(input, ciphertext, 0);
  words[Word.Id] = key.id;
  words[Word.DataLength] = length;
}

/** Secret and ciphertext, each in a buffer of its own. */
function takePair(length: number): { sharedKey: Buffer; ciphertext: Buffer } {
  const sharedKey = new OwnedBuffer(outputView(SHARED_LENGTH));
  const ciphertext = new OwnedBuffer(part(outputView(length), SHARED_LENGTH, length));
  wipeOutput(length);
  return { sharedKey, ciphertext };
}

/** The parsed key if it is one of ML-KEM; the host encapsulates to other kinds in its own ways. */
function keyOf(
  counter: Counter,
  form: CallbackForm,
  argument: unknown,
  isPrivate: boolean,
  callback: unknown,
): Key | undefined {
  const found = findKey(argument, isPrivate);
  if (found === undefined) {
    counter.handBack(missing.why);
  } else if (found.kind < Kind.MlKem512) {
    counter.handBack('key');
  } else if (isNew(form, callback)) {
    counter.handBack('first use');
  } else {
    return found;
  }
  return undefined;
}

function mayServe(counter: Counter, form: CallbackForm, callback: unknown): boolean {
  if (!mayStart(counter, form, callback)) return false;
  if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    return true;
  }
  return false;
}
