/**
 * Carries out hand-written cases and prints their lines: `cases-child.mjs NAME…`.
 */

import { CASES, THREW } from './cases.mjs';
import { crypto } from './host.mjs';
import { show, showError } from './canonical.mjs';

const lines = [];
let name;

/** Tools of a case: `line` records a value, `attempt` what a call gives or throws. */
const tools = {
  crypto,
  line(label, value) {
    lines.push(JSON.stringify([name, label, typeof value === 'string' ? value : show(value)]));
  },
  attempt(label, body) {
    let outcome;
    try {
      outcome = show(body());
    } catch (error) {
      outcome = showError(error);
    }
    lines.push(JSON.stringify([name, label, outcome]));
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

const warnings = [];
process.on('warning', (warning) => warnings.push(`${warning.name} ${warning.code} ${warning.message}`));

for (name of process.argv.slice(2)) {
  try {
    await CASES[name].body(tools);
  } catch (error) {
    // The case itself is at fault, and says so; the others still run.
    tools.line(THREW, error instanceof Error ? error.stack : String(error));
  }
  await tools.turn();
  if (warnings.length > 0) tools.line('warnings', warnings.splice(0).join(' | '));
}
process.stdout.write(`${lines.join('\n')}\n`);
