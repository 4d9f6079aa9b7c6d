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

function tagged(output) {
  if (typeof output === 'string') return ['s', Buffer.from(output, 'utf16le')];
  if (Buffer.isBuffer(output)) return ['b', output];
  if (output instanceof Uint8Array) return ['u', Buffer.from(output)];
  return ['j', Buffer.from(JSON.stringify(output))];
}
