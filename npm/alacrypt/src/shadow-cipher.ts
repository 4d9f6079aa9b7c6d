/** As {@link ./shadow}, for `Cipheriv` and `Decipheriv`. */

import { disguise } from './handle';
import { answerOf, outcomeOf, sizeOf, type Outcome } from './shadow';
import { compare, type Comparison } from './shadow-report';

type Methods = Record<string, unknown>;

/** Stands inside an object of the host's, and does the same on one of ours beside it. */
export class ShadowCipherHandle {
  readonly #theirs: Methods;
  readonly #comparison: Comparison;
  #ours: Methods | undefined;

  constructor(theirs: unknown, ours: unknown, comparison: Comparison) {
    this.#theirs = theirs as Methods;
    this.#ours = ours as Methods;
    this.#comparison = comparison;
  }

  update(data: unknown, encoding?: unknown): unknown {
    this.#comparison.inputLength = (this.#comparison.inputLength ?? 0) + (sizeOf(data) ?? 0);
    return this.#both('update', [data, encoding]);
  }

  final(): unknown {
    return this.#both('final', []);
  }

  getAuthTag(): unknown {
    const right = outcomeOf(this.#theirs['getAuthTag'], this.#theirs, []);
    // Where there is none the host's method says so, and ours would.
    if (right.value !== undefined) this.#compare('getAuthTag', [], right);
    return answerOf(right);
  }

  setAuthTag(tag: unknown): unknown {
    return this.#setting('setAuthTag', [tag], [tag]);
  }

  setAAD(aad: unknown, plaintextLength: unknown): unknown {
    const options = plaintextLength === -1 || plaintextLength === undefined ? undefined : { plaintextLength };
    return this.#setting('setAAD', [aad, plaintextLength], [aad, options]);
  }

  setAutoPadding(on: unknown): unknown {
    return this.#setting('setAutoPadding', [on], [on]);
  }

  /** What returns data, compared. */
  #both(method: string, args: unknown[]): unknown {
    const right = outcomeOf(this.#theirs[method], this.#theirs, args);
    this.#compare(method, args, right);
    return answerOf(right);
  }

  /** What returns whether it could be: ours throws where the host's handle says `false`. */
  #setting(method: string, args: unknown[], publicArgs: unknown[]): unknown {
    const right = outcomeOf(this.#theirs[method], this.#theirs, args);
    if (this.#ours !== undefined) {
      const { error } = outcomeOf(this.#ours[method], this.#ours, publicArgs);
      const [did, ourDid] = [right.error === undefined && right.value !== false, error === undefined];
      if (did !== ourDid || !did) {
        if (did !== ourDid) compare(this.#comparison, { value: did, error: undefined }, { value: ourDid, error: undefined });
        this.#ours = undefined;
      }
    }
    return answerOf(right);
  }

  #compare(method: string, args: unknown[], right: Outcome): void {
    if (this.#ours === undefined) return;
    const actual = outcomeOf(this.#ours[method], this.#ours, args);
    compare(this.#comparison, right, actual);
    // After an error, or a difference that would show again with each piece, there is no more to see.
    if (right.error !== undefined || actual.error !== undefined) this.#ours = undefined;
  }
}

disguise(ShadowCipherHandle, 'CipherBase');
