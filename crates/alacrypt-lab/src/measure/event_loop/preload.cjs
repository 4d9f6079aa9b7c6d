// Loaded into the measured server before its own code: notes when a timer of one millisecond
// fires, and runs the crypto load. It hears the lab and answers over a socket of the system, so
// that it takes no port and keeps no program alive.
'use strict';
const { connect } = require('node:net');

const PERIOD_MS = 1;
// 70 minutes of ticks; pages that are not touched take no memory.
const ROOM = 1 << 22;
const control = process.env.LAB_LOOP_CONTROL;
// Neither a child process nor a thread of this one is measured.
delete process.env.LAB_LOOP_CONTROL;
if (control) begin(control);

function begin(path) {
  const stamps = new Float64Array(ROOM);
  const counts = new Float64Array(ROOM);
  let ticks = 0;
  const load = { operations: 0, failed: 0, error: null, stopped: false };
  const tick = () => {
    if (ticks === ROOM) return;
    counts[ticks] = load.operations;
    stamps[ticks++] = performance.now();
  };
  setInterval(tick, PERIOD_MS).unref();

  const utilization = () => performance.eventLoopUtilization?.();
  let before;
  const socket = connect(path);
  socket.unref?.();
  socket.on('error', () => {});
  const say = (message) => socket.write(`${JSON.stringify(message)}\n`);
  const versions = process.versions;
  const runtime = versions.bun
    ? `bun ${versions.bun}`
    : versions.deno
      ? `deno ${versions.deno}`
      : `node ${versions.node}`;
  say({ hello: { runtime } });
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines) {
      const order = JSON.parse(line);
      if (order.load) {
        start(order.load, load, () => say({ ready: true })).catch((error) => {
          load.error ??= String(error?.message ?? error);
          say({ ready: false, error: load.error });
        });
      }
      if (order.mark) before = utilization();
      if (order.stop) {
        load.stopped = true;
        const after = before && performance.eventLoopUtilization(utilization(), before);
        const micros = (values) => Array.from(values.subarray(0, ticks), (ms) => Math.round(ms * 1000));
        say({
          told: {
            period_ms: PERIOD_MS,
            origin_ms: performance.timeOrigin,
            stamps_us: micros(stamps),
            counts: Array.from(counts.subarray(0, ticks)),
            failed: load.failed,
            error: load.error,
            utilization: after?.utilization ?? null,
            full: ticks === ROOM,
          },
        });
      }
    }
  });
}

// `kind`: serial (one operation after the other), fanout (`width` at once, then again), mixed
// (the same, while RSA keys are generated).
async function start({ kind, width, operations }, load, ready) {
  const { subtle } = globalThis.crypto;
  const all = await Promise.all(operations.map((name) => operation(subtle, name)));
  ready();
  let next = 0;
  const one = () => {
    const run = all[next];
    next = (next + 1) % all.length;
    return run().then(
      () => {
        load.operations++;
      },
      (error) => {
        load.failed++;
        load.error ??= String(error?.message ?? error);
      },
    );
  };
  const keys = async () => {
    const rsa = {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    };
    while (!load.stopped) await subtle.generateKey(rsa, true, ['sign', 'verify']);
  };
  const fanout = async () => {
    while (!load.stopped) await Promise.all(Array.from({ length: width }, one));
  };
  const serial = async () => {
    while (!load.stopped) await one();
  };
  if (kind === 'serial') await serial();
  if (kind === 'fanout') await fanout();
  if (kind === 'mixed') await Promise.all([fanout(), keys()]);
}

// One operation by its name and the size of its input, as in `digest:1024`.
async function operation(subtle, text) {
  const [name, size = '1024'] = text.split(':');
  const data = new Uint8Array(Number(size)).fill(7);
  const secret = new Uint8Array(32).fill(9);
  const raw = (algorithm, uses) => subtle.importKey('raw', secret, algorithm, false, uses);
  const curve = { name: 'ECDSA', namedCurve: 'P-256' };
  const ecdsa = { name: 'ECDSA', hash: 'SHA-256' };
  const rsa = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  };
  switch (name) {
    case 'digest':
      return () => subtle.digest('SHA-256', data);
    case 'hmac': {
      const key = await raw({ name: 'HMAC', hash: 'SHA-256' }, ['sign']);
      return () => subtle.sign('HMAC', key, data);
    }
    case 'aes-gcm': {
      const key = await raw('AES-GCM', ['encrypt']);
      const iv = new Uint8Array(12);
      return () => subtle.encrypt({ name: 'AES-GCM', iv }, key, data);
    }
    case 'hkdf': {
      const key = await raw('HKDF', ['deriveBits']);
      const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: secret, info: data.subarray(0, 32) };
      return () => subtle.deriveBits(hkdf, key, 256);
    }
    case 'pbkdf2': {
      const key = await raw('PBKDF2', ['deriveBits']);
      const pbkdf2 = { name: 'PBKDF2', hash: 'SHA-256', salt: secret, iterations: 1000 };
      return () => subtle.deriveBits(pbkdf2, key, 256);
    }
    case 'ecdsa-sign': {
      const { privateKey } = await subtle.generateKey(curve, false, ['sign', 'verify']);
      return () => subtle.sign(ecdsa, privateKey, data);
    }
    case 'ecdsa-verify': {
      const { privateKey, publicKey } = await subtle.generateKey(curve, false, ['sign', 'verify']);
      const signature = await subtle.sign(ecdsa, privateKey, data);
      return () => subtle.verify(ecdsa, publicKey, signature, data);
    }
    case 'rsa-sign': {
      const { privateKey } = await subtle.generateKey(rsa, false, ['sign', 'verify']);
      return () => subtle.sign('RSASSA-PKCS1-v1_5', privateKey, data);
    }
    case 'rsa-verify': {
      const { privateKey, publicKey } = await subtle.generateKey(rsa, false, ['sign', 'verify']);
      const signature = await subtle.sign('RSASSA-PKCS1-v1_5', privateKey, data);
      return () => subtle.verify('RSASSA-PKCS1-v1_5', publicKey, signature, data);
    }
    default:
      throw new Error(`unknown operation ${text}`);
  }
}
