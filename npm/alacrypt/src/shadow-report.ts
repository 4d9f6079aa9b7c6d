/** What the comparison of both sides finds: counted, and said once for each kind. */

import { writeSync } from 'node:fs';
import { types } from 'node:util';

import {
  Bytes,
  bare,
  byteLengthOf,
  bytesOf as bytesOfView,
  charCodeAt,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isView,
  makeTable,
  typedArrayLength,
} from './primordials';
import type { Outcome } from './shadow';
import { counters } from './stats';

/** A call, as far as it is told of. */
export interface Comparison {
  readonly name: string;
  readonly algorithm: unknown;
  /** Bytes, or characters of text. */
  inputLength: number | undefined;
}

const { isArrayBuffer, isProxy } = types;

/** Kinds of difference that are told of at most. */
const KINDS = 100;
const told = makeTable<true>();
let kinds = 0;

function bytesOf(value: unknown): Uint8Array | undefined {
  if (isView(value)) return bytesOfView(value);
  return isArrayBuffer(value) && byteLengthOf(value) !== undefined ? new Bytes(value) : undefined;
}

/** What an error says of itself, where that is text and no code of the app's has to run for it. */
function textOf(error: unknown, name: string): string {
  for (let object = error; typeof object === 'object' && object !== null && !isProxy(object); object = getPrototypeOf(object)) {
    const property = getOwnPropertyDescriptor(object, name);
    if (property === undefined) continue;
    return hasOwn(property, 'value') && typeof property.value === 'string' ? property.value : '';
  }
  return '';
}

function kindOfError(error: unknown): string {
  const name = textOf(error, 'name');
  const code = textOf(error, 'code');
  return code === '' ? name : `${name} ${code}`;
}

/** Whether an error says that stack or memory ran out, as it may on one side alone. */
function isExhaustion(error: unknown): boolean {
  return textOf(error, 'name') === 'RangeError' && textOf(error, 'code') === '';
}

/** In what they differ, in words that hold no data; `undefined` where they are the same. */
function differenceOf(right: Outcome, actual: Outcome): string | undefined {
  if (right.error !== undefined || actual.error !== undefined) {
    if (right.error === undefined) return `ours threw (${kindOfError(actual.error)})`;
    if (actual.error === undefined) return `the host threw (${kindOfError(right.error)}), ours did not`;
    const theirs = kindOfError(right.error);
    const ours = kindOfError(actual.error);
    if (theirs !== ours) return `the host threw ${theirs}, ours ${ours}`;
    return textOf(right.error, 'message') === textOf(actual.error, 'message') ? undefined : 'messages of errors differ';
  }
  const theirs = bytesOf(right.value);
  const ours = bytesOf(actual.value);
  if (theirs === undefined || ours === undefined) {
    if (typeof right.value !== typeof actual.value) return 'types differ';
    if (right.value === actual.value) return undefined;
    return typeof right.value === 'string' && right.value.length !== (actual.value as string).length ? 'lengths differ' : 'answers differ';
  }
  if (getPrototypeOf(right.value) !== getPrototypeOf(actual.value)) return 'classes differ';
  const length = typedArrayLength(theirs);
  if (length !== typedArrayLength(ours)) return `lengths differ (${length}, ${typedArrayLength(ours)})`;
  for (let at = 0; at < length; at++) {
    if (theirs[at] !== ours[at]) return 'bytes differ';
  }
  return undefined;
}

export function isDifferent(one: Outcome, other: Outcome): boolean {
  return differenceOf(one, other) !== undefined;
}

const LONGEST_NAME = 40;

function isInNames(code: number): boolean {
  // Letters and digits; `_`, `-`, `.`, `/`.
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || (code >= 45 && code <= 47);
}

/** An algorithm's name as the app gave it, if it looks like one. */
function nameOf(algorithm: unknown): string {
  if (typeof algorithm !== 'string' || algorithm.length > LONGEST_NAME) return '';
  for (let at = 0; at < algorithm.length; at++) {
    if (!isInNames(charCodeAt(algorithm, at))) return '';
  }
  return algorithm;
}

export function compare(comparison: Comparison, right: Outcome, actual: Outcome): void {
  if (isExhaustion(right.error) || isExhaustion(actual.error)) return;
  const { name, inputLength } = comparison;
  const counter = counters[name as keyof typeof counters];
  const found = (counter.shadow ??= { compared: 0, differences: bare<number>() });
  found.compared++;
  const difference = differenceOf(right, actual);
  if (difference === undefined) return;
  const algorithm = nameOf(comparison.algorithm);
  const kind = algorithm === '' ? difference : `${algorithm}: ${difference}`;
  const isNew = told.get(`${name} ${kind}`) !== true;
  if (isNew && kinds >= KINDS) return;
  found.differences[kind] = (found.differences[kind] ?? 0) + 1;
  if (!isNew) return;
  told.set(`${name} ${kind}`, true);
  kinds++;
  const input = inputLength === undefined ? '' : ` with ${inputLength} ${inputLength === 1 ? 'unit' : 'units'} of input`;
  tell(`alacrypt: shadow: ${name}${algorithm === '' ? '' : ` ${algorithm}`}${input}: ${difference}; the host's answer was returned\n`);
}

/** Not through `process.stderr`, whose methods apps replace, and whose making changes the process. */
function tell(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // Nobody listens; the counts have it.
  }
}
