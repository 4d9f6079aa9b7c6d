/**
 * The crypto module under test: the host's own, or what the register hook made of it.
 *
 * Taken by `require`, the way in that the hook reaches on every runtime.
 */

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
// Deno has no flag for a preloaded CommonJS file.
const register = process.env.ALACRYPT_TEST_REGISTER;
if (register !== undefined && register !== '') require(register);

export const crypto = require('node:crypto');

/**
 * What a version of Node aborts on, or answers from memory that nobody wrote to: there is nothing
 * to compare then. Each was seen on that version's own binary. One is a difference of ours, which
 * has a case of its own.
 */
const node = process.versions.bun === undefined && process.versions.deno === undefined;
const major = Number(process.versions.node.split('.')[0]);
export const hostFails = {
  /** `createHash('shake128', { outputLength: -0 })`: abort. */
  onMinusZeroLength: node && major < 24,
  /** Text of odd length written to a stream as `hex`: abort. */
  onOddHexWritten: node && major < 24,
  /** `randomFillSync` of a view whose `byteLength` says something else: abort. */
  onLyingViews: node && major < 26,
  /** A `KeyObject` is asked for its `type`, which the app may have put another in the place of. */
  onRenamedKeys: node && major < 24,
  /** With a typed array's `buffer` or `length` replaced its own code ends the process. */
  onReplacedSlots: node && major < 24,
  /** `padding` or `saltLength` of -0 given to `Sign.sign` or `Verify.verify`: abort, on every line. */
  onMinusZeroOptions: node,
  /** `hkdf` with a public or a private key, a proxy of a key or an object that inherits from one: abort. */
  onOddKeysForHkdf: node && major < 24,
  /** The size of an EC key that was read under FIPS, which `ieee-p1363` asks for: a null pointer. */
  onPlainSignaturesUnderFips: node && major < 24,
  /** `checkPrime` with -0 checks: abort. */
  onMinusZeroChecks: node && major < 24,
  /** `getAuthTag` after a `final` that failed, of CCM: memory that nobody wrote to. */
  onTagAfterFailure: node && major < 24,
  /** `copy` after the end of the stream: a digest of memory that was freed. */
  onCopyAfterStream: node && major < 22,
};

/**
 * The host leaves errors of some calls in OpenSSL's queue, to be reported by a later call or to be
 * dropped by any that succeeds. Calls that are served reach neither. A call that fails reports
 * what is there; the queue is empty then, and each call is compared for itself.
 */
export function emptyErrorQueue() {
  try {
    crypto.createHash('no such algorithm');
  } catch {
    // That is what it is for.
  }
}
