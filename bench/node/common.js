'use strict';

// The helper that the benchmark files here require: the part of Node's own `benchmark/common.js`
// that they need, with the same interface and the same messages to the parent. So these files run
// under Node's `benchmark/compare.js` as well as under `alacrypt-lab compare`.
//
// Without `key=value` words, every combination of the parameters runs in a process of its own, one
// after the other, and its report is passed on. With them, the combinations left over do. Started
// by hand, without a parent that listens, the rates are printed.

const { fork } = require('node:child_process');

/** The word by which a process knows that it is to run its one combination itself. */
const ALONE = 'ALACRYPT_BENCH_ONE';

/**
 * `configs`: a list of values for each parameter; `options.combinationFilter`: which combinations
 * make sense.
 */
exports.createBenchmark = (main, configs, options = {}) => {
  const { combinationFilter = () => true } = options;
  const given = parse(process.argv.slice(2), configs);
  const queue = combinations({ ...configs, ...given }).filter(combinationFilter);
  if (queue.length === 0) throw new Error('no combination of these parameters makes sense');
  const bench = new Benchmark(queue[0]);
  process.nextTick(process.env[ALONE] === undefined ? () => runAll(queue) : () => main(bench.config));
  return bench;
};

class Benchmark {
  #started;
  #ended = false;

  constructor(config) {
    this.config = config;
  }

  start() {
    if (this.#started !== undefined) throw new Error('start() was called twice');
    this.#started = process.hrtime.bigint();
  }

  end(operations) {
    const now = process.hrtime.bigint();
    if (this.#started === undefined) throw new Error('end() was called before start()');
    if (this.#ended) throw new Error('end() was called twice');
    if (!(operations > 0)) throw new Error('end() needs the number of operations');
    this.#ended = true;
    const time = Number(now - this.#started) / 1e9;
    if (time <= 0) throw new Error('the clock did not move');
    send({ type: 'report', name: require.main.filename, conf: this.config, rate: operations / time, time });
  }
}

/** `key=value` words as lists of values of the parameter's own type. */
function parse(words, configs) {
  const given = {};
  for (const word of words) {
    const at = word.indexOf('=');
    const key = word.slice(0, at);
    if (at < 1 || !Object.hasOwn(configs, key)) {
      throw new Error(`${word}: expected KEY=VALUE with one of ${Object.keys(configs).join(', ')}`);
    }
    const text = word.slice(at + 1);
    const value = typeof configs[key][0] === 'number' ? Number(text) : text;
    if (Number.isNaN(value)) throw new Error(`${word}: expected a number`);
    (given[key] ??= []).push(value);
  }
  return given;
}

function combinations(configs) {
  return Object.entries(configs).reduce(
    (sofar, [key, values]) => sofar.flatMap((some) => values.map((value) => ({ ...some, [key]: value }))),
    [{}],
  );
}

function runAll(queue) {
  send({ type: 'config', name: require.main.filename, queueLength: queue.length });
  const next = () => {
    const config = queue.shift();
    if (config === undefined) {
      if (process.connected) process.disconnect();
      return;
    }
    const words = Object.entries(config).map(([key, value]) => `${key}=${value}`);
    // The flags of this process, `--import` among them, are handed on by fork itself.
    const child = fork(require.main.filename, words, { env: { ...process.env, [ALONE]: '' } });
    let reported = false;
    child.on('message', (message) => {
      reported ||= message.type === 'report';
      send(message);
    });
    child.on('error', (error) => {
      throw error;
    });
    child.on('close', (code, signal) => {
      if (code === 0 && reported) return next();
      console.error(`${words.join(' ')} ended with ${signal ?? code}${reported ? '' : ', without a report'}`);
      process.exit(code || 1);
    });
  };
  next();
}

function send(message) {
  if (process.send !== undefined) return process.send(message);
  if (message.type !== 'report') return undefined;
  const config = Object.entries(message.conf).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  console.log(`${config.join(' ')}: ${message.rate.toLocaleString('en', { maximumFractionDigits: 0 })} per second`);
  return undefined;
}
