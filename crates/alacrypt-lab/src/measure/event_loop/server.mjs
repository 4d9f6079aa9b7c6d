// The lab's own server: a small answer at once, or after one operation of WebCrypto (/crypto).
import { createServer } from 'node:http';

const data = new Uint8Array(1024).fill(7);
const server = createServer((request, response) => {
  if (request.url !== '/crypto') {
    response.end('ok\n');
    return;
  }
  crypto.subtle.digest('SHA-256', data).then(
    (digest) => response.end(`${digest.byteLength}\n`),
    (error) => {
      response.statusCode = 500;
      response.end(`${error.message}\n`);
    },
  );
});
server.listen(Number(process.env.PORT), '127.0.0.1');
