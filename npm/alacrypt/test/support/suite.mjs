/**
 * Tests, their outcomes, and the one line that sums them up.
 */

/** Thrown by a test that cannot run here. */
class Skip extends Error {}

/** Leaves the test, which counts as skipped for this reason. */
export function skip(reason) {
  throw new Skip(reason);
}

const tests = [];

/** Whether the first test that fails is the last. */
export const stopsAtFailure = process.env.ALACRYPT_TEST_STOP === '1';

/**
 * Adds a test.
 *
 * @param {string} name
 * @param {() => void | Promise<void>} body
 * @param {{ expectedFailure?: string }} [options] `expectedFailure` says why the test is known to
 *   fail; it then counts as skipped, and as failed once it passes.
 */
export function test(name, body, options = {}) {
  tests.push({ name, body, ...options });
}

/** Runs all tests in turn, prints the outcomes, and sets the exit code. */
export async function runTests() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, body, expectedFailure } of tests) {
    const start = performance.now();
    let outcome = 'passed';
    let detail = '';
    try {
      await body();
      if (expectedFailure !== undefined) {
        outcome = 'failed';
        detail = `passes, though expected to fail: ${expectedFailure}`;
      }
    } catch (error) {
      if (error instanceof Skip) {
        outcome = 'skipped';
        detail = error.message;
      } else if (expectedFailure !== undefined) {
        outcome = 'skipped';
        detail = `fails as expected: ${expectedFailure}`;
      } else {
        outcome = 'failed';
        detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      }
    }
    counts[outcome]++;
    const milliseconds = Math.round(performance.now() - start);
    const mark = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }[outcome];
    console.log(`${mark} ${name} (${milliseconds} ms)${detail === '' ? '' : `\n     ${detail.replaceAll('\n', '\n     ')}`}`);
    if (stopsAtFailure && counts.failed > 0) break;
  }
  console.log(summaryLine(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Reads what {@link summaryLine} wrote from the end of an output; `undefined` without one. */
export function readSummary(output) {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  const match = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(last);
  return match === null
    ? undefined
    : { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3]) };
}
