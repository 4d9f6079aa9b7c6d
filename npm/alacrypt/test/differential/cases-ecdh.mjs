/**
 * `ECDH` objects: what their owner, and a program around them, can do that the generated calls do not.
 */

import util from 'node:util';

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1'];
const NUMBER = Buffer.from('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'hex');
const OTHER = Buffer.from('0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'hex');

/** The object of a curve whose name was used before. */
function made(crypto, curve, number = NUMBER) {
  crypto.createECDH(curve);
  const object = crypto.createECDH(curve);
  if (number !== undefined) object.setPrivateKey(number);
  return object;
}

const hex = (value) => (value instanceof Uint8Array ? `${Buffer.from(value).toString('hex')} ${value.buffer.byteLength - value.byteLength} ${value.byteOffset}` : value);

export const cases = {
  'an ECDH before it has keys': {
    body({ crypto, attempt }) {
      for (const curve of CURVES) {
        const theirs = made(crypto, curve).getPublicKey();
        const uses = {
          getPublicKey: (own) => own.getPublicKey(),
          getPrivateKey: (own) => own.getPrivateKey(),
          computeSecret: (own) => own.computeSecret(theirs),
          setPublicKey: (own) => own.setPublicKey(theirs) === own,
          'zero as key': (own) => own.setPrivateKey(Buffer.alloc(32)) === own,
          'no key': (own) => own.setPrivateKey(Buffer.alloc(0)) === own,
          'a key that is too large': (own) => own.setPrivateKey(Buffer.alloc(66, 255)) === own,
        };
        for (const [label, use] of Object.entries(uses)) {
          const own = made(crypto, curve, undefined);
          attempt(`${curve} ${label}`, () => hex(use(own)));
          for (const [then, other] of Object.entries(uses)) attempt(`${curve} ${label}, then ${then}`, () => hex(other(own)));
          attempt(`${curve} ${label}, then a key`, () => hex(own.setPrivateKey(NUMBER).getPublicKey()));
          attempt(`${curve} ${label}, and a secret`, () => hex(own.computeSecret(theirs)));
        }
      }
    },
    // Bun and Deno are served none of this, and know fewer curves.
    only: 'node',
  },
  'an ECDH whose keys change': {
    body({ crypto, attempt, line }) {
      for (const curve of CURVES) {
        const theirs = made(crypto, curve, OTHER).getPublicKey();
        const own = made(crypto, curve);
        const wrong = Buffer.from(theirs);
        wrong[5] ^= 1;
        const infinity = Buffer.alloc(1);
        for (let round = 0; round < 3; round++) {
          const number = round === 1 ? OTHER : NUMBER;
          attempt(`${curve} set ${round}`, () => own.setPrivateKey(number) === own);
          for (let use = 0; use < 2; use++) {
            attempt(`${curve} a wrong point ${round}`, () => own.computeSecret(wrong));
            attempt(`${curve} the point at infinity ${round}`, () => own.computeSecret(infinity));
            attempt(`${curve} secret ${round}`, () => hex(own.computeSecret(theirs)));
            for (const form of [undefined, 'compressed', 'hybrid', 'uncompressed']) {
              attempt(`${curve} point ${form} ${round}`, () => hex(own.getPublicKey(null, form)));
              attempt(`${curve} secret with ${form} ${round}`, () => hex(own.computeSecret(made(crypto, curve, OTHER).getPublicKey(null, form))));
            }
            attempt(`${curve} number ${round}`, () => hex(own.getPrivateKey()));
          }
          attempt(`${curve} no key ${round}`, () => own.setPrivateKey(Buffer.alloc(100, 255)));
          attempt(`${curve} still ${round}`, () => hex(own.getPrivateKey()));
        }
        const again = made(crypto, curve);
        attempt(`${curve} another's point`, () => again.setPublicKey(theirs) === again);
        attempt(`${curve} with another's point`, () => hex(again.computeSecret(theirs)));
        attempt(`${curve} its point`, () => hex(again.getPublicKey()));
        attempt(`${curve} its number`, () => hex(again.getPrivateKey()));
        again.generateKeys();
        line(`${curve} agrees`, again.computeSecret(theirs).equals(made(crypto, curve, OTHER).computeSecret(again.getPublicKey())));
      }
    },
    only: 'node',
  },
  'a number with zeros in front': {
    body({ crypto, attempt }) {
      for (const curve of CURVES) {
        for (const zeros of [0, 1, 30, 40, 600]) {
          const own = made(crypto, curve, undefined);
          attempt(`${curve} ${zeros}`, () => hex(own.setPrivateKey(Buffer.concat([Buffer.alloc(zeros), Buffer.from([1, 2])])).getPrivateKey()));
          attempt(`${curve} ${zeros} point`, () => hex(own.getPublicKey(null, 'compressed')));
        }
      }
    },
    only: 'node',
  },
  'ECDH objects from outside': {
    body({ crypto, attempt, line }) {
      const { ECDH } = crypto;
      const own = made(crypto, 'prime256v1');
      line('inspected', util.inspect(own, { showHidden: true }));
      line('prototype', Object.getPrototypeOf(own) === ECDH.prototype);
      line('own', Reflect.ownKeys(own).map(String).join());
      const [symbol] = Object.getOwnPropertySymbols(own);
      line('handle', `${util.inspect(own[symbol])} ${Reflect.ownKeys(own[symbol]).length} ${own[symbol].constructor.name}`);
      line('descriptor', JSON.stringify({ ...Object.getOwnPropertyDescriptor(own, symbol), value: null }));
      line('functions', [crypto.createECDH, ECDH, ECDH.convertKey].map((one) => `${one.name} ${one.length} ${Object.hasOwn(one, 'prototype')}`).join());
      attempt('without a receiver', () => Reflect.apply(ECDH.prototype.getPrivateKey, undefined, []));
      attempt('another receiver', () => Reflect.apply(ECDH.prototype.getPrivateKey, {}, []));
      attempt('below', () => hex(Object.create(own).getPrivateKey()));
      attempt('by a proxy', () => hex(new Proxy(own, {}).getPublicKey()));
      attempt('cloned', () => Object.getPrototypeOf(structuredClone(own)) === Object.prototype);
      attempt('with another handle', () => {
        const other = crypto.createECDH('secp384r1');
        other[symbol] = own[symbol];
        return hex(other.getPrivateKey());
      });
      class Sub extends ECDH {}
      attempt('a subclass', () => hex(new Sub('prime256v1').setPrivateKey(NUMBER).getPublicKey()));
      const before = ECDH.prototype.getPublicKey;
      ECDH.prototype.getPublicKey = () => 'patched';
      attempt('a patched method', () => own.generateKeys());
      ECDH.prototype.getPublicKey = before;
      attempt('detached bytes', () => {
        const bytes = new Uint8Array(new ArrayBuffer(32)).fill(7);
        structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
        return own.setPrivateKey(bytes);
      });
      for (const View of [Uint8Array, Uint16Array, DataView, BigInt64Array]) {
        attempt(View.name, () => hex(own.setPrivateKey(new View(Uint8Array.from(NUMBER).buffer)).getPrivateKey()));
      }
      attempt('ArrayBuffer', () => hex(own.setPrivateKey(Uint8Array.from(OTHER).buffer).getPrivateKey()));
    },
    only: 'node',
  },
  'ECDH while FIPS comes and goes': {
    body({ crypto, attempt }) {
      const on = (body) => {
        crypto.setFips(true);
        try {
          return body();
        } finally {
          crypto.setFips(false);
        }
      };
      crypto.randomBytes(1);
      for (const curve of CURVES) {
        const theirs = made(crypto, curve, OTHER).getPublicKey();
        const own = made(crypto, curve);
        attempt(`${curve} point under FIPS`, () => on(() => hex(own.getPublicKey())));
        attempt(`${curve} number under FIPS`, () => on(() => hex(own.getPrivateKey())));
        attempt(`${curve} secret under FIPS`, () => on(() => hex(own.computeSecret(theirs))));
        attempt(`${curve} secret after`, () => hex(own.computeSecret(theirs)));
        attempt(`${curve} set under FIPS`, () => on(() => hex(made(crypto, curve, undefined).setPrivateKey(OTHER).getPublicKey())));
        const new_ = made(crypto, curve, undefined);
        attempt(`${curve} made before`, () => on(() => new_.generateKeys().length));
        attempt(`${curve} converted`, () => on(() => hex(crypto.ECDH.convertKey(theirs, curve, undefined, undefined, 'compressed'))));
      }
    },
    only: 'node',
    fresh: true,
    since: { major: 24, reason: 'these lines may abort at their end, with and without the hook' },
  },
  'more ECDH objects than there is room for': {
    async body({ crypto, line, turn }) {
      const theirs = made(crypto, 'secp256k1').getPublicKey();
      const kept = Array.from({ length: 8300 }, (_, at) => {
        const own = crypto.createECDH('secp256k1');
        own.setPrivateKey(Buffer.from(String(at + 1).padStart(64, '0'), 'hex'));
        return own;
      });
      const all = () => line('points', crypto.createHash('sha256').update(kept.map((own) => own.getPublicKey('hex')).join()).digest('hex'));
      all();
      for (const at of [0, 8191, 8192, 8299]) line(`secret ${at}`, kept[at].computeSecret(theirs, null, 'hex'));
      // What is dropped makes room, and the others keep what is theirs.
      for (let round = 0; round < 3; round++) {
        kept.splice(0, 1000);
        globalThis.gc?.();
        await turn();
        for (let at = 0; at < 500; at++) kept.push(made(crypto, 'secp256k1', Buffer.from([round + 1, at >> 8, at & 255, 1])));
        all();
      }
    },
    only: 'node',
    fresh: true,
  },
};
