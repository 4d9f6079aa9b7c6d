// Writes the vectors whose keys, signatures and secrets come from Node's OpenSSL.
//
// Run it from this folder with Node 26: node generate.mjs. Keys and signatures are new on each
// run. The files that it writes are marked in SOURCES.md.

import crypto from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';

const DIGESTS = {
  Md5: 'md5',
  Sha1: 'sha1',
  Sha224: 'sha224',
  Sha256: 'sha256',
  Sha384: 'sha384',
  Sha512: 'sha512',
  Sha512_224: 'sha512-224',
  Sha512_256: 'sha512-256',
  Sha3_224: 'sha3-224',
  Sha3_256: 'sha3-256',
  Sha3_384: 'sha3-384',
  Sha3_512: 'sha3-512',
  Ripemd160: 'ripemd160',
  Blake2b512: 'blake2b512',
  Blake2s256: 'blake2s256',
  Md5Sha1: 'md5-sha1',
};
const CURVES = {
  P256: 'prime256v1',
  P384: 'secp384r1',
  P521: 'secp521r1',
  Secp256k1: 'secp256k1',
};

function pair(type, options) {
  return crypto.generateKeyPairSync(type, options);
}

// Our name for the key, its kind, and the pair.
const served = {
  Rsa1024: ['Rsa', pair('rsa', { modulusLength: 1024 })],
  Rsa1031: ['Rsa', pair('rsa', { modulusLength: 1031 })],
  Rsa2048: ['Rsa', pair('rsa', { modulusLength: 2048 })],
  Rsa2048Exponent3: ['Rsa', pair('rsa', { modulusLength: 2048, publicExponent: 3 })],
  Rsa512: ['Rsa', pair('rsa', { modulusLength: 512 })],
  RsaPss: ['RsaPss', pair('rsa-pss', { modulusLength: 1024 })],
};
for (const [ours, namedCurve] of Object.entries(CURVES)) {
  served[ours] = [`Ec(${ours})`, pair('ec', { namedCurve })];
}
for (const [ours, type] of Object.entries({
  Ed25519: 'ed25519',
  X25519: 'x25519',
  MlDsa44: 'ml-dsa-44',
  MlDsa65: 'ml-dsa-65',
  MlDsa87: 'ml-dsa-87',
  MlKem512: 'ml-kem-512',
  MlKem768: 'ml-kem-768',
  MlKem1024: 'ml-kem-1024',
})) {
  served[ours] = [ours, pair(type)];
}

/** Read, but used with what it prescribes alone. */
const restricted = pair('rsa-pss', {
  modulusLength: 1024,
  hashAlgorithm: 'sha256',
  mgf1HashAlgorithm: 'sha256',
  saltLength: 32,
});

const handedBack = {
  P224: pair('ec', { namedCurve: 'secp224r1' }),
  BrainpoolP256r1: pair('ec', { namedCurve: 'brainpoolP256r1' }),
  P256Explicit: pair('ec', { namedCurve: 'prime256v1', paramEncoding: 'explicit' }),
  Secp256k1Explicit: pair('ec', { namedCurve: 'secp256k1', paramEncoding: 'explicit' }),
  Dsa: pair('dsa', { modulusLength: 1024, divisorLength: 160 }),
  Dh: pair('dh', { group: 'modp14' }),
  Ed448: pair('ed448'),
  X448: pair('x448'),
  SlhDsa: pair('slh-dsa-sha2-128f'),
};

function spki({ publicKey }) {
  return publicKey.export({ format: 'der', type: 'spki' });
}

function pkcs8({ privateKey }) {
  return privateKey.export({ format: 'der', type: 'pkcs8' });
}

function write(path, title, records) {
  const lines = [`# ${title}`, '# Written by generate.mjs.', ''];
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) {
      const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
      lines.push(`${key} = ${text}`.trimEnd());
    }
    lines.push('');
  }
  lines.pop();
  mkdirSync(path.split('/')[0], { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
}

function* keys() {
  for (const [Name, [Kind, made]] of Object.entries(served)) {
    yield { Name, Kind, Spki: spki(made), Pkcs8: pkcs8(made) };
  }
  yield { Name: 'RsaPssRestricted', Kind: 'RsaPss', Spki: spki(restricted), Pkcs8: pkcs8(restricted) };
  for (const [Name, made] of Object.entries(handedBack)) {
    yield { Name, Kind: 'Unsupported', Spki: spki(made), Pkcs8: pkcs8(made) };
  }
}

function* signatures() {
  const Msg = Buffer.from('a message that OpenSSL signed');
  function record(Key, how, options, hash) {
    const { privateKey, publicKey } = served[Key][1];
    let Signature;
    try {
      Signature = crypto.sign(hash, Msg, { key: privateKey, ...options });
    } catch (error) {
      // The host's own refusals are no answers of ours to compare with.
      process.stderr.write(`${Key} ${JSON.stringify(how)}: ${error.message}\n`);
      return [];
    }
    if (!crypto.verify(hash, Msg, { key: publicKey, ...options }, Signature)) {
      throw new Error(`${Key} ${JSON.stringify(how)}`);
    }
    return [{ Key, ...how, Msg, Signature }];
  }
  const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING } = crypto.constants;
  for (const [Digest, hash] of Object.entries(DIGESTS)) {
    for (const key of ['Rsa1024', 'Rsa1031']) {
      const padding = RSA_PKCS1_PADDING;
      yield* record(key, { Scheme: 'RsaPkcs1v15', Digest }, { padding }, hash);
    }
    const salts = { Digest: -1, Auto: -2, 0: 0, 11: 11 };
    for (const [Salt, saltLength] of Object.entries(salts)) {
      const options = { padding: RSA_PKCS1_PSS_PADDING, saltLength };
      const key = Salt === 'Auto' ? 'Rsa1031' : 'Rsa1024';
      yield* record(key, { Scheme: 'RsaPss', Digest, Salt }, options, hash);
    }
    for (const key of Object.keys(CURVES)) {
      for (const [Encoding, dsaEncoding] of [['Der', 'der'], ['P1363', 'ieee-p1363']]) {
        // Two of each, so that the second number's upper half turns up in most.
        for (let i = 0; i < 2; i++) {
          yield* record(key, { Scheme: 'Ecdsa', Digest, Encoding }, { dsaEncoding }, hash);
        }
      }
    }
  }
  yield* record('Rsa2048', { Scheme: 'RsaPkcs1v15', Digest: 'Sha256' }, {}, 'sha256');
  yield* record('Rsa2048Exponent3', { Scheme: 'RsaPkcs1v15', Digest: 'Sha256' }, {}, 'sha256');
  yield* record('Rsa512', { Scheme: 'RsaPkcs1v15', Digest: 'Sha256' }, {}, 'sha256');
  yield* record('Ed25519', { Scheme: 'Ed25519' }, {}, null);
  for (const key of ['MlDsa44', 'MlDsa65', 'MlDsa87']) {
    for (const context of [Buffer.alloc(0), Buffer.from('context'), Buffer.alloc(255, 7)]) {
      yield* record(key, { Scheme: 'MlDsa', Context: context }, { context }, null);
    }
  }
}

function* secrets() {
  for (const Key of ['X25519', ...Object.keys(CURVES)]) {
    const { privateKey } = served[Key][1];
    const { asymmetricKeyType: type, asymmetricKeyDetails: options } = privateKey;
    for (let i = 0; i < 4; i++) {
      const peer = pair(type, options);
      const Secret = crypto.diffieHellman({ privateKey, publicKey: peer.publicKey });
      yield { Key, Peer: spki(peer), Secret };
    }
  }
}

function* encapsulations() {
  for (const Key of ['MlKem512', 'MlKem768', 'MlKem1024']) {
    const { privateKey, publicKey } = served[Key][1];
    for (let i = 0; i < 2; i++) {
      const { sharedKey: Shared, ciphertext: Ciphertext } = crypto.encapsulate(publicKey);
      yield { Key, Ciphertext, Shared };
      // Implicit rejection (FIPS 203, algorithm 18) is as exact as an answer.
      const Altered = Buffer.from(Ciphertext);
      Altered[i] ^= 1;
      yield { Key, Ciphertext: Altered, Shared: crypto.decapsulate(privateKey, Altered) };
    }
  }
}

function* ciphertexts() {
  const { RSA_PKCS1_OAEP_PADDING, RSA_PKCS1_PADDING } = crypto.constants;
  const Msg = Buffer.from('a key');
  for (const [Digest, oaepHash] of Object.entries(DIGESTS)) {
    // AWS-LC lacks it.
    if (oaepHash.startsWith('blake2')) continue;
    for (const Label of [Buffer.alloc(0), Buffer.from('label')]) {
      const Key = 'Rsa2048';
      const key = served[Key][1].publicKey;
      const options = { key, padding: RSA_PKCS1_OAEP_PADDING, oaepHash, oaepLabel: Label };
      yield { Key, Digest, Label, Msg, Ciphertext: crypto.publicEncrypt(options, Msg) };
    }
  }
  for (const Key of ['Rsa1024', 'Rsa1031']) {
    for (const message of [Buffer.alloc(0), Msg, Buffer.alloc(117, 1)]) {
      const options = { key: served[Key][1].privateKey, padding: RSA_PKCS1_PADDING };
      yield { Key, Msg: message, Padded: crypto.privateEncrypt(options, message) };
    }
  }
}

write('key/openssl_generated.txt', 'Keys, and what is not served', keys());
write('sign/openssl_generated.txt', 'Signatures under the keys of key/', signatures());
write('agree/openssl_generated.txt', 'Secrets of the keys of key/ and new peers', secrets());
write('kem/openssl_generated.txt', 'Encapsulations to the keys of key/', encapsulations());
write('rsa/openssl_generated.txt', 'OAEP, and data padded with a private key', ciphertexts());
