/**
 * Builds `dist/`, `lib/register.cjs` and `lib/cli.cjs`: `node build.mjs`.
 *
 * V8 reads through a whole file before it runs the first line, and finding a file costs as well. So
 * what most apps use is one file, and what `import()` names in `src` is one more each, read when a
 * function in it is first called. esbuild divides the modules, which it does in the form of ES
 * modules only; what it wrote is then made CommonJS: bindings become constants, which is right as
 * no module changes one that another file imports (this is checked), and `import()` a `require`.
 */

import { build } from 'esbuild';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

const here = fileURLToPath(new URL('.', import.meta.url));
const dist = path.join(here, 'dist');
const { version } = JSON.parse(await readFile(path.join(here, 'package.json'), 'utf8'));
const common = { absWorkingDir: here, platform: 'node', target: 'node20', logLevel: 'warning', write: false, minify: true };

const divided = await build({
  ...common,
  entryPoints: { alacrypt: 'src/main.ts' },
  bundle: true,
  splitting: true,
  format: 'esm',
  metafile: true,
  outdir: 'dist',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  // Kept from esbuild, which would put a detour around it.
  define: { require: 'requireOfThisFile', PACKAGE_VERSION: JSON.stringify(version) },
});

const sources = new Map(divided.outputFiles.map((file) => [path.basename(file.path), file.text]));
const files = new Map();
const [, core] = /^import\{[^}]*\}from"\.\/(chunk-\w+\.js)";export\{[^}]*\};\s*$/.exec(sources.get('alacrypt.js')) ?? [];
if (core === undefined) throw new Error('src/main.ts has to hold nothing but exports of src/core.ts');
await checkBindings(divided.metafile);
for (const [name, source] of sources) {
  if (name !== 'alacrypt.js') files.set(fileOf(name), commonJs(source, name === core ? sources.get('alacrypt.js') : ''));
}
const alone = await build({
  ...common,
  minify: false,
  entryPoints: { register: 'src/register.ts', cli: 'src/cli.ts' },
  bundle: true,
  format: 'cjs',
  external: ['../dist/alacrypt.cjs'],
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  outdir: 'lib',
});
for (const { path: output, text } of alone.outputFiles) files.set(`../lib/${path.basename(output, '.js')}.cjs`, text);

await mkdir(dist, { recursive: true });
for (const [name, source] of files) {
  new vm.Script(`(function(exports,require,module,__filename,__dirname){${source.replace(/^#!.*/, '')}\n})`, { filename: name });
  // In one step, so that a process that starts meanwhile finds a whole file.
  const file = path.join(dist, name);
  await writeFile(`${file}.new`, source);
  await rename(`${file}.new`, file);
}
for (const name of await readdir(dist)) {
  if (!files.has(name)) await rm(path.join(dist, name));
}

/** The file that a chunk becomes; the core's name is known to `lib`. */
function fileOf(chunk) {
  return chunk === core ? 'alacrypt.cjs' : chunk.replace(/\.js$/, '.cjs');
}

/** An ES module in the form in which esbuild writes it, as CommonJS. `entry` exports from it by other names. */
function commonJs(source, entry) {
  const publicNames = new Map();
  if (entry !== '') {
    const inside = new Map(pairs(/^import\{([^}]*)\}/.exec(entry)[1]).map(([name, local]) => [local, name]));
    for (const [local, name] of pairs(/export\{([^}]*)\}/.exec(entry)[1])) publicNames.set(inside.get(local), name);
  }
  const body = source
    .replaceAll(/(^|[;}\n])import\{([^}]*)\}from"([^"]*)"/g, (_, before, names, from) => `${before}const{${pairs(names).map(([name, local]) => `${name}:${local}`).join(',')}}=require("${specifierOf(from)}")`)
    .replaceAll(/(^|[;}\n])import (\w+|\$\w*) ?from"([^"]*)"/g, (_, before, local, from) => `${before}const ${local}=require("${specifierOf(from)}")`)
    .replaceAll(/(^|[;}\n])import"([^"]*)"/g, (_, before, from) => `${before}require("${specifierOf(from)}")`)
    .replaceAll(/\bimport\("([^"]*)"\)/g, (_, from) => `require("${specifierOf(from)}")`)
    .replaceAll(/(^|[;}\n])export\{([^}]*)\}/g, (_, before, names) => `${before};module.exports={${pairs(names).flatMap(([local, name]) => [name, publicNames.get(name)].filter((one) => one !== undefined).map((one) => `${one}:${local}`)).join(',')}}`)
    .replaceAll('requireOfThisFile', 'require');
  return `"use strict";${body}`;
}

function specifierOf(from) {
  return from.startsWith('./') ? `./${fileOf(from.slice(2))}` : from;
}

/** `a as b,c` as `[[a, b], [c, c]]`. */
function pairs(names) {
  return names.split(',').filter((name) => name !== '').map((name) => {
    const [from, to = from] = name.split(' as ');
    return [from, to];
  });
}

/** A binding that changes (`export let`) may only be imported inside its own file. */
async function checkBindings({ inputs, outputs }) {
  const fileWith = new Map();
  for (const [output, { inputs: held }] of Object.entries(outputs)) for (const input of Object.keys(held)) fileWith.set(input, output);
  const changing = new Set();
  for (const input of Object.keys(inputs)) {
    if (/^export (let|var) /m.test(await readFile(path.join(here, input), 'utf8'))) changing.add(input);
  }
  for (const [input, { imports }] of Object.entries(inputs)) {
    for (const { path: imported } of imports) {
      if (changing.has(imported) && fileWith.get(input) !== fileWith.get(imported)) {
        throw new Error(`${input} imports a binding of ${imported} that changes, from another file`);
      }
    }
  }
}
