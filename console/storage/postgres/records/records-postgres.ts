/** Users and clients in PostgreSQL. */
import { keyPart } from '../../engine/key-parts.ts';
import { createListeners } from '../../engine/listeners.ts';
import { indexUnder } from '../../engine/record-indexes.ts';
import type { StorageLog } from '../../engine/storage-log.ts';
import { changeRecords } from '../../record-changes.ts';
import type { RecordCommit, RecordEngine } from '../../record-engine.ts';
import type { RecordLoader } from '../../record-loader.ts';
import {
  type GrowingCollection,
  type GrowingRecords,
  growingCollections,
  type RecordChange,
  type RecordStore,
} from '../../record-store.ts';
import type { UserRecord } from '../../records.ts';
import type { ChangedNames } from '../change-log.ts';
import type { Queries } from '../database.ts';
import type { Commits } from '../ordered-commits.ts';
import type { PostgresRegistry } from '../registry-postgres.ts';
import { createRecentReads, type RecentReads } from './recent-reads.ts';
import { createPostgresLoader } from './record-bulk.ts';
import { createRecordCommits } from './record-commits.ts';
import { createRecordPages } from './record-pages.ts';
import { createReads } from './record-rows.ts';

export interface PostgresRecordsDeps {
  readonly database: Queries;
  readonly commits: Commits;
  readonly registry: PostgresRegistry;
  readonly emitPuts: (puts: RecordCommit['artifacts']) => void;
  readonly log: StorageLog | undefined;
}

export interface WrittenRecords {
  readonly records: RecordStore & RecordEngine;
  readonly loader: RecordLoader;
}

export interface PostgresRecords extends WrittenRecords {
  /** The same ones, changed by these commits. */
  writtenBy(commits: Commits): WrittenRecords;
  readonly recentUsers: RecentReads<UserRecord | undefined>;
  /** What others have changed, read anew. */
  deliver(names: NonNullable<ChangedNames['records']>, queries: Queries): Promise<void>;
}

export function openPostgresRecords(deps: PostgresRecordsDeps): PostgresRecords {
  const { database, registry, log } = deps;
  const listeners = createListeners<readonly RecordChange[]>('record', log);
  const reads = createReads(database, registry);
  const users = createRecentReads((ids) => readByIds('users', ids));
  const emitRecords = (changes: readonly RecordChange[]) => {
    for (const { collection, id } of changes) if (collection === 'users') users.forget(id);
    listeners.emit(changes);
  };
  const pages = createRecordPages(database, reads);
  const writtenBy = (commits: Commits): WrittenRecords => {
    const engine: RecordEngine = {
      ask: reads.answer,
      commit: createRecordCommits({ ...deps, commits, emitRecords }),
    };
    return {
      records: { ...lookups, ...engine, change: (work) => changeRecords(engine, work) },
      loader: createPostgresLoader({ database, commits, registry, emitRecords }),
    };
  };
  const lookups: Omit<RecordStore, 'change'> = {
    get,
    getMany,
    userByName: async (name) => (await reads.answer({ by: 'name', name })).record as UserRecord | undefined,
    userByLink: async (provider, subject) =>
      (await reads.answer({ by: 'link', provider, subject })).record as UserRecord | undefined,
    isNameTaken: reads.isNameTaken,
    hasUsers: reads.hasUsers,
    users: pages.users,
    clients: pages.clients,
    count: reads.count,
    countClients: reads.countClients,
    isCounted: async () => true,
    isRedirectOrigin: (origin) => reads.isIndexed(indexUnder.redirectOrigin(origin)),
    hasAdministrator: (withoutProvider) => reads.hasAdministrator(withoutProvider),
    onChange: listeners.add,
  };
  return {
    ...writtenBy(deps.commits),
    writtenBy,
    recentUsers: users,
    async deliver(names, queries) {
      const changes: RecordChange[] = [];
      for (const collection of growingCollections) {
        const ids = names.filter(([name]) => name === collection).map(([, id]) => id);
        if (ids.length > 0) changes.push(...(await readChanges(collection, [...new Set(ids)], queries)));
      }
      if (changes.length > 0) emitRecords(changes);
    },
  };

  async function get<C extends GrowingCollection>(
    collection: C,
    id: string,
  ): Promise<GrowingRecords[C] | undefined> {
    if (collection === 'users') return (await users.get(id)) as GrowingRecords[C] | undefined;
    return (await reads.named(collection, [id]))[0]?.record;
  }

  async function getMany<C extends GrowingCollection>(
    collection: C,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, GrowingRecords[C]>> {
    const found = collection === 'users' ? await users.getMany(ids) : await clientsOf(ids);
    const there = [...found].flatMap(([id, record]) =>
      record ? [[id, record as GrowingRecords[C]] as const] : [],
    );
    return new Map(there);
  }

  async function clientsOf(ids: readonly string[]) {
    const clientOf = await readByIds('clients', ids);
    return new Map(ids.map((id) => [id, clientOf(id)] as const));
  }

  async function readByIds<C extends GrowingCollection>(collection: C, ids: readonly string[]) {
    const rows = ids.length === 0 ? [] : await reads.named(collection, [...new Set(ids)]);
    const found = new Map(rows.map(({ id, record }) => [id, record] as const));
    return (id: string): GrowingRecords[C] | undefined => found.get(keyPart(id));
  }

  async function readChanges(collection: GrowingCollection, ids: readonly string[], queries: Queries) {
    const rows = await createReads(queries, registry).named(collection, ids);
    const found = new Map(rows.map(({ id, record }) => [id, record]));
    return ids.map((id) => ({ collection, id, record: found.get(keyPart(id)) }) as RecordChange);
  }
}
