/**
 * TLS from Node against the figures that are to be reached:
 *
 *     node bench/tls-bars.mjs [--rounds N] [--connections N] [--write] NODE...
 *
 * Each run is a process of its own that makes its first connections, all at once, with one request on each, to a
 * server in another process. The sides take turns in random order in each round: stock `https`, the same again,
 * `Agent`, `fetchAll`, and plain `http` as the floor. `--write` puts the tables into `docs/TLS_BENCHMARKS.md`. With
 * two processors and more, client and server each have one of their own.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { median } from './turns.mjs';

const DOCUMENT = fileURLToPath(new URL('../../../docs/TLS_BENCHMARKS.md', import.meta.url));
const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '9' }, connections: { type: 'string', default: '128' }, megabytes: { type: 'string', default: '1024' }, write: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const programs = positionals.length === 0 ? [process.execPath] : positionals;
const pinned = (cpu, program, args) => (availableParallelism() < 2 ? [program, args] : ['taskset', ['--cpu-list', String(cpu), program, ...args]]);

/** Chains: a name, what the server shows, and whose root it is. */
const CHAINS = [
  ['P-256', 'server', 'root'],
  ['RSA-2048 leaf below P-256', 'rsa', 'root'],
  ['P-384 root, P-256 below', 'below384,intermediate384', 'root384'],
];

async function withServer(program, chain, use) {
  const [command, args] = pinned(1, program, [fileOf('tls-bars-server.mjs'), chain]);
  const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const [secure, plain] = line.split(' ');
    await use((side) => (side === 'plain' ? plain : secure));
  } finally {
    server.kill();
  }
}

function measure(program, side, what, port, root, count, isPinned = true) {
  const args = ['--no-warnings', fileOf('tls-bars-child.mjs'), side, what, port, root, String(count)];
  const [command, given] = isPinned ? pinned(0, program, args) : [program, args];
  const { stdout, stderr, status } = spawnSync(command, given, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${side}, ${what}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The median of the ratios of each round. */
const ratio = (ours, theirs, field) => median(ours.map((one, at) => one[field] / theirs[at][field]));
const times = (value) => `${value.toFixed(2)}×`;
const ms = (value) => value.toFixed(1);

async function bursts(program, what, sides) {
  const lines = [
    '| chain | | main thread, ms | of stock | bar | all threads, ms | loop delay p99, ms | of stock | bar |',
    '|---|---|---|---|---|---|---|---|---|',
  ];
  for (const [name, chain, root] of CHAINS) {
    await withServer(program, chain, (portOf) => {
      const runs = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
      for (let round = 0; round < rounds; round++) {
        for (const side of Object.keys(sides).sort(() => Math.random() - 0.5)) {
          const kind = side === 'again' ? 'stock' : side;
          runs[side].push(measure(program, kind, what, portOf(side), root, values.connections));
        }
      }
      for (const [side, { label, cpu, delay }] of Object.entries(sides)) {
        const own = runs[side];
        const of = (field) => (side === 'stock' ? '' : times(ratio(own, runs.stock, field)));
        const middle = (field) => ms(median(own.map((one) => one[field])));
        lines.push(`| ${name} | ${label} | ${middle('main')} | ${of('main')} | ${cpu ?? ''} | ${middle('all')} | ${middle('p99')} | ${of('p99')} | ${delay ?? ''} |`);
      }
    });
  }
  return lines;
}

async function bulk(program) {
  const lines = ['| | MB/s | of stock | bar | all threads, ms |', '|---|---|---|---|---|'];
  await withServer(program, 'server', (portOf) => {
    const runs = { stock: [], again: [], ours: [] };
    for (let round = 0; round < rounds; round++) {
      for (const side of Object.keys(runs).sort(() => Math.random() - 0.5)) {
        const run = measure(program, side === 'again' ? 'stock' : side, 'bulk', portOf(side), 'root', values.megabytes, false);
        runs[side].push({ ...run, rate: (Number(values.megabytes) * 1.048576) / (run.milliseconds / 1e3) });
      }
    }
    const labels = { stock: 'stock `https`', again: 'again', ours: '`Agent`' };
    for (const [side, own] of Object.entries(runs)) {
      lines.push(`| ${labels[side]} | ${Math.round(median(own.map(({ rate }) => rate)))} | ${side === 'stock' ? '' : times(ratio(own, runs.stock, 'rate'))} | ${side === 'ours' ? 'at least 1×' : ''} | ${ms(median(own.map(({ all }) => all)))} |`);
    }
  });
  return lines;
}

const text = [
  '# TLS from Node, against its bars',
  '',
  '```console',
  `$ node bench/tls-bars.mjs --rounds ${rounds} ${programs.map((program) => path.relative(process.cwd(), program)).join(' ')}    # in npm/alacrypt`,
  '```',
  '',
  `${rounds} rounds. Each run is a fresh process that makes ${values.connections} connections at once, each with one request of 2 KB, to a server`,
  'in another process; client and server have a processor each. "again" is stock against stock, which is what noise',
  'does; plain `http` is the floor: what the host takes for sockets and requests without any TLS. Figures are medians;',
  '"of stock" is the median of the ratios of each round.',
];
for (const program of programs) {
  const version = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
  const full = {
    stock: { label: 'stock `https`' },
    again: { label: 'again' },
    ours: { label: '`Agent`', cpu: '0.2×', delay: '0.2×' },
    fetchAll: { label: '`fetchAll`', cpu: '0.05×', delay: '0.05×' },
    plain: { label: 'plain `http`' },
  };
  const { fetchAll: _, plain: __, ...resumed } = full;
  text.push('', `## Node ${version}`, '', '**Full handshakes**', '', ...(await bursts(program, 'full', full)));
  text.push('', '**Resumed, the second burst of a process**', '', ...(await bursts(program, 'resumed', resumed)));
  text.push('', `**One download of ${values.megabytes} MiB**`, '', ...(await bulk(program)));
}
text.push('');
if (values.write) writeFileSync(DOCUMENT, text.join('\n'));
else console.log(text.join('\n'));
