/** Users and clients in LMDB, beside the artifacts: what a change voids is written by the same commit. */

import { createListeners } from '../../engine/listeners.ts';
import { indexUnder, recordKey } from '../../engine/record-indexes.ts';
import type { StorageLog } from '../../engine/storage-log.ts';
import { changeRecords } from '../../record-changes.ts';
import type { RecordEngine, RecordQuery } from '../../record-engine.ts';
import type { RecordLoader } from '../../record-loader.ts';
import { getOneByOne, type RecordChange, type RecordStore, type UserCount } from '../../record-store.ts';
import type { UserRecord } from '../../records.ts';
import type { Registry } from '../../storage.ts';
import { createLargeCommits } from '../commits/large-commits.ts';
import { openArtifactEntries } from './artifact-entries.ts';
import { filledGeneration } from './index-filling.ts';
import type { Environment } from './lmdb-environment.ts';
import { createLmdbLoader } from './lmdb-loader.ts';
import { createRecordAnswers, type KnownProviders } from './record-answers.ts';
import { createRecordCommits } from './record-commits.ts';
import { openRecordDatabases } from './record-databases.ts';
import { createRecordPages } from './record-pages.ts';

export interface LmdbRecordsDeps {
  readonly environment: Environment;
  readonly registry: Pick<Registry, 'get' | 'all' | 'update'>;
  readonly log?: StorageLog | undefined;
}

/** As the process that owns the store has them. */
export type LmdbRecords = RecordStore & RecordEngine & { readonly loader: RecordLoader };

/** Opens the records of `environment`; every change is on the disk when its promise resolves. */
export function openLmdbRecords({ environment, registry, log }: LmdbRecordsDeps): LmdbRecords {
  const databases = openRecordDatabases(environment);
  const answers = createRecordAnswers(databases, registry);
  const listeners = createListeners<readonly RecordChange[]>('record', log);
  const reads = openLmdbRecordReads(environment, registry);
  const engine: RecordEngine = {
    ask: reads.ask,
    commit: createRecordCommits({
      ...{ environment, databases, answers, registry },
      artifacts: openArtifactEntries(environment),
      large: createLargeCommits({ environment, registry, onCommitted: listeners.emit }),
      onCommitted: listeners.emit,
    }),
  };
  return {
    ...reads,
    change: (work) => changeRecords(engine, work),
    commit: engine.commit,
    loader: createLmdbLoader({ environment, databases, answers, onCommitted: listeners.emit }),
    onChange: listeners.add,
  };
}

/** The same for a process that may not write: the newest that is committed, by whomever. */
export function openLmdbRecordReads(
  environment: Environment,
  registry: KnownProviders,
): Omit<RecordStore, 'change' | 'onChange'> & Pick<RecordEngine, 'ask'> {
  const databases = openRecordDatabases(environment);
  const answers = createRecordAnswers(databases, registry);
  const pages = createRecordPages(environment, answers);
  const read = environment.read;
  const userBy = (query: RecordQuery) => read(() => answers.answer(query)).record as UserRecord | undefined;
  const get: RecordStore['get'] = async (collection, id) =>
    read(() => answers.stored(collection, recordKey(id))?.record);
  return {
    ask: async (query) => read(() => answers.answer(query)),
    get,
    ...getOneByOne({ get }),
    userByName: async (name) => userBy({ by: 'name', name }),
    userByLink: async (provider, subject) => userBy({ by: 'link', provider, subject }),
    isNameTaken: async (name) => read(() => answers.isNameTaken(name)),
    hasUsers: async () => read(() => answers.count('users') > 0),
    users: pages.users,
    clients: pages.clients,
    count: async (collection: 'users' | 'clients', filter: UserCount = {}) =>
      read(() => answers.count(collection, filter)),
    countClients: async (filter) => read(() => answers.countClients(filter)),
    isCounted: async ({ status }) => status === undefined || read(() => filledGeneration(databases) >= 1),
    isRedirectOrigin: async (origin) => read(() => answers.hasAny(indexUnder.redirectOrigin(origin))),
    hasAdministrator: async (withoutProvider) => read(() => answers.hasAdministrator(withoutProvider)),
  };
}
