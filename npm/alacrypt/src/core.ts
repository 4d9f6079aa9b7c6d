/**
 * What is in the first file: all that is read when crypto is first asked for. Each family imports
 * this, so that none of it becomes a file of its own.
 */

import './algorithms';
import './digest';
import './encodings';
import './handle';
import './key-options';
import './mac';
import './object';
import './policy';
import './random';
import './scratch';

export { makeApi } from './api';
export { begin } from './begin';
export { table } from './stats';
export { binary } from './native';
export { loadTls } from './tls-api';
