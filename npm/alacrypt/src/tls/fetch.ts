/**
 * `fetchAll`: many files at once, on sockets of the addon's own; the event loop is told at the end.
 */

import { Waiting, startWaiting } from '../job';
import { native } from '../native';
import { NO_ID, Status, Word, occupy, words } from '../scratch';
import { WorkCounter, counters } from '../stats';
import { clientOf } from './clients';
import { Items } from './items';
import { HOST_ONLY } from './option-names';
import { Flag, settingsOf } from './options';
import type { Options } from './host';

/** A file to download. */
export interface FetchRequest {
  url: string | URL;
  to: string;
  integrity?: string;
  authorization?: string;
  authorizationPath?: string;
}

/** What became of one. */
export interface Fetched {
  url: string;
  to: string;
  bytes: number;
  resumedFrom: number;
  wasThere: boolean;
  error: NodeJS.ErrnoException | undefined;
}

export interface FetchOptions extends Record<string, unknown> {
  concurrency?: number;
  timeout?: number;
  repetitions?: number;
  integrity?: 'required' | 'optional';
  signal?: AbortSignal;
  httpsProxy?: string | null;
  httpProxy?: string | null;
  noProxy?: string;
}

const counter = new WorkCounter();
(counters as unknown as Record<string, WorkCounter>)['tls.fetchAll'] = counter;

const enum Item {
  Url = 1,
  To = 2,
  Integrity = 3,
  Authorization = 4,
  AuthorizationPath = 5,
  AtOnce = 6,
  Patience = 7,
  Repetitions = 8,
  HttpsProxy = 9,
  HttpProxy = 10,
  NoProxy = 11,
}

const TYPE = 'ALACRYPTFETCH';
/** Of `connect`; none must be ignored that somebody relies on. */
const UNKNOWN = [...HOST_ONLY, 'ALPNProtocols', 'checkServerIdentity', 'rejectUnauthorized', 'servername', 'socket'];
const MOST_AT_ONCE = 1024;

function fault(code: string, message: string, Kind: ErrorConstructor = Error): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Kind(message);
  error.code = code;
  return error;
}

function whole(name: string, value: unknown, most: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw fault('ERR_INVALID_ARG_TYPE', `options.${name} must be a number`, TypeError);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw fault('ERR_OUT_OF_RANGE', `options.${name} must be a whole number from 0 to ${most}`, RangeError);
  }
  return String(value);
}

/** The list as `crates/alacrypt-node/src/tls/fetch.rs` reads it. */
function orderOf(requests: readonly FetchRequest[], options: FetchOptions): Uint8Array {
  const items = new Items();
  const { env } = process;
  const either = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  items.add(Item.AtOnce, whole('concurrency', options.concurrency, MOST_AT_ONCE));
  items.add(Item.Patience, whole('timeout', options.timeout, 0x7fffffff));
  items.add(Item.Repetitions, whole('repetitions', options.repetitions, 100));
  const all = either('ALL_PROXY');
  items.add(Item.HttpsProxy, options.httpsProxy === undefined ? (either('HTTPS_PROXY') ?? all) : (options.httpsProxy ?? undefined));
  items.add(Item.HttpProxy, options.httpProxy === undefined ? (either('HTTP_PROXY') ?? all) : (options.httpProxy ?? undefined));
  items.add(Item.NoProxy, options.noProxy ?? either('NO_PROXY'));
  for (const [at, request] of requests.entries()) {
    const { to, integrity, authorization, authorizationPath } = request;
    const url = String(request.url);
    const texts = { to, integrity, authorization, authorizationPath };
    for (const [name, text] of Object.entries(texts)) {
      if (text === undefined ? name === 'to' : typeof text !== 'string') {
        throw fault('ERR_INVALID_ARG_TYPE', `requests[${at}].${name} must be a string`, TypeError);
      }
    }
    if (integrity === undefined && options.integrity === 'required') {
      throw fault('ERR_INVALID_ARG_VALUE', `requests[${at}] has no integrity value`, TypeError);
    }
    items.add(Item.Url, url);
    items.add(Item.To, to);
    items.add(Item.Integrity, integrity);
    items.add(Item.Authorization, authorization);
    items.add(Item.AuthorizationPath, authorizationPath);
  }
  return items.bytes();
}

/** Downloads files; see `types/tls.d.ts`. */
export async function fetchAll(requests: Iterable<FetchRequest>, options: FetchOptions = {}): Promise<Fetched[]> {
  const list = [...requests];
  const { signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw fault('ERR_INVALID_ARG_TYPE', 'options.signal must be an AbortSignal', TypeError);
  }
  for (const name of UNKNOWN) {
    if (options[name] !== undefined) throw fault('ERR_INVALID_ARG_VALUE', `options.${name} is not supported by fetchAll`, TypeError);
  }
  signal?.throwIfAborted();
  const order = orderOf(list, options);
  const { ca, cert, key, passphrase, minVersion, maxVersion } = options as Options;
  const settings = settingsOf({ ca, cert, key, passphrase, minVersion, maxVersion, servername: 'any', ALPNProtocols: ['http/1.1'] } as unknown as Options);
  // There is nobody to hand this to: the host has no such function.
  if (typeof settings === 'string') throw fault('ERR_INVALID_ARG_VALUE', `not possible here: ${settings}`, TypeError);
  const flags = settings.flags | Flag.ChecksNames;
  const client = clientOf({ ...settings, flags, key: `${flags}, with names\n${settings.key}` });
  if (native === undefined || client === undefined) throw fault('ERR_CRYPTO_OPERATION_FAILED', 'the engine is not there');
  words[Word.Id] = client;
  native.tlsFetchNew(order);
  order.fill(0);
  const id = words[Word.Id] as number;
  if (words[Word.Status] !== Status.Done || id === NO_ID) throw fault('ERR_CRYPTO_OPERATION_FAILED', 'too many downloads at once');
  try {
    const lines = await done(id, signal);
    return list.map(({ url, to }, at) => ({ url: String(url), to, ...resultOf(lines[at] ?? '') }));
  } finally {
    words[Word.Id] = id;
    native.tlsFetchRelease();
  }
}

/** One line of `tlsFetchResults`. */
function resultOf(line: string): Pick<Fetched, 'bytes' | 'resumedFrom' | 'wasThere' | 'error'> {
  const [sign, first = '', second = '', third] = line.split('\t');
  if (sign === '+') return { bytes: Number(first), resumedFrom: Number(second), wasThere: third === '1', error: undefined };
  return { bytes: 0, resumedFrom: 0, wasThere: false, error: fault(first || 'ERR_CRYPTO_OPERATION_FAILED', second) };
}

/** The lines of the list of that number. */
function linesOf(id: number): string[] {
  for (let length = 16 * 1024; ; ) {
    const out = Buffer.allocUnsafe(length);
    words[Word.Id] = id;
    native?.tlsFetchResults(undefined, out);
    const found = words[Word.OutputLength] as number;
    if (found <= length) return out.toString('utf8', 0, found).split('\n');
    length = found;
  }
}

function done(id: number, signal: AbortSignal | undefined): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      words[Word.Id] = id;
      native?.tlsFetchStop();
      reject(signal?.reason);
    };
    const settle = (isDone: unknown): void => {
      signal?.removeEventListener('abort', stop);
      if (signal?.aborted === true) return;
      if (isDone !== true) {
        reject(fault('ERR_CRYPTO_OPERATION_FAILED', 'the downloads were stopped'));
        return;
      }
      resolve(linesOf(id));
    };
    occupy();
    words[Word.Id] = id;
    const waiting = new Waiting(counter, (status) => status === Status.Done, () => false, settle);
    if (native === undefined || !startWaiting(TYPE, native.tlsFetchJob, waiting, 0)) {
      reject(fault('ERR_CRYPTO_OPERATION_FAILED', 'no thread can be started'));
      return;
    }
    signal?.addEventListener('abort', stop, { once: true });
  });
}
