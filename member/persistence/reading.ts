import { keyOf, type Operation, operations, recordValue } from './operations.ts';
import type { Overlay } from './overlay.ts';
import { logStart } from './records.ts';
import { type StoreFile, stepBytes } from './store/store-file.ts';

/** Reads all records as an overlay leaves them, in the order of their keys, some at a time. */
export interface Reading {
  /** The next ones: lengths of key (2) and value (4), both; none at the end. */
  next(): Uint8Array<ArrayBuffer>;
}

export function createReading(store: StoreFile, overlay: Overlay): Reading {
  const over = [...overlay.inOrder()];
  let at = 0;
  /** The last key of the store that has been passed. */
  let passed: Buffer | undefined;

  function takeOver(into: Records): void {
    const operation: Operation = over[at]!;
    if (operation[0] === operations.put) into.add(keyOf(operation), recordValue(operation));
    at += 1;
  }

  return {
    next() {
      const records = createRecords();
      store.resetReadTxn();
      const from = passed === undefined ? {} : { start: passed, exclusiveStart: true };
      for (const { key, value } of store.getRange({ ...from, end: logStart })) {
        let order = 1;
        for (; at < over.length; takeOver(records)) {
          order = Buffer.compare(keyOf(over[at]!), key);
          if (order >= 0) break;
          if (records.isFull) return records.taken();
        }
        if (at < over.length && order === 0) takeOver(records);
        else if (!overlay.isPurged(key)) records.add(key, value);
        passed = Buffer.from(key);
        if (records.isFull) return records.taken();
      }
      while (at < over.length && !records.isFull) takeOver(records);
      return records.taken();
    },
  };
}

interface Records {
  readonly isFull: boolean;
  add(key: Buffer, value: Buffer): void;
  taken(): Uint8Array<ArrayBuffer>;
}

function createRecords(): Records {
  let bytes = Buffer.from(new ArrayBuffer(stepBytes + 64 * 1024));
  let length = 0;

  function grow(least: number): void {
    const larger = Buffer.from(new ArrayBuffer(2 * least));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  }

  return {
    get isFull() {
      return length >= stepBytes;
    },
    add(key, value) {
      const end = length + 6 + key.length + value.length;
      if (end > bytes.length) grow(end);
      bytes.writeUInt16BE(key.length, length);
      bytes.writeUInt32BE(value.length, length + 2);
      key.copy(bytes, length + 6);
      value.copy(bytes, length + 6 + key.length);
      length = end;
    },
    taken: () => new Uint8Array(bytes.buffer, 0, length),
  };
}
