/** Derivations: read when one of these is first called. */

import '../core';

export { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync } from '../kdf';
