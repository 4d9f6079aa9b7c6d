/**
 * The addon's clients: one for all connections of the same settings, with their tickets and verified
 * chains.
 */

import { native } from '../native';
import { NO_ID, Status, Word, words } from '../scratch';
import { Items } from './items';
import type { Settings } from './options';

/** Numbers by keys of settings, the one used longest ago first. */
const clients = new Map<string, number>();
/** Of the addon's 1,024; connections that are under way keep what they need of those given back. */
const MOST_CLIENTS = 256;

const enum Item {
  Roots = 1,
  Chain = 2,
  Key = 3,
  Protocol = 4,
  Flags = 5,
}

/** A client with these settings; `undefined` where the addon has none. */
export function clientOf(settings: Settings): number | undefined {
  let id = clients.get(settings.key);
  if (id !== undefined) {
    clients.delete(settings.key);
    clients.set(settings.key, id);
    return id;
  }
  const bytes = written(settings);
  native?.tlsClientNew(bytes);
  bytes.fill(0);
  if (native === undefined || words[Word.Status] !== Status.Done) return undefined;
  id = words[Word.Id] as number;
  if (id === NO_ID) return undefined;
  clients.set(settings.key, id);
  if (clients.size > MOST_CLIENTS) {
    const [oldest] = clients as Iterable<[string, number]>;
    if (oldest !== undefined) {
      clients.delete(oldest[0]);
      words[Word.Id] = oldest[1];
      native.tlsClientRelease();
    }
  }
  return id;
}

/** Settings as `crates/alacrypt-node/src/tls/settings.rs` reads them. */
function written({ roots, chain, privateKey, protocols, flags }: Settings): Uint8Array {
  const items = new Items();
  for (const text of roots) items.add(Item.Roots, Buffer.from(text, 'latin1'));
  if (chain !== undefined) items.add(Item.Chain, Buffer.from(chain, 'latin1'));
  items.add(Item.Key, privateKey);
  for (const name of protocols) items.add(Item.Protocol, Buffer.from(name, 'latin1'));
  items.add(Item.Flags, Uint8Array.of(flags));
  return items.bytes();
}
