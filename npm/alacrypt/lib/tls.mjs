import tls from './tls.cjs';

export const { Agent, connect, connector, options, TLSSocket } = tls;
export default tls;
