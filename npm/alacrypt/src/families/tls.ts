/** TLS connections: read when `alacrypt/tls` is. */

import '../core';

export { Agent, connector } from '../tls/agent';
export { connect } from '../tls/connect';
export { fetchAll } from '../tls/fetch';
export { registerTls } from '../tls/hook';
export { TLSSocket } from '../tls/socket';
export * as options from '../tls/option-names';
