/** The API of `node:crypto`, and what Alacrypt adds. */
export * from 'node:crypto';

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

/**
 * For each function that Alacrypt covers: how many calls of this thread were served, how many
 * were handed back to the host, and why.
 */
export function stats(): Record<string, FunctionStats>;

/** Native objects of one kind. */
export interface MemoryUse {
  /** How many there are. */
  count: number;
  /** About how many bytes they take, with the places that wait for more of them. */
  bytes: number;
}

/** What {@link memory} counts. */
export type MemoryKind =
  /** Public and private keys that the engine has parsed. */
  | 'parsedKeys'
  /** The key pairs of `ECDH` objects. */
  | 'ecdhKeyPairs'
  /** Keyed states of HMAC. */
  | 'hmacKeys'
  /** Keys of ciphers. */
  | 'cipherKeys'
  /** Encryptions and decryptions in pieces. */
  | 'cipherStreams'
  /** Digests and HMACs under way whose input outgrew the scratch while FIPS was on. */
  | 'hashStreams'
  /** Settings of TLS connections, with their roots, tickets and verified chains. */
  | 'tlsClients'
  /** TLS connections. */
  | 'tlsConnections'
  /** Contents of keys that are remembered, and the marks of those that were seen once. */
  | 'keyCache'
  /** Random bytes that wait. */
  | 'randomPool'
  /** What is known of how long work takes. */
  | 'scheduler'
  /** Work on other threads. */
  | 'jobs'
  /** The memory that script and addon share. */
  | 'scratch'
  /** Threads of the pool, which the whole process shares. */
  | 'threads';

/**
 * The live native objects by kind: those of the calling thread, but for `threads`. They are counted
 * when this is called; nothing is kept for it.
 */
export function memory(): Record<MemoryKind, MemoryUse>;

/** Why the host does all the work: the error that loading the addon met, or `undefined`. */
export const loadError: Error | undefined;
