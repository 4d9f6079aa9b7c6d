/**
 * For `https.request` and what is built on it; for undici.
 */

import https from 'node:https';

import type { Socket } from 'node:net';

import { connect } from './connect';
import { type Options, net } from './host';

type CreateConnection = (options: Options, callback?: unknown) => Socket;
type HostAgent = https.Agent & { createConnection: CreateConnection };

/** As `https.Agent`; its connections are the addon's. */
export class Agent extends https.Agent {
  readonly #usesProxy: boolean;

  constructor(options?: https.AgentOptions) {
    super(options);
    // The host alone knows how to go through a proxy.
    this.#usesProxy = (options as { proxyEnv?: unknown } | undefined)?.proxyEnv !== undefined;
  }

  override createConnection(options: any, callback?: unknown): Socket {
    if (this.#usesProxy) {
      const host = https.Agent.prototype as HostAgent;
      return host.createConnection.call(this, options, callback);
    }
    return connect(options) as unknown as Socket;
  }
}

/** What undici asks a connector for. */
interface Wanted {
  hostname: string;
  host?: string;
  protocol: string;
  port: string;
  servername?: string | null;
  localAddress?: string | null;
  httpSocket?: Socket;
}

export interface ConnectorOptions extends Record<string, unknown> {
  /** Milliseconds until a connection must be secure; 10,000 by default, 0 for no limit. */
  timeout?: number;
  /** Whether HTTP/2 is offered; it is not by default. */
  allowH2?: boolean;
}

const TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 60_000;

/** A `connect` option for undici's clients, pools and agents. */
export function connector({ timeout = TIMEOUT_MS, allowH2 = false, ...common }: ConnectorOptions = {}) {
  return function (wanted: Wanted, callback: (error: Error | null, socket: Socket | null) => void): void {
    const { hostname, protocol, port, servername, localAddress, httpSocket } = wanted;
    const isSecure = protocol === 'https:';
    const address = { ...common, host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isSecure ? 443 : 80), localAddress: localAddress ?? undefined };
    const name = servername ?? (common['servername'] as string | undefined) ?? (net.isIP(address.host) === 0 ? address.host : undefined);
    const socket = (
      isSecure
        ? connect({ ALPNProtocols: allowH2 ? ['http/1.1', 'h2'] : ['http/1.1'], ...address, ...(name ? { servername: name } : {}), ...(httpSocket ? { socket: httpSocket } : {}) })
        : net.connect(address as net.TcpNetConnectOpts)
    ) as Socket;
    if (common['keepAlive'] !== false) socket.setKeepAlive(true, (common['keepAliveInitialDelay'] as number | undefined) ?? KEEP_ALIVE_MS);
    const timer =
      timeout > 0
        ? setTimeout(() => {
            const error: NodeJS.ErrnoException = new Error(`Connect Timeout Error (attempted address: ${hostname}:${address.port}, timeout: ${timeout}ms)`);
            error.name = 'ConnectTimeoutError';
            error.code = 'UND_ERR_CONNECT_TIMEOUT';
            socket.destroy(error);
          }, timeout)
        : undefined;
    let isSettled = false;
    const settle = (error: Error | null): void => {
      clearTimeout(timer);
      if (isSettled) return;
      isSettled = true;
      callback(error, error === null ? socket : null);
    };
    socket.setNoDelay(true);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => settle(null));
    socket.on('error', settle);
  };
}
