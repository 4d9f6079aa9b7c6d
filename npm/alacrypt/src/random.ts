/**
 * `randomBytes` and `randomFillSync`.
 */

import { hostRandomBytes, hostRandomFillSync } from './host';
import { native } from './native';
import { fips } from './policy';
import { Bytes, apply, typedArrayLength, typedArraySet, typedArrayTag } from './primordials';
import { OUTPUT_LIMIT, Status, Word, outputView, takeOutput, wipeOutput, words } from './scratch';
import { counters } from './stats';

const bytesCounter = counters.randomBytes;
const fillCounter = counters.randomFillSync;

let hostIsSeeded = false;

/**
 * The host makes its generator on first use, and under FIPS cannot. If the app's calls are served
 * here until FIPS is switched on, the host must have made it by then, as it would have.
 */
function seedHost(): void {
  if (hostIsSeeded) return;
  hostIsSeeded = true;
  hostRandomFillSync(new Bytes(1));
}

/** Fills the output; `false` where the host has to do it. */
function draw(length: number): boolean {
  seedHost();
  words[Word.OutputLength] = length;
  (native as NonNullable<typeof native>).random();
  return words[Word.Status] === Status.Done;
}

export function randomBytes(this: unknown, size: unknown, callback?: unknown): unknown {
  if (callback !== undefined) {
    bytesCounter.handBack('callback form');
  } else if (typeof size !== 'number' || size >>> 0 !== size || size === 0) {
    bytesCounter.handBack('arguments');
  } else if (size > OUTPUT_LIMIT) {
    bytesCounter.handBack('input is large');
  } else if (fips() === true) {
    bytesCounter.handBack('FIPS is on');
  } else if (draw(size)) {
    bytesCounter.served++;
    return takeOutput(size);
  } else {
    bytesCounter.handBack('engine refused');
  }
  return apply(hostRandomBytes, this, arguments);
}

export function randomFillSync(this: unknown, buffer: unknown, offset?: unknown, size?: unknown): unknown {
  if (offset !== undefined || size !== undefined) {
    fillCounter.handBack('options');
  } else if (typedArrayTag(buffer) !== 'Uint8Array') {
    fillCounter.handBack('arguments');
  } else {
    const length = typedArrayLength(buffer);
    if (length === 0) {
      fillCounter.handBack('arguments');
    } else if (length > OUTPUT_LIMIT) {
      fillCounter.handBack('input is large');
    } else if (fips() === true) {
      fillCounter.handBack('FIPS is on');
    } else if (draw(length)) {
      fillCounter.served++;
      typedArraySet(buffer as Uint8Array, outputView(length), 0);
      wipeOutput(length);
      return buffer;
    } else {
      fillCounter.handBack('engine refused');
    }
  }
  return apply(hostRandomFillSync, this, arguments);
}

