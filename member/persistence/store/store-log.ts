import {
  endOf,
  isOfStructure,
  keyOf,
  type Operation,
  operations,
  recordValue,
  valueWith,
} from '../operations.ts';
import { createOverlay, type Overlay } from '../overlay.ts';
import { formerProgressKey, logKey, logStart, progressKey, progressValue, readRecord } from '../records.ts';
import { abortableAndSynchronous, otherWork, type StoreFile, stepRecords } from './store-file.ts';

/**
 * What has been committed and is not in its place among the records yet: parts of packed operations, one
 * behind the other at the end of the file. To put each of them in its place at once would copy a page
 * of the tree for each.
 */
export interface StoreLog {
  /** Of its parts together. */
  readonly bytes: number;
  /** Number of the last operation that has been committed. */
  readonly sequence: number;
  /**
   * Appends packed operations in one transaction.
   *
   * @param sequence  number of the last of them, greater than any before
   * @returns the prefixes that they purge
   */
  commit(packed: Buffer, sequence: number): Buffer[];
  /**
   * Reads its first commits, until they have `most` bytes together.
   *
   * @param more  packed operations that come after them
   * @throws {DamagedLogError}
   */
  take(most: number, more?: Buffer): Promise<Taken>;
  /**
   * Removes some of what was taken and is among the records now, the oldest first.
   *
   * @param from  how many of its parts have been removed
   * @returns the same afterwards
   */
  drop(taken: Taken, from: number): number;
}

export interface Taken {
  readonly overlay: Overlay;
  /** The bytes of each part. */
  readonly sizes: readonly number[];
  /** The number of the last commit that was read. */
  readonly commit: number;
}

/** A part of the log is not as it was written. */
export class DamagedLogError extends Error {
  override readonly name = 'DamagedLogError';

  constructor(message = 'a part of its log is damaged') {
    super(message);
  }
}

/**
 * Two parts fill a leaf page of LMDB, so that a damaged page costs no more than these; an operation that is larger
 * by itself has pages of its own.
 */
const chunkBytes = 2000;
const chunksPerStep = 500;

/** @throws {DamagedLogError} when the record of progress cannot be read */
export function createStoreLog(store: StoreFile, isClosing: () => boolean): StoreLog {
  const progress = readProgress(store);
  let { sequence, merged } = progress;
  let bytes = 0;
  for (const { value } of store.getRange({ start: logStart, end: progressKey })) bytes += value.length;

  function keysAfter(key: Buffer): Buffer[] {
    store.resetReadTxn();
    const range = { start: key, exclusiveStart: true, end: progressKey, limit: chunksPerStep };
    return [...store.getKeys(range)].map((each) => Buffer.from(each));
  }

  /** Its operations are to be copied before anything else is read. */
  function readChunk(key: Buffer): { commit: number; packed: Buffer; bytes: number } {
    const shared = store.getBinaryFast(key);
    const value = shared?.subarray(0, shared.length);
    const part = value && readRecord(key, value);
    if (part?.kind !== 'log') throw new DamagedLogError();
    return { commit: part.commit, packed: part.packed, bytes: value!.length };
  }

  return {
    get bytes() {
      return bytes;
    },
    get sequence() {
      return sequence;
    },

    commit(packed, last) {
      const { parts, named, purged } = cut(packed);
      const records = parts.map((part, at) => {
        const key = logKey(last, at);
        return { key, value: valueWith(key, part) };
      });
      store.transactionSync(() => {
        for (const { key, value } of records) store.putSync(key, value);
        for (const operation of named) store.putSync(keyOf(operation), recordValue(operation));
        store.putSync(progressKey, progressValue(last, merged));
      }, abortableAndSynchronous);
      sequence = last;
      for (const { value } of records) bytes += value.length;
      return purged;
    },

    async take(most, more = Buffer.alloc(0)) {
      const overlay = createOverlay(Math.min(bytes, most) + more.length);
      const sizes: number[] = [];
      let taken = 0;
      let last: { key: Buffer; commit: number } = { key: logStart, commit: 0 };
      for (let keys = keysAfter(last.key); keys.length > 0; keys = keysAfter(last.key)) {
        for (const key of keys) {
          const part = readChunk(key);
          if (taken >= most && part.commit > last.commit) return { overlay, sizes, commit: last.commit };
          if (!overlay.add(part.packed)) throw new DamagedLogError();
          sizes.push(part.bytes);
          taken += part.bytes;
          last = { key, commit: part.commit };
        }
        await otherWork();
        if (isClosing()) throw new Error('the store is being closed');
      }
      if (!overlay.add(more)) throw new DamagedLogError();
      return { overlay, sizes, commit: last.commit };
    },

    drop({ sizes, commit }, from) {
      store.resetReadTxn();
      const range = { start: logStart, end: logKey(commit + 1, 0), limit: stepRecords };
      const keys = [...store.getKeys(range)].map((key) => Buffer.from(key));
      store.transactionSync(() => {
        for (const key of keys) store.removeSync(key);
        store.putSync(progressKey, progressValue(sequence, commit));
      }, abortableAndSynchronous);
      merged = commit;
      for (const size of sizes.slice(from, from + keys.length)) bytes -= size;
      return from + keys.length;
    },
  };
}

/** The parts of the log know by themselves how far they go, should the record be lost. */
function readProgress(store: StoreFile): Progress {
  const progress = progressIn(store);
  const [lastKey] = store.getKeys({ start: logEnd, end: logStart, reverse: true, limit: 1 });
  return { ...progress, sequence: Math.max(progress.sequence, lastKey?.readUIntBE(1, 6) ?? 0) };
}

export interface Progress {
  /** The last operation that was committed. */
  readonly sequence: number;
  /** The last one that is in the log no more. */
  readonly merged: number;
}

/** @throws {DamagedLogError} */
export function progressIn(store: StoreFile): Progress {
  const key = store.doesExist(progressKey) ? progressKey : formerProgressKey;
  const value = store.get(key);
  if (value === undefined) return { sequence: 0, merged: 0 };
  const progress = readRecord(key, value);
  if (progress?.kind !== 'progress') throw new DamagedLogError('its progress record is damaged');
  return progress;
}

const logEnd = logKey(2 ** 48 - 1, 0xffff_ffff);

interface Cut {
  readonly parts: readonly Buffer[];
  /** Puts of structures: all of their entries hang on these records, so they are in two places from the start. */
  readonly named: readonly Operation[];
  readonly purged: Buffer[];
}

function cut(packed: Buffer): Cut {
  const parts: Buffer[] = [];
  const named: Operation[] = [];
  const purged: Buffer[] = [];
  let start = 0;
  for (let at = 0; at < packed.length; ) {
    const end = endOf(packed, at)!;
    if (end - start > chunkBytes && at > start) {
      parts.push(packed.subarray(start, at));
      start = at;
    }
    if (packed[at] === operations.purge) purged.push(Buffer.from(keyOf(packed.subarray(at, end))));
    else if (isOfStructure(packed, at) && packed[at] === operations.put) named.push(packed.subarray(at, end));
    at = end;
  }
  parts.push(packed.subarray(start));
  return { parts, named, purged };
}
