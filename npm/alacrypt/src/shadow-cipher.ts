/** As {@link ./shadow}, for `Cipheriv` and `Decipheriv`. */

import type { HostCipherHandle } from './ciphers';
import { disguise } from './handle';
import { answerOf, isPlain, outcomeOf } from './shadow';
import { compare, type Comparison } from './shadow-report';
import { byteLengthOf } from './primordials';

/** Stands inside an object of the host's, and does the same on what is inside of one of ours. */
export class ShadowCipherHandle implements HostCipherHandle {
  readonly #theirs: HostCipherHandle;
  readonly #comparison: Comparison;
  #ours: HostCipherHandle | undefined;

  constructor(theirs: HostCipherHandle, ours: HostCipherHandle, comparison: Comparison) {
    this.#theirs = theirs;
    this.#ours = ours;
    this.#comparison = comparison;
  }

  update(data: unknown, encoding?: unknown): Buffer {
    const length = typeof data === 'string' ? data.length : byteLengthOf(data);
    this.#comparison.inputLength = (this.#comparison.inputLength ?? 0) + (length ?? 0);
    return this.#both('update', [data, encoding]) as Buffer;
  }

  final(): Buffer {
    return this.#both('final', []) as Buffer;
  }

  getAuthTag(): Buffer | undefined {
    return this.#both('getAuthTag', []) as Buffer | undefined;
  }

  setAuthTag(tag: unknown): boolean {
    return this.#both('setAuthTag', [tag]) as boolean;
  }

  setAAD(aad: unknown, plaintextLength: unknown): boolean {
    return this.#both('setAAD', [aad, plaintextLength]) as boolean;
  }

  setAutoPadding(on: boolean): boolean {
    return this.#both('setAutoPadding', [on]) as boolean;
  }

  /** The host's handle first: what ours answers is looked at only. */
  #both(method: keyof HostCipherHandle, args: readonly unknown[]): unknown {
    const right = outcomeOf(this.#theirs[method], this.#theirs, args);
    if (this.#ours !== undefined) {
      if (arePlain(args)) {
        const actual = outcomeOf(this.#ours[method], this.#ours, args);
        compare(this.#comparison, right, actual);
        // After an error, or a difference that would show again with each piece, there is no more to see.
        if (right.error !== undefined || actual.error !== undefined) this.#ours = undefined;
      } else {
        this.#ours = undefined;
      }
    }
    return answerOf(right);
  }
}

function arePlain(args: readonly unknown[]): boolean {
  for (let at = 0; at < args.length; at++) {
    if (!isPlain(args[at])) return false;
  }
  return true;
}

disguise(ShadowCipherHandle, 'CipherBase');
