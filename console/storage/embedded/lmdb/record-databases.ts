/**
 * Where users and clients lie in LMDB.
 *
 * | Database | Key | Value |
 * |---|---|---|
 * | `users`, `clients` | id | {@link StoredRecord}, with a sum |
 * | `record-index` | see `indexKeysOf` of console/storage/engine/record-indexes.ts | `true` |
 * | `record-meta` | `['count', …]`, see `countKeysOf` there | how many |
 * | `record-meta` | `['sequence']` | number of the last commit |
 */
import type { ClientRecord, UserRecord } from '../../records.ts';
import type { Environment, LmdbDatabase, LmdbKey } from './lmdb-environment.ts';

export interface StoredRecord<R> {
  /** Number of the commit that wrote it: it rises with each change, and never comes again. */
  readonly version: number;
  readonly record: R;
}

export interface RecordDatabases {
  readonly users: LmdbDatabase<StoredRecord<UserRecord>>;
  readonly clients: LmdbDatabase<StoredRecord<ClientRecord>>;
  readonly index: LmdbDatabase<true>;
  readonly meta: LmdbDatabase<number>;
}

export function openRecordDatabases(environment: Environment): RecordDatabases {
  return {
    users: environment.records('users'),
    clients: environment.records('clients'),
    index: environment.database('record-index'),
    meta: environment.database('record-meta'),
  };
}

export const sequenceKey: LmdbKey = ['sequence'];
