/**
 * What the package holds outside of the JavaScript heap: counted when it is asked for, and only then.
 */

import { native } from './native';
import { outputView, wipeOutput } from './scratch';

/** Native objects of one kind. */
export interface MemoryUse {
  /** How many there are. */
  count: number;
  /** About how many bytes they take, with the places that wait for more of them. */
  bytes: number;
}

/** The kinds that the addon counts, in the order of `crates/alacrypt-node/src/memory.rs`. */
const KINDS = [
  'parsedKeys',
  'ecdhKeyPairs',
  'hmacKeys',
  'cipherKeys',
  'cipherStreams',
  'hashStreams',
  'tlsClients',
  'tlsConnections',
  'randomPool',
  'scheduler',
  'jobs',
  'scratch',
  'threads',
] as const;

/** What script itself holds, by kind; those who hold it put it here. */
export const heldInScript: Record<'keyCache', () => MemoryUse> = {
  // Its file may never be read.
  keyCache: () => ({ count: 0, bytes: 0 }),
};

export type MemoryKind = (typeof KINDS)[number] | keyof typeof heldInScript;

/**
 * The live native objects by kind. They are those of the calling thread, but for `threads`, which all
 * threads of the process share.
 */
export function memory(): Record<MemoryKind, MemoryUse> {
  const found = { keyCache: heldInScript.keyCache() } as Record<MemoryKind, MemoryUse>;
  const length = KINDS.length * 8;
  const counts = new Uint32Array(KINDS.length * 2);
  if (native !== undefined) {
    // Whoever has bytes waiting keeps them: this writes to the output alone.
    native.memory();
    new Uint8Array(counts.buffer).set(outputView(length));
    wipeOutput(length);
  }
  for (const [at, kind] of KINDS.entries()) {
    found[kind] = { count: counts[2 * at] ?? 0, bytes: counts[2 * at + 1] ?? 0 };
  }
  return found;
}
