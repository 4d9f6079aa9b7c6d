/**
 * `node --import alacrypt/register app.js`: the app's own `node:crypto` becomes faster.
 */

import { syncBuiltinESMExports } from 'node:module';

import { loadError } from './native';
import { replaceExports } from './patch';
import { table } from './stats';

export function register(): void {
  if (process.env['ALACRYPT'] === 'off') return;
  if (loadError !== undefined) {
    // The first line: what follows is the loader's search path.
    process.stderr.write(`alacrypt: not active: ${loadError.message.split('\n', 1)[0]}\n`);
    return;
  }
  replaceExports();
  // The named imports of ES modules are bindings of their own.
  syncBuiltinESMExports();
  if (process.env['ALACRYPT_STATS'] === '1') {
    process.on('exit', () => process.stderr.write(`${table()}\n`));
  }
}
