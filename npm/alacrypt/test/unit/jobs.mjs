/**
 * Callback forms: work on the host's pool that ends as the host's does, and that neither the end of
 * a thread, nor that of the process, nor the collector disturbs.
 */

import assert from 'node:assert/strict';

import { answerOf, hook, runApp } from '../support/app.mjs';
import { indexFile, registerFile, runtime } from '../support/runtime.mjs';
import { skip, test } from '../support/suite.mjs';

/** Processes that end in the middle of jobs. `ALACRYPT_TEST_LONG=1` runs the full number. */
const PROCESSES = process.env.ALACRYPT_TEST_LONG === '1' ? 40 : 6;
/** Growth of memory that is no leak. */
const SLACK_BYTES = 24 * 2 ** 20;

/**
 * Keys, and one start of each function that has a callback form here; `ready()` has called each
 * often enough that the engine serves it.
 */
const PRELUDE = `
  const crypto = require('node:crypto');
  const pair = (...args) => crypto.generateKeyPairSync(...args);
  const data = Buffer.from('some data');
  const ed = pair('ed25519'), ec = pair('ec', { namedCurve: 'P-384' });
  const spki = { type: 'spki', format: 'der' }, pkcs8 = { type: 'pkcs8', format: 'der' };
  const edSignature = crypto.sign(undefined, data, ed.privateKey);
  const starts = {
    sign: (callback) => crypto.sign(undefined, data, ed.privateKey, callback),
    verify: (callback) => crypto.verify(undefined, data, ed.publicKey, edSignature, callback),
    generateKeyPair: (callback) => crypto.generateKeyPair('ec', { namedCurve: 'P-384', publicKeyEncoding: spki, privateKeyEncoding: pkcs8 }, callback),
    hkdf: (callback) => crypto.hkdf('sha256', 'a key', data, 'info', 42, callback),
    pbkdf2: (callback) => crypto.pbkdf2('a password', data, 20, 42, 'sha256', callback),
    scrypt: (callback) => crypto.scrypt('a password', data, 42, { N: 16 }, callback),
  };
  if (crypto.argon2 !== undefined) {
    starts.argon2 = (callback) => crypto.argon2('argon2id', { message: 'a password', nonce: data, parallelism: 2, tagLength: 42, memory: 64, passes: 1 }, callback);
  }
  if (crypto.diffieHellman.length > 1) {
    const one = pair('x25519'), other = pair('x25519');
    starts.diffieHellman = (callback) => crypto.diffieHellman({ privateKey: one.privateKey, publicKey: other.publicKey }, callback);
  }
  if (crypto.encapsulate !== undefined) {
    const kem = pair('ml-kem-768');
    const { ciphertext } = crypto.encapsulate(kem.publicKey);
    starts.encapsulate = (callback) => crypto.encapsulate(kem.publicKey, callback);
    starts.decapsulate = (callback) => crypto.decapsulate(kem.privateKey, ciphertext, callback);
  }
  const settled = (start) => new Promise((resolve, reject) => start((error, answer) => (error ? reject(error) : resolve(answer))));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const ready = async () => {
    for (const start of Object.values(starts)) for (let use = 0; use < 4; use++) await settled(start);
  };
  /** Functions whose last call was not served; none where nothing is. */
  const served = () => {
    const { stats } = require(${JSON.stringify(indexFile)});
    return Object.fromEntries(Object.keys(starts).map((name) => [name, stats()[name].served]));
  };
`;

const onlyNode = () => {
  if (runtime !== 'node') skip('only Node has its callback forms replaced by ours');
};

/**
 * Runs `body` of an async function on the stock host and with the hook, and compares its answers.
 * `calls`: how many of each function it makes, all of them to be served; `least`: how many at least
 * are, of those that it makes of `sign`.
 */
async function sameAnswers(body, { calls = 1, least, flags = [] } = {}) {
  const source = `${PRELUDE}
    (async () => {
      await ready();
      const hooked = process.execArgv.some((arg) => arg.includes('alacrypt'));
      const before = hooked ? served() : {};
      const answer = await (async () => { ${body} })();
      const counts = hooked ? Object.fromEntries(Object.entries(served()).map(([name, count]) => [name, count - before[name]])) : {};
      console.log(JSON.stringify({ answer, counts }));
      process.exit(0);
    })();`;
  const [stock, ours] = await Promise.all([
    answerOf(source, { args: flags, extension: 'cjs' }),
    answerOf(source, { args: [...flags, ...hook], extension: 'cjs' }),
  ]);
  assert.deepEqual(ours.answer.answer, stock.answer.answer);
  assert.ok(Object.keys(ours.answer.counts).length >= 2);
  if (least !== undefined) assert.ok(ours.answer.counts.sign >= least, 'sign was not served');
  else for (const [name, count] of Object.entries(ours.answer.counts)) assert.equal(count, calls, `${name} was not served`);
  return stock.answer.answer;
}

/** One line for what a callback gets. */
const SHOWN = `
  const kind = (value) => (value instanceof ArrayBuffer ? \`ArrayBuffer \${Buffer.from(value).toString('hex')}\` : Buffer.isBuffer(value) ? \`Buffer \${value.length} of \${value.buffer.byteLength}\` : typeof value === 'object' && value !== null ? Object.entries(value).map(([name, one]) => \`\${name}: \${kind(one)}\`).join() : String(value));
`;

test('callbacks get what the host gives them', async () => {
  onlyNode();
  const answer = await sameAnswers(`${SHOWN}
    const util = require('node:util');
    const seen = {};
    for (const [name, start] of Object.entries(starts)) {
      let returned = false;
      await new Promise((resolve) => {
        seen[name] = [String(start(function (...args) {
          seen[name].push(returned ? 'later' : 'at once', args.map(kind), util.inspect(this), Object.prototype.toString.call(this), new.target === undefined);
          resolve();
        }))];
        returned = true;
      });
    }
    return seen;`);
  assert.equal(answer.verify[1], 'later');
});

test('promises get what the host gives them', async () => {
  onlyNode();
  await sameAnswers(`${SHOWN}
    const util = require('node:util');
    const seen = {};
    for (const [name, start] of Object.entries(starts)) {
      const original = crypto[name];
      // The same arguments, through the host's own symbol for promises if there is one.
      let args;
      crypto[name] = (...given) => { args = given.slice(0, -1); };
      start(() => {});
      crypto[name] = original;
      seen[name] = kind(await util.promisify(original)(...args));
    }
    return seen;`);
});

test('async_hooks sees the host\'s resources and events', async () => {
  onlyNode();
  const answer = await sameAnswers(`
    const hooks = require('node:async_hooks');
    const seen = {};
    for (const [name, start] of Object.entries(starts)) {
      const events = [];
      const watched = new Set();
      const before = hooks.executionAsyncId();
      let resourceSeen;
      const hook = hooks.createHook({
        init(id, type, trigger, resource) {
          if (type === 'PROMISE' || type === 'Immediate') return;
          watched.add(id);
          resourceSeen = resource;
          events.push(['init', type, trigger - before, Object.keys(resource), resource.constructor.name]);
        },
        before(id) { if (watched.has(id)) events.push(['before', hooks.executionAsyncId() === id]); },
        after(id) { if (watched.has(id)) events.push(['after', hooks.executionAsyncId() === id]); },
        destroy(id) { if (watched.has(id)) events.push(['destroy']); },
      }).enable();
      let called;
      const finished = new Promise((resolve) => (called = resolve));
      start(function () {
        events.push(['callback', watched.has(hooks.executionAsyncId()), hooks.triggerAsyncId() - before, hooks.executionAsyncResource() === this, resourceSeen === this]);
        process.nextTick(() => events.push(['tick']));
        Promise.resolve().then(() => events.push(['microtask']));
        called();
      });
      events.push(['returned']);
      await finished;
      await turn();
      await turn();
      hook.disable();
      seen[name] = events.filter(([what, type]) => what !== 'init' || type !== 'TickObject');
    }
    return seen;`);
  assert.equal(answer.sign[0][1], 'SIGNREQUEST');
});

test('hooks may use the package while a job starts', async () => {
  onlyNode();
  await sameAnswers(`
    const hooks = require('node:async_hooks');
    const bytes = Buffer.alloc(100, 5);
    const waiting = [];
    let inside = false;
    const hook = hooks.createHook({
      init(id, type) {
        if (inside || !/REQUEST/.test(type)) return;
        inside = true;
        // Bytes that stay in the shared memory, and a call that goes through it.
        crypto.createHmac('sha256', 'key').update(bytes).digest();
        waiting.push(crypto.createHash('sha256').update(bytes));
        inside = false;
      },
    }).enable();
    const right = [];
    for (let use = 0; use < 8; use++) {
      const jobs = Object.values(starts).map((start) => settled(start));
      const [signature, verified] = await Promise.all(jobs);
      right.push(signature.equals(edSignature), verified);
    }
    hook.disable();
    return [right, [...new Set(waiting.map((hash) => hash.digest('hex')))]];`, { calls: 8 });
});

for (const flags of [[], ['--no-async-context-frame'], ['--experimental-async-context-frame']]) {
  test(`AsyncLocalStorage keeps its store ${flags.join()}`, async () => {
    onlyNode();
    if (flags.length > 0 && !process.allowedNodeEnvironmentFlags.has(flags[0].replace('--no-', '--'))) skip('this host has no such flag');
    const answer = await sameAnswers(`
      const { AsyncLocalStorage } = require('node:async_hooks');
      const one = new AsyncLocalStorage();
      const other = new AsyncLocalStorage();
      const seen = {};
      other.enterWith('around');
      for (const [name, start] of Object.entries(starts)) {
        seen[name] = [];
        await Promise.all([1, 2, 3].map((store) => one.run(store, () => new Promise((resolve) => {
          start(async () => {
            seen[name].push([store, one.getStore(), other.getStore()]);
            one.enterWith('inside');
            await turn();
            seen[name].push(['awaited', one.getStore()]);
            resolve();
          });
        }))));
        seen[name].sort();
        seen[name].push(one.getStore(), other.getStore());
        await new Promise((resolve) => start(() => { seen[name].push(['outside', one.getStore(), other.getStore()]); resolve(); }));
      }
      return seen;`, { calls: 4, flags });
    assert.deepEqual(answer.sign[0], [1, 1, 'around']);
  });
}

test('an exception in a callback becomes an uncaught one, in the context of its call', async () => {
  onlyNode();
  await sameAnswers(`
    const { AsyncLocalStorage, executionAsyncId } = require('node:async_hooks');
    const storage = new AsyncLocalStorage();
    const seen = {};
    for (const [name, start] of Object.entries(starts)) {
      seen[name] = [];
      await new Promise((resolve) => {
        let id;
        process.once('uncaughtException', (error, origin) => {
          seen[name].push([error.message, origin, storage.getStore(), executionAsyncId() === id]);
          setImmediate(() => setImmediate(resolve));
        });
        storage.run('store of ' + name, () => start(() => {
          id = executionAsyncId();
          process.nextTick(() => seen[name].push(['tick', storage.getStore()]));
          throw new Error('from the callback of ' + name);
        }));
      });
      seen[name].push(storage.getStore());
      await new Promise((resolve) => setTimeout(resolve, 1));
      seen[name].push(storage.getStore());
    }
    return seen;`);
});

test('an exception that nobody catches ends the process as on the host', async () => {
  onlyNode();
  const source = `${PRELUDE} ready().then(() => starts.sign(() => { throw new TypeError('from the callback'); }));`;
  const [stock, ours] = await Promise.all([runApp(source, { args: [], extension: 'cjs' }), runApp(source, { extension: 'cjs' })]);
  assert.equal(stock.code, 1);
  assert.equal(ours.code, 1);
  assert.match(ours.stderr, /^TypeError: from the callback$/m);
});

test('domains take what a callback throws', async () => {
  onlyNode();
  await sameAnswers(`
    const domain = require('node:domain');
    const seen = {};
    for (const [name, start] of Object.entries(starts)) {
      await new Promise((resolve) => {
        const own = domain.create();
        own.on('error', (error) => {
          seen[name] = [error.message, error.domain === own, error.domainThrown];
          setImmediate(resolve);
        });
        own.run(() => start(() => { throw new Error(String(process.domain === own)); }));
      });
    }
    return seen;`);
});

test('wrong arguments throw at once, and the callback is never called', async () => {
  onlyNode();
  const answer = await sameAnswers(`
    const seen = {};
    let calls = 0;
    const count = () => calls++;
    const attempt = (name, ...args) => {
      if (starts[name] === undefined) return;
      try {
        (seen[name] ??= []).push(String(crypto[name](...args)));
      } catch (error) {
        seen[name].push([error.name, error.code, error.message]);
      }
    };
    for (const callback of [count, null, 5, {}, 'text']) {
      attempt('sign', undefined, data, ed.privateKey, callback === count ? 5 : callback);
      attempt('sign', undefined, 5, ed.privateKey, callback);
      attempt('sign', 'no such digest', data, ec.privateKey, callback);
      attempt('sign', undefined, data, ed.publicKey, callback);
      attempt('verify', undefined, data, ed.publicKey, 5, callback);
      attempt('verify', undefined, data, undefined, edSignature, callback);
      attempt('diffieHellman', { privateKey: ed.privateKey }, callback);
      attempt('encapsulate', 5, callback);
      attempt('decapsulate', ed.privateKey, 5, callback);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    seen.calls = calls;
    return seen;`, { calls: 0 });
  assert.equal(answer.calls, 0);
});

test('what a caller changes after the call changes nothing', async () => {
  onlyNode();
  await sameAnswers(`
    const message = Buffer.from('a message');
    const signature = crypto.sign(undefined, message, ed.privateKey);
    const answers = [];
    for (let use = 0; use < 8; use++) {
      const own = Buffer.from(message), given = Buffer.from(signature);
      const signed = settled((callback) => crypto.sign(undefined, own, ed.privateKey, callback));
      const verified = settled((callback) => crypto.verify(undefined, own, ed.publicKey, given, callback));
      own.fill(0);
      given.fill(0);
      answers.push((await signed).equals(signature), await verified);
    }
    return answers;`, { least: 8 });
});

test('what the engine refuses on the pool, the host does', async () => {
  onlyNode();
  const { answer } = await answerOf(
    `${PRELUDE}
     (async () => {
       if (starts.diffieHellman === undefined) return console.log('null');
       // Of small order: the secret is all zeros, which neither side gives out.
       const small = crypto.createPublicKey({ key: Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), Buffer.alloc(32)]), format: 'der', type: 'spki' });
       const { privateKey, publicKey } = pair('x25519');
       const { AsyncLocalStorage } = require('node:async_hooks');
       const storage = new AsyncLocalStorage();
       const seen = [];
       for (let use = 0; use < 4; use++) {
         await settled((callback) => crypto.diffieHellman({ privateKey, publicKey }, callback));
         await storage.run(use, () => new Promise((resolve) => crypto.diffieHellman({ privateKey, publicKey: small }, function (...args) {
           seen.push([args.length, args[0]?.message, args[0]?.code, storage.getStore() === use, this.constructor.name]);
           resolve();
         })));
       }
       console.log(JSON.stringify({ seen, reasons: require('alacrypt').stats().diffieHellman.reasons }));
     })();`,
    { extension: 'cjs' },
  );
  if (answer === null) skip('this host has no callback here');
  assert.equal(answer.seen.length, 4);
  for (const one of answer.seen) assert.deepEqual(one, answer.seen[0]);
  assert.equal(answer.seen[0][0], 1);
  assert.equal(answer.reasons['engine refused'], 3);
});

test('a key is not freed while its job runs', async () => {
  onlyNode();
  const right = await sameAnswers(`
    let right = 0;
    for (let round = 0; round < 12; round++) {
      const jobs = [];
      for (let at = 0; at < 8; at++) {
        let { privateKey, publicKey } = pair('ec', { namedCurve: 'P-384' });
        for (let use = 0; use < 3; use++) crypto.sign('sha384', data, privateKey);
        const spki = publicKey.export({ format: 'der', type: 'spki' });
        jobs.push(settled((callback) => crypto.sign('sha384', data, privateKey, callback)).then((signature) => {
          right += crypto.verify('sha384', data, { key: spki, format: 'der', type: 'spki' }, signature);
        }));
        privateKey = publicKey = undefined;
        globalThis.gc();
      }
      await turn();
      globalThis.gc();
      await Promise.all(jobs);
    }
    return right;`, { least: 96, flags: ['--expose-gc'] });
  assert.equal(right, 96);
});

test('memory stays flat over many jobs', async () => {
  onlyNode();
  const { answer } = await answerOf(
    `${PRELUDE}
     (async () => {
       await ready();
       const before = served();
       const many = async (count) => {
         for (let at = 0; at < count; at += 100) await Promise.all(Array.from({ length: 100 }, () => settled(starts.sign)));
         globalThis.gc();
       };
       await many(2000);
       const start = process.memoryUsage().rss;
       await many(10_000);
       console.log(JSON.stringify({ growth: process.memoryUsage().rss - start, served: served().sign - before.sign }));
     })();`,
    { args: ['--expose-gc', ...hook], extension: 'cjs' },
  );
  assert.equal(answer.served, 12_000);
  assert.ok(answer.growth <= SLACK_BYTES, `memory grew by ${answer.growth} bytes`);
});

test('a callback is called with the store of its call, whatever a hook enters meanwhile', async () => {
  onlyNode();
  const script = `${PRELUDE} (async () => {
    await ready();
    const { AsyncLocalStorage, createHook } = require('node:async_hooks');
    const store = new AsyncLocalStorage();
    createHook({ init(id, type) { if (type === 'SIGNREQUEST') store.enterWith('of a hook'); } }).enable();
    const seen = [];
    for (let use = 0; use < 4; use++) {
      await new Promise((resolve) => store.run('outer', () => crypto.sign('sha256', data, ec.privateKey, () => { seen.push(String(store.getStore())); resolve(); })));
    }
    console.log(JSON.stringify(seen));
  })();`;
  const [stock, ours] = [await answerOf(script, { args: [], extension: 'cjs' }), await answerOf(script, { args: hook, extension: 'cjs' })];
  assert.deepEqual(ours.answer, stock.answer);
});

test('nothing that was asked of keys is kept alive', async () => {
  onlyNode();
  const { answer } = await answerOf(
    `const crypto = require('node:crypto');
     const made = [];
     const note = (object) => { made.push(new WeakRef(object)); return object; };
     (async () => {
       (() => {
         for (let use = 0; use < 4; use++) {
           const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519');
           for (let time = 0; time < 3; time++) crypto.verify(null, Buffer.from('x'), note(publicKey), crypto.sign(null, Buffer.from('x'), note(privateKey)));
         }
       })();
       (() => {
         const { publicKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
         for (let time = 0; time < 4; time++) crypto.publicEncrypt({ key: publicKey, oaepLabel: note(Buffer.alloc(100_000 - time)).subarray(0, 8) }, Buffer.from('x'));
       })();
       for (let time = 0; time < 6; time++) { await new Promise(setImmediate); gc(); }
       console.log(JSON.stringify(made.filter((one) => one.deref() !== undefined).length));
     })();`,
    { args: ['--expose-gc', ...hook], extension: 'cjs' },
  );
  assert.equal(answer, 0);
});

/** Slow enough that some still run, or wait, when the thread ends. */
const SIXTY_FOUR = `
  for (let use = 0; use < 3; use++) crypto.sign('sha384', data, ec.privateKey);
  await settled((callback) => crypto.sign('sha384', data, ec.privateKey, callback));
  const earlier = served().sign;
  let ended = 0;
  for (let at = 0; at < 64; at++) crypto.sign('sha384', data, ec.privateKey, () => ended++);
  if (served().sign - earlier !== 64) throw new Error('the jobs were not served');
`;

test(`the process ends with 64 jobs running, ${PROCESSES} times`, async () => {
  onlyNode();
  for (let count = 0; count < PROCESSES; count++) {
    const when = ['process.exit(7);', 'setImmediate(() => process.exit(7));', 'settled(starts.sign).then(() => process.exit(7));'][count % 3];
    const result = await runApp(`${PRELUDE} (async () => { await ready(); ${SIXTY_FOUR} ${when} })();`, { extension: 'cjs' });
    assert.deepEqual([result.signal, result.code, result.stderr], [null, 7, '']);
  }
});

for (const where of ['a worker only', 'both threads']) {
  test(`a worker is terminated with 64 jobs running, the addon in ${where}, ${PROCESSES} processes`, async () => {
    onlyNode();
    const load = `require(${JSON.stringify(registerFile)});`;
    const work = `${load} ${PRELUDE} (async () => { await ready(); ${SIXTY_FOUR} require('node:worker_threads').parentPort.postMessage('started'); LAST })();`;
    for (let count = 0; count < PROCESSES; count++) {
      const last = ['setInterval(() => {}, 1000);', 'process.exit(3);', 'setImmediate(() => { throw new Error("on purpose"); });'][count % 3];
      const { answer } = await answerOf(
        `const { Worker } = require('node:worker_threads');
         ${where === 'both threads' ? load : ''}
         const worker = new Worker(${JSON.stringify(work.replace('LAST', last))}, { eval: true });
         let fault;
         worker.on('error', (error) => { fault = error.message; });
         worker.on('message', () => ${last.startsWith('setInterval') ? 'worker.terminate()' : 'undefined'});
         worker.on('exit', (code) => {
           console.log(JSON.stringify([code, fault]));
           ${count % 2 === 0 ? 'process.exit(0);' : ''}
         });`,
        { args: [], extension: 'cjs' },
      );
      assert.deepEqual(answer, last.startsWith('setInterval') ? [1, null] : last.startsWith('process') ? [3, null] : [1, 'on purpose']);
    }
  });
}

test('a callback that ends its worker', async () => {
  onlyNode();
  const work = `require(${JSON.stringify(registerFile)}); ${PRELUDE} (async () => { await ready(); ${SIXTY_FOUR} starts.sign(() => process.exit(5)); })();`;
  const { answer } = await answerOf(
    `const { Worker } = require('node:worker_threads');
     const worker = new Worker(${JSON.stringify(work)}, { eval: true });
     worker.on('error', (error) => { throw error; });
     worker.on('exit', (code) => console.log(JSON.stringify(code)));`,
    { args: [], extension: 'cjs' },
  );
  assert.equal(answer, 5);
});

/** A second or so of work for one thread, on the fastest machine half of that. */
const LONG_JOBS = {
  pbkdf2: "crypto.pbkdf2('password', 'salt', 2_000_000, 32, 'sha256', done)",
  scrypt: "crypto.scrypt('password', 'salt', 32, { N: 2 ** 17, r: 8, maxmem: 2 ** 28 }, done)",
};
/** The host waits for all that has begun. This is room for a machine that others use. */
const WAIT_SLACK_MS = 500;

for (const [name, start] of Object.entries(LONG_JOBS)) {
  test(`a worker is terminated while ${name} runs: without a wait for it`, async () => {
    onlyNode();
    const work = (load) => `${load} ${PRELUDE} (async () => {
      await ready();
      const done = () => { throw new Error('the callback was called'); };
      for (let job = 0; job < 3; job++) ${start};
      require('node:worker_threads').parentPort.postMessage(${load === '' ? '0' : `served().${name}`});
      setInterval(() => {}, 1000);
    })();`;
    const run = (load) => answerOf(
      `const { Worker } = require('node:worker_threads');
       const worker = new Worker(${JSON.stringify(work(load))}, { eval: true });
       worker.on('error', (error) => { throw error; });
       worker.on('message', async (served) => {
         const from = performance.now();
         const code = await worker.terminate();
         console.log(JSON.stringify({ served, code, took: performance.now() - from }));
       });`,
      { args: [], extension: 'cjs', timeoutSeconds: 300 },
    );
    const stock = (await run('')).answer;
    const ours = (await run(`require(${JSON.stringify(registerFile)});`)).answer;
    assert.equal(stock.code, 1);
    assert.equal(ours.code, 1);
    // Three of `ready`, and the three that ran.
    assert.ok(ours.served >= 6, `only ${ours.served} jobs were served`);
    assert.ok(ours.took <= Math.max(stock.took / 2, WAIT_SLACK_MS), `${ours.took} ms, on the host ${stock.took}`);
  });
}

test('files are looked at while more derivations run than the pool has threads', async () => {
  onlyNode();
  const { answer } = await answerOf(
    `${PRELUDE} (async () => {
       await ready();
       const { stat } = require('node:fs');
       const order = [];
       const jobs = [];
       for (let job = 0; job < 16; job++) {
         jobs.push(new Promise((resolve) => crypto.pbkdf2('password', 'salt', 1_000_000, 32, 'sha256', (error, key) => {
           order.push('derivation');
           resolve(key.toString('hex'));
         })));
       }
       jobs.push(new Promise((resolve) => stat(__filename, () => { order.push('stat'); resolve(); })));
       const keys = await Promise.all(jobs);
       console.log(JSON.stringify({ first: order[0], count: order.length, equal: new Set(keys.slice(0, 16)).size, served: served().pbkdf2 }));
     })();`,
    { args: ['--require', registerFile], extension: 'cjs', timeoutSeconds: 300 },
  );
  assert.deepEqual({ ...answer, served: answer.served >= 16 }, { first: 'stat', count: 17, equal: 1, served: true });
});

test('memory that is not to be had is the host\'s affair', async () => {
  onlyNode();
  const source = `
    const crypto = require('node:crypto');
    const options = { N: 2 ** 31, r: 2 ** 20, maxmem: Number.MAX_SAFE_INTEGER };
    (async () => {
      const seen = [];
      for (let use = 0; use < 3; use++) {
        try { crypto.scryptSync('password', 'salt', 32, options); } catch (error) { seen.push([error.name, error.code, error.message]); }
        await new Promise((resolve) => {
          try {
            crypto.scrypt('password', 'salt', 32, options, (error, derived) => { seen.push(['later', error?.name, error?.code, error?.message, String(derived)]); resolve(); });
          } catch (error) { seen.push(['at once', error.name, error.code, error.message]); resolve(); }
        });
      }
      seen.push(crypto.scryptSync('password', 'salt', 32).toString('hex'));
      console.log(JSON.stringify(seen));
    })();`;
  const [stock, ours] = await Promise.all([answerOf(source, { args: [], extension: 'cjs' }), answerOf(source, { args: hook, extension: 'cjs' })]);
  assert.deepEqual(ours.answer, stock.answer);
});

test('a secret that every object inherits is one for argon2, too', async () => {
  onlyNode();
  const source = `
    const crypto = require('node:crypto');
    const derive = () => crypto.argon2Sync?.('argon2id', { message: 'password', nonce: 'some salt', parallelism: 1, tagLength: 16, memory: 8, passes: 1 }).toString('hex');
    const seen = [derive(), derive()];
    for (const name of ['secret', 'associatedData']) {
      Object.prototype[name] = 'inherited';
      seen.push(derive());
      delete Object.prototype[name];
    }
    console.log(JSON.stringify(seen));`;
  const [stock, ours] = await Promise.all([answerOf(source, { args: [], extension: 'cjs' }), answerOf(source, { args: hook, extension: 'cjs' })]);
  assert.deepEqual(ours.answer, stock.answer);
});
