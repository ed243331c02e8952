import { createHash } from 'node:crypto';
import type { StoredValue } from '../data/values.ts';
import {
  blankOperation,
  checksumBytes,
  complete,
  headBytes,
  isIntact,
  type Operation,
  operationOf,
  operations,
  prefixBytes,
  valueWith,
} from './operations.ts';

/**
 * How the member's data lies in the store: a binary key and a binary value each, the value led by a
 * checksum over key and value, so that a record that was damaged or misplaced is known by itself.
 *
 * | record | key | value after the checksum |
 * |---|---|---|
 * | structure | 0, kind, name | kind, number of the structure (4), name |
 * | map entry | 1, number of the map (4), key | time of writing (8), lengths of key (2) and type (2), both, bytes |
 * | queue item | 2, number of the queue (4), number of the item (6) | length of type (2), type, bytes |
 * | part of the log | 4, the last operation of its commit (6), number in that commit (4) | packed operations |
 * | progress | 5, formerly 3 | format (1), the last operation that the store has (6), the last one that has been merged (6) |
 *
 * The log holds what has been committed since the last merge, and counts for more than the other records.
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
  | { readonly kind: 'progress'; readonly sequence: number; readonly merged: number }
  /** `commit` is the number of the last operation that was committed with these. */
  | { readonly kind: 'log'; readonly commit: number; readonly packed: Buffer };

export type StructureKind = 'map' | 'queue';

const kinds = { structure: 0, entry: 1, item: 2, formerProgress: 3, log: 4, progress: 5 } as const;
const format = 1;
const structures: readonly StructureKind[] = ['map', 'queue'];

/** LMDB takes keys of up to 1,978 bytes. */
const longestName = 1024;

export function putStructure(structure: StructureKind, name: string, id: number): Operation {
  const body = Buffer.alloc(5 + Buffer.byteLength(name));
  body[0] = structures.indexOf(structure);
  body.writeUInt32BE(id, 1);
  body.write(name, 5, 'utf8');
  return operationOf(operations.put, structureKey(structure, name), body);
}

export function removeStructure(structure: StructureKind, name: string): Operation {
  return operationOf(operations.remove, structureKey(structure, name), noBody);
}

export function putEntry(id: number, key: string, value: StoredValue, writtenAt: number): Operation {
  const { contentType = '', bytes } = value;
  const nameBytes = Buffer.byteLength(key);
  const keyBytes = entryKeyBytes(nameBytes);
  const operation = blankOperation(
    operations.put,
    keyBytes,
    12 + nameBytes + contentType.length + bytes.length,
  );
  writeEntryKey(operation, id, key, nameBytes);
  let at = headBytes + keyBytes + checksumBytes;
  at = operation.writeDoubleBE(writtenAt, at);
  at = operation.writeUInt16BE(nameBytes, at);
  at = operation.writeUInt16BE(contentType.length, at);
  at += operation.write(key, at, 'utf8');
  if (contentType !== '') at += operation.write(contentType, at, 'latin1'); // visible ASCII
  bytes.copy(operation, at);
  return complete(operation, keyBytes);
}

export function removeEntry(id: number, key: string): Operation {
  const nameBytes = Buffer.byteLength(key);
  const keyBytes = entryKeyBytes(nameBytes);
  const operation = blankOperation(operations.remove, keyBytes, 0);
  writeEntryKey(operation, id, key, nameBytes);
  return complete(operation, keyBytes);
}

export function putItem(id: number, number: number, item: StoredValue): Operation {
  const { contentType = '', bytes } = item;
  const operation = blankOperation(operations.put, itemKeyBytes, 2 + contentType.length + bytes.length);
  writeItemKey(operation, id, number);
  let at = operation.writeUInt16BE(contentType.length, headBytes + itemKeyBytes + checksumBytes);
  at += operation.write(contentType, at, 'latin1');
  bytes.copy(operation, at);
  return complete(operation, itemKeyBytes);
}

export function removeItem(id: number, number: number): Operation {
  const operation = blankOperation(operations.remove, itemKeyBytes, 0);
  writeItemKey(operation, id, number);
  return complete(operation, itemKeyBytes);
}

/** Removes all records of a structure's number that were written before it. */
export function purge(structure: StructureKind, id: number): Operation {
  return operationOf(operations.purge, prefixOf(structure, id), noBody);
}

/**
 * The value of the record of progress.
 *
 * @param sequence  the last operation that the store has
 * @param merged  the last one that is in no part of the log any more
 */
export function progressValue(sequence: number, merged: number): Buffer {
  const body = Buffer.alloc(13);
  body[0] = format;
  body.writeUIntBE(sequence, 1, 6);
  body.writeUIntBE(merged, 7, 6);
  return valueWith(progressKey, body);
}

export function logKey(commit: number, part: number): Buffer {
  const key = Buffer.allocUnsafe(11);
  key[0] = kinds.log;
  key.writeUIntBE(commit, 1, 6);
  key.writeUInt32BE(part, 7);
  return key;
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
    case kinds.formerProgress:
    case kinds.progress:
      return body[0] === format
        ? {
            kind: 'progress',
            sequence: body.readUIntBE(1, 6),
            merged: body.length < 13 ? 0 : body.readUIntBE(7, 6), // one from before there was a log
          }
        : undefined;
    case kinds.log:
      return { kind: 'log', commit: key.readUIntBE(1, 6), packed: body };
    default:
      return undefined;
  }
}

/** The first bytes of every key that a structure's records have. */
export function prefixOf(structure: StructureKind, id: number): Buffer {
  const prefix = Buffer.allocUnsafe(prefixBytes);
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
  const nameBytes = Buffer.byteLength(name);
  const key = Buffer.alloc(2 + nameKeyBytes(nameBytes));
  key[0] = kinds.structure;
  key[1] = structures.indexOf(structure);
  writeName(key, 2, name, nameBytes);
  return key;
}

function entryKeyBytes(nameBytes: number): number {
  return prefixBytes + nameKeyBytes(nameBytes);
}

function writeEntryKey(operation: Operation, id: number, name: string, nameBytes: number): void {
  operation[headBytes] = kinds.entry;
  operation.writeUInt32BE(id, headBytes + 1);
  writeName(operation, headBytes + prefixBytes, name, nameBytes);
}

function writeItemKey(operation: Operation, id: number, number: number): void {
  operation[headBytes] = kinds.item;
  operation.writeUInt32BE(id, headBytes + 1);
  operation.writeUIntBE(number, headBytes + prefixBytes, 6);
}

const itemKeyBytes = prefixBytes + 6;

/** One byte tells a name from a digest, so that no name can be another one's digest. */
function writeName(into: Buffer, at: number, name: string, nameBytes: number): void {
  const isLong = nameBytes > longestName;
  into[at] = isLong ? 1 : 0;
  if (isLong)
    createHash('sha256')
      .update(name)
      .digest()
      .copy(into, at + 1);
  else into.write(name, at + 1, 'utf8');
}

function nameKeyBytes(nameBytes: number): number {
  return 1 + (nameBytes > longestName ? digestBytes : nameBytes);
}

const digestBytes = 32;
const noBody = Buffer.alloc(0);

/** Behind the log, so that a commit changes the last pages alone. */
export const progressKey = Buffer.of(kinds.progress);
export const formerProgressKey = Buffer.of(kinds.formerProgress);
/** The log lies between this and {@link progressKey}. */
export const logStart = Buffer.of(kinds.log);
