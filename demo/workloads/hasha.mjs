import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { hashFileSync, hashingStream, hashSync } from 'hasha';
import { bytes, list, must, numbers, text } from '../lib/inputs.mjs';

const ALGORITHMS = ['sha256', 'sha512', 'sha1', 'md5'];
const folder = fileURLToPath(new URL('../.cache/tarballs/', import.meta.url));

let files;
let records;

export default {
  name: 'hasha',
  what: 'cache keys; tarballs by file, stream',
  calls: 10_000,

  setup() {
    const next = numbers(7);
    records = list(256, (i) => [text(next, 40), bytes(next, 16 + (i % 5) * 100), text(next, 8)]);
    files = readdirSync(folder).sort();
    must(files.length > 30, 'the tarballs are there');
  },

  async run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const algorithm = ALGORITHMS[i % ALGORITHMS.length];
      emit(hashSync(records[i % records.length], { algorithm }));
      if (i % 100 === 0) emit(hashFileSync(folder + files[(i / 100) % files.length], { algorithm }));
      if (i % 100 === 50) emit(await streamed(records[i % records.length], algorithm));
    }
  },
};

async function streamed(record, algorithm) {
  const stream = Readable.from(record).pipe(hashingStream({ algorithm }));
  const parts = await stream.toArray();
  must(parts.join('') === hashSync(record, { algorithm }), 'streamed equals one-shot');
  return parts.join('');
}
