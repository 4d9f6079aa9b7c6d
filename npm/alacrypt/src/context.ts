/**
 * What `AsyncLocalStorage` goes by, for callbacks that the host calls without it.
 *
 * Older lines keep stores on a job's resource object, and Node-API hands that on. Newer ones keep
 * them in a frame beside the running code, which Node-API drops between a job and its end. Their
 * frames are instances of a class whose static methods get and set the running one; script comes
 * upon it where an `AsyncResource` keeps its frame.
 */

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

import { runtime } from './host';
import { apply } from './primordials';

/** Gets and sets the frame of the running code. */
export interface Frames {
  readonly current: () => unknown;
  readonly set: (frame: unknown) => void;
}

interface FrameClass {
  current?: () => unknown;
  set?: (frame: unknown) => void;
}

const none: Frames = { current: () => undefined, set: () => {} };

/** `undefined` on a host whose frames are not to be had: callbacks there would lose their stores. */
export const frames: Frames | undefined = ((): Frames | undefined => {
  if (runtime !== 'node') return undefined;
  // The implementation over `async_hooks`, which has no frames, and which a `run` would switch on.
  if ('_propagate' in AsyncLocalStorage.prototype) return none;
  try {
    const here = frameOf();
    const Class = new AsyncLocalStorage<true>().run(true, frameOf)?.constructor as FrameClass | undefined;
    const { current, set } = Class ?? {};
    if (typeof current !== 'function' || typeof set !== 'function') return undefined;
    const found: Frames = {
      current: () => apply(current, Class, []),
      set: (frame) => void apply(set, Class, [frame]),
    };
    // The end of `run` leaves a frame without a store.
    found.set(here);
    return found.current() === here ? found : undefined;
  } catch {
    return undefined;
  }
})();

/** The running code's frame, as an `AsyncResource` keeps it. */
function frameOf(): object | undefined {
  const resource = new AsyncResource('alacrypt', { requireManualDestroy: true });
  const kept = Object.getOwnPropertySymbols(resource).find(({ description }) => description === 'context_frame');
  return kept === undefined ? undefined : (resource as unknown as Record<symbol, object | undefined>)[kept];
}
