/**
 * `node --import alacrypt/register app.js`: the app's own `node:crypto` becomes faster.
 *
 * This file is all that an app pays for which never asks for crypto: it waits for the first request,
 * and only then is the rest read. `require` is watched on `Module._load`, which costs nothing that
 * could be measured; `import` by a hook of the loader's, which costs ES modules nothing either, but
 * each `require` 30 µs, so that it is taken off while one looks for its file. Older lines have no such hook:
 * there all is done at once.
 */

import { otherClaim, version } from './claim';

type Load = (request: unknown, parent: unknown, isMain: unknown) => unknown;
type Resolve = (
  specifier: string,
  context: object,
  nextResolve: (specifier: string, context: object) => { url: string },
) => { url: string };

interface ModuleClass {
  _load: Load;
  registerHooks?: (hooks: { resolve: Resolve }) => { deregister(): void };
}

/** A property in whose place ours stands until crypto is asked for. */
interface Place {
  target: object;
  name: string;
  original: PropertyDescriptor;
  ours: PropertyDescriptor;
}

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
/** Kept from before the app runs. */
const { setImmediate } = globalThis;

/** The class that `node:module` exports; asking for that by name takes Node a quarter of a millisecond. */
const Module = module.constructor as unknown as ModuleClass;
const loaded = (process as unknown as { moduleLoadList?: unknown }).moduleLoadList;

const places: Place[] = [];
let hook: { deregister(): void } | undefined;
let isDone = false;
/** Whether crypto was asked for while that could not be served yet. */
let isWaiting = false;

function isCrypto(request: unknown): boolean {
  return request === 'crypto' || request === 'node:crypto';
}

function hostHas(builtin: string): boolean {
  return (loaded as unknown[]).includes(`NativeModule ${builtin}`);
}

/** What there is to do once crypto is asked for. It has no part in what the app asked for: it never throws. */
function finish(): void {
  if (isDone) return;
  isDone = true;
  let reason: string | undefined;
  try {
    const main = require('../dist/alacrypt.cjs') as typeof import('./main');
    if (!Object.hasOwn(main, 'begin')) {
      // It is what asks: the app has required the package, and that has only begun to run.
      isDone = false;
      isWaiting = true;
      return;
    }
    unwatch();
    reason = main.begin(setImmediate as unknown as Parameters<typeof main.begin>[0]);
  } catch (error) {
    unwatch();
    reason = String(error).split('\n', 1)[0];
  }
  if (reason !== undefined) process.stderr.write(`alacrypt: not active: ${reason}\n`);
}

const resolve: Resolve = (specifier, context, nextResolve) => {
  if (isCrypto(specifier)) finish();
  const result = nextResolve(specifier, context);
  // By another name, as in the `imports` of a package.
  if (result.url === 'node:crypto') finish();
  return result;
};

/** Stands in the place of `Module._load`. */
function watchedLoad(load: Load): Load {
  return function (this: unknown, request) {
    if (isDone) return apply(load, this, arguments);
    if (isCrypto(request)) finish();
    else unhook();
    try {
      return apply(load, this, arguments);
    } finally {
      // The package itself has asked for crypto, and is there now.
      if (isWaiting) finish();
      rehook();
    }
  };
}

/** Stands in the place of `Module._resolveFilename`, behind which the module runs. */
function watchedResolution(resolveFilename: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  return function (this: unknown) {
    const filename = apply(resolveFilename, this, arguments);
    if (isCrypto(filename)) finish();
    else rehook();
    return filename;
  };
}

function rehook(): void {
  if (!isDone && hook === undefined) hook = Module.registerHooks?.({ resolve });
}

function unhook(): void {
  hook?.deregister();
  hook = undefined;
}

/** Puts ours in the place of a property, which keeps its attributes and, if it is a function, its looks. */
function watch(target: object, name: string, kind: 'value' | 'get', make: (original: never) => object): void {
  const original = getOwnPropertyDescriptor(target, name);
  const function_ = original?.[kind] as object | undefined;
  if (original === undefined || typeof function_ !== 'function') return;
  const ours = make(function_ as never);
  for (const property of ['name', 'length']) {
    const descriptor = getOwnPropertyDescriptor(function_, property);
    if (descriptor !== undefined) defineProperty(ours, property, descriptor);
  }
  const descriptor = { ...original, [kind]: ours };
  if (defineProperty(target, name, descriptor)) places.push({ target, name, original, ours: descriptor });
}

/** Takes off all that watches; where others put something around ours, that stays and lets all through. */
function unwatch(): void {
  unhook();
  for (const { target, name, original, ours } of places) {
    const present = getOwnPropertyDescriptor(target, name);
    if (present?.value === ours.value && present?.get === ours.get) defineProperty(target, name, original);
  }
}

function begin(): void {
  const other = otherClaim();
  if (other !== undefined) {
    if (other.version !== version) {
      process.stderr.write(
        `alacrypt: not active: version ${other.version} in ${other.folder} is, this is ${version} in ${__dirname}\n`,
      );
    }
    return;
  }
  if (process.env['ALACRYPT_STATS'] === '1') {
    process.on('exit', () => {
      process.stderr.write(`${(require('../dist/alacrypt.cjs') as typeof import('./main')).table()}\n`);
    });
  }
  const isNode = process.versions['bun'] === undefined && process.versions['deno'] === undefined;
  const canWatch = isNode && typeof Module.registerHooks === 'function' && typeof Module._load === 'function';
  // What runs inside of a single executable requires by a function that nobody can watch.
  const canSee = canWatch && Array.isArray(loaded) && !hostHas('internal/main/embedding');
  if (!canSee || hostHas('crypto')) {
    finish();
    return;
  }
  watch(Module, '_load', 'value', watchedLoad);
  watch(Module, '_resolveFilename', 'value', watchedResolution);
  watch(process, 'getBuiltinModule', 'value', (original) =>
    ({
      getBuiltinModule(this: unknown, id: unknown) {
        const found = apply(original, this, arguments);
        if (isCrypto(id)) finish();
        return found;
      },
    }).getBuiltinModule,
  );
  watch(globalThis, 'crypto', 'get', (original) =>
    ({
      crypto(this: unknown) {
        const found: unknown = apply(original, this, []);
        finish();
        return found;
      },
    }).crypto,
  );
  if (places.length === 4) rehook();
  else finish();
}

if (process.env['ALACRYPT'] !== 'off') begin();
