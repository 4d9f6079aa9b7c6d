/**
 * What a bug report needs: what runs here, whether it gives right answers, and what it gains.
 */

import { execFile } from 'node:child_process';
import * as nodeCrypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { promisify } from 'node:util';

import { version } from './claim';

type Crypto = typeof nodeCrypto;
type Package = typeof import('./main');
type Stats = Record<string, { served: number }>;
type Api = Crypto & { stats(): Stats; loadError: Error | undefined };

function thePackage(): Package {
  return require('../dist/alacrypt.cjs') as Package;
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** An Ed25519 public key in the form of RFC 8410. */
const ed25519Key = (point: string): string =>
  `-----BEGIN PUBLIC KEY-----\n${hex(`302a300506032b6570032100${point}`).toString('base64')}\n-----END PUBLIC KEY-----\n`;

/** A known answer: the function it is of, its source, and a call whose result is in hex. */
type Known = [name: string, source: string, expected: string, call: (crypto: Crypto) => string];

const KNOWN: readonly Known[] = [
  [
    'createHash',
    'SHA-256, FIPS 180-2 B.1',
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    ({ createHash }) => createHash('sha256').update('abc').digest('hex'),
  ],
  [
    'createHmac',
    'HMAC-SHA-256, RFC 4231 4.3',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ({ createHmac }) => createHmac('sha256', 'Jefe').update('what do ya want for nothing?').digest('hex'),
  ],
  [
    'createCipheriv',
    'AES-128-CTR, SP 800-38A F.5.1',
    '874d6191b620e3261bef6864990db6ce',
    ({ createCipheriv }) =>
      createCipheriv('aes-128-ctr', hex('2b7e151628aed2a6abf7158809cf4f3c'), hex('f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'))
        .update(hex('6bc1bee22e409f96e93d7e117393172a'))
        .toString('hex'),
  ],
  [
    'hkdfSync',
    'HKDF-SHA-256, RFC 5869 A.1',
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    ({ hkdfSync }) =>
      Buffer.from(hkdfSync('sha256', hex('0b'.repeat(22)), hex('000102030405060708090a0b0c'), hex('f0f1f2f3f4f5f6f7f8f9'), 42)).toString('hex'),
  ],
  [
    'pbkdf2Sync',
    'PBKDF2-SHA-1, RFC 6070 2',
    'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957',
    ({ pbkdf2Sync }) => pbkdf2Sync('password', 'salt', 2, 20, 'sha1').toString('hex'),
  ],
  [
    'scryptSync',
    'scrypt, RFC 7914 12',
    '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
    ({ scryptSync }) => scryptSync('', '', 64, { N: 16, r: 1, p: 1 }).toString('hex'),
  ],
  [
    'verify',
    'Ed25519, RFC 8032 7.1',
    'true',
    ({ verify }) =>
      String(
        verify(
          undefined,
          hex(''),
          ed25519Key('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'),
          hex('e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'),
        ),
      ),
  ],
];

/** Name, and a function that does `count` calls. */
const CASES: readonly [string, (crypto: Crypto) => (count: number) => void][] = [
  ['createHash sha256, 64 bytes', ({ createHash }) => (count) => {
    const data = Buffer.alloc(64, 1);
    for (let at = 0; at < count; at++) createHash('sha256').update(data).digest('hex');
  }],
  ['createHmac sha256, 64 bytes', ({ createHmac }) => (count) => {
    const data = Buffer.alloc(64, 1);
    for (let at = 0; at < count; at++) createHmac('sha256', 'a key of some length').update(data).digest('hex');
  }],
  ['randomBytes 16', ({ randomBytes }) => (count) => {
    for (let at = 0; at < count; at++) randomBytes(16);
  }],
  ['aes-256-gcm, 64 bytes', ({ createCipheriv }) => (count) => {
    const key = Buffer.alloc(32, 1), iv = Buffer.alloc(12, 2), data = Buffer.alloc(64, 3);
    for (let at = 0; at < count; at++) {
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      cipher.update(data);
      cipher.final();
      cipher.getAuthTag();
    }
  }],
  ['hkdfSync sha256, 32 bytes', ({ hkdfSync }) => (count) => {
    for (let at = 0; at < count; at++) hkdfSync('sha256', 'a key', 'salt', 'info', 32);
  }],
  ['verify ed25519, key as PEM', ({ verify }) => (count) => {
    const { publicKey, privateKey } = nodeCrypto.generateKeyPairSync('ed25519');
    const data = Buffer.alloc(64, 1), signature = nodeCrypto.sign(null, data, privateKey);
    const key = publicKey.export({ type: 'spki', format: 'pem' });
    for (let at = 0; at < count; at++) verify(undefined, data, key, signature);
  }],
  ['sign ecdsa p256, key as PEM', ({ sign }) => (count) => {
    const { privateKey } = nodeCrypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const data = Buffer.alloc(64, 1), key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    for (let at = 0; at < count; at++) sign('sha256', data, key);
  }],
];

const CASE_MILLISECONDS = 80;
const ROUNDS = 6;

/** In a process of its own: nanoseconds for a call of each case, as one line of JSON. */
export function measureHere(isOurs: boolean): void {
  const crypto = isOurs ? (thePackage().makeApi() as unknown as Crypto) : nodeCrypto;
  const results = CASES.map(([, make]) => {
    const work = make(crypto);
    work(20);
    let [count, nanoseconds] = [20, 0];
    // More calls until they take as long as they should; the last number of them counts.
    for (;;) {
      const start = process.hrtime.bigint();
      work(count);
      nanoseconds = Number(process.hrtime.bigint() - start);
      if (nanoseconds >= (CASE_MILLISECONDS * 1e6) / 2) break;
      count *= 2;
    }
    return nanoseconds / count;
  });
  process.stdout.write(`${JSON.stringify(results)}\n`);
}

/** Prints all of it; the exit code is 1 where the engine does not work. */
export async function diagnose(isQuick: boolean, script: string): Promise<void> {
  const print = (label: string, text: string): void => void process.stdout.write(`${label.padEnd(12)}${text}\n`);
  const { binary, makeApi } = thePackage();
  const api = makeApi() as unknown as Api;
  const { bun, deno, node, v8, openssl } = process.versions as Record<string, string | undefined>;
  const runtime = bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : `Node ${node ?? ''}`;
  print('alacrypt', version);
  print('runtime', `${runtime} (V8 ${v8 ?? '-'}, OpenSSL ${openssl ?? '-'}), ${process.platform} ${process.arch}, ${cLibrary()}`);
  print('binary', api.loadError === undefined ? `${binary ?? ''} (${engineOf(binary)})` : `not loaded: ${api.loadError.message}`);
  print('settings', settings());
  print('FIPS', `${nodeCrypto.getFips() === 1 ? 'on: nothing is served' : 'off'}; the engine is built without its module for FIPS`);
  print('processor', processor());

  let isGood = api.loadError === undefined;
  if (process.env['ALACRYPT'] === 'off') print('self-test', 'not run: ALACRYPT=off');
  for (const [name, source, expected, call] of process.env['ALACRYPT'] === 'off' ? [] : KNOWN) {
    const outcome = known(api, name, expected, call);
    if (outcome === 'WRONG') isGood = false;
    print('self-test', `${outcome.padEnd(18)}${name}: ${source}`);
  }
  process.exitCode = isGood ? 0 : 1;
  if (!isQuick && isGood) await printGains(script);
}

/** By the third call all that is served at all is. */
function known(api: Api, name: string, expected: string, call: (crypto: Crypto) => string): string {
  const before = api.stats()[name]?.served ?? 0;
  try {
    for (let at = 0; at < 4; at++) if (call(api) !== expected) return 'WRONG';
  } catch (error) {
    return nodeCrypto.getFips() === 1 ? 'refused under FIPS' : `WRONG (${String(error)})`;
  }
  return (api.stats()[name]?.served ?? 0) > before ? 'right' : 'right, by the host';
}

async function printGains(script: string): Promise<void> {
  const times: Record<'host' | 'ours', number[][]> = { host: [], ours: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? (['host', 'ours'] as const) : (['ours', 'host'] as const);
    for (const side of order) {
      const { stdout } = await promisify(execFile)(process.execPath, [script, 'measure', side]);
      times[side].push(JSON.parse(stdout) as number[]);
    }
  }
  process.stdout.write(`\n${'µs a call, median of 6 processes'.padEnd(36)}${'host'.padStart(9)}${'alacrypt'.padStart(10)}${'ratio'.padStart(8)}\n`);
  for (const [index, [name]] of CASES.entries()) {
    const [host, ours] = [median(times.host, index), median(times.ours, index)];
    const cells = [(host / 1000).toFixed(2).padStart(9), (ours / 1000).toFixed(2).padStart(10), `${(host / ours).toFixed(1)}×`.padStart(8)];
    process.stdout.write(`${name.padEnd(36)}${cells.join('')}\n`);
  }
}

function median(rounds: readonly number[][], index: number): number {
  const sorted = rounds.map((round) => round[index] ?? NaN).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

function settings(): string {
  const names = Object.keys(process.env).filter((name) => name.startsWith('ALACRYPT') || name === 'NODE_OPTIONS');
  return names.length === 0 ? 'none' : names.map((name) => `${name}=${process.env[name] ?? ''}`).join(' ');
}

function cLibrary(): string {
  if (process.platform !== 'linux') return os.release();
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  const glibc = report?.header?.glibcVersionRuntime;
  return glibc === undefined ? 'musl or another C library' : `glibc ${glibc}`;
}

/** The version of AWS-LC, from the prefix of its names in the binary. */
function engineOf(binary: string | undefined): string {
  const found = binary === undefined ? null : /aws_lc_(\d+_\d+_\d+)_/.exec(readFileSync(binary, 'latin1'));
  return found === null ? 'AWS-LC' : `AWS-LC by aws-lc-sys ${(found[1] ?? '').replaceAll('_', '.')}`;
}

const FEATURES = ['aes', 'pclmulqdq', 'avx2', 'avx512f', 'vaes', 'vpclmulqdq', 'sha_ni', 'bmi2', 'adx', 'rdrand', 'pmull', 'sha1', 'sha2', 'sha3', 'sha512'];

function processor(): string {
  const model = os.cpus()[0]?.model ?? 'unknown';
  if (process.platform !== 'linux') return model;
  try {
    const flags = /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'latin1'))?.[1]?.split(' ') ?? [];
    return `${model} ×${os.cpus().length} (${FEATURES.filter((name) => flags.includes(name)).join(' ')})`;
  } catch {
    return model;
  }
}
