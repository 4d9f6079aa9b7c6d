'use strict';

// Counts the calls of all functions of node:crypto that Alacrypt has no faster form of, which its own
// `stats()` says nothing of. Loaded behind the flag, in runs of their own that nobody measures.

const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const { stats } = require('alacrypt');

const counted = stats();
const counts = {};

for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(crypto))) {
  // Classes are what objects are compared with.
  if (typeof value !== 'function' || /^[A-Z]/.test(name) || Object.hasOwn(counted, name)) continue;
  counts[name] = 0;
  crypto[name] = function (...args) {
    counts[name]++;
    return Reflect.apply(value, this, args);
  };
}
syncBuiltinESMExports();

/** The counts of calls so far, those that are not 0. */
process[Symbol.for('demo.counts')] = () => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
