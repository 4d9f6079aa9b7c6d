/**
 * `encapsulate` and `decapsulate`.
 */

import { namePrototype, show, showView } from '../canonical.mjs';
import { odd } from '../values.mjs';
import { bytesAs, plainBytes } from './bytes.mjs';
import { keyForm } from './forms.mjs';
import { keyArgument } from './options.mjs';
import { attempt, keyFor, oracle, pool, weightedKeys } from './pool.mjs';
import { shape } from './signatures.mjs';
import { callAnyWay } from './ways.mjs';

namePrototype(Object.prototype, 'Object.prototype');

const KEYS = weightedKeys({
  mlkem512: 20, mlkem768: 40, mlkem768b: 15, mlkem1024: 20, x25519: 12, x25519b: 4, x448: 4, p256: 12, p384: 3, p521: 2, rsa2048: 6, rsa1024: 4, secp256k1: 2, ed25519: 2, mldsa44: 2, dh14: 1, pss2048: 1,
});

/** A ciphertext made when the keys were, or since by the host: of this key, or of another. */
function ciphertext(rng, key) {
  const stored = (one) => (one.stored.encapsulated === undefined ? undefined : Buffer.from(one.stored.encapsulated.ciphertext, 'base64'));
  const kind = rng.weighted({ right: 40, flipped: 10, cut: 4, long: 4, empty: 1, zeros: 2, ones: 2, other: 4, random: 3 });
  const right = stored(key) ?? Buffer.alloc(rng.pick([32, 768, 1088, 1568]), 5);
  const bytes = {
    right, flipped: Buffer.from(right), cut: right.subarray(0, -1), long: Buffer.concat([right, Buffer.alloc(1)]), empty: Buffer.alloc(0), zeros: Buffer.alloc(right.length), ones: Buffer.alloc(right.length, 0xff),
    other: stored(pool.get(rng.pick(['mlkem768b', 'mlkem768', 'mlkem512', 'x25519', 'p256']))) ?? right, random: rng.fill(Buffer.alloc(right.length)),
  }[kind];
  if (kind === 'flipped') bytes[rng.below(bytes.length)] ^= 1 << rng.below(8);
  return { bytes, label: `${kind}(${bytes.length})` };
}

export const calls = {
  async encapsulate(machine, rng) {
    const key = keyFor(machine, rng, 'kem', KEYS);
    const form = keyForm(machine, rng, key, 'public');
    const argument = keyArgument(machine, rng, form);
    const shown = (pair) => {
      const { sharedKey, ciphertext: sealed } = pair ?? {};
      if (!ArrayBuffer.isView(sharedKey) || !ArrayBuffer.isView(sealed)) return show(pair);
      const opened = form.doubtful ? 'unknown' : attempt(() => oracle.decapsulate(form.actual.object('private'), sealed).equals(sharedKey));
      return `${show(pair)} ${shape(sharedKey)} ${sharedKey.length} ${shape(sealed)} ${sealed.length} opens ${opened}`;
    };
    await callAnyWay(machine, rng, { sync: 'encapsulate', callback: 'encapsulate' }, [argument.value], `encapsulate(${argument.label})`, shown, [form.mine].filter((value) => typeof value === 'object'));
  },

  async decapsulate(machine, rng) {
    const key = keyFor(machine, rng, 'kem', KEYS);
    const form = keyForm(machine, rng, key, 'private');
    const argument = keyArgument(machine, rng, form);
    const given = ciphertext(rng, key);
    const passed = rng.chance(0.9) ? (rng.chance(0.8) ? plainBytes : bytesAs)(rng, given.bytes) : rng.chance(0.5) ? { value: given.bytes.toString('latin1'), label: 'text' } : odd(rng);
    await callAnyWay(
      machine,
      rng,
      { sync: 'decapsulate', callback: 'decapsulate' },
      [argument.value, passed.value],
      `decapsulate(${argument.label}, ${given.label} as ${passed.label})`,
      (secret) => (ArrayBuffer.isView(secret) ? (form.doubtful ? `${shape(secret)} ${secret.length}` : showView(secret)) : show(secret)),
      [form.mine, passed.value].filter((value) => typeof value === 'object'),
    );
  },
};
