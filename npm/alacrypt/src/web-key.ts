/**
 * What is known of `CryptoKey`s, and the methods that make them, whose results are looked at.
 *
 * The objects are the host's, and so is each decision about them: what may be imported, and who may do
 * what with a key. What is kept beside one was true when it was made, and cannot change afterwards; on
 * older lines it can, and is looked at again.
 *
 * The bytes of a key that may be exported are asked of the host at its first use. Those of one that may
 * not be are kept, in the addon, when they are imported. Newer lines give nobody the bytes of others:
 * the host does all the work with those.
 */

import { types } from 'node:util';

import { bufferFrom } from './encodings';
import { host, secretKeyBytes } from './host';
import { Key, Kind, keyJustMade, parsedKey } from './key';
import { native } from './native';
import { handBack } from './object';
import {
  Bytes,
  apply,
  bare,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isArray,
  isExtensible,
  isPlainArray,
  makeAttachments,
  makeRegistry,
  plainProperty,
  slice,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
} from './primordials';
import { INPUT_CAPACITY, NO_ID, Status, Word, input, occupy, words } from './scratch';
import { SLOT_LENGTH } from './ciphers';
import { DIGESTS, bytesOfSource, isDictionary, memberOf, nameOf } from './web';
import { web } from './web-host';

const { isCryptoKey, isProxy } = types;

/** These lines keep the truth about a key where it can be changed, and give every key's `KeyObject`. */
const IS_OPEN = Number.parseInt(process.versions.node, 10) < 24;

/** Longer secrets would crowd out the data. */
const SECRET_LIMIT = 1024;

/** What a key may be used for, as far as it is of interest here. */
export type Usage = 'encrypt' | 'decrypt' | 'sign' | 'verify' | 'deriveBits';
const USAGES: readonly Usage[] = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveBits'];

/** The kinds of asymmetric keys, by the name of the algorithm or of the curve. */
const KINDS = bare<Kind>();
KINDS['RSASSA-PKCS1-v1_5'] = Kind.Rsa;
KINDS['RSA-PSS'] = Kind.Rsa;
KINDS['P-256'] = Kind.P256;
KINDS['P-384'] = Kind.P384;
KINDS['P-521'] = Kind.P521;
KINDS['Ed25519'] = Kind.Ed25519;
KINDS['X25519'] = Kind.X25519;
KINDS['ML-DSA-44'] = Kind.MlDsa44;
KINDS['ML-DSA-65'] = Kind.MlDsa65;
KINDS['ML-DSA-87'] = Kind.MlDsa87;

/** What is known of a `CryptoKey`. */
export class WebKey {
  readonly name: string;
  readonly type: string;
  /** The engine's number of the digest that belongs to the key, or -1. */
  readonly digest: number;
  readonly curve: string;
  /** Bytes of a secret, of an RSA modulus. */
  readonly length: number;
  /** Whether the host gives its bytes away. */
  readonly isOpen: boolean;
  readonly usages: Record<Usage, boolean>;
  /** On older lines, the objects that the key's properties give: they may be changed. */
  readonly algorithm: object;
  readonly usageList: readonly unknown[];
  /** The number of the secret in the addon. */
  id = NO_ID;
  /** Whether the addon has no place for it, or the host does not give it. */
  isClosed = false;
  /** The asymmetric key. */
  key: Key | undefined;
  /** The host's object of an open key, as long as that is needed. */
  object: object | undefined;

  constructor(type: string, algorithm: object, usageList: readonly unknown[], isOpen: boolean) {
    this.name = text(algorithm, 'name');
    this.type = type;
    const hash = plainProperty(algorithm, 'hash');
    this.digest = typeof hash === 'object' && hash !== null ? (DIGESTS[text(hash, 'name')] ?? -1) : -1;
    this.curve = text(algorithm, 'namedCurve');
    const bits = plainProperty(algorithm, this.name === 'RSASSA-PKCS1-v1_5' || this.name === 'RSA-PSS' ? 'modulusLength' : 'length');
    // Of other numbers of bits the host leaves some out.
    this.length = typeof bits === 'number' && bits % 8 === 0 ? bits / 8 : 0;
    this.isOpen = isOpen;
    this.usages = { encrypt: false, decrypt: false, sign: false, verify: false, deriveBits: false };
    for (let at = 0; at < USAGES.length; at++) {
      const usage = USAGES[at] as Usage;
      this.usages[usage] = includes(usageList, usage);
    }
    this.algorithm = algorithm;
    this.usageList = usageList;
  }

  get kind(): Kind {
    return KINDS[this.name === 'ECDSA' || this.name === 'ECDH' ? this.curve : this.name] ?? Kind.Unsupported;
  }
}

function text(object: object, name: string): string {
  const value = plainProperty(object, name);
  return typeof value === 'string' ? value : '';
}

function includes(list: readonly unknown[], wanted: unknown): boolean {
  // Plain data, or nothing that counts.
  for (let at = 0; at < list.length; at++) if (plainProperty(list, at) === wanted) return true;
  return false;
}

const known = makeAttachments();

const getters = {
  type: getterOf('type'),
  algorithm: getterOf('algorithm'),
  extractable: getterOf('extractable'),
  usages: getterOf('usages'),
};

function getterOf(name: string): unknown {
  return getOwnPropertyDescriptor(web.keyPrototype as object, name)?.get;
}

/**
 * What is known of that key, if it may be used so; `undefined` where nothing is, or the host has to say
 * why it may not.
 */
export function findKey(value: unknown, name: string, usage: Usage): WebKey | undefined {
  const key = knownKey(value);
  if (key === undefined || key.name !== name || !key.usages[usage]) return undefined;
  return !IS_OPEN || isUnchanged(value as object, key, usage) ? key : undefined;
}

/** What is known of the other party's key; usages are not asked of that. */
export function findPeer(value: unknown, name: string): WebKey | undefined {
  const key = knownKey(value);
  if (key === undefined || key.name !== name || key.type !== 'public') return undefined;
  return !IS_OPEN || isUnchanged(value as object, key, undefined) ? key : undefined;
}

function knownKey(value: unknown): WebKey | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Where the truth is open, any key can be asked for it.
  if (IS_OPEN && known.get<WebKey>(value) === undefined) {
    // A proxy would see that it was looked at.
    if (isProxy(value)) return undefined;
    learn(value);
  }
  return known.get<WebKey>(value);
}

/** Whether the prototypes are those of the host's own keys; most lines have one more below the public one. */
function isAsMade(object: object): boolean {
  const prototype = getPrototypeOf(object) as object | null;
  if (prototype === web.keyPrototype) return true;
  if (prototype === null || isProxy(prototype) || getPrototypeOf(prototype) !== web.keyPrototype) return false;
  return !hasOwn(prototype, 'type') && !hasOwn(prototype, 'algorithm') && !hasOwn(prototype, 'usages');
}

/** Whether older lines, too, would find what was true of the key when it was made. */
function isUnchanged(object: object, key: WebKey, usage: Usage | undefined): boolean {
  const prototype = web.keyPrototype as object;
  if (!isAsMade(object)) return false;
  for (const name of ['type', 'algorithm', 'usages'] as const) {
    if (hasOwn(object, name) || getOwnPropertyDescriptor(prototype, name)?.get !== getters[name]) return false;
  }
  const { algorithm, usageList } = key;
  if (usage !== undefined && !includes(usageList, usage)) return false;
  if (text(algorithm, 'name') !== key.name || text(algorithm, 'namedCurve') !== key.curve) return false;
  if (key.digest >= 0) {
    const hash = plainProperty(algorithm, 'hash');
    if (typeof hash !== 'object' || hash === null || DIGESTS[text(hash, 'name')] !== key.digest) return false;
  }
  const isRsa = key.kind === Kind.Rsa;
  if (!isRsa && (key.type !== 'secret' || SOURCES[key.name] === true)) return true;
  const bits = plainProperty(algorithm, isRsa ? 'modulusLength' : 'length');
  return bits === 8 * key.length;
}

/** A secret that is being imported, in memory of our own. */
interface Material {
  readonly bytes: Uint8Array;
  readonly isPkcs8: boolean;
}

/** Takes note of a key that the host has just made, before the app has it. */
function learn(object: unknown, material?: Material, keyObject?: object): void {
  if (!isCryptoKey(object) || isProxy(object) || !isExtensible(object)) return;
  if (!isAsMade(object)) return;
  const type = apply(getters.type, object, []) as string;
  const algorithm = apply(getters.algorithm, object, []) as object;
  const usages = apply(getters.usages, object, []);
  const isExtractable = apply(getters.extractable, object, []) === true;
  if (!isArray(usages)) return;
  const key = new WebKey(type, algorithm, usages, isExtractable || IS_OPEN || keyObject !== undefined);
  key.object = keyObject;
  if (material !== undefined && !key.isOpen) keep(key, material);
  if (key.isOpen || key.id !== NO_ID || key.key !== undefined || key.object !== undefined) known.set(object, key);
}

const abandonedStates = makeRegistry((id: number) => {
  words[Word.Id] = id;
  native?.keyRelease();
});
const abandonedSecrets = makeRegistry((id: number) => {
  words[Word.Id] = id;
  native?.cipherKeyRelease();
});

/** Names of algorithms that derive from a secret of any length: the host keeps it, as an object of ours. */
const SOURCES = bare<true>();
SOURCES['HKDF'] = true;
SOURCES['PBKDF2'] = true;

/** Puts a secret into the addon, where it stays as long as the key. */
function keep(key: WebKey, { bytes, isPkcs8 }: Material): void {
  const length = typedArrayLength(bytes);
  if (SOURCES[key.name] === true) {
    key.object = hostCreateSecretKey(bytes);
    return;
  }
  occupy();
  if (key.type === 'secret') {
    keepSecret(key, bytes);
  } else if (key.type === 'private' && length <= INPUT_CAPACITY && key.kind !== Kind.Rsa) {
    const { kind } = key;
    typedArraySet(input, bytes, 0);
    words[Word.DataLength] = length;
    words[Word.Kind] = kind;
    if (isPkcs8) native?.privateKeyNew();
    else native?.secretKeyNew();
    key.key = keyJustMade(true, kind);
  }
}

function keepSecret(key: WebKey, bytes: Uint8Array): void {
  const length = typedArrayLength(bytes);
  if (length > SECRET_LIMIT || length !== key.length) return;
  words[Word.KeyLength] = length;
  if (key.name === 'HMAC') {
    if (key.digest < 0) return;
    typedArraySet(input, bytes, 0);
    words[Word.Algorithm] = key.digest;
    native?.keyNew();
  } else {
    typedArraySet(input, bytes, SLOT_LENGTH);
    native?.cipherKeyNew();
    typedArrayFill(input, 0, SLOT_LENGTH, SLOT_LENGTH + length);
  }
  if (words[Word.Status] !== Status.Done) return;
  key.id = words[Word.Id] as number;
  (key.name === 'HMAC' ? abandonedStates : abandonedSecrets).register(key, key.id);
}

const { KeyObject, createSecretKey: hostCreateSecretKey } = host;
const { from: keyObjectFrom } = KeyObject;

/** The host's object of a key that is open. */
function objectOf(object: object, key: WebKey): object {
  return key.object ?? (apply(keyObjectFrom, KeyObject, [object]) as object);
}

/** The number of a secret in the addon; {@link NO_ID} where it has none. */
export function secretId(object: object, key: WebKey): number {
  if (key.id !== NO_ID || key.isClosed || !key.isOpen) return key.id;
  key.isClosed = true;
  const bytes = secretKeyBytes(objectOf(object, key));
  key.object = undefined;
  if (bytes !== undefined) {
    occupy();
    keepSecret(key, bytes);
    typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
  }
  return key.id;
}

/** The bytes of a secret that is derived from, for the caller to wipe; `undefined` where there are none. */
export function sourceBytes(object: object, key: WebKey): Uint8Array | undefined {
  return secretKeyBytes(objectOf(object, key));
}

/** The asymmetric key in the addon; `undefined` where there is none, or not yet. */
export function asymmetricKey(object: object, key: WebKey): Key | undefined {
  if (key.isClosed) return undefined;
  const { kind, isOpen } = key;
  if (!isOpen) return key.key;
  key.key ??= new Key(key.type === 'private');
  const found = parsedKey(key.key, (key.object ??= objectOf(object, key)));
  if (found !== undefined) key.object = undefined;
  if (found === undefined || found.kind === kind) return found;
  key.isClosed = true;
  return undefined;
}

/** Names of algorithms whose secrets are bytes. */
const SECRETS = bare<true>();
for (const name of ['HMAC', 'AES-GCM', 'AES-CBC', 'AES-CTR', 'HKDF', 'PBKDF2']) SECRETS[name] = true;

const { importKey: hostImportKey, generateKey: hostGenerateKey, deriveKey: hostDeriveKey, unwrapKey: hostUnwrapKey } = web.methods;
const { toCryptoKey: hostToCryptoKey } = web;

/** `SubtleCrypto.prototype.importKey`. */
export function importKey(
  this: unknown,
  format: unknown,
  keyData: unknown,
  algorithm: unknown,
  extractable: unknown,
  keyUsages: unknown,
): unknown {
  const material =
    IS_OPEN || this !== web.subtle || extractable !== false || !isPlainArray(keyUsages)
      ? undefined
      : materialOf(format, keyData, algorithm);
  return imported(handBack(hostImportKey, this, arguments), material);
}

async function imported(promise: unknown, material: Material | undefined): Promise<unknown> {
  try {
    const key = await promise;
    learn(key, material);
    return key;
  } finally {
    if (material !== undefined) typedArrayFill(material.bytes, 0, 0, typedArrayLength(material.bytes));
  }
}

/** The secret of what is to be imported, copied as the host will copy it; `undefined` where the app might interfere. */
function materialOf(format: unknown, keyData: unknown, algorithm: unknown): Material | undefined {
  const name = nameOf(algorithm);
  if (name === undefined) return undefined;
  if (typeof algorithm === 'object') {
    // Whatever else is asked of it is plain, too.
    for (const member of ['hash', 'length', 'namedCurve']) {
      const value = memberOf(algorithm as object, member);
      if (typeof value === 'symbol' || (typeof value === 'object' && nameOf(value) === undefined)) return undefined;
    }
  }
  const isSecret = SECRETS[name] === true;
  if (format === 'jwk' && SOURCES[name] !== true) return materialOfJwk(keyData, isSecret ? 'k' : slice(name, 0, 6) === 'ML-DSA' ? 'priv' : 'd');
  if (isSecret ? format !== 'raw' && format !== 'raw-secret' : format !== 'pkcs8') return undefined;
  const bytes = bytesOfSource(keyData);
  return bytes === undefined ? undefined : { bytes: new Bytes(bytes), isPkcs8: !isSecret };
}

/** The members of a JWK that may have other values than text. */
const MEMBERS = bare<true>();
for (const name of ['ext', 'key_ops']) MEMBERS[name] = true;

/** `member` is what holds the secret (RFC 7518, section 6; RFC 8037, section 2; RFC 9964). */
function materialOfJwk(jwk: unknown, member: string): Material | undefined {
  if (!isDictionary(jwk)) return undefined;
  for (const name of ['alg', 'crv', 'd', 'e', 'ext', 'k', 'key_ops', 'kty', 'n', 'pub', 'priv', 'use', 'x', 'y']) {
    const value = memberOf(jwk, name);
    if (value === undefined || typeof value === 'string') continue;
    if (MEMBERS[name] !== true || (typeof value !== 'boolean' && !isPlainArray(value))) return undefined;
  }
  const secret = memberOf(jwk, member);
  // Nothing is to be had from one of RSA.
  if (typeof secret !== 'string' || typeof memberOf(jwk, 'n') === 'string') return undefined;
  const bytes = bufferFrom(secret, 'base64url');
  const own = new Bytes(bytes);
  // It may lie in memory that the host shares among buffers.
  typedArrayFill(bytes, 0, 0, typedArrayLength(bytes));
  return { bytes: own, isPkcs8: false };
}

/** `SubtleCrypto.prototype.generateKey`. */
export function generateKey(this: unknown): unknown {
  return generated(handBack(hostGenerateKey, this, arguments));
}

async function generated(promise: unknown): Promise<unknown> {
  const made = await promise;
  if (isCryptoKey(made)) {
    learn(made);
  } else {
    const pair = made as object;
    learn(plainProperty(pair, 'publicKey'));
    learn(plainProperty(pair, 'privateKey'));
  }
  return made;
}

/** `KeyObject.prototype.toCryptoKey`: whose bytes are had from the `KeyObject`, whether or not they may be exported. */
export function toCryptoKey(this: unknown): unknown {
  const made = handBack(hostToCryptoKey, this, arguments);
  learn(made, undefined, this as object);
  return made;
}

/** `SubtleCrypto.prototype.deriveKey`. */
export function deriveKey(this: unknown): unknown {
  return imported(handBack(hostDeriveKey, this, arguments), undefined);
}

/** `SubtleCrypto.prototype.unwrapKey`. */
export function unwrapKey(this: unknown): unknown {
  return imported(handBack(hostUnwrapKey, this, arguments), undefined);
}
