import type { RootDatabase, TransactionFlags } from 'lmdb';
import { openPrivately } from '../private-files.ts';

/** The LMDB environment of the store. Its commits are in LMDB's own order (pages, flush, head, flush). */
export type StoreFile = RootDatabase<Buffer, Buffer>;

export interface KeyAndValue {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** `ABORTABLE | SYNCHRONOUS_COMMIT` of lmdb's TransactionFlags, whose enumeration exists in its types alone. */
export const abortableAndSynchronous = 3 as TransactionFlags;

/** What one step of long work takes at most: some milliseconds, during which commits wait. */
export const stepRecords = 2000;
export const stepBytes = 1024 * 1024;

export function openStoreFile(directory: string): StoreFile {
  return openPrivately(directory, {
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
  });
}

/** The records of one step, from the front of `range`; at least one, unless there is none. */
export function takeStep(range: Iterable<KeyAndValue>): KeyAndValue[] {
  const records: KeyAndValue[] = [];
  let bytes = 0;
  for (const { key, value } of range) {
    records.push({ key: Buffer.from(key), value });
    bytes += key.length + value.length;
    if (records.length >= stepRecords || bytes >= stepBytes) break;
  }
  return records;
}

export function bytesOf(records: readonly KeyAndValue[]): number {
  return records.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
}

/** Lets what has come meanwhile go first. */
export function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
