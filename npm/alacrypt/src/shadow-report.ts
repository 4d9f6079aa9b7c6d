/** What the comparison of both sides finds: counted, and said once for each kind. */

import type { Outcome } from './shadow';
import { counters } from './stats';

/** A call, as far as it is told of. */
export interface Comparison {
  readonly name: string;
  readonly algorithm: unknown;
  /** Bytes, or characters of text. */
  inputLength: number | undefined;
}

/** Kinds of difference that are told of at most. */
const KINDS = 100;
const told = new Set<string>();

function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

function kindOfError(error: unknown): string {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  return `${String(name)} ${String(code ?? '')}`.trim();
}

/** In what they differ, in words that hold no data; `undefined` where they are the same. */
function differenceOf(right: Outcome, actual: Outcome): string | undefined {
  if (right.error !== undefined || actual.error !== undefined) {
    if (right.error === undefined) return `ours threw (${kindOfError(actual.error)})`;
    if (actual.error === undefined) return `the host threw (${kindOfError(right.error)}), ours did not`;
    const [theirs, ours] = [kindOfError(right.error), kindOfError(actual.error)];
    if (theirs !== ours) return `the host threw ${theirs}, ours ${ours}`;
    const messages = [right.error, actual.error].map((error) => String((error as Error).message));
    return messages[0] === messages[1] ? undefined : 'messages of errors differ';
  }
  const [theirs, ours] = [bytesOf(right.value), bytesOf(actual.value)];
  if (theirs === undefined || ours === undefined) {
    if (typeof right.value !== typeof actual.value) return 'types differ';
    if (right.value === actual.value) return undefined;
    return typeof right.value === 'string' && right.value.length !== (actual.value as string).length ? 'lengths differ' : 'answers differ';
  }
  if (Object.getPrototypeOf(right.value) !== Object.getPrototypeOf(actual.value)) return 'classes differ';
  if (theirs.length !== ours.length) return `lengths differ (${theirs.length}, ${ours.length})`;
  return theirs.every((byte, at) => byte === ours[at]) ? undefined : 'bytes differ';
}

/** An algorithm's name as the app gave it, if it looks like one. */
function nameOf(algorithm: unknown): string {
  return typeof algorithm === 'string' && /^[\w./-]{1,40}$/.test(algorithm) ? algorithm : '';
}

export function compare(comparison: Comparison, right: Outcome, actual: Outcome): void {
  const { name, inputLength } = comparison;
  const counter = counters[name as keyof typeof counters];
  const found = (counter.shadow ??= { compared: 0, differences: {} });
  found.compared++;
  const difference = differenceOf(right, actual);
  if (difference === undefined) return;
  const algorithm = nameOf(comparison.algorithm);
  const kind = algorithm === '' ? difference : `${algorithm}: ${difference}`;
  const isNew = !told.has(`${name} ${kind}`);
  if (isNew && told.size >= KINDS) return;
  found.differences[kind] = (found.differences[kind] ?? 0) + 1;
  if (!isNew) return;
  told.add(`${name} ${kind}`);
  const input = inputLength === undefined ? '' : ` with ${inputLength} ${inputLength === 1 ? 'unit' : 'units'} of input`;
  process.stderr.write(`alacrypt: shadow: ${name}${algorithm === '' ? '' : ` ${algorithm}`}${input}: ${difference}; the host's answer was returned\n`);
}
