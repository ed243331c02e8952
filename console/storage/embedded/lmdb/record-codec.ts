/**
 * How a record lies in LMDB: version (1 byte), CRC-32 (4 bytes), JSON. The sum covers the key too, so that neither a
 * flipped bit nor a record in the place of another goes unnoticed; LMDB itself has no sums.
 */
import { crc32 } from 'node:zlib';

const version = 1;
const headBytes = 5;
/** Records of stores of format 1 are plain JSON objects, without a sum; each is rewritten at its next change. */
const unframedStart = '{'.charCodeAt(0);

export type RecordKey = readonly (string | number)[];

/** What was stored is not what is there now: a fault of disk or memory. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
}

export function encodeRecord(key: RecordKey, value: unknown): Buffer {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafe(headBytes + Buffer.byteLength(text));
  bytes[0] = version;
  bytes.write(text, headBytes);
  bytes.writeUInt32LE(sumOf(key, bytes), 1);
  return bytes;
}

/** @throws {DamagedRecordError} */
export function decodeRecord<V>(key: RecordKey, bytes: Buffer): V {
  const isUnframed = bytes[0] === unframedStart;
  const isWhole = isUnframed || (bytes[0] === version && bytes.length > headBytes);
  if (!isWhole || (!isUnframed && bytes.readUInt32LE(1) !== sumOf(key, bytes))) throw damaged(key);
  try {
    return JSON.parse(bytes.toString('utf8', isUnframed ? 0 : headBytes)) as V;
  } catch (cause) {
    throw damaged(key, cause);
  }
}

/** For those who pass over what is damaged. @returns undefined of that */
export function wholeRecord<V>(key: RecordKey, bytes: Buffer): V | undefined {
  try {
    return decodeRecord<V>(key, bytes);
  } catch (error) {
    if (error instanceof DamagedRecordError) return undefined;
    throw error;
  }
}

export function isWholeRecord(key: RecordKey, bytes: Buffer): boolean {
  return wholeRecord(key, bytes) !== undefined;
}

function sumOf(key: RecordKey, bytes: Buffer): number {
  return crc32(bytes.subarray(headBytes), crc32(key.join('\0')));
}

/** Keys are digests: they give no secret away. */
function damaged(key: RecordKey, cause?: unknown): DamagedRecordError {
  return new DamagedRecordError(`the record ${key.join(' ')} of the store is damaged`, { cause });
}
