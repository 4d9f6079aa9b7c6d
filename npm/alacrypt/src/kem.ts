/**
 * `encapsulate` and `decapsulate`, on hosts that have them.
 */

import { hostDecapsulate, hostEncapsulate, OwnedBuffer } from './host';
import { type Key, Kind, findKey, missing } from './key';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
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

export function encapsulate(this: unknown, key: unknown, callback?: unknown): unknown {
  const counter = counters.encapsulate;
  if (mayServe(counter, callback)) {
    const found = keyOf(counter, key, false);
    if (found !== undefined) {
      occupy();
      words[Word.Id] = found.id;
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
  return handBack(hostEncapsulate, this, arguments);
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
  } else if (mayServe(counter, callback)) {
    const length = typedArrayLength(ciphertext);
    const found = keyOf(counter, key, true);
    if (found !== undefined) {
      if (length !== 0 && length <= CIPHERTEXT_LIMIT && open(found, ciphertext as Uint8Array, length)) {
        counter.served++;
        emptyHostErrors();
        return takeOutput(SHARED_LENGTH);
      }
      counter.handBack('engine refused');
    }
  }
  return handBack(hostDecapsulate, this, arguments);
}

/** Leaves the secret in the output; `false` where the host has to say what is wrong. */
function open(key: Key, ciphertext: Uint8Array, length: number): boolean {
  occupy();
  typedArraySet(input, ciphertext, 0);
  words[Word.Id] = key.id;
  words[Word.DataLength] = length;
  words[Word.Encoding] = Encoding.Scratch;
  native?.decapsulate();
  const done = words[Word.Status] === Status.Done;
  typedArrayFill(input, 0, 0, length);
  return done;
}

/** Secret and ciphertext, each in a buffer of its own. */
function takePair(length: number): { sharedKey: Buffer; ciphertext: Buffer } {
  const sharedKey = new OwnedBuffer(outputView(SHARED_LENGTH));
  const ciphertext = new OwnedBuffer(part(outputView(length), SHARED_LENGTH, length));
  wipeOutput(length);
  return { sharedKey, ciphertext };
}

/** The parsed key if it is one of ML-KEM; the host encapsulates to other kinds in its own ways. */
function keyOf(counter: Counter, argument: unknown, isPrivate: boolean): Key | undefined {
  const found = findKey(argument, isPrivate);
  if (found === undefined) {
    counter.handBack(missing);
  } else if (found.kind < Kind.MlKem512) {
    counter.handBack('key');
  } else {
    return found;
  }
  return undefined;
}

function mayServe(counter: Counter, callback: unknown): boolean {
  if (callback !== undefined) {
    counter.handBack('callback form');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    return true;
  }
  return false;
}
