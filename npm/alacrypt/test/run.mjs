/**
 * All tests of the package, on the runtime that runs this file:
 *
 *     node test/run.mjs
 *     ALACRYPT_TEST_ONLY=unit node test/run.mjs
 *     ALACRYPT_TEST_STOP=1 node test/run.mjs      ends with the first test that fails
 *
 * Each suite is a process of its own. The last line is `N passed, N failed, N skipped`.
 */

import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';

import { cleanEnvironment, packageDirectory, runtime, stockArguments, title } from './support/runtime.mjs';
import { readSummary, stopsAtFailure, summaryLine } from './support/suite.mjs';

const SUITES = {
  unit: ['unit/main.mjs'],
  hostile: ['hostile/main.mjs'],
  cases: ['differential/cases-main.mjs'],
  differential: ['differential/main.mjs'],
};
// Other runtimes are served few functions, and read changed built-ins themselves.
if (runtime !== 'node') delete SUITES.hostile;
/** `differential` as a selection means both: the hand-written cases and the generated calls. */
const GROUPS = { differential: ['cases', 'differential'] };

function selected() {
  const only = process.env.ALACRYPT_TEST_ONLY;
  if (only === undefined || only === '') return Object.keys(SUITES);
  const names = only.split(',').flatMap((name) => GROUPS[name.trim()] ?? [name.trim()]);
  const unknown = names.filter((name) => !Object.hasOwn(SUITES, name));
  if (unknown.length > 0) throw new Error(`ALACRYPT_TEST_ONLY: no suite ${unknown.join(', ')}`);
  return names;
}

/** Runs one suite, passes on what it writes without its last line, and returns its counts. */
function runSuite(name) {
  const [file] = SUITES[name];
  return new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL(file, import.meta.url));
    const child = spawn(process.execPath, stockArguments(script), {
      cwd: packageDirectory,
      env: cleanEnvironment(stopsAtFailure ? { ALACRYPT_TEST_STOP: '1' } : {}),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const counts = readSummary(output) ?? { passed: 0, failed: 0, skipped: 0 };
      process.stdout.write(`## ${name} on ${title}\n${output}`);
      const silentFailure = code !== 0 && counts.failed === 0;
      const nothingRan = counts.passed + counts.failed === 0;
      if (silentFailure || nothingRan) {
        console.log(`FAIL ${name}: ended with ${signal ?? code} and ran ${counts.passed} tests`);
        counts.failed++;
      }
      resolve(counts);
    });
  });
}

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const name of selected()) {
  const counts = await runSuite(name);
  for (const key in sum) sum[key] += counts[key];
  if (stopsAtFailure && sum.failed > 0) break;
}
console.log(summaryLine(sum));
process.exitCode = sum.failed === 0 && sum.passed > 0 ? 0 : 1;
