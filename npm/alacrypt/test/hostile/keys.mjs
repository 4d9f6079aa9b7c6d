/** Keys, and what was made with them: once, by the host, for both sides of a comparison. */

import crypto from 'node:crypto';

const PEM = { type: 'pkcs8', format: 'pem' };
const base64 = (bytes) => Buffer.from(bytes).toString('base64');

export function makeKeys() {
  const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
  const ed25519 = crypto.generateKeyPairSync('ed25519');
  const keys = {
    rsa: rsa.privateKey.export(PEM),
    rsaPublic: rsa.publicKey.export({ type: 'spki', format: 'pem' }),
    rsaPublicDer: base64(rsa.publicKey.export({ type: 'spki', format: 'der' })),
    jwk: rsa.publicKey.export({ format: 'jwk' }),
    rsaSignature: base64(crypto.sign('sha256', Buffer.alloc(48, 7), rsa.privateKey)),
    oaep: base64(crypto.publicEncrypt({ key: rsa.publicKey, oaepHash: 'sha256', oaepLabel: Buffer.alloc(8, 7) }, Buffer.alloc(20, 7))),
    rsaPrivateEncrypted: base64(crypto.privateEncrypt(rsa.privateKey, Buffer.alloc(20, 7))),
    ed25519Der: base64(ed25519.privateKey.export({ type: 'pkcs8', format: 'der' })),
    x25519: crypto.generateKeyPairSync('x25519').privateKey.export(PEM),
    point: base64(crypto.createECDH('prime256v1').generateKeys()),
  };
  if (typeof crypto.encapsulate !== 'function') return keys;
  const kem = crypto.generateKeyPairSync('ml-kem-768');
  return {
    ...keys,
    kem: kem.privateKey.export(PEM),
    kemPublic: kem.publicKey.export({ type: 'spki', format: 'pem' }),
    kemCiphertext: base64(crypto.encapsulate(kem.publicKey).ciphertext),
  };
}
