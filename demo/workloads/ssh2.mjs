import { once } from 'node:events';
import { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { must } from '../lib/inputs.mjs';
import { openssh } from '../lib/keys.mjs';

let server;
let user;

export default {
  name: 'ssh2',
  what: 'log in by Ed25519 and run a command; in memory',
  calls: 30,

  setup() {
    const hostKey = openssh('ed25519');
    user = openssh('ed25519b');
    server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
      connection.on('authentication', (attempt) => admit(attempt));
      connection.on('session', (accept) => accept().on('exec', (accept, _reject, { command }) => {
        const channel = accept();
        channel.end(`did ${command}\n`);
        channel.exit(0);
      }));
    });
  },

  async run(calls, emit) {
    for (let i = 0; i < calls; i++) emit(await answer(`command ${i}`));
  },
};

/** What a server does with the key that a client offers. */
function admit(attempt) {
  const known = ssh2.utils.parseKey(user);
  if (attempt.method !== 'publickey') return attempt.reject(['publickey']);
  if (!attempt.key.data.equals(known.getPublicSSH())) return attempt.reject();
  if (attempt.signature && known.verify(attempt.blob, attempt.signature, attempt.hashAlgo) !== true) {
    return attempt.reject();
  }
  return attempt.accept();
}

/** Connects, logs in, runs a command, hangs up. */
async function answer(command) {
  const client = new ssh2.Client();
  const [sock, there] = socketPair();
  server.injectSocket(there);
  client.connect({ sock, username: 'user', privateKey: user });
  await once(client, 'ready');
  const stream = await new Promise((resolve, reject) =>
    client.exec(command, (error, stream) => (error ? reject(error) : resolve(stream))),
  );
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  client.end();
  await once(client, 'close');
  must(chunks.length > 0, 'the command answers');
  return Buffer.concat(chunks).toString();
}

/**
 * Two ends of a connection without a network. What one end writes arrives in a later turn, as from
 * a socket: ssh2 does not expect an answer before its own call has returned (`duplexPair` gives it).
 */
function socketPair() {
  const end = (other) =>
    new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        setImmediate(() => {
          other().push(chunk);
          done();
        });
      },
      final(done) {
        other().push(null);
        done();
      },
    });
  const here = end(() => there);
  const there = end(() => here);
  return [here, there];
}
