import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { open } from 'lmdb';

/**
 * Files as a member wrote them before its store had a log and its journal packs: each entry is a record of
 * its own. They are opened still; and what a merge leaves is the same.
 */
export async function writeFormerStore(baseDir: string, entries: ReadonlyMap<string, string>): Promise<void> {
  const directory = join(baseDir, 'store');
  mkdirSync(directory, { recursive: true });
  const store = open<Buffer, Buffer>({ path: directory, noSubdir: false, ...binary });
  store.transactionSync(() => {
    const put = (key: Buffer, body: Buffer) => store.putSync(key, withChecksum(key, body));
    put(Buffer.from('\0\0\0m', 'latin1'), Buffer.from('\0\0\0\0\u0001m', 'latin1'));
    for (const [key, value] of entries) put(entryKey(key), entryBody(key, value));
    put(Buffer.of(3), Buffer.of(1, ...number(lastStored, 6)));
  });
  await store.close();
}

/** Puts, or removals of keys without a value, that came after all that is in the store. */
export async function writeFormerJournal(
  baseDir: string,
  changes: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  const directory = join(baseDir, 'journal');
  mkdirSync(directory, { recursive: true });
  const journal = open({ path: directory, noSubdir: false, encoding: 'binary', maxDbs: 2 });
  const half = journal.openDB<Buffer, Buffer>('odd', binary);
  let sequence = lastStored;
  for (const [name, value] of changes) {
    sequence += 1;
    const key = entryKey(name);
    const body = value === undefined ? Buffer.alloc(0) : entryBody(name, value);
    const head = Buffer.of(value === undefined ? 2 : 1, ...number(key.length, 2));
    half.putSync(number(sequence, 6), Buffer.concat([head, key, withChecksum(key, body)]));
  }
  await journal.close();
}

const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;
const lastStored = 70_000;

function entryKey(key: string): Buffer {
  return Buffer.from(`\u0001\0\0\0\u0001\0${key}`, 'latin1');
}

function entryBody(key: string, value: string): Buffer {
  const writtenAt = Buffer.alloc(8);
  writtenAt.writeDoubleBE(Date.now());
  return Buffer.concat([writtenAt, number(key.length, 2), number(0, 2), Buffer.from(key + value)]);
}

function withChecksum(key: Buffer, body: Buffer): Buffer {
  return Buffer.concat([number(crc32(body, crc32(key)), 4), body]);
}

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}
