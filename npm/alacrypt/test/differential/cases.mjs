/**
 * Cases with a history: reports of users, and what drop-in replacements tend to miss. Each runs on
 * both sides; `right` holds what is known of the answer, by Node's major version where those
 * differ. A case that is `fresh` has a process of its own.
 */

import { cases as shapes } from './cases-shape.mjs';
import { cases as sweeps, hasMac } from './cases-sweep.mjs';
import { cases as streams } from './cases-stream.mjs';
import { cases as fips } from './cases-fips.mjs';
import { cases as ciphers } from './cases-ciphers.mjs';
import { cases as ecdh } from './cases-ecdh.mjs';
import { cases as keys } from './cases-keys.mjs';
import { cases as keysAround } from './cases-keys-around.mjs';
import { cases as keysOdd } from './cases-keys-odd.mjs';
import { cases as keysRsa } from './cases-keys-rsa.mjs';
import { cases as keyPairs } from './cases-key-pairs.mjs';

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * @typedef {object} Case
 * @property {(tools: any) => void | Promise<void>} body
 * @property {boolean} [fresh]
 * @property {boolean} [oracle] needs the host's own functions, kept from before the hook
 * @property {string} [only] the one runtime that it makes sense on
 * @property {{ major: number, reason: string }} [since] Node's first line that it can run on; it has to be `fresh`
 * @property {Record<number, string>} [expectedFailure] by major version, why it is known to differ
 * @property {Record<string, string | RegExp | Record<string, string | RegExp>>} [right]
 */

/** @type {Record<string, Case>} */
const reports = {
  'extendable output without a length': {
    body({ crypto, line, attempt }) {
      line('shake128', String(crypto.createHash('shake128').update('marmalade').digest().length));
      line('shake256', String(crypto.createHash('shake256').update('marmalade').digest().length));
      attempt('value', () => crypto.createHash('shake128').update('marmalade').digest('hex'));
    },
    only: 'node',
    right: { shake128: '16', shake256: '32' },
  },
  'copy after digest': {
    body({ crypto, attempt }) {
      for (const name of ['sha256', 'sha3-256', 'shake128']) {
        const hash = crypto.createHash(name, name === 'shake128' ? { outputLength: 20 } : undefined).update('a');
        hash.digest();
        attempt(name, () => hash.copy());
        attempt(`${name} update`, () => hash.update('late'));
        attempt(`${name} digest`, () => hash.digest());
      }
    },
    right: { sha256: /ERR_CRYPTO_HASH_FINALIZED/, 'sha3-256': /ERR_CRYPTO_HASH_FINALIZED/, 'sha256 digest': /ERR_CRYPTO_HASH_FINALIZED/ },
  },
  'a second Hmac.digest gives nothing': {
    body({ crypto, attempt }) {
      const key = crypto.createSecretKey(Buffer.from('k'));
      for (const [label, secret] of [['text', 'k'], ['bytes', Buffer.from('k')], ['first use', key], ['second use', key], ['third use', key]]) {
        const hmac = crypto.createHmac('sha256', secret).update('x');
        attempt(`${label} first`, () => hmac.digest('hex'));
        attempt(`${label} again as text`, () => hmac.digest('hex'));
        attempt(`${label} again`, () => hmac.digest());
        attempt(`${label} update`, () => hmac.update('y'));
      }
    },
    right: {
      'text first': /^"[0-9a-f]{64}"$/,
      'text again as text': '""',
      'text again': 'Buffer[0]@0/0 buffer ',
      'third use again as text': '""',
    },
    only: 'node',
  },
  'latin1 in and out, under its old name': {
    body({ crypto, line, attempt }) {
      const text = crypto.createHash('sha1').update('été', 'binary').digest('binary');
      line('bytes', Buffer.from(text, 'binary').toString('hex'));
      attempt('latin1', () => crypto.createHash('sha1').update('été', 'latin1').digest('latin1'));
    },
    right: { bytes: /^a041a6ab28249844/ },
  },
  'a detached view counts as empty': {
    body({ crypto, attempt }) {
      const detached = (Type) => {
        const memory = new ArrayBuffer(8);
        const view = new Type(memory);
        structuredClone(memory, { transfer: [memory] });
        return view;
      };
      for (const Type of [Uint8Array, Int16Array, DataView]) {
        attempt(`hash ${Type.name}`, () => crypto.hash?.('sha256', detached(Type)));
        attempt(`createHash ${Type.name}`, () => crypto.createHash('sha256').update(detached(Type)).digest('hex'));
        attempt(`createHmac ${Type.name}`, () => crypto.createHmac('sha256', detached(Type)).update(detached(Type)).digest('hex'));
        attempt(`randomFillSync ${Type.name}`, () => crypto.randomFillSync(detached(Type)).constructor.name);
      }
    },
    right: { 'createHash Uint8Array': `"${EMPTY_SHA256}"` },
  },
  'bounds of randomInt and randomBytes': {
    body({ crypto, attempt }) {
      attempt('0 to 1', () => crypto.randomInt(0, 1));
      attempt('-1', () => crypto.randomInt(-1));
      attempt('none', () => crypto.randomInt());
      attempt('too far', () => crypto.randomInt(0, 2 ** 48));
      attempt('empty', () => crypto.randomInt(3, 3));
      attempt('65537 bytes', () => crypto.randomBytes(65_537).length);
      attempt('2^31 bytes', () => crypto.randomBytes(2 ** 31));
      attempt('2^32 + 16 bytes', () => crypto.randomBytes(2 ** 32 + 16));
      attempt('no bytes', () => crypto.randomBytes(0));
    },
    right: { '0 to 1': '0', '65537 bytes': '65537', '2^31 bytes': /ERR_OUT_OF_RANGE/, '2^32 + 16 bytes': /ERR_OUT_OF_RANGE/ },
  },
  'empty keys are legal': {
    body({ crypto, attempt }) {
      attempt('text', () => crypto.createHmac('sha256', '').update('x').digest('hex'));
      attempt('bytes', () => crypto.createHmac('sha256', Buffer.alloc(0)).update('x').digest('hex'));
      attempt('key', () => {
        const key = crypto.createSecretKey(Buffer.alloc(0));
        return [1, 2, 3].map(() => crypto.createHmac('sha256', key).update('x').digest('hex'));
      });
    },
    right: { text: /^"[0-9a-f]{64}"$/ },
  },
  'more than 2^31 bytes': {
    body({ crypto, attempt, line }) {
      let huge;
      try {
        // Never touched, so that it takes no memory.
        huge = new Uint8Array(2 ** 31 + 5);
      } catch (error) {
        line('no such array', error.message);
        return;
      }
      attempt('createHash', () => crypto.createHash('sha256').update(huge).digest('hex'));
      attempt('createHash after data', () => crypto.createHash('sha256').update('x').update(huge));
      attempt('createHmac', () => crypto.createHmac('sha256', 'k').update(huge).digest('hex'));
      attempt('as a key', () => crypto.createHmac('sha256', huge));
      attempt('randomFillSync of a part', () => crypto.randomFillSync(huge, 2 ** 31, 4) === huge);
    },
    only: 'node',
    right: { createHash: /ERR_OUT_OF_RANGE.*data is too long/, createHmac: /ERR_OUT_OF_RANGE.*data is too long/ },
  },
  'lengths of extendable output': {
    body({ crypto, attempt }) {
      for (const outputLength of [0, 1, 16, 32, 33, 1024, 1025, -1, 1.5, '16', null, 2 ** 32]) {
        attempt(`createHash ${outputLength}`, () => crypto.createHash('shake256', { outputLength }).update('x').digest('hex'));
        attempt(`hash ${outputLength}`, () => crypto.hash?.('shake256', 'x', { outputLength }));
        attempt(`sha256 ${outputLength}`, () => crypto.createHash('sha256', { outputLength }).update('x').digest('hex'));
        attempt(`hash sha256 ${outputLength}`, () => crypto.hash?.('sha256', 'x', { outputLength }));
      }
      const parent = crypto.createHash('shake128', { outputLength: 5 }).update('x');
      attempt('copy has the default length', () => parent.copy().digest().length);
      attempt('copy with a length', () => parent.copy({ outputLength: 9 }).digest('hex'));
      attempt('copy with length 0', () => parent.copy({ outputLength: 0 }).digest('hex'));
      attempt('copy of sha256 with a length', () => crypto.createHash('sha256').copy({ outputLength: 9 }));
      attempt('copy of sha256 with its length', () => crypto.createHash('sha256').update('a').copy({ outputLength: 32 }).digest('hex'));
    },
    only: 'node',
  },
  'encodings that are none': {
    body({ crypto, attempt }) {
      const boom = { toString() { throw new RangeError('from toString'); } };
      attempt('digest', () => crypto.createHash('sha256').digest(boom));
      attempt('hmac digest', () => crypto.createHmac('sha256', 'k').digest(boom));
      const after = crypto.createHash('sha256').update('a');
      attempt('throws', () => after.digest(boom));
      attempt('and is still open', () => after.update('b').digest('hex'));
      attempt('odd hex', () => crypto.createHash('sha256').update('abc', 'hex').digest('hex'));
      attempt('cut hex', () => crypto.createHash('sha256').update('abzzcd', 'hex').digest('hex'));
      attempt('encoding of a buffer', () => crypto.createHash('sha256').update(Buffer.from('abc'), 'hex').digest('hex'));
      for (let number = -2; number < 12; number++) {
        attempt(`number ${number}`, () => crypto.createHash('sha256').update('6162', number).digest('hex'));
        attempt(`number ${number} out`, () => crypto.createHash('sha256').digest(number));
        attempt(`hash, number ${number}`, () => crypto.hash?.('sha256', 'x', number));
      }
    },
    right: { 'odd hex': /ERR_INVALID_ARG_VALUE/ },
  },
  'one key for several algorithms': {
    body({ crypto, line }) {
      const key = crypto.createSecretKey(Buffer.from('a key for all of them'));
      const names = ['sha256', 'sha1', 'md5', 'sha512', 'sha3-256', 'blake2b512', 'ripemd160', 'sha384', 'SHA256'].filter((name) => hasMac(crypto, name));
      for (let round = 0; round < 4; round++) {
        for (const name of names) line(`${name} ${round}`, crypto.createHmac(name, key).update(`round ${round}`).digest('hex'));
      }
      const live = names.map((name) => crypto.createHmac(name, key));
      for (const hmac of live) hmac.update(Buffer.from('side '));
      for (const hmac of live) hmac.update('by side');
      live.forEach((hmac, at) => line(`side by side ${names[at]}`, hmac.digest('hex')));
    },
  },
  'a key that its owner changes': {
    body({ crypto, line }) {
      const secret = Buffer.from('first secret');
      const sign = () => crypto.createHmac('sha256', secret).update('x').digest('hex');
      line('first', sign());
      line('again', sign());
      const open = crypto.createHmac('sha256', secret);
      secret.fill('other secret');
      line('changed', sign());
      line('made before', open.update('x').digest('hex'));
      const object = crypto.createSecretKey(secret);
      const fromObject = () => crypto.createHmac('sha256', object).update('x').digest('hex');
      line('object', fromObject());
      secret.fill(0);
      line('object later', fromObject());
      line('object at last', fromObject());
    },
  },
  'a key object that says it is another type': {
    body({ crypto, attempt }) {
      const key = crypto.createSecretKey(Buffer.from('k'));
      Object.defineProperty(key, 'type', { value: 'public' });
      for (let use = 0; use < 3; use++) attempt(`use ${use}`, () => crypto.createHmac('sha256', key).update('x').digest('hex'));
      // Also one that was used before, and has a keyed state.
      const other = crypto.createSecretKey(Buffer.from('k'));
      const mac = () => crypto.createHmac('sha256', other).update('x').digest('hex');
      for (let use = 0; use < 5; use++) attempt(`other ${use}`, mac);
      Object.defineProperty(other, 'type', { value: 'public', configurable: true });
      attempt('other, another type', mac);
      delete other.type;
      attempt('other, as before', mac);
    },
    only: 'node',
  },
  'many keys': {
    body({ crypto, line }) {
      // More than there is room for keyed states.
      const keys = Array.from({ length: 9000 }, (_, at) => crypto.createSecretKey(Buffer.from(`key ${at}`)));
      let sum = '';
      for (let round = 0; round < 3; round++) {
        for (const key of keys) sum = crypto.createHmac('sha1', key).update(sum).digest('hex');
      }
      line('sum', sum);
    },
    only: 'node',
  },
  'keys that are dropped': {
    async body({ crypto, line, turn }) {
      let sum = '';
      for (let round = 0; round < 20; round++) {
        for (let at = 0; at < 600; at++) {
          const key = crypto.createSecretKey(Buffer.from(`key ${round} ${at}`));
          for (let use = 0; use < 3; use++) sum = crypto.createHmac('sha1', key).update(sum).digest('hex');
        }
        globalThis.gc?.();
        await turn();
      }
      line('sum', sum);
    },
    only: 'node',
  },
};

export const CASES = { ...reports, ...ciphers, ...sweeps, ...shapes, ...streams, ...fips, ...keys, ...keysAround, ...keysOdd, ...keysRsa, ...keyPairs, ...ecdh };

/** The label of a line that says that a case broke off. */
export const THREW = 'the case broke off';
