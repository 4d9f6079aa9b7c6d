/**
 * Whether a file can be loaded as an addon: the system's loader says so of most that cannot, but maps
 * one that lost its end, and the process dies of what is not there.
 */

import fs from 'node:fs';

const ELF_HEADER_LENGTH = 64;
const ELF_MAGIC = 0x464c457f;
const SIXTY_FOUR_BITS = 2;

/**
 * What is wrong with a file that is an ELF file of 64 bits, in little-endian; `undefined` of all others.
 * The table of its sections is the last thing in such a file (System V ABI, chapter 4).
 */
export function faultOf(file: string): string | undefined {
  const head = new DataView(new ArrayBuffer(ELF_HEADER_LENGTH));
  let size: number;
  try {
    const descriptor = fs.openSync(file, 'r');
    try {
      if (fs.readSync(descriptor, head, 0, ELF_HEADER_LENGTH, 0) < ELF_HEADER_LENGTH) return undefined;
      size = fs.fstatSync(descriptor).size;
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
  if (head.getUint32(0, true) !== ELF_MAGIC || head.getUint8(4) !== SIXTY_FOUR_BITS) return undefined;
  const sections = Number(head.getBigUint64(0x28, true));
  const end = sections + head.getUint16(0x3a, true) * head.getUint16(0x3c, true);
  return end > size ? `it ends at byte ${size} of ${end}` : undefined;
}
