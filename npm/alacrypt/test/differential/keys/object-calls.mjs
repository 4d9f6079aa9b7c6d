/**
 * `createPublicKey`, `createPrivateKey`, `createSecretKey`, and what a `KeyObject` can do.
 */

import util from 'node:util';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

import { namePrototype, show, showView } from '../canonical.mjs';
import { crypto } from '../host.mjs';
import { encodedText, encoding, odd, text, view } from '../values.mjs';
import { bytesAs, fixedMessage } from './bytes.mjs';
import { keyForm } from './forms.mjs';
import { keyArgument, optionsObject, wantsNoDigest } from './options.mjs';
import { attempt, keyFor, oracle, pool, weightedKeys } from './pool.mjs';
import { shape, showSignature, trueSignature } from './signatures.mjs';
import { overwrite } from './ways.mjs';

const samples = { public: pool.get('ed25519').object('public'), private: pool.get('ed25519').object('private'), secret: crypto.createSecretKey(Buffer.alloc(1)) };
for (const [name, sample] of Object.entries(samples)) namePrototype(Object.getPrototypeOf(sample), `${name} KeyObject`);

const ANY = weightedKeys(Object.fromEntries([...pool.keys()].map((name) => [name, { p256: 40, ed25519: 40, rsa2048: 30, rsa1024: 20, p256b: 15, ed25519b: 15, rsa2048b: 10, secp256k1: 12, x25519: 12, p384: 12, mldsa65: 8 }[name] ?? 3])));

/** Everything about a `KeyObject` that a caller can see but its class's methods. */
export function showKeyObject(object) {
  if (!(object instanceof crypto.KeyObject)) return show(object);
  const parts = [show(object), object.type, Object.prototype.toString.call(object), `is KeyObject ${util.types.isKeyObject(object)}`];
  if (object.type === 'secret') return [...parts, object.symmetricKeySize, show(object.export())].join(' ');
  const inside = attempt(() => oracle.exportKey(object, { format: 'der', type: object.type === 'public' ? 'spki' : 'pkcs8' }));
  // Under FIPS older lines abort when they are asked for the details of an RSA key.
  return [...parts, object.asymmetricKeyType, attempt(() => details(object)) ?? 'no details told', inside === undefined ? 'not exported' : showView(inside)].join(' ');
}

function details(object) {
  const found = object.asymmetricKeyDetails;
  return found === undefined ? 'no details' : `${show(found)} ${Object.values(found).map((value) => show(value)).join()}`;
}

function keep(machine, object, key) {
  if (util.types.isKeyObject(object)) machine.shelve('key', object, { key });
}

function live(machine, rng) {
  const row = machine.shelf.key ?? [];
  if (row.length > 0 && rng.chance(0.9)) return rng.pick(row);
  const key = keyFor(machine, rng, 'key', ANY);
  const side = rng.pick(key.sides);
  return machine.shelve('key', rng.chance(0.5) ? key.object(side) : key.fresh(side), { key });
}

function create(machine, rng, name, side) {
  const key = keyFor(machine, rng, 'key', ANY);
  // A public key is made from texts of all kinds; what is no key at all is tried first by some.
  const form = keyForm(machine, rng, key, side, { weights: { broken: 20, object: 10, pem: 30, pemBytes: 12, der: 16, jwk: 18 } });
  const argument = keyArgument(machine, rng, form);
  const object = machine.call(rng, `${name}(${argument.label})`, () => (rng.chance(0.97) ? crypto[name](argument.value) : Reflect.apply(crypto[name], null, [argument.value, 'more'])), showKeyObject);
  if (rng.chance(0.5)) overwrite(form.mine);
  keep(machine, object, form.doubtful ? undefined : form.actual);
}

const TYPES = ['spki', 'pkcs1', 'pkcs8', 'sec1'];
const FORMATS = ['pem', 'der', 'jwk', 'raw-public', 'raw-private', 'raw-seed'];

function exportOptions(machine, rng, { object, key }) {
  const kind = rng.weighted({ right: 60, encrypted: 8, any: 14, none: 2, odd: 3, decorated: 8 });
  const rightType = () => rng.pick(key?.types(object.type) ?? ['spki', 'pkcs8']);
  // A key that Node has no name for, exported without a type: its native code aborts.
  if (object.type !== 'secret' && object.asymmetricKeyType === undefined) {
    const value = { format: rng.pick(['pem', 'der']), type: rightType() };
    return { value, label: JSON.stringify(value), fields: value };
  }
  const fields = { format: rng.pick(['pem', 'pem', 'der', 'der', 'jwk', 'raw-public', 'raw-private', 'raw-seed']) };
  if (fields.format === 'pem' || fields.format === 'der') fields.type = rightType();
  if (fields.format === 'raw-public' && rng.chance(0.5)) fields.type = rng.pick(['compressed', 'uncompressed', 'hybrid']);
  if (kind === 'none') return { value: undefined, label: 'nothing', fields: {} };
  if (kind === 'odd') return { ...odd(rng), fields: {} };
  if (kind === 'any') {
    fields.format = rng.chance(0.9) ? rng.pick(FORMATS) : rng.pick(['PEM', 'buffer', null, 5, '']);
    fields.type = rng.chance(0.9) ? rng.pick(TYPES) : rng.pick(['compressed', null, 5, 'SPKI', undefined]);
  }
  if (kind === 'encrypted' || (kind === 'any' && rng.chance(0.3))) {
    fields.cipher = rng.chance(0.8) ? rng.pick(['aes-256-cbc', 'aes-128-cbc', 'des-ede3-cbc', 'AES-256-CBC', 'aes256']) : rng.pick(['nope', 'aes-256-gcm', null, 5, undefined, '']);
    fields.passphrase = rng.chance(0.8) ? rng.pick(['secret', Buffer.from('secret'), 'ü'.repeat(9)]) : rng.pick(['', null, 5, undefined, 'x'.repeat(1100)]);
  }
  // Writing an SM2 key as SEC 1 makes Node 20 abort.
  if (fields.type === 'sec1' && (key === undefined || key.name === 'sm2')) fields.type = 'pkcs8';
  const label = JSON.stringify(fields, (_name, value) => (typeof value === 'string' && value.length > 20 ? `${value.length}` : value));
  if (kind !== 'decorated') return { value: fields, label, fields };
  const made = optionsObject(rng, fields, machine.note);
  return { value: made.value, label: `${label}${made.label}`, fields };
}

/** An export, exact unless it is encrypted: then what it is and whether it opens. */
function showExport(exported, fields) {
  const isBytes = ArrayBuffer.isView(exported);
  if (fields.cipher === undefined || fields.cipher === null || !(isBytes || typeof exported === 'string')) return isBytes ? showView(exported) : typeof exported === 'object' ? `${show(exported)} ${JSON.stringify(exported)}` : show(exported);
  const head = isBytes ? `bytes ${exported.byteOffset} ${exported.buffer.byteLength - exported.length}` : show(exported.split('\n').filter((line) => /^(-----|Proc-Type)/.test(line)).join());
  const opened = attempt(() => oracle.createPrivateKey({ key: exported, format: fields.format, ...(isBytes ? { type: fields.type } : {}), passphrase: fields.passphrase }));
  return `${head} ${exported.length} opens ${opened !== undefined && showKeyObject(opened)}`;
}

export const calls = {
  createPublicKey: (machine, rng) => create(machine, rng, 'createPublicKey', 'public'),
  createPrivateKey: (machine, rng) => create(machine, rng, 'createPrivateKey', 'private'),

  createSecret(machine, rng) {
    const size = rng.pick([0, 1, 16, 32, 64, 255, 1000]);
    const kind = rng.weighted({ bytes: 8, view: 4, text: 6, encoded: 4, key: 1, odd: 2 });
    const name = kind === 'encoded' ? encoding(rng) : rng.chance(0.1) ? encoding(rng) : { value: undefined, label: '' };
    const drawn =
      kind === 'bytes' ? bytesAs(rng, rng.fill(new Uint8Array(size)))
      : kind === 'view' ? view(rng, size)
      : kind === 'text' ? text(rng, size)
      : kind === 'encoded' ? encodedText(rng, name.value)
      : kind === 'key' ? { value: live(machine, rng).object, label: 'KeyObject' }
      : odd(rng);
    const object = machine.call(rng, `createSecretKey(${drawn.label}, ${name.label})`, () => (name.value === undefined ? crypto.createSecretKey(drawn.value) : crypto.createSecretKey(drawn.value, name.value)), showKeyObject);
    if (ArrayBuffer.isView(drawn.value) && rng.chance(0.5)) overwrite(drawn.value);
    keep(machine, object, undefined);
  },

  keyExport(machine, rng) {
    const one = live(machine, rng);
    const drawn = exportOptions(machine, rng, one);
    machine.call(rng, `${one.name}.export(${drawn.label})`, () => (drawn.value === undefined && rng.chance(0.5) ? one.object.export() : one.object.export(drawn.value)), (exported) => showExport(exported, drawn.fields));
  },

  keyProperties(machine, rng) {
    const one = live(machine, rng);
    const name = rng.pick(['type', 'asymmetricKeyType', 'asymmetricKeyDetails', 'symmetricKeySize', 'inspect', 'keys', 'flags', 'string', 'json']);
    machine.call(rng, `${name} of ${one.name}`, () => {
      switch (name) {
        case 'asymmetricKeyDetails':
          return `${details(one.object)} same ${one.object.asymmetricKeyDetails === one.object.asymmetricKeyDetails}`;
        case 'inspect':
          return util.inspect(one.object, rng.pick([{}, { showHidden: true }, { depth: 4 }]));
        case 'keys':
          return Reflect.ownKeys(one.object).map(String).join();
        case 'flags':
          return `${Object.isExtensible(one.object)} ${one.object.constructor === crypto.KeyObject} ${one.object.constructor.name}`;
        case 'string':
          return String(one.object);
        case 'json':
          return JSON.stringify(one.object);
        default:
          return one.object[name];
      }
    });
  },

  keyEquals(machine, rng) {
    const one = live(machine, rng);
    const other = rng.chance(0.5) ? live(machine, rng) : undefined;
    const drawn =
      other !== undefined ? { value: other.object, label: other.name }
      : rng.chance(0.6) && one.key !== undefined ? { value: one.key.object(rng.pick(one.key.sides)), label: 'another of the same key' }
      : odd(rng);
    machine.call(rng, `${one.name}.equals(${drawn.label})`, () => one.object.equals(drawn.value));
  },

  keyCopy(machine, rng) {
    const one = live(machine, rng);
    const way = rng.pick(['structuredClone', 'port', 'from', 'inside']);
    const made = machine.call(rng, `${way} of ${one.name}`, () => {
      if (way === 'structuredClone') return structuredClone(one.object);
      if (way === 'inside') return structuredClone({ key: one.object, map: new Map([[1, one.object]]) }).map.get(1);
      if (way === 'from') return crypto.KeyObject.from(rng.chance(0.8) ? one.object.toCryptoKey({ name: 'Ed25519' }, true, ['sign']) : one.object);
      const { port1, port2 } = new MessageChannel();
      port1.postMessage(one.object);
      const { message } = receiveMessageOnPort(port2);
      port1.close();
      return message;
    }, showKeyObject);
    keep(machine, made, one.key);
  },

  keyToCryptoKey(machine, rng) {
    const one = live(machine, rng);
    const algorithm = rng.pick([{ name: 'ECDSA', namedCurve: 'P-256' }, { name: 'ECDH', namedCurve: 'P-256' }, 'Ed25519', 'X25519', { name: 'RSA-PSS', hash: 'SHA-256' }, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, { name: 'RSA-OAEP', hash: 'SHA-1' }, { name: 'HMAC', hash: 'SHA-256' }, 'AES-GCM', 'ML-DSA-65', 'nope', undefined]);
    const usages = rng.pick([['sign'], ['verify'], [], ['deriveBits'], ['encrypt', 'decrypt'], ['nope'], undefined]);
    machine.call(
      rng,
      `${one.name}.toCryptoKey(${JSON.stringify(algorithm)}, ${String(usages)})`,
      () => one.object.toCryptoKey(algorithm, rng.chance(0.5), usages),
      (made) => `${show(made)} ${made.type} ${made.extractable} ${JSON.stringify(made.algorithm, (_name, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value))} ${made.usages.join()}`,
    );
  },

  /** The same object once, twice, and more often: at some use it is known. */
  keyUse(machine, rng) {
    const one = live(machine, rng);
    const { object, key } = one;
    const digest = key !== undefined && wantsNoDigest(key) ? null : 'sha256';
    const times = rng.pick([1, 1, 2, 3, 5]);
    // Signatures of some kinds take too long.
    if (key?.family === 'slhdsa') return;
    for (let time = 0; time < times; time++) {
      const drawn = fixedMessage(rng);
      if (object.type === 'private') {
        machine.call(rng, `sign ${time} with ${one.name}`, () => crypto.sign(digest, drawn.value, object), (signature) => (key === undefined ? shape(signature) : showSignature(signature, { form: { actual: key }, fields: {}, digest, data: drawn.bytes })));
      } else {
        const signature = (key === undefined ? undefined : trueSignature(key, { digest, fields: {}, how: `use ${digest}`, drawn })) ?? Buffer.alloc(64);
        const given = rng.chance(0.8) ? signature : Buffer.alloc(signature.length, 1);
        machine.call(rng, `verify ${time} with ${one.name}`, () => crypto.verify(digest, drawn.value, object, given));
      }
    }
  },
};
