/**
 * `alacrypt/tls` and `alacrypt/register-tls` under what people use: `https`, `fetch`, undici, axios, got,
 * node-fetch, unchanged.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { answerOf, scriptOf } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const require = createRequire(import.meta.url);
const ours = require('../../lib/tls.cjs');
const { stats } = require('../../lib/index.cjs');
const certificateFile = fileURLToPath(new URL('../support/certificates.json', import.meta.url));
const certificates = JSON.parse(readFileSync(certificateFile, 'utf8'));
const ca = certificates.root.cert;

function nodeOnly() {
  if (runtime !== 'node') skip('other runtimes have clients of their own');
}

/** A server that answers with what it was sent, twice. */
async function withServer(use, { allowHTTP1 = true, isHttp2 = false } = {}) {
  const { cert, key } = certificates.server;
  const answer = async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    response.setHeader('content-type', 'text/plain');
    response.write(body);
    response.end(body);
  };
  const server = isHttp2 ? http2.createSecureServer({ cert, key, allowHTTP1 }, answer) : https.createServer({ cert, key }, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set();
  server.on('secureConnection', (socket) => sockets.add(socket));
  try {
    await use(`https://localhost:${server.address().port}/`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const body = 'déjà vu '.repeat(30_000);
const served = () => stats()['tls.connect'].served;

const CLIENTS = {
  'node:https': async (url, agent) => {
    const request = https.request(url, { agent, method: 'POST' });
    request.end(body);
    const [response] = await once(request, 'response');
    let text = '';
    response.setEncoding('utf8');
    for await (const piece of response) text += piece;
    return text;
  },
  axios: async (url, agent) => {
    const { default: axios } = await import('axios');
    const { data } = await axios.post(url, body, { httpsAgent: agent, headers: { 'content-type': 'text/plain' } });
    return data;
  },
  got: async (url, agent) => {
    const { default: got } = await import('got');
    return got.post(url, { body, agent: { https: agent } }).text();
  },
  'node-fetch': async (url, agent) => {
    const { default: fetch } = await import('node-fetch');
    return (await fetch(url, { method: 'POST', body, agent })).text();
  },
};

for (const [name, post] of Object.entries(CLIENTS)) {
  test(`TLS clients: ${name} over an Agent`, async () => {
    nodeOnly();
    await withServer(async (url) => {
      const agent = new ours.Agent({ ca, keepAlive: true, family: 4 });
      const before = served();
      const all = await Promise.all(Array.from({ length: 8 }, () => post(url, agent)));
      for (const text of all) assert.equal(text, body + body);
      assert.equal(await post(url, agent), body + body);
      assert.equal(served() - before, 8);
      agent.destroy();
    });
  });

  test(`TLS clients: ${name} tells of a certificate that is refused`, async () => {
    nodeOnly();
    await withServer(async (url) => {
      const failure = async (agent) => {
        const error = await post(url, agent).then(() => undefined, (thrown) => thrown);
        return { name: error.name, code: error.code, message: error.message };
      };
      const settings = { ca: certificates.other.cert, family: 4 };
      assert.deepEqual(await failure(new ours.Agent(settings)), await failure(new https.Agent(settings)));
    });
  });
}

for (const allowH2 of [false, true]) {
  test(`TLS clients: undici over a connector, HTTP/${allowH2 ? 2 : 1.1}`, async () => {
    nodeOnly();
    const { Agent, request } = await import('undici');
    await withServer(
      async (url) => {
        const before = served();
        const dispatcher = new Agent({ connect: ours.connector({ ca, family: 4, allowH2 }), allowH2 });
        const all = await Promise.all(
          Array.from({ length: 8 }, async () => {
            const answer = await request(url, { dispatcher, method: 'POST', body });
            return answer.body.text();
          }),
        );
        for (const text of all) assert.equal(text, body + body);
        assert.ok(served() > before);
        await dispatcher.close();
      },
      { isHttp2: allowH2 },
    );
  });
}

test('TLS clients: http2.connect over a socket of ours', async () => {
  nodeOnly();
  await withServer(
    async (url) => {
      const { hostname, port } = new URL(url);
      const session = http2.connect(url, {
        createConnection: () => ours.connect({ host: hostname, port: Number(port), servername: hostname, family: 4, ca, ALPNProtocols: ['h2'] }),
      });
      const stream = session.request({ ':method': 'POST', ':path': '/' });
      stream.end(body);
      let text = '';
      stream.setEncoding('utf8');
      for await (const piece of stream) text += piece;
      assert.equal(text, body + body);
      session.close();
    },
    { isHttp2: true },
  );
});

/** An app that knows nothing of Alacrypt: its requests, and what is to be seen of them. */
const APP = `
  const https = require('node:https');
  const tls = require('node:tls');
  const { request: undici } = require(${JSON.stringify(require.resolve('undici'))});
  const certificates = require(${JSON.stringify(certificateFile)});
  const server = https.createServer(certificates.server, (request, response) => request.pipe(response));
  server.listen(0, '127.0.0.1', async () => {
    const url = 'https://localhost:' + server.address().port;
    const seen = [];
    seen.push(await new Promise((resolve) => {
      const call = https.request(url, { method: 'POST' }, (response) => {
        let text = '';
        const { socket } = response;
        response.on('data', (piece) => (text += piece)).on('end', () => resolve([text, socket.authorized, socket instanceof tls.TLSSocket, typeof socket.alacryptTimings]));
      });
      call.end('https');
    }));
    const response = await fetch(url, { method: 'POST', body: 'fetch' });
    seen.push(await response.text());
    seen.push(await new Promise((resolve) => {
      const socket = tls.connect({ host: 'example.org', lookup: (_, { all }, callback) => all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4), port: server.address().port });
      socket.on('error', ({ code, reason }) => resolve([code, reason]));
    }));
    console.log(JSON.stringify(seen));
    process.exit();
  });
`;

test('TLS clients: register-tls serves an app that knows nothing of it', async () => {
  nodeOnly();
  const rootFile = scriptOf(ca, 'pem');
  const options = { extension: 'cjs', env: { NODE_EXTRA_CA_CERTS: rootFile } };
  const { answer: host } = await answerOf(APP, { ...options, args: [] });
  const { answer: own, stderr } = await answerOf(APP, { ...options, args: ['--import', 'alacrypt/register-tls'] });
  assert.equal(host[0].pop(), 'undefined');
  assert.equal(own[0].pop(), 'object');
  assert.deepEqual(own, host);
  assert.equal(own[0][1], true);
  assert.equal(stderr ?? '', '');
  const { answer: both } = await answerOf(APP, { ...options, args: ['--import', 'alacrypt/register', '--import', 'alacrypt/register-tls'] });
  assert.equal(both[0].pop(), 'object');
  const { answer: off } = await answerOf(APP, { ...options, env: { ...options.env, ALACRYPT: 'off' }, args: ['--import', 'alacrypt/register-tls'] });
  assert.equal(off[0].pop(), 'undefined');
});
