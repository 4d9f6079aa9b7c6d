/**
 * The whole package in one file: the entry points `index` and `register` share it, and so one
 * copy of state, and start-up reads one file.
 */

export { makeApi } from './api';
export { register } from './register';
