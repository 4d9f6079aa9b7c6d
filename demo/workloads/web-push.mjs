import { createDecipheriv, createECDH, createPublicKey, hkdfSync, verify } from 'node:crypto';
import webpush from 'web-push';
import { bytes, list, must, numbers, text } from '../lib/inputs.mjs';
import { jwk } from '../lib/keys.mjs';

let vapidDetails;
let vapidKey;
let subscribers;
let messages;

export default {
  name: 'web-push',
  what: 'encrypt and sign notifications (VAPID, ES256)',
  calls: 250,
  // Each message has a key and a salt of its own, ECDSA signatures differ.
  random: true,

  setup() {
    const next = numbers(26);
    const { d, x, y } = jwk('p256');
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    vapidDetails = { subject: 'mailto:ops@example.com', publicKey: point.toString('base64url'), privateKey: d };
    vapidKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    subscribers = list(32, (id) => {
      const ecdh = createECDH('prime256v1');
      ecdh.setPrivateKey(bytes(next, 32));
      const auth = bytes(next, 16);
      const keys = { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') };
      return { ecdh, auth, subscription: { endpoint: `https://push.example.com/send/${id}`, keys } };
    });
    messages = list(16, (id) => JSON.stringify({ id, title: text(next, 30), body: text(next, 200) }));
  },

  run(calls, emit) {
    for (let i = 0; i < calls; i++) {
      const { subscription } = subscribers[i % subscribers.length];
      const request = webpush.generateRequestDetails(subscription, messages[i % messages.length], {
        vapidDetails,
        TTL: 60,
        urgency: 'high',
      });
      const { headers: { Authorization, ...headers }, body, ...rest } = request;
      emit({ headers, ...rest });
      emit(Authorization);
      emit(body);
    }
  },

  opened(outputs) {
    const opened = [];
    for (let i = 0; i < outputs.length; i += 3) {
      const [request, authorization, body] = outputs.slice(i, i + 3);
      const message = decrypted(body, subscribers[(i / 3) % subscribers.length]);
      must(message === messages[(i / 3) % messages.length], 'the subscriber reads what was sent');
      opened.push(request, claims(authorization), message);
    }
    return opened;
  },
};

/** What the push service reads in `vapid t=<JWT>, k=<public key>`; the time is another each run. */
function claims(authorization) {
  const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization);
  const [head, body, signature] = token.split('.');
  const signed = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: vapidKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  must(signed && key === vapidDetails.publicKey, 'the push service knows the sender');
  const { exp, ...rest } = JSON.parse(Buffer.from(body, 'base64url'));
  must(exp > Date.now() / 1_000, 'the token is still good');
  return JSON.stringify([Buffer.from(head, 'base64url').toString(), rest]);
}

/** As a browser decrypts it: RFC 8188 with one record, its key by RFC 8291. */
function decrypted(body, { ecdh, auth }) {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + body[20]);
  const record = body.subarray(21 + body[20]);
  const derived = (secret, salt, info, length) => Buffer.from(hkdfSync('sha256', secret, salt, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const secret = derived(ecdh.computeSecret(sender), auth, info, 32);
  const key = derived(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derived(secret, salt, 'Content-Encoding: nonce\0', 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  must(padded.at(-1) === 2, 'the record is the last one');
  return padded.subarray(0, -1).toString();
}
