'use strict';

// The helper that benchmark files of Node's layout require: the same interface and messages as
// Node's own, as far as these files need them. One process runs one configuration; without one on
// the command line, every combination is forked in turn and its report passed on.

const { fork } = require('child_process');

exports.createBenchmark = (main, configs) => new Benchmark(main, configs);

class Benchmark {
  constructor(main, configs) {
    const given = parse(process.argv.slice(2), configs);
    const queue = combinations({ ...configs, ...given });
    this.started = undefined;
    if (process.env.LAB_TEST_ONE_CONFIGURATION !== undefined) {
      this.config = queue[0];
      process.nextTick(() => main(this.config));
    } else {
      process.nextTick(() => runAll(queue));
    }
  }

  start() {
    this.started = process.hrtime.bigint();
  }

  end(operations) {
    const time = Number(process.hrtime.bigint() - this.started) / 1e9;
    this.report(operations / time, time);
  }

  report(rate, time) {
    process.send({ type: 'report', name: require.main.filename, conf: this.config, rate, time });
  }
}

function parse(words, configs) {
  const given = {};
  for (const word of words) {
    const at = word.indexOf('=');
    const key = word.slice(0, at);
    if (!configs[key]) throw new Error(`unknown parameter ${key}`);
    const value = word.slice(at + 1);
    (given[key] ??= []).push(typeof configs[key][0] === 'number' ? Number(value) : value);
  }
  return given;
}

function combinations(configs) {
  return Object.entries(configs).reduce(
    (done, [key, values]) => done.flatMap((some) => values.map((value) => ({ ...some, [key]: value }))),
    [{}]);
}

function runAll(queue) {
  process.send({ type: 'config', name: require.main.filename, queueLength: queue.length });
  const next = () => {
    const config = queue.shift();
    if (config === undefined) return process.disconnect();
    const child = fork(require.main.filename, Object.entries(config).map(([k, v]) => `${k}=${v}`), {
      env: { ...process.env, LAB_TEST_ONE_CONFIGURATION: '' },
    });
    child.on('message', (message) => process.send(message));
    child.on('close', (code) => (code ? process.exit(code) : next()));
  };
  next();
}
