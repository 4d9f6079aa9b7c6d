/**
 * Whom the host trusts by default: a connection of ours trusts the same.
 */

import fs from 'node:fs';

import { tls } from './host';

type WithDefaults = typeof tls & { getCACertificates?: (type: 'default') => readonly string[] };

interface Found {
  readonly key: string;
  readonly texts: readonly string[];
}

let found: Found | undefined;
let from: unknown;
let generation = 0;

/**
 * The certificates that the host trusts unless `ca` says otherwise, which `tls.setDefaultCACertificates`
 * changes. Lines that cannot be asked have their built-in ones and those of `NODE_EXTRA_CA_CERTS`.
 */
export function hostRoots(): Found {
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
