/**
 * The host's own TLS, kept from before anything is patched.
 */

import net from 'node:net';
import tls from 'node:tls';

export { net, tls };
export const { connect: hostConnect, checkServerIdentity: hostCheckServerIdentity } = tls;

/** What this package reads of the options of `tls.connect`; everything else is passed on. */
export type Options = tls.ConnectionOptions & net.TcpNetConnectOpts & Record<string, unknown>;
