/**
 * The crypto module under test: the host's own, or what the register hook made of it.
 *
 * Taken by `require`, the way in that the hook reaches on every runtime.
 */

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
// Deno has no flag for a preloaded CommonJS file.
const register = process.env.ALACRYPT_TEST_REGISTER;
if (register !== undefined && register !== '') require(register);

export const crypto = require('node:crypto');
