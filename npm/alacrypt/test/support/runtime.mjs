/**
 * What runs the tests, and how it is started with and without Alacrypt.
 */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const runtime =
  process.versions.bun !== undefined ? 'bun' : process.versions.deno !== undefined ? 'deno' : 'node';
/** Node's major version; on other runtimes that of the Node they claim to be. */
export const major = Number(process.versions.node.split('.')[0]);
export const title =
  runtime === 'node' ? `Node ${process.versions.node}` : `${runtime} ${process.versions[runtime]}`;

export const testDirectory = fileURLToPath(new URL('..', import.meta.url));
export const packageDirectory = fileURLToPath(new URL('../..', import.meta.url));
export const registerFile = fileURLToPath(new URL('../../lib/register.cjs', import.meta.url));
export const indexFile = fileURLToPath(new URL('../../lib/index.cjs', import.meta.url));

/** Arguments that start `script` without Alacrypt. */
export function stockArguments(script, flags = []) {
  return runtime === 'deno' ? ['run', '-A', '--quiet', ...flags, script] : [...flags, script];
}

/**
 * Arguments that start `script` with the register hook, in the form that suits the runtime. Deno
 * has no flag for a CommonJS file: scripts that are to run there call {@link registerHere}.
 */
export function hookedArguments(script, form = 'import', flags = []) {
  if (runtime === 'bun') return ['--preload', registerFile, ...flags, script];
  if (runtime === 'deno') return stockArguments(script, flags);
  return form === 'require'
    ? ['--require', registerFile, ...flags, script]
    : ['--import', registerFile, ...flags, script];
}

/** Environment that goes with {@link hookedArguments}. */
export const hookedEnvironment = runtime === 'deno' ? { ALACRYPT_TEST_REGISTER: registerFile } : {};

/** The environment of this process without what would change how Alacrypt acts. */
export function cleanEnvironment(extra = {}) {
  const environment = { ...process.env };
  for (const name of Object.keys(environment)) {
    if ((name.startsWith('ALACRYPT') && name !== 'ALACRYPT_SHADOW') || name === 'NODE_OPTIONS') delete environment[name];
  }
  return { ...environment, ...extra };
}

/**
 * Runs this runtime and collects what it writes.
 *
 * @returns {Promise<{ code: number | null, signal: string | null, stdout: string, stderr: string }>}
 */
export function run(args, { env = {}, cwd = packageDirectory, timeoutSeconds = 300, input } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: cleanEnvironment(env),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    if (input !== undefined) child.stdin.end(input);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    const timer = setTimeout(() => {
      stderr += `\nkilled after ${timeoutSeconds} s\n`;
      child.kill('SIGKILL');
    }, timeoutSeconds * 1000);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
}
