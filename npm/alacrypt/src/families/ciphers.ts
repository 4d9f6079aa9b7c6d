/** Ciphers: read when one of these is first called. */

import '../core';

export { createCipheriv, createDecipheriv } from '../cipher';
