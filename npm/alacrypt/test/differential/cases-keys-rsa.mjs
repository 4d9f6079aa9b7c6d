/**
 * RSA encryption: options where nobody would look for them, and decryptions that fail. A key is kept
 * from its second use on, so each call is made four times.
 */

import { readFileSync } from 'node:fs';

const { keys } = JSON.parse(readFileSync(new URL('../../../../vectors/key/pool.json', import.meta.url), 'utf8'));

const USES = 4;
const DATA = Buffer.from('some data');
const HEX = DATA.toString('hex');
/** `DATA` for the key `rsa2048`, with OAEP. What a host gets out of it by other paddings depends on each byte. */
const SEALED = Buffer.from('Lm2eOaAGPA5R0++NnPkeyCUIsAsCoEt65RmSENgYlL5Va8VbUFSkJD2b0c3zGSaOW8mdS34yviseXG2b5fHDDBb+Y5VagAMNUpxdpNbdlP/34m3H2DNQvdZsSl/JL/bijRFW2f9KlJqblmgQDojeiKsuxqKipx4f6IfP3Rk9J7NSpfj1MrFPYgTtzQ4NP8vozju30eqCA7dLZYy6KuSa9emXteJS6MAQ9uGuZhfVOR5Oh/YHz6X9voCB6eaUv9bumqKV5G1bzemBPbwhDvtOIKVqc8MVN+oJx7puO0Jydr4ylkkSQFvtWjZFcG5Z/dWQqeti7VkfI+W5ZjuOHtV/tw==', 'base64');
/** The same with `DATA` as the label too. */
const LABELLED = Buffer.from('aRLViiWaKf3jYD1khqqBenfON4+ELExROdNdsjk0vN8giMVmuRp2iJMRUo8d3DdOWpa2K2tnNsImKPm6/a3HL1kX52VHyGsS+xFFM2duiV7dx81gJ5dhslFIf0Snx5Emjdib982FkvJ+0WVzZsPu+RjkrUWFJhvn5K9As9odKr7s0SufjMFFQInm+1BgpakGPTm8AQgf3HQbVPR7VSPQZ3R1uP4oHJLJPNBc4yyphib2m17Mt2FfvZahOPIbUsfqRCAvSKaz/qKgPrpkUSfj6TUBZa0TD1pYQYx5OwP9q13nl2+e0ABs07ZBEOBkGhj1TscsUCble07y4sUcigeIlw==', 'base64');

const OPTIONS = [['oaepHash', 'sha256'], ['oaepHash', 'none'], ['oaepHash', 5], ['oaepHash', undefined], ['oaepLabel', DATA], ['oaepLabel', 5], ['mgf1Hash', 'sha256'], ['mgf1Hash', 5], ['encoding', 'hex'], ['encoding', 'none'], ['encoding', undefined], ['padding', 1], ['padding', 3]];

/** Keys that are text, bytes and objects, all of them new. */
function formsOf(crypto) {
  const privateKey = crypto.createPrivateKey(keys.rsa2048.private);
  const publicKey = crypto.createPublicKey(privateKey);
  const publicText = publicKey.export({ format: 'pem', type: 'spki' });
  return {
    objects: { own: privateKey, others: publicKey },
    bytes: { own: Buffer.from(keys.rsa2048.private), others: Buffer.from(publicText) },
    text: { own: keys.rsa2048.private, others: publicText },
  };
}

/** The four functions with one pair of keys; what is random is opened again by keys of no others. */
function callsOf(crypto, { own, others }, data) {
  const fresh = keys.rsa2048.private;
  const opened = (sealed) => {
    for (const options of [{}, { oaepHash: 'sha256' }, { oaepLabel: DATA }, { oaepHash: 'sha256', oaepLabel: DATA }]) {
      try {
        return `${JSON.stringify(options)} ${crypto.privateDecrypt({ key: fresh, ...options }, sealed).toString('latin1')}`;
      } catch {
        // Another form, then.
      }
    }
    return sealed.length;
  };
  const signed = crypto.privateEncrypt({ key: fresh }, DATA);
  return {
    publicEncrypt: () => opened(crypto.publicEncrypt(others, data)),
    privateDecrypt: () => crypto.privateDecrypt(own, SEALED).toString('latin1'),
    privateEncrypt: () => crypto.privateEncrypt(own, data).toString('hex'),
    publicDecrypt: () => crypto.publicDecrypt(others, signed).toString('latin1'),
  };
}

const together = {
  'RSA options that are put on a key': {
    body({ crypto, attempt }) {
      for (const data of [DATA, HEX]) {
        for (const [name, value] of OPTIONS) {
          for (const [form, pair] of Object.entries(formsOf(crypto))) {
            if (form === 'text') continue;
            for (let use = 0; use < 2 * USES; use++) {
              const calls = callsOf(crypto, pair, data);
              if (use === USES) for (const key of Object.values(pair)) key[name] = value;
              for (const [label, call] of Object.entries(calls)) attempt(`${label} ${form} ${name} ${String(value)} ${typeof data} ${use}`, call);
            }
          }
        }
      }
    },
    only: 'node',
    // What other cases leave in the host's queue of errors would break these off.
    fresh: true,
  },
  'RSA options that everything inherits for a while': {
    body({ crypto, line, attempt }) {
      for (const data of [DATA, HEX]) {
        for (const [name, value] of OPTIONS) {
          for (const [form, { own, others }] of Object.entries(formsOf(crypto))) {
            for (const pair of [{ own, others }, { own: { key: own }, others: { key: others } }]) {
              // With an encoding that everything inherits hosts do odd things to texts of keys.
              if (name === 'encoding' && form === 'text') continue;
              const calls = callsOf(crypto, pair, data);
              for (const [label, call] of Object.entries(calls)) {
                for (let use = 0; use < USES; use++) call();
                let seen;
                Object.defineProperty(Object.prototype, name, { __proto__: null, value, configurable: true, writable: true });
                try {
                  seen = call();
                } catch (error) {
                  seen = `${error.name} ${error.code} ${error.message}`;
                } finally {
                  delete Object.prototype[name];
                }
                line(`${label} ${form} ${name} ${String(value)} ${typeof data}`, seen);
                attempt(`${label} after`, call);
              }
            }
          }
        }
      }
    },
    only: 'node',
    // What other cases leave in the host's queue of errors would break these off.
    fresh: true,
  },
  'RSA decryption that fails, and what the next error says': {
    body({ crypto, attempt }) {
      const { objects, text } = formsOf(crypto);
      const flipped = Buffer.from(LABELLED);
      flipped[100] ^= 1;
      for (const pair of [objects, text]) {
        for (let use = 0; use < USES; use++) {
          for (const [label, bytes] of Object.entries({ right: LABELLED, flipped, short: LABELLED.subarray(1), empty: DATA.subarray(0, 0), zeros: Buffer.alloc(256), ones: Buffer.alloc(256, 255) })) {
            attempt(`privateDecrypt ${label} ${use}`, () => crypto.privateDecrypt({ key: pair.own, oaepLabel: DATA }, bytes).toString('latin1'));
            attempt(`another label ${label} ${use}`, () => crypto.privateDecrypt({ key: pair.own, oaepLabel: HEX }, bytes).toString('latin1'));
            attempt(`publicDecrypt ${label} ${use}`, () => crypto.publicDecrypt(pair.others, bytes).toString('latin1'));
            attempt(`publicEncrypt ${label} ${use}`, () => crypto.publicEncrypt(pair.others, bytes).length);
            attempt(`privateEncrypt ${label} ${use}`, () => crypto.privateEncrypt(pair.own, bytes).toString('hex'));
            attempt(`no key ${label} ${use}`, () => crypto.createPublicKey('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'));
            attempt(`publicEncrypt after that ${label} ${use}`, () => crypto.publicEncrypt(pair.others, DATA).length);
            attempt(`a digest that is none ${label} ${use}`, () => crypto.createHash('none'));
          }
        }
      }
    },
    only: 'node',
    // What other cases leave in the host's queue of errors would break these off.
    fresh: true,
  },
  'RSA encryption of texts, each in its encoding': {
    body({ crypto, attempt }) {
      const { objects, text } = formsOf(crypto);
      for (const pair of [objects, text]) {
        for (const encoding of ['hex', 'HEX', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'ucs2', 'utf16le', 'utf8', 'utf-8', 'buffer', '', 'none', null, 5, undefined, {}]) {
          for (const data of ['', 'abc', '616263', 'YWJj', 'ü\ud83d', 'x'.repeat(300)]) {
            for (let use = 0; use < USES; use++) {
              const at = `${String(encoding)} ${data.length} ${use}`;
              attempt(`privateEncrypt ${at}`, () => crypto.privateEncrypt({ key: pair.own, encoding }, data).toString('hex'));
              attempt(`publicEncrypt ${at}`, () => crypto.privateDecrypt({ key: keys.rsa2048.private, encoding, oaepLabel: data }, crypto.publicEncrypt({ key: pair.others, encoding, oaepLabel: data }, data)).toString('hex'));
            }
          }
        }
      }
    },
    only: 'node',
    // What other cases leave in the host's queue of errors would break these off.
    fresh: true,
  },
};

/** Each in a process of its own: errors that others left in OpenSSL's queue would show up here. */
export const cases = Object.fromEntries(Object.entries(together).map(([name, entry]) => [name, { ...entry, fresh: true }]));
