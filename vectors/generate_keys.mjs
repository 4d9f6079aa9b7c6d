/**
 * Writes `key/pool.json`: keys of every kind, encrypted keys, certificates and other PEM texts.
 *
 *     npm install --prefix FOLDER @noble/post-quantum@0.7.1
 *     node generate_keys.mjs FOLDER
 *
 * Needs Node 26 (for the kinds that older lines lack) and OpenSSL's command line (for what Node
 * does not write). Every run draws new keys: the file is committed so that all runs of a test on
 * all runtimes use the same.
 */

import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node generate_keys.mjs FOLDER-WITH-NOBLE');
const require = createRequire(path.resolve(folder, 'package.json'));
const mlDsa = await import(require.resolve('@noble/post-quantum/ml-dsa.js'));
const mlKem = await import(require.resolve('@noble/post-quantum/ml-kem.js'));

const scratch = mkdtempSync(path.join(tmpdir(), 'keys-'));
const openssl = (...args) => execFileSync('openssl', args, { cwd: scratch, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
const pem = (key) => key.export({ format: 'pem', type: key.type === 'private' ? 'pkcs8' : 'spki' });

/** Name in the pool, type and options of `generateKeyPairSync`. A second of a kind ends in `b`. */
const GENERATED = [
  ['rsa512', 'rsa', { modulusLength: 512 }],
  ['rsa1024', 'rsa', { modulusLength: 1024 }],
  ['rsa1024b', 'rsa', { modulusLength: 1024 }],
  ['rsa1023', 'rsa', { modulusLength: 1023 }],
  ['rsa1025', 'rsa', { modulusLength: 1025 }],
  ['rsa1536', 'rsa', { modulusLength: 1536 }],
  ['rsa2041', 'rsa', { modulusLength: 2041 }],
  ['rsa2048', 'rsa', { modulusLength: 2048 }],
  ['rsa2048b', 'rsa', { modulusLength: 2048 }],
  ['rsa2048e3', 'rsa', { modulusLength: 2048, publicExponent: 3 }],
  ['rsa2048e32', 'rsa', { modulusLength: 2048, publicExponent: 0xffff_fffb }],
  ['rsa3072', 'rsa', { modulusLength: 3072 }],
  ['rsa4096', 'rsa', { modulusLength: 4096 }],
  ['pss2048', 'rsa-pss', { modulusLength: 2048 }],
  ['pss2048b', 'rsa-pss', { modulusLength: 2048 }],
  ['pss2048sha256', 'rsa-pss', { modulusLength: 2048, hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 32 }],
  ['pss2048sha512sha256', 'rsa-pss', { modulusLength: 2048, hashAlgorithm: 'sha512', mgf1HashAlgorithm: 'sha256', saltLength: 40 }],
  ['pss1024sha1', 'rsa-pss', { modulusLength: 1024, hashAlgorithm: 'sha1', mgf1HashAlgorithm: 'sha1', saltLength: 20 }],
  ['pss1024salt0', 'rsa-pss', { modulusLength: 1024, hashAlgorithm: 'sha256', saltLength: 0 }],
  ['p256', 'ec', { namedCurve: 'P-256' }],
  ['p256b', 'ec', { namedCurve: 'P-256' }],
  ['p256explicit', 'ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }],
  ['p384', 'ec', { namedCurve: 'P-384' }],
  ['p384b', 'ec', { namedCurve: 'P-384' }],
  ['p521', 'ec', { namedCurve: 'P-521' }],
  ['p521b', 'ec', { namedCurve: 'P-521' }],
  ['secp256k1', 'ec', { namedCurve: 'secp256k1' }],
  ['secp256k1b', 'ec', { namedCurve: 'secp256k1' }],
  ['p224', 'ec', { namedCurve: 'secp224r1' }],
  ['p192', 'ec', { namedCurve: 'prime192v1' }],
  ['brainpool256', 'ec', { namedCurve: 'brainpoolP256r1' }],
  ['brainpool384', 'ec', { namedCurve: 'brainpoolP384r1' }],
  ['brainpool512', 'ec', { namedCurve: 'brainpoolP512r1' }],
  ['sect233', 'ec', { namedCurve: 'sect233k1' }],
  ['sm2', 'ec', { namedCurve: 'SM2' }],
  ['ed25519', 'ed25519'],
  ['ed25519b', 'ed25519'],
  ['ed448', 'ed448'],
  ['ed448b', 'ed448'],
  ['x25519', 'x25519'],
  ['x25519b', 'x25519'],
  ['x448', 'x448'],
  ['x448b', 'x448'],
  ['dsa1024', 'dsa', { modulusLength: 1024, divisorLength: 160 }],
  ['dsa2048', 'dsa', { modulusLength: 2048, divisorLength: 256 }],
  ['dh14', 'dh', { group: 'modp14' }],
  ['dh14b', 'dh', { group: 'modp14' }],
  ['dh5', 'dh', { group: 'modp5' }],
  ['mldsa44', 'ml-dsa-44'],
  ['mldsa65', 'ml-dsa-65'],
  ['mldsa65b', 'ml-dsa-65'],
  ['mldsa87', 'ml-dsa-87'],
  ['mlkem512', 'ml-kem-512'],
  ['mlkem768', 'ml-kem-768'],
  ['mlkem768b', 'ml-kem-768'],
  ['mlkem1024', 'ml-kem-1024'],
  ['slhdsa128f', 'slh-dsa-sha2-128f'],
  ['slhdsa128fb', 'slh-dsa-sha2-128f'],
  ['slhdsaShake128s', 'slh-dsa-shake-128s'],
];

const keys = {};
for (const [name, type, options] of GENERATED) keys[name] = { private: pem(crypto.generateKeyPairSync(type, options).privateKey) };

// What the command line alone makes: three primes, an exponent of 65 bits.
keys.rsa2048primes3 = { private: openssl('genrsa', '-primes', '3', '2048') };
keys.rsa2048e65 = { private: openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-pkeyopt', 'rsa_keygen_pubexp:18446744073709551629') };

// Coordinates and secrets that begin with a zero byte, which encodings must not lose.
for (const [name, namedCurve, member, size] of [['p256zeroX', 'P-256', 'x', 32], ['p256zeroD', 'P-256', 'd', 32], ['p384zeroY', 'P-384', 'y', 48], ['p521zeroX', 'P-521', 'x', 66], ['secp256k1zeroD', 'secp256k1', 'd', 32]]) {
  for (;;) {
    const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve });
    const bytes = Buffer.from(privateKey.export({ format: 'jwk' })[member], 'base64url');
    // P-521 fills only one bit of its first byte: there two bytes are to be zero.
    if (bytes.length !== size || bytes[0] !== 0 || (size === 66 && bytes[1] !== 0)) continue;
    keys[name] = { private: pem(privateKey) };
    break;
  }
}

// Moduli that are no product of known primes: for keys too long to generate, public only.
for (const bits of [8192, 16_384, 16_392]) {
  const modulus = crypto.randomBytes(bits / 8);
  modulus[0] |= 0x80;
  modulus[modulus.length - 1] |= 1;
  keys[`rsa${bits}`] = { public: pem(crypto.createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, format: 'jwk' })) };
}

/** One DER element. */
function element(tag, ...contents) {
  const body = Buffer.concat(contents);
  const length = body.length < 128 ? [body.length] : body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

// The three forms of private ML-DSA and ML-KEM keys (RFC 9881 and RFC 9935): seed, expanded, both.
for (const [name, family] of [['mldsa44', mlDsa.ml_dsa44], ['mldsa65', mlDsa.ml_dsa65], ['mldsa87', mlDsa.ml_dsa87], ['mlkem512', mlKem.ml_kem512], ['mlkem768', mlKem.ml_kem768], ['mlkem1024', mlKem.ml_kem1024]]) {
  const privateKey = crypto.createPrivateKey(keys[name].private);
  const seed = privateKey.export({ format: 'raw-seed' });
  const expanded = Buffer.from(family.keygen(new Uint8Array(seed)).secretKey);
  const spki = crypto.createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const algorithm = spki.subarray(4, 4 + 13);
  const pkcs8 = (inner) => element(0x30, Buffer.from([2, 1, 0]), algorithm, element(4, inner));
  keys[name].pkcs8 = {
    seed: pkcs8(element(0x80, seed)).toString('base64'),
    expanded: pkcs8(element(4, expanded)).toString('base64'),
    both: pkcs8(element(0x30, element(4, seed), element(4, expanded))).toString('base64'),
  };
  for (const der of Object.values(keys[name].pkcs8)) {
    const again = crypto.createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' });
    if (!crypto.createPublicKey(again).equals(crypto.createPublicKey(privateKey))) throw new Error(`${name}: expanded otherwise`);
  }
}

// Answers of randomised operations that are too slow, or too random, to make in each run.
const MESSAGE = 'a message that was signed when the keys were made';
for (const name of ['slhdsa128f', 'slhdsa128fb', 'slhdsaShake128s']) {
  keys[name].signature = crypto.sign(null, Buffer.from(MESSAGE), keys[name].private).toString('base64');
}
for (const name of ['mlkem512', 'mlkem768', 'mlkem768b', 'mlkem1024', 'x25519', 'x448', 'p256', 'p384', 'p521', 'rsa1024', 'rsa2048']) {
  const { sharedKey, ciphertext } = crypto.encapsulate(keys[name].private);
  keys[name].encapsulated = { sharedKey: sharedKey.toString('base64'), ciphertext: ciphertext.toString('base64') };
}

const PASSPHRASE = 'top secret';
const encrypted = [];
/** Passphrases are given as base64. */
function addEncrypted(label, name, passphrase, exported) {
  const der = Buffer.isBuffer(exported);
  encrypted.push({ label, name, passphrase: Buffer.from(passphrase).toString('base64'), format: der ? 'der' : 'pem', key: der ? exported.toString('base64') : exported });
}
const exportAs = (name, options) => crypto.createPrivateKey(keys[name].private).export(options);
addEncrypted('pkcs8', 'rsa2048', PASSPHRASE, exportAs('rsa2048', { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: PASSPHRASE }));
addEncrypted('pkcs1', 'rsa2048', PASSPHRASE, exportAs('rsa2048', { format: 'pem', type: 'pkcs1', cipher: 'aes-128-cbc', passphrase: PASSPHRASE }));
addEncrypted('pkcs1 3DES', 'rsa1024', PASSPHRASE, exportAs('rsa1024', { format: 'pem', type: 'pkcs1', cipher: 'des-ede3-cbc', passphrase: PASSPHRASE }));
addEncrypted('pkcs8', 'p256', PASSPHRASE, exportAs('p256', { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: PASSPHRASE }));
addEncrypted('pkcs8, other passphrase', 'p256', 'another', exportAs('p256', { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'another' }));
addEncrypted('pkcs8, other key', 'p256b', PASSPHRASE, exportAs('p256b', { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: PASSPHRASE }));
addEncrypted('sec1', 'p256', PASSPHRASE, exportAs('p256', { format: 'pem', type: 'sec1', cipher: 'aes-256-cbc', passphrase: PASSPHRASE }));
addEncrypted('DER, passphrase that is no text', 'p384', [0xff, 0, 0x80, 0x31], exportAs('p384', { format: 'der', type: 'pkcs8', cipher: 'aes-128-cbc', passphrase: Buffer.from([0xff, 0, 0x80, 0x31]) }));
addEncrypted('pkcs8, passphrase beyond ASCII', 'ed25519', 'pâss wörd 😀', exportAs('ed25519', { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'pâss wörd 😀' }));
addEncrypted('pkcs8, long passphrase', 'ed25519', 'x'.repeat(1023), exportAs('ed25519', { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x'.repeat(1023) }));
addEncrypted('pkcs8, empty passphrase', 'ed25519', '', exportAs('ed25519', { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: '' }));
addEncrypted('pkcs8', 'ed448', PASSPHRASE, exportAs('ed448', { format: 'der', type: 'pkcs8', cipher: 'aes-192-cbc', passphrase: PASSPHRASE }));
addEncrypted('pkcs8', 'mldsa44', PASSPHRASE, exportAs('mldsa44', { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: PASSPHRASE }));

const file = (name, text) => {
  writeFileSync(path.join(scratch, name), text);
  return name;
};
file('p256.pem', keys.p256.private);
for (const [label, ...args] of [
  ['scrypt', '-scrypt'],
  ['PBKDF2 with SHA-512', '-v2', 'aes-256-cbc', '-v2prf', 'hmacWithSHA512'],
  ['PBKDF2 with SHA-1', '-v2', 'aes-256-cbc', '-v2prf', 'hmacWithSHA1'],
  ['PBE-SHA1-3DES', '-v1', 'PBE-SHA1-3DES'],
]) {
  addEncrypted(label, 'p256', PASSPHRASE, openssl('pkcs8', '-topk8', '-in', 'p256.pem', '-passout', `pass:${PASSPHRASE}`, ...args));
}

/** Certificates by name: subject's key, issuer's certificate (none: self-signed), extensions. */
const CERTIFICATES = [
  ['authority', 'rsa2048b', undefined, '/C=CH/O=Alacrypt Tests/CN=Authority', 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign\nsubjectKeyIdentifier=hash'],
  ['ecAuthority', 'p384', undefined, '/CN=Elliptic Authority', 'basicConstraints=critical,CA:TRUE,pathlen:0\nsubjectKeyIdentifier=hash'],
  ['rsaLeaf', 'rsa2048', 'authority', '/C=CH/ST=Zürich/L=Zürich/O=Müller, Söhne + Co/CN=www.example.com/emailAddress=info@example.com', 'subjectAltName=DNS:www.example.com,DNS:*.example.org,DNS:f*.example.net,IP:192.0.2.7,IP:2001:db8::1,email:info@example.com,URI:https://example.com/a\nextendedKeyUsage=serverAuth,clientAuth\nauthorityInfoAccess=OCSP;URI:http://ocsp.example.com,caIssuers;URI:http://ca.example.com/ca.der\nauthorityKeyIdentifier=keyid'],
  ['ecLeaf', 'p256', 'ecAuthority', '/CN=localhost', 'subjectAltName=DNS:localhost\nextendedKeyUsage=codeSigning'],
  ['edLeaf', 'ed25519', 'ecAuthority', '/CN=Ed', 'subjectAltName=DNS:ed.example.com\nsubjectKeyIdentifier=hash'],
  ['ed448Self', 'ed448', undefined, '/CN=ed448.example.com', 'basicConstraints=CA:FALSE'],
  ['secp256k1Self', 'secp256k1', undefined, '/CN=k1.example.com', 'basicConstraints=CA:FALSE'],
  ['pssSelf', 'pss2048sha256', undefined, '/CN=pss.example.com', 'basicConstraints=CA:FALSE'],
  ['dsaSelf', 'dsa2048', undefined, '/CN=dsa.example.com', 'basicConstraints=CA:FALSE'],
  ['shortRsaSelf', 'rsa1024', undefined, '/CN=short.example.com', 'basicConstraints=CA:FALSE'],
  ['impostor', 'rsa2048b', undefined, '/C=CH/O=Alacrypt Tests/CN=Authority', 'basicConstraints=critical,CA:TRUE'],
];
const certificates = {};
for (const [name, key, issuer, subject, extensions] of CERTIFICATES) {
  file(`${name}.key`, keys[key].private);
  file(`${name}.cnf`, `[req]\nprompt=no\nstring_mask=utf8only\ndistinguished_name=dn\n[dn]\nCN=x\n[ext]\n${extensions}\n`);
  openssl('req', '-new', '-utf8', '-key', `${name}.key`, '-config', `${name}.cnf`, '-subj', subject, '-out', `${name}.csr`);
  const signer = issuer === undefined ? ['-signkey', `${name}.key`] : ['-CA', `${issuer}.crt`, '-CAkey', `${issuer}.key`];
  openssl('x509', '-req', '-in', `${name}.csr`, '-days', '36500', ...signer, '-set_serial', String(1000 + Object.keys(certificates).length), '-extfile', `${name}.cnf`, '-extensions', 'ext', '-out', `${name}.crt`);
  certificates[name] = { key, issuer: issuer ?? name, pem: readFileSync(path.join(scratch, `${name}.crt`), 'utf8') };
}

/** Texts that are PEM, but of other things than keys and certificates. */
const other = {
  request: readFileSync(path.join(scratch, 'ecLeaf.csr'), 'utf8'),
  ecParameters: openssl('ecparam', '-name', 'prime256v1'),
  dhParameters: openssl('dhparam', '-dsaparam', '512'),
  trusted: openssl('x509', '-in', 'ecLeaf.crt', '-trustout'),
  sec1WithParameters: openssl('ecparam', '-name', 'prime256v1') + openssl('ec', '-in', 'p256.pem'),
  compressedPoint: openssl('ec', '-in', 'p256.pem', '-pubout', '-conv_form', 'compressed'),
  hybridPoint: openssl('ec', '-in', 'p256.pem', '-pubout', '-conv_form', 'hybrid'),
  privateWithoutPoint: openssl('ec', '-in', 'p256.pem', '-no_public'),
};
rmSync(scratch, { recursive: true });

const origin = `Node ${process.versions.node} with OpenSSL ${process.versions.openssl}; ${execFileSync('openssl', ['version']).toString().trim()}`;
writeFileSync(new URL('key/pool.json', import.meta.url), `${JSON.stringify({ origin, message: MESSAGE, keys, encrypted, certificates, other }, null, 1)}\n`);
