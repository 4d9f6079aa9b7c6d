/**
 * Hashes as streams, in the forms that apps use.
 */

import { createReadStream } from 'node:fs';
import { PassThrough, Readable, pipeline } from 'node:stream';
import { pipeline as pipelineAsync } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);

export const cases = {
  'update after the stream ended': {
    async body({ crypto, attempt, turn }) {
      for (const name of ['sha3-256', 'sha256', 'shake128']) {
        const hash = crypto.createHash(name).update('a');
        hash.end();
        await turn();
        attempt(`${name} update`, () => hash.update('late') === hash);
        attempt(`${name} digest`, () => hash.digest('hex'));
        attempt(`${name} read`, () => hash.read());
        attempt(`${name} copy`, () => hash.copy());
      }
      const hmac = crypto.createHmac('sha256', 'k').update('a');
      hmac.end();
      await turn();
      attempt('hmac update', () => hmac.update('late') === hmac);
      attempt('hmac digest', () => hmac.digest('hex'));
      attempt('hmac read', () => hmac.read());
    },
    only: 'node',
    right: { 'sha3-256 update': { 20: 'true', 24: /ERR_CRYPTO_HASH_UPDATE_FAILED/, 26: /ERR_CRYPTO_HASH_UPDATE_FAILED/, other: /./ } },
  },
  'a file through pipe, pipeline and iteration': {
    async body({ crypto, line }) {
      for (const make of [() => crypto.createHash('sha256'), () => crypto.createHmac('sha512', 'k'), () => crypto.createHash('shake256', { outputLength: 40 })]) {
        const piped = make();
        line('pipe', await new Promise((resolve) => {
          createReadStream(here, { highWaterMark: 1000 }).pipe(piped).on('finish', () => resolve(piped.read().toString('hex')));
        }));
        const through = new PassThrough();
        const collected = [];
        through.on('data', (chunk) => collected.push(chunk));
        await pipelineAsync(createReadStream(here), make(), through);
        line('pipeline', Buffer.concat(collected).toString('hex'));
        const iterated = make();
        for await (const chunk of createReadStream(here, { highWaterMark: 64 })) iterated.update(chunk);
        line('iteration', iterated.digest('hex'));
        const encoded = make().setEncoding('hex');
        Readable.from(['some ', 'text \ud83d', '\ude00']).pipe(encoded);
        let text = '';
        for await (const piece of encoded) text += piece;
        line('encoded', text);
        line('callback', await new Promise((resolve) => pipeline(Readable.from([Buffer.alloc(70_000)]), make(), async (source) => { for await (const chunk of source) resolve(chunk.toString('hex')); }, () => {})));
      }
    },
    only: 'node',
  },
  'digest, then the end of the stream': {
    async body({ crypto, line, turn }) {
      for (const encoding of [undefined, 'hex', 'base64', 'base64url', 'latin1', 'utf8', 'ucs2']) {
        for (const make of [() => crypto.createHash('sha256'), () => crypto.createHash('shake128', { outputLength: 7 }), () => crypto.createHmac('sha256', 'k')]) {
          const events = [];
          const object = make().update('a');
          const given = object.digest(encoding);
          for (const name of ['data', 'end', 'finish', 'error', 'close']) {
            object.on(name, (argument) => events.push(Buffer.isBuffer(argument) ? `${name} ${argument.toString('hex')} ${argument.byteOffset}/${argument.buffer.byteLength}` : argument instanceof Error ? `${name} ${argument.message}` : name));
          }
          object.end();
          await turn();
          await turn();
          line(`${encoding}`, `${Buffer.from(given).toString('hex')} ${events.join()}`);
        }
      }
    },
    only: 'node',
  },
};
