/**
 * The package's entry: `lib` calls these.
 */

export { begin, binary, makeApi, table } from './core';
