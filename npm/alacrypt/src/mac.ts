/**
 * `createHmac` and `Hmac`.
 */

import { types } from 'node:util';

import { type Algorithm, isHostsTurn, macAlgorithm } from './algorithms';
import { Handle, HmacHandle, type Key, RAW_KEY } from './handle';
import { type HostObject, hmacPrototype, hostCreateHmac, runtime, secretKeyBytes, symbols } from './host';
import { native } from './native';
import { emptyHostErrors, handBack, handOver, servedClass, setFinalized } from './object';
import { fips } from './policy';
import {
  Attachment,
  apply,
  bare,
  hasOwn,
  isExtensible,
  makeRegistry,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
  uncurryThis,
} from './primordials';
import { NO_ID, Status, Word, input, occupy, words } from './scratch';
import { counters } from './stats';

const { isProxy } = types;

const { digest: hostDigest } = hmacPrototype;

// On objects of the host's, with the usual number of arguments: no object is made for those.
const digestOfHost = uncurryThis(hostDigest as (outputEncoding?: unknown) => unknown);

const kHandle = symbols?.kHandle as symbol;
const NewHmac = servedClass(hmacPrototype);

/** Keys longer than this are handed back; they would crowd out the data. */
const MAX_KEY_LENGTH = 1024;

const counter = counters.createHmac;

export function createHmac(this: unknown, hmac: unknown, key: unknown, options?: unknown): unknown {
  if (typeof hmac !== 'string') {
    counter.handBack('arguments');
  } else if (options !== undefined) {
    counter.handBack('options');
  } else {
    const algorithm = macAlgorithm(hmac);
    if (algorithm === undefined) {
      counter.handBack('algorithm');
    } else if (isHostsTurn(algorithm)) {
      counter.outgrownBefore++;
      if (arguments.length === 2) return handOver(hostCreateHmac, hmac, key);
    } else if (fips() === true) {
      counter.handBack('FIPS is on');
    } else {
      const handle = keyedHandle(algorithm, key);
      if (handle !== undefined) {
        counter.served++;
        emptyHostErrors();
        return new NewHmac(handle, undefined);
      }
      counter.handBack('key');
    }
  }
  return handBack(hostCreateHmac, this, arguments);
}

function keyedHandle(algorithm: Algorithm, key: unknown): Handle | undefined {
  const { outputLength } = algorithm;
  if (typeof key === 'string') {
    return key.length > MAX_KEY_LENGTH
      ? undefined
      : new HmacHandle(algorithm, counter, outputLength, RAW_KEY, key, 0);
  }
  if (typeof key !== 'object' || key === null) return undefined;
  if (typedArrayTag(key) === 'Uint8Array') {
    return handleOfBytes(algorithm, key as Uint8Array, RAW_KEY);
  }
  return handleOfKeyObject(algorithm, key);
}

/** A handle whose key bytes are copied now: the caller may change or wipe them. */
function handleOfBytes(
  algorithm: Algorithm,
  bytes: Uint8Array,
  key: Key,
): Handle | undefined {
  const length = typedArrayLength(bytes);
  if (length > MAX_KEY_LENGTH) return undefined;
  const handle = new HmacHandle(
    algorithm,
    counter,
    algorithm.outputLength,
    key,
    undefined,
    length,
  );
  if (length > 0) {
    occupy(handle);
    typedArraySet(input, bytes, 0);
  }
  return handle;
}

/** What is known of a `KeyObject` that was used before. */
interface KeyUse {
  /** How often it was used. */
  count: number;
  /** Its keyed states, by the number of the algorithm. */
  ids: Record<number, number> | undefined;
}

/**
 * Making and freeing a keyed state costs more than one use saves, and so it is not made at the
 * first ones: most keys are used once or twice, or all the time.
 */
const USES_BEFORE_STATE = 2;

/** These lines ask a `KeyObject` for its `type`, in whose place an app may have put another. */
const HOST_READS_TYPE = runtime === 'node' && Number.parseInt(process.versions.node, 10) < 24;

const abandonedStates = makeRegistry((ids: Record<number, number>) => {
  for (const number in ids) {
    words[Word.Id] = ids[number] as number;
    native?.keyRelease();
  }
});

/**
 * On its first uses the bytes of a `KeyObject` serve as any others; then a keyed state is made
 * that lasts as long as the `KeyObject`, while there is room for more of them.
 */
function handleOfKeyObject(algorithm: Algorithm, object: object): Handle | undefined {
  const use = Attachment.get<KeyUse>(object);
  // A proxy may be another key at the next use.
  if (use === undefined && isProxy(object)) return undefined;
  if (HOST_READS_TYPE && hasOwn(object, 'type')) return undefined;
  let id = use?.ids?.[algorithm.number];
  if (id === undefined) {
    const bytes = secretKeyBytes(object);
    if (bytes === undefined) return undefined;
    if (use === undefined) {
      // Newer lines of V8 may refuse to attach to what cannot be extended.
      if (isExtensible(object)) Attachment.set<KeyUse>(object, { count: 1, ids: undefined });
    } else if (++use.count > USES_BEFORE_STATE) {
      id = makeKeyedState(algorithm, bytes, object, use);
    }
    const handle =
      id === undefined ? handleOfBytes(algorithm, bytes, { id: NO_ID, object }) : undefined;
    typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
    if (id === undefined) return handle;
  }
  const { outputLength } = algorithm;
  return new HmacHandle(algorithm, counter, outputLength, { id, object }, undefined, 0);
}

function makeKeyedState(
  algorithm: Algorithm,
  bytes: Uint8Array,
  object: object,
  use: KeyUse,
): number | undefined {
  const length = typedArrayLength(bytes);
  if (length > MAX_KEY_LENGTH) return undefined;
  if (use.ids === undefined) {
    const ids = bare<number>();
    abandonedStates.register(object, ids);
    use.ids = ids;
  }
  occupy();
  typedArraySet(input, bytes, 0);
  words[Word.Algorithm] = algorithm.number;
  words[Word.KeyLength] = length;
  native?.keyNew();
  if (words[Word.Status] !== Status.Done) return undefined;
  const id = words[Word.Id] as number;
  use.ids[algorithm.number] = id;
  return id;
}

/** `Hmac.prototype.digest`. */
export function digest(this: HostObject, outputEncoding?: unknown): unknown {
  if (this !== undefined && this !== null) {
    const handle = this[kHandle];
    if (
      (outputEncoding === undefined || typeof outputEncoding === 'string') &&
      Handle.isOpen(handle)
    ) {
      const output = handle.digest(outputEncoding);
      setFinalized(this);
      return output;
    }
    if (arguments.length === 1) return digestOfHost(this, outputEncoding);
  }
  return apply(hostDigest, this, arguments);
}

