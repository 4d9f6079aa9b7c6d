/**
 * `diffieHellman`.
 */

import { types } from 'node:util';

import { hostDiffieHellman } from './host';
import { type CallbackForm, GivenKey, handBackForm, isNew, mayStart, startJob } from './job';
import { type Key, findKey, missing } from './key';
import { native } from './native';
import { emptyHostErrors } from './object';
import { fips } from './policy';
import {
  bare,
  getPrototypeOf,
  plainProperty,
  typedArrayFill,
  typedArrayLength,
  typedArrayTag,
} from './primordials';
import { Encoding, Status, Word, occupy, takeOutput, words } from './scratch';
import { counters } from './stats';

const { isCryptoKey, isProxy } = types;
const { prototype: plainPrototype } = Object;

/** Newer lines, which have a callback form, take keys in all forms; older ones objects alone. */
const hostReadsKeys = hostDiffieHellman !== undefined && hostDiffieHellman.length >= 2;

/** A key in one of the forms that the host takes here. */
function keyOf(value: unknown, isPrivate: boolean): Key | undefined {
  if (hostReadsKeys) return findKey(value, isPrivate);
  if (typeof value !== 'object' || value === null || typedArrayTag(value) !== undefined) return undefined;
  if (isProxy(value) || isCryptoKey(value)) return undefined;
  const prototype: unknown = getPrototypeOf(value);
  if (prototype === plainPrototype || prototype === null) return undefined;
  return findKey(value, isPrivate);
}

const form: CallbackForm = {
  type: 'DERIVEBITSREQUEST',
  host: hostDiffieHellman,
  start: native?.agreeJob,
  position: 1,
  answer: () => takeOutput(words[Word.OutputLength] as number),
  again({ key, more: peer, callback }) {
    const options = bare<unknown>();
    options['privateKey'] = key.object;
    options['publicKey'] = (peer as GivenKey).object;
    return [options, callback];
  },
  Job: undefined,
};

/** Older lines ask both keys for their types, and the keys show that they were asked. */
const hostReadsTypes = !hostReadsKeys;

function readType(options: object, name: string): unknown {
  return (plainProperty(options, name) as { asymmetricKeyType: unknown }).asymmetricKeyType;
}

/** Whether the keys say of themselves that they go together, which an app may have changed. */
function sayTheyAgree(options: object): boolean {
  const type = readType(options, 'privateKey');
  return type === readType(options, 'publicKey') && (type === 'ec' || type === 'x25519');
}

export function diffieHellman(this: unknown, options: unknown, callback?: unknown): unknown {
  const counter = counters.diffieHellman;
  if (callback !== undefined && hostReadsTypes) {
    // They know no callback either, and answer at once.
    counter.handBack('arguments');
  } else if (!mayStart(counter, form, callback)) {
    // Counted.
  } else if (
    typeof options !== 'object' ||
    options === null ||
    isProxy(options) ||
    (getPrototypeOf(options) !== plainPrototype && getPrototypeOf(options) !== null)
  ) {
    counter.handBack('options');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    const privateKey = keyOf(plainProperty(options, 'privateKey'), true);
    const privateGiven = callback === undefined ? undefined : new GivenKey();
    const publicKey = keyOf(plainProperty(options, 'publicKey'), false);
    if (privateKey === undefined || publicKey === undefined || publicKey.isPrivate) {
      counter.handBack(missing.why);
    } else if (isNew(form, callback)) {
      counter.handBack('first use');
    } else {
      occupy();
      words[Word.Id] = privateKey.id;
      words[Word.PeerId] = publicKey.id;
      words[Word.Encoding] = Encoding.Scratch;
      if (privateGiven !== undefined) {
        if (startJob(form, counter, callback, privateGiven, new GivenKey(), 0)) return undefined;
        counter.handBack('engine refused');
        return handBackForm(form, this, arguments);
      }
      native?.agree();
      if (words[Word.Status] === Status.Done) {
        // The secret leaves the scratch before code of the app's may run.
        const secret = takeOutput(words[Word.OutputLength] as number);
        if (!hostReadsTypes || sayTheyAgree(options)) {
          counter.served++;
          emptyHostErrors();
          return secret;
        }
        typedArrayFill(secret, 0, 0, typedArrayLength(secret));
        counter.handBack('key');
        return handBackForm(form, this, arguments);
      }
      counter.handBack('engine refused');
    }
  }
  return handBackForm(form, this, arguments);
}
