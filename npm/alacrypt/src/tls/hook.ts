/**
 * `alacrypt/register-tls`: the app's own `tls.connect`, and so `https`, `fetch` and what is built on them.
 */

import { syncBuiltinESMExports } from 'node:module';

import { loadError } from '../native';
import { connect } from './connect';
import { hostConnect, tls } from './host';

/** Puts ours in the place of `tls.connect`; if that cannot be, says why. */
export function registerTls(): string | undefined {
  if (loadError !== undefined) return loadError.message.split('\n', 1)[0];
  const place = Object.getOwnPropertyDescriptor(tls, 'connect');
  if (place?.configurable !== true || place.value !== hostConnect) return 'node:tls is frozen or replaced';
  const replacement = { connect(...args: unknown[]) { return connect(...args); } }.connect;
  Object.defineProperty(tls, 'connect', { ...place, value: replacement });
  syncBuiltinESMExports();
  return undefined;
}
