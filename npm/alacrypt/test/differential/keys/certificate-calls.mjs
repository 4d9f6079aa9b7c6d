/**
 * `X509Certificate`.
 */

import util from 'node:util';

import { namePrototype, show, showView } from '../canonical.mjs';
import { crypto } from '../host.mjs';
import { odd } from '../values.mjs';
import { bytesAs } from './bytes.mjs';
import { optionsObject } from './options.mjs';
import { certificates, other, pool } from './pool.mjs';
import { showKeyObject } from './object-calls.mjs';
import { overwrite } from './ways.mjs';

const { X509Certificate } = crypto;
namePrototype(X509Certificate.prototype, 'X509Certificate.prototype');

const NAMES = Object.keys(certificates);
const derOf = (pem) => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');

/** Everything that a certificate has, but its constructor: lines differ in what there is. */
const ACCESSORS = Reflect.ownKeys(X509Certificate.prototype).filter((name) => typeof Object.getOwnPropertyDescriptor(X509Certificate.prototype, name).get === 'function');
const HEAVY = ['toString', 'toJSON', 'toLegacyObject'];

function source(rng) {
  const name = rng.pick(NAMES);
  const { pem } = certificates[name];
  const der = derOf(pem);
  const kind = rng.weighted({ pem: 20, der: 14, pemBytes: 8, derAs: 6, after: 3, before: 3, cut: 4, flipped: 6, crlf: 2, oneLine: 1, key: 1, other: 2, odd: 2, trusted: 1, text: 1 });
  const flipped = Buffer.from(der);
  if (kind === 'flipped') flipped[rng.below(der.length)] ^= 1 << rng.below(8);
  switch (kind) {
    case 'derAs':
      return { ...bytesAs(rng, der), name, label: `${name} DER in some form` };
    case 'pemBytes':
      return { ...bytesAs(rng, Buffer.from(pem)), name, label: `${name} PEM in some form` };
    case 'cut': {
      const at = rng.below(der.length);
      return { value: rng.chance(0.5) ? der.subarray(0, at) : pem.slice(0, at), label: `${name} cut at ${at}` };
    }
    case 'odd':
      return odd(rng);
    default: {
      const values = {
        pem, der: Buffer.from(der), after: `subject=CN\n${pem}`, before: `${pem}${certificates.authority.pem}`, flipped, crlf: pem.replaceAll('\n', '\r\n'), oneLine: pem.replaceAll('\n', ''),
        key: pool.get('p256').pem('public', 'spki'), other: other[rng.pick(Object.keys(other))], trusted: pem.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'), text: rng.pick(['', 'no certificate', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n']),
      };
      return { value: values[kind], label: `${name} ${kind}`, name: ['pem', 'der', 'after', 'before', 'crlf'].includes(kind) ? name : undefined };
    }
  }
}

function live(machine, rng) {
  const row = machine.shelf.cert ?? [];
  if (row.length > 0 && rng.chance(0.95)) return rng.pick(row);
  const certificate = rng.pick(NAMES);
  return machine.shelve('cert', new X509Certificate(certificates[certificate].pem), { certificate });
}

/** Any value of a property; objects in full. */
function describe(value) {
  if (value instanceof X509Certificate) return `certificate ${value.fingerprint256}`;
  if (value instanceof crypto.KeyObject) return showKeyObject(value);
  if (ArrayBuffer.isView(value)) return showView(value);
  if (value instanceof Date) return `date ${value.getTime()}`;
  return typeof value === 'object' && value !== null ? util.inspect(value, { depth: 4, maxArrayLength: 400, breakLength: Infinity }).slice(0, 4000) : show(value);
}

const HOSTS = ['www.example.com', 'WWW.EXAMPLE.COM', 'a.example.org', 'a.b.example.org', 'example.org', 'foo.example.net', 'localhost', 'ed.example.com', 'k1.example.com', 'Authority', '', 'xn--a.example.org', 'www.example.com.', '.example.com', 'www.example.com\0', '192.0.2.7'];
const ADDRESSES = ['192.0.2.7', '192.0.2.8', '2001:db8::1', '2001:0db8:0:0:0:0:0:1', '::1', 'nope', '', '192.0.2.7 ', '192.0.2'];
const EMAILS = ['info@example.com', 'INFO@example.com', 'info@EXAMPLE.com', 'nobody@example.com', 'info', ''];

function checkOptions(machine, rng) {
  if (rng.chance(0.6)) return { args: [], label: '' };
  const fields = { [rng.pick(['subject', 'wildcards', 'partialWildcards', 'multiLabelWildcards', 'singleLabelSubdomains'])]: rng.pick([true, false, 'always', 'never', 'default', undefined, null, 5]) };
  const made = rng.chance(0.9) ? optionsObject(rng, fields, machine.note) : odd(rng);
  return { args: [made.value], label: `${JSON.stringify(fields)}${made.label}` };
}

export const calls = {
  x509(machine, rng) {
    const drawn = source(rng);
    const form = rng.weighted({ new: 40, call: 1, subclass: 1 });
    const object = machine.call(
      rng,
      `X509Certificate:${form}(${drawn.label})`,
      () => (form === 'new' ? new X509Certificate(drawn.value) : form === 'call' ? X509Certificate(drawn.value) : new (class Sub extends X509Certificate {})(drawn.value)),
      (made) => `${show(made)} ${made instanceof X509Certificate} ${made.fingerprint256}`,
    );
    if (ArrayBuffer.isView(drawn.value) && rng.chance(0.5)) overwrite(drawn.value);
    machine.shelve('cert', object, { certificate: drawn.name });
  },

  x509Property(machine, rng) {
    const one = live(machine, rng);
    const name = rng.pick(ACCESSORS);
    // Twice, since lines differ in whether it is the same object each time.
    machine.call(rng, `${String(name)} of ${one.name}`, () => {
      const value = one.object[name];
      return `${describe(value)} again ${Object.is(value, one.object[name])}`;
    });
  },

  x509Method(machine, rng) {
    const one = live(machine, rng);
    const name = rng.pick([...HEAVY, 'inspect', 'clone', 'keys']);
    machine.call(rng, `${name} of ${one.name}`, () => {
      if (name === 'inspect') return util.inspect(one.object, rng.pick([{}, { depth: 0 }, { showHidden: true }])).slice(0, 3000);
      if (name === 'clone') return describe(structuredClone(one.object));
      if (name === 'keys') return Reflect.ownKeys(one.object).map(String).join();
      return describe(one.object[name]());
    });
  },

  x509Check(machine, rng) {
    const one = live(machine, rng);
    const method = rng.pick(['checkHost', 'checkHost', 'checkEmail', 'checkIP']);
    const values = { checkHost: HOSTS, checkEmail: EMAILS, checkIP: ADDRESSES }[method];
    const value = rng.chance(0.95) ? rng.pick(values) : odd(rng).value;
    const given = checkOptions(machine, rng);
    machine.call(rng, `${one.name}.${method}(${show(value)}, ${given.label})`, () => one.object[method](value, ...given.args));
  },

  x509Verify(machine, rng) {
    const one = live(machine, rng);
    const stored = certificates[one.certificate];
    const kind = rng.weighted({ issuer: 20, own: 8, any: 8, private: 2, secret: 1, odd: 2, cryptoKey: 1 });
    const issuerKey = stored === undefined ? 'p256' : certificates[stored.issuer].key;
    const key = kind === 'issuer' ? pool.get(issuerKey) : kind === 'own' ? pool.get(stored?.key ?? 'p256') : pool.get(rng.pick(['rsa2048', 'rsa2048b', 'p256', 'p384', 'ed25519', 'ed448', 'secp256k1', 'dsa2048', 'pss2048sha256', 'x25519']));
    const drawn =
      kind === 'odd' ? odd(rng)
      : kind === 'secret' ? { value: crypto.createSecretKey(Buffer.alloc(8)), label: 'secret' }
      : kind === 'private' ? { value: key.object('private'), label: `${key.name} private` }
      : kind === 'cryptoKey' ? { value: Object.create(key.object('public')), label: `heir of ${key.name}` }
      : { value: rng.chance(0.7) ? key.object('public') : key.fresh('public'), label: key.name };
    const times = rng.pick([1, 1, 2, 4]);
    for (let time = 0; time < times; time++) machine.call(rng, `${one.name}.verify(${drawn.label}) ${time}`, () => one.object.verify(drawn.value));
  },

  x509Belongs(machine, rng) {
    const one = live(machine, rng);
    if (rng.chance(0.5)) {
      const drawn = rng.chance(0.9) ? live(machine, rng) : undefined;
      const value = drawn === undefined ? odd(rng).value : drawn.object;
      machine.call(rng, `${one.name}.checkIssued(${drawn?.name ?? 'odd'})`, () => one.object.checkIssued(value));
      return;
    }
    const key = rng.chance(0.6) ? pool.get(certificates[one.certificate]?.key ?? 'p256') : pool.get(rng.pick(['p256', 'rsa2048', 'ed25519', 'p384']));
    const side = rng.chance(0.9) ? 'private' : 'public';
    const value = rng.chance(0.95) ? key.object(side) : odd(rng).value;
    machine.call(rng, `${one.name}.checkPrivateKey(${key.name} ${side})`, () => one.object.checkPrivateKey(value));
  },
};
