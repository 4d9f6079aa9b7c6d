/**
 * `createHash`, `Hash` and `hash`.
 */

import { types } from 'node:util';

import { type Algorithm, copiedOutputLength, digestAlgorithm, isHostsTurn } from './algorithms';
import { LONG_TEXT, outputEncoding, writeUtf8 } from './encodings';
import { Handle } from './handle';
import {
  emptyHostErrors,
  giveBack,
  handBack,
  handOver,
  isFinalized,
  servedClass,
  setFinalized,
} from './object';
import {
  type HostObject,
  hashPrototype,
  hostCreateHash,
  hostHash,
  symbols,
} from './host';
import { native } from './native';
import { fips } from './policy';
import {
  apply,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  plainObjectPrototype,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
  uncurryThis,
} from './primordials';
import {
  Encoding,
  OUTPUT_LIMIT,
  Status,
  TEXT_CAPACITY,
  Word,
  input,
  occupy,
  takeOutput,
  words,
} from './scratch';
import { counters } from './stats';

const { isProxy } = types;
const { prototype: functionPrototype } = Function;

const { update: hostUpdate, digest: hostDigest, copy: hostCopy } = hashPrototype;

// On objects of the host's, with the usual numbers of arguments: no object is made for those.
const updateOfHost = uncurryThis(hostUpdate as (data: unknown, encoding?: unknown) => unknown);
const digestOfHost = uncurryThis(hostDigest as (outputEncoding?: unknown) => unknown);
const copyOfHost = uncurryThis(hostCopy as (options?: unknown) => unknown);

const kHandle = symbols?.kHandle as symbol;
const NewHash = servedClass(hashPrototype);

const createHashCounter = counters.createHash;
const copyCounter = counters['Hash.copy'];
const hashCounter = counters.hash;

export function createHash(this: unknown, algorithm: unknown, options?: unknown): unknown {
  if (typeof algorithm === 'string') {
    const found = digestAlgorithm(algorithm);
    if (found === undefined) {
      createHashCounter.handBack('algorithm');
    } else if (isHostsTurn(found)) {
      createHashCounter.outgrownBefore++;
      if (arguments.length === 1) return handOver(hostCreateHash, algorithm);
    } else if (fips() === true) {
      createHashCounter.handBack('FIPS is on');
    } else {
      const outputLength =
        options === undefined ? found.outputLength : plainOutputLength(options, found, found.outputLength);
      if (outputLength !== 0) {
        createHashCounter.served++;
        emptyHostErrors();
        return new NewHash(new Handle(found, createHashCounter, outputLength, undefined, undefined, 0), options);
      }
      createHashCounter.handBack('options');
    }
  } else {
    createHashCounter.handBack('arguments');
  }
  return handBack(hostCreateHash, this, arguments);
}

/**
 * The length of the output under plain options, whose properties can be looked at without running
 * code of the app's; 0 where the host has to decide. `byDefault` is the length without options.
 */
function plainOutputLength(
  options: unknown,
  { outputLength }: Algorithm,
  byDefault: number,
): number {
  // Of what is no object the host asks for nothing that can be there.
  if (typeof options !== 'object' && typeof options !== 'function') return byDefault;
  if (options === null) return byDefault;
  if (isProxy(options)) return 0;
  const prototype: unknown = getPrototypeOf(options);
  if (
    prototype !== plainObjectPrototype &&
    prototype !== functionPrototype &&
    prototype !== null
  ) {
    return 0;
  }
  if ('functionName' in options || 'customization' in options) return 0;
  if (typeof options === 'function' || !('outputLength' in options)) return byDefault;
  const property = getOwnPropertyDescriptor(options, 'outputLength');
  // A getter's descriptor has no value of its own, but may inherit one.
  if (property === undefined || !hasOwn(property, 'value')) return 0;
  const length: unknown = property.value;
  if (typeof length !== 'number' || length >>> 0 !== length || length > OUTPUT_LIMIT) return 0;
  return outputLength === 0 || outputLength === length ? length : 0;
}

/** `Hash.prototype.update`, and `Hmac.prototype.update`, which is the same function. */
export function update(this: HostObject, data: unknown, encoding?: unknown): unknown {
  if (this !== undefined && this !== null) {
    const handle = this[kHandle];
    if (Handle.is(handle)) {
      if (typeof data === 'string') {
        if (
          (encoding === undefined || encoding === 'utf8' || encoding === 'utf-8') &&
          Handle.takeText(handle, data)
        ) {
          return this;
        }
      } else if (
        typedArrayTag(data) === 'Uint8Array' &&
        Handle.takeBytes(handle, data as Uint8Array)
      ) {
        return this;
      }
      const result = apply(hostUpdate, this, arguments);
      giveBack(this, handle);
      return result;
    }
    if (arguments.length === 1) return updateOfHost(this, data);
    if (arguments.length === 2) return updateOfHost(this, data, encoding);
  }
  return apply(hostUpdate, this, arguments);
}

/** `Hash.prototype.digest`. */
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

/** `Hash.prototype.copy`. */
export function copy(this: HostObject, options?: unknown): unknown {
  const handle = this === undefined || this === null ? undefined : this[kHandle];
  if (!Handle.isHash(handle) || isFinalized(this)) {
    return arguments.length === 0
      ? copyOfHost(this)
      : apply(hostCopy, this, arguments);
  }
  const outputLength =
    options === undefined
      ? copiedOutputLength(Handle.algorithm(handle))
      : plainOutputLength(
          options,
          Handle.algorithm(handle),
          copiedOutputLength(Handle.algorithm(handle)),
        );
  const copied = outputLength === 0 ? undefined : Handle.copy(handle, copyCounter, outputLength);
  if (copied !== undefined) {
    copyCounter.served++;
    return new NewHash(copied, options);
  }
  const reason =
    outputLength === 0 ? 'options' : Handle.isOpen(handle) ? 'input is large' : 'unusual use';
  copyCounter.handBack(reason);
  const object = Handle.asHostObject(handle, reason === 'options' ? 'unusual use' : reason);
  giveBack(this, handle);
  return apply(hostCopy, object, arguments);
}

/** The encodings that `hash` shares with `digest` without conversion of its own. */
function oneShotEncoding(options: unknown): Encoding | undefined {
  return options === undefined ? Encoding.Hex : typeof options === 'string' ? outputEncoding(options) : undefined;
}

export function hash(this: unknown, algorithm: unknown, data: unknown, options?: unknown): unknown {
  const code = oneShotEncoding(options);
  if (typeof algorithm === 'string' && code !== undefined) {
    const found = digestAlgorithm(algorithm);
    if (found !== undefined && found.outputLength !== 0) {
      if (typeof data === 'string') {
        if (data.length <= found.limit && data.length <= TEXT_CAPACITY) {
          const output = hashText(found, data, code);
          if (output !== undefined) return output;
        } else {
          hashCounter.handBack('input is large');
        }
      } else if (typedArrayTag(data) === 'Uint8Array') {
        const length = typedArrayLength(data);
        if (length <= found.limit) {
          const output = hashBytes(found, data as Uint8Array, length, code);
          if (output !== undefined) return output;
        } else {
          hashCounter.handBack('input is large');
        }
      } else {
        hashCounter.handBack('arguments');
      }
    } else {
      hashCounter.handBack('algorithm');
    }
  } else {
    hashCounter.handBack('options');
  }
  return handBack(hostHash, this, arguments);
}

function hashText(found: Algorithm, data: string, code: Encoding): string | Buffer | undefined {
  occupy();
  const long = data.length > LONG_TEXT;
  // It fits: see TEXT_CAPACITY.
  const length = long ? (writeUtf8(data, input) as number) : 0;
  words[Word.Algorithm] = found.number;
  words[Word.Encoding] = code;
  words[Word.DataLength] = length;
  words[Word.AskPolicy] = 1;
  if (long) return finish(found, (native as NonNullable<typeof native>).digest());
  return finish(found, (native as NonNullable<typeof native>).digestString(data));
}

function hashBytes(
  found: Algorithm,
  data: Uint8Array,
  length: number,
  code: Encoding,
): string | Buffer | undefined {
  occupy();
  // From a view whose buffer is detached nothing can be copied, and it counts as empty.
  if (length !== 0) typedArraySet(input, data, 0);
  words[Word.Algorithm] = found.number;
  words[Word.Encoding] = code;
  words[Word.DataLength] = length;
  words[Word.AskPolicy] = 1;
  return finish(found, (native as NonNullable<typeof native>).digest());
}

function finish(found: Algorithm, output: string | undefined): string | Buffer | undefined {
  if (words[Word.Status] === Status.Done) {
    hashCounter.served++;
    emptyHostErrors();
    return output ?? takeOutput(found.outputLength);
  }
  hashCounter.handBack(words[Word.Status] === Status.Policy ? 'FIPS is on' : 'engine refused');
  return undefined;
}
