/**
 * `SubtleCrypto.prototype.digest`.
 */

import { native } from './native';
import { emptyHostErrors, handBack } from './object';
import { fips } from './policy';
import { apply, makeTable, typedArrayLength, typedArraySet } from './primordials';
import { doElsewhere, doHere, settledLater } from './schedule';
import { Encoding, INPUT_CAPACITY, Status, Word, input, occupy, takeArrayBuffer, words } from './scratch';
import { counters } from './stats';
import { DIGESTS, DIGEST_LENGTHS, areBuffersPlain, bytesOfSource, nameOf } from './web';
import { web } from './web-host';

const counter = counters['subtle.digest'];
const { digest: hostDigest } = web.methods;

/** Names that the host was seen to know. Those that each line knows need not be seen. */
const known = makeTable<true>();
for (const name of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) known.set(name, true);

export function digest(this: unknown, algorithm: unknown, data: unknown): unknown {
  if (this !== web.subtle || arguments.length < 2) {
    counter.handBack('arguments');
  } else {
    const served = serve(algorithm, data);
    if (served !== undefined) return served;
  }
  return handBack(hostDigest, this, arguments);
}

function serve(algorithm: unknown, data: unknown): Promise<unknown> | undefined {
  const name = nameOf(algorithm);
  const number = name === undefined ? undefined : DIGESTS[name];
  if (name === undefined || number === undefined) return counter.handBack('algorithm');
  if (known.get(name) !== true) {
    counter.handBack('first use');
    return seen(handBack(hostDigest, web.subtle, [algorithm, data]), name);
  }
  const bytes = bytesOfSource(data);
  if (bytes === undefined || !areBuffersPlain()) return counter.handBack('arguments');
  const length = typedArrayLength(bytes);
  if (length > INPUT_CAPACITY) return counter.handBack('input is large');
  occupy();
  typedArraySet(input, bytes, 0);
  words[Word.Algorithm] = number;
  words[Word.Encoding] = Encoding.Scratch;
  words[Word.DataLength] = length;
  words[Word.AskPolicy] = 1;
  const { digestHere, digestJob } = native as NonNullable<typeof native>;
  const status = doHere(digestHere);
  const outputLength = DIGEST_LENGTHS[number] as number;
  if (status === Status.Done) {
    counter.serveHere();
    emptyHostErrors();
    return settledLater(takeArrayBuffer(outputLength));
  }
  if (status === Status.Later && fips() !== true) {
    const promise = doElsewhere(
      'HASHREQUEST',
      digestJob,
      length,
      counter,
      () => takeArrayBuffer(outputLength),
      (again) => apply(hostDigest, web.subtle, [name, again]),
    );
    if (promise !== undefined) return promise;
  }
  return counter.handBack(status === Status.Policy ? 'FIPS is on' : 'engine refused');
}

/** The host's answer, which shows that it knows that name, and has warned of it where it does. */
async function seen(promise: unknown, name: string): Promise<unknown> {
  const answer = await promise;
  known.set(name, true);
  return answer;
}
