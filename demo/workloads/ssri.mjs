import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import ssri from 'ssri';
import { must } from '../lib/inputs.mjs';

let tarballs;

export default {
  name: 'ssri',
  what: 'registry tarballs against the lock file',
  calls: 4,

  setup() {
    const { packages } = JSON.parse(read('../package-lock.json'));
    tarballs = Object.entries(packages)
      .filter(([place]) => place.includes('node_modules/'))
      .map(([place, { name: own, version, integrity }]) => {
        // A package that is installed under another name than its own says so.
        const name = own ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
        const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
        return { name, integrity, data: read(`../.cache/tarballs/${file}`) };
      });
    must(tarballs.length > 30, 'the lock file pins dozens of packages');
  },

  async run(passes, emit) {
    for (let pass = 0; pass < passes; pass++) {
      for (const { name, integrity, data } of tarballs) {
        const match = ssri.checkData(data, integrity);
        must(match, `the tarball of ${name} is the one that the lock file pins`);
        emit(match.toString());
        emit(ssri.fromData(data, { algorithms: ['sha256', 'sha384'] }).toString());
        emit(ssri.checkData(data.subarray(1), integrity));
      }
      const { integrity, data } = tarballs[pass % tarballs.length];
      emit((await ssri.checkStream(Readable.from(chunks(data)), integrity)).toString());
    }
  },
};

function read(path) {
  const url = new URL(path, import.meta.url);
  return path.endsWith('.json') ? readFileSync(url, 'utf8') : readFileSync(url);
}

function* chunks(data) {
  for (let at = 0; at < data.length; at += 4_096) yield data.subarray(at, at + 4_096);
}
