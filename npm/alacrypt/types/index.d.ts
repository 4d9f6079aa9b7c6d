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
}

/**
 * For each function that Alacrypt covers: how many calls of this thread were served, how many
 * were handed back to the host, and why.
 */
export function stats(): Record<string, FunctionStats>;

/** Why the host does all the work: the error that loading the addon met, or `undefined`. */
export const loadError: Error | undefined;
