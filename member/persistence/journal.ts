import type { Database, TransactionFlags } from 'lmdb';
import {
  checksumBytes,
  eachOperation,
  headBytes,
  isIntact,
  isWhole,
  type Operation,
  valueWith,
  wholeOperations,
} from './operations.ts';
import { openPrivately } from './private-files.ts';
import { createRoomCheck } from './room.ts';
import { readableEntries } from './store/lmdb-file.ts';

/** Operations that are written together, and their place in the order of all of them. */
export interface Pack {
  /** Number of the first one. */
  readonly first: number;
  readonly count: number;
  /** The operations, packed. */
  readonly bytes: Buffer;
}

/**
 * What has been promised and is not in the store yet. It is written by the system but never flushed: it
 * survives the end of the process at once, at the price of some microseconds, and may be lost when the
 * machine stops. It has two halves, so that one can be written while the other goes into the store.
 *
 * A record is a pack: its key the number of the first operation (6) and their count (4), its value a
 * checksum (4) and the operations. A key of 6 bytes is one operation of a member from before there were packs.
 */
export interface Journal {
  /**
   * Writes all or none.
   *
   * @throws {NoRoomError | Error}
   */
  append(packs: readonly Pack[]): void;
  /** What follows is written to the other half, unless that one has not been cleared yet. */
  turn(): void;
  /** Forgets the half that was turned away from. */
  clearTurned(): void;
  /** Everything in it, in order; `undefined` when some of it is damaged. */
  read(): Pack[] | undefined;
  clear(): void;
  close(): Promise<void>;
}

/** @param directory  one that holds no damaged file: LMDB does not survive those */
export function openJournal(directory: string): Journal {
  const root = openPrivately(directory, { noSync: true, encoding: 'binary', maxDbs: 2 });
  const halves = ['even', 'odd'].map((name) =>
    root.openDB<Buffer, Buffer>(name, { encoding: 'binary', keyEncoding: 'binary' }),
  ) as [Database<Buffer, Buffer>, Database<Buffer, Buffer>];
  const counts = halves.map((half) => half.getKeysCount());
  const checkRoom = createRoomCheck(directory);
  let current = 0;
  const other = () => 1 - current;

  function empty(half: number): void {
    if (counts[half] === 0) return;
    checkRoom(0);
    halves[half]!.clearSync();
    counts[half] = 0;
  }

  return {
    append(packs) {
      if (packs.length === 0) return;
      checkRoom(packs.reduce((sum, { bytes }) => sum + bytes.length, 0));
      const half = halves[current]!;
      root.transactionSync(() => {
        for (const pack of packs) {
          const key = keyOf(pack);
          half.putSync(key, valueWith(key, pack.bytes));
        }
      }, abortableAndSynchronous);
      counts[current]! += packs.length;
    },
    turn() {
      if (counts[other()] === 0) current = other();
    },
    clearTurned: () => empty(other()),
    read() {
      const packs: Pack[] = [];
      for (const half of halves) {
        for (const { key, value } of half.getRange()) {
          const pack = packIn(key, value);
          if (pack === undefined) return undefined;
          packs.push(pack);
        }
      }
      return inOrder(packs);
    },
    clear() {
      empty(0);
      empty(1);
    },
    close: () => root.close(),
  };
}

/** `ABORTABLE | SYNCHRONOUS_COMMIT` of lmdb's TransactionFlags, whose enumeration exists in its types alone. */
const abortableAndSynchronous = 3 as TransactionFlags;

const keyBytes = 10;

function keyOf({ first, count }: Pack): Buffer {
  const key = Buffer.allocUnsafe(keyBytes);
  key.writeUInt32BE(count, key.writeUIntBE(first, 0, 6));
  return key;
}

/** @returns `undefined` when it is damaged */
function packIn(key: Buffer, value: Buffer): Pack | undefined {
  if (key.length === formerKeyBytes) return formerPack(key, value);
  if (key.length !== keyBytes || !isIntact(key, value)) return undefined;
  const bytes = Buffer.from(value.subarray(checksumBytes));
  const isWhole = eachOperation(bytes, () => {});
  return isWhole ? { first: key.readUIntBE(0, 6), count: key.readUInt32BE(6), bytes } : undefined;
}

const formerKeyBytes = 6;
const formerHeadBytes = 3;

/** Formerly the head of an operation was its kind (1) and the length of its key (2). */
function formerPack(key: Buffer, value: Buffer): Pack | undefined {
  const valueBytes =
    value.length - formerHeadBytes - (value.length < formerHeadBytes ? 0 : value.readUInt16BE(1));
  if (valueBytes < checksumBytes) return undefined;
  const operation: Operation = Buffer.alloc(value.length + headBytes - formerHeadBytes);
  value.copy(operation, 0, 0, formerHeadBytes);
  operation.writeUInt32BE(valueBytes, formerHeadBytes);
  value.copy(operation, headBytes, formerHeadBytes);
  return isWhole(operation) ? { first: key.readUIntBE(0, 6), count: 1, bytes: operation } : undefined;
}

/** What can still be read of a damaged journal, in order. */
export function readablePacks(file: string): Pack[] {
  const packs: Pack[] = [];
  readableEntries(file, ({ key, value }) => {
    const pack = packIn(key, value) ?? packOfWhole(key, value);
    if (pack !== undefined) packs.push(pack);
  });
  return inOrder(packs);
}

/** Those operations of a damaged pack that are whole by themselves. */
function packOfWhole(key: Buffer, value: Buffer): Pack | undefined {
  if (key.length !== keyBytes) return undefined;
  const whole = wholeOperations(value.subarray(checksumBytes));
  if (whole.length === 0) return undefined;
  return { first: key.readUIntBE(0, 6), count: key.readUInt32BE(6), bytes: Buffer.concat(whole) };
}

function inOrder(packs: Pack[]): Pack[] {
  return packs.sort((a, b) => a.first - b.first);
}
