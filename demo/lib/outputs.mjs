// How the outputs of a workload travel to the parent: every byte, with its type and length.

/** Encodes a list of strings, Buffers and plain values without ambiguity. */
export function encode(outputs) {
  const parts = [];
  for (const output of outputs) {
    const [tag, body] = tagged(output);
    const head = Buffer.alloc(5);
    head.writeUInt8(tag.charCodeAt(0), 0);
    head.writeUInt32LE(body.length, 1);
    parts.push(head, body);
  }
  return Buffer.concat(parts);
}

/** The list that `encode` was given; values that are no text and no bytes come back as JSON gives them. */
export function decode(encoded) {
  const outputs = [];
  for (let at = 0; at < encoded.length; ) {
    const tag = String.fromCharCode(encoded.readUInt8(at));
    const start = at + 5;
    at = start + encoded.readUInt32LE(at + 1);
    const body = encoded.subarray(start, at);
    if (tag === 's') outputs.push(body.toString('utf16le'));
    else if (tag === 'b') outputs.push(body);
    else if (tag === 'u') outputs.push(new Uint8Array(body));
    else outputs.push(JSON.parse(body.toString()));
  }
  return outputs;
}

function tagged(output) {
  if (typeof output === 'string') return ['s', Buffer.from(output, 'utf16le')];
  if (Buffer.isBuffer(output)) return ['b', output];
  if (output instanceof Uint8Array) return ['u', Buffer.from(output)];
  return ['j', Buffer.from(JSON.stringify(output))];
}
