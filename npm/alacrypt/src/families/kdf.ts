/** Derivations: read when one of these is first called. */

import '../core';

export { argon2, argon2Sync, hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync } from '../kdf';
