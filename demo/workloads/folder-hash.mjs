import { fileURLToPath } from 'node:url';
import { hashElement } from 'folder-hash';
import { must } from '../lib/inputs.mjs';

const folder = fileURLToPath(new URL('../node_modules', import.meta.url));

export default {
  name: 'folder-hash',
  what: 'every file and folder of node_modules',
  calls: 1,

  setup() {},

  async run(passes, emit) {
    for (let pass = 0; pass < passes; pass++) {
      const { hash, children } = await hashElement(folder, {
        algo: pass % 2 ? 'sha1' : 'sha256',
        encoding: 'hex',
        // What this demo put there itself changes from build to build; types are for people.
        folders: { exclude: ['alacrypt', '.bin', 'type-fest'] },
        files: { exclude: ['.*'] },
      });
      must(children.length > 30, 'dozens of packages are installed');
      emit(hash);
      for (const child of children) emit(child.hash);
    }
  },
};
