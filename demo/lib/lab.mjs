// The statistics: the rounds go to alacrypt-lab as a CSV of Node's own kind, its verdicts come
// back as JSON.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Exit codes with which the lab has judged: fine, slower, an A/A control that failed. */
const JUDGED = [0, 1, 3];

/**
 * Runs as Node's `binary,filename,configuration,rate,time`: a list of
 * `{ arm, name, what, calls, seconds }` in the order of time.
 */
export function csv(runs) {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  const lines = runs.map(({ arm, name, what, calls, seconds }) =>
    [quoted(arm), quoted(name), quoted(what), calls / seconds, seconds].join(','),
  );
  return `${['"binary","filename","configuration","rate","time"', ...lines].join('\n')}\n`;
}

/**
 * What the lab says of these runs: `rows` by package name, and `sentences` about all of them.
 * The CSV stays in `folder`, for `alacrypt-lab compare --csv`.
 */
export function judged(lab, folder, runs, { base, control }) {
  const [samples, report] = ['runs.csv', 'report.json'].map((name) => path.join(folder, name));
  writeFileSync(samples, csv(runs));
  const words = ['compare', '--csv', samples, '--base', base, '--control', control];
  try {
    execFileSync(lab, [...words, '--quiet', '--json', report], { stdio: ['ignore', 'inherit', 'inherit'] });
  } catch (error) {
    if (!JUDGED.includes(error.status)) throw new Error(`${lab} could not judge: ${error.message}`);
  }
  return read(JSON.parse(readFileSync(report, 'utf8')), runs);
}

/** From the lab's report to what the table needs. */
export function read({ report, sentences }, runs) {
  const rows = new Map();
  for (const { name, what } of runs) {
    const found = report.rows.find((row) => row.name === `${name} ${what}`.trimEnd());
    if (found === undefined) throw new Error(`the lab has no row for ${name}`);
    rows.set(name, {
      rates: { old: found.old.median, new: found.new.median },
      ratio: found.effect?.ratio,
      interval: found.effect?.interval95,
      verdict: found.verdict,
    });
  }
  return { rows, sentences };
}
