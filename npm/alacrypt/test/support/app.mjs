/**
 * A small app in a folder of its own, with the package installed.
 */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { packageDirectory, run, runtime } from './runtime.mjs';

/** A folder in which `alacrypt` resolves to this package. */
export const appDirectory = mkdtempSync(path.join(tmpdir(), 'alacrypt-app-'));
mkdirSync(path.join(appDirectory, 'node_modules'));
symlinkSync(packageDirectory, path.join(appDirectory, 'node_modules', 'alacrypt'));
writeFileSync(path.join(appDirectory, 'package.json'), '{ "name": "app", "private": true }\n');
process.on('exit', () => rmSync(appDirectory, { recursive: true, force: true }));

let scripts = 0;

/** Writes a script into the app's folder and returns its path. */
export function scriptOf(source, extension = 'mjs') {
  const file = path.join(appDirectory, `script${scripts++}.${extension}`);
  writeFileSync(file, source);
  return file;
}

/** The hook in the form that works on this runtime, as arguments. */
export const hook =
  runtime === 'bun' ? ['--preload', 'alacrypt/register'] : runtime === 'deno' ? [] : ['--import', 'alacrypt/register'];

/**
 * Runs a script of the app.
 *
 * @param {string} source
 * @param {{ args?: string[], extension?: string, env?: Record<string, string>, before?: string[], timeoutSeconds?: number }} [options]
 */
export function runApp(source, { args = hook, extension = 'mjs', env = {}, timeoutSeconds = 120 } = {}) {
  const file = scriptOf(source, extension);
  const all = runtime === 'deno' ? ['run', '-A', '--quiet', ...args, file] : [...args, file];
  return run(all, { env, cwd: appDirectory, timeoutSeconds });
}

/** As {@link runApp}, for scripts that print one JSON value. */
export async function answerOf(source, options) {
  const result = await runApp(source, options);
  if (result.code !== 0) {
    throw new Error(`ended with ${result.signal ?? result.code}\n${result.stdout}${result.stderr}`);
  }
  const last = result.stdout.trimEnd().split('\n').at(-1);
  return { ...result, answer: JSON.parse(last) };
}
