/** The server of `tls-bars.mjs`: `node tls-bars-server.mjs CHAIN`, such as `below384,intermediate384`; prints its ports. */

import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const certificates = JSON.parse(readFileSync(new URL('../test/support/certificates.json', import.meta.url), 'utf8'));
const [leaf, ...above] = process.argv[2].split(',');
const { key, cert } = certificates[leaf];
const small = Buffer.alloc(2048, 1);
const megabyte = Buffer.alloc(1 << 20, 7);

function answer(request, response) {
  if (request.url !== '/bulk') {
    response.end(small);
    return;
  }
  let left = Number(request.headers.megabytes);
  const more = () => {
    while (left-- > 0) if (!response.write(megabyte)) return response.once('drain', more);
    return response.end();
  };
  more();
}

const secure = https.createServer({ key, cert: [cert, ...above.map((name) => certificates[name].cert)].join('') }, answer);
const plain = http.createServer(answer);
secure.listen(0, '127.0.0.1', () => plain.listen(0, '127.0.0.1', () => console.log(secure.address().port, plain.address().port)));
