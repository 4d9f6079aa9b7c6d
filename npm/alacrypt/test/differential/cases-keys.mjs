/**
 * Keys that come again in another form, with another passphrase, in a Buffer that has changed, or
 * never: what is kept of a key from an earlier call must not answer for another.
 */

const load = async () => import('./keys/pool.mjs');

/** What a sequence of calls gives, in one line. */
function outcomes(calls) {
  return calls
    .map((call) => {
      try {
        const value = call();
        return Buffer.isBuffer(value) ? value.toString('hex').slice(0, 24) : String(value);
      } catch (error) {
        return `${error.name} ${error.code} ${error.message}`;
      }
    })
    .join(' | ');
}

const SECRETS = ['secret', 'a much longer secret, as it is shared between servers: 0123456789', '', 'ü\ud83d', '-----BEGIN PUBLIC KEY-----', 'x'.repeat(2000), '{"kty":"oct"}', 'MCowBQYDK2VwAyEA'];

export const cases = {
  'signatures with another length of salt than was asked for': {
    async body({ crypto, attempt }) {
      const { pool } = await load();
      const key = pool.get('rsa2048');
      const [privateKey, publicKey] = [key.object('private'), key.object('public')];
      const data = Buffer.from('some data');
      const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_AUTO: auto, RSA_PSS_SALTLEN_DIGEST: digest } = crypto.constants;
      for (let use = 0; use < 3; use++) {
        for (const saltLength of [0, 20, 32, digest, -2]) {
          const signature = crypto.sign('sha256', data, { key: privateKey, padding, saltLength });
          for (const asked of [0, 19, 20, 32, digest, auto, 222]) {
            attempt(`${use} ${saltLength} ${asked}`, () => crypto.verify('sha256', data, { key: publicKey, padding, saltLength: asked }, signature));
            attempt(`${use} ${saltLength} ${asked} Verify`, () => crypto.createVerify('sha256').update(data).verify({ key: publicKey, padding, saltLength: asked }, signature));
          }
        }
      }
    },
    only: 'node',
    oracle: true,
  },
  'a secret is tried as a public key first': {
    async body({ crypto, line, attempt }) {
      // As jsonwebtoken does it for every token, whatever the key.
      for (const [at, secret] of SECRETS.entries()) {
        for (const form of [secret, Buffer.from(secret)]) {
          for (let round = 0; round < 4; round++) {
            attempt(`${at} ${typeof form} public ${round}`, () => crypto.createPublicKey(form));
            attempt(`${at} ${typeof form} private ${round}`, () => crypto.createPrivateKey(form));
            attempt(`${at} ${typeof form} secret ${round}`, () => {
              const key = crypto.createSecretKey(Buffer.from(form));
              return `${key.type} ${key.symmetricKeySize} ${crypto.createHmac('sha256', key).update('header.payload').digest('base64url')}`;
            });
          }
        }
      }
      // A real key is still one, between those that are none.
      const { pool } = await load();
      const { publicKey, privateKey } = { publicKey: pool.get('p256').pem('public', 'spki'), privateKey: pool.get('p256').pem('private', 'pkcs8') };
      line('in turn', outcomes([0, 1, 2, 3].flatMap(() => [() => crypto.createPublicKey('secret'), () => crypto.createPublicKey(publicKey).type, () => crypto.createPublicKey(privateKey).type, () => crypto.createPrivateKey(publicKey), () => crypto.createPrivateKey(privateKey).type])));
    },
    only: 'node',
    oracle: true,
  },
  'refusals where errors inherit what the host sets': {
    body({ crypto, line }) {
      const refused = (create) => {
        try {
          create('no key');
        } catch (error) {
          return Reflect.ownKeys(error).map((name) => `${String(name)} ${name === 'stack' ? '' : error[name]}`).join();
        }
        return 'taken';
      };
      const all = () => [refused(crypto.createPublicKey), refused(crypto.createPrivateKey)].join(' and ');
      for (const name of ['code', 'reason', 'library', 'opensslErrorStack', 'function', 'message']) {
        for (const prototype of [Error.prototype, Object.prototype]) {
          const old = Object.getOwnPropertyDescriptor(prototype, name);
          for (const property of [{ set() {}, get: () => 'inherited' }, { value: 'fixed', writable: false }, { value: 'other', writable: true }]) {
            Object.defineProperty(prototype, name, { configurable: true, ...property });
            line(`${name} ${Object.keys(property)[0]}`, all());
            delete prototype[name];
          }
          if (old !== undefined) Object.defineProperty(prototype, name, old);
        }
        line(`after ${name}`, all());
      }
    },
    only: 'node',
  },
  'each refusal is an error of its own': {
    async body({ crypto, line, attempt }) {
      const refused = () => {
        try {
          crypto.createPublicKey('no key');
        } catch (error) {
          return error;
        }
        return undefined;
      };
      const errors = [refused(), refused(), refused()];
      line('apart', String(new Set(errors).size));
      line('own stacks', String(new Set(errors.map((error) => error.opensslErrorStack)).size));
      // What one caller does to an error shows in no other.
      for (const error of errors) {
        error.message = 'changed';
        error.code = 'CHANGED';
        error.more = 1;
        error.opensslErrorStack?.push('more');
        Object.setPrototypeOf(error, null);
      }
      attempt('afterwards', () => crypto.createPublicKey('no key'));
      attempt('another', () => crypto.createPublicKey('another'));
      // Whose call it was can be read in the stack.
      function theCaller() {
        return refused().stack;
      }
      line('caller', String(theCaller().includes('theCaller')));
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 0;
      line('no frames', refused().stack);
      Error.stackTraceLimit = 1;
      line('one frame', String(refused().stack.split('\n').length));
      Error.stackTraceLimit = stackTraceLimit;
      Error.prepareStackTrace = (error, frames) => `prepared ${error.message} ${frames.some((frame) => frame.getFunctionName() === 'refused')}`;
      line('prepared', String(refused().stack));
      Error.prepareStackTrace = undefined;
      const errorClass = globalThis.Error;
      globalThis.Error = class Other extends errorClass {};
      const withOther = refused();
      globalThis.Error = errorClass;
      line('class', String(Object.getPrototypeOf(withOther) === errorClass.prototype));
    },
    only: 'node',
    oracle: true,
  },
  'a Buffer that holds another key later': {
    async body({ crypto, line }) {
      const { pool } = await load();
      for (const [one, other, digest] of [['ed25519', 'ed25519b', null], ['p256', 'p256b', 'sha256'], ['p384', 'p384b', 'sha384']]) {
        const [first, second] = [one, other].map((name) => pool.get(name));
        for (const [label, text] of [['PEM', (key) => Buffer.from(key.pem('public', 'spki'))], ['DER', (key) => key.der('public', 'spki')]]) {
          const held = Buffer.from(text(first));
          const argument = () => (label === 'DER' ? { key: held, format: 'der', type: 'spki' } : held);
          const data = Buffer.from('data');
          const signature = crypto.sign(digest, data, first.object('private'));
          const verify = () => crypto.verify(digest, data, argument(), signature);
          line(`${one} ${label}`, outcomes([verify, verify, verify, () => held.set(text(second)), verify, verify, () => held.set(text(first)), verify, () => held.fill(0), verify, verify, () => held.set(text(first)), verify]));
        }
        const held = Buffer.from(first.pem('private', 'pkcs8'));
        const owner = () => crypto.createPublicKey(held).equals(first.object('public'));
        line(`${one} private`, outcomes([owner, owner, () => held.set(Buffer.from(second.pem('private', 'pkcs8'))), owner, owner]));
        // One object of options, whose key changes.
        const options = { key: first.pem('public', 'spki') };
        const verify = () => crypto.verify(digest, Buffer.from('data'), options, crypto.sign(digest, Buffer.from('data'), first.object('private')));
        line(`${one} options`, outcomes([verify, verify, () => { options.key = second.pem('public', 'spki'); }, verify, verify, () => { options.key = first.object('public'); }, verify]));
      }
    },
    only: 'node',
    oracle: true,
  },
  'a JWK whose members change': {
    async body({ crypto, line }) {
      const { pool } = await load();
      const [first, second] = [pool.get('p256'), pool.get('p256b')];
      const data = Buffer.from('data');
      const signature = crypto.sign('sha256', data, first.object('private'));
      const jwk = first.jwk('public');
      const verify = () => crypto.verify('sha256', data, { key: jwk, format: 'jwk' }, signature);
      line('exchanged', outcomes([verify, verify, verify, () => { Object.assign(jwk, second.jwk('public')); }, verify, verify, () => { Object.assign(jwk, first.jwk('public')); }, verify]));
      line('one half', outcomes([verify, () => { jwk.x = second.jwk('public').x; }, verify, verify, () => { jwk.x = first.jwk('public').x; }, verify]));
      line('other members', outcomes([() => { Object.assign(jwk, { kid: 'x', use: 'enc', alg: 'none' }); }, verify, () => { delete jwk.crv; }, verify, () => { jwk.crv = 'P-384'; }, verify, () => { jwk.crv = 'P-256'; jwk.d = 'AAAA'; }, verify]));
      // Members that a join of texts would mix up.
      line('boundaries', outcomes([verify, () => { jwk.x += jwk.y.slice(0, 1); jwk.y = jwk.y.slice(1); }, verify]));
      const plain = first.jwk('public');
      const [name, ...names] = Object.keys(plain);
      // One member whose text reads on as all the others do.
      const joined = { [name]: names.reduce((text, next) => `${text}${next}${plain[next]}`, plain[name]) };
      const shifted = { ...plain, x: `${plain.x}y${plain.y}` };
      delete shifted.y;
      const of = (key) => () => crypto.verify('sha256', data, { key, format: 'jwk' }, signature);
      line('joined members', outcomes([plain, plain, plain, joined, joined, joined, shifted, shifted, shifted, plain].map(of)));
      let reads = 0;
      const shifting = { ...first.jwk('public'), get x() { reads++; return (reads % 2 === 1 ? first : second).jwk('public').x; } };
      line('a getter', `${outcomes([0, 1, 2, 3].map(() => () => crypto.verify('sha256', data, { key: shifting, format: 'jwk' }, signature)))} ${reads}`);
    },
    only: 'node',
    oracle: true,
  },
  'the same text with another passphrase, type or format': {
    async body({ crypto, line }) {
      const { encryptedKeys, pool } = await load();
      for (const { label, key, format, passphrase } of encryptedKeys) {
        // Some of these take long to open.
        const rounds = label.endsWith('scrypt') ? 1 : 3;
        const open = (given) => () => crypto.createPrivateKey({ key, format, ...(format === 'der' ? { type: 'pkcs8' } : {}), ...(given === undefined ? {} : { passphrase: given }) }).asymmetricKeyType;
        const calls = [];
        for (let round = 0; round < rounds; round++) calls.push(open(passphrase), open('wrong'), open(undefined), open(Buffer.concat([passphrase, Buffer.from(' ')])), open(passphrase.subarray(1)));
        line(label, outcomes([...calls, open(passphrase)]));
      }
      const rsa = pool.get('rsa1024');
      const [pkcs1, spki] = [rsa.der('public', 'pkcs1'), rsa.der('public', 'spki')];
      const read = (bytes, format, type) => () => crypto.createPublicKey({ key: bytes, format, type }).asymmetricKeyType;
      line('types', outcomes([read(pkcs1, 'der', 'pkcs1'), read(pkcs1, 'der', 'spki'), read(pkcs1, 'der', 'pkcs1'), read(spki, 'der', 'spki'), read(spki, 'der', 'pkcs1'), read(spki, 'pem'), read(Buffer.from(rsa.pem('public', 'spki')), 'der', 'spki'), read(Buffer.from(rsa.pem('public', 'spki')), 'pem', 'spki')]));
      // A passphrase on a key that is not encrypted, and text whose end is another's beginning.
      const pem = pool.get('ed25519').pem('private', 'pkcs8');
      line('unneeded', outcomes([() => crypto.createPrivateKey({ key: pem, passphrase: 'any' }).type, () => crypto.createPrivateKey(pem).type, () => crypto.createPrivateKey({ key: pem, passphrase: '' }).type, () => crypto.createPrivateKey({ key: `${pem}p`, passphrase: 'ass' }).type]));
    },
    only: 'node',
    oracle: true,
  },
  'a private key where a public one is asked for, in turn': {
    async body({ crypto, line }) {
      const { pool } = await load();
      // Node 22 knows ML-DSA keys, and no signatures by them.
      for (const name of ['p256', 'ed25519', 'rsa1024', 'mldsa44'].filter((one) => pool.get(one)?.type !== undefined)) {
        const key = pool.get(name);
        const digest = ['p256', 'rsa1024'].includes(name) ? 'sha256' : null;
        const pem = key.pem('private', 'pkcs8');
        const data = Buffer.from('data');
        const sign = () => crypto.sign(digest, data, pem);
        const signature = sign();
        const verify = (given) => () => crypto.verify(digest, data, given, signature);
        const types = (made) => () => `${made().type}`;
        line(name, outcomes([verify(pem), () => typeof sign(), types(() => crypto.createPublicKey(pem)), types(() => crypto.createPrivateKey(pem)), verify(pem), types(() => crypto.createPublicKey(crypto.createPrivateKey(pem))), () => crypto.sign(digest, data, key.pem('public', 'spki')), verify(key.pem('public', 'spki')), () => crypto.sign(digest, data, key.object('public')), () => crypto.createPrivateKey(key.object('private'))]));
      }
    },
    only: 'node',
    oracle: true,
  },
  'ten thousand keys, each of them soon forgotten': {
    async body({ crypto, line, turn }) {
      const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
      let folded = '';
      let right = 0;
      const measure = async () => {
        for (let time = 0; time < 3; time++) {
          globalThis.gc?.();
          await turn();
        }
        return process.memoryUsage().rss;
      };
      const use = (at) => {
        const seed = Buffer.alloc(32);
        seed.writeUInt32LE(at, 0);
        const der = Buffer.concat([prefix, seed]);
        const pem = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
        const data = Buffer.from(`data ${at}`);
        // As text, as bytes, and as an object: each of them has a place where it might be kept.
        const form = at % 3 === 0 ? pem : at % 3 === 1 ? { key: der, format: 'der', type: 'pkcs8' } : crypto.createPrivateKey(pem);
        const signature = crypto.sign(null, data, form);
        folded = crypto.createHash('sha256').update(folded).update(signature).digest('hex');
        if (at % 10 !== 0) return;
        for (const known of [form, pem, crypto.createPublicKey(form)]) if (crypto.verify(null, data, known, signature)) right++;
      };
      for (let at = 0; at < 2000; at++) use(at);
      const before = await measure();
      for (let at = 2000; at < 10_000; at++) {
        use(at);
        if (at % 500 === 0) await turn();
      }
      const after = await measure();
      line('folded', folded);
      line('right', String(right));
      // A kept key of 10 KB, which none is, would make 80 MB.
      line('memory', after - before < 40_000_000 ? 'flat' : `grew by ${Math.round((after - before) / 1e6)} MB`);
      // The first ones again: they may be forgotten, and have to be right.
      for (let at = 0; at < 50; at++) use(at);
      line('again', folded);
    },
    only: 'node',
    fresh: true,
    right: { memory: 'flat', right: '3000' },
  },
};
