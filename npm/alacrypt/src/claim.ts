/**
 * One copy of the package at a time: a process may hold several versions of it, and a second one would
 * take the first one's functions for the host's.
 */

/** Of package.json, put in by the build. */
declare const PACKAGE_VERSION: string;

export const version = PACKAGE_VERSION;

interface Claim {
  readonly version: string;
  readonly folder: string;
}

const key = Symbol.for('alacrypt');
const folder = __dirname.replace(/[\\/][^\\/]*$/, '');

/** The copy of the package that this thread belongs to, if it is another one; else it is this one's from now on. */
export function otherClaim(): Claim | undefined {
  const present = (process as unknown as Record<symbol, Claim | undefined>)[key];
  if (present === undefined) {
    Object.defineProperty(process, key, { value: { version, folder } });
    return undefined;
  }
  return present.folder === folder && present.version === version ? undefined : present;
}
