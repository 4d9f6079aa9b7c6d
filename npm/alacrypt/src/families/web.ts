/** Web Crypto: read when one of these is first called. */

import '../core';

export { digest } from '../web-digest';
export { decrypt, encrypt } from '../web-cipher';
export { deriveBits } from '../web-derive';
export { deriveKey, generateKey, importKey, toCryptoKey, unwrapKey } from '../web-key';
export { sign, verify } from '../web-sign';
