/**
 * Whom the host trusts by default: a connection of ours trusts the same.
 */

import fs from 'node:fs';
import { types } from 'node:util';

import { tls } from './host';

type WithDefaults = typeof tls & { getCACertificates?: (type: 'default') => readonly string[] };

/** Certificates as PEM; the same ones have the same key, which is short. */
export interface Roots {
  readonly key: string;
  readonly texts: readonly string[];
}

let found: Roots | undefined;
let from: unknown;
let generation = 0;

/** Texts that were given, by themselves, which costs a string that is used again nothing. */
const known = new Map<string, Roots | undefined>();
const MOST_KNOWN = 256;
/** Bytes that were given, with what was in them then. */
const seen = new WeakMap<object, { bytes: Buffer; text: string }>();

/** A text, whatever it was given as; `undefined` of what is neither string nor bytes. */
export function textOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (!types.isUint8Array(given)) return undefined;
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const before = seen.get(given);
  if (before !== undefined && before.bytes.equals(bytes)) return before.text;
  const text = bytes.toString('latin1');
  seen.set(given, { bytes: Buffer.from(bytes), text });
  return text;
}

/** Roots that are given; `undefined` of what only the host understands. */
export function givenRoots(given: unknown): Roots | undefined {
  const text = textOf(given);
  if (text === undefined) return undefined;
  if (known.has(text)) return known.get(text);
  // Other forms of PEM (`TRUSTED CERTIFICATE`) mean something to the host alone.
  const isPlain = text.includes('-----BEGIN CERTIFICATE-----') && !/-----BEGIN (?!CERTIFICATE-----)/.test(text);
  const roots = isPlain ? { key: `given ${generation++}`, texts: [text] } : undefined;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, roots);
  return roots;
}

/** All of them. */
export function joined(all: readonly Roots[]): Roots {
  const key = all.map((one) => one.key).join();
  return { key, texts: all.flatMap(({ texts }) => texts) };
}

/**
 * The certificates that the host trusts unless `ca` says otherwise, which `tls.setDefaultCACertificates`
 * changes. Lines that cannot be asked have their built-in ones and those of `NODE_EXTRA_CA_CERTS`.
 */
export function hostRoots(): Roots {
  const { getCACertificates } = tls as WithDefaults;
  const texts = getCACertificates === undefined ? tls.rootCertificates : getCACertificates('default');
  if (found !== undefined && from === texts) return found;
  from = texts;
  const extra = getCACertificates === undefined ? extraRoots() : [];
  found = { key: `default ${generation++}`, texts: [texts.join('\n'), ...extra] };
  return found;
}

function extraRoots(): string[] {
  const file = process.env['NODE_EXTRA_CA_CERTS'];
  if (file === undefined || file === '') return [];
  try {
    return [fs.readFileSync(file, 'latin1')];
  } catch {
    // The host has warned.
    return [];
  }
}
