/**
 * The host's Web Crypto, kept from before its methods are replaced.
 */

import { host } from './host';
import { getOwnPropertyDescriptor, getPrototypeOf } from './primordials';

type Method = (this: unknown, ...args: never[]) => unknown;

/** The methods that are replaced. */
export const WEB_METHODS = [
  'decrypt',
  'deriveBits',
  'deriveKey',
  'digest',
  'encrypt',
  'generateKey',
  'importKey',
  'sign',
  'unwrapKey',
  'verify',
] as const;

export type WebMethod = (typeof WEB_METHODS)[number];

type InNextTurn = <Args extends unknown[]>(callback: (...args: Args) => void, ...args: Args) => unknown;

/** The host's, filled when the methods are replaced. */
export const web = {
  /**
   * What runs something in a turn of the loop of its own. The hook has it from before the app could put
   * another in its place, as tests do that make time stand still.
   */
  inNextTurn: globalThis.setImmediate as unknown as InNextTurn,
  /** The one receiver that the methods take. */
  subtle: undefined as unknown,
  methods: Object.create(null) as Record<WebMethod, Method>,
  keyPrototype: undefined as object | undefined,
  /** A method of the host's `KeyObject.prototype`; older lines have it elsewhere or not at all. */
  toCryptoKey: (host.KeyObject.prototype as unknown as { toCryptoKey?: unknown }).toCryptoKey,
};

/** The prototype with the methods; `undefined` on a host without such. */
export function subtlePrototype(): object | undefined {
  const { subtle } = host.webcrypto as unknown as { subtle?: object };
  const { CryptoKey } = globalThis as unknown as { CryptoKey?: { prototype: object } };
  if (subtle === undefined || typeof CryptoKey !== 'function') return undefined;
  const prototype = getPrototypeOf(subtle) as object;
  web.subtle = subtle;
  web.keyPrototype = (CryptoKey as { prototype: object }).prototype;
  for (const name of WEB_METHODS) {
    const method: unknown = getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof method !== 'function') return undefined;
    web.methods[name] = method as Method;
  }
  return prototype;
}
