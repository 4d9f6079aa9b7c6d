// One run of one workload in a process of its own: node child.mjs <workload> <calls>
//
// Started with `--import alacrypt/register` or without; this file and the workloads are the
// same in both. The figures go to stdout as JSON, the outputs to file descriptor 3 as bytes:
// whoever compares them is not the process whose functions are in question.

import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { encode } from './lib/outputs.mjs';

const [file, count] = process.argv.slice(2);
const flagged = process.execArgv.includes('alacrypt/register');
/** Where `lib/count.cjs` is loaded: the calls that `stats()` says nothing of. */
const others = process[Symbol.for('demo.counts')];
const { default: workload } = await import(`./workloads/${file}`);
const calls = Number(count);

await workload.setup();
// A server runs for days: what is of interest is the speed after the compiler has settled.
await workload.run(Math.ceil(calls / 3), () => {});

const outputs = [];
const cpuBefore = process.cpuUsage();
const start = process.hrtime.bigint();
await workload.run(calls, (output) => outputs.push(output));
const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
const cpu = process.cpuUsage(cpuBefore);

const stats = flagged ? (await import('alacrypt')).stats() : null;
const sink = createWriteStream('', { fd: 3 });
sink.end(encode(outputs));
await once(sink, 'close');
console.log(JSON.stringify({ wallMs, cpuMs: (cpu.user + cpu.system) / 1e3, stats, others: others?.() }));
