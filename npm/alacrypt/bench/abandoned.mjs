// Makes objects that are never finished, and reports the peak memory and the collector's time.
import crypto from 'node:crypto';
import { PerformanceObserver } from 'node:perf_hooks';

const count = Number(process.argv[2]);
let collectorMs = 0;
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) collectorMs += entry.duration;
});
observer.observe({ entryTypes: ['gc'] });
const start = process.hrtime.bigint();
for (let i = 0; i < count; i++) crypto.createHash('sha256');
const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
await new Promise((resolve) => setTimeout(resolve, 50));
observer.disconnect();
const peakMiB = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ peakMiB, collectorMs, wallMs }));
