/**
 * Ciphers: what takes more calls in a certain order than chance would make.
 */

const KEY = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
const IVS = { gcm: 12, 'chacha20-poly1305': 12, cbc: 16, ctr: 16, ofb: 16, cfb: 16, ecb: 0 };
const NAMES = ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305', 'aes-256-cbc', 'aes-192-ctr', 'aes-128-ecb', 'aes-256-ofb', 'aes-192-cfb'];
const keyOf = (name) => KEY.subarray(0, name.startsWith('aes') ? Number(name.split('-')[1]) / 8 : 32);
const ivOf = (name) => {
  const length = IVS[name] ?? IVS[name.split('-').at(-1)];
  return length === 0 ? null : Buffer.alloc(length, 7);
};
const isAead = (name) => ivOf(name)?.length === 12;
const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

export const cases = {
  'a key object with ciphers of every length of key': {
    body({ crypto, attempt }) {
      for (const length of [16, 24, 32, 31, 0]) {
        const key = crypto.createSecretKey(KEY.subarray(0, length));
        for (let round = 0; round < 6; round++) {
          for (const name of NAMES) {
            attempt(`${length} ${name} ${round}`, () => {
              const cipher = crypto.createCipheriv(name, key, ivOf(name));
              return hexOf(cipher.update(`round ${round}`)) + hexOf(cipher.final());
            });
          }
        }
      }
    },
    only: 'node',
  },
  'ciphers that live side by side, each with a hash in between': {
    body({ crypto, line }) {
      const open = NAMES.map((name) => [name, crypto.createCipheriv(name, keyOf(name), ivOf(name))]);
      const hash = crypto.createHash('sha256');
      const output = Object.fromEntries(NAMES.map((name) => [name, '']));
      for (let round = 0; round < 5; round++) {
        for (const [name, cipher] of open) {
          if (round === 0 && isAead(name)) cipher.setAAD(Buffer.from('one')).setAAD(Buffer.from('two'));
          hash.update(name);
          if (round > 0) output[name] += cipher.update(Buffer.alloc(11 * round, round), undefined, 'hex');
        }
        crypto.createHmac('sha1', 'key').update('text').digest();
      }
      for (const [name, cipher] of open) {
        hash.update('end');
        output[name] += cipher.final('hex');
        line(name, `${output[name]} ${isAead(name) ? hexOf(cipher.getAuthTag()) + hexOf(cipher.getAuthTag()) : ''}`);
      }
      line('hash', hash.digest('hex'));
    },
    only: 'node',
  },
  'what the standards say': {
    body({ crypto, line }) {
      const seal = (name, key, iv, data, aad) => {
        const cipher = crypto.createCipheriv(name, Buffer.from(key, 'hex'), Buffer.from(iv, 'hex'));
        if (aad !== undefined) cipher.setAAD(Buffer.from(aad, 'hex'));
        return cipher.update(data, 'hex', 'hex') + cipher.final('hex') + (aad === undefined ? '' : cipher.getAuthTag().toString('hex'));
      };
      for (let round = 0; round < 3; round++) {
        line(`cbc ${round}`, seal('aes-128-cbc', '2b7e151628aed2a6abf7158809cf4f3c', '000102030405060708090a0b0c0d0e0f', '6bc1bee22e409f96e93d7e117393172a').slice(0, 32));
        line(`ctr ${round}`, seal('aes-128-ctr', '2b7e151628aed2a6abf7158809cf4f3c', 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', '6bc1bee22e409f96e93d7e117393172a'));
        line(`gcm ${round}`, seal('aes-256-gcm', 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308', 'cafebabefacedbaddecaf888', 'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39', 'feedfacedeadbeeffeedfacedeadbeefabaddad2').slice(-32));
      }
    },
    only: 'node',
    right: {
      'cbc 2': '7649abac8119b246cee98e9b12e9197d', // SP 800-38A, appendix F.2.1
      'ctr 2': '874d6191b620e3261bef6864990db6ce', // SP 800-38A, appendix F.5.1
      'gcm 2': '76fc6ece0f4e1768cddf8853bb2d551b', // the specification's test case 16
    },
  },
  'every way to go wrong, at each point of a message': {
    body({ crypto, attempt }) {
      const STEPS = {
        update: (object) => hexOf(object.update(Buffer.from('some data, more than a block'))),
        nothing: (object) => hexOf(object.update('')),
        final: (object) => hexOf(object.final()),
        getAuthTag: (object) => hexOf(object.getAuthTag()),
        setAuthTag: (object) => object.setAuthTag(Buffer.alloc(16, 1)) === object,
        shortTag: (object) => object.setAuthTag(Buffer.alloc(8, 1)) === object,
        setAAD: (object) => object.setAAD(Buffer.from('aad')) === object,
        noAAD: (object) => object.setAAD(Buffer.alloc(0)) === object,
        length: (object) => object.setAAD(Buffer.from('aad'), { plaintextLength: 28 }) === object,
        padding: (object) => object.setAutoPadding(false) === object,
        paddingOn: (object) => object.setAutoPadding(true) === object,
      };
      const names = Object.keys(STEPS);
      for (const name of NAMES) {
        for (const create of ['createCipheriv', 'createDecipheriv']) {
          for (const first of names) {
            for (const second of names) {
              for (const third of ['update', 'final', 'setAuthTag']) {
                const object = crypto[create](name, keyOf(name), ivOf(name));
                for (const [at, step] of [first, second, third, 'final', 'getAuthTag', 'update'].entries()) {
                  if (typeof object[step] !== 'function' && step === 'getAuthTag') continue;
                  attempt(`${create} ${name} ${first} ${second} ${third}: ${at} ${step}`, () => STEPS[step](object));
                }
              }
            }
          }
        }
      }
    },
    only: 'node',
    fresh: true,
  },
  'a cipher in blocks that goes on after FIPS came on': {
    body({ crypto, attempt }) {
      const cipher = crypto.createCipheriv('aes-256-cbc', keyOf('aes-256-cbc'), ivOf('aes-256-cbc'));
      attempt('before', () => hexOf(cipher.update('some data, more than a block')));
      crypto.setFips(1);
      try {
        attempt('after', () => hexOf(cipher.update('some data, more than a block')));
      } finally {
        crypto.setFips(0);
      }
    },
    only: 'node',
    fresh: true,
    expectedFailure: Object.fromEntries([20, 22, 24, 26].map((major) => [major, 'what was collected cannot become an object of the host while FIPS is on'])),
  },
};
