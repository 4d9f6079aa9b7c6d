/**
 * The package's entry: `lib` calls these.
 */

export { begin, makeApi, table } from './core';
