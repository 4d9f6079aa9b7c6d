/**
 * `createSign` and `createVerify`, and the objects that they make.
 */

import { Writable } from 'node:stream';
import { types } from 'node:util';

import { type Algorithm, digestAlgorithm } from './algorithms';
import { decode, isUtf8, outputEncoding, utf8Bytes } from './encodings';
import { disguise, joinsSurrogates } from './handle';
import {
  type HostObject,
  host,
  hostCreateSign,
  hostCreateVerify,
  hostSignMethod,
  hostVerifyMethod,
  symbols,
} from './host';
import { type Key, examplePrivateKey, findKey, missing } from './key';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import {
  Bytes,
  apply,
  bare,
  bytesOf,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isView,
  makeTable,
  max,
  part,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import { Encoding, input, occupy } from './scratch';
import { SIGNATURE_LIMIT, hostSignsAsFast, isMalformed, putData, putSignature, setScheme, signInput, verifyInput } from './sign';
import { type Counter, type Reason, counters } from './stats';

const { isProxy } = types;
const kHandle = symbols?.kHandle as symbol;

type Method = (...args: unknown[]) => unknown;

const signPrototype = host.Sign.prototype as unknown as HostObject & { sign: Method };
const verifyPrototype = host.Verify.prototype as unknown as HostObject & { verify: Method };

/** The native object inside the host's `Sign` or `Verify`. */
interface HostSigner {
  update(data: unknown, encoding?: unknown): unknown;
  sign(...args: unknown[]): unknown;
  verify(...args: unknown[]): unknown;
}

type NativeClass = new () => HostSigner & { init(algorithm: string): void };

/** The classes of the host's native objects, from the first that it made: none of ours comes before. */
const nativeClasses: Record<'sign' | 'verify', NativeClass | undefined> = { sign: undefined, verify: undefined };

/** Beyond so many bytes the host collects: its digest runs while they come. */
const LIMIT = 8192;
const MINIMUM = 256;

/**
 * The inside of a `Sign` or `Verify`: what was written, until the key is there. Its classes have the
 * methods of the host's native objects, so that the host's own methods work on it; whatever is not
 * plain makes it one of the host's.
 */
class Collector {
  readonly #algorithm: Algorithm;
  readonly #name: string;
  readonly #isVerify: boolean;
  /** A first piece that is text; else the bytes. */
  #text = '';
  #bytes: Uint8Array | undefined = undefined;
  #length = 0;
  #isDone = false;
  #host: HostSigner | undefined = undefined;

  protected constructor(algorithm: Algorithm, name: string, isVerify: boolean) {
    this.#algorithm = algorithm;
    this.#name = name;
    this.#isVerify = isVerify;
  }

  /** Whether `value` is one of ours that has neither ended nor gone to the host. */
  static isOpen(value: unknown): value is Collector {
    return (
      typeof value === 'object' &&
      value !== null &&
      #isDone in value &&
      !value.#isDone &&
      value.#host === undefined
    );
  }

  static counter(signer: Collector): Counter {
    return signer.#isVerify ? counters.createVerify : counters.createSign;
  }

  static sign(signer: Collector, key: Key, encoding: Encoding): Buffer | string | undefined {
    occupy();
    if (signer.#isVerify || !setScheme(key, signer.#algorithm)) return undefined;
    const length = signer.#put(0);
    const signature = length === undefined ? undefined : signInput(0, length, encoding);
    if (signature !== undefined) signer.#end();
    return signature;
  }

  static verify(signer: Collector, key: Key, signature: Uint8Array): boolean | undefined {
    const signatureLength = typedArrayLength(signature);
    if (!signer.#isVerify || signatureLength > SIGNATURE_LIMIT) return undefined;
    occupy();
    if (!setScheme(key, signer.#algorithm) || isMalformed(key, signatureLength)) return undefined;
    putSignature(signature, 0, signatureLength);
    const length = signer.#put(signatureLength);
    const answer = length === undefined ? undefined : verifyInput(0, signatureLength, length);
    if (answer !== undefined) signer.#end();
    return answer;
  }

  /** Makes it the host's, for good. */
  static toHost(signer: Collector, reason: Reason): void {
    Collector.counter(signer).handBack(reason);
    signer.#toHost();
  }

  update(data: unknown, encoding?: unknown): unknown {
    if (this.#host === undefined && !this.#isDone) {
      if (typeof data === 'string' ? this.#takeText(data, encoding) : this.#takeView(data)) return true;
      Collector.toHost(this, 'input is large');
    }
    return Collector.hostSigner(this).update(data, encoding);
  }

  #takeText(text: string, encoding: unknown): boolean {
    if (isUtf8(encoding)) {
      if (this.#bytes === undefined && this.#text === '' && text.length <= LIMIT / 3) {
        this.#text = text;
        return true;
      }
      if (text.length > LIMIT / 3) return false;
      // Two halves of a pair are two errors where they come in two pieces.
      if (this.#bytes === undefined && !joinsSurrogates(this.#text, text)) {
        const joined = this.#text + text;
        if (joined.length > LIMIT / 3) return false;
        this.#text = joined;
        return true;
      }
      return this.#takeAndWipe(utf8Bytes(text));
    }
    const bytes = decode(text, encoding as string, LIMIT);
    return bytes !== undefined && this.#takeAndWipe(bytes);
  }

  #takeView(data: unknown): boolean {
    if (!isView(data)) return false;
    const bytes = typedArrayTag(data) === 'Uint8Array' ? (data as Uint8Array) : bytesOf(data);
    return bytes !== undefined && this.#takeBytes(bytes);
  }

  #takeAndWipe(bytes: Uint8Array): boolean {
    const taken = this.#takeBytes(bytes);
    typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
    return taken;
  }

  #takeBytes(bytes: Uint8Array): boolean {
    const count = typedArrayLength(bytes);
    if (this.#text !== '') this.#settle();
    if (this.#length + count > LIMIT) return false;
    if (count !== 0) this.#append(bytes, count);
    return true;
  }

  #append(bytes: Uint8Array, count: number): void {
    const length = this.#length;
    let own = this.#bytes;
    if (own === undefined || length + count > typedArrayLength(own)) {
      const larger = new Bytes(max(MINIMUM, 2 * (length + count)));
      if (own !== undefined) {
        typedArraySet(larger, own, 0);
        typedArrayFill(own, 0, 0, length);
      }
      own = larger;
      this.#bytes = own;
    }
    typedArraySet(own, bytes, length);
    this.#length = length + count;
  }

  /**
   * Turns the text into bytes, which are the first ones. Any call may be stopped where the stack
   * ends, and the text is kept until the bytes are there.
   */
  #settle(): void {
    const bytes = utf8Bytes(this.#text);
    const count = typedArrayLength(bytes);
    this.#append(bytes, count);
    this.#text = '';
    typedArrayFill(bytes, 0, 0, count);
  }

  /** Puts what was collected into the scratch. */
  #put(from: number): number | undefined {
    if (this.#bytes === undefined || this.#text !== '') return putData(this.#text, from);
    typedArraySet(input, part(this.#bytes, 0, this.#length), from);
    return this.#length;
  }

  #end(): void {
    this.#isDone = true;
    this.#forget();
  }

  #forget(): void {
    if (this.#bytes !== undefined) typedArrayFill(this.#bytes, 0, 0, this.#length);
    this.#bytes = undefined;
    this.#text = '';
    this.#length = 0;
  }

  /** The host's native object that does its work from now on. */
  static hostSigner(collector: Collector): HostSigner {
    if (collector.#host === undefined) collector.#toHost();
    return collector.#host as unknown as HostSigner;
  }

  #toHost(): void {
    const signer = this.#newHostSigner();
    if (this.#text !== '') signer.update(this.#text, 'utf8');
    if (this.#bytes !== undefined) {
      // A copy, as the native object may be one that the app has put its hands on.
      const bytes = new Bytes(part(this.#bytes, 0, this.#length));
      signer.update(bytes);
      typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
    }
    if (this.#isDone) finish(signer, this.#isVerify);
    this.#host = signer;
    this.#forget();
  }

  /** Without the stream around it, which would run code that the app may have changed by now. */
  #newHostSigner(): HostSigner {
    const signer = new (nativeClasses[this.#isVerify ? 'verify' : 'sign'] as NativeClass)();
    signer.init(this.#name);
    return signer;
  }
}

/** The inside of a `Sign`. It has no method of a `Verify`'s, and its name shows. */
class Signer extends Collector {
  constructor(algorithm: Algorithm, name: string) {
    super(algorithm, name, false);
  }

  sign(): unknown {
    const signer = Collector.hostSigner(this);
    return apply(signer.sign, signer, arguments);
  }

  static {
    disguise(Signer, 'Sign');
  }
}

/** The inside of a `Verify`. */
class Verifier extends Collector {
  constructor(algorithm: Algorithm, name: string) {
    super(algorithm, name, true);
  }

  verify(): unknown {
    const signer = Collector.hostSigner(this);
    return apply(signer.verify, signer, arguments);
  }

  static {
    disguise(Verifier, 'Verify');
  }
}

/**
 * Brings an object of the host's to its end, to say what such an object says.
 *
 * @throws what kept it from ending: an object that has not ended would go on with no data at all.
 */
function finish(signer: HostSigner, isVerify: boolean): void {
  const object = bare<unknown>() as unknown as HostObject;
  object[kHandle] = signer;
  const key = examplePrivateKey();
  const method = isVerify ? hostVerifyMethod : hostSignMethod;
  const args = isVerify ? [key, new Bytes(64)] : [key];
  try {
    apply(method, object, args);
  } catch {
    // A key of that kind may have no use for that digest. The object says whether it has ended.
    try {
      apply(method, object, args);
    } catch (error) {
      if (!saysEnded(error)) throw error;
    }
  }
}

function saysEnded(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const code = getOwnPropertyDescriptor(error, 'code');
  return code !== undefined && hasOwn(code, 'value') && code.value === 'ERR_CRYPTO_INVALID_STATE';
}

type ServedClass = new (handle: Collector) => object;

/** A constructor of what the host's makes, around our handle. */
function servedClass(prototype: object): ServedClass {
  function Served(this: HostObject, handle: Collector): void {
    this[kHandle] = handle;
    apply(Writable, this, [undefined]);
  }
  Served.prototype = prototype;
  return Served as unknown as ServedClass;
}

const NewSign = servedClass(signPrototype);
const NewVerify = servedClass(verifyPrototype);

/** Names that the host made such an object of before. */
const signNames = makeTable<true>();
const verifyNames = makeTable<true>();

export function createSign(this: unknown, algorithm: unknown, options?: unknown): unknown {
  return (
    served(algorithm, options, false) ??
    remember(algorithm, false, handBack(hostCreateSign, this, arguments))
  );
}

export function createVerify(this: unknown, algorithm: unknown, options?: unknown): unknown {
  return (
    served(algorithm, options, true) ??
    remember(algorithm, true, handBack(hostCreateVerify, this, arguments))
  );
}

function remember(algorithm: unknown, isVerify: boolean, object: unknown): unknown {
  const which = isVerify ? 'verify' : 'sign';
  nativeClasses[which] ??= nativeClassOf(object);
  if (typeof algorithm === 'string' && nativeClasses[which] !== undefined) {
    (isVerify ? verifyNames : signNames).set(algorithm, true);
  }
  return object;
}

/** The class of the native object inside; `undefined` where it is none of the host's own. */
function nativeClassOf(object: unknown): NativeClass | undefined {
  const signer: unknown = (object as HostObject | undefined)?.[kHandle];
  if (typeof signer !== 'object' || signer === null || isProxy(signer)) return undefined;
  const prototype: unknown = getPrototypeOf(signer);
  if (typeof prototype !== 'object' || prototype === null) return undefined;
  const property = getOwnPropertyDescriptor(prototype, 'constructor');
  const found: unknown = property !== undefined && hasOwn(property, 'value') ? property.value : undefined;
  return typeof found === 'function' ? (found as NativeClass) : undefined;
}

function served(algorithm: unknown, options: unknown, isVerify: boolean): object | undefined {
  const counter = isVerify ? counters.createVerify : counters.createSign;
  if (typeof algorithm !== 'string') {
    counter.handBack('arguments');
  } else if (options !== undefined) {
    counter.handBack('options');
  } else if ((isVerify ? verifyNames : signNames).get(algorithm) !== true) {
    counter.handBack('first use');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    const digest = digestAlgorithm(algorithm);
    if (digest !== undefined) {
      return isVerify
        ? new NewVerify(new Verifier(digest, algorithm))
        : new NewSign(new Signer(digest, algorithm));
    }
    counter.handBack('algorithm');
  }
  return undefined;
}

/** What is inside of a receiver; that of a proxy the host alone asks for. */
function insideOf(receiver: HostObject): unknown {
  return receiver === undefined || receiver === null || isProxy(receiver) ? undefined : receiver[kHandle];
}

/** `Sign.prototype.sign`. */
export function sign(this: HostObject, privateKey: unknown, outputEncoding_?: unknown): unknown {
  const signer = insideOf(this);
  if (Collector.isOpen(signer)) {
    const code = outputEncoding(outputEncoding_ === '' ? undefined : outputEncoding_);
    const key = code === undefined ? undefined : findKey(privateKey, true);
    const isHosts = key !== undefined && hostSignsAsFast(key);
    const reason = code === undefined ? 'options' : isHosts ? 'host is as fast' : missing.why;
    // FIPS may have been switched on since; the host finishes what it began.
    const signature =
      key === undefined || code === undefined || isHosts || fips() === true
        ? undefined
        : Collector.sign(signer, key, code);
    if (signature !== undefined) {
      counters.createSign.served++;
      emptyHostErrors();
      return signature;
    }
    Collector.toHost(signer, key === undefined || isHosts ? reason : 'options');
  }
  return handBack(hostSignMethod, this, arguments);
}

/** `Verify.prototype.verify`. */
export function verify(
  this: HostObject,
  key: unknown,
  signature: unknown,
  signatureEncoding?: unknown,
): unknown {
  const signer = insideOf(this);
  if (Collector.isOpen(signer)) {
    const found = findKey(key, false);
    const reason = missing.why;
    const bytes = signatureBytes(signature, signatureEncoding);
    const answer =
      found === undefined || bytes === undefined || fips() === true
        ? undefined
        : Collector.verify(signer, found, bytes);
    if (answer !== undefined) {
      counters.createVerify.served++;
      emptyHostErrors();
      return answer;
    }
    Collector.toHost(signer, found === undefined ? reason : 'options');
  }
  return handBack(hostVerifyMethod, this, arguments);
}

function signatureBytes(signature: unknown, encoding: unknown): Uint8Array | undefined {
  if (typeof signature === 'string') {
    return typeof encoding === 'string' && !isUtf8(encoding)
      ? decode(signature, encoding, SIGNATURE_LIMIT)
      : undefined;
  }
  return typedArrayTag(signature) === 'Uint8Array' ? (signature as Uint8Array) : undefined;
}
