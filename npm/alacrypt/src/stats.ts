/**
 * What was served, and what was handed back to the host and why.
 */

import { bare } from './primordials';

/** The counts of one function. */
export interface FunctionStats {
  /** Calls that the engine served. */
  served: number;
  /** Calls that went to the host's own function. */
  handedBack: number;
  /** Why, with the number of calls for each reason. */
  reasons: Record<string, number>;
  /** Of the calls served by a method of Web Crypto: those whose work was done within the call. */
  inline?: number;
  /** Those whose work another thread did. */
  pooled?: number;
  /** How long the latter waited for a thread, in milliseconds, all together. */
  waitedMilliseconds?: number;
  /** With `ALACRYPT_SHADOW`: what comparison with the host found. */
  shadow?: ShadowStats;
}

/** What comparison with the host found. */
export interface ShadowStats {
  /** Answers that were compared; the app got the host's. */
  compared: number;
  /** How many differed, by what. */
  differences: Record<string, number>;
}

/** Why a call is handed back. */
export type Reason =
  | 'algorithm'
  | 'arguments'
  | 'callback form'
  | 'engine refused'
  | 'FIPS is on'
  | 'input is large'
  | 'interleaved'
  | 'first use'
  | 'host is as fast'
  | 'key'
  | 'no native binary'
  | 'no time left'
  | 'options'
  | 'unusual use';

/** The counters of one function; plain properties, as they are touched on every call. */
export class Counter {
  served = 0;
  /** Calls handed back for the reason of that name, which large input has in number. */
  outgrownBefore = 0;
  shadow: ShadowStats | undefined = undefined;
  readonly #reasons = bare<number>();

  /** Counts a call that is handed back. */
  handBack(reason: Reason): undefined {
    this.#reasons[reason] = (this.#reasons[reason] ?? 0) + 1;
  }

  /** Moves a call that was counted as served to those handed back. */
  serveNoMore(reason: Reason): void {
    this.served--;
    this.handBack(reason);
  }

  /** How many calls were handed back; what the app has done to built-ins does not matter here. */
  get handedBack(): number {
    let sum = this.outgrownBefore;
    for (const reason in this.#reasons) sum += this.#reasons[reason] as number;
    return sum;
  }

  read(): FunctionStats {
    const reasons: Record<string, number> = {};
    let handedBack = this.outgrownBefore;
    if (handedBack !== 0) reasons['outgrown before'] = handedBack;
    for (const [reason, count] of Object.entries(this.#reasons)) {
      reasons[reason] = count;
      handedBack += count;
    }
    const found: FunctionStats = { served: this.served, handedBack, reasons };
    if (this.shadow !== undefined) {
      const { compared, differences } = this.shadow;
      found.shadow = { compared, differences: { ...differences } };
    }
    return found;
  }
}

/** The counters of a method of Web Crypto. */
export class WorkCounter extends Counter {
  inline = 0;
  pooled = 0;
  waitedMicros = 0;

  /** Counts a call whose work was done within it. */
  serveHere(): void {
    this.served++;
    this.inline++;
  }

  /** Counts a call whose work goes to another thread. */
  serveElsewhere(): void {
    this.served++;
    this.pooled++;
  }

  override read(): FunctionStats {
    const { inline, pooled, waitedMicros } = this;
    return { ...super.read(), inline, pooled, waitedMilliseconds: waitedMicros / 1000 };
  }
}

/** The counters, by the function's name in `node:crypto`. */
export const counters = {
  createHash: new Counter(),
  'Hash.copy': new Counter(),
  createHmac: new Counter(),
  hash: new Counter(),
  sign: new Counter(),
  verify: new Counter(),
  createSign: new Counter(),
  createVerify: new Counter(),
  createPublicKey: new Counter(),
  createPrivateKey: new Counter(),
  publicEncrypt: new Counter(),
  privateDecrypt: new Counter(),
  privateEncrypt: new Counter(),
  publicDecrypt: new Counter(),
  createECDH: new Counter(),
  'ECDH.generateKeys': new Counter(),
  'ECDH.setPrivateKey': new Counter(),
  'ECDH.computeSecret': new Counter(),
  'ECDH.convertKey': new Counter(),
  diffieHellman: new Counter(),
  generateKeyPair: new Counter(),
  generateKeyPairSync: new Counter(),
  encapsulate: new Counter(),
  decapsulate: new Counter(),
  createCipheriv: new Counter(),
  createDecipheriv: new Counter(),
  hkdf: new Counter(),
  hkdfSync: new Counter(),
  pbkdf2: new Counter(),
  pbkdf2Sync: new Counter(),
  scrypt: new Counter(),
  scryptSync: new Counter(),
  argon2: new Counter(),
  argon2Sync: new Counter(),
  randomBytes: new Counter(),
  randomFillSync: new Counter(),
  getRandomValues: new Counter(),
  'subtle.digest': new WorkCounter(),
  'subtle.sign': new WorkCounter(),
  'subtle.verify': new WorkCounter(),
  'subtle.encrypt': new WorkCounter(),
  'subtle.decrypt': new WorkCounter(),
  'subtle.deriveBits': new WorkCounter(),
};

/**
 * For each function that Alacrypt covers: how many calls were served, how many were handed back
 * to the host, and why. Counts are those of the calling thread, from its start.
 */
export function stats(): Record<string, FunctionStats> {
  return Object.fromEntries(
    Object.entries(counters).map(([name, counter]) => [name, counter.read()]),
  );
}

function inWords({ compared, differences }: ShadowStats): string {
  const different = Object.values(differences).reduce((sum, count) => sum + count, 0);
  return `${compared} compared, ${different} different`;
}

/** The table that `ALACRYPT_STATS=1` prints. */
export function table(): string {
  const rows = Object.entries(stats()).map(([name, { served, handedBack, reasons, shadow }]) => [
    name,
    String(served),
    String(handedBack),
    Object.entries(reasons)
      .sort(([, a], [, b]) => b - a)
      .map(([reason, count]) => `${reason} ${count}`)
      .concat(shadow === undefined ? [] : inWords(shadow))
      .join(', '),
  ]);
  const header = ['alacrypt', 'served', 'handed back', 'why'];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...[header, ...rows].map((row) => (row[column] ?? '').length)),
  );
  return [header, ...rows]
    .map(([name = '', served = '', handedBack = '', why = '']) =>
      [
        name.padEnd(widths[0] ?? 0),
        served.padStart(widths[1] ?? 0),
        handedBack.padStart(widths[2] ?? 0),
        why,
      ]
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
