/**
 * `sign` and `verify` in one call.
 */

import { show } from '../canonical.mjs';
import { odd } from '../values.mjs';
import { anyMessage, bytesAs, copyOf, fixedMessage, plainBytes } from './bytes.mjs';
import { keyForm } from './forms.mjs';
import { digest, keyArgument, signatureOptions } from './options.mjs';
import { keyFor, weightedKeys } from './pool.mjs';
import { givenSignature, showSignature, slowMessage } from './signatures.mjs';
import { callAnyWay } from './ways.mjs';

/** The common kinds come often, the slow ones seldom. */
const SIGNING = weightedKeys({
  p256: 60, p256b: 20, ed25519: 60, ed25519b: 20, rsa2048: 25, rsa2048b: 10, rsa1024: 25, rsa1024b: 8, secp256k1: 25, secp256k1b: 8, p384: 12, p384b: 4, p521: 5, p521b: 2,
  ed448: 10, ed448b: 4, mldsa44: 12, mldsa65: 14, mldsa65b: 6, mldsa87: 10, pss2048: 10, pss2048b: 4, pss2048sha256: 8, pss2048sha512sha256: 6, pss1024sha1: 6, pss1024salt0: 6,
  rsa512: 6, rsa1023: 6, rsa1025: 6, rsa1536: 4, rsa2041: 4, rsa2048e3: 4, rsa2048e32: 4, rsa2048e65: 3, rsa2048primes3: 4, rsa3072: 4, rsa4096: 1,
  p224: 5, p192: 2, brainpool256: 3, brainpool384: 1, brainpool512: 1, sect233: 2, sm2: 2, p256explicit: 3, p256zeroX: 4, p256zeroD: 4, p384zeroY: 3, p521zeroX: 1, secp256k1zeroD: 4,
  dsa1024: 5, dsa2048: 4, x25519: 3, x448: 2, dh14: 2, mlkem512: 2, slhdsa128f: 1,
});
const VERIFYING = weightedKeys({
  p256: 60, p256b: 20, ed25519: 60, ed25519b: 20, rsa2048: 60, rsa2048b: 20, rsa1024: 25, rsa1024b: 8, secp256k1: 25, secp256k1b: 8, p384: 12, p384b: 4, p521: 5, p521b: 2,
  ed448: 10, ed448b: 4, mldsa44: 12, mldsa65: 14, mldsa65b: 6, mldsa87: 10, pss2048: 10, pss2048b: 4, pss2048sha256: 8, pss2048sha512sha256: 6, pss1024sha1: 6, pss1024salt0: 6,
  rsa512: 6, rsa1023: 6, rsa1025: 6, rsa1536: 6, rsa2041: 6, rsa2048e3: 6, rsa2048e32: 6, rsa2048e65: 6, rsa2048primes3: 6, rsa3072: 8, rsa4096: 6, rsa8192: 3, rsa16384: 1, rsa16392: 1,
  p224: 5, p192: 3, brainpool256: 3, brainpool384: 1, brainpool512: 1, sect233: 2, sm2: 3, p256explicit: 3, p256zeroX: 4, p256zeroD: 4, p384zeroY: 3, p521zeroX: 1, secp256k1zeroD: 4,
  dsa1024: 5, dsa2048: 4, x25519: 3, x448: 2, dh14: 2, mlkem512: 2, slhdsa128f: 5, slhdsa128fb: 2, slhdsaShake128s: 4,
});

const SIGN = { sync: 'sign', callback: 'sign' };
const VERIFY = { sync: 'verify', callback: 'verify' };

export const calls = {
  async sign(machine, rng) {
    const key = keyFor(machine, rng, 'sign', SIGNING);
    const form = keyForm(machine, rng, key, 'private');
    const name = digest(rng, key);
    const options = signatureOptions(rng, key);
    const drawn = rng.chance(0.5) ? fixedMessage(rng) : anyMessage(rng);
    const argument = keyArgument(machine, rng, form, options);
    const about = { form, fields: argument.fields, digest: name.value, data: copyOf(drawn.value) };
    await callAnyWay(
      machine,
      rng,
      SIGN,
      [name.value, drawn.value, argument.value],
      `sign(${name.label}, ${drawn.label}, ${argument.label})`,
      (signature) => (ArrayBuffer.isView(signature) ? showSignature(signature, about) : show(signature)),
      [form.mine, drawn.value].filter((value) => typeof value === 'object'),
    );
  },

  async verify(machine, rng) {
    const key = keyFor(machine, rng, 'verify', VERIFYING);
    const form = keyForm(machine, rng, key, 'public');
    const name = digest(rng, key);
    const options = signatureOptions(rng, key);
    const slow = key.family === 'slhdsa' && rng.chance(0.8);
    const drawn = slow ? slowMessage : rng.chance(0.92) ? fixedMessage(rng) : { id: 'b0', bytes: Buffer.alloc(0), ...anyMessage(rng) };
    const given = givenSignature(rng, key, { digest: name.value, fields: slow ? {} : options.fields, how: `${name.label} ${options.label}`, drawn });
    const passed = rng.chance(0.85) ? plainBytes(rng, given.bytes) : rng.chance(0.85) ? bytesAs(rng, given.bytes) : rng.chance(0.5) ? { value: 'a signature as text', label: 'text' } : odd(rng);
    const argument = keyArgument(machine, rng, form, options);
    await callAnyWay(
      machine,
      rng,
      VERIFY,
      [name.value, drawn.value, argument.value, passed.value],
      // The length of a signature may be chance.
      `verify(${name.label}, ${drawn.label}, ${argument.label}, ${given.label} as ${passed.label.replace(/\(.*/, '')})`,
      show,
      [form.mine, passed.value, slow ? undefined : drawn.value].filter((value) => typeof value === 'object'),
    );
  },
};
