/**
 * Ways to use many objects at a time that go through every place where an object's bytes can be.
 */

import assert from 'node:assert/strict';

import { answerOf } from '../support/app.mjs';
import { indexFile, registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

/** Runs `run(crypto)` before and after the hook, and compares what it returns, an array of strings. */
async function same(run, least = 1) {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  const { answer } = await answerOf(
    `const crypto = require('node:crypto');
     const run = ${run};
     const host = run(crypto);
     require(${JSON.stringify(registerFile)});
     const ours = run(crypto);
     const { stats } = require(${JSON.stringify(indexFile)});
     const differences = host.flatMap((output, at) => (output === ours[at] ? [] : [at + ': ' + output + ' / ' + ours[at]]));
     console.log(JSON.stringify({ differences, sizes: [host.length, ours.length], served: stats() }));`,
    { args: [], extension: 'cjs' },
  );
  const served = Object.values(answer.served).reduce((sum, one) => sum + one.served, 0);
  assert.ok(served >= least, `only ${served} calls were served`);
  assert.equal(answer.sizes[0], answer.sizes[1]);
  assert.deepEqual(answer.differences.slice(0, 5), []);
  return answer.served;
}

test('patterns: objects that take turns', () =>
  same((crypto) => {
    const outputs = [];
    const sizes = [1, 20, 63, 64, 65, 127, 128, 129, 300];
    for (const first of sizes) {
      for (const second of sizes) {
        const objects = [
          crypto.createHash('sha256'),
          crypto.createHmac('sha256', Buffer.alloc(first, 3)),
          crypto.createHash('sha1').update('text'),
          crypto.createHmac('sha512', 'a key'),
          crypto.createHash('shake128', { outputLength: 33 }),
        ];
        for (const size of [first, second, 7]) {
          for (const [at, object] of objects.entries()) object.update(Buffer.alloc(size, at)).update('ä'.repeat(size));
        }
        // The last to come is the first to go, so that the others find the scratch free.
        const copies = objects.filter((object) => object.copy).map((object) => object.copy());
        for (const object of [...objects.reverse(), ...copies]) {
          object.update(Buffer.alloc(second, 9));
          object.update('616263', 'hex');
          outputs.push(object.digest('hex'));
        }
      }
    }
    return outputs;
  }, 100));

test('patterns: copies of a prefix of each length, used again and again', () =>
  same((crypto) => {
    const outputs = [];
    for (const length of [0, 1, 63, 64, 65, 128, 255, 256, 257, 3000, 20000]) {
      for (const prefix of [Buffer.alloc(length, 5), 'x'.repeat(length), 'ö'.repeat(length)]) {
        const hash = crypto.createHash('sha256').update(prefix);
        for (let at = 0; at < 4; at++) {
          outputs.push(hash.copy().update(Buffer.alloc(40, at)).digest('base64'));
          outputs.push(hash.copy().update(String(at)).copy().digest('hex'));
          hash.update(Buffer.alloc(10, at));
        }
        outputs.push(hash.digest('hex'));
      }
    }
    return outputs;
  }, 50));

test('patterns: copies between the halves of a surrogate pair', () =>
  same((crypto) => {
    const outputs = [];
    for (const start of [[], ['text'], [Buffer.from('bytes')]]) {
      for (const rest of [['\ude00'], ['', '\ude00'], ['', 'x', '\ude00'], [Buffer.alloc(0), '\ude00']]) {
        const hash = crypto.createHash('sha256');
        for (const piece of [...start, '\ud83d']) hash.update(piece);
        const copies = [hash.copy(), hash.copy().copy(), hash];
        for (const copy of copies) outputs.push(rest.reduce((copy, piece) => copy.update(piece), copy).digest('hex'));
      }
    }
    return outputs;
  }, 20));

test('patterns: text around the length that is converted another way', () =>
  same((crypto) => {
    const outputs = [];
    const alphabets = ['a', 'é', '漢', '😀', '\ud83d', '\ude00', 'aé漢😀'];
    for (const alphabet of alphabets) {
      for (const length of [1, 60, 127, 128, 129, 200, 1000, 5400, 5461, 5462, 5463, 8192, 16383, 16384, 16385]) {
        const text = alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length);
        outputs.push(crypto.createHash('sha256').update(text).digest('hex'));
        outputs.push(crypto.createHash('sha256').update(Buffer.alloc(1)).update(text).digest('hex'));
        outputs.push(crypto.createHash('sha256').update(text, 'utf8').update(text, 'utf-8').digest('hex'));
        outputs.push(crypto.createHmac('md5', Buffer.alloc(3)).update(text).digest('hex'));
        outputs.push(crypto.createHmac('md5', text.slice(0, 1000)).update(text).digest('hex'));
        outputs.push(crypto.createHmac('md5', text.slice(0, 1000)).update(Buffer.alloc(2)).update(text).digest('hex'));
        // A small one, so that large ones in a row do not become a habit.
        outputs.push(crypto.createHmac('md5', 'key').update(alphabet).digest('hex'));
        if (crypto.hash !== undefined) outputs.push(crypto.hash('sha1', text), crypto.hash('sha1', text, 'base64'));
      }
    }
    return outputs;
  }, 300));

test('patterns: encodings of every size, where memory for them is used again', () =>
  same((crypto) => {
    const outputs = [];
    for (const encoding of ['hex', 'base64', 'base64url', 'latin1', 'ascii', 'utf16le', 'binary', 'ucs2']) {
      for (const length of [0, 2, 64, 66, 130, 5000, 16384, 16386, 40000]) {
        const text = 'ab'.repeat(length / 2);
        const text2 = '12'.repeat(length / 2);
        const kept = crypto.createHmac('sha256', 'a key');
        crypto.createHash('md5').update(text2, encoding);
        kept.update('text').update(text, encoding);
        crypto.createHash('md5').update(text2, encoding);
        kept.update('more').update(text2, encoding);
        outputs.push(kept.digest('hex'));
        outputs.push(crypto.createHmac('sha256', 'a key').update('text').digest('hex'));
      }
    }
    return outputs;
    // Of the others the host takes over so many that it makes the next ones.
  }, 120));

test('patterns: key objects of every kind, used any number of times', async () => {
  const served = await same((crypto) => {
    const outputs = [];
    const secret = Buffer.from('a secret');
    const keys = [
      crypto.createSecretKey(secret),
      Object.freeze(crypto.createSecretKey(secret)),
      Object.seal(crypto.createSecretKey(secret)),
      crypto.createSecretKey(Buffer.alloc(1025, 1)),
      new Proxy(crypto.createSecretKey(secret), {}),
    ];
    for (let use = 0; use < 12; use++) {
      for (const key of keys) {
        for (const algorithm of ['sha256', 'sha1', 'sha256', 'blake2b512']) {
          try {
            outputs.push(crypto.createHmac(algorithm, key).update(String(use)).digest('hex'));
          } catch (error) {
            outputs.push(error.code ?? error.name);
          }
        }
      }
    }
    return outputs;
  }, 100);
  assert.ok(served.createHmac.served >= 3 * 4 * 12, JSON.stringify(served.createHmac));
});

test('patterns: more key objects than there are places for keyed states', async () => {
  const served = await same((crypto) => {
    const keys = Array.from({ length: 8500 }, (_, at) => crypto.createSecretKey(Buffer.from(`key ${at}`)));
    const sum = crypto.createHash('sha256');
    for (let use = 0; use < 6; use++) for (const key of keys) sum.update(crypto.createHmac('sha256', key).update('x').digest('hex'));
    return [sum.digest('hex')];
  }, 40000);
  assert.equal(served.createHmac.handedBack, 0, JSON.stringify(served.createHmac));
});

test('patterns: an object that the host has taken over is the host\'s to the end', () =>
  same((crypto) => {
    const outputs = [];
    const large = Buffer.alloc(20000, 1);
    for (const seal of [(object) => object, Object.freeze, (object) => new Proxy(object, {}), Object.create]) {
      const hash = seal(crypto.createHash('sha256').update('a'));
      try {
        for (let at = 0; at < 3; at++) outputs.push(String(hash.update(large) === hash));
        outputs.push(hash.copy().digest('hex'), hash.update('b').digest('hex'));
        hash.update('c');
      } catch (error) {
        outputs.push(error.code ?? error.message);
      }
      try {
        outputs.push(hash.digest('hex'));
      } catch (error) {
        outputs.push(error.code ?? error.message);
      }
    }
    const hash = crypto.createHash('sha256');
    hash.write(large);
    hash.update(large);
    hash.write('x');
    hash.end('y');
    // One that is served: not of the algorithm whose objects were taken over one after the other.
    outputs.push(crypto.createHash('sha1').update('a').digest('hex'));
    outputs.push(hash.read().toString('hex'), require('node:util').inspect(hash[Object.getOwnPropertySymbols(hash).find((symbol) => symbol.description === 'kHandle')]));
    return outputs;
  }));

test('patterns: bytes of many objects that wait at a time, and small input again', async () => {
  const served = await same((crypto) => {
    const outputs = [];
    const objects = Array.from({ length: 200 }, () => crypto.createHash('sha256').update('name'));
    for (const [at, object] of objects.entries()) object.update(Buffer.alloc(100 + at, at));
    for (const object of objects) outputs.push(object.update('616263', 'hex').digest('hex'));
    for (let at = 0; at < 40; at++) outputs.push(crypto.createHash('sha256').update(`${at}`).digest('hex'));
    return outputs;
  });
  const { served: ours, reasons } = served.createHash;
  assert.equal(reasons.interleaved, 199, JSON.stringify(served.createHash));
  // The host makes a fixed number of the next ones, and then they are served again.
  assert.equal(reasons['outgrown before'], 32, JSON.stringify(served.createHash));
  assert.equal(ours, 1 + 40 - 32, JSON.stringify(served.createHash));
});

test('patterns: large input now and then changes nothing for small input', async () => {
  const served = await same((crypto) => {
    const outputs = [];
    for (let at = 0; at < 50; at++) {
      outputs.push(crypto.createHash('sha1').update(Buffer.alloc(20_000, at)).digest('hex'));
      outputs.push(crypto.createHash('sha1').update(`${at}`).digest('hex'));
    }
    return outputs;
  });
  assert.equal(served.createHash.served, 50, JSON.stringify(served.createHash));
  assert.deepEqual(served.createHash.reasons, { 'input is large': 50 });
});

test('patterns: large input under a key becomes the host\'s, and hashes stay what they were', async () => {
  const served = await same((crypto) => {
    const outputs = [];
    const keys = [Buffer.from('key'), 'key', crypto.createSecretKey(Buffer.from('key'))];
    for (let at = 0; at < 120; at++) {
      outputs.push(crypto.createHmac('sha256', keys[at % 3]).update(Buffer.alloc(20_000, at)).digest('hex'));
      outputs.push(crypto.createHash('sha256').update(`${at}`).digest('hex'));
    }
    // The host's turns for hashes, of which HMACs know nothing.
    for (let at = 0; at < 4; at++) outputs.push(crypto.createHash('sha1').update(Buffer.alloc(20_000, at)).digest('hex'));
    for (let at = 0; at < 9; at++) outputs.push(crypto.createHmac('sha1', 'key').update(`${at}`).digest('hex'));
    return outputs;
  });
  assert.deepEqual(served.createHmac, {
    served: 9,
    handedBack: 120,
    // Four make it a habit; 32 are the host's, one is tried, 64 are the host's, one is tried.
    reasons: { 'outgrown before': 114, 'input is large': 6 },
  });
  assert.deepEqual(served.createHash, { served: 120, handedBack: 4, reasons: { 'input is large': 4 } });
});

test('patterns: large input now and then changes nothing for small input under a key', async () => {
  const served = await same((crypto) => {
    const outputs = [];
    for (let at = 0; at < 50; at++) {
      outputs.push(crypto.createHmac('sha1', 'key').update(Buffer.alloc(20_000, at)).digest('hex'));
      outputs.push(crypto.createHmac('sha1', 'key').update(`${at}`).digest('hex'));
    }
    return outputs;
  });
  assert.equal(served.createHmac.served, 50, JSON.stringify(served.createHmac));
  assert.deepEqual(served.createHmac.reasons, { 'input is large': 50 });
});
