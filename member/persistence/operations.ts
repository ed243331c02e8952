import { crc32 } from 'node:zlib';

/**
 * What is done to one record, as bytes: kind (1), lengths of key (2) and value (4), both. The value
 * begins with a checksum over the key and what follows it, so that an operation that was damaged is known by
 * itself. Operations that follow one another without a gap are packed.
 */
export type Operation = Buffer;

/** A purge removes all records whose key begins with its key, as far as they were written before it. */
export const operations = { put: 1, remove: 2, purge: 3 } as const;

export const checksumBytes = 4;
/** Before the key. */
export const headBytes = 7;

/** An operation whose key and body are to be filled in, and then completed by {@link complete}. */
export function blankOperation(kind: number, keyBytes: number, bodyBytes: number): Operation {
  const operation = Buffer.allocUnsafe(headBytes + keyBytes + checksumBytes + bodyBytes);
  operation[0] = kind;
  operation.writeUInt16BE(keyBytes, 1);
  operation.writeUInt32BE(checksumBytes + bodyBytes, 3);
  return operation;
}

/** Writes the checksum of an operation whose key has that many bytes. */
export function complete(operation: Operation, keyBytes: number): Operation {
  const keyEnd = headBytes + keyBytes;
  operation.writeUInt32BE(checksumOf(operation.subarray(headBytes, keyEnd), operation, keyEnd), keyEnd);
  return operation;
}

/** @param value  one that begins with a checksum at `start` */
function checksumOf(key: Buffer, value: Buffer, start = 0): number {
  return crc32(value.subarray(start + checksumBytes), crc32(key));
}

export function operationOf(kind: number, key: Buffer, body: Buffer): Operation {
  const operation = blankOperation(kind, key.length, body.length);
  key.copy(operation, headBytes);
  body.copy(operation, headBytes + key.length + checksumBytes);
  return complete(operation, key.length);
}

export function keyOf(operation: Operation): Buffer {
  return operation.subarray(headBytes, headBytes + operation.readUInt16BE(1));
}

/** The value of a record that was put. */
export function recordValue(operation: Operation): Buffer {
  return operation.subarray(headBytes + operation.readUInt16BE(1));
}

/** Whether key and value are as they were written. */
export function isIntact(key: Buffer, value: Buffer): boolean {
  return value.length >= checksumBytes && value.readUInt32BE(0) === checksumOf(key, value);
}

/** The value of a record: a checksum over key and body, and the body. */
export function valueWith(key: Buffer, body: Buffer): Buffer {
  const value = Buffer.allocUnsafe(checksumBytes + body.length);
  body.copy(value, checksumBytes);
  value.writeUInt32BE(checksumOf(key, value), 0);
  return value;
}

/** Where the operation ends that begins at `at`; `undefined` when what is there is none. */
export function endOf(packed: Buffer, at: number): number | undefined {
  if (at + headBytes > packed.length) return undefined;
  const end = at + headBytes + packed.readUInt16BE(at + 1) + packed.readUInt32BE(at + 3);
  return end > packed.length ? undefined : end;
}

/** @returns whether it was whole to its end */
export function eachOperation(packed: Buffer, visit: (operation: Operation) => void): boolean {
  for (let at = 0; at < packed.length; ) {
    const end = endOf(packed, at);
    if (end === undefined) return false;
    visit(packed.subarray(at, end));
    at = end;
  }
  return true;
}

/** Whether the operation at `at` is on the record of a structure itself. */
export function isOfStructure(packed: Buffer, at: number): boolean {
  return packed[at + headBytes] === 0;
}

/** What of damaged packed operations is whole by itself, up to where they cannot be told apart any more. */
export function wholeOperations(packed: Buffer): Operation[] {
  const whole: Operation[] = [];
  eachOperation(packed, (operation) => {
    if (isWhole(operation)) whole.push(operation);
  });
  return whole;
}

/** The kind has no part in the checksum: only a put has a body, and only a purge a key of its length. */
export function isWhole(operation: Operation): boolean {
  const [key, value] = [keyOf(operation), recordValue(operation)];
  if (!isIntact(key, value)) return false;
  const hasBody = value.length > checksumBytes;
  switch (operation[0]) {
    case operations.put:
      return hasBody;
    case operations.remove:
      return !hasBody && key.length !== prefixBytes;
    case operations.purge:
      return !hasBody && key.length === prefixBytes;
    default:
      return false;
  }
}

/** The first bytes of the key of an entry or item: the kind of record, and the number of what holds it. */
export const prefixBytes = 5;
