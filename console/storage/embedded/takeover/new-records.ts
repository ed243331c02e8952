/** Users and clients of a store that is taken over, in their new place: nobody else is there yet, and nothing is asked. */
import { setImmediate } from 'node:timers/promises';
import type { GrowingCollection, GrowingRecords } from '../../record-store.ts';
import { recordIndexesFilled } from '../lmdb/index-filling.ts';
import type { Environment, LmdbDatabase, LmdbKey } from '../lmdb/lmdb-environment.ts';
import { putNewRecords } from '../lmdb/put-records.ts';
import { openRecordDatabases, type StoredRecord } from '../lmdb/record-databases.ts';

export type NewRecords = ReturnType<typeof createNewRecords>;

const sliceRecords = 500;

export function createNewRecords(environment: Environment) {
  const databases = openRecordDatabases(environment);

  return {
    async clear(): Promise<void> {
      await environment.clear(['users', 'clients', 'record-index', 'record-meta']);
      await recordIndexesFilled(environment);
    },
    /** In one commit; there is none of them yet. */
    add: <C extends GrowingCollection>(collection: C, records: readonly GrowingRecords[C][]): Promise<void> =>
      environment.write(() => putNewRecords(databases, collection, records)),
    /** By id; a damaged one is left out. */
    async *all<C extends GrowingCollection>(collection: C): AsyncGenerator<GrowingRecords[C], void> {
      let last: LmdbKey | undefined;
      for (;;) {
        const from: LmdbKey = last ?? [];
        const slice = environment.read(() => [
          ...storedIn(collection).under([], { from, limit: sliceRecords }),
        ]);
        for (const { key, value } of slice) if (key[0] !== last?.[0]) yield value.record;
        if (slice.length < sliceRecords) return;
        last = slice.at(-1)!.key;
        // Whoever calls meanwhile must not wait for all of them.
        await setImmediate();
      }
    },
  };

  function storedIn<C extends GrowingCollection>(
    collection: C,
  ): LmdbDatabase<StoredRecord<GrowingRecords[C]>> {
    return databases[collection] as LmdbDatabase<StoredRecord<GrowingRecords[C]>>;
  }
}
