import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { StoredValue } from '../data/values.ts';

/**
 * How the member's data lies in the store: a binary key and a binary value each, the value led by a
 * checksum over key and value, so that a record that was damaged or misplaced is known by itself.
 *
 * | record | key | value after the checksum |
 * |---|---|---|
 * | structure | 0, kind, name | kind, number of the structure (4), name |
 * | map entry | 1, number of the map (4), key | time of writing (8), lengths of key (2) and type (2), both, bytes |
 * | queue item | 2, number of the queue (4), number of the item (6) | length of type (2), type, bytes |
 * | progress | 3 | format (1), the last operation that the store has (6) |
 *
 * A map that is cleared gets a new number with its next entry; records of a number that no structure
 * has any more are rubbish. Names and keys that are too long for a key of LMDB stand there as digests.
 */
export type StoreRecord =
  | {
      readonly kind: 'structure';
      readonly structure: StructureKind;
      readonly name: string;
      readonly id: number;
    }
  | {
      readonly kind: 'entry';
      readonly id: number;
      readonly key: string;
      readonly value: StoredValue;
      readonly writtenAt: number;
    }
  | { readonly kind: 'item'; readonly id: number; readonly number: number; readonly item: StoredValue }
  | { readonly kind: 'progress'; readonly sequence: number };

export type StructureKind = 'map' | 'queue';

/** What is done to one record, as bytes: kind (1), length of the key (2), key, value. */
export type Operation = Buffer;

const kinds = { structure: 0, entry: 1, item: 2, progress: 3 } as const;
const format = 1;
const structures: readonly StructureKind[] = ['map', 'queue'];
export const operations = { put: 1, remove: 2, purge: 3 } as const;

const checksumBytes = 4;
const headBytes = 3;
/** LMDB takes keys of up to 1,978 bytes. */
const longestName = 1024;

export function putStructure(structure: StructureKind, name: string, id: number): Operation {
  const body = Buffer.alloc(5 + Buffer.byteLength(name));
  body[0] = structures.indexOf(structure);
  body.writeUInt32BE(id, 1);
  body.write(name, 5, 'utf8');
  return putBody(structureKey(structure, name), body);
}

export function removeStructure(structure: StructureKind, name: string): Operation {
  return operation(operations.remove, structureKey(structure, name));
}

export function putEntry(id: number, key: string, value: StoredValue, writtenAt: number): Operation {
  const { contentType = '', bytes } = value;
  const keyBytes = Buffer.byteLength(key);
  const recordKey = entryKey(id, key, keyBytes);
  const bodyBytes = 12 + keyBytes + contentType.length + bytes.length;
  return operation(operations.put, recordKey, bodyBytes, (into, start) => {
    into.writeDoubleBE(writtenAt, start);
    into.writeUInt16BE(keyBytes, start + 8);
    into.writeUInt16BE(contentType.length, start + 10);
    into.write(key, start + 12, 'utf8');
    into.write(contentType, start + 12 + keyBytes, 'latin1'); // visible ASCII
    bytes.copy(into, start + 12 + keyBytes + contentType.length);
  });
}

export function removeEntry(id: number, key: string): Operation {
  return operation(operations.remove, entryKey(id, key, Buffer.byteLength(key)));
}

export function putItem(id: number, number: number, item: StoredValue): Operation {
  const { contentType = '', bytes } = item;
  const bodyBytes = 2 + contentType.length + bytes.length;
  return operation(operations.put, itemKey(id, number), bodyBytes, (into, start) => {
    into.writeUInt16BE(contentType.length, start);
    into.write(contentType, start + 2, 'latin1');
    bytes.copy(into, start + 2 + contentType.length);
  });
}

export function removeItem(id: number, number: number): Operation {
  return operation(operations.remove, itemKey(id, number));
}

export function putProgress(sequence: number): Operation {
  const body = Buffer.of(format, 0, 0, 0, 0, 0, 0);
  body.writeUIntBE(sequence, 1, 6);
  return putBody(progressKey, body);
}

/** Removes all records of a structure's number, some at a time, after whatever came before. */
export function purge(structure: StructureKind, id: number): Operation {
  return operation(operations.purge, prefixOf(structure, id));
}

export function partsOf(operation: Operation): { kind: number; key: Buffer; value: Buffer } {
  const keyEnd = headBytes + operation.readUInt16BE(1);
  return {
    kind: operation[0]!,
    key: operation.subarray(headBytes, keyEnd),
    value: operation.subarray(keyEnd),
  };
}

/** Whether key and value are as they were written. */
export function isIntact(key: Buffer, value: Buffer): boolean {
  if (value.length < checksumBytes) return false;
  return value.readUInt32BE(0) === crc32(value.subarray(checksumBytes), crc32(key));
}

/** @returns `undefined` for what is no record of this format, or damaged */
export function readRecord(key: Buffer, value: Buffer): StoreRecord | undefined {
  if (!isIntact(key, value)) return undefined;
  const body = value.subarray(checksumBytes);
  switch (key[0]) {
    case kinds.structure:
      return {
        kind: 'structure',
        structure: structures[body[0]!]!,
        id: body.readUInt32BE(1),
        name: body.toString('utf8', 5),
      };
    case kinds.entry: {
      const typeStart = 12 + body.readUInt16BE(8);
      return {
        kind: 'entry',
        id: key.readUInt32BE(1),
        key: body.toString('utf8', 12, typeStart),
        writtenAt: body.readDoubleBE(0),
        value: valueAt(body, typeStart, body.readUInt16BE(10)),
      };
    }
    case kinds.item:
      return {
        kind: 'item',
        id: key.readUInt32BE(1),
        number: key.readUIntBE(5, 6),
        item: valueAt(body, 2, body.readUInt16BE(0)),
      };
    case kinds.progress:
      return body[0] === format ? { kind: 'progress', sequence: body.readUIntBE(1, 6) } : undefined;
    default:
      return undefined;
  }
}

/** The first bytes of every key that a structure's records have. */
export function prefixOf(structure: StructureKind, id: number): Buffer {
  const prefix = Buffer.allocUnsafe(5);
  prefix[0] = structure === 'map' ? kinds.entry : kinds.item;
  prefix.writeUInt32BE(id, 1);
  return prefix;
}

function valueAt(body: Buffer, typeStart: number, typeBytes: number): StoredValue {
  const bytesStart = typeStart + typeBytes;
  return {
    contentType: body.toString('latin1', typeStart, bytesStart) || undefined,
    bytes: body.subarray(bytesStart),
  };
}

function structureKey(structure: StructureKind, name: string): Buffer {
  return withName(Buffer.of(kinds.structure, structures.indexOf(structure)), name, Buffer.byteLength(name));
}

function entryKey(id: number, key: string, keyBytes: number): Buffer {
  return withName(prefixOf('map', id), key, keyBytes);
}

function itemKey(id: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(11);
  prefixOf('queue', id).copy(key);
  key.writeUIntBE(number, 5, 6);
  return key;
}

/** One byte tells a name from a digest, so that no name can be another one's digest. */
function withName(prefix: Buffer, name: string, nameBytes: number): Buffer {
  const isLong = nameBytes > longestName;
  const key = Buffer.allocUnsafe(prefix.length + 1 + (isLong ? digestBytes : nameBytes));
  prefix.copy(key);
  key[prefix.length] = isLong ? 1 : 0;
  if (isLong)
    createHash('sha256')
      .update(name)
      .digest()
      .copy(key, prefix.length + 1);
  else key.write(name, prefix.length + 1, 'utf8');
  return key;
}

const digestBytes = 32;

export const progressKey = Buffer.of(kinds.progress);

function putBody(key: Buffer, body: Buffer): Operation {
  return operation(operations.put, key, body.length, (into, start) => body.copy(into, start));
}

/** @param write  puts the body of the value into its place */
function operation(
  kind: number,
  key: Buffer,
  bodyBytes = 0,
  write: (into: Buffer, start: number) => void = () => {},
): Operation {
  const checksumStart = headBytes + key.length;
  const bodyStart = checksumStart + checksumBytes;
  const bytes = Buffer.allocUnsafe(bodyStart + bodyBytes);
  bytes[0] = kind;
  bytes.writeUInt16BE(key.length, 1);
  key.copy(bytes, headBytes);
  write(bytes, bodyStart);
  bytes.writeUInt32BE(crc32(bytes.subarray(bodyStart), crc32(key)), checksumStart);
  return bytes;
}
