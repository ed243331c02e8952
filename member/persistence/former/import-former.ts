/**
 * Reads the data of a member from before there were logs of its own, `node import-former.js <store> <journal> <to>`, and
 * writes it as a log. Its store and its journal were environments of LMDB: records, each led by a checksum over key and
 * rest, and operations on them that were to come after.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Database, open } from 'lmdb';
import type { Change } from '../../data/changes.ts';
import { operationOf } from '../operations.ts';
import { makePrivateDirectory } from '../private-files.ts';
import { writeOperations } from '../state.ts';

const [store, journal, to] = process.argv.slice(2) as [string, string, string];
const kinds = { structure: 0, entry: 1, item: 2, progress: [3, 5], log: 4 };
const operations = { put: 1, remove: 2, purge: 3 };
const checksumBytes = 4;

/** By key, one latin1 character for each byte: so they sort as the keys do. */
const records = new Map<string, Buffer>();
const later: { readonly first: number; readonly packed: Buffer }[] = [];
let [stored, merged] = [0, 0];

readStore();
if (existsSync(join(journal, 'data.mdb'))) readJournal();
for (const { packed } of later.sort((a, b) => a.first - b.first)) apply(packed);
makePrivateDirectory(to);
await writeOperations(join(to, '0000000001.log'), changes());

function readStore(): void {
  const database = open<Buffer, Buffer>({ path: store, noSubdir: false, readOnly: true, ...binary() });
  const logs: { readonly first: number; readonly packed: Buffer }[] = [];
  for (const { key, value } of database.getRange()) {
    const body = intact(key, value);
    if (kinds.progress.includes(key[0]!)) {
      [stored, merged] = [body.readUIntBE(1, 6), body.length < 13 ? 0 : body.readUIntBE(7, 6)];
    } else if (key[0] === kinds.log) logs.push({ first: key.readUIntBE(1, 6), packed: Buffer.from(body) });
    else records.set(key.toString('latin1'), Buffer.from(body));
  }
  for (const log of logs) {
    stored = Math.max(stored, log.first);
    if (log.first > merged) apply(log.packed);
  }
}

/** What the store has not yet: packs, and before there were those single operations with a shorter head. */
function readJournal(): void {
  const root = open<Buffer, Buffer>({
    path: journal,
    noSubdir: false,
    readOnly: true,
    maxDbs: 2,
    ...binary(),
  });
  for (const name of ['even', 'odd']) {
    const half: Database<Buffer, Buffer> | undefined = root.openDB({ name, ...binary() });
    for (const { key, value } of half?.getRange() ?? []) {
      const first = key.readUIntBE(0, 6);
      if (first <= stored) continue;
      const packed = key.length === 6 ? withLength(Buffer.from(value)) : Buffer.from(intact(key, value));
      later.push({ first, packed });
    }
  }
}

function withLength(operation: Buffer): Buffer {
  const valueBytes = Buffer.alloc(4);
  valueBytes.writeUInt32BE(operation.length - 3 - operation.readUInt16BE(1));
  return Buffer.concat([operation.subarray(0, 3), valueBytes, operation.subarray(3)]);
}

/** Kind (1), lengths of key (2) and value (4), both; one behind the other. */
function apply(packed: Buffer): void {
  for (let at = 0; at < packed.length; ) {
    const keyEnd = at + 7 + packed.readUInt16BE(at + 1);
    const end = keyEnd + packed.readUInt32BE(at + 3);
    const key = packed.subarray(at + 7, keyEnd);
    const body = intact(key, packed.subarray(keyEnd, end));
    const name = key.toString('latin1');
    if (packed[at] === operations.put) records.set(name, body);
    else if (packed[at] === operations.remove) records.delete(name);
    else if (packed[at] === operations.purge) {
      for (const each of records.keys()) if (each.startsWith(name)) records.delete(each);
    }
    at = end;
  }
}

/** @throws {RangeError} for what is damaged */
function intact(key: Buffer, value: Buffer): Buffer {
  const body = value.subarray(checksumBytes);
  if (value.readUInt32BE(0) !== crc32(body, crc32(key))) throw new RangeError('a record is damaged');
  return body;
}

/** Structures come first, by the order of the keys; what belongs to none was to be removed. */
function* changes() {
  const names = new Map<string, string>();
  for (const key of [...records.keys()].sort()) {
    const body = records.get(key)!;
    const [kind, id] = [key.charCodeAt(0), Buffer.from(key.slice(1, 5), 'latin1').toString('hex')];
    if (kind === kinds.structure) {
      names.set(`${body[0]}${body.toString('hex', 1, 5)}`, body.toString('utf8', 5));
      continue;
    }
    const name = names.get(`${kind === kinds.entry ? 0 : 1}${id}`);
    if (name !== undefined)
      yield operationOf(kind === kinds.entry ? put(name, body) : offer(name, key, body));
  }
}

function put(map: string, body: Buffer): Change {
  const typeStart = 12 + body.readUInt16BE(8);
  const value = valueAt(body, typeStart, body.readUInt16BE(10));
  return {
    kind: 'put',
    map,
    key: body.toString('utf8', 12, typeStart),
    value,
    writtenAt: body.readDoubleBE(0),
  };
}

function offer(queue: string, key: string, body: Buffer): Change {
  const number = Buffer.from(key, 'latin1').readUIntBE(5, 6);
  return { kind: 'offer', queue, number, item: valueAt(body, 2, body.readUInt16BE(0)) };
}

function valueAt(body: Buffer, typeStart: number, typeBytes: number) {
  const start = typeStart + typeBytes;
  return { contentType: body.toString('latin1', typeStart, start) || undefined, bytes: body.subarray(start) };
}

function binary() {
  return { encoding: 'binary', keyEncoding: 'binary' } as const;
}
