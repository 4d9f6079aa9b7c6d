/**
 * Comparisons in turns: stock, stock again (what noise does) and with the hook, each a process of its
 * own, take turns in random order in each round. A ratio is the median of those of each round.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('turns-child.mjs', import.meta.url));
const register = fileURLToPath(new URL('../lib/register.cjs', import.meta.url));

class Side {
  constructor(node, args, module) {
    this.process = spawn(node, ['--no-warnings', ...args, child, module], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /**
   * Microseconds of a call, or how many more the `other` way of it takes; `null` where the host has no
   * such thing.
   */
  async measure(at, way, other) {
    this.process.stdin.write(`${JSON.stringify([at, way, other])}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`a process ended at call ${at}`);
    return JSON.parse(value);
  }

  async end() {
    const closed = once(this.process, 'close');
    this.process.stdin.end();
    await closed;
  }
}

/** The three sides of a comparison of the `calls` that a module exports. */
export class Turns {
  /** `node`: the program; `module`: the address of the module. */
  constructor(node, module) {
    this.sides = { stock: new Side(node, [], module), again: new Side(node, [], module), hook: new Side(node, ['--require', register], module) };
  }

  /**
   * Microseconds of call number `at` in each round, in a list for each of `ways`, which are pairs of
   * a side and a member of the call, or of a side and two members, of which the difference is
   * measured; `undefined` where the host lacks something.
   */
  async measure(at, ways, rounds) {
    const times = ways.map(() => []);
    for (let round = -1; round < rounds; round++) {
      for (const [position, [side, way, other]] of shuffled([...ways.entries()])) {
        const time = await this.sides[side].measure(at, way, other);
        if (time === null) return undefined;
        // The first is for the compilers, and for what an algorithm or key needs once.
        if (round >= 0) times[position].push(time);
      }
    }
    return times;
  }

  async end() {
    for (const side of Object.values(this.sides)) await side.end();
  }
}

function shuffled(list) {
  const left = [...list];
  return list.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
}

export const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];

/** How many times faster `times` are than those of the same rounds in `stock`. */
export const ratioOf = (stock, times) => median(times.map((time, round) => stock[round] / time));
