/**
 * The API of `node:crypto`, with the functions that Alacrypt serves in their faster form.
 */

import { host } from './host';
import { loadError } from './native';
import { replaceMethods, served } from './patch';
import { stats } from './stats';

const off = process.env['ALACRYPT'] === 'off';
if (!off) replaceMethods();

export const api = Object.create(
  Object.getPrototypeOf(host) as object,
  Object.getOwnPropertyDescriptors(host),
) as Record<string, unknown>;
if (!off) {
  for (const [name, replacement] of Object.entries(served)) {
    Object.defineProperty(api, name, {
      ...Object.getOwnPropertyDescriptor(host, name),
      value: replacement,
    });
  }
}
api['stats'] = stats;
/** Why the host does all the work: the error that loading the addon met, or `undefined`. */
api['loadError'] = loadError;
