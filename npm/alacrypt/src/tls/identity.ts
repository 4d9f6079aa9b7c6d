/**
 * Whether a server is who it should be: the host's own `checkServerIdentity` decides, and is asked once
 * for each certificate and name.
 */

import { X509Certificate } from 'node:crypto';

import type { PeerCertificate } from 'node:tls';

import { hostCheckServerIdentity } from './host';

type Legacy = X509Certificate & { toLegacyObject(): PeerCertificate };

interface Detailed extends PeerCertificate {
  issuerCertificate: PeerCertificate;
}

/**
 * The leaf of a chain as `getPeerCertificate` gives it; with `roots`, each certificate has that of its
 * issuer, from what was sent or from the roots, and one that issued itself has itself.
 */
export function peerCertificate(
  chain: readonly Buffer[],
  roots: readonly string[] | undefined,
): PeerCertificate | Record<string, never> {
  const [leaf, ...others] = chain.map((der) => new X509Certificate(der) as Legacy);
  if (leaf === undefined) return {};
  const first = leaf.toLegacyObject();
  if (roots === undefined) return first;
  let [certificate, object] = [leaf, first];
  while (!certificate.checkIssued(certificate)) {
    const issued = certificate;
    const isIssuer = (one: X509Certificate): boolean => issued.checkIssued(one);
    const at = others.findIndex(isIssuer);
    const issuer = at < 0 ? parsed(roots).find(isIssuer) : others.splice(at, 1)[0];
    if (issuer === undefined) return first;
    const above = issuer.toLegacyObject();
    (object as Detailed).issuerCertificate = above;
    [certificate, object] = [issuer, above];
  }
  (object as Detailed).issuerCertificate = object;
  return first;
}

const parsedRoots = new WeakMap<readonly string[], Legacy[]>();

/** The roots, as far as they can be read. */
function parsed(texts: readonly string[]): Legacy[] {
  let found = parsedRoots.get(texts);
  if (found === undefined) {
    found = [];
    for (const [pem] of texts.join('\n').matchAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)) {
      try {
        found.push(new X509Certificate(pem) as Legacy);
      } catch {
        // The addon left it out as well.
      }
    }
    parsedRoots.set(texts, found);
  }
  return found;
}

/** Certificates that bear a name: the digest, and the name behind it. */
const fitting = new Set<string>();
const MOST_FITTING = 256;

/** What is wrong with the name, if anything; `leaf` is the digest of the certificate. */
export function nameFault(
  check: typeof hostCheckServerIdentity,
  name: string,
  leaf: string,
  certificate: (isDetailed: boolean) => PeerCertificate,
): Error | undefined {
  // A function of the app's may look at anything.
  if (check !== hostCheckServerIdentity) return check(name, certificate(true)) as Error | undefined;
  const key = leaf + name;
  if (fitting.has(key)) return undefined;
  // The error has the certificate as its property, with those above it.
  if (check(name, certificate(false)) !== undefined) return check(name, certificate(true));
  if (fitting.size >= MOST_FITTING) fitting.clear();
  fitting.add(key);
  return undefined;
}
