/**
 * A socket like the host's `tls.TLSSocket`: a stream over a socket of the host's, with the addon in
 * between.
 *
 * Where the addon cannot come to terms with a server, the host is given the same options and makes a
 * connection of its own, if the socket was ours to make: what fails, fails with the host's error, and
 * what the host can do that the addon cannot still works.
 */

import { X509Certificate } from 'node:crypto';
import { Duplex, addAbortSignal } from 'node:stream';

import type { LookupFunction, Socket } from 'node:net';
import type { PeerCertificate, TLSSocket as HostSocket } from 'node:tls';

import { type Connection, State, type Step, counter, factsOf } from './connection';
import { type Options, hostCheckServerIdentity, hostConnect, net, tls } from './host';
import { nameFault, peerCertificate } from './identity';
import { cipherOf, errorOf, keyInfoOf, protocolOf } from './names';

/** When the parts of a handshake happened, in milliseconds from the call of `connect`; `undefined` where unknown. */
export interface HandshakeTimings {
  /** The TCP connection was there. */
  connected: number | undefined;
  clientHello: number | undefined;
  serverHello: number | undefined;
  /** The last record of the server's flight came. */
  flightEnd: number | undefined;
  /** The client's answer was made. */
  answer: number | undefined;
  /** The socket was told that it is secure. */
  secure: number | undefined;
  /** The first byte of data came. */
  firstData: number | undefined;
  /** Processor time of the handshake, on the pool. */
  cpu: number | undefined;
}

/** Servers with which the addon could not come to terms, by settings and address, and until when that is remembered. */
const hostOnly = new Map<string, number>();
const REMEMBERED_MS = 600_000;
const MOST_REMEMBERED = 256;

/** Whether the host should be asked at once. */
export function isHostOnly(place: string): boolean {
  const until = hostOnly.get(place);
  if (until === undefined) return false;
  if (until > performance.now()) return true;
  hostOnly.delete(place);
  return false;
}

/** Events of the socket below that are events of this one, once somebody listens. */
const FORWARDED = new Set<string | symbol>([
  'lookup', 'timeout', 'connectionAttempt', 'connectionAttemptFailed', 'connectionAttemptTimeout',
]);
const NOTHING = new Uint8Array(0);

/**
 * On Node a socket reads into a buffer that is given: one for all sockets, as each reads and calls in one go;
 * only Windows asks for the buffer long before.
 */
const readsIntoOne =
  process.platform !== 'win32' && process.versions['bun'] === undefined && process.versions['deno'] === undefined;
const arrivals = new Uint8Array(readsIntoOne ? 64 * 1024 : 0);

type Callback = (error?: Error | null) => void;

export class TLSSocket extends Duplex {
  static {
    // The build makes it shorter; `util.inspect` shows it.
    Object.defineProperty(TLSSocket, 'name', { value: 'TLSSocket' });
  }

  readonly encrypted = true;
  authorized = false;
  authorizationError: Error | string | null = null;
  alpnProtocol: string | false | null = null;
  servername: string | false | null = null;
  secureConnecting = true;
  /** The name or the address that was asked for. */
  readonly _host: string | null;
  /** The host's TLS over this one asks for these. */
  readonly _parent = null;
  readonly _server = null;
  readonly server = null;
  readonly #options: Options;
  readonly #place: string;
  readonly #roots: readonly string[];
  readonly #started = performance.now();
  #connection: Connection | undefined;
  /** The socket below: the host's for TCP, or its TLS once the addon has given up. */
  #below: Socket;
  #host: HostSocket | undefined;
  /** What came and was not looked at. */
  #waiting: Uint8Array[] = [];
  #isStepping = false;
  #belowEnded = false;
  /** The peer, by `close_notify`. */
  #saidGoodbye = false;
  #isPaused = false;
  readonly #forwarded: string[] = [];
  /** What was set on the socket below, by name. */
  readonly #settings = new Map<string, (below: Socket) => void>();
  #whenSecure: (() => void)[] = [];
  #bytesRead = 0;
  #bytesWritten = 0;
  #hadError = false;
  #connected: number | undefined;
  #secure: number | undefined;
  #ended = 0;
  #chain: Buffer[] | undefined;
  /** What was known at the end. */
  #description: string | undefined;

  constructor(options: Options, connection: Connection, place: string, roots: readonly string[]) {
    super({
      allowHalfOpen: options.allowHalfOpen === true,
      decodeStrings: true,
      // As the host's sockets do: the event has an argument there.
      emitClose: false,
      ...(options.highWaterMark === undefined ? {} : { highWaterMark: options.highWaterMark as number }),
    });
    this.#options = options;
    this.#connection = connection;
    this.#place = place;
    this.#roots = roots;
    this._host = (options.host as string | undefined) ?? null;
    this.#step(NOTHING);
    const given = options.socket as Socket | undefined;
    if (given === undefined) {
      const { signal: _, timeout, ...rest } = options;
      const onread = readsIntoOne ? { buffer: arrivals, callback: (length: number): boolean => this.#arrived(length) } : undefined;
      this.#below = net.connect({ ...rest, allowHalfOpen: true, onread } as never);
      if (typeof timeout === 'number' && timeout > 0) this.#below.setTimeout(timeout);
    } else {
      this.#below = given;
    }
    this.#listen(this.#below);
    if (given !== undefined && given.connecting !== true) this.#connected = 0;
    if (options.signal !== undefined) addAbortSignal(options.signal as AbortSignal, this);
  }

  #listen(below: Socket): void {
    for (const name of this.#forwarded) this.#forward(name);
    below.on('connect', () => {
      if (below !== this.#below) return;
      // The host's second try is no second connection to the app.
      if (this.#connected !== undefined) return;
      this.#connected = performance.now() - this.#started;
      this.emit('connect');
      this.emit('ready');
    });
    below.on('data', (bytes: Uint8Array) => {
      if (below === this.#below) this.#received(bytes);
    });
    below.on('end', () => {
      if (below === this.#below) this.#endedBelow();
    });
    below.on('error', (error: Error) => {
      if (below !== this.#below) return;
      // All that was to come has come: only our own goodbye is lost.
      const isOver = this.#saidGoodbye && this.writableLength === 0 && this.#host === undefined;
      this.destroy(isOver ? undefined : error);
    });
    below.on('close', () => {
      if (below !== this.#below) return;
      this.#endedBelow();
      // What was decrypted may still be read.
      if (!this.destroyed && (this.readableEnded || this.readableLength === 0)) this.destroy();
      else this.once('end', () => this.destroy());
    });
  }

  #forward(name: string): void {
    const below = this.#below;
    below.on(name, (...values: unknown[]) => {
      if (below === this.#below) this.emit(name, ...values);
    });
  }

  #listenedTo(name: string | symbol): void {
    if (!FORWARDED.has(name) || this.#forwarded.includes(name as string)) return;
    this.#forwarded.push(name as string);
    this.#forward(name as string);
  }

  override on(name: string | symbol, listener: (...values: any[]) => void): this {
    this.#listenedTo(name);
    super.on(name, listener);
    if (name === 'connect' && !this.secureConnecting && !this.connecting) {
      // The host's TLS over this one waits for that, as it takes a socket without a handle for one that
      // connects.
      process.nextTick(() => {
        if (this.rawListeners(name).includes(listener)) Reflect.apply(listener, this, []);
      });
    }
    return this;
  }

  override addListener(name: string | symbol, listener: (...values: any[]) => void): this {
    return this.on(name, listener);
  }

  override prependListener(name: string | symbol, listener: (...values: any[]) => void): this {
    this.#listenedTo(name);
    return super.prependListener(name, listener);
  }

  // The handshake.

  #step(bytes: Uint8Array): void {
    this.#isStepping = true;
    const taken = (this.#connection as Connection).step(bytes, this.listenerCount('keylog') > 0, (step) => {
      this.#isStepping = false;
      if (this.destroyed) return;
      // The end of the handshake and what was written meanwhile go out together.
      const below = this.#below;
      below.cork();
      this.#stepped(step);
      below.uncork();
    });
    if (taken < bytes.length) this.#waiting.unshift(bytes.subarray(taken));
  }

  #stepped(step: Step | undefined): void {
    const connection = this.#connection as Connection;
    if (step === undefined) {
      this.#giveUp(errorOf('ERR_CRYPTO_OPERATION_FAILED', 'the engine failed'));
      return;
    }
    const { state } = step;
    if ((state & State.KeyLog) !== 0) this.#tellKeys();
    if ((state & State.Fault) !== 0) {
      const { code = 'EPROTO', message = '' } = factsOf(connection.describe());
      // The alert that tells the server why.
      this.#writeBelow(connection.send(undefined));
      this.#giveUp(errorOf(code, message));
      return;
    }
    if ((state & State.Transmit) !== 0) this.#writeBelow(connection.send(undefined));
    if ((state & State.Handshaking) === 0) {
      this.#finish(step);
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) this.#step(next);
    else if (this.#belowEnded) this.#endedEarly();
  }

  #finish({ state, leaf, protocol }: Step): void {
    this.alpnProtocol = protocol === '' ? false : protocol;
    this.servername = this.#options.servername ?? false;
    let fault: Error | undefined;
    try {
      fault = (state & State.Refused) === 0 ? this.#nameFault(leaf) : errorOf(this.#read()['refused'] ?? 'UNSPECIFIED', '');
    } catch (error) {
      this.destroy(error as Error);
      return;
    }
    if (fault !== undefined && fault !== null) {
      const { code } = fault as NodeJS.ErrnoException;
      this.authorizationError = code ?? fault.message;
      if (this.#options.rejectUnauthorized !== false) {
        this.destroy(fault);
        return;
      }
    } else {
      this.authorized = true;
    }
    this.#becomeSecure();
    if (this.destroyed) return;
    if ((state & State.More) !== 0) this.#waiting.unshift(NOTHING);
    this.#decryptWaiting();
    if (this.#belowEnded && !this.destroyed) this.#endedBelow();
  }

  #nameFault(leaf: string): Error | undefined {
    const options = this.#options;
    const check = (options.checkServerIdentity ?? hostCheckServerIdentity) as typeof hostCheckServerIdentity;
    const below = options.socket as { _host?: string } | undefined;
    const name = (options.servername ?? '') || ((options.host as string | undefined) ?? '') || (below?._host ?? '') || 'localhost';
    return nameFault(check, name, leaf, (isDetailed) => this.getPeerCertificate(isDetailed) as PeerCertificate);
  }

  #becomeSecure(): void {
    this.#secure = performance.now() - this.#started;
    this.secureConnecting = false;
    counter.served++;
    this.emit('secure');
    this.emit('secureConnect');
    const waiting = this.#whenSecure;
    this.#whenSecure = [];
    for (const go of waiting) go();
  }

  /** The handshake failed: the host makes its own, unless it has no socket to make it on. */
  #giveUp(error: Error): void {
    const { rejectUnauthorized: _, ...options } = this.#options;
    if (options.socket !== undefined) {
      this.destroy(error);
      return;
    }
    counter.handBack('engine refused');
    if (hostOnly.size >= MOST_REMEMBERED) hostOnly.clear();
    hostOnly.set(this.#place, performance.now() + REMEMBERED_MS);
    const abandoned = this.#below;
    const { timeout } = abandoned;
    this.#connection?.release();
    this.#connection = undefined;
    this.#waiting = [];
    this.#belowEnded = false;
    let host: HostSocket;
    try {
      host = hostConnect(this.#options);
    } catch (thrown) {
      this.destroy(thrown as Error);
      return;
    }
    for (const set of this.#settings.values()) set(host);
    this.#host = host;
    this.#below = host;
    // After the alert is on its way.
    abandoned.on('error', () => {});
    if (typeof abandoned.destroySoon === 'function') abandoned.destroySoon();
    else abandoned.end();
    if (timeout !== undefined && timeout > 0) host.setTimeout(timeout);
    this.#listen(host);
    host.on('secureConnect', () => {
      this.authorized = host.authorized;
      this.authorizationError = host.authorizationError;
      this.alpnProtocol = host.alpnProtocol;
      this.servername = (host as unknown as { servername: string | false }).servername;
      counter.served--;
      this.#becomeSecure();
    });
    host.on('session', (session: Buffer) => this.emit('session', session));
    host.on('keylog', (line: Buffer) => this.emit('keylog', line));
    host.on('OCSPResponse', (response: Buffer) => this.emit('OCSPResponse', response));
  }

  #tellKeys(): void {
    const lines = this.#connection?.keyLog()?.toString('latin1') ?? '';
    for (const line of lines.split('\n')) if (line !== '') this.emit('keylog', Buffer.from(`${line}\n`, 'latin1'));
  }

  // Data.

  /** So many bytes came into the buffer that all sockets share; `false` stops reading. */
  #arrived(length: number): boolean {
    if (this.destroyed || this.#host !== undefined) return false;
    this.#received(arrivals.subarray(0, length));
    // What was not looked at yet.
    const last = this.#waiting.length - 1;
    const waiting = this.#waiting[last];
    if (waiting !== undefined && waiting.buffer === arrivals.buffer) this.#waiting[last] = new Uint8Array(waiting);
    return !this.#isPaused;
  }

  #received(bytes: Uint8Array): void {
    if (this.#host !== undefined) {
      this.#give(bytes as Buffer);
    } else {
      this.#waiting.push(bytes);
      if (this.secureConnecting) {
        if (!this.#isStepping) this.#step(this.#waiting.shift() as Uint8Array);
      } else if (!this.#isPaused) {
        this.#decryptWaiting();
      }
    }
  }

  /** Gives data to the reader; `false` when it wants no more for now. */
  #give(piece: Buffer): boolean {
    this.#bytesRead += piece.length;
    if (this.push(piece)) return true;
    this.#isPaused = true;
    this.#below.pause();
    return false;
  }

  #decryptWaiting(): void {
    const give = (piece: Buffer): boolean => this.#give(piece);
    for (let bytes = this.#waiting.shift(); bytes !== undefined; bytes = this.#waiting.shift()) {
      if (this.#connection === undefined) return;
      const { rest, state } = this.#connection.receive(bytes, give);
      // `push` ran code of the app's.
      if (this.#connection === undefined) return;
      if (rest !== undefined) this.#waiting.unshift(rest);
      if ((state & State.KeyLog) !== 0) this.#tellKeys();
      if ((state & State.Transmit) !== 0) this.#writeBelow(this.#connection.send(undefined));
      if ((state & State.Fault) !== 0) {
        const { code = 'EPROTO', message = '' } = factsOf(this.#connection.describe());
        this.destroy(errorOf(code, message));
        return;
      }
      if ((state & State.End) !== 0) {
        this.#waiting = [];
        this.#saidGoodbye = true;
        this.push(null);
        return;
      }
      if (this.#isPaused) return;
    }
  }

  #endedBelow(): void {
    this.#belowEnded = true;
    if (this.secureConnecting) {
      if (!this.#isStepping && this.#waiting.length === 0) this.#endedEarly();
    } else if (this.#waiting.length === 0 && !this.readableEnded && !this.destroyed) {
      // Without a goodbye, perhaps; the host takes that for one, too.
      this.push(null);
    }
  }

  #endedEarly(): void {
    if (this.destroyed || this.#host !== undefined) return;
    const { path, host, port, localAddress } = this.#options;
    const error = errorOf(
      'ECONNRESET',
      'Client network socket disconnected before secure TLS connection was established',
    );
    this.destroy(Object.assign(error, { path, host, port, localAddress }));
  }

  #writeBelow(pieces: Buffer[], done?: Callback): void {
    const below = this.#below;
    if (pieces.length === 0) {
      done?.();
    } else if (pieces.length === 1) {
      below.write(pieces[0] as Buffer, done);
    } else {
      below.cork();
      for (const [at, piece] of pieces.entries()) below.write(piece, at === pieces.length - 1 ? done : undefined);
      below.uncork();
    }
  }

  override _read(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#host === undefined && !this.secureConnecting) this.#decryptWaiting();
    if (this.#isPaused || this.destroyed) return;
    if (this.#belowEnded) this.#endedBelow();
    else this.#below.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Callback): void {
    if (this.secureConnecting) {
      this.#whenSecure.push(() => this._write(chunk, encoding, done));
      return;
    }
    this.#bytesWritten += chunk.length;
    if (this.#host !== undefined) this.#host.write(chunk, done);
    else if (this.#connection === undefined) done(this.#gone());
    else this.#writeBelow(this.#connection.send(chunk), done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Callback): void {
    if (this.secureConnecting) {
      this.#whenSecure.push(() => this._writev(chunks, done));
      return;
    }
    // One record for what was written in one turn, such as a header and a body.
    this._write(chunks.length === 1 ? (chunks[0] as { chunk: Buffer }).chunk : Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done);
  }

  #gone(): Error {
    return errorOf('ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed');
  }

  override _final(done: Callback): void {
    if (this.secureConnecting) {
      this.#whenSecure.push(() => this._final(done));
      return;
    }
    if (this.#host === undefined && this.#connection !== undefined) this.#writeBelow(this.#connection.close());
    this.#below.end(() => done());
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.#hadError = error !== null;
    this.#whenSecure = [];
    this.#waiting = [];
    this.#description = this.#connection?.describe();
    this.#ended = performance.now() - this.#started;
    this.#connection?.release();
    this.#connection = undefined;
    const below = this.#below as Socket | undefined;
    done(error);
    const close = (): void => {
      process.nextTick(() => this.emit('close', this.#hadError));
    };
    if (below === undefined || below.closed === true) close();
    else {
      below.once('close', close);
      // An alert that was just written goes out with what the host sends at once.
      below.destroy();
    }
  }

  /** As the host's: ends, and is destroyed once all is written. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): this {
    const below = this.#below as Socket & { resetAndDestroy?: () => void };
    if (typeof below.resetAndDestroy === 'function') below.resetAndDestroy();
    this.destroy();
    return this;
  }

  connect(): never {
    throw errorOf('ERR_SOCKET_ALREADY_CONNECTED', 'the socket was connected when it was made');
  }

  // What is known of the session.

  /** Nothing once it is destroyed, as on the host. */
  #read(): Record<string, string> {
    return this.#connection === undefined ? {} : factsOf(this.#connection.describe());
  }

  #certificates(): Buffer[] {
    if (this.#chain === undefined) {
      const chain: Buffer[] = [];
      for (let at = Number(this.#read()['certificates'] ?? 0) - 1; at >= 0; at--) {
        const der = this.#connection?.certificate(at);
        if (der !== undefined) chain.unshift(der);
      }
      if (this.secureConnecting && chain.length === 0) return chain;
      this.#chain = chain;
    }
    return this.#chain;
  }

  getCipher(): unknown {
    if (this.#host !== undefined) return this.#host.getCipher();
    const { suite } = this.#read();
    return suite === undefined ? undefined : cipherOf(suite);
  }

  getProtocol(): string | null {
    if (this.#host !== undefined) return this.#host.getProtocol();
    const { version } = this.#read();
    return version === undefined ? null : protocolOf(version);
  }

  getEphemeralKeyInfo(): unknown {
    if (this.#host !== undefined) return this.#host.getEphemeralKeyInfo();
    return keyInfoOf(this.#read()['group'] ?? '');
  }

  getPeerCertificate(isDetailed?: boolean): unknown {
    if (this.#host !== undefined) return this.#host.getPeerCertificate(isDetailed === true);
    if (this.#connection === undefined) return null;
    return peerCertificate(this.#certificates(), isDetailed === true ? this.#roots : undefined);
  }

  getPeerX509Certificate(): X509Certificate | undefined {
    if (this.#host !== undefined) return this.#host.getPeerX509Certificate();
    const [leaf] = this.#certificates();
    return leaf === undefined ? undefined : new X509Certificate(leaf);
  }

  getX509Certificate(): X509Certificate | undefined {
    if (this.#host !== undefined) return this.#host.getX509Certificate();
    const { cert } = this.#options;
    if (cert === undefined || cert === null) return undefined;
    return new X509Certificate((Array.isArray(cert) ? cert[0] : cert) as string);
  }

  getCertificate(): unknown {
    if (this.#host !== undefined) return this.#host.getCertificate();
    const own = this.getX509Certificate() as (X509Certificate & { toLegacyObject(): unknown }) | undefined;
    return own === undefined ? {} : own.toLegacyObject();
  }

  isSessionReused(): boolean {
    if (this.#host !== undefined) return this.#host.isSessionReused();
    return this.#read()['resumed'] === '1';
  }

  /** None: tickets are kept by the addon, which uses them by itself. */
  getSession(): Buffer | undefined {
    return this.#host?.getSession();
  }

  getTLSTicket(): Buffer | undefined {
    return this.#host?.getTLSTicket();
  }

  getFinished(): Buffer | undefined {
    return this.#host?.getFinished();
  }

  getPeerFinished(): Buffer | undefined {
    return this.#host?.getPeerFinished();
  }

  getSharedSigalgs(): string[] {
    return this.#host?.getSharedSigalgs() ?? [];
  }

  exportKeyingMaterial(length: number, label: string, context?: Buffer): Buffer {
    if (this.#host !== undefined) return this.#host.exportKeyingMaterial(length, label, context as Buffer);
    const material = this.secureConnecting
      ? undefined
      : this.#connection?.exportKeyingMaterial(length, Buffer.from(label), context);
    if (material === undefined) throw errorOf('ERR_TLS_INVALID_STATE', 'TLS socket connection must be securely established');
    return material;
  }

  setMaxSendFragment(size: number): boolean {
    return this.#host?.setMaxSendFragment(size) ?? false;
  }

  disableRenegotiation(): void {}

  /** There is no such thing in TLS 1.3, and none of it is done in 1.2. */
  renegotiate(options: unknown, callback?: Callback): boolean | undefined {
    if (this.#host !== undefined) return this.#host.renegotiate(options as never, callback as never);
    const error = errorOf('ERR_SSL_NO_RENEGOTIATION', 'no renegotiation');
    if (callback !== undefined) process.nextTick(callback, error);
    return false;
  }

  enableTrace(): void {
    this.#host?.enableTrace();
  }

  setServername(): void {
    throw errorOf('ERR_TLS_INVALID_STATE', 'the name was sent already');
  }

  setSession(): void {}

  /** When the parts of the handshake happened. */
  get alacryptTimings(): HandshakeTimings {
    const facts = factsOf(this.#connection?.describe() ?? this.#description ?? '');
    // The addon has a clock of its own, which told what time it was.
    const shift = (this.#connection === undefined ? this.#ended : performance.now() - this.#started) - Number(facts['now'] ?? 0) / 1000;
    const at = (name: string): number | undefined =>
      facts[name] === undefined ? undefined : Math.max(0, Number(facts[name]) / 1000 + shift);
    return {
      connected: this.#connected,
      clientHello: at('clientHello'),
      serverHello: at('serverHello'),
      flightEnd: at('flightEnd'),
      answer: at('answer'),
      secure: this.#secure,
      firstData: at('firstData'),
      cpu: facts['cpu'] === undefined ? undefined : Number(facts['cpu']) / 1000,
    };
  }

  // The socket below.

  setTimeout(milliseconds: number, callback?: () => void): this {
    if (callback !== undefined) {
      if (milliseconds === 0) this.removeListener('timeout', callback);
      else this.once('timeout', callback);
    }
    this.#below.setTimeout(milliseconds);
    return this;
  }

  #set(name: string, set: (below: Socket) => void): this {
    this.#settings.set(name, set);
    set(this.#below);
    return this;
  }

  setNoDelay(noDelay?: boolean): this {
    return this.#set('delay', (below) => below.setNoDelay?.(noDelay));
  }

  setKeepAlive(isOn?: boolean, delay?: number): this {
    return this.#set('keep alive', (below) => below.setKeepAlive?.(isOn, delay));
  }

  ref(): this {
    return this.#set('ref', (below) => below.ref?.());
  }

  unref(): this {
    return this.#set('ref', (below) => below.unref?.());
  }

  setKeyCert(context: unknown): void {
    (this.#host as unknown as { setKeyCert?: (context: unknown) => void } | undefined)?.setKeyCert?.(context);
  }

  getTypeOfService(): number {
    return (this.#below as unknown as { getTypeOfService(): number }).getTypeOfService();
  }

  setTypeOfService(tos: number): this {
    return this.#set('type of service', (below) => (below as unknown as { setTypeOfService(tos: number): void }).setTypeOfService(tos));
  }

  address(): unknown {
    return this.#below.address?.() ?? {};
  }

  get timeout(): number | undefined {
    return this.#below.timeout;
  }

  get connecting(): boolean {
    return this.#below.connecting === true;
  }

  get pending(): boolean {
    return this.#below.pending === true;
  }

  get readyState(): string {
    if (this.connecting) return 'opening';
    if (this.readable && this.writable) return 'open';
    if (this.readable) return 'readOnly';
    return this.writable ? 'writeOnly' : 'closed';
  }

  get bufferSize(): number | undefined {
    return this.writableLength;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  get bytesWritten(): number {
    return this.#bytesWritten + this.writableLength;
  }

  get remoteAddress(): string | undefined {
    return this.#below.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#below.remotePort;
  }

  get remoteFamily(): string | undefined {
    return this.#below.remoteFamily;
  }

  get localAddress(): string | undefined {
    return this.#below.localAddress;
  }

  get localPort(): number | undefined {
    return this.#below.localPort;
  }

  get localFamily(): string | undefined {
    return this.#below.localFamily;
  }

  get autoSelectFamilyAttemptedAddresses(): string[] | undefined {
    return (this.#below as Socket & { autoSelectFamilyAttemptedAddresses?: string[] }).autoSelectFamilyAttemptedAddresses;
  }
}

export type { LookupFunction };

// For those who ask whether a socket is secure by its class. The methods that are the host's alone work on
// its handle, which there is none of, and are all in this class as well.
Object.setPrototypeOf(TLSSocket.prototype, tls.TLSSocket.prototype);
