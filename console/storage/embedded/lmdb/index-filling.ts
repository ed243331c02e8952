/**
 * Entries of indexes for records that were written before there was such an entry. They are filled in behind a console
 * that answers already; until that is done nobody relies on them, and a change takes away only what is there.
 *
 * To add an index: raise {@link generation}, and name its entries in {@link laterEntries} with it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { countKeysOf, indexKeysOf, laterEntries } from '../../engine/record-indexes.ts';
import { type GrowingCollection, growingCollections } from '../../record-store.ts';
import type { Environment, LmdbKey } from './lmdb-environment.ts';
import { wholeRecord } from './record-codec.ts';
import {
  openRecordDatabases,
  type RecordDatabases,
  type StoredRecord,
  sequenceKey,
} from './record-databases.ts';

/** Of the entries that records have. */
const generation = 2;
/** Of `record-meta`: the generation that every record has. */
const filledKey: LmdbKey = ['filled'];
/** Of `store`: how far it has come. */
const placeKey: LmdbKey = ['filling'];

/** Entries that are read in one go, so that others come in between. */
const sliceSize = 50;
const restMs = 10;
/** Where nothing is missing, its place is written down so seldom. */
const slicesPerPlace = 2000;

interface Place {
  /** Of the run: one of an earlier version has passed over what it did not know. */
  readonly generation?: number;
  readonly collection: GrowingCollection;
  readonly key: LmdbKey;
}

/** Whether a store that is filled so far may lack it. */
function isLaterEntry([name]: LmdbKey, filled: number): boolean {
  return (laterEntries[String(name)] ?? 0) > filled;
}

/** The generation of entries that every record has. */
export function filledGeneration({ meta }: Pick<RecordDatabases, 'meta'>): number {
  return meta.get(filledKey) ?? 0;
}

/** Of a store without records. */
export async function recordIndexesFilled(environment: Environment): Promise<void> {
  const { meta } = openRecordDatabases(environment);
  await environment.write(() => meta.put(filledKey, generation));
}

export interface RecordKeys {
  readonly index: readonly LmdbKey[];
  readonly counts: readonly LmdbKey[];
}

/**
 * What there is of the keys of a record. A count that belongs to a later entry goes by that entry: both are written
 * together.
 */
export function presentKeys(
  databases: Pick<RecordDatabases, 'index' | 'meta'>,
  keys: RecordKeys,
): RecordKeys {
  const filled = filledGeneration(databases);
  if (filled >= generation) return keys;
  const index = keys.index.filter((key) => !isLaterEntry(key, filled) || databases.index.has(key));
  const hasStatus = index.some(([name]) => name === 'status');
  return { index, counts: keys.counts.filter((key) => hasStatus || key[2] !== 'status') };
}

/**
 * Goes on where the last run ended, killed or not, and does nothing where all is done.
 *
 * @param signal  ends it early
 * @returns how many records lacked an entry
 * @throws {StorageUnavailableError}
 */
export async function fillIndexes(environment: Environment, signal?: AbortSignal): Promise<number> {
  const databases = openRecordDatabases(environment);
  const store = environment.database<Place>('store');
  const filled = environment.read(() => filledGeneration(databases));
  if (filled >= generation) return 0;
  const kept = environment.read(() => store.get(placeKey));
  let place = kept?.generation === generation ? kept : undefined;
  // Of users there is nothing that came later.
  const collections: readonly GrowingCollection[] = filled < 1 ? growingCollections : ['clients'];
  let completed = 0;
  let unnoted = 0;
  const first = place && collections.indexOf(place.collection);
  for (const collection of collections.slice(first)) {
    for (;;) {
      if (signal?.aborted) return completed;
      const from = place?.collection === collection ? place.key : undefined;
      const { last, lacking } = environment.read(() =>
        examine(environment, databases, { collection, from, filled }),
      );
      if (!last) break;
      const next: Place = { generation, collection, key: last };
      place = next;
      if (lacking.length > 0 || ++unnoted >= slicesPerPlace) {
        unnoted = 0;
        completed += await environment.write(() => {
          store.put(placeKey, next);
          return complete(databases, collection, lacking, filled);
        });
      }
      // Ends by itself: nobody stays for it.
      await delay(restMs, undefined, { ref: false });
    }
  }
  await environment.write(() => {
    databases.meta.put(filledKey, generation);
    store.remove(placeKey);
  });
  return completed;
}

/** @returns the last key of the slice behind `from`, undefined at the end; damaged records are passed over */
function examine(
  environment: Environment,
  databases: RecordDatabases,
  {
    collection,
    from,
    filled,
  }: {
    readonly collection: GrowingCollection;
    readonly from: LmdbKey | undefined;
    readonly filled: number;
  },
): { readonly last: LmdbKey | undefined; readonly lacking: readonly LmdbKey[] } {
  const limits = { limit: sliceSize + 1, ...(from && { from }) };
  const entries = [...environment.bytes(collection).under([], limits)].filter(
    ({ key }) => key[0] !== from?.[0],
  );
  const lacking = entries.filter(({ key, value }) => {
    const whole = wholeRecord<StoredRecord<never>>(key, value);
    if (!whole) return false;
    return indexKeysOf(collection, whole.record).some(
      (way) => isLaterEntry(way, filled) && !databases.index.has(way),
    );
  });
  return { last: entries.at(-1)?.key, lacking: lacking.map(({ key }) => key) };
}

/** Reads each once more: it may have changed since it was looked at. */
function complete(
  { index, meta, ...collections }: RecordDatabases,
  collection: GrowingCollection,
  keys: readonly LmdbKey[],
  filled: number,
): number {
  let completed = 0;
  for (const key of keys) {
    const record = collections[collection].get(key)?.record;
    if (!record) continue;
    const missing = indexKeysOf(collection, record).filter(
      (way) => isLaterEntry(way, filled) && !index.has(way),
    );
    if (missing.length === 0) continue;
    completed++;
    for (const way of missing) index.put(way, true);
    if (!missing.some(([name]) => name === 'status')) continue;
    for (const count of countKeysOf(collection, record)) {
      if (count[2] === 'status') meta.put(count, (meta.get(count) ?? 0) + 1);
    }
  }
  // Whoever counts meanwhile notices that these are counts of no single moment.
  if (completed > 0) meta.put(sequenceKey, (meta.get(sequenceKey) ?? 0) + 1);
  return completed;
}
