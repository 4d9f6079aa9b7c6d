/**
 * One side of `handed-back.mjs`: makes the calls that it is told to, and answers with microseconds.
 */

import crypto from 'node:crypto';
import { createInterface } from 'node:readline';

import { calls } from './handed-back-calls.mjs';

/** So much processor time a measurement takes, where one call does not take more. */
const MICROSECONDS = 12_000;

const made = new Map();

/** The call, made ready, with how often it is made at a time; `null` where the host lacks something. */
function ready(at, way) {
  const id = `${at} ${way}`;
  if (!made.has(id)) {
    let entry = null;
    try {
      const call = calls[at][way]();
      for (let use = 0; use < 4; use++) call(crypto);
      entry = { call, count: countFor(call) };
    } catch {
      entry = null;
    }
    made.set(id, entry);
  }
  return made.get(id);
}

function countFor(call) {
  for (let count = 1; ; count *= 2) {
    const spent = count * measure({ call, count });
    if (spent >= MICROSECONDS) return Math.max(1, Math.round((count * MICROSECONDS) / spent));
  }
}

/** Microseconds of processor time, which other processes take none of. */
function measure({ call, count }) {
  const before = process.cpuUsage();
  for (let time = 0; time < count; time++) call(crypto);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [at, way] = JSON.parse(line);
  const entry = ready(at, way);
  console.log(JSON.stringify(entry === null ? null : measure(entry)));
}
