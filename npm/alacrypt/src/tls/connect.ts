/**
 * `connect`: as `tls.connect`, with the addon where it can do what the options ask for.
 */

import type { TLSSocket as HostSocket } from 'node:tls';

import { loadError, native } from '../native';
import { clientOf } from './clients';
import { Connection, counter } from './connection';
import { type Options, hostConnect, net } from './host';
import { settingsOf } from './options';
import { TLSSocket, isHostOnly } from './socket';

type Callback = () => void;

/** What is asked for, by the rules of `tls.connect`: `(options, cb)`, `(port, host, options, cb)`, `(path, options, cb)`. */
function normalized(args: readonly unknown[]): { options: Options; callback: Callback | undefined } | undefined {
  const last = args.at(-1);
  const callback = typeof last === 'function' ? (last as Callback) : undefined;
  const [first, second, third] = args;
  const options: Record<string, unknown> = {};
  if (typeof first === 'object' && first !== null) Object.assign(options, first);
  else if (typeof first === 'number' || (typeof first === 'string' && /^[0-9]+$/.test(first))) options['port'] = Number(first);
  else if (typeof first === 'string') options['path'] = first;
  else return undefined;
  if (typeof second === 'string') options['host'] = second;
  if (typeof first !== 'object') {
    for (const more of [second, third]) if (typeof more === 'object' && more !== null) Object.assign(options, more);
  }
  return { options: options as Options, callback };
}

/** As `tls.connect`. */
export function connect(...args: unknown[]): TLSSocket | HostSocket {
  const handBack = (reason: Parameters<typeof counter.handBack>[0]): HostSocket => {
    counter.handBack(reason);
    return Reflect.apply(hostConnect, undefined, args) as HostSocket;
  };
  if (native === undefined || loadError !== undefined) return handBack('no native binary');
  const asked = normalized(args);
  if (asked === undefined) return handBack('arguments');
  const { options, callback } = asked;
  const settings = settingsOf(options);
  if (typeof settings === 'string') return handBack(settings as 'options');
  const below = options.socket as { _host?: string } | undefined;
  const name = options.servername || (options.host as string | undefined) || below?._host || 'localhost';
  if (typeof name !== 'string') return handBack('arguments');
  const place = `${name}:${String(options.port ?? options.path ?? '')}\n${settings.key}`;
  if (options.socket === undefined && isHostOnly(place)) return handBack('engine refused');
  const client = clientOf(settings);
  // What is in brackets is for the host to refuse.
  const connection = client === undefined || net.isIP(name) === 0 && name.includes('[') ? undefined : Connection.of(client, name);
  if (connection === undefined) return handBack('engine refused');
  const socket = new TLSSocket(options, connection, place, settings.roots);
  if (callback !== undefined) socket.once('secureConnect', callback);
  return socket;
}
