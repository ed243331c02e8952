import { countKeysOf, indexKeysOf, recordKey } from '../../engine/record-indexes.ts';
import type { GrowingCollection, GrowingRecords } from '../../record-store.ts';
import type { LmdbDatabase, LmdbKey } from './lmdb-environment.ts';
import { type RecordDatabases, type StoredRecord, sequenceKey } from './record-databases.ts';

/**
 * Writes records that are not there yet, in the transaction that is under way: each count once for all of them.
 *
 * @param isFree  asked for each when those before it are written; the others are left out
 */
export function putNewRecords<C extends GrowingCollection>(
  { index, meta, ...collections }: RecordDatabases,
  collection: C,
  records: readonly GrowingRecords[C][],
  isFree: (record: GrowingRecords[C]) => boolean = () => true,
): void {
  const version = (meta.get(sequenceKey) ?? 0) + 1;
  const counts = new Map<string, { readonly key: LmdbKey; count: number }>();
  const target = collections[collection] as LmdbDatabase<StoredRecord<GrowingRecords[C]>>;
  for (const record of records) {
    if (!isFree(record)) continue;
    target.put(recordKey(record.id), { version, record });
    for (const key of indexKeysOf(collection, record)) index.put(key, true);
    for (const key of countKeysOf(collection, record)) countIn(counts, key);
  }
  for (const { key, count } of counts.values()) meta.put(key, (meta.get(key) ?? 0) + count);
  meta.put(sequenceKey, version);
}

function countIn(counts: Map<string, { readonly key: LmdbKey; count: number }>, key: LmdbKey): void {
  const name = key.join('\0');
  const found = counts.get(name) ?? { key, count: 0 };
  found.count++;
  counts.set(name, found);
}
