import api from './index.cjs';

export * from 'node:crypto';
export const { createHash, createHmac, hash, randomBytes, randomFillSync, stats, loadError } = api;
export default api;
