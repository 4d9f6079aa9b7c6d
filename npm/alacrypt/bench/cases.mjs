// The measured calls. Each case makes a function that runs `n` calls and returns something that
// depends on all of them. Inputs rotate over 1,024 strings and views; a third of the views are
// made afresh for the call, on both sides.

const COUNT = 1024;
const MASK = COUNT - 1;

const strings = Array.from({ length: COUNT }, (_, i) => `${i}:`.padEnd(32, 'alacrypt-bench-'));
const views = Array.from({ length: COUNT }, (_, i) => Buffer.alloc(64, i));

/** The view of turn `i`: every third one is new. */
function view(i) {
  return i % 3 === 0 ? new Uint8Array(views[i & MASK]) : views[i & MASK];
}

const MIXED = ['sha256', 'sha1', 'md5', 'sha512', 'sha256', 'sha384', 'sha3-256', 'blake2b512'];

const KIB = 1024;
const sizes = [64 * KIB, KIB * KIB];
const large = new Map(sizes.map((size) => [size, Buffer.alloc(size, 7)]));
const name = (size) => (size >= KIB * KIB ? `${size / KIB / KIB} MiB` : `${size / KIB} KiB`);

/** `bar`: the ratio to reach; `beatBun`: ours is to be faster than Bun's own. */
export function cases(crypto) {
  const key = Buffer.alloc(32, 9);
  const keyObject = crypto.createSecretKey(key);
  const list = [
    {
      name: "createHash('sha256').update(32-char string).digest('hex')",
      bar: 3.7,
      beatBun: true,
      floor: 'digestString',
      run(n) {
        let last;
        for (let i = 0; i < n; i++) {
          last = crypto.createHash('sha256').update(strings[i & MASK]).digest('hex');
        }
        return last;
      },
    },
    {
      name: "createHash('sha256').update(64 B).digest()",
      bar: 4,
      floor: 'digestBytes',
      run(n) {
        let last;
        for (let i = 0; i < n; i++) last = crypto.createHash('sha256').update(view(i)).digest();
        return last;
      },
    },
    {
      name: 'createHash(8 algorithms in turn).update(32-char string).digest(hex)',
      run(n) {
        let last;
        for (let i = 0; i < n; i++) {
          last = crypto.createHash(MIXED[i & 7]).update(strings[i & MASK]).digest('hex');
        }
        return last;
      },
    },
    {
      name: "createHmac('sha256', Buffer).update(32-char string).digest('hex')",
      bar: 4,
      beatBun: true,
      floor: 'hmacString',
      run(n) {
        let last;
        for (let i = 0; i < n; i++) {
          last = crypto.createHmac('sha256', key).update(strings[i & MASK]).digest('hex');
        }
        return last;
      },
    },
    {
      name: "createHmac('sha256', KeyObject).update(32-char string).digest('hex')",
      bar: 4,
      beatBun: true,
      floor: 'hmacKeyed',
      run(n) {
        let last;
        for (let i = 0; i < n; i++) {
          last = crypto.createHmac('sha256', keyObject).update(strings[i & MASK]).digest('hex');
        }
        return last;
      },
    },
    {
      name: "createHmac('sha256', string).update(64 B).digest('base64')",
      run(n) {
        let last;
        for (let i = 0; i < n; i++) {
          last = crypto.createHmac('sha256', 'a secret of 24 characters').update(view(i)).digest('base64');
        }
        return last;
      },
    },
    {
      name: "createHmac('sha256', new KeyObject each time)…digest('base64url')",
      run(n) {
        let last;
        for (let i = 0; i < n; i++) {
          const fresh = crypto.createSecretKey(key);
          last = crypto.createHmac('sha256', fresh).update(strings[i & MASK]).digest('base64url');
        }
        return last;
      },
    },
    {
      name: "hash('sha256', 32-char string)",
      bar: 1.6,
      floor: 'digestString',
      run(n) {
        let last;
        for (let i = 0; i < n; i++) last = crypto.hash('sha256', strings[i & MASK]);
        return last;
      },
    },
    {
      name: "hash('sha256', 64 B, 'buffer')",
      bar: 3,
      floor: 'digestBytes',
      run(n) {
        let last;
        for (let i = 0; i < n; i++) last = crypto.hash('sha256', view(i), 'buffer');
        return last;
      },
    },
    {
      name: 'randomBytes(16)',
      bar: 6,
      floor: 'random',
      run(n) {
        let last;
        for (let i = 0; i < n; i++) last = crypto.randomBytes(16);
        return last;
      },
    },
    {
      name: 'randomFillSync(16 B)',
      floor: 'random',
      run(n) {
        const target = Buffer.alloc(16);
        for (let i = 0; i < n; i++) crypto.randomFillSync(target);
        return target;
      },
    },
  ];
  for (const size of sizes) {
    const data = large.get(size);
    const text = data.toString('latin1');
    for (const algorithm of ['sha256', 'sha512', 'md5', 'sha3-256']) {
      list.push({
        name: `createHash('${algorithm}').update(${name(size)}).digest('hex')`,
        bar: 0.97,
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = crypto.createHash(algorithm).update(data).digest('hex');
          return last;
        },
      });
    }
    list.push(
      {
        name: `createHash('sha256').update(string of ${name(size)}).digest('hex')`,
        bar: 0.97,
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = crypto.createHash('sha256').update(text).digest('hex');
          return last;
        },
      },
      {
        name: `createHmac('sha256', Buffer).update(${name(size)}).digest('hex')`,
        bar: 0.97,
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = crypto.createHmac('sha256', key).update(data).digest('hex');
          return last;
        },
      },
      {
        name: `hash('sha256', ${name(size)})`,
        bar: 0.97,
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = crypto.hash('sha256', data);
          return last;
        },
      },
      {
        name: `randomBytes(${name(size)})`,
        bar: 0.97,
        run(n) {
          let last;
          for (let i = 0; i < n; i++) last = crypto.randomBytes(size);
          return last;
        },
      },
    );
  }
  return list;
}

/** What the addon alone costs: one crossing and the primitive, nothing around it. */
export function floors(native) {
  const words = new Uint32Array(native.scratch, 0, 16);
  const SHA256 = 3;
  const HEX = 1;
  const NO_ID = 0xffffffff;
  words[1] = SHA256;
  words[4] = 32;
  native.keyNew();
  const id = words[5];
  const set = (encoding, dataLength, keyLength, keyId) => {
    words[1] = SHA256;
    words[2] = encoding;
    words[3] = dataLength;
    words[4] = keyLength;
    words[5] = keyId;
    words[6] = 16;
    words[7] = 0;
  };
  const loop = (prepare, call) => (n) => {
    prepare();
    for (let i = 0; i < n; i++) call(strings[i & MASK]);
  };
  return {
    fips: loop(() => {}, () => native.fips()),
    digestString: loop(() => set(HEX, 0, 0, NO_ID), (text) => native.digestString(text)),
    digestBytes: loop(() => set(0, 64, 0, NO_ID), () => native.digest()),
    hmacString: loop(() => set(HEX, 0, 32, NO_ID), (text) => native.hmacString(text)),
    hmacKeyed: loop(() => set(HEX, 0, 0, id), (text) => native.hmacString(text)),
    random: loop(() => set(0, 0, 0, NO_ID), () => native.random()),
  };
}
