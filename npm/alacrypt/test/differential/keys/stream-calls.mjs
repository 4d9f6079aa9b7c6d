/**
 * `createSign` and `createVerify`: objects that take a message in pieces, by `update` or as streams.
 *
 * Beside each lives one of the host's of the other kind, which takes the same pieces: it verifies
 * what ours signs, and signs what ours verifies.
 */

import { Readable } from 'node:stream';
import util from 'node:util';

import { data, options } from '../arguments.mjs';
import { namePrototype, show, showError } from '../canonical.mjs';
import { crypto, hostFails } from '../host.mjs';
import { encoding, odd, plainView, text } from '../values.mjs';
import { bytesAs, plainBytes } from './bytes.mjs';
import { keyForm } from './forms.mjs';
import { digest, keyArgument, signatureOptions } from './options.mjs';
import { attempt, keyFor, oracle, weightedKeys } from './pool.mjs';
import { isDerEncoded, isMinimalDer, isRandomised, shape } from './signatures.mjs';
import { overwrite } from './ways.mjs';

const { Sign, Verify } = crypto;
namePrototype(Sign.prototype, 'Sign.prototype');
namePrototype(Verify.prototype, 'Verify.prototype');

/** As code finds them that looked them up once, after the hook had its turn. */
const kept = { update: Sign.prototype.update, verifyUpdate: Verify.prototype.update, sign: Sign.prototype.sign, verify: Verify.prototype.verify };

const KEYS = weightedKeys({
  p256: 40, p256b: 12, rsa2048: 25, rsa1024: 25, rsa1024b: 8, secp256k1: 15, p384: 8, p521: 3, pss2048: 8, pss2048sha256: 6, pss1024sha1: 4, dsa1024: 5, rsa512: 4, rsa2048e3: 4,
  rsa1025: 4, p224: 3, brainpool256: 2, sm2: 2, ed25519: 6, ed448: 2, x25519: 2, mldsa44: 3, dh14: 1, p256zeroX: 3, secp256k1zeroD: 3,
});
const RSA_DIGESTS = { name: 'rsa', family: 'rsa' };

function make(machine, rng, kind) {
  const Class = kind === 'sign' ? Sign : Verify;
  const name = digest(rng, RSA_DIGESTS);
  const given = rng.chance(0.85) ? { value: undefined, label: '' } : options(rng, machine.note);
  const form = rng.weighted({ plain: 30, receiver: 2, classNew: 3, classCall: 2, subclass: 2 });
  const create = kind === 'sign' ? crypto.createSign : crypto.createVerify;
  const object = machine.call(
    rng,
    `${kind === 'sign' ? 'createSign' : 'createVerify'}:${form}(${name.label}, ${given.label})`,
    () =>
      form === 'plain' ? (given.value === undefined ? create(name.value) : create(name.value, given.value))
      : form === 'receiver' ? Reflect.apply(create, null, [name.value, given.value, 'more'])
      : form === 'classNew' ? new Class(name.value, given.value)
      : form === 'classCall' ? Class(name.value, given.value)
      : new (class Sub extends Class {})(name.value, given.value),
    (value) => `${show(value)} ${value instanceof Class} ${value.constructor === Class}`,
  );
  keep(machine, kind, object, name.value);
}

function keep(machine, kind, object, name) {
  const shadow = attempt(() => (kind === 'sign' ? oracle.createVerify(name) : oracle.createSign(name)));
  shadow?.on('error', () => {});
  return machine.shelve(kind, object, { kind, shadow });
}

/** A live object, most often one of those made last. */
function live(machine, rng, kind) {
  const row = machine.shelf[kind] ?? [];
  if (row.length > 0) return rng.pick(row);
  const name = rng.pick(['sha256', 'RSA-SHA256', 'sha512']);
  return keep(machine, kind, kind === 'sign' ? crypto.createSign(name) : crypto.createVerify(name), name);
}

/** Options of a signature that do not abort the host. */
function chosenOptions(rng, key) {
  const drawn = signatureOptions(rng, key);
  for (const [name, value] of Object.entries(drawn.fields)) if (hostFails.onMinusZeroOptions && Object.is(value, -0)) drawn.fields[name] = 0;
  return drawn;
}

const anyKind = (rng) => (rng.chance(0.5) ? 'sign' : 'verify');
const itself = (object) => (result) => (result === object ? 'itself' : show(result));

/** Does the same with the host's object; what it says is not compared. */
function shadowed({ shadow }, body) {
  if (shadow !== undefined) attempt(() => body(shadow));
}

function listen(one) {
  if (one.events !== undefined) return;
  one.events = [];
  for (const name of ['finish', 'close', 'error', 'prefinish', 'pipe', 'unpipe', 'drain']) {
    one.object.on(name, (argument) => one.events.push(name === 'error' ? showError(argument) : name));
  }
}

export const calls = {
  createSign: (machine, rng) => make(machine, rng, 'sign'),
  createVerify: (machine, rng) => make(machine, rng, 'verify'),

  signUpdate(machine, rng) {
    const kind = anyKind(rng);
    const one = live(machine, rng, kind);
    const drawn = data(rng);
    const method = rng.weighted({ own: 20, kept: 2, other: 1 });
    const update = method === 'own' ? one.object.update : method === 'kept' ? kept.update : kept.verifyUpdate;
    const args = drawn.encoding.value === undefined ? [drawn.value] : [drawn.value, drawn.encoding.value];
    machine.call(rng, `${one.name}.update:${method}(${drawn.label}, ${drawn.encoding.label})`, () => Reflect.apply(update, one.object, args), itself(one.object));
    shadowed(one, (shadow) => shadow.update(...args));
    if (rng.chance(0.3) && ArrayBuffer.isView(drawn.value)) overwrite(drawn.value);
  },

  /** The whole of the most common use in one go, with a key that is used often. */
  signChain(machine, rng) {
    const one = live(machine, rng, anyKind(rng));
    const piece = rng.chance(0.5) ? text(rng) : plainView(rng);
    machine.call(rng, `${one.name}.update(${piece.label}) and its end`, () => one.object.update(piece.value), itself(one.object));
    shadowed(one, (shadow) => shadow.update(piece.value));
    return calls[one.kind === 'sign' ? 'signFinish' : 'verifyFinish'](machine, rng, one);
  },

  signFinish(machine, rng, given) {
    const one = given ?? live(machine, rng, 'sign');
    const key = keyFor(machine, rng, 'sign', KEYS);
    const form = keyForm(machine, rng, key, 'private');
    const argument = keyArgument(machine, rng, form, chosenOptions(rng, key));
    const output = rng.chance(0.6) ? { value: undefined, label: '' } : encoding(rng);
    const sign = rng.chance(0.95) ? one.object.sign : kept.sign;
    machine.call(
      rng,
      `${one.name}.sign(${argument.label}, ${output.label})`,
      () => (output.value === undefined && rng.chance(0.9) ? Reflect.apply(sign, one.object, [argument.value]) : Reflect.apply(sign, one.object, [argument.value, output.value])),
      (signature) => showFinished(signature, one, form, argument.fields, output.value),
    );
    spend(machine, rng, one);
    if (rng.chance(0.5)) overwrite(form.mine);
  },

  verifyFinish(machine, rng, given) {
    const one = given ?? live(machine, rng, 'verify');
    const key = keyFor(machine, rng, 'verify', KEYS);
    const form = keyForm(machine, rng, key, 'public');
    const argument = keyArgument(machine, rng, form, chosenOptions(rng, key));
    const right = attempt(() => oracle.signOf(one.shadow, { key: form.actual.object('private'), ...argument.fields }));
    const changed = changeOf(rng, right ?? Buffer.alloc(rng.pick([0, 64, 128, 256]), 3));
    const passed = passedAs(rng, changed.bytes);
    const args = passed.encoding === undefined ? [argument.value, passed.value] : [argument.value, passed.value, passed.encoding];
    const verify = rng.chance(0.95) ? one.object.verify : kept.verify;
    machine.call(rng, `${one.name}.verify(${argument.label}, ${right === undefined ? 'no signature' : 'signature'} ${changed.label} ${passed.label})`, () => Reflect.apply(verify, one.object, args));
    spend(machine, rng, one);
    if (rng.chance(0.5)) overwrite(form.mine);
  },

  async signStream(machine, rng) {
    const one = live(machine, rng, anyKind(rng));
    try {
      listen(one);
    } catch (error) {
      one.events = [];
      machine.record(`${one.name} listened to`, showError(error));
      return;
    }
    await streams[rng.weighted({ write: 30, end: 12, pipe: 6, wait: 10, state: 6, cork: 4, destroy: 1, direct: 3 })](machine, rng, one);
  },

  signInspect(machine, rng) {
    const one = live(machine, rng, anyKind(rng));
    const how = rng.pick([{}, { showHidden: true }, { depth: 0 }, { depth: 4 }]);
    machine.call(rng, `inspect(${one.name})`, () => util.inspect(one.object, how).replace(/\n\s*at .*/g, '').slice(0, 3000));
    machine.call(rng, `keys of ${one.name}`, () => Reflect.ownKeys(one.object).map(String).join());
  },

  signOddReceiver(machine, rng) {
    const one = live(machine, rng, anyKind(rng));
    const method = rng.pick(Object.keys(kept));
    const kinds = { undefined: () => undefined, object: () => ({}), prototype: () => Sign.prototype, heir: () => Object.create(one.object), proxy: () => new Proxy(one.object, {}), number: () => 5 };
    const receiver = rng.pick(Object.keys(kinds));
    const args = method === 'sign' ? [keyFor(machine, rng, 'sign', KEYS).object('private')] : method === 'verify' ? [keyFor(machine, rng, 'verify', KEYS).object('public'), Buffer.alloc(64)] : ['data'];
    machine.call(rng, `${method}.call(${receiver} of ${one.name})`, () => Reflect.apply(kept[method], kinds[receiver](), args), (result) => (ArrayBuffer.isView(result) ? shape(result) : typeof result));
    // An heir's call has changed what is inside.
    one.shadow = undefined;
  },
};

/** An object that has signed or verified refuses to do it again: mostly it is put away. */
function spend(machine, rng, one) {
  one.shadow = undefined;
  const row = machine.shelf[one.kind];
  if (rng.chance(0.85)) row.splice(row.indexOf(one), 1);
}

function showFinished(signature, one, form, fields, output) {
  if (form.doubtful) return shape(signature);
  const key = form.actual;
  if (!isRandomised(key, fields)) return show(signature);
  const isText = typeof signature === 'string';
  // Only what an encoding loses nothing of can be read back.
  const readable = !isText || ['hex', 'base64', 'base64url', 'latin1', 'binary'].includes(String(output).toLowerCase());
  if (!readable) return 'text';
  const bytes = isText ? Buffer.from(signature, output) : signature;
  const verified = one.shadow === undefined ? 'unknown' : attempt(() => oracle.verifyOf(one.shadow, { key: key.object('public'), ...fields }, bytes));
  return `${shape(signature)} ${isDerEncoded(key, fields) ? `DER ${isMinimalDer(bytes)}` : bytes.length} verified ${verified}`;
}

function changeOf(rng, right) {
  const kind = rng.weighted({ right: 30, flipped: 5, cut: 2, longer: 2, empty: 1 });
  const flipped = Buffer.from(right);
  if (flipped.length > 20) flipped[8 + rng.below(10)] ^= 1 << rng.below(8);
  const bytes = { right, flipped, cut: right.subarray(0, -1), longer: Buffer.concat([right, Buffer.alloc(1)]), empty: Buffer.alloc(0) }[kind];
  return { bytes, label: kind };
}

/** A signature as bytes, or as text with its encoding. */
function passedAs(rng, bytes) {
  const kind = rng.weighted({ plain: 12, any: 4, text: 8, wrongEncoding: 1, odd: 1 });
  if (kind === 'plain' || kind === 'any') {
    const drawn = (kind === 'plain' ? plainBytes : bytesAs)(rng, bytes);
    return { value: drawn.value, label: `as ${drawn.label.replace(/\(.*/, '')}`, encoding: rng.chance(0.1) ? 'hex' : undefined };
  }
  if (kind === 'odd') {
    const drawn = odd(rng);
    return { value: drawn.value, label: `as ${drawn.label}` };
  }
  const name = rng.pick(['hex', 'base64', 'base64url', 'latin1', 'binary', 'HEX']);
  const said = kind === 'text' ? name : rng.pick(['nope', 'utf8', 'hex', undefined]);
  return { value: bytes.toString(name), label: `as ${name}, said ${String(said)}`, encoding: said };
}

const streams = {
  write(machine, rng, one) {
    const drawn = data(rng, true);
    let { value } = drawn;
    if (hostFails.onOddHexWritten && typeof value === 'string' && value.length % 2 === 1) value += '0';
    const args = [value];
    if (rng.chance(0.5)) args.push(rng.chance(0.5) ? (drawn.encoding.value ?? 'utf8') : (...answers) => one.events.push(`written ${answers.map((answer) => show(answer)).join()}`));
    machine.call(rng, `${one.name}.write(${drawn.label}, ${drawn.encoding.label})`, () => one.object.write(...args));
    shadowed(one, (shadow) => shadow.write(...args.filter((argument) => typeof argument !== 'function')));
  },
  end(machine, rng, one) {
    const args = rng.chance(0.5) ? [] : [rng.chance(0.5) ? text(rng).value : plainView(rng).value];
    machine.call(rng, `${one.name}.end(${args.length})`, () => one.object.end(...args), itself(one.object));
    shadowed(one, (shadow) => shadow.end(...args));
  },
  async pipe(machine, rng, one) {
    const pieces = Array.from({ length: rng.below(4) }, () => Buffer.from(plainView(rng).value)).filter((piece) => piece.length > 0);
    machine.call(rng, `${pieces.length} pieces piped into ${one.name}`, () => Readable.from(pieces).on('error', () => {}).pipe(one.object) === one.object);
    shadowed(one, (shadow) => Readable.from(pieces).pipe(shadow));
    await turns(4);
  },
  async wait(machine) {
    await turns(1);
    machine.record('a turn', 'passed');
  },
  state(machine, rng, one) {
    const names = ['writable', 'writableLength', 'writableEnded', 'writableFinished', 'destroyed', 'writableHighWaterMark', 'errored', 'closed', 'writableNeedDrain', 'writableObjectMode'];
    machine.call(rng, `state of ${one.name}`, () => names.map((name) => `${name} ${show(one.object[name])}`).join());
  },
  cork(machine, rng, one) {
    const name = rng.pick(['cork', 'uncork']);
    machine.call(rng, `${one.name}.${name}()`, () => one.object[name]());
    shadowed(one, (shadow) => shadow[name]());
  },
  destroy(machine, rng, one) {
    machine.call(rng, `${one.name}.destroy()`, () => one.object.destroy(rng.chance(0.3) ? new Error('destroyed') : undefined), itself(one.object));
    shadowed(one, (shadow) => shadow.destroy());
  },
  direct(machine, rng, one) {
    const piece = rng.chance(0.5) ? 'text' : Buffer.from('bytes');
    machine.call(rng, `${one.name}._write`, () => one.object._write(piece, rng.pick(['utf8', 'buffer', 'hex']), () => one.events.push('_write called back')));
    one.shadow = undefined;
  },
};

async function turns(count) {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
