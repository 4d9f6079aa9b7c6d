/**
 * `alacrypt/tls`: every connection ends as the host's does, on servers of every kind.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import https from 'node:https';
import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';

import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const require = createRequire(import.meta.url);
const ours = require('../../lib/tls.cjs');
const { stats } = require('../../lib/index.cjs');
const certificates = JSON.parse(readFileSync(new URL('../support/certificates.json', import.meta.url), 'utf8'));
const root = certificates.root.cert;

/** Servers of Node's; the other runtimes' differ in what they say of them. */
function nodeOnly() {
  if (runtime !== 'node') skip('the servers and errors of other runtimes are their own');
}

/** What a server shows: a certificate by its name, with what it sends behind it. */
function shown(name, ...behind) {
  const { cert, key } = certificates[name];
  return { key, cert: [cert, ...behind.map((one) => certificates[one].cert)].join('') };
}

async function withServer(options, onSocket, use) {
  const sockets = new Set();
  const server = tls.createServer(options, (socket) => {
    socket.on('error', () => {});
    onSocket(socket);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(server.address().port, server);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const echo = (socket) => socket.pipe(socket);

/** What becomes of a connection, as far as it must be equal. */
function outcomeOf(connect, options) {
  return new Promise((resolve) => {
    const found = {};
    let socket;
    try {
      socket = connect(options);
    } catch (error) {
      resolve({ thrown: error.name, code: error.code, message: error.message });
      return;
    }
    socket.on('secureConnect', () => {
      const { authorized, authorizationError, alpnProtocol, servername, encrypted } = socket;
      const certificate = socket.getPeerCertificate();
      const detailed = socket.getPeerCertificate(true);
      Object.assign(found, {
        authorized,
        authorizationError: authorizationError?.message ?? authorizationError,
        alpnProtocol,
        servername,
        encrypted,
        protocol: socket.getProtocol(),
        version: socket.getCipher().version,
        suite: socket.getCipher().standardName,
        subject: { ...certificate.subject },
        fingerprint256: certificate.fingerprint256,
        raw: certificate.raw?.toString('hex'),
        issuer: detailed.issuerCertificate?.fingerprint256,
        x509: socket.getPeerX509Certificate()?.fingerprint256,
        own: socket.getCertificate()?.fingerprint256,
        isReused: socket.isSessionReused(),
        isSocket: socket instanceof tls.TLSSocket && socket instanceof net.Socket,
        address: socket.remoteAddress,
        family: socket.remoteFamily,
        state: socket.readyState,
      });
      socket.end('hello');
    });
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (piece) => (text += piece));
    socket.on('error', (error) => {
      const { name, code, message, reason, host, library } = error;
      found.error = { name, code, message, reason, host, library, cert: error.cert?.fingerprint256 };
    });
    socket.on('close', (hadError) => resolve({ ...found, text, hadError, destroyed: socket.destroyed }));
  });
}

/** Servers, options of clients, and what is not compared. */
const CASES = [
  ['trusted', shown('server'), {}],
  ['RSA', shown('rsa'), {}],
  ['with an intermediate', shown('below', 'intermediate'), {}],
  ['without its intermediate', shown('below'), {}],
  ['below P-384', shown('below384', 'intermediate384'), { ca: certificates.root384.cert }],
  ['several roots', shown('server'), { ca: [certificates.other.cert, Buffer.from(root)] }],
  ['expired', shown('expired'), {}],
  ['not yet valid', shown('future'), {}],
  ['of another host', shown('elsewhere'), {}],
  ['without names', shown('nameless'), {}],
  ['of an unknown issuer', shown('foreign'), {}],
  ['of an unknown issuer that is sent', shown('foreign', 'other'), {}],
  ['self-signed', shown('self'), {}],
  ['self-signed and trusted', shown('self'), { ca: certificates.self.cert }],
  ['of version 1', shown('version1'), {}],
  ["with the host's roots", shown('server'), { ca: undefined }],
  ['another servername', shown('elsewhere'), { servername: 'example.org' }],
  ['a wildcard', shown('elsewhere'), { servername: 'a.example.net' }],
  ['a wildcard for two labels', shown('elsewhere'), { servername: 'a.b.example.net' }],
  ['an address', shown('server'), { host: '127.0.0.1' }],
  ['an address that is not in it', shown('elsewhere'), { host: '127.0.0.1' }],
  ['ALPN', { ...shown('server'), ALPNProtocols: ['b', 'a'] }, { ALPNProtocols: ['a', 'b'] }],
  ['ALPN on the wire', { ...shown('server'), ALPNProtocols: ['a'] }, { ALPNProtocols: Buffer.from('\x01a\x01b') }],
  ['ALPN that nobody shares', { ...shown('server'), ALPNProtocols: ['b'] }, { ALPNProtocols: ['a'] }],
  ['ALPN that the server has none of', shown('server'), { ALPNProtocols: ['a'] }],
  ['TLS 1.2', { ...shown('server'), maxVersion: 'TLSv1.2' }, {}],
  ['TLS 1.2 with RSA', { ...shown('rsa'), maxVersion: 'TLSv1.2' }, {}],
  ['TLS 1.2 asked for', shown('server'), { maxVersion: 'TLSv1.2' }],
  ['TLS 1.3 asked for in vain', { ...shown('server'), maxVersion: 'TLSv1.2' }, { minVersion: 'TLSv1.3' }],
  ['TLS 1.1 alone', { ...shown('server'), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }, {}],
  ['a suite that rustls lacks', { ...shown('rsa'), maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA256' }, {}],
  ['TLS 1.1 asked for', shown('server'), { minVersion: 'TLSv1.1' }],
  ['suites asked for', shown('server'), { ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305', maxVersion: 'TLSv1.2' }],
  ['a certificate of its own', { ...shown('server'), requestCert: true, ca: root }, { ...shown('client') }],
  ['a certificate of its own as bytes', { ...shown('server'), requestCert: true, ca: root }, { cert: Buffer.from(certificates.client.cert), key: Buffer.from(certificates.client.key) }],
  ['a certificate in TLS 1.2', { ...shown('server'), requestCert: true, ca: root, maxVersion: 'TLSv1.2' }, { ...shown('client') }],
  ['no certificate where one is wanted, TLS 1.2', { ...shown('server'), requestCert: true, ca: root, maxVersion: 'TLSv1.2' }, {}],
  ['a key of another certificate', shown('server'), { cert: certificates.client.cert, key: certificates.self.key }],
  ['a check that accepts', shown('elsewhere'), { checkServerIdentity: () => undefined }],
  ['a check that refuses', shown('server'), { checkServerIdentity: (name, { subject }) => Object.assign(new Error(`${name} ${subject.CN}`), { code: 'MINE' }) }],
  ['no certificates as roots', shown('server'), { ca: 'nothing' }],
  ['roots of a wrong type', shown('server'), { ca: 7 }],
  ['an address as servername', shown('server'), { servername: '127.0.0.1' }],
  ['an empty servername', shown('server'), { servername: '' }],
  ['a check of a wrong type', shown('server'), { checkServerIdentity: 1 }],
  ['no such version', shown('server'), { minVersion: 'TLSv9' }],
];

for (const [name, server, options] of CASES) {
  for (const rejectUnauthorized of [true, false]) {
    test(`TLS as the host's: ${name}${rejectUnauthorized ? '' : ', unauthorized accepted'}`, async () => {
      nodeOnly();
      await withServer(server, echo, async (port) => {
        const all = { host: 'localhost', port, ca: root, family: 4, rejectUnauthorized, ...options };
        const host = await outcomeOf(tls.connect, all);
        assert.deepEqual(await outcomeOf(ours.connect, all), host);
        // What the addon gave up on goes to the host at once; a session may be resumed.
        const again = await outcomeOf(ours.connect, all);
        assert.deepEqual({ ...again, isReused: false }, { ...host, isReused: host.isReused === undefined ? false : false });
      });
    });
  }
}

test('TLS: most of it is served', () => {
  nodeOnly();
  const { served } = stats()['tls.connect'];
  assert.ok(served > 80, `${served} served`);
});

/** A stream of bytes that can be told from another. */
function pattern(length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8)) & 255;
  return bytes;
}

const trusting = (port, more) => ({ host: 'localhost', port, ca: root, family: 4, ...more });

for (const maxVersion of ['TLSv1.3', 'TLSv1.2']) {
  for (const size of [1, 1000, 16_384, 20_001, 300_000]) {
    test(`TLS: 3 MB in pieces of ${size} come back, ${maxVersion}`, async () => {
      if (runtime === 'deno' && size > 1) skip("Deno's own TLS server stops in the middle of this, for its own client as well");
      await withServer({ ...shown('server'), maxVersion }, echo, async (port) => {
        // A reader that wants no more after each piece, too.
        const socket = ours.connect(trusting(port, size === 20_001 ? { highWaterMark: 1 } : {}));
        const sent = pattern(size === 1 ? 3_000 : 3_000_000);
        const pieces = [];
        let length = 0;
        const done = new Promise((resolve, reject) => {
          socket.on('error', reject);
          socket.on('data', (piece) => {
            pieces.push(piece);
            length += piece.length;
            // A reader that cannot keep up.
            if (pieces.length % 7 === 0) {
              socket.pause();
              setImmediate(() => socket.resume());
            }
          });
          socket.on('end', resolve);
        });
        for (let at = 0; at < sent.length; at += size) {
          if (!socket.write(sent.subarray(at, at + size))) await once(socket, 'drain');
        }
        socket.end();
        await done;
        assert.equal(length, sent.length);
        assert.ok(Buffer.concat(pieces).equals(sent));
        assert.equal(socket.bytesRead, sent.length);
        assert.equal(socket.bytesWritten, sent.length);
      });
    });
  }
}

test('TLS: a reader that reads nothing holds the server back', async () => {
  let written = 0;
  const flood = (socket) => {
    const more = () => {
      while (socket.write(Buffer.alloc(65_536))) written += 65_536;
      written += 65_536;
    };
    socket.on('drain', more);
    more();
  };
  await withServer(shown('server'), flood, async (port) => {
    const socket = ours.connect(trusting(port));
    await once(socket, 'secureConnect');
    socket.once('data', () => socket.pause());
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    assert.ok(written < 64 * 1024 * 1024, `${written} bytes`);
    assert.ok(socket.readableLength < 2 * 1024 * 1024, `${socket.readableLength} bytes`);
    socket.destroy();
  });
});

test('TLS: each side may end first', async () => {
  const late = (socket) => {
    socket.allowHalfOpen = true;
    let text = '';
    socket.on('data', (piece) => (text += piece));
    socket.on('end', () => socket.end(`got ${text}`));
  };
  await withServer({ ...shown('server'), allowHalfOpen: true }, late, async (port) => {
    const socket = ours.connect(trusting(port, { allowHalfOpen: true }));
    // Before there is anything to write to.
    socket.end('early');
    let text = '';
    for await (const piece of socket) text += piece;
    assert.equal(text, 'got early');
  });
  await withServer(shown('server'), (socket) => socket.end('bye'), async (port) => {
    const socket = ours.connect(trusting(port));
    let text = '';
    socket.on('data', (piece) => (text += piece));
    const [hadError] = await once(socket, 'close');
    assert.deepEqual([text, hadError, socket.readyState], ['bye', false, 'closed']);
  });
});

test('TLS: a server that dies in the middle ends or fails as on the host', async () => {
  nodeOnly();
  for (const rude of ['resetAndDestroy', 'destroy', 'end']) {
    const below = new Map();
    const dies = (socket) => socket.once('data', () => socket.write('half', () => below.get(socket.remotePort)[rude]()));
    await withServer(shown('server'), dies, async (port, server) => {
      server.on('connection', (socket) => below.set(socket.remotePort, socket));
      const outcome = (connect) =>
        new Promise((resolve) => {
          const socket = connect(trusting(port), () => socket.write('a'));
          const seen = [];
          socket.on('data', (piece) => seen.push(String(piece)));
          socket.on('error', ({ code }) => seen.push(code));
          socket.on('close', () => resolve(seen.filter((one) => one !== 'half').join()));
        });
      const host = await outcome(tls.connect);
      const own = await outcome(ours.connect);
      // Older lines say goodbye before they reset: which of both arrives is left to chance.
      if (rude === 'resetAndDestroy' && host === '') assert.ok(['', 'ECONNRESET'].includes(own), own);
      else assert.equal(own, host, rude);
    });
  }
});

/** Peers that are no TLS servers. */
const PEERS = {
  'closes at once': (socket) => socket.end(),
  'resets at once': (socket) => socket.resetAndDestroy(),
  'closes after the hello': (socket) => socket.once('data', () => socket.end()),
  'answers in plain text': (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  'sends an alert': (socket) => socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40]))),
  'sends half a record': (socket) => socket.once('data', () => socket.end(Buffer.from([22, 3, 3, 1, 0, 2, 0]))),
  'sends a record that is too long': (socket) => socket.once('data', () => socket.end(Buffer.concat([Buffer.from([22, 3, 3, 0xff, 0xff]), Buffer.alloc(70_000)]))),
};

for (const [name, onSocket] of Object.entries(PEERS)) {
  test(`TLS as the host's: a peer that ${name}`, async () => {
    nodeOnly();
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    // The text of OpenSSL's errors names a place in its source.
    const plain = ({ error, ...rest }) => ({ ...rest, error: { ...error, message: error?.message?.replace(/[0-9A-F]{8,}/g, '#') } });
    const host = plain(await outcomeOf(tls.connect, trusting(port)));
    assert.deepEqual(plain(await outcomeOf(ours.connect, trusting(port))), host);
    server.close();
  });
}

test('TLS: nobody there, no such name', async () => {
  nodeOnly();
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  for (const options of [trusting(port), trusting(1, { host: 'name.invalid' })]) {
    assert.deepEqual(await outcomeOf(ours.connect, options), await outcomeOf(tls.connect, options));
  }
});

test('TLS: a peer that keeps silent: timeout, abort, destroy', async () => {
  const sockets = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();

  const timed = ours.connect(trusting(port, { timeout: 50 }));
  await once(timed, 'timeout');
  assert.equal(timed.timeout, 50);
  timed.destroy();
  await once(timed, 'close');

  const controller = new AbortController();
  const aborted = ours.connect(trusting(port, { signal: controller.signal }));
  setTimeout(() => controller.abort(), 20);
  const [error] = await once(aborted, 'error');
  assert.equal(error.name, 'AbortError');

  const destroyed = ours.connect(trusting(port));
  destroyed.write('never sent', () => {});
  destroyed.destroy();
  await once(destroyed, 'close');
  // With a step of the handshake on the pool.
  const failed = ours.connect(trusting(port));
  const ends = [];
  failed.on('error', ({ message }) => ends.push(message));
  await once(failed, 'connect');
  const closed = new Promise((resolve) => failed.on('close', (hadError) => resolve(ends.push(hadError))));
  failed.destroy(new Error('mine'));
  await closed;
  assert.deepEqual(ends, ['mine', true]);
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('TLS: over a socket that is given', async () => {
  await withServer(shown('server'), echo, async (port) => {
    for (const isConnected of [false, true]) {
      const below = net.connect(port, '127.0.0.1');
      if (isConnected) await once(below, 'connect');
      const socket = ours.connect({ socket: below, host: 'localhost', ca: root });
      await once(socket, 'secureConnect');
      socket.end('through');
      let text = '';
      for await (const piece of socket) text += piece;
      assert.equal(text, 'through');
      assert.equal(socket.authorized, true);
    }
    // The host cannot make another one here.
    const below = net.connect(port, '127.0.0.1');
    const refused = ours.connect({ socket: below, host: 'localhost', ca: certificates.other.cert });
    const [error] = await once(refused, 'error');
    assert.equal(error.code, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    assert.match(error.message, /^unable to verify the first certificate/);
  });
});

test('TLS: pieces from below that are larger than any buffer, for a reader that takes one at a time', async () => {
  nodeOnly();
  const sent = pattern(1_500_000);
  await withServer(shown('server'), (socket) => socket.end(sent), async (port) => {
    const below = net.connect(port, '127.0.0.1');
    let parts = [];
    const gathered = new Duplex({
      read() {},
      write: (chunk, _, done) => below.write(chunk, done),
      final: (done) => below.end(done),
    });
    below.on('data', (part) => {
      if (parts.push(part) > 1) return;
      setTimeout(() => {
        gathered.push(Buffer.concat(parts));
        parts = [];
      }, 20);
    });
    const socket = ours.connect({ socket: gathered, host: 'localhost', ca: root, highWaterMark: 1 });
    const pieces = [];
    socket.on('data', (piece) => {
      pieces.push(piece);
      socket.pause();
      setImmediate(() => socket.resume());
    });
    await once(socket, 'end');
    assert.ok(Buffer.concat(pieces).equals(sent));
    socket.destroy();
    below.destroy();
  });
});

test('TLS: key log and exported keys are those of the server', async () => {
  nodeOnly();
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3']) {
    let server;
    const lines = [];
    const onSocket = (socket) => {
      server = socket.exportKeyingMaterial(40, 'EXPERIMENTAL label', Buffer.from('context')).toString('hex');
      echo(socket);
    };
    await withServer({ ...shown('server'), maxVersion }, onSocket, async (port, listener) => {
      const theirs = new Set();
      listener.on('keylog', (line) => theirs.add(String(line)));
      const socket = ours.connect(trusting(port));
      assert.throws(() => socket.exportKeyingMaterial(8, 'a'), { code: 'ERR_TLS_INVALID_STATE' });
      socket.on('keylog', (line) => lines.push(String(line)));
      await once(socket, 'secureConnect');
      const client = socket.exportKeyingMaterial(40, 'EXPERIMENTAL label', Buffer.from('context')).toString('hex');
      socket.write('a');
      await once(socket, 'data');
      assert.equal(client, server);
      assert.ok(lines.length >= (maxVersion === 'TLSv1.2' ? 1 : 4), `${lines.length} lines`);
      for (const line of lines) assert.ok(theirs.has(line), line);
      socket.destroy();
    });
  }
});

test('TLS: timings are in order', async () => {
  await withServer(shown('server'), echo, async (port) => {
    const socket = ours.connect(trusting(port));
    await once(socket, 'secureConnect');
    socket.write('a');
    await once(socket, 'data');
    const { connected, clientHello, serverHello, flightEnd, answer, secure, firstData, cpu } = socket.alacryptTimings;
    const order = [clientHello, serverHello, flightEnd, answer, secure, firstData];
    for (const moment of order) assert.equal(typeof moment, 'number');
    for (let at = 1; at < order.length; at++) assert.ok(order[at] >= order[at - 1] - 0.5, order.join());
    assert.ok(connected <= serverHello + 0.5);
    assert.ok(cpu > 0 && cpu < 5_000);
    socket.destroy();
    await once(socket, 'close');
    assert.equal(socket.alacryptTimings.secure, secure);
    assert.ok(Math.abs(socket.alacryptTimings.answer - answer) < 1);
    assert.equal(socket.getProtocol(), null);
  });
});

/** A request over an agent. */
function request(agent, port, body) {
  return new Promise((resolve, reject) => {
    const call = https.request({ host: 'localhost', family: 4, port, agent, method: 'POST' }, (response) => {
      let text = '';
      const { socket } = response;
      response.setEncoding('utf8');
      response.on('data', (piece) => (text += piece));
      response.on('end', () => resolve({ text, isReused: socket.isSessionReused(), socket }));
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function withHttps(use) {
  const server = https.createServer(shown('server'), (call, answer) => {
    let length = 0;
    call.on('data', (piece) => (length += piece.length));
    call.on('end', () => answer.end(`${length}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(server.address().port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('TLS: an agent keeps connections, and resumes sessions on new ones', async () => {
  nodeOnly();
  await withHttps(async (port) => {
    const agent = new ours.Agent({ keepAlive: true, ca: root, maxSockets: 1 });
    const first = await request(agent, port, 'a'.repeat(200_000));
    assert.deepEqual([first.text, first.isReused], ['200000', false]);
    assert.ok(first.socket instanceof ours.TLSSocket);
    const second = await request(agent, port, 'bc');
    assert.equal(second.text, '2');
    assert.equal(second.socket, first.socket);
    agent.destroy();
    const other = new ours.Agent({ ca: root });
    const third = await request(other, port, '');
    assert.deepEqual([third.text, third.isReused], ['0', true]);
    other.destroy();
  });
});

test('TLS: 128 connections at once, and all of them resumed the next time', async () => {
  nodeOnly();
  await withHttps(async (port) => {
    for (const isReused of [undefined, true]) {
      const agent = new ours.Agent({ ca: root });
      const all = await Promise.all(Array.from({ length: 128 }, (_, at) => request(agent, port, 'x'.repeat(at))));
      assert.deepEqual(all.map(({ text }) => Number(text)), Array.from({ length: 128 }, (_, at) => at));
      if (isReused) assert.equal(all.filter((one) => one.isReused).length, 128);
      agent.destroy();
    }
  });
});

test('TLS: a connector as undici asks for', async () => {
  nodeOnly();
  await withServer({ ...shown('server'), ALPNProtocols: ['h2', 'http/1.1'] }, echo, async (port) => {
    for (const allowH2 of [false, true]) {
      const connect = ours.connector({ ca: root, family: 4, allowH2 });
      const socket = await new Promise((resolve, reject) => {
        connect({ hostname: 'localhost', host: `localhost:${port}`, protocol: 'https:', port: String(port), servername: 'localhost' }, (error, made) => (error === null ? resolve(made) : reject(error)));
      });
      assert.ok(socket instanceof ours.TLSSocket);
      assert.equal(socket.alpnProtocol, allowH2 ? 'h2' : 'http/1.1');
      socket.destroy();
    }
  });
  const silent = net.createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const connect = ours.connector({ ca: root, timeout: 50 });
  const error = await new Promise((resolve) => {
    connect({ hostname: '127.0.0.1', protocol: 'https:', port: String(silent.address().port) }, resolve);
  });
  assert.equal(error.code, 'UND_ERR_CONNECT_TIMEOUT');
  silent.close();
});

test('TLS: no option that the host reads is ignored', () => {
  nodeOnly();
  const { SUPPORTED, WITHOUT_MEANING, HOST_ONLY } = ours.options;
  const known = new Set([...SUPPORTED, ...WITHOUT_MEANING, ...HOST_ONLY]);
  // The host's own source, as far as it still gives it out.
  const sources = process.binding('natives');
  const read = new Set();
  const files = ['_tls_wrap', 'internal/tls/wrap', 'internal/tls/common', '_tls_common', 'internal/tls/secure-context'];
  for (const file of files) {
    const source = sources[file] ?? '';
    for (const [, name] of source.matchAll(/\boptions\??\.(\w+)/g)) read.add(name);
    for (const [, list] of source.matchAll(/const \{([^}]*)\} = options;/g)) {
      for (const [, name] of list.matchAll(/^\s*(\w+)/gm)) read.add(name);
    }
  }
  assert.ok(read.size > 30, `${read.size} options found`);
  assert.deepEqual([...read].filter((name) => !known.has(name)), []);
});

test('TLS: all that a socket of the host has, one of ours has of its own', () => {
  nodeOnly();
  // These the host's class takes from streams and adds what a handle needs, of which there is none.
  const shared = new Set(['constructor', 'pause', 'resume', 'read', 'end']);
  const own = new Set(Object.getOwnPropertyNames(ours.TLSSocket.prototype));
  for (const { prototype } of [tls.TLSSocket, net.Socket]) {
    const names = Object.getOwnPropertyNames(prototype).filter((name) => !name.startsWith('_') && !shared.has(name));
    assert.deepEqual(names.filter((name) => !own.has(name)), []);
  }
});

test('TLS: the host has its own try once, with what was set and without a second connect', async () => {
  nodeOnly();
  await withServer({ ...shown('rsa'), maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA256' }, echo, async (port) => {
    const socket = ours.connect(trusting(port, { servername: 'localhost' }));
    let connects = 0;
    socket.on('connect', () => connects++);
    socket.setNoDelay(true).setKeepAlive(true, 1000).unref().ref();
    socket.write('early');
    const [piece] = await once(socket, 'data');
    assert.equal(String(piece), 'early');
    assert.equal(connects, 1);
    assert.equal(socket.getCipher().name, 'AES128-SHA256');
    socket.end();
    await once(socket, 'close');
  });
});

test('TLS: the host over a socket of ours, and ours over one of the host', async () => {
  nodeOnly();
  // A server behind a tunnel that is TLS as well.
  await withServer(shown('server'), echo, async (inner) => {
    const tunnel = (socket) => {
      const below = net.connect(inner, '127.0.0.1');
      socket.pipe(below).pipe(socket);
      below.on('error', () => {});
    };
    await withServer(shown('rsa'), tunnel, async (port) => {
      for (const [outside, inside] of [[ours.connect, tls.connect], [tls.connect, ours.connect], [ours.connect, ours.connect]]) {
        const outer = outside(trusting(port));
        await once(outer, 'secureConnect');
        const socket = inside({ socket: outer, host: 'localhost', ca: root });
        socket.write('x'.repeat(50_000));
        let length = 0;
        await new Promise((resolve, reject) => {
          socket.on('error', reject);
          socket.on('data', (piece) => {
            length += piece.length;
            if (length >= 50_000) resolve();
          });
        });
        assert.equal(length, 50_000);
        assert.equal(socket.authorized, true);
        socket.destroy();
        outer.destroy();
      }
    });
  });
});

test('TLS: what lives is counted, and nothing stays', async () => {
  nodeOnly();
  const { memory } = require('../../lib/index.cjs');
  await withServer(shown('server'), echo, async (port) => {
    // Those of earlier tests end when their sockets do.
    const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
    for (let waits = 0; memory().tlsConnections.count > 0 && waits < 100; waits++) await wait();
    const before = memory().tlsConnections.count;
    const sockets = Array.from({ length: 20 }, () => ours.connect(trusting(port)));
    await Promise.all(sockets.map((socket) => once(socket, 'secureConnect')));
    const during = memory();
    assert.equal(during.tlsConnections.count, before + 20);
    assert.ok(during.tlsConnections.bytes > 20 * 4_000, `${during.tlsConnections.bytes}`);
    assert.ok(during.tlsClients.count >= 1);
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    assert.equal(memory().tlsConnections.count, before);
  });
});
