/** The comparison of both sides' answers: read when `ALACRYPT_SHADOW` asks for it. */

import '../core';

export { shadow } from '../shadow';
