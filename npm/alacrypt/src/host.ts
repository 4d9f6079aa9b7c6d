/**
 * The host's own crypto, kept from before anything is patched.
 */

import type * as Crypto from 'node:crypto';
// The default export is the module object itself; a namespace would be a copy.
import crypto from 'node:crypto';

import { Bytes, apply, getPrototypeOf } from './primordials';

export type CryptoModule = typeof Crypto;

/** The module object that `require('crypto')` returns everywhere. */
export const host = crypto as CryptoModule;

const {
  createCipheriv: hostCreateCipheriv,
  createDecipheriv: hostCreateDecipheriv,
  createHash: hostCreateHash,
  createHmac: hostCreateHmac,
  hash: hostHash,
  randomBytes: hostRandomBytes,
  randomFillSync: hostRandomFillSync,
  sign: hostSign,
  verify: hostVerify,
  createSign: hostCreateSign,
  createVerify: hostCreateVerify,
  createPublicKey: hostCreatePublicKey,
  createPrivateKey: hostCreatePrivateKey,
  createECDH: hostCreateECDH,
  diffieHellman: hostDiffieHellman,
  encapsulate: hostEncapsulate,
  decapsulate: hostDecapsulate,
  publicEncrypt: hostPublicEncrypt,
  privateDecrypt: hostPrivateDecrypt,
  privateEncrypt: hostPrivateEncrypt,
  publicDecrypt: hostPublicDecrypt,
  generateKeyPair: hostGenerateKeyPair,
  generateKeyPairSync: hostGenerateKeyPairSync,
  hkdf: hostHkdf,
  hkdfSync: hostHkdfSync,
  pbkdf2: hostPbkdf2,
  pbkdf2Sync: hostPbkdf2Sync,
  scrypt: hostScrypt,
  scryptSync: hostScryptSync,
  argon2: hostArgon2,
  argon2Sync: hostArgon2Sync,
  createSecretKey,
} = host;

export {
  hostArgon2,
  hostArgon2Sync,
  hostCreateCipheriv,
  hostCreateDecipheriv,
  hostCreateECDH,
  hostCreateHash,
  hostCreateHmac,
  hostCreatePrivateKey,
  hostCreatePublicKey,
  hostCreateSign,
  hostCreateVerify,
  hostDecapsulate,
  hostDiffieHellman,
  hostEncapsulate,
  hostGenerateKeyPair,
  hostGenerateKeyPairSync,
  hostHash,
  hostHkdf,
  hostHkdfSync,
  hostPbkdf2,
  hostPbkdf2Sync,
  hostPrivateDecrypt,
  hostPrivateEncrypt,
  hostPublicDecrypt,
  hostPublicEncrypt,
  hostRandomBytes,
  hostRandomFillSync,
  hostScrypt,
  hostScryptSync,
  hostSign,
  hostVerify,
};

/** What runs us. */
export const runtime: 'node' | 'bun' | 'deno' =
  process.versions['bun'] !== undefined
    ? 'bun'
    : process.versions['deno'] !== undefined
      ? 'deno'
      : 'node';

/** The prototypes of the host's `Hash` and `Hmac` objects. */
export const hashPrototype = host.Hash.prototype as unknown as HostObjectPrototype;
export const hmacPrototype = host.Hmac.prototype as unknown as HostObjectPrototype;

/** Methods that are replaced, for what is read only after they were. */
export const { sign: hostSignMethod } = host.Sign.prototype as { sign: unknown };
export const { verify: hostVerifyMethod } = host.Verify.prototype as { verify: unknown };
export const { convertKey: hostConvertKey } = host.ECDH;

/** The class behind `Buffer`, whose instances have an `ArrayBuffer` of their own. */
export const OwnedBuffer = ((Buffer as unknown as { [Symbol.species]?: unknown })[Symbol.species] ??
  Buffer) as new (source: number | Uint8Array) => Buffer<ArrayBuffer>;

/** The native object inside the host's `Hash` or `Hmac`. */
export interface HostHandle {
  update(data: unknown, encoding?: unknown): boolean;
  digest(encoding?: unknown): unknown;
}

/** The host's `Hash` or `Hmac`, with the properties that Node keeps under symbols. */
export type HostObject = Record<symbol, unknown> & {
  update(data: unknown, encoding?: unknown): HostObject;
  digest(encoding?: unknown): unknown;
};

export type HostObjectPrototype = HostObject & {
  copy(options?: unknown): HostObject;
};

function symbolNamed(object: object, description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(object).find((symbol) => symbol.description === description);
}

/** The symbols under which Node's `Hash` and `Hmac` objects keep what is inside. */
interface Symbols {
  /** The native handle. */
  kHandle: symbol;
  /** An object with the flag. */
  kState: symbol;
  /** The "digest was called" flag in that object. */
  kFinalized: symbol;
}

/** Objects of the host, made before anything could keep it from making them. */
export const probes = {
  hash: hostCreateHash('sha256') as unknown as HostObject,
  /** Made when the first algorithm is looked up, before any `Hmac` of ours. */
  hmac: undefined as HostObject | undefined,
};

/**
 * `undefined` on a host that is built otherwise, whose methods would not work on a handle of ours:
 * its objects are then left alone.
 */
export const symbols = ((): Symbols | undefined => {
  if (runtime !== 'node') return undefined;
  const kHandle = symbolNamed(probes.hash, 'kHandle');
  const kState = symbolNamed(probes.hash, 'kState');
  if (kHandle === undefined || kState === undefined) return undefined;
  const kFinalized = symbolNamed(probes.hash[kState] as object, 'kFinalized');
  return kFinalized === undefined ? undefined : { kHandle, kState, kFinalized };
})();

const { update: hostUpdate, digest: hostHashDigest } = hashPrototype;
export { hostHashDigest };
const { digest: hostHmacDigest } = hmacPrototype;

/** The native handle inside an object of the host, or what does its work on other hosts. */
export function handleInside(object: HostObject): HostHandle {
  if (symbols !== undefined) return object[symbols.kHandle] as HostHandle;
  const digest =
    getPrototypeOf(object) === hmacPrototype ? hostHmacDigest : hostHashDigest;
  return {
    update(data, encoding) {
      apply(hostUpdate, object, [data, encoding]);
      return true;
    },
    digest: (encoding) => apply(digest, object, [encoding]),
  };
}

let secretKeyPrototype: unknown;
let exportSecretKey: unknown;

/**
 * The bytes of a secret `KeyObject`, in a buffer of the caller's own; `undefined` for all else.
 */
export function secretKeyBytes(key: object): Buffer | undefined {
  if (secretKeyPrototype === undefined) {
    const example = createSecretKey(new Bytes(1));
    secretKeyPrototype = getPrototypeOf(example);
    exportSecretKey = example.export;
  }
  if (getPrototypeOf(key) !== secretKeyPrototype) return undefined;
  try {
    // A look-alike has no native key inside, and makes the host throw.
    return apply(exportSecretKey, key, []) as Buffer;
  } catch {
    return undefined;
  }
}
