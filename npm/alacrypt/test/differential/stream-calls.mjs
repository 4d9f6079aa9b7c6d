/**
 * Calls that use a `Hash` or an `Hmac` as the stream that it also is.
 */

import { PassThrough, Readable, Stream, Writable } from 'node:stream';

import { data } from './arguments.mjs';
import { show, showError } from './canonical.mjs';
import { crypto, hostFails } from './host.mjs';
import { turn } from './machine.mjs';
import { encoding, odd, plainView, text } from './values.mjs';

const EVENTS = ['data', 'end', 'finish', 'close', 'error', 'readable', 'prefinish', 'pipe', 'unpipe', 'drain', 'resume', 'pause'];

/** Writes down what the object emits. The `error` listener is always there. */
function listen(one, rng) {
  if (one.events !== undefined) return;
  one.events = [];
  const chosen = rng.pick([
    ['error', 'finish', 'end', 'close'],
    ['error', 'data', 'end', 'finish', 'close', 'prefinish'],
    ['error', 'readable', 'end', 'finish'],
    ['error'],
    EVENTS.filter((name) => name !== 'data'),
  ]);
  for (const name of chosen) {
    one.object.on(name, (argument) => {
      one.events.push(
        name === 'error' ? showError(argument)
        : name === 'pipe' || name === 'unpipe' ? name
        : argument === undefined ? name
        : `${name} ${show(argument)}`,
      );
    });
  }
}

const called = (one, what) => (...args) => {
  one.events.push(`${what} called ${args.map((argument) => show(argument)).join()}`);
};

const actions = {
  write(machine, rng, one) {
    const drawn = data(rng, true);
    const form = rng.weighted({ plain: 6, callback: 3, encoding: 3 });
    let { value } = drawn;
    if (hostFails.onOddHexWritten && typeof value === 'string' && value.length % 2 === 1) value += '0';
    const args = [value];
    if (form !== 'plain') args.push(form === 'encoding' ? (drawn.encoding.value ?? 'utf8') : called(one, 'write'));
    machine.call(rng, `${one.name}.write:${form}(${drawn.label}, ${drawn.encoding.label})`, () => one.object.write(...args));
  },
  end(machine, rng, one) {
    const form = rng.weighted({ bare: 5, text: 3, bytes: 2, callback: 2, odd: 1 });
    const args =
      form === 'text' ? [text(rng).value]
      : form === 'bytes' ? [plainView(rng).value]
      : form === 'callback' ? [called(one, 'end')]
      : form === 'odd' ? [odd(rng, true).value]
      : [];
    machine.call(rng, `${one.name}.end:${form}()`, () => one.object.end(...args), (result) => (result === one.object ? 'itself' : show(result)));
  },
  read(machine, rng, one) {
    const count = rng.pick([undefined, undefined, undefined, 1, 0, 16, 100]);
    machine.call(rng, `${one.name}.read(${count})`, () => (count === undefined ? one.object.read() : one.object.read(count)));
  },
  setEncoding(machine, rng, one) {
    const drawn = encoding(rng);
    machine.call(rng, `${one.name}.setEncoding(${drawn.label})`, () => one.object.setEncoding(drawn.value), (result) => (result === one.object ? 'itself' : show(result)));
  },
  state(machine, rng, one) {
    machine.call(rng, `state of ${one.name}`, () =>
      ['readable', 'writable', 'readableLength', 'writableLength', 'readableEnded', 'writableEnded', 'writableFinished', 'destroyed', 'readableFlowing', 'readableEncoding', 'readableObjectMode', 'writableHighWaterMark', 'errored', 'closed', 'writableNeedDrain']
        .map((name) => `${name} ${show(one.object[name])}`)
        .join(),
    );
  },
  async wait(machine) {
    await turn();
    machine.record('a turn', 'passed');
  },
  async pipeInto(machine, rng, one) {
    const source = new PassThrough();
    const pieces = Array.from({ length: rng.below(4) }, () => (rng.chance(0.5) ? text(rng) : plainView(rng)).value).filter((piece) => piece.length > 0);
    const form = rng.weighted({ pipe: 5, unpipe: 2, legacy: 2, noEnd: 1, readable: 2 });
    const events = one.events;
    machine.call(rng, `${form} of ${pieces.length} pieces into ${one.name}`, () => {
      switch (form) {
        case 'readable': {
          const readable = Readable.from(pieces.filter((piece) => typeof piece !== 'string').map(Buffer.from));
          readable.on('error', (error) => events.push(`source ${showError(error)}`));
          return readable.pipe(one.object) === one.object;
        }
        case 'legacy': {
          const old = new Stream();
          old.readable = true;
          old.on('error', (error) => events.push(`source ${showError(error)}`));
          const same = old.pipe(one.object) === one.object;
          for (const piece of pieces) old.emit('data', piece);
          old.emit('end');
          return same;
        }
        default: {
          source.on('error', (error) => events.push(`source ${showError(error)}`));
          source.pipe(one.object, form === 'noEnd' ? { end: false } : undefined);
          for (const piece of pieces) source.write(piece);
          if (form === 'unpipe') source.unpipe(one.object);
          source.end();
          return 'piped';
        }
      }
    });
    await turn();
    await turn();
  },
  async pipeOut(machine, rng, one) {
    const { events } = one;
    const sink = new Writable({
      // As they come: a Buffer made of text lies at some place in a pool.
      decodeStrings: false,
      write(chunk, _encoding, callback) {
        events.push(`sink got ${show(chunk)}`);
        callback();
      },
    });
    sink.on('finish', () => events.push('sink finished'));
    sink.on('error', (error) => events.push(`sink ${showError(error)}`));
    const through = rng.chance(0.3);
    machine.call(rng, `${one.name} piped out${through ? ' through another hash' : ''}`, () => {
      if (!through) return one.object.pipe(sink) === sink;
      const next = crypto.createHash('sha256');
      next.on('error', (error) => events.push(`next ${showError(error)}`));
      return one.object.pipe(next).pipe(sink) === sink;
    });
    await turn();
    await turn();
  },
  async iterate(machine, rng, one) {
    if (!one.object.writableEnded) one.object.end();
    const seen = [];
    try {
      const first = await Promise.race([one.object[Symbol.asyncIterator]().next(), turn().then(turn).then(turn).then(() => 'nothing yet')]);
      seen.push(typeof first === 'string' ? first : `${first.done} ${show(first.value)}`);
    } catch (error) {
      seen.push(showError(error));
    }
    machine.record(`${one.name} iterated over`, seen.join());
  },
  flush(machine, rng, one) {
    const name = rng.pick(['_flush', '_transform']);
    machine.call(rng, `${one.name}.${name}`, () =>
      name === '_flush'
        ? one.object._flush(called(one, 'flush'))
        : one.object._transform(rng.chance(0.5) ? 'text' : Buffer.from('bytes'), rng.pick(['utf8', 'buffer', 'hex', undefined]), called(one, 'transform')),
    );
  },
  destroy(machine, rng, one) {
    machine.call(rng, `${one.name}.destroy()`, () => one.object.destroy(rng.chance(0.3) ? new Error('destroyed') : undefined), (result) => (result === one.object ? 'itself' : show(result)));
  },
  cork(machine, rng, one) {
    const name = rng.pick(['cork', 'uncork', 'pause', 'resume']);
    machine.call(rng, `${one.name}.${name}()`, () => one.object[name](), (result) => (result === one.object ? 'itself' : show(result)));
  },
};

const WEIGHTS = {
  write: 30, end: 14, read: 14, setEncoding: 3, state: 5, wait: 10, pipeInto: 4, pipeOut: 3, iterate: 1, flush: 3, destroy: 1, cork: 3,
};

/** One call on a live object's stream side. */
export async function streamCall(machine, rng) {
  const one = machine.object(rng);
  try {
    listen(one, rng);
  } catch (error) {
    one.events = [];
    machine.record(`${one.name} listened to`, showError(error));
    return;
  }
  await actions[rng.weighted(WEIGHTS)](machine, rng, one);
}
