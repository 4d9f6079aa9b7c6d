/**
 * `createECDH`, and the objects that it makes.
 *
 * The object is the host's own from outside, and the methods are the host's: they check arguments,
 * read texts and write them. Ours stands where the host's native handle would, with its methods.
 */

import { outputEncoding } from './encodings';
import { disguise } from './handle';
import { type HostObject, OwnedBuffer, host, hostConvertKey, hostCreateECDH, symbols } from './host';
import { Kind } from './key';
import { native } from './native';
import { handBack } from './object';
import { fips } from './policy';
import {
  Bytes,
  apply,
  bytesOf,
  isView,
  makeRegistry,
  makeTable,
  part,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from './primordials';
import { putPiece } from './rsa';
import { Encoding, NO_ID, Status, Word, input, occupy, outputView, takeOutput, wipeOutput, words } from './scratch';
import { type Reason, counters } from './stats';

const kHandle = symbols?.kHandle as symbol;

/** The native object inside the host's `ECDH`. */
interface HostPair {
  generateKeys(): unknown;
  computeSecret(otherPublicKey: unknown): unknown;
  getPublicKey(form: unknown): unknown;
  getPrivateKey(): unknown;
  setPublicKey(key: unknown): unknown;
  setPrivateKey(key: unknown): unknown;
}

/** The curves by the host's names. */
const curves = makeTable<Kind>();
curves.set('prime256v1', Kind.P256);
curves.set('secp384r1', Kind.P384);
curves.set('secp521r1', Kind.P521);
curves.set('secp256k1', Kind.Secp256k1);

/** More bytes are neither a private number nor a point: the longest, hybrid of P-521, has 133. */
const PIECE_LIMIT = 512;

const abandonedPairs = makeRegistry((id: number) => {
  words[Word.Id] = id;
  native?.ecdhRelease();
});

/**
 * The inside of an `ECDH`: the number of a key pair that lies in the addon. Its private number comes
 * to script where the app asks for it (`getPrivateKey`), and where the host takes over.
 *
 * Wherever V8 may stop a call, the fields agree with what the addon has; at worst the addon keeps a
 * pair that nobody names.
 */
class Pair {
  readonly #name: string;
  readonly #curve: Kind;
  #id = NO_ID;
  /** The host's native object that has taken over. */
  #host: HostPair | undefined = undefined;
  /** One of the host's with the same key, for what ours refuses; forgotten with the key. */
  #twin: HostPair | undefined = undefined;

  constructor(name: string, curve: Kind) {
    this.#name = name;
    this.#curve = curve;
  }

  generateKeys(): unknown {
    if (this.#host === undefined) {
      if (fips() === true) {
        this.#toHost('FIPS is on');
        counters['ECDH.generateKeys'].handBack('FIPS is on');
      } else {
        seedHost();
        occupy();
        words[Word.DataLength] = 0;
        this.#place();
        native?.ecdhGenerate();
        if (this.#keep()) {
          counters['ECDH.generateKeys'].served++;
          return undefined;
        }
        this.#toHost('engine refused');
        counters['ECDH.generateKeys'].handBack('engine refused');
      }
    }
    const pair = this.#host as unknown as HostPair;
    return apply(pair.generateKeys, pair, arguments);
  }

  computeSecret(otherPublicKey: unknown): unknown {
    let pair = this.#host;
    if (pair === undefined) {
      const reason: Reason | undefined = this.#id === NO_ID ? 'key' : fips() === true ? 'FIPS is on' : undefined;
      if (reason === undefined) {
        const length = put(otherPublicKey);
        if (length !== undefined) {
          words[Word.Id] = this.#id;
          words[Word.DataLength] = length;
          words[Word.Encoding] = Encoding.Scratch;
          native?.ecdhComputeSecret();
          if (words[Word.Status] === Status.Done) {
            counters['ECDH.computeSecret'].served++;
            return takeOutput(words[Word.OutputLength] as number);
          }
        }
        pair = this.#twin ??= this.#makeHostPair();
      } else {
        this.#toHost(reason);
        pair = this.#host as unknown as HostPair;
      }
      counters['ECDH.computeSecret'].handBack(reason ?? 'engine refused');
    }
    return apply(pair.computeSecret, pair, arguments);
  }

  getPublicKey(form: unknown): unknown {
    if (this.#host === undefined) {
      if (this.#id !== NO_ID && (form === 2 || form === 4 || form === 6)) {
        words[Word.Id] = this.#id;
        words[Word.Scheme] = form;
        words[Word.Encoding] = Encoding.Scratch;
        native?.ecdhPublicKey();
        if (words[Word.Status] === Status.Done) return takeOutput(words[Word.OutputLength] as number);
      }
      this.#toHost('unusual use');
    }
    const pair = this.#host as unknown as HostPair;
    return apply(pair.getPublicKey, pair, arguments);
  }

  getPrivateKey(): unknown {
    if (this.#host === undefined) {
      if (this.#id !== NO_ID) {
        const number = this.#number(OwnedBuffer);
        if (number !== undefined) return number;
      }
      this.#toHost('unusual use');
    }
    const pair = this.#host as unknown as HostPair;
    return apply(pair.getPrivateKey, pair, arguments);
  }

  setPublicKey(): unknown {
    if (this.#host === undefined) this.#toHost('unusual use');
    const pair = this.#host as unknown as HostPair;
    return apply(pair.setPublicKey, pair, arguments);
  }

  setPrivateKey(key: unknown): unknown {
    if (this.#host === undefined) {
      let reason: Reason = 'FIPS is on';
      if (fips() !== true) {
        reason = 'engine refused';
        // The host draws random bytes there, but for this curve.
        if (this.#curve !== Kind.P256) seedHost();
        const length = put(key);
        if (length !== undefined) {
          words[Word.DataLength] = length;
          this.#place();
          native?.ecdhSetPrivateKey();
          if (this.#keep()) {
            counters['ECDH.setPrivateKey'].served++;
            return undefined;
          }
        }
      }
      this.#toHost(reason);
      counters['ECDH.setPrivateKey'].handBack(reason);
    }
    const pair = this.#host as unknown as HostPair;
    return apply(pair.setPrivateKey, pair, arguments);
  }

  static {
    disguise(Pair, 'ECDH');
  }

  /** Writes which pair is to be made, and on which curve. */
  #place(): void {
    words[Word.Id] = this.#id;
    words[Word.Kind] = this.#curve;
  }

  /** Notes the pair that the addon has made; `false` where it has not. */
  #keep(): boolean {
    if (words[Word.Status] !== Status.Done) return false;
    this.#twin = undefined;
    if (this.#id === NO_ID) {
      const id = words[Word.Id] as number;
      abandonedPairs.register(this, id, this);
      this.#id = id;
    }
    return true;
  }

  /** The private number in memory of its own, without zeros in front, as the host gives it. */
  #number(Class: new (bytes: Uint8Array) => Uint8Array): Uint8Array | undefined {
    words[Word.Id] = this.#id;
    words[Word.Encoding] = Encoding.Scratch;
    native?.ecdhPrivateKey();
    if (words[Word.Status] !== Status.Done) return undefined;
    const length = words[Word.OutputLength] as number;
    const padded = outputView(length);
    let zeros = 0;
    while (zeros < length && padded[zeros] === 0) zeros++;
    const number = new Class(part(padded, zeros, length));
    wipeOutput(length);
    return number;
  }

  /** A native object of the host's with the same key. */
  #makeHostPair(): HostPair {
    const pair = (hostCreateECDH(this.#name) as unknown as HostObject)[kHandle] as HostPair;
    const number = this.#id === NO_ID ? undefined : this.#number(Bytes);
    if (number !== undefined) {
      try {
        pair.setPrivateKey(number);
      } finally {
        typedArrayFill(number, 0, 0, typedArrayLength(number));
      }
    }
    return pair;
  }

  /** Makes it the host's, for good. */
  #toHost(reason: Reason): void {
    this.#host = this.#twin ?? this.#makeHostPair();
    this.#twin = undefined;
    counters.createECDH.serveNoMore(reason);
    const id = this.#id;
    if (id === NO_ID) return;
    // In this order: a number that is free may be another pair's soon.
    this.#id = NO_ID;
    abandonedPairs.unregister(this);
    words[Word.Id] = id;
    native?.ecdhRelease();
  }
}

/** Puts bytes at the start of the input and returns how many; `undefined` for what has to be the host's. */
function put(value: unknown): number | undefined {
  if (!isView(value)) return undefined;
  const bytes = typedArrayTag(value) === 'Uint8Array' ? (value as Uint8Array) : bytesOf(value);
  if (bytes === undefined) return undefined;
  const length = typedArrayLength(bytes);
  if (length > PIECE_LIMIT) return undefined;
  occupy();
  // From a view whose buffer is detached nothing can be copied, and it counts as empty.
  if (length !== 0) typedArraySet(input, bytes, 0);
  return length;
}

let hostIsSeeded = false;

/**
 * The host makes the generator of its private numbers on first use, and under FIPS cannot. If that
 * is switched on later, the host must have made it by then, as it would have.
 */
function seedHost(): void {
  if (hostIsSeeded) return;
  hostIsSeeded = true;
  hostCreateECDH('prime256v1').generateKeys();
}

type ServedClass = new (pair: Pair) => object;

/** A constructor of what the host's makes, around our pair. */
const NewEcdh = ((): ServedClass => {
  function Served(this: HostObject, pair: Pair): void {
    this[kHandle] = pair;
  }
  Served.prototype = host.ECDH.prototype;
  return Served as unknown as ServedClass;
})();

/** Names that the host made such an object of before. */
const hostNames = makeTable<true>();

export function createECDH(this: unknown, curve: unknown): unknown {
  const counter = counters.createECDH;
  if (typeof curve !== 'string') {
    counter.handBack('arguments');
  } else {
    const kind = curves.get(curve);
    if (kind === undefined) {
      counter.handBack('algorithm');
    } else if (hostNames.get(curve) !== true) {
      counter.handBack('first use');
    } else if (fips() === true) {
      counter.handBack('FIPS is on');
    } else {
      counter.served++;
      return new NewEcdh(new Pair(curve, kind));
    }
  }
  const object = handBack(hostCreateECDH, this, arguments);
  if (typeof curve === 'string') hostNames.set(curve, true);
  return object;
}

/** The number of a point's form; none given counts as uncompressed. */
function formOf(format: unknown): number | undefined {
  switch (format) {
    case 'compressed':
      return 2;
    case undefined:
    case 'uncompressed':
      return 4;
    case 'hybrid':
      return 6;
    default:
      return undefined;
  }
}

/** `ECDH.convertKey`. */
export function convertKey(
  this: unknown,
  key: unknown,
  curve: unknown,
  inputEncoding?: unknown,
  outputEncoding_?: unknown,
  format?: unknown,
): unknown {
  const counter = counters['ECDH.convertKey'];
  const kind = typeof curve === 'string' ? curves.get(curve) : undefined;
  const form = formOf(format);
  const code = outputEncoding(outputEncoding_);
  if (kind === undefined) {
    counter.handBack('algorithm');
  } else if (form === undefined || code === undefined) {
    counter.handBack('options');
  } else if (hostNames.get(curve as string) !== true) {
    counter.handBack('first use');
  } else if (fips() === true) {
    counter.handBack('FIPS is on');
  } else {
    occupy();
    const length = putPiece(key, inputEncoding, 0);
    if (length === undefined) {
      counter.handBack('arguments');
    } else {
      words[Word.Kind] = kind;
      words[Word.Scheme] = form;
      words[Word.DataLength] = length;
      words[Word.Encoding] = code;
      const text = native?.ecdhConvertKey();
      if (words[Word.Status] === Status.Done) {
        counter.served++;
        return text ?? takeOutput(words[Word.OutputLength] as number);
      }
      counter.handBack('engine refused');
    }
  }
  const converted = handBack(hostConvertKey, this, arguments);
  hostNames.set(curve as string, true);
  return converted;
}
