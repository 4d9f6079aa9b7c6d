import { sign, verify } from '@octokit/webhooks-methods';
import { list, must, numbers, text } from '../lib/inputs.mjs';

let payloads;
let secrets;

export default {
  name: '@octokit/webhooks-methods',
  what: 'verify GitHub webhooks of 0.5 to 12 kB',
  calls: 4_500,

  setup() {
    const next = numbers(9);
    secrets = list(4, () => text(next, 32));
    payloads = list(64, (i) =>
      JSON.stringify({
        action: 'synchronize',
        number: i,
        commits: list(1 + (i % 24), () => ({ id: text(next, 40), message: text(next, 400) })),
      }),
    );
  },

  async run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const payload = payloads[i % payloads.length];
      const secret = secrets[i % secrets.length];
      const signature = await sign(secret, payload);
      must(await verify(secret, payload, signature), 'a true signature is accepted');
      emit(signature);
      if (i % 16 === 0) emit(await verify(secret, `${payload} `, signature));
    }
  },
};
