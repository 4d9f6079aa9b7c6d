/**
 * `SubtleCrypto.prototype.sign` and `verify`.
 */

import { Kind } from './key';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import { apply, bare, part, typedArrayFill, typedArrayLength, typedArraySet } from './primordials';
import { doElsewhere, doHere, settledLater } from './schedule';
import { Encoding, INPUT_CAPACITY, NO_ID, Status, Word, input, occupy, takeArrayBuffer, words } from './scratch';
import { type WorkCounter, counters } from './stats';
import { DIGESTS, DIGEST_LENGTHS, REFUSED, areBuffersPlain, bytesOfSource, isDictionary, memberOf, nameOf } from './web';
import { web } from './web-host';
import { type WebKey, asymmetricKey, findKey, secretId } from './web-key';

const signCounter = counters['subtle.sign'];
const verifyCounter = counters['subtle.verify'];
const { sign: hostSign, verify: hostVerify } = web.methods;

/** The addon's numbers for schemes (`crates/alacrypt-node/src/sign.rs`). */
const enum Scheme {
  RsaPkcs1v15 = 0,
  RsaPss = 1,
  EcdsaP1363 = 3,
  Ed25519 = 4,
  MlDsa = 5,
}

/** The longest signature that is looked at. */
const SIGNATURE_LIMIT = 5120;

/** `SubtleCrypto.prototype.sign`. */
export function sign(this: unknown, algorithm: unknown, key: unknown, data: unknown): unknown {
  if (this !== web.subtle || arguments.length < 3) {
    signCounter.handBack('arguments');
  } else {
    const served = serveSign(algorithm, key, data);
    if (served !== undefined) return served;
  }
  return handBack(hostSign, this, arguments);
}

function serveSign(algorithm: unknown, key: unknown, data: unknown): Promise<unknown> | undefined {
  const name = nameOf(algorithm);
  if (name === undefined) return signCounter.handBack('algorithm');
  const found = findKey(key, name, 'sign');
  if (found === undefined) return signCounter.handBack('key');
  const bytes = bytesOfSource(data);
  if (bytes === undefined || !areBuffersPlain()) return signCounter.handBack('arguments');
  const length = typedArrayLength(bytes);
  if (length > INPUT_CAPACITY) return signCounter.handBack('input is large');
  if (fips() === true) return signCounter.handBack('FIPS is on');
  const isMac = name === 'HMAC';
  occupy();
  if (!(isMac ? setMac(signCounter, key as object, found) : setScheme(signCounter, algorithm, key as object, found, true))) {
    return undefined;
  }
  typedArraySet(input, bytes, 0);
  words[Word.DataLength] = length;
  words[Word.Encoding] = Encoding.Scratch;
  const { hmacHere, hmacJob, signHere, signJob } = native as NonNullable<typeof native>;
  const tagLength = DIGEST_LENGTHS[found.digest] as number;
  const answer = isMac
    ? () => takeArrayBuffer(tagLength)
    : () => takeArrayBuffer(words[Word.OutputLength] as number);
  const status = doHere(isMac ? hmacHere : signHere);
  if (status === Status.Done) {
    if (!isMac) typedArrayFill(input, 0, 0, length);
    signCounter.serveHere();
    emptyHostErrors();
    return settledLater(answer());
  }
  if (status === Status.Later) {
    const again = (input: Uint8Array): unknown => apply(hostSign, web.subtle, [own(algorithm, name), key, input]);
    const promise = doElsewhere(
      isMac ? 'HMACREQUEST' : 'SIGNREQUEST',
      isMac ? hmacJob : signJob,
      length,
      signCounter,
      answer,
      again,
    );
    if (promise !== undefined) return promise;
  }
  typedArrayFill(input, 0, 0, length);
  return signCounter.handBack('engine refused');
}

/** `SubtleCrypto.prototype.verify`. */
export function verify(this: unknown, algorithm: unknown, key: unknown, signature: unknown, data: unknown): unknown {
  if (this !== web.subtle || arguments.length < 4) {
    verifyCounter.handBack('arguments');
  } else {
    const served = serveVerify(algorithm, key, signature, data);
    if (served !== undefined) return served;
  }
  return handBack(hostVerify, this, arguments);
}

function serveVerify(
  algorithm: unknown,
  key: unknown,
  signature: unknown,
  data: unknown,
): Promise<unknown> | undefined {
  const name = nameOf(algorithm);
  if (name === undefined) return verifyCounter.handBack('algorithm');
  const found = findKey(key, name, 'verify');
  if (found === undefined) return verifyCounter.handBack('key');
  const signatureBytes = bytesOfSource(signature);
  const bytes = bytesOfSource(data);
  if (signatureBytes === undefined || bytes === undefined) return verifyCounter.handBack('arguments');
  const signatureLength = typedArrayLength(signatureBytes);
  const dataLength = typedArrayLength(bytes);
  const length = signatureLength + dataLength;
  if (signatureLength > SIGNATURE_LIMIT || length > INPUT_CAPACITY) return verifyCounter.handBack('input is large');
  if (fips() === true) return verifyCounter.handBack('FIPS is on');
  const isMac = name === 'HMAC';
  occupy();
  if (
    !(isMac ? setMac(verifyCounter, key as object, found) : setScheme(verifyCounter, algorithm, key as object, found, false))
  ) {
    return undefined;
  }
  typedArraySet(input, signatureBytes, 0);
  typedArraySet(input, bytes, signatureLength);
  words[Word.KeyLength] = signatureLength;
  words[Word.DataLength] = dataLength;
  const { hmacVerifyHere, hmacVerifyJob, verifyHere, verifyJob } = native as NonNullable<typeof native>;
  const status = doHere(isMac ? hmacVerifyHere : verifyHere);
  if (status === Status.Done || status === Status.Failed) {
    if (!isMac) typedArrayFill(input, 0, 0, length);
    verifyCounter.serveHere();
    emptyHostErrors();
    return settledLater(status === Status.Done);
  }
  if (status === Status.Later) {
    const again = (input: Uint8Array): unknown =>
      apply(hostVerify, web.subtle, [
        own(algorithm, name),
        key,
        part(input, 0, signatureLength),
        part(input, signatureLength, length),
      ]);
    const promise = doElsewhere(
      isMac ? 'HMACREQUEST' : 'SIGNREQUEST',
      isMac ? hmacVerifyJob : verifyJob,
      length,
      verifyCounter,
      (status) => status === Status.Done,
      again,
    );
    if (promise !== undefined) return promise;
  }
  typedArrayFill(input, 0, 0, length);
  return verifyCounter.handBack('engine refused');
}

/** Describes an HMAC to the addon; `false` where the host has to make it. */
function setMac(counter: WorkCounter, object: object, key: WebKey): boolean {
  const id = secretId(object, key);
  if (id === NO_ID || key.digest < 0) {
    counter.handBack('key');
    return false;
  }
  words[Word.Id] = id;
  words[Word.Algorithm] = key.digest;
  return true;
}

/** Describes a signature to the addon; `false` where the host has to make or to check it. */
function setScheme(counter: WorkCounter, algorithm: unknown, object: object, key: WebKey, signs: boolean): boolean {
  if (key.type !== (signs ? 'private' : 'public')) {
    counter.handBack('key');
    return false;
  }
  const { kind } = key;
  if (signs && kind === Kind.Rsa) {
    counter.handBack('host is as fast');
    return false;
  }
  const scheme = schemeOf(algorithm, key);
  if (scheme === undefined) {
    counter.handBack('options');
    return false;
  }
  // What it holds is set last: a key that is looked at uses the words, too.
  const { saltLength, digest } = described;
  const found = asymmetricKey(object, key);
  if (found === undefined) {
    counter.handBack(key.isOpen && !key.isClosed ? 'first use' : 'key');
    return false;
  }
  words[Word.Id] = found.id;
  words[Word.Scheme] = scheme;
  words[Word.Algorithm] = digest;
  words[Word.SaltLength] = saltLength;
  words[Word.Prehashed] = 0;
  words[Word.ContextLength] = 0;
  return true;
}

/** What else a scheme needs. */
const described = { digest: 0, saltLength: 0 };

function schemeOf(algorithm: unknown, key: WebKey): Scheme | undefined {
  described.digest = key.digest;
  described.saltLength = 0;
  switch (key.name) {
    case 'RSASSA-PKCS1-v1_5':
      return key.digest < 0 ? undefined : Scheme.RsaPkcs1v15;
    case 'RSA-PSS': {
      if (key.digest < 0 || !isDictionary(algorithm)) return undefined;
      const length = memberOf(algorithm, 'saltLength');
      const limit = key.length - (DIGEST_LENGTHS[key.digest] as number) - 2;
      if (typeof length !== 'number' || length >>> 0 !== length || length > limit) return undefined;
      described.saltLength = length;
      return Scheme.RsaPss;
    }
    case 'ECDSA': {
      if (!isDictionary(algorithm)) return undefined;
      const digest = digestOf(memberOf(algorithm, 'hash'));
      if (digest === undefined) return undefined;
      described.digest = digest;
      return Scheme.EcdsaP1363;
    }
    case 'Ed25519':
      described.digest = 0;
      return Scheme.Ed25519;
    default: {
      // ML-DSA, which may have a context.
      if (typeof algorithm === 'object' && memberOf(algorithm as object, 'context') !== undefined) return undefined;
      if (typeof algorithm === 'string' && memberOf(bare(), 'context') === REFUSED) return undefined;
      described.digest = 0;
      return key.kind === Kind.Unsupported ? undefined : Scheme.MlDsa;
    }
  }
}

/** The engine's number of a digest that is given by name; not of one that the host warns of, or may not know. */
function digestOf(hash: unknown): number | undefined {
  const name = nameOf(hash);
  const number = name === undefined ? undefined : DIGESTS[name];
  return number === undefined || number > (DIGESTS['SHA-512'] as number) ? undefined : number;
}

/** The algorithm, for the host to do it again later: nothing of the app's, which may have changed it. */
function own(algorithm: unknown, name: string): object {
  const copy = bare<unknown>();
  copy['name'] = name;
  if (name === 'ECDSA') copy['hash'] = nameOf(memberOf(algorithm as object, 'hash'));
  if (name === 'RSA-PSS') copy['saltLength'] = memberOf(algorithm as object, 'saltLength');
  return copy;
}
