/** TLS connections whose handshakes do not hold the event loop. */
import type { Agent as HttpsAgent, AgentOptions } from 'node:https';
import type { Socket, TcpNetConnectOpts } from 'node:net';
import type { ConnectionOptions, TLSSocket as HostSocket } from 'node:tls';

/** When the parts of a handshake happened, in milliseconds from the call of {@link connect}; `undefined` where unknown. */
export interface HandshakeTimings {
  /** The TCP connection was there. */
  connected: number | undefined;
  /** The ClientHello was made (RFC 8446, section 4.1.2). */
  clientHello: number | undefined;
  /** The ServerHello came. */
  serverHello: number | undefined;
  /** The last record of the server's flight came. */
  flightEnd: number | undefined;
  /** The client's answer was made. */
  answer: number | undefined;
  /** `secureConnect` was emitted. */
  secure: number | undefined;
  /** The first byte of data came. */
  firstData: number | undefined;
  /** Processor time of the handshake, on the pool. */
  cpu: number | undefined;
}

/**
 * A socket as `tls.connect` gives it, and an instance of that class. What only OpenSSL can tell
 * (`getSession`, `getFinished`, `getSharedSigalgs`) is empty; sessions are resumed without it.
 */
export class TLSSocket extends HostSocket {
  private constructor();
  readonly alacryptTimings: HandshakeTimings;
}

/**
 * As `tls.connect`: the same options, events and errors. With an option that the engine does not
 * support, and on a server with which it does not come to terms, the host makes the connection.
 */
export function connect(options: ConnectionOptions, secureConnectListener?: () => void): TLSSocket | HostSocket;
export function connect(
  port: number,
  host?: string,
  options?: ConnectionOptions,
  secureConnectListener?: () => void,
): TLSSocket | HostSocket;
export function connect(
  port: number,
  options?: ConnectionOptions,
  secureConnectListener?: () => void,
): TLSSocket | HostSocket;

/** As `https.Agent`, for `https.request`, axios, got, node-fetch. */
export class Agent extends HttpsAgent {
  constructor(options?: AgentOptions);
}

/** The options of {@link connector}: those of {@link connect}, and two more. */
export interface ConnectorOptions extends ConnectionOptions, Partial<Pick<TcpNetConnectOpts, 'family' | 'localAddress'>> {
  /** Milliseconds until a connection must be secure; 10,000 by default, 0 for no limit. */
  timeout?: number;
  /** Whether HTTP/2 is offered; it is not by default. */
  allowH2?: boolean;
}

/** What undici asks a connector for. */
export interface Wanted {
  hostname: string;
  host?: string;
  protocol: string;
  port: string;
  servername?: string | null;
  localAddress?: string | null;
  httpSocket?: Socket;
}

/** A `connect` option for undici's clients, pools and agents. */
export function connector(
  options?: ConnectorOptions,
): (wanted: Wanted, callback: (error: Error | null, socket: Socket | null) => void) => void;

/** A file to download. */
export interface FetchRequest {
  /** `https:` or `http:`. */
  url: string | URL;
  /** The file to write; folders on the way are made. It is there whole or not at all. */
  to: string;
  /** What it must be (Subresource Integrity, such as `sha512-…`). Only with that can a broken download go on later. */
  integrity?: string;
  /** The value of the header `Authorization`; a redirect to another origin does not get it. */
  authorization?: string;
  /** The path below which that may be sent; `/` by default. */
  authorizationPath?: string;
}

/** What became of one. */
export interface Fetched {
  url: string;
  to: string;
  /** Its length. */
  bytes: number;
  /** How many bytes of it an earlier, broken download had left. */
  resumedFrom: number;
  /** Whether it was there already, whole and right. */
  wasThere: boolean;
  /** Why it is not there, with a code as npm's (`EINTEGRITY`, `E404`) or Node's (`ECONNREFUSED`, `CERT_HAS_EXPIRED`). */
  error: NodeJS.ErrnoException | undefined;
}

export interface FetchOptions extends Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'minVersion' | 'maxVersion'> {
  /** Downloads, so at most connections, at once; 128 by default. */
  concurrency?: number;
  /** Milliseconds for each step: to connect, to shake hands, to get the next piece of a file; 30,000 by default. */
  timeout?: number;
  /** How often a download that broke is tried again; 2 by default. */
  repetitions?: number;
  /** With `'required'`, a request without an integrity value is refused. */
  integrity?: 'required' | 'optional';
  /** Stops them all; what was begun goes on the next time, where it can be checked. */
  signal?: AbortSignal;
  /** Proxies, instead of those of `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`; `null` for none. */
  httpsProxy?: string | null;
  httpProxy?: string | null;
  /** Hosts to which none is used, instead of `NO_PROXY`. */
  noProxy?: string;
}

/**
 * Downloads many files at once over HTTP/1.1, on sockets and a thread of the engine's own, so that the event
 * loop has no part in it. Each file is checked while it comes. The results have the order of the requests; a
 * download that fails has an `error` and does not stop the others. Rejects with `signal.reason` when stopped,
 * and with a `TypeError` or `RangeError` for wrong arguments.
 */
export function fetchAll(requests: Iterable<FetchRequest>, options?: FetchOptions): Promise<Fetched[]>;

/** Names of options by what becomes of them. */
export const options: {
  /** Served by the engine. */
  readonly SUPPORTED: readonly string[];
  /** Of no meaning for a client. */
  readonly WITHOUT_MEANING: readonly string[];
  /** With one of these, the host makes the connection. */
  readonly HOST_ONLY: readonly string[];
};
