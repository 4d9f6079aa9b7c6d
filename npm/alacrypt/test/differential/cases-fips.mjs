/**
 * FIPS switched on and off while objects live. Hosts without a provider for it then refuse every
 * new object, and finish those made before.
 */

const MAKERS = {
  sha256: (crypto) => crypto.createHash('sha256'),
  sha512: (crypto) => crypto.createHash('sha512'),
  'sha3-256': (crypto) => crypto.createHash('sha3-256'),
  blake2b512: (crypto) => crypto.createHash('blake2b512'),
  blake2s256: (crypto) => crypto.createHash('blake2s256'),
  ripemd160: (crypto) => crypto.createHash('ripemd160'),
  md5: (crypto) => crypto.createHash('md5'),
  'md5-sha1': (crypto) => crypto.createHash('md5-sha1'),
  shake128: (crypto) => crypto.createHash('shake128', { outputLength: 50 }),
  'hmac, text key': (crypto) => crypto.createHmac('sha256', 'a key'),
  'hmac, long text key': (crypto) => crypto.createHmac('sha256', '€'.repeat(900)),
  'hmac, bytes': (crypto) => crypto.createHmac('sha512', new Uint8Array(200).fill(9)),
  'hmac, no key': (crypto) => crypto.createHmac('sha1', ''),
  'hmac, key object': (crypto) => crypto.createHmac('sha256', crypto.createSecretKey(new Uint8Array(33).fill(4))),
  'hmac, key object used before': (crypto) => {
    const key = crypto.createSecretKey(new Uint8Array(33).fill(5));
    crypto.createHmac('sha256', key);
    crypto.createHmac('sha256', key);
    return crypto.createHmac('sha256', key);
  },
};

const FEEDS = {
  nothing: () => {},
  little: (object) => object.update('a').update(new Uint8Array([1, 2, 3])),
  '100 KB of text': (object) => {
    for (let at = 0; at < 20; at++) object.update('x€'.repeat(1250 + at));
  },
  '100 KB of bytes': (object) => {
    for (let at = 0; at < 20; at++) object.update(new Uint8Array(5000 + at).fill(at));
  },
  'one piece': (object) => object.update(new Uint8Array(100_000).fill(7)),
  'encoded text': (object) => {
    for (let at = 0; at < 9; at++) object.update('ab'.repeat(9000), 'hex').update('YWJj'.repeat(3000), 'base64');
  },
  'a pair cut in two': (object) => object.update('x'.repeat(9000)).update('\ud83d').update('\ude00').update('y'.repeat(9000)),
};

export const cases = {
  'FIPS refuses new objects': {
    body({ crypto, attempt }) {
      const calls = {
        createHash: () => crypto.createHash('sha256').update('a').digest('hex'),
        'createHash bytes': () => crypto.createHash('sha256').update(new Uint8Array(3)).digest('hex'),
        createHmac: () => crypto.createHmac('sha256', 'k').update('a').digest('hex'),
        hash: () => crypto.hash?.('sha256', 'a'),
        'hash bytes': () => crypto.hash?.('sha256', new Uint8Array(3), 'buffer'),
        randomBytes: () => crypto.randomBytes(16).length,
        randomFillSync: () => crypto.randomFillSync(new Uint8Array(16)).length,
        timingSafeEqual: () => crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('a')),
        getHashes: () => crypto.getHashes().length,
      };
      const all = (when) => {
        for (const [name, call] of Object.entries(calls)) attempt(`${name} ${when}`, call);
      };
      all('before');
      crypto.setFips(1);
      all('on');
      crypto.setFips(0);
      all('off again');
      crypto.fips = true;
      all('on by property');
      crypto.fips = false;
      all('off by property');
    },
    fresh: true,
    only: 'node',
    // Older lines go on with a digest that they have looked up before.
    right: {
      'hash on': { 20: /./, 22: /./, other: /ERR_OSSL_EVP_UNSUPPORTED/ },
      'createHash on': { 20: /./, 22: /./, other: /ERR_OSSL_EVP_UNSUPPORTED/ },
      'createHmac on': /ERR_OSSL_EVP_UNSUPPORTED/,
    },
  },
  'objects made before FIPS came on finish': {
    body({ crypto, attempt }) {
      for (const [name, make] of Object.entries(MAKERS)) {
        for (const [before, feedBefore] of Object.entries(FEEDS)) {
          for (const [after, feedAfter] of Object.entries(FEEDS)) {
            const object = make(crypto);
            feedBefore(object);
            crypto.setFips(1);
            try {
              attempt(`${name}: ${before}, then ${after}`, () => {
                feedAfter(object);
                return object.digest('hex');
              });
              attempt(`${name} again`, () => object.digest('hex'));
              attempt(`${name} update`, () => object.update('x'));
            } finally {
              crypto.setFips(0);
            }
          }
        }
      }
    },
    fresh: true,
    only: 'node',
  },
  'streams and copies made before FIPS came on': {
    async body({ crypto, attempt, line, turn }) {
      for (const [name, make] of Object.entries(MAKERS)) {
        for (const size of [10, 100_000]) {
          const events = [];
          const object = make(crypto);
          for (const event of ['data', 'end', 'error', 'finish']) {
            object.on(event, (argument) => events.push(`${event} ${Buffer.isBuffer(argument) ? argument.toString('hex') : (argument?.message ?? '')}`));
          }
          object.write('before');
          const open = make(crypto).update('a');
          crypto.setFips(1);
          object.write(Buffer.alloc(size, 1));
          object.end('text');
          await turn();
          await turn();
          line(`${name} ${size}`, events.join());
          if (open.copy !== undefined) {
            attempt(`${name} copy`, () => open.copy().update('b').digest('hex'));
            attempt(`${name} copy, much`, () => open.copy().update(Buffer.alloc(50_000)).digest('hex'));
          }
          attempt(`${name} parent`, () => open.update(Buffer.alloc(size)).digest('hex'));
          crypto.setFips(0);
        }
      }
    },
    fresh: true,
    only: 'node',
  },
  'an object begun while FIPS is on and off in turn': {
    body({ crypto, attempt }) {
      const object = crypto.createHash('sha256');
      const other = crypto.createHmac('sha256', Buffer.from('k'));
      for (let round = 0; round < 10; round++) {
        crypto.setFips(round % 2);
        attempt(`round ${round}`, () => {
          object.update(new Uint8Array(3000).fill(round));
          other.update('t'.repeat(3000));
          return 'taken';
        });
      }
      crypto.setFips(0);
      attempt('hash', () => object.digest('hex'));
      attempt('hmac', () => other.digest('hex'));
      attempt('new', () => crypto.createHash('sha256').update('a').digest('hex'));
    },
    fresh: true,
    only: 'node',
  },
};
