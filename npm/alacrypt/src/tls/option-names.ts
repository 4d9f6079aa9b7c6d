/**
 * The options of `tls.connect`, by what becomes of them.
 *
 * Each option that the host reads is in one of these lists (a test looks for them in the host's own
 * source), so that none is ignored: with one that is not supported, the host makes the connection.
 */

/** Options that are supported. */
export const SUPPORTED: readonly string[] = [
  'ALPNProtocols', 'allowHalfOpen', 'ca', 'cert', 'checkServerIdentity', 'highWaterMark', 'host', 'key',
  'keepAlive', 'keepAliveInitialDelay', 'localAddress', 'maxVersion', 'minVersion', 'noDelay', 'passphrase',
  'path', 'port', 'rejectUnauthorized', 'servername', 'signal', 'socket', 'timeout',
];

/** Options with no meaning for a client, or whose promise is kept anyway. */
export const WITHOUT_MEANING: readonly string[] = [
  // Of servers.
  'SNICallback', 'handshakeTimeout', 'isServer', 'pskIdentityHint', 'requestCert', 'server', 'ticketKeys',
  'sessionIdContext', 'sessionTimeout', 'honorCipherOrder', 'pauseOnConnect', 'dhparam',
  // Finite-field Diffie-Hellman is not offered at all.
  'minDHSize',
  // The host's own, between its functions.
  'pipe', 'singleUse',
];

/** Options with which the host makes the connection. */
export const HOST_ONLY: readonly string[] = [
  'ALPNCallback', 'allowPartialTrustChain', 'certificateCompression', 'ciphers', 'clientCertEngine',
  'credentials', 'crl', 'ecdhCurve', 'enableTrace', 'onread', 'pfx', 'privateKeyEngine',
  'privateKeyIdentifier', 'pskCallback', 'requestOCSP', 'secureContext', 'secureOptions', 'secureProtocol',
  'session', 'sigalgs',
];
