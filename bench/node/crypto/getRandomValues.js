'use strict';

// getRandomValues of node:crypto and of Web Crypto, and randomFillSync with an offset and a size: arrays
// that are kept, as by generators of identifiers, and arrays made for the call.

const crypto = require('node:crypto');
const common = require('../common.js');
const { measure } = require('../_shared.js');

const kept = { bytes: new Uint8Array(16), words: new Uint32Array(4), packet: Buffer.alloc(256) };
const METHODS = {
  'crypto, kept Uint8Array(16)': () => crypto.getRandomValues(kept.bytes),
  'crypto, new Uint8Array(16)': () => crypto.getRandomValues(new Uint8Array(16)),
  'globalThis.crypto, new Uint32Array(4)': () => globalThis.crypto.getRandomValues(new Uint32Array(4)),
  'globalThis.crypto, kept Uint32Array(4)': () => globalThis.crypto.getRandomValues(kept.words),
  'randomFillSync(packet, 240, 12)': () => crypto.randomFillSync(kept.packet, 240, 12),
};

const bench = common.createBenchmark(main, {
  method: Object.keys(METHODS),
  n: [40_000],
});

function main({ method, n }) {
  const call = METHODS[method];
  const loop = (count) => {
    let last;
    for (let i = 0; i < count; i++) last = call();
    return last;
  };
  measure(bench, loop, n);
}
