/** What the indexes of records answer: at once, so inside a transaction too. Reads what the transaction has written. */

import { countOfClients } from '../../client-lists.ts';
import { countKey, indexUnder, isAdministratorOf, recordKey } from '../../engine/record-indexes.ts';
import { foldedName } from '../../name-keys.ts';
import { type RecordAnswer, type RecordQuery, registeredVersion } from '../../record-engine.ts';
import {
  type ClientCount,
  type GrowingCollection,
  type GrowingRecords,
  mostCompared,
  type UserCount,
} from '../../record-store.ts';
import type { UserRecord } from '../../records.ts';
import type { Registry } from '../../storage.ts';
import { filledGeneration } from './index-filling.ts';
import type { LmdbKey } from './lmdb-environment.ts';
import { DamagedRecordError } from './record-codec.ts';
import type { RecordDatabases, StoredRecord } from './record-databases.ts';

/** What administrators are counted by. */
export type KnownProviders = Pick<Registry, 'get' | 'all'>;

export type RecordAnswers = ReturnType<typeof createRecordAnswers>;

export function createRecordAnswers(databases: RecordDatabases, registry: KnownProviders) {
  const { index, meta } = databases;

  /** @throws {DamagedRecordError} */
  function stored<C extends GrowingCollection>(
    collection: C,
    key: LmdbKey,
  ): StoredRecord<GrowingRecords[C]> | undefined {
    return databases[collection].get(key) as StoredRecord<GrowingRecords[C]> | undefined;
  }

  /** Whether the index points at a record under this beginning. */
  function hasAny(beginning: LmdbKey): boolean {
    for (const _ of index.under(beginning, { limit: 1 })) return true;
    return false;
  }

  /** An index has no sum, so what it points at is looked at: a flipped bit signs nobody in as somebody else. */
  function firstUser(
    beginning: LmdbKey,
    isMeant: (user: UserRecord) => boolean,
  ): StoredRecord<UserRecord> | undefined {
    for (const { key } of index.under(beginning)) {
      const found = stored('users', key.slice(-1));
      if (found && isMeant(found.record)) return found;
    }
    return undefined;
  }

  function userBy(query: RecordQuery & { readonly by: 'name' | 'link' }) {
    if (query.by === 'name') {
      const folded = foldedName(query.name);
      return firstUser(indexUnder.name(query.name), ({ username }) => foldedName(username) === folded);
    }
    const { provider, subject } = query;
    return firstUser(
      indexUnder.link(provider, subject),
      ({ federated }) => federated?.subject === subject && federated.provider === provider,
    );
  }

  function isNameTaken(name: string): boolean {
    return (
      hasAny(indexUnder.name(name)) || hasAny(indexUnder.clientName(name)) || hasAny(indexUnder.shape(name))
    );
  }

  function isAdministrator(key: LmdbKey, provider: string | undefined): boolean {
    try {
      const found = stored('users', key.slice(-1))?.record;
      return found !== undefined && isAdministratorOf(found, provider);
    } catch (error) {
      if (error instanceof DamagedRecordError) return false;
      throw error;
    }
  }

  const hasAdministratorAt = (provider: string | undefined) => {
    for (const { key } of index.under(indexUnder.administrator(provider))) {
      if (isAdministrator(key, provider)) return true;
    }
    return false;
  };

  return {
    stored,
    firstUser,
    hasAny,
    /** Reads two keys where a local administrator is, and two for each enabled provider where none is. */
    hasAdministrator(withoutProvider?: string, providers = registry.all('providers')): boolean {
      if (hasAdministratorAt(undefined)) return true;
      return [...providers.values()].some(
        ({ id, enabled }) => enabled === true && id !== withoutProvider && hasAdministratorAt(id),
      );
    },
    count(collection: GrowingCollection, filter: UserCount = {}): number {
      const kept = (by?: UserCount) => meta.get(countKey(collection, by)) ?? 0;
      if (filter.status !== 'active') return kept(filter);
      return kept() - kept({ status: 'disabled' }) - kept({ status: 'invited' });
    },
    countClients(filter: ClientCount): number | undefined {
      if (filledGeneration(databases) < 1) return undefined;
      const [off, application] = [indexUnder.disabledClient(), indexUnder.application()];
      const isOfBoth = filter.kind !== undefined && filter.status !== undefined;
      if (isOfBoth && index.countUnder(off, mostCompared) > mostCompared) return undefined;
      const both = isOfBoth
        ? [...index.under(off)].filter(({ key }) => index.has([...application, key.at(-1)!]))
        : [];
      return countOfClients(filter, {
        all: meta.get(countKey('clients')) ?? 0,
        applications: filter.kind === undefined ? 0 : index.countUnder(application),
        disabled: filter.status === undefined ? 0 : index.countUnder(off),
        disabledApplications: both.length,
      });
    },
    isNameTaken,
    answer(query: RecordQuery): RecordAnswer {
      if (query.by === 'any-user') return { version: meta.get(countKey('users')) ? 'yes' : 'no' };
      if (query.by === 'look') return { version: isNameTaken(query.name) ? 'yes' : 'no' };
      if (query.by === 'registry') {
        const record = registry.get(query.collection, query.id);
        return { version: registeredVersion(record), record };
      }
      const found = query.by === 'id' ? stored(query.collection, recordKey(query.id)) : userBy(query);
      // Two records of one commit have the same number.
      return found
        ? { version: `${found.version} ${found.record.id}`, record: found.record }
        : { version: '' };
    },
  };
}
