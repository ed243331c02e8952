/**
 * The index of the audit, in LMDB: which blocks of a writer have entries of a term, and where each block stands. All of
 * it can be made anew from the files, so whatever is wrong with it is a reason to drop it.
 */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open } from 'lmdb';
import { findLmdbFileCorruption } from '../../../platform/files/lmdb-file-check.ts';
import { stretchBlocks, withBlocks, withoutBlock } from './posting.ts';

/** How far a writer is indexed, and what there is of it. */
export interface WriterRow {
  readonly id: number;
  /** The last entry in the index. */
  readonly seq: number;
  /** What stands before its line: what was written until then is the same as long as this is. */
  readonly link: string;
  /** The latest time of an entry until then. */
  readonly latest: number;
  /** So far a clock has gone back, milliseconds. */
  readonly mostBack: number;
  /** Of the first entry that is still there. */
  readonly firstSeq: number;
  /** Absent in what an earlier version has written, which knew nothing of changes. */
  readonly changes?: KnownChanges;
}

/** Of which blocks the index knows whether something was changed there. */
export interface KnownChanges {
  /** The first such block. */
  readonly from: number;
  /** The last entry then: where an earlier version has gone on, its entries are behind this one. */
  readonly until: number;
}

export interface BlockRow {
  readonly segment: number;
  /** Of its first line, where the segment is open: a closed one has a table. */
  readonly offset: number;
  /** The latest time of an entry before it. */
  readonly latest: number;
}

export interface IndexChanges {
  readonly name: string;
  readonly row: WriterRow;
  readonly blocks: ReadonlyMap<number, BlockRow>;
  /** Blocks by term, rising. */
  readonly terms: ReadonlyMap<string, readonly number[]>;
}

export type IndexStore = ReturnType<typeof openIndexStore>;

/** Another one is made anew. */
const form = 'audit index 2';
const mostRemovals = 5000;

/** @param directory  of the index alone */
export function openIndexStore(directory: string) {
  let database = openWhole(directory);

  return {
    writers(): ReadonlyMap<string, WriterRow> {
      const rows = database.getRange({ start: Buffer.from('w'), end: Buffer.from('x') });
      return new Map([...rows].map(({ key, value }) => [key.toString('utf8', 1), JSON.parse(String(value))]));
    },
    block(writer: number, block: number): BlockRow | undefined {
      const bytes = database.get(blockKey(writer, block));
      if (!bytes) return undefined;
      return {
        segment: bytes.readUInt32LE(0),
        offset: bytes.readDoubleLE(4),
        latest: bytes.readDoubleLE(12),
      };
    },
    posting: (writer: number, stretch: number, term: string): Buffer | undefined =>
      database.get(termKey(writer, stretch, term)),
    /** In one transaction; it is on the disk when the promise resolves. */
    async add({ name, row, blocks, terms }: IndexChanges): Promise<void> {
      await database.transaction(() => {
        for (const [term, all] of terms) {
          for (const [stretch, own] of inStretches(all)) {
            const key = termKey(row.id, stretch, term);
            database.put(key, withBlocks(database.get(key), own));
          }
        }
        for (const [block, { segment, offset, latest }] of blocks) {
          const bytes = Buffer.alloc(20);
          bytes.writeUInt32LE(segment, 0);
          bytes.writeDoubleLE(offset, 4);
          bytes.writeDoubleLE(latest, 12);
          database.put(blockKey(row.id, block), bytes);
        }
        database.put(Buffer.from(`w${name}`), Buffer.from(JSON.stringify(row)));
      });
    },
    /** Nothing says any more that the block has entries of these terms; it is on the disk when the promise resolves. */
    async forget(writer: number, block: number, terms: readonly string[]): Promise<void> {
      const stretch = Math.floor(block / stretchBlocks);
      await database.transaction(() => {
        for (const term of terms) {
          const key = termKey(writer, stretch, term);
          const posting = database.get(key);
          const left = posting && withoutBlock(posting, block % stretchBlocks);
          if (left && left.length > 0) database.put(key, left);
          else if (left) database.remove(key);
        }
      });
    },
    /**
     * Some of what is of blocks before `block`, which are there no more.
     *
     * @returns whether that was all
     */
    async removeBefore(writer: number, block: number): Promise<boolean> {
      const stretch = Math.floor(block / stretchBlocks);
      const ranges = [
        { start: blockKey(writer, 0), end: blockKey(writer, block) },
        { start: stretchKey(writer, 0), end: stretchKey(writer, stretch) },
      ];
      let left = mostRemovals;
      await database.transaction(() => {
        for (const range of ranges) {
          const keys = [...database.getKeys({ ...range, limit: left })];
          for (const key of keys) database.remove(key);
          left -= keys.length;
        }
      });
      return left > 0;
    },
    /** All of it. */
    async drop(): Promise<void> {
      await database.close();
      rmSync(directory, { recursive: true, force: true });
      database = openWhole(directory);
    },
    close: () => database.close(),
  };
}

type Bytes = Database<Buffer, Buffer>;

function openWhole(directory: string): Bytes {
  try {
    const database = openFiles(directory);
    const found = database.get(Buffer.from('f'));
    if (String(found) === form) return database;
    if (found === undefined && database.getKeysCount({ limit: 1 }) === 0) {
      database.putSync(Buffer.from('f'), Buffer.from(form));
      return database;
    }
    database.close();
  } catch {
    // Not one that can be opened.
  }
  rmSync(directory, { recursive: true, force: true });
  const database = openFiles(directory);
  database.putSync(Buffer.from('f'), Buffer.from(form));
  return database;
}

/** What is not of LMDB's form, or cut, would end the process. */
function openFiles(directory: string): Bytes {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'data.mdb');
  if (existsSync(file) && findLmdbFileCorruption(file)) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { mode: 0o700 });
  }
  return open<Buffer, Buffer>({
    path: directory,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
  });
}

/** By numbers within each. */
function inStretches(blocks: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const stretches = new Map<number, number[]>();
  for (const block of blocks) {
    const stretch = Math.floor(block / stretchBlocks);
    const own = stretches.get(stretch);
    if (own) own.push(block % stretchBlocks);
    else stretches.set(stretch, [block % stretchBlocks]);
  }
  return stretches;
}

function blockKey(writer: number, block: number): Buffer {
  const key = Buffer.alloc(7);
  key.write('b');
  key.writeUInt16BE(writer, 1);
  key.writeUInt32BE(block, 3);
  return key;
}

function stretchKey(writer: number, stretch: number): Buffer {
  const key = Buffer.alloc(5);
  key.write('t');
  key.writeUInt16BE(writer, 1);
  key.writeUInt16BE(stretch, 3);
  return key;
}

/** Two terms of one key cost a look at a block, no more: entries are checked themselves. */
function termKey(writer: number, stretch: number, term: string): Buffer {
  const key = Buffer.allocUnsafe(12);
  key[0] = 0x74;
  key.writeUInt16BE(writer, 1);
  key.writeUInt16BE(stretch, 3);
  hash('sha1', term, 'buffer').copy(key, 5, 0, 7);
  return key;
}
