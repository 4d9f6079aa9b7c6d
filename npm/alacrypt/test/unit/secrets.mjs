/**
 * Keys, data and outputs leave nothing behind: not in the memory shared with the addon, not in
 * Buffer's pool, not in the private memory of an object.
 */

import assert from 'node:assert/strict';
import path from 'node:path';

import { answerOf } from '../support/app.mjs';
import { indexFile, packageDirectory, registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';


/**
 * Every array that is made while the package runs is kept for a look afterwards, and so is every
 * key that the host exports.
 */
const PRELUDE = `
  const recorded = [];
  const Plain = globalThis.Uint8Array;
  globalThis.Uint8Array = new Proxy(Plain, {
    construct(target, args, newTarget) {
      const made = Reflect.construct(target, args, newTarget === globalThis.Uint8Array ? target : newTarget);
      recorded.push(made);
      return made;
    },
  });
  const crypto = require('node:crypto');
  const keyPrototype = Object.getPrototypeOf(crypto.createSecretKey(new Plain(1)));
  const exportKey = Object.getPrototypeOf(keyPrototype).export ? Object.getPrototypeOf(keyPrototype) : keyPrototype;
  const originalExport = keyPrototype.export;
  keyPrototype.export = function (...args) {
    const bytes = Reflect.apply(originalExport, this, args);
    recorded.push(bytes);
    return bytes;
  };
  // What is exported from a private key, by whoever does it.
  const privateKey = crypto.createPrivateKey({
    key: new Plain([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32, ...new Plain(32).fill(7)]),
    format: 'der',
    type: 'pkcs8',
  });
  const privatePrototype = Object.getPrototypeOf(privateKey);
  const exportPrivate = privatePrototype.export;
  privatePrototype.export = function (...args) {
    const exported = Reflect.apply(exportPrivate, this, args);
    if (typeof exported !== 'string') recorded.push(exported);
    return exported;
  };
  // The package shows its shared memory to nobody: it is caught where the addon is loaded.
  let shared;
  const { dlopen } = process;
  process.dlopen = function (module, ...rest) {
    Reflect.apply(dlopen, this, [module, ...rest]);
    shared ??= module.exports.scratch;
  };
  require(${JSON.stringify(registerFile)});
  process.dlopen = dlopen;
  globalThis.Uint8Array = Plain;
  const { stats } = require(${JSON.stringify(indexFile)});
  const memory = new Plain(shared);

  /** Bytes that are found nowhere else, in memory of their own; no two secrets share a part. */
  let secrets = 0;
  let state = 1;
  const draw = (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % end;
  };
  function secretBytes(length = 24) {
    secrets++;
    const bytes = new Plain(length);
    for (let at = 0; at < length; at++) bytes[at] = 128 + draw(128);
    return bytes;
  }
  /** ASCII, not made by way of a Buffer. */
  function secretText(length = 24) {
    secrets++;
    let text = '';
    for (let at = 0; at < length; at++) text += String.fromCharCode(97 + draw(26));
    return text;
  }
  const bytesOfText = (text) => Plain.from(text, (character) => character.charCodeAt(0));
  const bytesOfHex = (text) => Plain.from(text.match(/../g), (pair) => parseInt(pair, 16));

  function contains(haystack, needle) {
    for (let at = haystack.indexOf(needle[0]); at !== -1; at = haystack.indexOf(needle[0], at + 1)) {
      let same = 1;
      while (same < needle.length && haystack[at + same] === needle[same]) same++;
      if (same === needle.length) return true;
    }
    return false;
  }

  /** Memory of Buffer's pools: that in use before, and that in use now. */
  const pools = new Set();
  const notePool = () => pools.add(Buffer.from('a').buffer);
  notePool();

  const found = [];
  function look(label, needles, { live = [], sharedOnly = false } = {}) {
    notePool();
    // What comes next may cover up the beginning.
    const parts = Object.entries(needles).flatMap(([what, needle]) => [
      ['beginning of ' + what, needle.subarray(0, 12)],
      ['end of ' + what, needle.subarray(Math.max(0, needle.length - 12))],
    ]);
    for (const [what, part] of parts) {
      if (contains(memory, part)) found.push(label + ': ' + what + ' in the shared scratch');
      for (const pool of pools) if (contains(new Plain(pool), part)) found.push(label + ': ' + what + " in Buffer's pool");
      if (!sharedOnly) recorded.forEach((array, at) => {
        // What the app got is its own, by whatever view.
        if (live.some((own) => own.buffer === array.buffer) || array.buffer === memory.buffer || pools.has(array.buffer)) return;
        if (contains(new Plain(array.buffer), part)) found.push(label + ': ' + what + ' in private memory ' + at + ' of ' + array.buffer.byteLength + ' bytes');
      });
    }
    recorded.length = 0;
  }
`;

async function nothingLeft(body) {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  const { answer } = await answerOf(`${PRELUDE}\n(async () => {\n${body}\nconsole.log(JSON.stringify({ found, served: stats(), secrets }));\n})();`, { args: [], extension: 'cjs' });
  assert.ok(answer.secrets > 0, 'no secret was used');
  const served = Object.values(answer.served).reduce((sum, one) => sum + one.served, 0);
  assert.ok(served > 0, 'nothing was served');
  assert.deepEqual(answer.found, []);
}

test('secrets: what the search would find', async () => {
  if (runtime !== 'node') skip('only Node has its objects replaced by ours');
  // The search itself is tested: an object that is still open has its bytes in the scratch.
  const { answer } = await answerOf(
    `${PRELUDE}
     const data = secretBytes();
     const open = crypto.createHash('sha256').update(data);
     look('open', { data });
     crypto.createHash('md5').update(secretBytes());
     // Moved out, and alive.
     const kept = found.length;
     Buffer.from(data);
     look('pooled', { data });
     console.log(JSON.stringify({ found, kept, hex: open.digest('hex') }));`,
    { args: [], extension: 'cjs' },
  );
  assert.equal(answer.kept, 2, answer.found.join());
  assert.ok(answer.found.some((line) => line.startsWith('pooled') && line.includes('pool')), answer.found.join());
});

test('secrets: hashes', () =>
  nothingLeft(`
    for (const name of ['sha256', 'sha512', 'sha3-256', 'blake2b512', 'md5', 'ripemd160']) {
      for (const encoding of ['hex', 'base64', 'base64url', 'latin1', undefined, 'utf16le', 'HEX']) {
        let data = secretText(40);
        crypto.createHash(name).update(data).digest(encoding);
        look(name + ' text ' + encoding, { data: bytesOfText(data) });
        data = secretBytes(40);
        crypto.createHash(name).update(data).digest(encoding);
        look(name + ' bytes ' + encoding, { data });
        const pieces = [secretBytes(30), secretBytes(90)];
        const text = secretText(30);
        crypto.createHash(name).update(pieces[0]).update(text).update(pieces[1]).digest(encoding);
        look(name + ' mixed ' + encoding, { first: pieces[0], second: pieces[1], text: bytesOfText(text) });
      }
    }
  `));

test('secrets: outputs', () =>
  nothingLeft(`
    // The one array of that length, beside the result, that is not a view of the scratch.
    const keptOutput = (result) => {
      const kept = recorded.filter((array) => array.length === result.length && array.buffer !== memory.buffer && array !== result);
      return kept.length === 1 ? kept : [];
    };
    const hexOf = (name, data) => bytesOfHex(crypto.createHash(name).update(data).digest('hex'));
    for (const name of ['sha256', 'sha512', 'md5']) {
      const data = secretText(20);
      const output = hexOf(name, data);
      look(name + ' hex', { output });
      const hash = crypto.createHash(name).update(data);
      const bytes = hash.digest();
      // The result itself is the caller's, and a copy lives as long as the hash: a stream that
      // ends after digest() gives it again, as the host's does.
      look(name + ' bytes', { output }, { live: [bytes, ...keptOutput(bytes)] });
      crypto.createHmac(name, data).digest('base64');
      look(name + ' hmac', { key: bytesOfText(data) });
      if (crypto.hash !== undefined) {
        crypto.hash(name, data);
        look(name + ' one-shot', { output });
      }
    }
    const random = crypto.randomBytes(64);
    look('randomBytes', { random: new Plain(random) }, { live: [random] });
    const long = crypto.randomBytes(1000);
    look('randomBytes, many', { random: new Plain(long).subarray(500) }, { live: [long] });
    const filled = crypto.randomFillSync(new Plain(32));
    look('randomFillSync', { random: filled });
    const extended = crypto.createHash('shake256', { outputLength: 200 }).update('x').digest();
    look('shake256', { output: new Plain(extended).subarray(150) }, { live: [extended, ...keptOutput(extended)] });
  `));

test('secrets: one-shot hashes', () =>
  nothingLeft(`
    if (crypto.hash === undefined) { crypto.createHash('sha256').update(secretText()).digest(); }
    else for (const encoding of ['hex', 'base64', 'buffer', 'utf8']) {
      let data = secretText(60);
      crypto.hash('sha256', data, encoding);
      look('text ' + encoding, { data: bytesOfText(data) });
      data = secretBytes(60);
      crypto.hash('sha256', data, encoding);
      look('bytes ' + encoding, { data });
    }
  `));

test('secrets: keys', () =>
  nothingLeft(`
    for (const name of ['sha256', 'sha512', 'md5']) {
      const text = secretText(30);
      crypto.createHmac(name, text).update('data').digest('hex');
      look(name + ' text key', { key: bytesOfText(text) });
      crypto.createHmac(name, text).update(new Plain(70)).digest('hex');
      look(name + ' text key, bytes', { key: bytesOfText(text) });
      const key = secretBytes(30);
      crypto.createHmac(name, key).update('data').digest('hex');
      look(name + ' bytes key', { key });
      const object = crypto.createSecretKey(key);
      recorded.length = 0;
      for (let use = 0; use < 4; use++) {
        crypto.createHmac(name, object).update('data').digest('hex');
        look(name + ' key object, use ' + use, { key });
      }
      for (const other of ['sha1', 'sha384']) crypto.createHmac(other, object).update('data').digest('hex');
      look(name + ' key object, other algorithms', { key });
    }
  `));

test('secrets: private keys and what they sign', () =>
  nothingLeft(`
    const PREFIX = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];
    for (const form of ['object', 'text', 'bytes', 'der', 'signer']) {
      const seed = secretBytes(32);
      const der = new Plain([...PREFIX, ...seed]);
      const object = crypto.createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      const pem = Reflect.apply(exportPrivate, object, [{ format: 'pem', type: 'pkcs8' }]);
      const key = { object, text: pem, bytes: bytesOfText(pem), der: { key: der, format: 'der', type: 'pkcs8' }, signer: object }[form];
      for (let use = 0; use < 4; use++) {
        const data = secretBytes(40);
        crypto.sign(null, data, key);
        look(form + ' use ' + use, { seed, data });
      }
    }
    const { privateKey: signer } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (let use = 0; use < 4; use++) {
      const data = secretBytes(300);
      const text = secretText(40);
      crypto.createSign('sha256').update(data).update(text).update(data).sign(signer);
      look('createSign use ' + use, { data, text: bytesOfText(text) });
    }
    recorded.length = 0;
    const { sign, createSign } = stats();
    if (sign.served < 10 || createSign.served < 2) found.push(JSON.stringify(stats()));
  `));

test('secrets: what RSA encrypts and decrypts, and labels', () =>
  nothingLeft(`
    const { privateKey: own, publicKey: others } = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
    const pem = Reflect.apply(exportPrivate, own, [{ format: 'pem', type: 'pkcs8' }]);
    for (let use = 0; use < 5; use++) {
      const data = secretBytes(32), label = secretBytes(30), text = secretText(40);
      const hex = Array.from(data, (byte) => byte.toString(16)).join('');
      const sealed = crypto.publicEncrypt({ key: others, oaepLabel: label }, data);
      look('publicEncrypt use ' + use, { data, label });
      crypto.publicEncrypt(others, text);
      crypto.publicEncrypt({ key: others, encoding: 'hex' }, hex);
      look('publicEncrypt of text, use ' + use, { data, text: bytesOfText(text) }, { sharedOnly: use === 0 });
      const opened = crypto.privateDecrypt({ key: pem, oaepLabel: label }, sealed);
      look('privateDecrypt use ' + use, { data, label }, { live: [opened] });
      const signed = crypto.privateEncrypt(pem, data);
      const shown = crypto.publicDecrypt(others, signed);
      look('privateEncrypt and publicDecrypt use ' + use, { data }, { live: [shown] });
    }
    const { publicEncrypt, privateDecrypt, privateEncrypt, publicDecrypt } = stats();
    for (const one of [publicEncrypt, privateDecrypt, privateEncrypt, publicDecrypt]) {
      if (one.served < 2) found.push(JSON.stringify(stats()));
    }
  `));

test('secrets: ciphers', () =>
  nothingLeft(`
    const NAMES = { 'aes-256-gcm': 12, 'aes-256-cbc': 16, 'aes-256-ctr': 16, 'chacha20-poly1305': 12, 'aes-256-ofb': 16 };
    const isAead = (name) => /gcm|poly/.test(name);
    // Many messages in pieces, one after another, would be made by the host, which puts texts into Buffer's pool.
    const wholeMessage = (name, ivLength) => {
      const cipher = crypto.createCipheriv(name, new Plain(32), new Plain(ivLength));
      cipher.update(new Plain(16));
      cipher.final();
    };
    for (const [name, ivLength] of Object.entries(NAMES)) {
      for (const form of ['bytes', 'text', 'object']) {
        for (let use = 0; use < 4; use++) {
          const key = form === 'text' ? bytesOfText(secretText(32)) : secretBytes(32);
          const given = form === 'bytes' ? key : form === 'text' ? String.fromCharCode(...key) : crypto.createSecretKey(key);
          const label = name + ' ' + form + ' ' + use;
          const data = secretBytes(64), text = secretText(40), more = secretBytes(48);
          const iv = new Plain(ivLength);
          for (const pieces of [[data], [text], [data, more], [text, data, more], []]) {
            wholeMessage(name, ivLength);
            recorded.length = 0;
            const cipher = crypto.createCipheriv(name, given, iv);
            const parts = pieces.map((piece) => cipher.update(piece));
            parts.push(cipher.final());
            look(label + ' encrypted in ' + pieces.length, { key, data, more, text: bytesOfText(text) });
            const tag = isAead(name) ? cipher.getAuthTag() : undefined;
            const whole = Buffer.concat(parts);
            for (const wrong of [false, true]) {
              for (const cut of [whole.length, 20]) {
                wholeMessage(name, ivLength);
                const decipher = crypto.createDecipheriv(name, given, iv);
                if (tag !== undefined && cut === 20) decipher.setAuthTag(wrong ? new Plain(16) : tag);
                const shown = [decipher.update(whole.subarray(0, cut)), decipher.update(whole.subarray(cut))];
                if (tag !== undefined && cut !== 20) decipher.setAuthTag(wrong ? new Plain(16) : tag);
                try { shown.push(decipher.final()); } catch {}
                look(label + ' decrypted in ' + pieces.length + ' ' + wrong + ' ' + cut, { key, data, more, text: bytesOfText(text) }, { live: shown });
              }
            }
          }
        }
      }
    }
    // One that others move out of the way, and that ends after them.
    const key = secretBytes(32), data = secretBytes(64);
    const moved = crypto.createCipheriv('aes-256-gcm', key, new Plain(12));
    crypto.createHash('sha256').update(new Plain(64)).digest();
    moved.update(data);
    crypto.createHash('sha256').update(new Plain(64)).digest();
    look('under way', { nothing: secretBytes(24) });
    const rest = moved.final();
    look('moved', { key, data });
    for (const one of [stats().createCipheriv, stats().createDecipheriv]) if (one.served < 50) found.push(JSON.stringify(stats()));
  `));

test('secrets: new key pairs', () =>
  nothingLeft(`
    const settled = (start) => new Promise((resolve, reject) => start((error, ...both) => (error ? reject(error) : resolve(both))));
    const spki = (format) => ({ format, type: 'spki' });
    const bytesOfPem = (pem) => Plain.from(atob(pem.replace(/-----.*?-----|\\n/g, '')), (character) => character.charCodeAt(0));
    // Never where all random bytes of the process come from as well.
    for (const [type, options, lengths] of [['ed25519', {}, [32, 0]], ['x25519', {}, [32, 0]], ['ec', { namedCurve: 'P-384' }, [48, 104]], ['ec', { namedCurve: 'secp256k1' }, [32, 74]]]) {
      const [length, behind] = lengths;
      const secretOf = (pkcs8) => pkcs8.slice(pkcs8.length - behind - length, pkcs8.length - behind);
      for (let use = 0; use < 5; use++) {
        const label = type + ' use ' + use;
        for (const format of ['der', 'pem']) {
          const all = { ...options, publicKeyEncoding: spki(format), privateKeyEncoding: { format, type: 'pkcs8' } };
          for (const [, privateKey] of [
            Object.values(crypto.generateKeyPairSync(type, all)),
            await settled((callback) => crypto.generateKeyPair(type, all, callback)),
          ]) {
            secrets++;
            const secret = secretOf(format === 'pem' ? bytesOfPem(privateKey) : new Plain(privateKey));
            look(label + ' as ' + format, { secret }, { live: [privateKey] });
          }
        }
        const { privateKey } = crypto.generateKeyPairSync(type, options);
        const [, later] = await settled((callback) => crypto.generateKeyPair(type, options, callback));
        for (const object of [privateKey, later]) {
          const exported = new Plain(Reflect.apply(exportPrivate, object, [{ format: 'der', type: 'pkcs8' }]));
          look(label, { secret: secretOf(exported) });
        }
      }
    }
    const { generateKeyPair, generateKeyPairSync } = stats();
    if (generateKeyPair.served < 30 || generateKeyPairSync.served < 30) found.push(JSON.stringify(stats()));
  `));

test('secrets: what is derived, and from what', () =>
  nothingLeft(`
    const settled = (start) => new Promise((resolve, reject) => start((error, answer) => (error ? reject(error) : resolve(answer))));
    const derive = {
      hkdf: [(...from) => crypto.hkdfSync('sha256', ...from, 'info', 30), (from, done) => crypto.hkdf('sha256', ...from, 'info', 30, done)],
      pbkdf2: [(...from) => crypto.pbkdf2Sync(...from, 3, 30, 'sha256'), (from, done) => crypto.pbkdf2(...from, 3, 30, 'sha256', done)],
      scrypt: [(...from) => crypto.scryptSync(...from, 30, { N: 16 }), (from, done) => crypto.scrypt(...from, 30, { N: 16 }, done)],
    };
    if (crypto.argon2 !== undefined) {
      const parameters = { parallelism: 2, tagLength: 30, memory: 64, passes: 1 };
      const argon2 = (message, nonce) => ({ message, nonce: nonce === 'salt' ? 'some salt' : nonce, secret: message, ...parameters });
      derive.argon2 = [(...from) => crypto.argon2Sync('argon2id', argon2(...from)), (from, done) => crypto.argon2('argon2id', argon2(...from), done)];
    }
    for (const [name, [atOnce, later]] of Object.entries(derive)) {
      // The first use is the host's, which makes Buffers of texts.
      atOnce('no secret', 'salt');
      recorded.length = 0;
      for (let use = 0; use < 4; use++) {
        const text = secretText(40);
        atOnce(text, 'salt');
        look(name + ' of text, use ' + use, { text: bytesOfText(text) });
        const bytes = secretBytes(40);
        const derived = atOnce(bytes, 'salt');
        look(name + ' use ' + use, { bytes, derived: new Plain(derived) }, { live: recorded.filter((one) => one === derived || one.buffer === derived) });
        // A salt that is refused, behind a secret that is there already.
        try { atOnce(bytes, 5); } catch {}
        look(name + ' refused, use ' + use, { bytes });
        const job = settled((done) => later([bytes, 'salt'], done));
        look(name + ' under way, use ' + use, { bytes });
        const answer = await job;
        look(name + ' done, use ' + use, { bytes, answer: new Plain(answer) }, { live: recorded.filter((one) => one === answer || one.buffer === answer) });
      }
    }
    const raw = secretBytes(32);
    const key = crypto.createSecretKey(raw);
    recorded.length = 0;
    for (let use = 0; use < 3; use++) {
      crypto.hkdfSync('sha256', key, 'salt', 'info', 30);
      look('hkdf of a KeyObject, use ' + use, { raw });
    }
    const counts = stats();
    for (const name of Object.keys(derive).flatMap((name) => [name, name + 'Sync'])) {
      if (counts[name].served < 3) found.push(name + JSON.stringify(counts[name]));
    }
  `));

test('secrets: jobs', () =>
  nothingLeft(`
    const settled = (start) => new Promise((resolve, reject) => start((error, answer) => (error ? reject(error) : resolve(answer))));
    const { privateKey: signer, publicKey } = crypto.generateKeyPairSync('ed25519');
    for (let use = 0; use < 5; use++) {
      const data = secretBytes(60);
      const signing = settled((callback) => crypto.sign(null, data, signer, callback));
      look('sign under way, use ' + use, { data });
      const signature = await signing;
      look('sign, use ' + use, { data, signature: new Plain(signature) }, { live: [signature] });
      const verifying = settled((callback) => crypto.verify(null, data, publicKey, signature, callback));
      look('verify under way, use ' + use, { data, signature: new Plain(signature) }, { live: [signature] });
      await verifying;
      look('verify, use ' + use, { data });
    }
    if (crypto.encapsulate !== undefined) {
      const one = crypto.generateKeyPairSync('ml-kem-768'), x = crypto.generateKeyPairSync('x25519'), y = crypto.generateKeyPairSync('x25519');
      for (let use = 0; use < 5; use++) {
        const { sharedKey, ciphertext } = await settled((callback) => crypto.encapsulate(one.publicKey, callback));
        look('encapsulate, use ' + use, { secret: new Plain(sharedKey) }, { live: [sharedKey] });
        const opened = await settled((callback) => crypto.decapsulate(one.privateKey, ciphertext, callback));
        look('decapsulate, use ' + use, { secret: new Plain(opened) }, { live: [opened] });
        const agreed = await settled((callback) => crypto.diffieHellman({ privateKey: x.privateKey, publicKey: y.publicKey }, callback));
        look('diffieHellman, use ' + use, { secret: new Plain(agreed) }, { live: [agreed] });
      }
    }
    if (stats().sign.served < 3 || stats().verify.served < 3) found.push(JSON.stringify(stats()));
  `));

test('secrets: key pairs of ECDH objects, and what they agree on', () =>
  nothingLeft(`
    for (const curve of ['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1']) {
      crypto.createECDH(curve);
      const other = crypto.createECDH(curve);
      other.generateKeys();
      const theirs = other.getPublicKey();
      recorded.length = 0;
      for (const use of ['served', 'a wrong point', 'the host takes over']) {
        // The first byte is small enough for each of the curves.
        const key = secretBytes(curve === 'secp384r1' ? 48 : curve === 'secp521r1' ? 65 : 32);
        key[0] = 1;
        const own = crypto.createECDH(curve);
        own.setPrivateKey(key);
        look(curve + ' set', { key });
        const secret = own.computeSecret(theirs);
        secrets++;
        look(curve + ' agreed', { key, secret: new Plain(secret) }, { live: [secret] });
        if (use === 'a wrong point') try { own.computeSecret(theirs.subarray(1)); found.push('taken'); } catch {}
        if (use === 'the host takes over') own.setPublicKey(theirs);
        look(curve + ' ' + use, { key });
        const given = own.getPrivateKey();
        look(curve + ' given', { key }, { live: [given] });
        if (Buffer.compare(given, key) !== 0) found.push(curve + ': another key');
        own.generateKeys();
        const made = own.getPrivateKey();
        look(curve + ' made', { made: new Plain(made) }, { live: [made] });
        secrets++;
      }
    }
    const all = stats();
    for (const name of ['createECDH', 'ECDH.generateKeys', 'ECDH.setPrivateKey', 'ECDH.computeSecret']) {
      if (all[name].served < 8) found.push(name + JSON.stringify(all[name]));
    }
  `));

test('secrets: objects that had to move out of the scratch', () =>
  nothingLeft(`
    for (const size of [20, 60, 200, 3000]) {
      const one = [secretBytes(size), secretBytes(size)];
      const key = secretBytes(40);
      const first = crypto.createHash('sha256').update(one[0]);
      const second = crypto.createHmac('sha256', key).update(one[1]);
      const third = crypto.createHash('sha1').update(secretBytes(5));
      first.update(new Plain(size * 3));
      second.update('text').update(new Plain(size));
      first.digest('hex');
      second.digest('hex');
      third.digest('hex');
      look('moved ' + size, { first: one[0], second: one[1], key });
    }
    for (const size of [50, 300, 4000]) {
      // What takes the place is shorter, and covers up only the beginning.
      const early = secretBytes(size), key = secretBytes(100);
      const hash = crypto.createHash('sha256').update(early);
      const other = crypto.createHash('sha1').update(new Plain(3));
      look('moved out ' + size, { data: early.subarray(20) }, { sharedOnly: true });
      const hmac = crypto.createHmac('sha256', key);
      hash.update(new Plain(1));
      other.update(new Plain(1));
      crypto.createHash('md5').update(new Plain(1)).digest();
      look('key moved out ' + size, { key: key.subarray(20) }, { sharedOnly: true });
      for (const one of [hash, other, hmac]) one.digest();
      look('moved and done ' + size, { data: early.subarray(20), key: key.subarray(20) });
    }
    const data = secretBytes(50);
    const parent = crypto.createHash('sha256').update(data);
    const copy = parent.copy();
    parent.digest();
    copy.digest();
    look('copied', { data });
  `));

test('secrets: input in an encoding', () =>
  nothingLeft(`
    for (const encoding of ['hex', 'base64', 'base64url', 'latin1', 'ascii', 'utf8', 'utf-8', 'ucs2']) {
      const data = secretBytes(36).map((byte) => byte & 127);
      const text = encoding === 'hex' ? Array.from(data, (byte) => byte.toString(16).padStart(2, '0')).join('')
        : encoding.startsWith('base64') ? btoa(String.fromCharCode(...data))
        : String.fromCharCode(...data);
      crypto.createHash('sha256').update(text, encoding).digest('hex');
      const needle = encoding === 'ucs2' ? Plain.from([...data].flatMap((byte) => [byte, 0])) : data;
      look(encoding, { data: needle });
      crypto.createHmac('sha256', 'k').update(text, encoding).digest('hex');
      look('hmac ' + encoding, { data: needle });
    }
  `));

test('secrets: objects handed back late', () =>
  nothingLeft(`
    crypto.createHash('sha256').update(secretText()).digest();
    const data = secretBytes(40);
    crypto.createHash('sha256').update(data).update(new Plain(20000)).digest('hex');
    look('late hash', { data });
    const key = secretBytes(40);
    crypto.createHmac('sha256', key).update(data).update(new Plain(20000)).digest('hex');
    look('late hmac', { data, key });
    const text = secretText(40);
    crypto.createHmac('sha256', text).update(data).update(new Plain(20000)).digest('hex');
    look('late hmac, text key', { data, key: bytesOfText(text) });
    crypto.createHash('sha512').update(data).update('x'.repeat(3000)).digest('hex');
    look('late sha512', { data });
  `));

test('secrets: FIPS switched on under way', () =>
  nothingLeft(`
    crypto.createHash('sha256').update(secretText()).digest();
    const data = secretBytes(40), key = secretBytes(40), text = secretText(40);
    const object = crypto.createSecretKey(key);
    crypto.createHmac('sha256', object).digest();
    recorded.length = 0;
    const all = [crypto.createHash('sha256'), crypto.createHmac('sha256', key), crypto.createHmac('sha256', text), crypto.createHmac('sha256', object)];
    for (const one of all) one.update(data);
    crypto.setFips(1);
    for (const one of all) one.update(new Plain(20000)).digest('hex');
    crypto.setFips(0);
    look('streams', { data, key, text: bytesOfText(text) });
    // Text alone: no bytes have made the key into bytes before.
    const textKey = secretText(40), first = secretText(40), second = secretText(40);
    const hmac = crypto.createHmac('sha256', textKey).update(first);
    const hash = crypto.createHash('sha256').update(first);
    crypto.setFips(1);
    for (const one of [hmac, hash]) one.update(new Plain(20000)).update(second).digest('hex');
    crypto.setFips(0);
    look('streams of text', { key: bytesOfText(textKey), first: bytesOfText(first), second: bytesOfText(second) });
  `));

test('secrets: a small result posted to a worker takes nothing else along', async () => {
  const { answer } = await answerOf(
    `${runtime === 'deno' ? `require(${JSON.stringify(registerFile)});` : ''}
     const crypto = require('node:crypto');
     const { MessageChannel, receiveMessageOnPort } = require('node:worker_threads');
     const key = crypto.createSecretKey(Buffer.from('key'));
     const ended = crypto.createHash('sha256').update('a');
     ended.digest('hex');
     ended.end();
     const results = {
       createHash: crypto.createHash('sha256').update('a').digest(),
       'createHash, bytes': crypto.createHash('md5').update(Buffer.from('a')).digest(),
       createHmac: crypto.createHmac('sha256', 'k').update('a').digest(),
       'createHmac, key': crypto.createHmac('sha256', key).update('a').digest(),
       'createHmac, key again': crypto.createHmac('sha256', key).update('a').digest(),
       hash: crypto.hash?.('sha256', 'a', 'buffer'),
       randomBytes: crypto.randomBytes(16),
       shake: crypto.createHash('shake128', { outputLength: 9 }).digest(),
       'digest(buffer)': crypto.createHash('sha1').digest('buffer'),
       'no encoding': ${runtime === 'node'} ? crypto.createHash('sha1').digest('no encoding') : undefined,
       'stream after digest': ended.read(),
       'stream': crypto.createHash('sha256').end('a').read(),
     };
     const { port1, port2 } = new MessageChannel();
     const sizes = {};
     for (const [name, value] of Object.entries(results)) {
       if (value === undefined || value === null) continue;
       port1.postMessage(value);
       const received = receiveMessageOnPort(port2).message;
       sizes[name] = [value.byteOffset, value.buffer.byteLength - value.length, received.buffer.byteLength - value.length];
     }
     port1.close();
     console.log(JSON.stringify(sizes));`,
    { extension: 'cjs' },
  );
  if (runtime !== 'node') {
    // Other hosts pool some of these themselves: only what is served there has to stand alone.
    const served = runtime === 'bun' ? ['randomBytes'] : ['hash'];
    for (const name of served) assert.deepEqual(answer[name], [0, 0, 0], name);
    return;
  }
  for (const [name, sizes] of Object.entries(answer)) assert.deepEqual(sizes, [0, 0, 0], name);
  assert.ok(Object.keys(answer).length >= 10);
});
