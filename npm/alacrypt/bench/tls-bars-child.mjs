/**
 * One side of `tls-bars.mjs`: makes connections as it is told, and prints one line of JSON with what that cost.
 *
 *     node tls-bars-child.mjs SIDE WHAT PORT ROOT COUNT
 */

import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import https from 'node:https';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const [side, what, port, root, given] = process.argv.slice(2);
const count = Number(given);
const certificates = JSON.parse(readFileSync(new URL('../test/support/certificates.json', import.meta.url), 'utf8'));
const ca = certificates[root].cert;
const tls = side === 'ours' || side === 'fetchAll' ? createRequire(import.meta.url)('../lib/tls.cjs') : undefined;
const plain = side === 'plain';
const client = plain ? http : https;
const agent = plain ? new http.Agent() : side === 'ours' ? new tls.Agent({ ca }) : new https.Agent({ ca, maxCachedSessions: what === 'resumed' ? 256 : 0 });
const folder = side === 'fetchAll' ? mkdtempSync(path.join(tmpdir(), 'alacrypt-bench-')) : undefined;

/** Processor time of this thread, in milliseconds: Linux counts it. */
const threadCpu = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;

function get(url, headers = {}) {
  return new Promise((resolve, reject) => {
    client
      .get({ host: 'localhost', family: 4, port, agent, path: url, headers }, (response) => {
        let bytes = 0;
        response.on('data', (piece) => (bytes += piece.length));
        response.on('end', () => resolve(bytes));
      })
      .on('error', reject);
  });
}

async function burst() {
  if (side !== 'fetchAll') return Promise.all(Array.from({ length: count }, () => get('/small')));
  const requests = Array.from({ length: count }, (_, at) => ({ url: `https://localhost:${port}/small`, to: path.join(folder, `${at}`) }));
  const all = await tls.fetchAll(requests, { ca, httpsProxy: null, concurrency: count });
  if (all.some(({ error }) => error !== undefined)) throw all.find(({ error }) => error !== undefined).error;
  return all;
}

// What is loaded on first use is not what is measured; the first burst is.
await new Promise((resolve) => setTimeout(resolve, 50));
if (what === 'resumed') await burst();
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const [cpu, all, start] = [threadCpu(), process.cpuUsage(), performance.now()];
if (what === 'bulk') await get('/bulk', { megabytes: given });
else await burst();
const milliseconds = performance.now() - start;
const used = process.cpuUsage(all);
const main = threadCpu() - cpu;
// A turn that was long is counted when it is over.
await new Promise((resolve) => setTimeout(resolve, 5));
delay.disable();
console.log(JSON.stringify({ main, all: (used.user + used.system) / 1e3, milliseconds, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }));
if (folder !== undefined) rmSync(folder, { recursive: true });
process.exit();
