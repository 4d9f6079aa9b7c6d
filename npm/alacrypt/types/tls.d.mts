export * from './tls.js';
