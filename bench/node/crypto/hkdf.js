'use strict';

// Key derivation from a secret and from a password: hkdfSync, pbkdf2Sync, scryptSync and argon2Sync.

const crypto = require('node:crypto');
const common = require('../common.js');
const { MASK, strings, view, measure } = require('../_shared.js');

/** Calls in some 70 ms. */
const CALLS = {
  'hkdf, Buffer': 9_000,
  'hkdf, KeyObject': 9_000,
  'hkdf, string': 9_000,
  'hkdf, sha512': 7_000,
  'pbkdf2, sha1, 1': 12_000,
  'pbkdf2, sha1, 10000': 40,
  'pbkdf2, sha256, 1': 12_000,
  'pbkdf2, sha256, 10000': 48,
  'scrypt, 16': 600,
  'scrypt, 16384': 2,
  'argon2id, 64 KiB': 600,
  'argon2id, 19 MiB': 2,
  'argon2id, 64 MiB, 4 lanes': 1,
};

/** Memory in KiB, passes, lanes. */
const ARGON2 = { '64 KiB': [64, 3, 1], '19 MiB': [19_456, 2, 1], '64 MiB': [65_536, 3, 4] };

const what = Object.keys(CALLS).filter((name) => crypto.argon2Sync !== undefined || !name.startsWith('argon2'));
const bench = common.createBenchmark(main, { what });

const key = crypto.createSecretKey(Buffer.alloc(32, 5));
const salt = Buffer.alloc(16, 7);

const DERIVE = {
  hkdf: {
    Buffer: (i) => crypto.hkdfSync('sha256', view(i), salt, 'info', 32),
    KeyObject: (_i) => crypto.hkdfSync('sha256', key, salt, 'info', 32),
    string: (i) => crypto.hkdfSync('sha256', strings[i & MASK], salt, 'info', 32),
    sha512: (i) => crypto.hkdfSync('sha512', view(i), salt, 'info', 64),
  },
  pbkdf2: (digest, iterations) => (i) => crypto.pbkdf2Sync(strings[i & MASK], salt, iterations, 32, digest),
  argon2id: (memory, passes, parallelism) => (i) =>
    crypto.argon2Sync('argon2id', { message: strings[i & MASK], nonce: salt, memory, passes, parallelism, tagLength: 32 }),
  scrypt: (cost) => (i) => crypto.scryptSync(strings[i & MASK], salt, 64, { cost }),
};

function main({ what }) {
  const [name, ...words] = what.split(', ');
  const derive =
    name === 'hkdf' ? DERIVE.hkdf[words[0]]
    : name === 'pbkdf2' ? DERIVE.pbkdf2(words[0], Number(words[1]))
    : name === 'argon2id' ? DERIVE.argon2id(...ARGON2[words[0]])
    : DERIVE.scrypt(Number(words[0]));
  const loop = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = derive(i);
    return Buffer.from(last);
  };
  measure(bench, loop, CALLS[what]);
}
