/** Users and clients as rows: what is written with each, and what is found by what. */

import { type CountedClients, countOfClients } from '../../client-lists.ts';
import { keyPart } from '../../engine/key-parts.ts';
import { countKey, type IndexKey, indexUnder } from '../../engine/record-indexes.ts';
import { type RecordAnswer, type RecordQuery, registeredVersion } from '../../record-engine.ts';
import {
  type ClientCount,
  type GrowingCollection,
  type GrowingRecords,
  mostCompared,
  type UserCount,
} from '../../record-store.ts';
import type { ClientRecord, ProviderRecord, UserRecord } from '../../records.ts';
import type { Registry } from '../../storage.ts';
import { type Queries, statement } from '../database.ts';
import { createCounted } from './counted.ts';

export interface RecordRow<R = UserRecord | ClientRecord> {
  readonly id: string;
  readonly version: number;
  readonly record: R;
}

/** Of each collection: one, and many. By an array the database reckons with ten, and plans anew each time. */
const byId = {
  users: statement('account_by_id', 'select id, version, record from account where id = $1'),
  clients: statement('client_by_id', 'select id, version, record from client where id = $1'),
};
const byIds = {
  users: statement('account_named', 'select id, version, record from account where id = any($1)'),
  clients: statement('client_named', 'select id, version, record from client where id = any($1)'),
};
const byIndex = statement(
  'account_by_index',
  `select account.id, version, record from record_index join account using (id)
    where name = $1 and part = $2 and further = $3 limit 1`,
);
const isIndexed = statement(
  'is_indexed',
  'select exists (select from record_index where name = $1 and part = $2) as found',
);
const nameTaken = statement(
  'name_taken',
  `select exists (select from record_index where name = any('{name,client-name}') and part = $1)
    or exists (select from record_index where name = 'shape' and part = $2) as found`,
);
const administrators = statement(
  'administrators',
  `select exists (select from record_index where name = 'administrator' and part = 'own')
    or exists (select from record_index where name = 'administrator' and part = 'provider' and further = any($1))
    as found`,
);

/** Applications, disabled clients, and those that are both; `$1`: disabled ones that are compared. */
const clientKinds = statement(
  'client_kinds',
  `with off as (select id from record_index where name = 'client-status' and part = 'disabled' limit $1 + 1)
    select (select count(*)::int from record_index where name = 'client-kind' and part = 'application') as applications,
      (select count(*)::int from record_index where name = 'client-status' and part = 'disabled') as disabled,
      (select count(*)::int from off where exists (select from record_index as kind
        where kind.name = 'client-kind' and kind.part = 'application' and kind.further = '' and kind.id = off.id))
      as "disabledApplications"`,
);

/** All, and those that are not active. */
const activeOf: readonly UserCount[] = [{}, { status: 'disabled' }, { status: 'invited' }];

/** Where an index key stands. */
export function placeInIndex(key: IndexKey): { name: string; part: string; further: string } {
  const [name = '', part = '', further = ''] = key.map(String);
  return { name, part, further };
}

export function countName(key: IndexKey): string {
  return key.join('\n');
}

export type Reads = ReturnType<typeof createReads>;

/** What can be asked of users and clients, within a transaction or outside. */
export function createReads(queries: Queries, registry: Pick<Registry, 'get' | 'all'>) {
  async function named<C extends GrowingCollection>(collection: C, ids: readonly string[]) {
    const keys = ids.map(keyPart);
    const isOne = keys.length === 1;
    const query = (isOne ? byId : byIds)[collection];
    const { rows } = await queries.run<RecordRow<GrowingRecords[C]>>(query, isOne ? keys : [keys]);
    return rows;
  }

  async function isFound(query: typeof nameTaken, values: readonly unknown[]): Promise<boolean> {
    const { rows } = await queries.run<{ found: boolean }>(query, values);
    return rows[0]!.found;
  }

  async function userBy(key: IndexKey): Promise<RecordRow<UserRecord> | undefined> {
    const { name, part, further } = placeInIndex(key);
    const { rows } = await queries.run<RecordRow<UserRecord>>(byIndex, [name, part, further]);
    return rows[0];
  }

  const counted = createCounted(queries);

  async function count(collection: GrowingCollection, filter: UserCount = {}): Promise<number> {
    if (collection === 'clients') return (await counted([countName(countKey('clients'))]))[0]!;
    const filters = filter.status === 'active' ? activeOf : [filter];
    const [first = 0, ...others] = await counted(filters.map((each) => countName(countKey('users', each))));
    return others.reduce((left, n) => left - n, first);
  }

  async function countClients(filter: ClientCount): Promise<number | undefined> {
    const [all, { rows }] = await Promise.all([
      count('clients'),
      queries.run<Omit<CountedClients, 'all'>>(clientKinds, [mostCompared]),
    ]);
    const [found] = rows;
    const isOfBoth = filter.kind !== undefined && filter.status !== undefined;
    if (isOfBoth && found!.disabled > mostCompared) return undefined;
    return countOfClients(filter, { all, ...found! });
  }

  const isNameTaken = (name: string) =>
    isFound(nameTaken, [placeInIndex(indexUnder.name(name)).part, placeInIndex(indexUnder.shape(name)).part]);

  return {
    named,
    isFound,
    count,
    countClients,
    isNameTaken,
    hasUsers: async () => (await count('users')) > 0,
    isIndexed(key: IndexKey) {
      const { name, part } = placeInIndex(key);
      return isFound(isIndexed, [name, part]);
    },
    hasAdministrator(withoutProvider?: string, providers: Providers = registry.all('providers')) {
      const enabled = [...providers.values()].filter(
        ({ id, enabled: isEnabled }) => isEnabled === true && id !== withoutProvider,
      );
      return isFound(administrators, [enabled.map(({ id }) => keyPart(id))]);
    },
    async answer(query: RecordQuery): Promise<RecordAnswer> {
      if (query.by === 'registry') {
        const record = registry.get(query.collection, query.id);
        return { version: registeredVersion(record), record };
      }
      if (query.by === 'any-user') return { version: (await count('users')) > 0 ? 'yes' : 'no' };
      if (query.by === 'look') return { version: (await isNameTaken(query.name)) ? 'yes' : 'no' };
      const found = await find(query);
      return found
        ? { version: `${found.version} ${found.record.id}`, record: found.record }
        : { version: '' };
    },
  };

  async function find(query: RecordQuery & { readonly by: 'id' | 'name' | 'link' }) {
    if (query.by === 'id') return (await named(query.collection, [query.id]))[0];
    return query.by === 'name'
      ? userBy(indexUnder.name(query.name))
      : userBy(indexUnder.link(query.provider, query.subject));
  }
}

type Providers = ReadonlyMap<string, ProviderRecord>;
