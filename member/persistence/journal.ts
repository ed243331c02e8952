import { mkdirSync } from 'node:fs';
import { type Database, open, type TransactionFlags } from 'lmdb';
import { readableEntries } from './lmdb-file.ts';
import { isIntact, type Operation, operations, partsOf } from './records.ts';
import { createRoomCheck } from './room.ts';

/** An operation and its place in the order of all of them. */
export interface Numbered {
  readonly sequence: number;
  readonly operation: Operation;
}

/**
 * What has been promised and is not in the store yet. It is written by the system but never flushed: it
 * survives the end of the process at once, at the price of some microseconds, and may be lost when the
 * machine stops. It has two halves, so that one can be written while the other goes into the store.
 */
export interface Journal {
  /**
   * Writes all or none.
   *
   * @throws {NoRoomError | Error}
   */
  append(entries: readonly Numbered[]): void;
  /** What follows is written to the other half, unless that one has not been cleared yet. */
  turn(): void;
  /** Forgets the half that was turned away from. */
  clearTurned(): void;
  /** Everything in it, in order; `undefined` when an entry is damaged. */
  read(): Numbered[] | undefined;
  clear(): void;
  close(): Promise<void>;
}

/** @param directory  one that holds no damaged file: LMDB does not survive those */
export function openJournal(directory: string): Journal {
  mkdirSync(directory, { recursive: true });
  const root = open({ path: directory, noSubdir: false, noSync: true, encoding: 'binary', maxDbs: 2 });
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
    append(entries) {
      if (entries.length === 0) return;
      checkRoom(entries.reduce((sum, { operation }) => sum + operation.length, 0));
      const half = halves[current]!;
      root.transactionSync(() => {
        for (const { sequence, operation } of entries) half.putSync(sequenceKey(sequence), operation);
      }, abortableAndSynchronous);
      counts[current]! += entries.length;
    },
    turn() {
      if (counts[other()] === 0) current = other();
    },
    clearTurned: () => empty(other()),
    read() {
      const entries: Numbered[] = [];
      for (const half of halves) {
        for (const { key, value } of half.getRange()) {
          if (!isWhole(value)) return undefined;
          entries.push({ sequence: key.readUIntBE(0, 6), operation: Buffer.from(value) });
        }
      }
      return entries.sort((a, b) => a.sequence - b.sequence);
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

function sequenceKey(sequence: number): Buffer {
  const key = Buffer.allocUnsafe(6);
  key.writeUIntBE(sequence, 0, 6);
  return key;
}

function isWhole(operation: Buffer): boolean {
  if (operation.length < 3 || operation.length < 3 + operation.readUInt16BE(1)) return false;
  const { kind, key, value } = partsOf(operation);
  return isIntact(key, value) && Object.values<number>(operations).includes(kind);
}

/** What can still be read of a damaged journal, in order. */
export function readableOperations(file: string): Numbered[] {
  const entries: Numbered[] = [];
  readableEntries(file, ({ key, value }) => {
    if (key.length === 6 && isWhole(value))
      entries.push({ sequence: key.readUIntBE(0, 6), operation: value });
  });
  return entries.sort((a, b) => a.sequence - b.sequence);
}
