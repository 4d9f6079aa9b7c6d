/**
 * New key pairs: what the generated calls cannot see, as each pair is another.
 */

/** Lengths of the secret and of the public half, and what is behind the secret in PKCS #8. */
const CURVES = { 'P-256': [32, 65, 70], 'P-384': [48, 97, 102], 'P-521': [66, 133, 140], secp256k1: [32, 65, 70] };
const SEEDS = {
  ed25519: [32, 32], x25519: [32, 32],
  'ml-dsa-44': [32, 1312], 'ml-dsa-65': [32, 1952], 'ml-dsa-87': [32, 2592], 'ml-kem-512': [64, 800], 'ml-kem-768': [64, 1184], 'ml-kem-1024': [64, 1568],
};
const KINDS = [
  ...Object.entries(CURVES).map(([namedCurve, lengths]) => [namedCurve, 'ec', { namedCurve }, ...lengths]),
  ...Object.entries(SEEDS).map(([type, lengths]) => [type, type, {}, ...lengths, 0]),
];
const ROUNDS = 64;
const der = (type) => ({ format: 'der', type });
const encoded = (type = 'pkcs8') => ({ publicKeyEncoding: der('spki'), privateKeyEncoding: der(type) });

export const cases = {
  'each new key pair is another, in every bit': {
    async body({ crypto, attempt }) {
      for (const [name, type, options, secretLength, publicLength, behind] of KINDS) {
        const later = (all) => new Promise((resolve, reject) => crypto.generateKeyPair(type, all, (error, publicKey, privateKey) => (error ? reject(error) : resolve({ publicKey, privateKey }))));
        for (const [way, make] of [['at once', (all) => crypto.generateKeyPairSync(type, all)], ['later', later]]) {
          const secrets = [];
          const points = new Set();
          const all = { ...options, ...encoded() };
          try {
            await make(all);
          } catch {
            attempt(`${name} ${way}`, () => 'not known');
            continue;
          }
          for (let round = 0; round < ROUNDS; round++) {
            const { publicKey, privateKey } = await make(all);
            secrets.push(privateKey.subarray(privateKey.length - behind - secretLength, privateKey.length - behind));
            points.add(publicKey.subarray(publicKey.length - publicLength).toString('hex'));
          }
          const constant = [];
          for (let bit = 0; bit < 8 * secretLength; bit++) {
            const seen = new Set(secrets.map((secret) => (secret[bit >> 3] >> (bit & 7)) & 1));
            if (seen.size === 1) constant.push(`${bit}:${[...seen]}`);
          }
          attempt(`${name} ${way}`, () => `${new Set(secrets.map((secret) => secret.toString('hex'))).size} secrets, ${points.size} public halves, constant ${constant.join()}`);
        }
      }
    },
    only: 'node',
  },
  'what stands around a new key': {
    async body({ crypto, attempt }) {
      /** Everything but the key itself. */
      const around = (written, secretLength, publicLength, behind) => {
        const copy = Buffer.from(written);
        if (secretLength !== undefined) copy.fill(0, copy.length - behind - secretLength, copy.length - behind);
        if (publicLength !== 0) copy.fill(0, copy.length - publicLength);
        return `${copy.toString('hex')} ${written.byteOffset} ${written.buffer.byteLength - written.length}`;
      };
      for (const [name, type, options, secretLength, publicLength, behind] of KINDS) {
        const publicInside = type === 'ec' ? publicLength : 0;
        for (let use = 0; use < 3; use++) {
          attempt(`${name} DER ${use}`, () => {
            const { publicKey, privateKey } = crypto.generateKeyPairSync(type, { ...options, ...encoded() });
            return `${around(privateKey, secretLength, publicInside, behind)} ${around(publicKey, undefined, publicLength)}`;
          });
          attempt(`${name} objects ${use}`, () => {
            const { publicKey, privateKey } = crypto.generateKeyPairSync(type, options);
            const details = JSON.stringify(privateKey.asymmetricKeyDetails);
            return `${around(privateKey.export(der('pkcs8')), secretLength, publicInside, behind)} ${around(publicKey.export(der('spki')), undefined, publicLength)} ${details} ${crypto.createPublicKey(privateKey).equals(publicKey)} ${Reflect.ownKeys(privateKey).map(String)} ${Reflect.ownKeys(publicKey).map(String)}`;
          });
          if (type !== 'ec') continue;
          attempt(`${name} SEC 1 ${use}`, () => {
            const { privateKey } = crypto.generateKeyPairSync(type, { ...options, ...encoded('sec1') });
            const read = crypto.createPrivateKey({ key: privateKey, ...der('sec1') });
            return `${privateKey.length} ${read.export(der('sec1')).equals(privateKey)}`;
          });
          attempt(`${name} PEM ${use}`, () => {
            const pem = (kind) => ({ format: 'pem', type: kind });
            const { publicKey, privateKey } = crypto.generateKeyPairSync(type, { ...options, publicKeyEncoding: pem('spki'), privateKeyEncoding: pem('sec1') });
            const read = crypto.createPrivateKey(privateKey);
            return `${read.export(pem('sec1')) === privateKey} ${crypto.createPublicKey(read).export(pem('spki')) === publicKey}`;
          });
        }
      }
    },
    only: 'node',
  },
};
