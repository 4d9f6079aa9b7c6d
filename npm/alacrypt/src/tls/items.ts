/**
 * Lists that the addon reads (see `crates/alacrypt-node/src/tls/items.rs`): a kind in one byte, a length in
 * four, a value.
 */
export class Items {
  readonly #items: [number, Uint8Array][] = [];
  #length = 0;

  /** Adds a value, a text in UTF-8; nothing where there is none. */
  add(kind: number, value: string | Uint8Array | undefined): void {
    if (value === undefined) return;
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    this.#items.push([kind, bytes]);
    this.#length += 5 + bytes.length;
  }

  /** The list; whoever gets it wipes it. */
  bytes(): Uint8Array {
    const all = new Uint8Array(this.#length);
    const length = new Uint32Array(1);
    const lengthBytes = new Uint8Array(length.buffer);
    let at = 0;
    for (const [kind, value] of this.#items) {
      all[at] = kind;
      length[0] = value.length;
      all.set(lengthBytes, at + 1);
      all.set(value, at + 5);
      at += 5 + value.length;
    }
    return all;
  }
}
