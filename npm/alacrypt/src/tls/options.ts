/**
 * The options of `tls.connect`: what this package can do, and what only the host can.
 */

import { X509Certificate, createHash, createPrivateKey } from 'node:crypto';
import { types } from 'node:util';

import { fips } from '../policy';
import { type Options, hostCheckServerIdentity, net, tls } from './host';
import { HOST_ONLY } from './option-names';
import { type Roots, givenRoots, hostRoots, joined, textOf } from './roots';

/** What decides whom a connection trusts and as whom it speaks. */
export interface Settings {
  /** Settings with the same key are the same. */
  readonly key: string;
  readonly roots: readonly string[];
  readonly chain: string | undefined;
  /** PKCS #8. */
  readonly privateKey: Buffer | undefined;
  readonly protocols: readonly string[];
  readonly flags: number;
}

/** Bits of {@link Settings.flags}; see `crates/alacrypt-node/src/tls/settings.rs`. */
export const enum Flag {
  Tells = 1,
  OnlyTls12 = 2,
  OnlyTls13 = 4,
  Classical = 8,
  NoServerName = 16,
  ChecksNames = 32,
}

/** Why the host makes a connection. */
export type HostReason = 'options' | 'arguments' | 'FIPS is on' | 'no native binary' | 'server';

/** Of the host's command line: they change what each connection does. */
const hasSwitches = /--(tls-keylog|trace-tls|tls-cipher-list|use-openssl-ca|secure-heap|openssl-config)\b/.test(
  `${process.execArgv.join(' ')} ${process.env['NODE_OPTIONS'] ?? ''}`,
);
const { DEFAULT_CIPHERS, DEFAULT_ECDH_CURVE } = tls;

/** The settings of a connection with these options, or why only the host can make it. */
export function settingsOf(options: Options): Settings | HostReason {
  if (fips()) return 'FIPS is on';
  if (hasSwitches || process.env['OPENSSL_CONF'] || process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') return 'options';
  if (tls.DEFAULT_CIPHERS !== DEFAULT_CIPHERS || tls.DEFAULT_ECDH_CURVE !== DEFAULT_ECDH_CURVE) return 'options';
  for (const name of HOST_ONLY) {
    const value = options[name];
    if (value !== undefined && value !== null && !isDefault(name, value)) return 'options';
  }
  const { servername, checkServerIdentity = hostCheckServerIdentity, signal, socket } = options;
  if (typeof checkServerIdentity !== 'function') return 'arguments';
  if (servername !== undefined && servername !== null) {
    // The host throws where it is an address, and sends no name where it is empty.
    if (typeof servername !== 'string' || servername === '' || net.isIP(servername) !== 0) return 'arguments';
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) return 'arguments';
  if (socket !== undefined && (typeof socket !== 'object' || socket === null)) return 'arguments';

  const versions = versionFlags(options);
  const protocols = protocolsOf(options.ALPNProtocols);
  const roots = rootsOf(options.ca);
  const own = ownCertificate(options);
  if (typeof versions !== 'number' || protocols === undefined || roots === undefined || own === undefined) {
    return 'arguments';
  }
  const flags =
    versions |
    (options.rejectUnauthorized === false ? Flag.Tells : 0) |
    (typeof servername === 'string' ? 0 : Flag.NoServerName);
  return {
    key: `${flags}\n${protocols.join('\n')}\n\n${own.digest}\n${roots.key}`,
    roots: roots.texts,
    chain: own.chain,
    privateKey: own.key,
    protocols,
    flags,
  };
}

/** Whether a value says the same as none. */
function isDefault(name: string, value: unknown): boolean {
  switch (name) {
    case 'ciphers':
      return value === DEFAULT_CIPHERS;
    case 'ecdhCurve':
      return value === DEFAULT_ECDH_CURVE;
    default:
      return value === false && (name === 'enableTrace' || name === 'requestOCSP' || name === 'allowPartialTrustChain');
  }
}

function versionFlags({ minVersion = tls.DEFAULT_MIN_VERSION, maxVersion = tls.DEFAULT_MAX_VERSION }: Options): number | undefined {
  const from13 = minVersion === 'TLSv1.3';
  const to12 = maxVersion === 'TLSv1.2';
  if ((!from13 && minVersion !== 'TLSv1.2') || (!to12 && maxVersion !== 'TLSv1.3')) return undefined;
  if (from13 && to12) return undefined;
  return (from13 ? Flag.OnlyTls13 : 0) | (to12 ? Flag.OnlyTls12 : 0);
}

/** The names of protocols; `undefined` of what the host has something to say about. */
function protocolsOf(given: unknown): readonly string[] | undefined {
  if (given === undefined || given === null) return [];
  const names: string[] = [];
  if (Array.isArray(given)) {
    for (const name of given as unknown[]) {
      const text = typeof name === 'string' ? name : undefined;
      if (text === undefined || !/^[!-~]{1,255}$/.test(text)) return undefined;
      names.push(text);
    }
    return names;
  }
  if (!types.isUint8Array(given)) return undefined;
  // As on the wire (RFC 7301, section 3.1): each behind its length.
  const wire = Buffer.from(given);
  for (let at = 0; at < wire.length; ) {
    const end = at + 1 + (wire[at] as number);
    const text = wire.toString('latin1', at + 1, end);
    if (end > wire.length || !/^[!-~]+$/.test(text)) return undefined;
    names.push(text);
    at = end;
  }
  return names;
}

function rootsOf(ca: unknown): Roots | undefined {
  if (ca === undefined || ca === null) return hostRoots();
  if (!Array.isArray(ca)) return givenRoots(ca);
  const all = (ca as unknown[]).map(givenRoots);
  if (all.length === 0 || all.includes(undefined)) return undefined;
  return joined(all as Roots[]);
}

interface OwnCertificate {
  readonly digest: string;
  readonly chain: string | undefined;
  readonly key: Buffer | undefined;
}

const NONE: OwnCertificate = { digest: '', chain: undefined, key: undefined };
const ownCertificates = new Map<string, OwnCertificate | undefined>();
const MOST_CERTIFICATES = 64;
const SIGNING_KEYS: readonly (string | undefined)[] = ['rsa', 'ec', 'ed25519'];

/** The certificate to answer a server with; `undefined` of what only the host understands. */
function ownCertificate({ cert, key, passphrase }: Options): OwnCertificate | undefined {
  const isSet = (value: unknown): boolean => value !== undefined && value !== null;
  if (!isSet(cert) && !isSet(key)) return NONE;
  const [chain, secret] = [textOf(onlyOne(cert)), textOf(onlyOne(key))];
  if (chain === undefined || secret === undefined) return undefined;
  if (passphrase !== undefined && typeof passphrase !== 'string') return undefined;
  const digest = createHash('sha256')
    .update(JSON.stringify([chain, secret, passphrase]))
    .digest('base64');
  if (ownCertificates.has(digest)) return ownCertificates.get(digest);
  let found: OwnCertificate | undefined;
  try {
    const parsed = createPrivateKey({ key: secret, ...(passphrase === undefined ? {} : { passphrase }) });
    // The host throws where they do not belong together.
    const belongs = new X509Certificate(chain).checkPrivateKey(parsed);
    if (belongs && SIGNING_KEYS.includes(parsed.asymmetricKeyType)) {
      found = { digest, chain, key: parsed.export({ type: 'pkcs8', format: 'der' }) };
    }
  } catch {
    // The host says what is wrong with it.
  }
  if (ownCertificates.size >= MOST_CERTIFICATES) ownCertificates.clear();
  ownCertificates.set(digest, found);
  return found;
}

function onlyOne(given: unknown): unknown {
  return Array.isArray(given) && given.length === 1 ? (given as unknown[])[0] : given;
}
