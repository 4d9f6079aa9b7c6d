import * as api from './index.js';

export * from './index.js';
export default api;
