/**
 * Every served algorithm at every length at which something changes.
 */

const ALGORITHMS = [
  'md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-224', 'sha512-256', 'sha3-224', 'sha3-256',
  'sha3-384', 'sha3-512', 'blake2b512', 'blake2s256', 'ripemd160', 'md5-sha1',
];
const PATTERNS = { one: 'a', two: 'é', three: '€', four: '😀', highs: '\ud800', mixed: 'a€😀é' };
/** Around the limits per algorithm, and around what fits the scratch, in code units. */
const UNITS = [0, 1, 31, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 511, 512, 513, 682, 683, 1365, 1366, 2047, 2048, 2049, 4094, 4095, 4096, 4097, 5460, 5461, 5462, 8190, 8191, 8192, 8193, 8194, 8195, 16380, 16381, 16382, 16383, 16384, 16385, 16386];

function textOf(pattern, units) {
  return pattern.repeat(Math.ceil(units / pattern.length)).slice(0, units);
}

/** Whether this host has the digest; the same on both sides. */
export function hasDigest(crypto, name) {
  return succeeds(() => crypto.createHash(name).update('a').digest());
}

/** Whether this host has an HMAC over it. */
export function hasMac(crypto, name) {
  return succeeds(() => crypto.createHmac(name, 'k').update('a').digest());
}

function succeeds(body) {
  try {
    body();
    return true;
  } catch {
    return false;
  }
}

/** Folds many outputs into one line, in an order that tells them apart. */
function folder(crypto) {
  let fold = '';
  return {
    add(output) {
      fold = crypto.createHash('sha1').update(fold).update(output).digest('hex');
    },
    get value() {
      return fold;
    },
  };
}

export const cases = {
  'each algorithm, text of each length': {
    body({ crypto, line }) {
      for (const name of ALGORITHMS) {
        if (!hasDigest(crypto, name)) continue;
        const oneShot = succeeds(() => crypto.hash(name, 'a'));
        for (const [kind, pattern] of Object.entries(PATTERNS)) {
          const fold = folder(crypto);
          for (const units of UNITS) {
            const text = textOf(pattern, units);
            fold.add(crypto.createHash(name).update(text).digest('hex'));
            if (oneShot) fold.add(crypto.hash(name, text, 'base64'));
          }
          line(`${name} ${kind}`, fold.value);
        }
      }
    },
  },
  'each algorithm, bytes of each length': {
    body({ crypto, line }) {
      const bytes = new Uint8Array(16_400).map((_, at) => at * 7 + (at >> 8));
      for (const name of ALGORITHMS) {
        if (!hasDigest(crypto, name)) continue;
        const oneShot = succeeds(() => crypto.hash(name, 'a'));
        const fold = folder(crypto);
        for (const units of UNITS) {
          const part = bytes.subarray(0, units);
          fold.add(crypto.createHash(name).update(part).digest());
          fold.add(crypto.createHash(name).update(part.subarray(0, units >> 1)).update(part.subarray(units >> 1)).digest('latin1'));
          if (oneShot) fold.add(crypto.hash(name, part, 'buffer'));
        }
        line(name, fold.value);
      }
    },
  },
  'each algorithm, keys and data of each length': {
    body({ crypto, line }) {
      const bytes = new Uint8Array(16_400).map((_, at) => at * 11 + (at >> 8));
      for (const name of ALGORITHMS) {
        if (!hasMac(crypto, name)) continue;
        const fold = folder(crypto);
        for (const size of [0, 1, 2, 3, 4, 63, 64, 65, 127, 128, 129, 143, 144, 1023, 1024, 1025]) {
          const raw = bytes.subarray(0, size);
          const text = textOf('k€y😀', size);
          const object = crypto.createSecretKey(raw);
          for (const units of [0, 1, 64, 511, 512, 2048, 4097, 5461, 5462, 8193, 15_360, 16_320, 16_383, 16_384, 16_385]) {
            for (const key of [raw, text, object]) {
              fold.add(crypto.createHmac(name, key).update(bytes.subarray(0, units)).digest('base64url'));
              fold.add(crypto.createHmac(name, key).update(textOf(units % 2 === 0 ? '😀' : '€', units)).digest());
            }
          }
        }
        line(name, fold.value);
      }
    },
  },
  'text behind bytes fills the scratch to the last place': {
    body({ crypto, line }) {
      // Cuts of text fall between characters: every length of what stands before it, and of them.
      for (const [kind, pattern] of Object.entries(PATTERNS)) {
        const fold = folder(crypto);
        for (let before = 0; before < 9; before++) {
          for (let missing = -10; missing < 10; missing++) {
            const width = Buffer.byteLength(pattern) / pattern.length;
            const units = Math.round((16_384 - before - missing) / width);
            const text = textOf(pattern, units);
            fold.add(crypto.createHash('sha256').update(new Uint8Array(before)).update(text).digest('hex'));
            fold.add(crypto.createHmac('sha256', new Uint8Array(before)).update(text).digest('hex'));
            fold.add(crypto.createHmac('sha256', 'é'.repeat(before)).update(text).update('x').digest('hex'));
          }
        }
        line(kind, fold.value);
      }
    },
  },
  'a pair of surrogates cut in two': {
    body({ crypto, line }) {
      const pieces = {
        'in two calls': ['\ud83d', '\ude00'],
        'after text': ['text \ud83d', '\ude00'],
        'before text': ['\ud83d', '\ude00 text'],
        'with nothing between': ['\ud83d', '', '\ude00'],
        'with bytes between': ['\ud83d', new Uint8Array([65]), '\ude00'],
        'after bytes': [new Uint8Array([65]), '\ud83d', '\ude00'],
        'high, high, low': ['\ud83d', '\ud83d', '\ude00'],
        'low, high': ['\ude00', '\ud83d'],
        'cut twice': ['a\ud83d', '\ude00b\ud83d', '\ude00'],
        whole: ['\ud83d\ude00'],
      };
      const long = 'x'.repeat(5460);
      for (const [label, parts] of Object.entries(pieces)) {
        for (const name of ['sha256', 'sha3-256', 'sha512'].filter((one) => hasMac(crypto, one))) {
          const feed = (target) => parts.reduce((object, part) => object.update(part), target);
          line(`${label} ${name}`, feed(crypto.createHash(name)).digest('hex'));
          line(`${label} ${name} long`, feed(crypto.createHash(name).update(long)).digest('hex'));
          line(`${label} ${name} hmac`, feed(crypto.createHmac(name, '\ud83d')).digest('hex'));
          const copied = feed(crypto.createHash(name));
          line(`${label} ${name} copy`, copied.copy().update('\ude00').digest('hex'));
          line(`${label} ${name} copied`, copied.update('\ude00').digest('hex'));
        }
      }
      line('key ends, data begins', crypto.createHmac('sha256', 'k\ud83d').update('\ude00').digest('hex'));
    },
  },
  'objects side by side': {
    body({ crypto, line }) {
      const live = [];
      for (let at = 0; at < 40; at++) {
        const secret = new Uint8Array(at).fill(at);
        live.push(at % 3 === 0 ? crypto.createHmac('sha256', secret) : crypto.createHash(['sha256', 'sha512', 'md5'][at % 3]));
      }
      for (let round = 0; round < 30; round++) {
        live.forEach((one, at) => {
          const size = (round * 13 + at * 7) % 90;
          if ((round + at) % 4 === 0) one.update('t'.repeat(size));
          else one.update(new Uint8Array(size).fill(round ^ at));
        });
        if (round === 12) live.slice(1, 5).forEach((one) => { if (one.copy) live.push(one.copy()); });
        crypto.createHash('sha1').update(new Uint8Array(50)).digest();
      }
      live.forEach((one, at) => line(`object ${at}`, one.digest('hex')));
    },
    only: 'node',
  },
  'a copy and its parent go apart': {
    body({ crypto, line }) {
      for (const first of ['text', new Uint8Array(40).fill(1), new Uint8Array(200).fill(2)]) {
        for (const crowd of [false, true]) {
          const parent = crypto.createHash('sha256').update(first);
          if (crowd) crypto.createHash('sha1').update(new Uint8Array(9));
          const copy = parent.copy();
          const second = copy.copy();
          parent.update(new Uint8Array(100).fill(3));
          copy.update(new Uint8Array(100).fill(4));
          second.update('other');
          line('copy', copy.digest('hex'));
          line('parent', parent.digest('hex'));
          line('copy of the copy', second.digest('hex'));
        }
      }
    },
    only: 'node',
  },
};
