// A program that type-checks against `node:crypto` does so against `alacrypt`: compiled, never run.
import nodeCrypto = require('node:crypto');
import alacrypt = require('alacrypt');
import { createHash, createHmac, hash, type Hash, type KeyObject, memory, randomBytes, stats } from 'alacrypt';

const drop: typeof nodeCrypto = alacrypt;
const digest: string = createHash('sha256').update('abc').digest('hex');
const hashObject: Hash = createHash('shake256', { outputLength: 8 });
const hostHashObject: nodeCrypto.Hash = hashObject;
const key: KeyObject = alacrypt.createSecretKey(Buffer.alloc(32));
const tag: Buffer = createHmac('sha256', key).update(Buffer.alloc(1)).digest();
const bytes: Buffer = randomBytes(16);
const text: string = hash('sha1', 'abc');
const served: number | undefined = stats()['createHash']?.served;

const held: number = memory().parsedKeys.bytes;

export { drop, digest, hostHashObject, tag, bytes, text, served, held };
