/** Many new records in LMDB: what is in their way is looked for in the transaction that writes them. */

import { recordKey } from '../../engine/record-indexes.ts';
import { loadInBatches, type Obstacle, type RecordLoader } from '../../record-loader.ts';
import {
  type GrowingCollection,
  type GrowingRecords,
  growingCollections,
  type RecordChange,
} from '../../record-store.ts';
import type { UserRecord } from '../../records.ts';
import type { Environment } from './lmdb-environment.ts';
import { putNewRecords } from './put-records.ts';
import type { RecordAnswers } from './record-answers.ts';
import type { RecordDatabases } from './record-databases.ts';

export interface LmdbLoaderDeps {
  readonly environment: Environment;
  readonly databases: RecordDatabases;
  readonly answers: RecordAnswers;
  /** Told when they are durable. */
  readonly onCommitted: (changes: readonly RecordChange[]) => void;
}

export function createLmdbLoader({
  environment,
  databases,
  answers,
  onCommitted,
}: LmdbLoaderDeps): RecordLoader {
  async function add<C extends GrowingCollection>(collection: C, records: readonly GrowingRecords[C][]) {
    const obstacles: (Obstacle | undefined)[] = [];
    await environment.write(() => {
      obstacles.length = 0;
      putNewRecords(databases, collection, records, (record) => {
        const obstacle = obstacleTo(collection, record);
        obstacles.push(obstacle);
        return obstacle === undefined;
      });
    });
    const added = records.filter((_, n) => obstacles[n] === undefined);
    if (added.length > 0)
      onCommitted(added.map((record) => ({ collection, id: record.id, record }) as RecordChange));
    return obstacles;
  }

  function obstacleTo<C extends GrowingCollection>(
    collection: C,
    record: GrowingRecords[C],
  ): Obstacle | undefined {
    const key = recordKey(record.id);
    // Of the other ones too: a subject names one party only (S14).
    if (growingCollections.some((each) => databases[each].has(key))) return 'id';
    const { username = record.id, federated } = record as Partial<UserRecord>;
    if (answers.isNameTaken(collection === 'users' ? username : record.id)) return 'name';
    if (!federated) return undefined;
    const { provider, subject } = federated;
    return answers.answer({ by: 'link', provider, subject }).record ? 'link' : undefined;
  }

  return {
    load: (collection, records, options) => loadInBatches(add, collection, records, options),
    obstacles: async (collection, records) =>
      environment.read(() => records.map((record) => obstacleTo(collection, record))),
  };
}
