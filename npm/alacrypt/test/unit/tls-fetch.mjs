/**
 * `fetchAll`: every file is there whole and right, or not at all; and the event loop has no part in it.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createRequire } from 'node:module';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const require = createRequire(import.meta.url);
const { fetchAll } = require('../../lib/tls.cjs');
const { stats } = require('../../lib/index.cjs');
const certificates = JSON.parse(readFileSync(new URL('../support/certificates.json', import.meta.url), 'utf8'));
const ca = certificates.root.cert;

const contentOf = (at) => Buffer.alloc(10_000 + at * 37, `file ${at} `);
const integrityOf = (bytes) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

/** A server of files, which says how many connections it had and what it was asked. */
async function withServer(use, { name = 'server', answer } = {}) {
  const seen = { connections: 0, requests: [] };
  const sockets = new Set();
  const server = https.createServer(certificates[name], (request, response) => {
    seen.requests.push({ path: request.url, authorization: request.headers.authorization, range: request.headers.range });
    if (answer?.(request, response) === true) return;
    const at = Number(/^\/(\d+)$/.exec(request.url)?.[1] ?? NaN);
    if (Number.isNaN(at)) response.writeHead(404).end();
    else response.end(contentOf(at));
  });
  server.on('secureConnection', (socket) => {
    seen.connections++;
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(path.join(tmpdir(), 'alacrypt-fetch-'));
  try {
    await use(`https://localhost:${server.address().port}`, folder, seen);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const settings = { ca, httpsProxy: null };

/** Deno's servers are not up to this, and other runtimes have no part in it. */
function nodeOnly() {
  if (runtime !== 'node') skip('the server is one of Node');
}

test('fetchAll: 300 files over at most 32 connections, then none over any', async () => {
  nodeOnly();
  await withServer(async (origin, folder, seen) => {
    const requests = Array.from({ length: 300 }, (_, at) => ({ url: new URL(`${origin}/${at}`), to: path.join(folder, `a/${at % 7}/${at}`), integrity: integrityOf(contentOf(at)) }));
    const before = stats()['tls.fetchAll'].served;
    const all = await fetchAll(requests, { ...settings, concurrency: 32, integrity: 'required' });
    for (const [at, one] of all.entries()) {
      assert.deepEqual(one, { url: `${origin}/${at}`, to: requests[at].to, bytes: contentOf(at).length, resumedFrom: 0, wasThere: false, error: undefined });
      assert.ok(readFileSync(one.to).equals(contentOf(at)));
    }
    assert.ok(seen.connections <= 32, `${seen.connections}`);
    assert.equal(seen.requests.length, 300);
    assert.equal(stats()['tls.fetchAll'].served, before + 1);
    const again = await fetchAll(requests, settings);
    assert.ok(again.every(({ wasThere }) => wasThere));
    assert.equal(seen.requests.length, 300);
  });
});

test('fetchAll: what fails has its error, and leaves no file; the others are there', async () => {
  nodeOnly();
  await withServer(async (origin, folder) => {
    const to = (name) => path.join(folder, name);
    const all = await fetchAll(
      [
        { url: `${origin}/1`, to: to('right'), integrity: integrityOf(contentOf(1)) },
        { url: `${origin}/2`, to: to('wrong'), integrity: integrityOf(contentOf(1)) },
        { url: `${origin}/nothing`, to: to('missing') },
        { url: 'no address', to: to('bad') },
        { url: `${origin}/3`, to: to('strange'), integrity: 'md4-AAAA' },
        { url: `${origin}/4`, to: to('unchecked') },
      ],
      settings,
    );
    assert.deepEqual(all.map(({ error }) => error?.code), [undefined, 'EINTEGRITY', 'E404', 'ERR_INVALID_ARG_VALUE', 'ERR_INVALID_ARG_VALUE', undefined]);
    assert.deepEqual(readdirSync(folder).sort(), ['right', 'unchecked']);
    assert.match(all[1].error.message, /integrity/);
    assert.ok(all[2].error instanceof Error);
  });
});

test('fetchAll: certificates are checked, with their names', async () => {
  nodeOnly();
  const codes = { server: undefined, expired: 'CERT_HAS_EXPIRED', elsewhere: 'ERR_TLS_CERT_ALTNAME_INVALID', foreign: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' };
  for (const [name, code] of Object.entries(codes)) {
    await withServer(
      async (origin, folder) => {
        const [{ error }] = await fetchAll([{ url: `${origin}/1`, to: path.join(folder, 'a') }], { ...settings, repetitions: 0 });
        assert.equal(error?.code, code, name);
      },
      { name },
    );
  }
  // The host's roots do not have ours.
  await withServer(async (origin, folder) => {
    const [{ error }] = await fetchAll([{ url: `${origin}/1`, to: path.join(folder, 'a') }], { httpsProxy: null, repetitions: 0 });
    assert.equal(error.code, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });
});

test('fetchAll: credentials go where they belong, and not where a redirect leads', async () => {
  nodeOnly();
  await withServer(async (elsewhere, folder, others) => {
    const redirect = (request, response) => {
      if (request.url !== '/away') return false;
      response.writeHead(302, { location: `${elsewhere}/5` }).end();
      return true;
    };
    await withServer(
      async (origin, _, seen) => {
        const authorization = 'Bearer secret';
        const all = await fetchAll(
          [
            { url: `${origin}/1`, to: path.join(folder, '1'), authorization },
            { url: `${origin}/away`, to: path.join(folder, '5'), authorization },
            { url: `${origin}/2`, to: path.join(folder, '2'), authorization, authorizationPath: '/private/' },
          ],
          settings,
        );
        assert.deepEqual(all.map(({ error }) => error?.code), [undefined, undefined, undefined]);
        const sent = Object.fromEntries(seen.requests.map((one) => [one.path, one.authorization]));
        assert.deepEqual(sent, { '/1': authorization, '/away': authorization, '/2': undefined });
        assert.equal(others.requests[0].authorization, undefined);
        assert.ok(readFileSync(path.join(folder, '5')).equals(contentOf(5)));
      },
      { answer: redirect },
    );
  });
});

test('fetchAll: a download that breaks goes on', async () => {
  nodeOnly();
  const bytes = contentOf(9);
  const breaks = (request, response) => {
    const { range } = request.headers;
    if (range === undefined) {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 4_000), () => setTimeout(() => response.destroy(), 50));
    } else {
      const from = Number(/bytes=(\d+)-/.exec(range)[1]);
      response.writeHead(206, { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }).end(bytes.subarray(from));
    }
    return true;
  };
  await withServer(
    async (origin, folder) => {
      const to = path.join(folder, 'a');
      const [one] = await fetchAll([{ url: `${origin}/9`, to, integrity: integrityOf(bytes) }], settings);
      assert.equal(one.error, undefined);
      assert.equal(one.resumedFrom, 4_000);
      assert.ok(readFileSync(to).equals(bytes));
    },
    { answer: breaks },
  );
});

test('fetchAll: it is stopped by a signal, before and in the middle', async () => {
  nodeOnly();
  const silent = net.createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const requests = [{ url: `https://127.0.0.1:${silent.address().port}/`, to: path.join(tmpdir(), 'never-there') }];
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('mine')), 50);
  await assert.rejects(fetchAll(requests, { ...settings, signal: controller.signal }), { message: 'mine' });
  await assert.rejects(fetchAll(requests, { ...settings, signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(existsSync(requests[0].to), false);
  silent.close();
});

test('fetchAll: nothing to do, nobody there, wrong arguments', async () => {
  nodeOnly();
  assert.deepEqual(await fetchAll([]), []);
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  const to = path.join(tmpdir(), 'never-there');
  const [{ error }] = await fetchAll([{ url: `https://127.0.0.1:${port}/`, to }], { ...settings, repetitions: 0 });
  assert.equal(error.code, 'ECONNREFUSED');
  const wrong = [
    [[{ url: 'https://a' }], {}, 'ERR_INVALID_ARG_TYPE'],
    [[{ url: 'https://a', to: 7 }], {}, 'ERR_INVALID_ARG_TYPE'],
    [[{ url: 'https://a', to }], { integrity: 'required' }, 'ERR_INVALID_ARG_VALUE'],
    [[{ url: 'https://a', to }], { concurrency: 1e9 }, 'ERR_OUT_OF_RANGE'],
    [[{ url: 'https://a', to }], { concurrency: '1' }, 'ERR_INVALID_ARG_TYPE'],
    [[{ url: 'https://a', to }], { signal: {} }, 'ERR_INVALID_ARG_TYPE'],
    [[{ url: 'https://a', to }], { ca: 7 }, 'ERR_INVALID_ARG_VALUE'],
    [[{ url: 'https://a', to }], { rejectUnauthorized: false }, 'ERR_INVALID_ARG_VALUE'],
    [[{ url: 'https://a', to }], { pfx: Buffer.alloc(1) }, 'ERR_INVALID_ARG_VALUE'],
  ];
  for (const [requests, options, code] of wrong) await assert.rejects(fetchAll(requests, options), { code });
});

test('fetchAll: files that are in the way', async () => {
  nodeOnly();
  await withServer(async (origin, folder) => {
    writeFileSync(path.join(folder, 'file'), 'a');
    const [{ error }, other] = await fetchAll(
      [
        { url: `${origin}/1`, to: path.join(folder, 'file/below') },
        { url: `${origin}/2`, to: path.join(folder, 'file') },
      ],
      { ...settings, repetitions: 0 },
    );
    assert.ok(['ENOTDIR', 'EEXIST', 'EIO'].includes(error.code), error.code);
    assert.equal(other.error, undefined);
    assert.ok(readFileSync(path.join(folder, 'file')).equals(contentOf(2)));
  });
});
