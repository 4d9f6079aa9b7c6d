/**
 * One connection in the addon: steps of its handshake on the pool, everything after it in the call.
 */

import { types } from 'node:util';

import { Waiting, startWaiting } from '../job';
import { native } from '../native';
import { Encoding, INPUT_CAPACITY, NO_ID, Status, Word, input, occupy, outputView, wipeOutput, words } from '../scratch';
import { WorkCounter, counters } from '../stats';

/** Calls of `connect`; in the table of counts once this file is read. */
export const counter = new WorkCounter();
(counters as unknown as Record<string, WorkCounter>)['tls.connect'] = counter;

/** Bits of what became of a call; see `crates/alacrypt-node/src/tls.rs`. */
export const enum State {
  Handshaking = 1,
  Transmit = 2,
  More = 4,
  End = 8,
  Fault = 16,
  KeyLog = 32,
  Refused = 64,
}

/** What became of a step of a handshake. */
export interface Step {
  readonly state: State;
  /** The digest of the server's certificate, once the handshake is done; a character for each byte. */
  readonly leaf: string;
  /** The protocol that was agreed on; empty for none. */
  readonly protocol: string;
}

const DIGEST_LENGTH = 32;

/** What `async_hooks` calls a step of a handshake. */
const TYPE = 'TLSWRAP';
/** Room for data: carved up for the pieces of several connections. */
const SLAB_LENGTH = 64 * 1024;
/** So much is decrypted in one piece at least; what is shorter than {@link COPIED_LENGTH} keeps no slab alive. */
const PIECE_LENGTH = 16 * 1024;
const COPIED_LENGTH = 2048;
/** What encryption adds to a record of 16 KiB, and what else may have to be sent, at most. */
const RECORD_LENGTH = 16 * 1024;
const RECORD_OVERHEAD = 64;
const SPARE_LENGTH = 512;

let slab = Buffer.alloc(0);

/** Numbers of connections that were dropped without a word. */
const abandoned = new FinalizationRegistry<number>((id) => {
  words[Word.Id] = id;
  native?.tlsRelease();
});

const utf8 = new TextEncoder();

/** The facts that {@link Connection.describe} tells, by name. */
export function factsOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const tab = line.indexOf('\t');
    if (tab > 0) found[line.slice(0, tab)] = line.slice(tab + 1);
  }
  return found;
}

function stepOf(status: Status): Step | undefined {
  if (status !== Status.Done) return undefined;
  const length = words[Word.OutputLength] as number;
  const text = stepText.latin1Slice(0, length);
  wipeOutput(length);
  return {
    state: text.charCodeAt(0) as State,
    leaf: text.slice(1, 1 + DIGEST_LENGTH),
    protocol: text.slice(1 + DIGEST_LENGTH),
  };
}

/** The output, whose bytes are read as characters. */
const stepText = Buffer.from(outputView(512).buffer, outputView(512).byteOffset, 512) as Buffer & {
  latin1Slice(from: number, to: number): string;
};

export class Connection {
  readonly #id: number;
  #isOpen = true;

  private constructor(id: number) {
    this.#id = id;
    abandoned.register(this, id, this);
  }

  /** A connection to a host; `undefined` where the addon makes none. */
  static of(client: number, host: string): Connection | undefined {
    words[Word.Id] = client;
    native?.tlsNew(utf8.encode(host));
    if (native === undefined || words[Word.Status] !== Status.Done || words[Word.Id] === NO_ID) return undefined;
    return new Connection(words[Word.Id] as number);
  }

  /**
   * Starts a step of the handshake with as much of `bytes` as fits; says how much that is. `logsKeys` asks for
   * the key log of what comes from now on. `done` gets
   * the state, or `undefined` where the step was not made.
   */
  step(bytes: Uint8Array, logsKeys: boolean, done: (step: Step | undefined) => void): number {
    const length = Math.min(bytes.length, INPUT_CAPACITY);
    occupy();
    if (length > 0) input.set(length === bytes.length ? bytes : bytes.subarray(0, length));
    words[Word.Id] = this.#id;
    words[Word.DataLength] = length;
    words[Word.Scheme] = logsKeys ? 1 : 0;
    const waiting = new Waiting(
      counter,
      stepOf,
      () => undefined,
      done as (step: unknown) => void,
    );
    if (native === undefined || !startWaiting(TYPE, native.tlsStepJob, waiting, length)) {
      process.nextTick(done, undefined);
    } else {
      // Steps are not calls.
      counter.served--;
    }
    return length;
  }

  /**
   * Decrypts `bytes` and whatever waits; `push` gets the pieces and says whether it wants more. Returns
   * what was not taken, and the state.
   */
  receive(bytes: Uint8Array, push: (piece: Buffer) => boolean): { rest: Uint8Array | undefined; state: State } {
    // The addon reads the memory as if nobody wrote to it.
    let data = types.isSharedArrayBuffer(bytes.buffer) ? new Uint8Array(bytes) : bytes;
    for (;;) {
      if (slab.length < PIECE_LENGTH) slab = Buffer.allocUnsafeSlow(SLAB_LENGTH);
      const room = slab;
      words[Word.Id] = this.#id;
      native?.tlsReceive(data, room);
      const taken = words[Word.DataLength] as number;
      const written = words[Word.OutputLength] as number;
      const state = words[Word.Kind] as State;
      if (native === undefined || words[Word.Status] !== Status.Done) return { rest: undefined, state: State.Fault };
      data = data.subarray(taken);
      let wantsMore = true;
      if (written > 0) {
        let piece = room.subarray(0, written);
        if (written < COPIED_LENGTH) piece = Buffer.from(piece);
        else slab = room.subarray(written);
        wantsMore = push(piece);
      }
      const isLeft = data.length > 0 || (state & State.More) !== 0;
      if (!this.#isOpen || !isLeft || !wantsMore || (state & (State.Fault | State.End)) !== 0) {
        return { rest: isLeft ? data : undefined, state };
      }
      // Neither taken nor written, and more is there: it needs room, which it had.
      if (taken === 0 && written === 0) return { rest: data.length > 0 ? data : undefined, state };
    }
  }

  /** Encrypts; also gives what else is to be sent. */
  send(bytes: Uint8Array | undefined): Buffer[] {
    let data = bytes !== undefined && types.isSharedArrayBuffer(bytes.buffer) ? new Uint8Array(bytes) : bytes;
    const pieces: Buffer[] = [];
    for (;;) {
      const length = data?.length ?? 0;
      const records = Math.ceil(length / RECORD_LENGTH);
      const out = Buffer.allocUnsafe(
        length + records * RECORD_OVERHEAD + (length === 0 ? 4 * SPARE_LENGTH : SPARE_LENGTH),
      );
      words[Word.Id] = this.#id;
      native?.tlsSend(data, out);
      if (native === undefined || words[Word.Status] !== Status.Done) return pieces;
      const taken = words[Word.DataLength] as number;
      const written = words[Word.OutputLength] as number;
      if (written > 0) pieces.push(out.subarray(0, written));
      if (taken > 0) data = data?.subarray(taken);
      const isMore = (data !== undefined && data.length > 0) || ((words[Word.Kind] as number) & State.Transmit) !== 0;
      if (!isMore || (taken === 0 && written === 0)) return pieces;
    }
  }

  /** Says goodbye; returns the bytes for it. */
  close(): Buffer[] {
    words[Word.Id] = this.#id;
    native?.tlsClose();
    return this.send(undefined);
  }

  /** What is known of it, as text (see {@link factsOf}). */
  describe(): string {
    words[Word.Id] = this.#id;
    words[Word.Encoding] = Encoding.Latin1;
    const text = native?.tlsDescribe() ?? '';
    words[Word.Encoding] = Encoding.Scratch;
    return text;
  }

  /** A certificate of the peer's chain, in DER. */
  certificate(number: number): Buffer | undefined {
    return this.#copy(number, undefined, 4096);
  }

  /** The lines of the key log since this was last asked. */
  keyLog(): Buffer | undefined {
    return this.#copy(NO_ID, undefined, 16 * 1024);
  }

  /** See RFC 5705. */
  exportKeyingMaterial(length: number, label: Uint8Array, context: Uint8Array | undefined): Buffer | undefined {
    const both = context === undefined ? label : Buffer.concat([label, context]);
    words[Word.ContextLength] = context === undefined ? NO_ID : context.length;
    const out = Buffer.alloc(length);
    return this.#copyInto(0, both, out) === undefined ? undefined : out;
  }

  /** Gives it back to the addon. */
  release(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    abandoned.unregister(this);
    words[Word.Id] = this.#id;
    native?.tlsRelease();
  }

  #copy(number: number, label: Uint8Array | undefined, room: number): Buffer | undefined {
    const out = Buffer.allocUnsafe(room);
    const length = this.#copyInto(number, label, out);
    if (length === undefined) return undefined;
    if (length > room) return number === NO_ID ? out : this.#copy(number, label, length);
    return out.subarray(0, length);
  }

  #copyInto(number: number, label: Uint8Array | undefined, out: Uint8Array): number | undefined {
    if (!this.#isOpen) return undefined;
    words[Word.Id] = this.#id;
    words[Word.Scheme] = number;
    native?.tlsCopy(label, out);
    return native !== undefined && words[Word.Status] === Status.Done ? (words[Word.OutputLength] as number) : undefined;
  }
}
