/**
 * The host's FIPS setting, which any thread may change at any moment: asked for at each creation
 * and at each one-shot call.
 */

import { host } from './host';
import { native } from './native';

function askInJavaScript(): true | undefined {
  return host.getFips() === 1 ? true : undefined;
}

/**
 * `true` while FIPS is on, else `undefined`. The addon asks the host's OpenSSL, at a tenth of
 * the price of `getFips()`; on Windows, where it does not find that function, the host is asked.
 */
export const fips: () => true | undefined =
  native === undefined || process.platform === 'win32' ? askInJavaScript : native.fips;
