/**
 * The package's entry: `lib` calls these.
 */

export { begin, binary, loadTls, makeApi, table } from './core';
