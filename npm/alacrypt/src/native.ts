/**
 * Loads the addon; the only file that does.
 */

import { faultOf } from './binary';

/** The numbers of `crates/alacrypt-node/src/scratch.rs`. */
export interface Layout {
  protocol: number;
  outputOffset: number;
  outputCapacity: number;
  inputOffset: number;
  inputCapacity: number;
}

/** Gives work to the pool, and tells `async_hooks` of `job` by the name of `type`. */
export type StartJob = (job: object, type: string) => void;

/** The addon. Functions read their parameters from the scratch (see `scratch.ts`). */
export interface Native {
  scratch: ArrayBuffer;
  layout: Layout;
  /** `true` while FIPS is on, else `undefined`. */
  fips(): true | undefined;
  putString(text: string): void;
  digest(): string | undefined;
  digestString(data: string): string | undefined;
  hmac(): string | undefined;
  hmacString(data: string): string | undefined;
  hmacStrings(data: string, key: string): string | undefined;
  cipherWhole(): void;
  cipherKeyNew(): void;
  cipherKeyLoad(): void;
  cipherKeyRelease(): void;
  cipherStreamNew(): void;
  cipherStreamUpdate(data: Uint8Array, out: Uint8Array): void;
  cipherStreamUpdateShort(): void;
  cipherStreamFinish(): void;
  cipherStreamRelease(): void;
  keyNew(): void;
  keyRelease(): void;
  publicKeyNew(): void;
  privateKeyNew(): void;
  asymmetricKeyRelease(): void;
  publicHalf(): void;
  publicHalfJob: StartJob;
  sign(): string | undefined;
  verify(): void;
  publicEncrypt(): void;
  privateDecrypt(): void;
  privateEncrypt(): void;
  publicDecrypt(): void;
  agree(): void;
  ecdhGenerate(): void;
  ecdhSetPrivateKey(): void;
  ecdhPublicKey(): void;
  ecdhPrivateKey(): void;
  ecdhComputeSecret(): void;
  ecdhConvertKey(): string | undefined;
  ecdhRelease(): void;
  encapsulate(): void;
  decapsulate(): void;
  hkdf(): void;
  pbkdf2(): void;
  scrypt(): void;
  argon2(): void;
  /** Counts what this environment holds, into the output. */
  memory(): void;
  /** Says what is called when a job is done, with its number and its answer in the scratch. */
  jobsSettleBy(settle: (input?: Uint8Array) => void): void;
  signJob: StartJob;
  verifyJob: StartJob;
  agreeJob: StartJob;
  encapsulateJob: StartJob;
  decapsulateJob: StartJob;
  hkdfJob: StartJob;
  pbkdf2Job: StartJob;
  scryptJob: StartJob;
  argon2Job: StartJob;
  digestJob: StartJob;
  hmacJob: StartJob;
  hmacVerifyJob: StartJob;
  workBudget(): void;
  poolThreads(): void;
  digestHere(): void;
  hmacHere(): void;
  hmacVerifyHere(): void;
  cipherHere(): void;
  signHere(): void;
  verifyHere(): void;
  hkdfHere(): void;
  agreeHere(): void;
  secretKeyNew(): void;
  random(): void;
  streamNew(): void;
  streamCopy(): void;
  streamUpdate(): void;
  streamFinish(): string | undefined;
  streamRelease(): void;
  tlsClientNew(settings: Uint8Array): void;
  tlsClientRelease(): void;
  tlsNew(host: Uint8Array): void;
  tlsStepJob: StartJob;
  tlsReceive(data: Uint8Array | undefined, out: Uint8Array): void;
  tlsSend(data: Uint8Array | undefined, out: Uint8Array): void;
  tlsClose(): void;
  tlsDescribe(): string | undefined;
  tlsCopy(label: Uint8Array | undefined, out: Uint8Array): void;
  tlsRelease(): void;
  tlsFetchNew(order: Uint8Array): void;
  tlsFetchJob: StartJob;
  tlsFetchStop(): void;
  tlsFetchResults(label: undefined, out: Uint8Array): void;
  tlsFetchRelease(): void;
}

const PROTOCOL = 7;

/** The binaries that may fit this platform, the likeliest first. */
function candidates(): string[] {
  // For read-only installations, and bundles that have the binary elsewhere. The second is its first name.
  const named = process.env['ALACRYPT_BINARY'] || process.env['ALACRYPT_NATIVE'];
  if (named !== undefined && named !== '') return [named];
  const libcs = process.platform === 'linux' ? ['-gnu', '-musl'] : [''];
  const names = libcs.map((libc) => `alacrypt.${process.platform}-${process.arch}${libc}.node`);
  // Beside a bundle, too.
  return [...names.map((name) => `${__dirname}/../${name}`), ...names.map((name) => `${__dirname}/${name}`)];
}

/** Loads a binary; on Node without `require`, which spends far more on finding it than on it. */
function open(file: string): Native {
  if (process.versions['bun'] !== undefined || process.versions['deno'] !== undefined) {
    return require(file) as Native;
  }
  // Node would end in the middle of writing it.
  if (process.execArgv.includes('--build-snapshot')) {
    throw new Error('a start-up snapshot cannot hold an addon: register when it is started');
  }
  const fault = process.platform === 'linux' ? faultOf(file) : undefined;
  if (fault !== undefined) throw new Error(`${file} is incomplete: ${fault}`);
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports as Native;
}

let binaryFile: string | undefined;

function load(): Native | Error {
  let error: unknown;
  for (const file of candidates()) {
    try {
      const native = open(file);
      binaryFile = file;
      return native.layout?.protocol === PROTOCOL
        ? native
        : new Error(`${file} belongs to another version of alacrypt`);
    } catch (reason) {
      // The first is the likeliest; what is wrong with it says more than that others are missing.
      error ??= reason;
      binaryFile ??= file;
    }
  }
  return error instanceof Error ? error : new Error(String(error));
}

const loaded = load();

/** The addon, or `undefined` where it cannot be loaded: the host then does all the work. */
export const native: Native | undefined = loaded instanceof Error ? undefined : loaded;
/** Why the addon could not be loaded. */
export const loadError: Error | undefined = loaded instanceof Error ? loaded : undefined;
/** The file that was loaded, or the one that {@link loadError} is about. */
export const binary = binaryFile;
