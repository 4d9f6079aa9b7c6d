/**
 * Makes the app's own `node:crypto` faster, once it is asked for.
 */

import { loadError } from './native';
import { compareWithHost, replaceExports } from './patch';
import { web } from './web-host';

type ModuleClass = Pick<typeof import('node:module'), 'syncBuiltinESMExports'>;

/**
 * Patches the module that the whole process shares; if that cannot be, why. `setImmediate` is the host's, from
 * before the app ran.
 */
export function begin(setImmediate: typeof web.inNextTurn): string | undefined {
  web.inNextTurn = setImmediate;
  // The first line: what follows is the loader's search path.
  if (loadError !== undefined) return loadError.message.split('\n', 1)[0];
  const fault = compareWithHost();
  if (fault !== undefined) return fault;
  if (!replaceExports()) return 'node:crypto is frozen';
  // The named imports of ES modules are bindings of their own. Node's class of modules is at hand;
  // to ask for it by its name takes a quarter of a millisecond.
  const { constructor: Module } = module as unknown as { constructor: Partial<ModuleClass> };
  (Module.syncBuiltinESMExports ?? (require('node:module') as ModuleClass).syncBuiltinESMExports)();
  return undefined;
}
