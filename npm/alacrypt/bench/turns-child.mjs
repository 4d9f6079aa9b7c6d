/**
 * One side of a comparison in turns (`turns.mjs`): makes the calls of the module that its argument
 * names, as it is told to, and answers with microseconds.
 */

import crypto from 'node:crypto';
import { createInterface } from 'node:readline';

const { calls } = await import(process.argv[2]);

/** So much processor time a measurement takes, where one call does not take more. */
const MICROSECONDS = 12_000;

const made = new Map();

/** The call, made ready, with how often it is made at a time; `null` where the host lacks something. */
async function ready(at, way) {
  const id = `${at} ${way}`;
  if (!made.has(id)) {
    let entry = null;
    try {
      const call = calls[at][way]();
      for (let use = 0; use < 4; use++) await call(crypto);
      entry = { call, count: await countFor(call) };
    } catch {
      entry = null;
    }
    made.set(id, entry);
  }
  return made.get(id);
}

async function countFor(call) {
  for (let count = 1; ; count *= 2) {
    const spent = count * (await measure({ call, count }));
    if (spent >= MICROSECONDS) return Math.max(1, Math.round((count * MICROSECONDS) / spent));
  }
}

/** Microseconds of processor time, which other processes take none of. */
async function measure({ call, count }) {
  const before = process.cpuUsage();
  for (let time = 0; time < count; time++) {
    const answer = call(crypto);
    if (answer instanceof Promise) await answer;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** In how many pieces the difference of two calls is measured. */
const PIECES = 24;

/**
 * How many microseconds more the second call takes: the median of short pieces, in which both take
 * turns, so that a busy moment hits both alike.
 */
async function difference(first, second) {
  const count = Math.max(1, Math.round((2 * Math.min(first.count, second.count)) / PIECES));
  const differences = [];
  for (let piece = 0; piece < PIECES; piece++) {
    differences.push(-(await measure({ ...first, count })) + (await measure({ ...second, count })));
  }
  return differences.sort((one, other) => one - other)[PIECES >> 1];
}

for await (const line of createInterface({ input: process.stdin })) {
  const [at, way, other = null] = JSON.parse(line);
  const entries = [await ready(at, way), ...(other === null ? [] : [await ready(at, other)])];
  const answer = () => (other === null ? measure(entries[0]) : difference(...entries));
  console.log(JSON.stringify(entries.includes(null) ? null : await answer()));
}
