'use strict';

// What the calls are given, the same on both sides of a comparison. One string or view over and
// over would let caches answer instead of the code; so inputs rotate over 1,024 of them, and a
// third of the views are made afresh for their call.

const crypto = require('node:crypto');

const COUNT = 1024;

exports.MASK = COUNT - 1;

/** 1,024 different strings of 32 characters. */
exports.strings = Array.from({ length: COUNT }, (_, i) => `${i}:`.padEnd(32, 'alacrypt-bench-'));

const buffers = Array.from({ length: COUNT }, (_, i) => Buffer.alloc(64, i));

/** The view of turn `i`, 64 bytes: every third one is new. */
exports.view = (i) => (i % 3 === 0 ? new Uint8Array(buffers[i & exports.MASK]) : buffers[i & exports.MASK]);

/** What `algorithm=mixed` takes in turn: what apps use, the frequent one twice. */
exports.MIXED = ['sha256', 'sha1', 'md5', 'sha512', 'sha256', 'sha384', 'sha3-256', 'blake2b512'];

/** Eight algorithms to take in turn: those of `mixed`, or the same one eight times. */
exports.inTurn = (algorithm) => (algorithm === 'mixed' ? exports.MIXED : Array(8).fill(algorithm));

/** Bytes for one large call. */
exports.large = (size) => Buffer.alloc(size, 7);

/**
 * Calls every function of the family in the ways that an app mixes: other algorithms, other
 * encodings, strings and bytes. A process that only ever made the measured call would show how
 * well the compiler specialises, not what an app gets.
 */
function mixUp() {
  const key = crypto.createSecretKey(Buffer.alloc(32, 9));
  for (let i = 0; i < 1_000; i++) {
    const algorithm = exports.MIXED[i & 7];
    const text = exports.strings[i & exports.MASK];
    const encoding = i & 1 ? 'hex' : 'base64';
    crypto.createHash(algorithm).update(text).digest(encoding);
    crypto.createHash(algorithm).update(exports.view(i)).digest();
    crypto.createHmac(algorithm, i & 2 ? key : text).update(text).digest(encoding);
    crypto.createHmac(algorithm, exports.view(i)).update(exports.view(i)).digest();
    // Node 20 got it late, with 20.12.
    crypto.hash?.(algorithm, text, encoding);
    crypto.hash?.(algorithm, exports.view(i), 'buffer');
    crypto.randomBytes(i & 63);
  }
}

/**
 * Times `loop(n)`, which makes `n` calls and returns the last one's result: after the mixture, and
 * after a tenth of the calls for the compiler to see the loop itself.
 */
exports.measure = (bench, loop, n) => {
  mixUp();
  loop(Math.ceil(n / 10));
  bench.start();
  const last = loop(n);
  bench.end(last.length > 0 ? n : 0);
};
