/**
 * `generateKeyPair` and `generateKeyPairSync`.
 *
 * What is dear on the host is to multiply for the public half; the engine does that. The secret is
 * random bytes, drawn before, so that nothing gives one out. Both are put into a copy of what the
 * host once wrote for such a key: that is what the app asks for, or what the host makes its
 * `KeyObject`s of.
 */

import { types } from 'node:util';

import { base64Text } from './encodings';
import {
  OwnedBuffer,
  hostCreatePrivateKey,
  hostCreatePublicKey,
  hostGenerateKeyPair,
  hostGenerateKeyPairSync,
} from './host';
import { type CallbackForm, GivenKey, type Pending, handBackForm, isNew, mayStart, startJob } from './job';
import { Kind } from './key';
import { isInherited, isOptions, isPlain, resetAsked } from './key-options';
import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import {
  bare,
  getOwnPropertyDescriptor,
  hasOwn,
  makeTable,
  ownKeys,
  part,
  plainProperty,
  slice,
  typedArrayFill,
  typedArrayLength,
  typedArraySet,
} from './primordials';
import { Encoding, Status, Word, input, occupy, outputView, wipeOutput, words } from './scratch';
import { type Counter, counters } from './stats';

const { isProxy } = types;

/** What the host writes for one kind of key, with zeros where the key itself stands. */
interface Template {
  readonly pkcs8: Written;
  /** On curves only. */
  readonly sec1: Written | undefined;
  readonly spki: Uint8Array;
}

/** A private key as the host writes it. */
interface Written {
  readonly der: Uint8Array;
  /** Where the secret stands. */
  readonly secretAt: number;
}

/** A kind of key. The public half is the last part of whatever it stands in. */
interface Form {
  readonly type: string;
  readonly namedCurve: string | undefined;
  readonly kind: Kind;
  readonly secretLength: number;
  readonly publicLength: number;
  /**
   * Whether it is faster, too, where the host has to make a `KeyObject` of it, which takes longer
   * than to generate on the other curves.
   */
  readonly makesObjects: boolean;
  /** The host's jobs are of one class for curves, and of another for other kinds. */
  readonly jobs: CallbackForm;
  /** `null` where the host writes or computes something else than is expected. */
  template: Template | null | undefined;
}

/** By the name of the type, and of the curve. */
const formsByType = makeTable<Form>();
const formsByCurve = makeTable<Form>();

function addForm(
  names: readonly string[],
  kind: Kind,
  secretLength: number,
  publicLength: number,
  { isCurve = false, makesObjects = false } = {},
): void {
  const [name = ''] = names;
  const form: Form = {
    type: isCurve ? 'ec' : name,
    namedCurve: isCurve ? name : undefined,
    kind,
    secretLength,
    publicLength,
    makesObjects,
    jobs: formOfJobs(),
    template: undefined,
  };
  for (const each of names) (isCurve ? formsByCurve : formsByType).set(each, form);
}

addForm(['P-256', 'prime256v1'], Kind.P256, 32, 65, { isCurve: true });
addForm(['P-384', 'secp384r1'], Kind.P384, 48, 97, { isCurve: true, makesObjects: true });
addForm(['P-521', 'secp521r1'], Kind.P521, 66, 133, { isCurve: true, makesObjects: true });
addForm(['secp256k1'], Kind.Secp256k1, 32, 65, { isCurve: true, makesObjects: true });
addForm(['ed25519'], Kind.Ed25519, 32, 32);
addForm(['x25519'], Kind.X25519, 32, 32);
addForm(['ml-dsa-44'], Kind.MlDsa44, 32, 1312);
addForm(['ml-dsa-65'], Kind.MlDsa65, 32, 1952);
addForm(['ml-dsa-87'], Kind.MlDsa87, 32, 2592);
addForm(['ml-kem-512'], Kind.MlKem512, 64, 800);
addForm(['ml-kem-768'], Kind.MlKem768, 64, 1184);
addForm(['ml-kem-1024'], Kind.MlKem1024, 64, 1568);

/** How one half is to be written; `undefined` for a `KeyObject`. */
interface KeyEncoding {
  readonly isPem: boolean;
  readonly type: 'spki' | 'pkcs8' | 'sec1';
}

/** What is asked for. */
interface Request {
  readonly form: Form;
  readonly publicEncoding: KeyEncoding | undefined;
  readonly privateEncoding: KeyEncoding | undefined;
}

const textObject = Object('') as object;

/** Whether the host may find one of its options where nobody put it for that. */
function isOptionInherited(): boolean {
  return (
    isInherited() ||
    'paramEncoding' in textObject ||
    'publicKeyEncoding' in textObject ||
    'privateKeyEncoding' in textObject
  );
}

/** Names of types and curves that the host made such a pair of before. */
const knownTypes = makeTable<true>();
const knownCurves = makeTable<true>();

/** What the arguments ask for; `undefined` for what has to be the host's, which is counted. */
function requestOf(counter: Counter, type: unknown, options: unknown): Request | undefined {
  if (typeof type !== 'string') {
    counter.handBack('arguments');
    return undefined;
  }
  if (options === undefined) {
    counter.handBack(formsByType.get(type) === undefined ? 'algorithm' : 'host is as fast');
    return undefined;
  }
  if (typeof options !== 'object' || options === null || isProxy(options) || !isPlain(options)) {
    counter.handBack('options');
    return undefined;
  }
  const form = formFor(type, options);
  if (form === undefined || form.template === null) {
    counter.handBack('algorithm');
  } else if (!form.makesObjects && !('publicKeyEncoding' in options && 'privateKeyEncoding' in options)) {
    // As quickly as can be: the host needs little more than this takes.
    counter.handBack('host is as fast');
  } else if (isForJwk(options)) {
    counter.handBack('options');
  } else if (isOptionInherited() || !isOptions(options)) {
    counter.handBack('options');
  } else {
    const request = readRequest(form, options);
    if (request === undefined) {
      counter.handBack('options');
    } else if (!form.makesObjects && (request.publicEncoding === undefined || request.privateEncoding === undefined)) {
      counter.handBack('host is as fast');
    } else if (fips() === true) {
      counter.handBack('FIPS is on');
    } else if (!isKnown(type, options)) {
      counter.handBack('first use');
    } else {
      return request;
    }
  }
  return undefined;
}

/** Whether the public half is asked for as JWK, which the host alone writes. */
function isForJwk(options: object): boolean {
  const encoding = plainProperty(options, 'publicKeyEncoding');
  return typeof encoding === 'object' && encoding !== null && !isProxy(encoding) && plainProperty(encoding, 'format') === 'jwk';
}

/** The name of the curve in an object of options, where it is plain data. */
function curveOf(options: unknown): string | undefined {
  if (typeof options !== 'object' || options === null || isProxy(options)) return undefined;
  const curve = plainProperty(options, 'namedCurve');
  return typeof curve === 'string' ? curve : undefined;
}

function readRequest(form: Form, options: object): Request | undefined {
  let publicEncoding: KeyEncoding | undefined;
  let privateEncoding: KeyEncoding | undefined;
  const isCurve = form.namedCurve !== undefined;
  const names = ownKeys(options);
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as PropertyKey;
    const property = getOwnPropertyDescriptor(options, name);
    if (property === undefined || !hasOwn(property, 'value')) return undefined;
    const value: unknown = property.value;
    if (value === undefined || (name === 'namedCurve' && isCurve)) continue;
    if (name === 'publicKeyEncoding') {
      publicEncoding = readEncoding(value);
      if (publicEncoding?.type !== 'spki') return undefined;
    } else if (name === 'privateKeyEncoding') {
      privateEncoding = readEncoding(value);
      if (privateEncoding?.type !== 'pkcs8' && (privateEncoding?.type !== 'sec1' || !isCurve)) return undefined;
    } else if (name !== 'paramEncoding' || value !== 'named' || !isCurve) {
      return undefined;
    }
  }
  return { form, publicEncoding, privateEncoding };
}

function readEncoding(encoding: unknown): KeyEncoding | undefined {
  if (typeof encoding !== 'object' || encoding === null || isProxy(encoding)) return undefined;
  if (!isPlain(encoding) || !isOptions(encoding)) return undefined;
  let format: unknown;
  let type: unknown;
  const names = ownKeys(encoding);
  for (let at = 0; at < names.length; at++) {
    const property = getOwnPropertyDescriptor(encoding, names[at] as PropertyKey);
    if (property === undefined || !hasOwn(property, 'value')) return undefined;
    if (names[at] === 'format') format = property.value;
    else if (names[at] === 'type') type = property.value;
    else if (property.value !== undefined) return undefined;
  }
  if (format !== 'pem' && format !== 'der') return undefined;
  return type === 'spki' || type === 'pkcs8' || type === 'sec1' ? { isPem: format === 'pem', type } : undefined;
}

/** The form that such arguments ask for, if plain options say it. */
function formFor(type: unknown, options: unknown): Form | undefined {
  if (typeof type !== 'string') return undefined;
  if (type !== 'ec') return formsByType.get(type);
  const curve = curveOf(options);
  return curve === undefined ? undefined : formsByCurve.get(curve);
}

/** Whether the host has made such a pair before. */
function isKnown(type: string, options: object): boolean {
  return (type === 'ec' ? knownCurves.get(curveOf(options) ?? '') : knownTypes.get(type)) === true;
}

function remember(type: unknown, options: unknown): void {
  if (formFor(type, options) === undefined || isKnown(type as string, options as object)) return;
  if (type === 'ec') knownCurves.set(curveOf(options) as string, true);
  else knownTypes.set(type as string, true);
}

/** What the host writes of such keys; `undefined` where it is not what is expected. */
function templateOf(form: Form): Template | undefined {
  if (form.template === undefined) {
    form.template = null;
    form.template = makeTemplate(form) ?? null;
  }
  return form.template ?? undefined;
}

/** A template of a pair of the host's own, if the engine finds the same public half for its secret. */
function makeTemplate(form: Form): Template | undefined {
  const spki = sampleOf(form, 'pkcs8');
  if (spki === undefined) return undefined;
  const publicAt = typedArrayLength(spki.publicDer) - form.publicLength;
  const pkcs8 = writtenOf(form, spki);
  typedArrayFill(spki.publicDer, 0, publicAt, publicAt + form.publicLength);
  let sec1: Written | undefined;
  if (form.namedCurve !== undefined) {
    const sample = sampleOf(form, 'sec1');
    sec1 = sample === undefined ? undefined : writtenOf(form, sample);
    if (sec1 === undefined) return undefined;
  }
  return pkcs8 === undefined ? undefined : { pkcs8, sec1, spki: spki.publicDer };
}

interface Sample {
  readonly publicDer: Uint8Array;
  readonly privateDer: Uint8Array;
}

/** A pair of the host's that is used for nothing else. */
function sampleOf(form: Form, type: 'pkcs8' | 'sec1'): Sample | undefined {
  const options = bare<unknown>();
  options['namedCurve'] = form.namedCurve;
  options['publicKeyEncoding'] = encodingOf('spki');
  options['privateKeyEncoding'] = encodingOf(type);
  try {
    const { publicKey, privateKey } = generate(form.type, options);
    return { publicDer: publicKey, privateDer: privateKey };
  } catch {
    return undefined;
  }
}

const generate = hostGenerateKeyPairSync as unknown as (
  type: string,
  options: object,
) => { publicKey: Uint8Array; privateKey: Uint8Array };

function encodingOf(type: string, isPem = false): object {
  const encoding = bare<unknown>();
  encoding['format'] = isPem ? 'pem' : 'der';
  encoding['type'] = type;
  return encoding;
}

/** Wipes the keys in a sample, once it was seen that they stand where they are expected. */
function writtenOf(form: Form, { publicDer, privateDer: der }: Sample): Written | undefined {
  const { secretLength, publicLength } = form;
  const length = typedArrayLength(der);
  const publicAt = typedArrayLength(publicDer) - publicLength;
  const secretAt = form.namedCurve === undefined ? length - secretLength : secretIn(der, length, secretLength);
  const isWhole = publicAt > 0 && secretAt > 0 && secretAt + secretLength <= length;
  const found = isWhole ? publicHalf(form, part(der, secretAt, secretAt + secretLength)) : false;
  const isRight =
    found &&
    isEndOf(publicDer, publicLength) &&
    (form.namedCurve === undefined || isEndOf(der, publicLength));
  if (found) wipeOutput(publicLength);
  if (!isRight) {
    typedArrayFill(der, 0, 0, length);
    return undefined;
  }
  typedArrayFill(der, 0, secretAt, secretAt + secretLength);
  if (form.namedCurve !== undefined) typedArrayFill(der, 0, length - publicLength, length);
  return { der, secretAt };
}

/** The place of the number in an `ECPrivateKey` (RFC 5915, section 3): behind version 1 and its own length. */
function secretIn(der: Uint8Array, length: number, secretLength: number): number {
  for (let at = 0; at + 5 < length; at++) {
    if (der[at] === 2 && der[at + 1] === 1 && der[at + 2] === 1 && der[at + 3] === 4 && der[at + 4] === secretLength) {
      return at + 5;
    }
  }
  return -1;
}

/** Whether the bytes end with the public half in the output. */
function isEndOf(der: Uint8Array, publicLength: number): boolean {
  const output = outputView(publicLength);
  const from = typedArrayLength(der) - publicLength;
  for (let at = 0; at < publicLength; at++) if (der[from + at] !== output[at]) return false;
  return true;
}

/** Puts a secret into the input, and says what it is. */
function putSecret(form: Form, secret: Uint8Array): void {
  occupy();
  typedArraySet(input, secret, 0);
  words[Word.Kind] = form.kind;
  words[Word.DataLength] = form.secretLength;
  words[Word.Encoding] = Encoding.Scratch;
}

/** Computes the public half into the output. */
function publicHalf(form: Form, secret: Uint8Array): boolean {
  putSecret(form, secret);
  native?.publicHalf();
  return words[Word.Status] === Status.Done && words[Word.OutputLength] === form.publicLength;
}

/** A pair that is being made: its private half lacks the public one yet. */
interface Draft {
  readonly request: Request;
  readonly template: Template;
  readonly written: Written;
  readonly der: Buffer<ArrayBuffer>;
}

/** On Node 20 the host reads this form in a third of the time. */
const hostReadsSec1Faster = process.versions.node.startsWith('20.');

/** Draws the secret; `undefined` where that cannot be. */
function draftOf(request: Request): Draft | undefined {
  const { form, privateEncoding } = request;
  const template = templateOf(form);
  if (template === undefined) return undefined;
  const isSec1 = privateEncoding === undefined ? hostReadsSec1Faster : privateEncoding.type === 'sec1';
  const written = isSec1 ? template.sec1 : template.pkcs8;
  if (written === undefined) return undefined;
  const { secretLength } = form;
  words[Word.OutputLength] = secretLength;
  native?.random();
  if (words[Word.Status] !== Status.Done) return undefined;
  const secret = outputView(secretLength);
  if (form.kind === Kind.P521) {
    // The order has 521 bits; what is not below it is refused (FIPS 186-5, appendix A.2.2).
    secret[0] = (secret[0] as number) & 1;
  } else if (form.kind === Kind.X25519) {
    // As the host writes it (RFC 7748, section 5).
    secret[0] = (secret[0] as number) & 248;
    secret[31] = ((secret[31] as number) & 127) | 64;
  }
  // Long enough to lie outside of V8's heap, where nothing moves it and it can be wiped.
  const der = new OwnedBuffer(written.der);
  typedArraySet(der, secret, written.secretAt);
  wipeOutput(secretLength);
  return { request, template, written, der };
}

function secretOf({ request, written, der }: Draft): Uint8Array {
  const { secretAt } = written;
  return part(der, secretAt, secretAt + request.form.secretLength);
}

/** Wipes a draft that nothing comes of. */
function forget({ der }: Draft): undefined {
  typedArrayFill(der, 0, 0, typedArrayLength(der));
}

type Pair = [publicKey: unknown, privateKey: unknown];

/**
 * Both halves as they were asked for; the public one is in the output. `undefined` where the host
 * does not take them, as where FIPS was switched on meanwhile.
 */
function finish(draft: Draft): Pair | undefined {
  try {
    return write(draft);
  } catch {
    forget(draft);
    return undefined;
  }
}

function write({ request, template, written, der }: Draft): Pair {
  const { form, publicEncoding, privateEncoding } = request;
  const { publicLength } = form;
  const spki = new OwnedBuffer(template.spki);
  typedArraySet(spki, outputView(publicLength), typedArrayLength(spki) - publicLength);
  const length = typedArrayLength(der);
  if (form.namedCurve !== undefined) typedArraySet(der, outputView(publicLength), length - publicLength);
  wipeOutput(publicLength);
  const isSec1 = written === template.sec1;
  let privateKey: unknown = der;
  if (privateEncoding === undefined) privateKey = read(hostCreatePrivateKey, der, isSec1 ? 'sec1' : 'pkcs8');
  else if (privateEncoding.isPem) privateKey = pem(isSec1 ? 'EC PRIVATE KEY' : 'PRIVATE KEY', der);
  if (privateKey !== der) typedArrayFill(der, 0, 0, length);
  let publicKey: unknown = spki;
  if (publicEncoding === undefined) {
    // The host's objects share one key, as they do where it made the pair.
    publicKey =
      privateEncoding === undefined
        ? (hostCreatePublicKey as (key: unknown) => unknown)(privateKey)
        : read(hostCreatePublicKey, spki, 'spki');
  } else if (publicEncoding.isPem) {
    publicKey = pem('PUBLIC KEY', spki);
  }
  return [publicKey, privateKey];
}

function read(hostCreate: unknown, der: Uint8Array, type: string): unknown {
  const options = bare<unknown>();
  options['key'] = der;
  options['format'] = 'der';
  options['type'] = type;
  return (hostCreate as (key: unknown) => unknown)(options);
}

/** RFC 7468, section 2. */
function pem(label: string, der: Uint8Array): string {
  const text = base64Text(der);
  let lines = '';
  for (let at = 0; at < text.length; at += 64) lines += `${slice(text, at, at + 64)}\n`;
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}

export function generateKeyPairSync(this: unknown, type: unknown, options?: unknown): unknown {
  const counter = counters.generateKeyPairSync;
  const request = requestOf(counter, type, options);
  if (request !== undefined) {
    const draft = draftOf(request);
    if (draft !== undefined) {
      const pair = publicHalf(request.form, secretOf(draft)) ? finish(draft) : forget(draft);
      if (pair !== undefined) {
        counter.served++;
        emptyHostErrors();
        return { publicKey: pair[0], privateKey: pair[1] };
      }
    }
    counter.handBack('engine refused');
  }
  const pair = handBack(hostGenerateKeyPairSync, this, arguments);
  remember(type, options);
  return pair;
}

function formOfJobs(): CallbackForm {
  return {
    type: 'KEYPAIRGENREQUEST',
    host: hostGenerateKeyPair,
    start: native?.publicHalfJob,
    position: 2,
    hasTwoAnswers: true,
    answer: (_status, more) => finish(more as Draft),
    again({ more, callback }: Pending) {
      forget(more as Draft);
      const { form, publicEncoding, privateEncoding } = (more as Draft).request;
      const options = bare<unknown>();
      options['namedCurve'] = form.namedCurve;
      if (publicEncoding !== undefined) {
        options['publicKeyEncoding'] = encodingOf(publicEncoding.type, publicEncoding.isPem);
      }
      if (privateEncoding !== undefined) {
        options['privateKeyEncoding'] = encodingOf(privateEncoding.type, privateEncoding.isPem);
      }
      return [form.type, options, callback];
    },
    Job: undefined,
  };
}

export function generateKeyPair(this: unknown, type: unknown, options: unknown, callback?: unknown): unknown {
  const counter = counters.generateKeyPair;
  const found = formFor(type, options);
  let result: unknown;
  if (found === undefined || callback === undefined) {
    counter.handBack(found === undefined ? 'algorithm' : 'options');
    result = handBack(hostGenerateKeyPair, this, arguments);
  } else {
    const { jobs } = found;
    if (mayStart(counter, jobs, callback)) {
      const request = requestOf(counter, type, options);
      if (request !== undefined) {
        if (isNew(jobs, callback)) counter.handBack('first use');
        else if (startPair(counter, request, callback)) return undefined;
      }
    }
    result = handBackForm(jobs, this, arguments);
  }
  remember(type, options);
  return result;
}

/** Gives such a pair to the pool to make; `false` where that cannot be. */
function startPair(counter: Counter, request: Request, callback: unknown): boolean {
  const { form } = request;
  const draft = draftOf(request);
  if (draft !== undefined) {
    putSecret(form, secretOf(draft));
    resetAsked();
    if (startJob(form.jobs, counter, callback, new GivenKey(), draft, form.secretLength)) return true;
    forget(draft);
  }
  counter.handBack('engine refused');
  return false;
}
