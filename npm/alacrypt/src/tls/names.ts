/**
 * What the host calls suites, groups and faults.
 */

/** Suites of TLS 1.2 by their standard names (IANA): OpenSSL's. Those of 1.3 have but one. */
const OPENSSL_NAMES: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
};

/** A suite as `getCipher` gives it. */
export function cipherOf(suite: string): { name: string; standardName: string; version: string } {
  const standardName = suite.replace(/^TLS13_/, 'TLS_');
  const is13 = standardName !== suite;
  return { name: OPENSSL_NAMES[standardName] ?? standardName, standardName, version: is13 ? 'TLSv1.3' : 'TLSv1.2' };
}

/** A version as `getProtocol` gives it. */
export function protocolOf(version: string): string {
  return version.replace('_', '.');
}

/** What `getEphemeralKeyInfo` gives of a group; nothing of the hybrid ones, as on the host. */
export function keyInfoOf(group: string): Record<string, string | number> {
  switch (group) {
    case 'X25519':
      return { type: 'ECDH', name: 'X25519', size: 253 };
    case 'secp256r1':
      return { type: 'ECDH', name: 'prime256v1', size: 256 };
    case 'secp384r1':
      return { type: 'ECDH', name: 'secp384r1', size: 384 };
    default:
      return {};
  }
}

/** OpenSSL's words for what is wrong with a certificate, by the host's codes. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_NOT_YET_VALID: 'certificate is not yet valid',
  CERT_REJECTED: 'certificate rejected',
  CERT_REVOKED: 'certificate revoked',
  CERT_SIGNATURE_FAILURE: 'certificate signature failure',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  INVALID_PURPOSE: 'unsuitable certificate purpose',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in certificate chain',
  UNABLE_TO_GET_ISSUER_CERT: 'unable to get issuer certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unable to get local issuer certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unable to verify the first certificate',
  UNSPECIFIED: 'unspecified certificate verification error',
};

/** An error as the host has it for a fault of the addon's. */
export function errorOf(code: string, message: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(CERTIFICATE_FAULTS[code] ?? message);
  error.code = code;
  return error;
}
