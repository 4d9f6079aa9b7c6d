/**
 * What becomes of each plain call on the host that runs this, and of each export of `node:crypto`;
 * printed as JSON for `table.mjs`.
 *
 * A call is made three times: from the third on what a key or an algorithm needs once is there.
 */

import crypto from 'node:crypto';
import { createRequire } from 'node:module';

import { SIGNING_DIGESTS, rows } from './rows.mjs';

const require = createRequire(import.meta.url);
const TIMES = 3;
/** Methods of Web Crypto that have rows. */
const WEB_METHODS = ['digest', 'sign', 'verify', 'encrypt', 'decrypt', 'deriveBits'];
// What Node says of SHAKE without a length is no news here.
process.noDeprecation = true;

/** The descriptors of the module's exports and, of classes, of their methods: no getter runs. */
function shape() {
  const found = {};
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(crypto))) {
    found[name] = [descriptor.value ?? descriptor.get];
    const { prototype } = typeof descriptor.value === 'function' ? descriptor.value : {};
    for (const method of Object.values(Object.getOwnPropertyDescriptors(prototype ?? {}))) {
      found[name].push(method.value ?? method.get);
    }
  }
  // What the function of that name calls.
  found.getRandomValues.push(crypto.webcrypto.getRandomValues);
  for (const name of WEB_METHODS) found[`subtle.${name}`] = [crypto.webcrypto.subtle[name]];
  return found;
}

const stock = { ...crypto };
const planned = rows(stock);
const before = shape();
require('../lib/register.cjs');
const after = shape();
const { stats, loadError } = require('../lib/index.cjs');
if (loadError !== undefined) throw loadError;

/** `served`, the reason of the hand-back, `host` for what has no faster form here, or `lacking`. */
async function outcome({ name, label, prepare }) {
  let call;
  try {
    if (before[name]?.[0] === undefined) return 'lacking';
    call = prepare();
    await call(stock);
  } catch {
    return 'lacking';
  }
  if (isSame(before[name], after[name])) return 'host';
  for (let time = 1; time < TIMES; time++) await call(crypto);
  const earlier = counts();
  await call(crypto);
  const later = counts();
  const changed = Object.keys(later).filter((key) => later[key] !== (earlier[key] ?? 0));
  const reasons = changed.filter((key) => key !== 'served');
  if (changed.length === 0 || reasons.length > 1) {
    throw new Error(`${name}(${label}): counted as ${changed.join(', ') || 'nothing'}`);
  }
  return reasons.length === 1 ? reasons[0] : 'served';
}

/** How often calls were served, and handed back for each reason, over all functions. */
function counts() {
  const sum = { served: 0 };
  for (const { served, reasons } of Object.values(stats())) {
    sum.served += served;
    for (const [reason, count] of Object.entries(reasons)) sum[reason] = (sum[reason] ?? 0) + count;
  }
  return sum;
}

const isSame = (one, other) => one.length === other.length && one.every((value, at) => value === other[at]);

const outcomes = [];
for (const row of planned) outcomes.push(await outcome(row));

const observed = {
  version: process.version,
  openssl: process.versions.openssl,
  digests: SIGNING_DIGESTS,
  exports: Object.fromEntries(Object.keys(before).map((name) => [name, isSame(before[name], after[name]) ? 'host' : 'replaced'])),
  rows: planned.map((row, at) => ({ name: row.name, part: row.part, group: row.group, label: row.label, outcome: outcomes[at] })),
};
process.stdout.write(JSON.stringify(observed), () => process.exit(0));
