/**
 * Many new records at once: an import, or what a store of an earlier release holds. Sorted by id they cost a third of
 * what they cost in any other order, since they are written to one page after the other.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { foldedName, shapeOf } from './name-keys.ts';
import {
  type GrowingCollection,
  type GrowingRecords,
  growingCollections,
  type RecordReads,
  type RecordStore,
} from './record-store.ts';
import type { ClientRecord, UserRecord } from './records.ts';

/**
 * What keeps a record out: a user or client has its id; its name, or one that looks like it; or the person of an
 * upstream provider that it is linked to.
 */
export type Obstacle = 'id' | 'name' | 'link';

export interface LoadOptions {
  /** Others are served meanwhile: batches are small, and after each comes a pause as long as it took. */
  readonly isServing?: boolean;
  /** @param seen  records so far that are durable or were left out */
  readonly onBatch?: (seen: number) => void;
  /** @param index  of the record, from 0 */
  readonly onLeftOut?: (index: number, obstacle: Obstacle) => void;
}

export interface RecordLoader {
  /**
   * Adds records in batches of one commit each: what ends it leaves whole batches. What is there stays as it is, and
   * a record that something of the store, or an earlier record, is in the way of is left out.
   *
   * @param records  best sorted by id; taken as they are written
   * @returns how many were added
   * @throws {StorageUnavailableError} the batches before are there
   */
  load<C extends GrowingCollection>(
    collection: C,
    records: AsyncIterable<GrowingRecords[C]> | Iterable<GrowingRecords[C]>,
    options?: LoadOptions,
  ): Promise<number>;
  /**
   * What of the store is in the way of each of these; nothing is written, and they are not compared with each other.
   *
   * @param records  a batch: at most some thousand
   */
  obstacles<C extends GrowingCollection>(
    collection: C,
    records: readonly GrowingRecords[C][],
  ): Promise<readonly (Obstacle | undefined)[]>;
}

const batchSize = 2000;
/** A commit holds up everybody else for as long as it takes. */
const servingBatchSize = 200;

/** Adds one batch. @returns what is in the way of each record; undefined: it was added */
export type AddBatch = <C extends GrowingCollection>(
  collection: C,
  records: readonly GrowingRecords[C][],
) => Promise<readonly (Obstacle | undefined)[]>;

/** As {@link RecordLoader.load}. */
export async function loadInBatches<C extends GrowingCollection>(
  add: AddBatch,
  collection: C,
  records: AsyncIterable<GrowingRecords[C]> | Iterable<GrowingRecords[C]>,
  { isServing = false, onBatch, onLeftOut }: LoadOptions = {},
): Promise<number> {
  const size = isServing ? servingBatchSize : batchSize;
  let batch: GrowingRecords[C][] = [];
  let seen = 0;
  let added = 0;

  async function write(): Promise<void> {
    const started = performance.now();
    const obstacles = await add(collection, batch);
    for (const [index, obstacle] of obstacles.entries()) {
      if (obstacle) onLeftOut?.(seen + index, obstacle);
      else added++;
    }
    seen += batch.length;
    batch = [];
    onBatch?.(seen);
    if (isServing) await delay(performance.now() - started);
  }

  for await (const record of records) {
    batch.push(record);
    if (batch.length === size) await write();
  }
  if (batch.length > 0) await write();
  return added;
}

/** A loader on whatever keeps the records: each batch is a change as others are. */
export function createRecordLoader(records: RecordStore): RecordLoader {
  const add: AddBatch = (collection, batch) =>
    records.change(async (transaction) => {
      const taken = createTaken();
      const obstacles: (Obstacle | undefined)[] = [];
      for (const record of batch) {
        const obstacle =
          taken.obstacle(collection, record) ?? (await obstacleIn(transaction, collection, record));
        obstacles.push(obstacle);
        if (obstacle) continue;
        taken.add(collection, record);
        transaction.put(collection, record);
      }
      return obstacles;
    });
  return {
    load: (collection, source, options) => loadInBatches(add, collection, source, options),
    obstacles: (collection, batch) =>
      Promise.all(batch.map((record) => obstacleIn(records, collection, record))),
  };
}

async function obstacleIn<C extends GrowingCollection>(
  reads: RecordReads,
  collection: C,
  record: GrowingRecords[C],
): Promise<Obstacle | undefined> {
  // Of the other ones too: a subject names one party only (S14).
  for (const each of growingCollections) if (await reads.get(each, record.id)) return 'id';
  if (await reads.isNameTaken(nameOfRecord(collection, record))) return 'name';
  const { federated } = record as Partial<UserRecord>;
  if (federated && (await reads.userByLink(federated.provider, federated.subject))) return 'link';
  return undefined;
}

/** What the records of a batch have taken before they are written. */
export function createTaken() {
  const taken = new Set<string>();
  const keysOf = (collection: GrowingCollection, record: UserRecord | ClientRecord) => {
    const name = nameOfRecord(collection, record);
    const { federated } = record as Partial<UserRecord>;
    return {
      id: [`id ${record.id}`],
      name: [`name ${foldedName(name)}`, `look ${shapeOf(name)}`],
      link: federated ? [`link ${JSON.stringify([federated.provider, federated.subject])}`] : [],
    };
  };
  return {
    obstacle(collection: GrowingCollection, record: UserRecord | ClientRecord): Obstacle | undefined {
      const keys = keysOf(collection, record);
      return (['id', 'name', 'link'] as const).find((what) => keys[what].some((key) => taken.has(key)));
    },
    add(collection: GrowingCollection, record: UserRecord | ClientRecord): void {
      for (const key of Object.values(keysOf(collection, record)).flat()) taken.add(key);
    },
  };
}

/** A client is called by its id. */
export function nameOfRecord(collection: GrowingCollection, record: UserRecord | ClientRecord): string {
  return collection === 'users' ? (record as UserRecord).username : record.id;
}
