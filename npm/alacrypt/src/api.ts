/**
 * The API of `node:crypto`, with the functions that Alacrypt serves in their faster form.
 */

import { otherClaim } from './claim';
import { host } from './host';
import { memory } from './memory';
import { loadError } from './native';
import { compareWithHost, replaceMethods, served } from './patch';
import { stats } from './stats';

let api: Record<string, unknown> | undefined;

/** The module that `require('alacrypt')` gives; made on the first call. */
export function makeApi(): Record<string, unknown> {
  if (api !== undefined) return api;
  // Another copy's functions are then the host's here.
  const off = process.env['ALACRYPT'] === 'off' || otherClaim() !== undefined;
  if (!off) {
    compareWithHost();
    replaceMethods();
  }
  api = Object.create(
    Object.getPrototypeOf(host) as object,
    Object.getOwnPropertyDescriptors(host),
  ) as Record<string, unknown>;
  for (const [name, replacement] of off ? [] : Object.entries(served)) {
    Object.defineProperty(api, name, {
      ...Object.getOwnPropertyDescriptor(host, name),
      value: replacement,
    });
  }
  api['stats'] = stats;
  api['memory'] = memory;
  // Why the host does all the work, if it does: the error that loading the addon met.
  api['loadError'] = loadError;
  return api;
}
