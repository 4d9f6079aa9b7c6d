// The ES module form of the same.
import alacrypt, { createHash, loadError, memory, stats } from 'alacrypt';
import * as nodeCrypto from 'node:crypto';

const drop: typeof nodeCrypto.createHash = createHash;
const viaDefault: string = alacrypt.createHash('sha256').digest('hex');
const reasons: Record<string, number> | undefined = stats()['hash']?.reasons;

const threads: number = memory().threads.count;

export { drop, viaDefault, reasons, threads, loadError };
