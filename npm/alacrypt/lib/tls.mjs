import tls from './tls.cjs';

export const { Agent, connect, connector, fetchAll, options, TLSSocket } = tls;
export default tls;
