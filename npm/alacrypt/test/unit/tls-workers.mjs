/**
 * Workers that end in the middle of what `alacrypt/tls` does, and processes that end without waiting for it.
 */

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { answerOf } from '../support/app.mjs';
import { runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

const certificateFile = fileURLToPath(new URL('../support/certificates.json', import.meta.url));

/** A server, one that keeps silent, and what a worker does with both. */
const PRELUDE = `
  const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
  const net = require('node:net');
  const tls = require('node:tls');
  const os = require('node:os');
  const path = require('node:path');
  const certificates = require(${JSON.stringify(certificateFile)});
  const use = ({ port, silent }) => {
    const ours = require('alacrypt/tls');
    const options = { host: 'localhost', family: 4, port, ca: certificates.root.cert };
    for (let at = 0; at < 8; at++) {
      const socket = ours.connect(options, () => socket.write(Buffer.alloc(200_000)));
      socket.on('data', () => {});
      socket.on('error', () => {});
    }
    ours.connect({ ...options, port: silent }).on('error', () => {});
    ours.fetchAll([{ url: 'https://127.0.0.1:' + silent, to: path.join(os.tmpdir(), 'never-there') }], { ca: options.ca, httpsProxy: null }).catch(() => {});
  };
  const serve = (done) => {
    const server = tls.createServer(certificates.server, (socket) => socket.on('error', () => {}).pipe(socket));
    const silent = net.createServer((socket) => socket.on('error', () => {}));
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1', () => silent.listen(0, '127.0.0.1', () => done({ port: server.address().port, silent: silent.address().port })));
  };
`;

test('TLS: workers that are terminated at any moment', async () => {
  if (runtime !== 'node') skip('only Node ends workers like this');
  const { answer } = await answerOf(
    `${PRELUDE}
     if (isMainThread) {
       serve(async (ports) => {
         let ended = 0;
         for (let round = 0; round < 10; round++) {
           await Promise.all(Array.from({ length: 4 }, async (_, at) => {
             const worker = new Worker(__filename, { workerData: ports });
             await new Promise((resolve) => worker.once('message', resolve));
             await new Promise((resolve) => setTimeout(resolve, round * at));
             await worker.terminate();
             ended++;
           }));
         }
         console.log(JSON.stringify({ ended }));
         process.exit();
       });
     } else {
       use(workerData);
       parentPort.postMessage('begun');
     }`,
    { args: [], extension: 'cjs' },
  );
  assert.deepEqual(answer, { ended: 40 });
});

test('TLS: a process that ends waits for nothing', async () => {
  if (runtime !== 'node') skip('only Node is measured');
  const { answer } = await answerOf(
    `${PRELUDE}
     serve((ports) => {
       use(ports);
       setTimeout(() => {
         console.log(JSON.stringify('ended'));
         process.exit();
       }, 100);
     });`,
    { args: [], extension: 'cjs', timeoutSeconds: 20 },
  );
  assert.equal(answer, 'ended');
});
