/** Users and clients in memory, looked through for each question: the plainest reading of what a RecordStore does. */
import { foundBy, isInClientList, kindOfClient } from '../client-lists.ts';
import { createListeners } from '../engine/listeners.ts';
import type { StorageLog } from '../engine/storage-log.ts';
import { foldedName, shapeOf } from '../name-keys.ts';
import { changeRecords } from '../record-changes.ts';
import {
  type RecordAnswer,
  type RecordCommit,
  type RecordEngine,
  type RecordQuery,
  registeredVersion,
} from '../record-engine.ts';
import {
  type ClientFilter,
  DuplicateRecordError,
  type GrowingCollection,
  getOneByOne,
  LastAdministratorError,
  type Page,
  type PageRequest,
  type RecordChange,
  type RecordStore,
  type UserCount,
  type UserFilter,
  type UserOrder,
} from '../record-store.ts';
import type { ClientRecord, ProviderRecord, UserRecord } from '../records.ts';
import { applyWrites, collectionVersion, providersAfter } from '../registry-writes.ts';
import type { ArtifactStore, Registry } from '../storage.ts';
import { beginningOf, isInList, leadOf, type UserLead } from '../user-lists.ts';

export interface MemoryRecordsDeps {
  readonly registry: Registry;
  readonly artifacts: Pick<ArtifactStore, 'put'>;
  readonly log?: StorageLog | undefined;
}

interface Stored<R> {
  readonly version: number;
  readonly record: R;
}

interface State {
  readonly users: ReadonlyMap<string, Stored<UserRecord>>;
  readonly clients: ReadonlyMap<string, Stored<ClientRecord>>;
}

const mostRecords = 500;

export function createMemoryRecords({
  registry,
  artifacts,
  log,
}: MemoryRecordsDeps): RecordStore & RecordEngine {
  const listeners = createListeners<readonly RecordChange[]>('record', log);
  let state: State = { users: new Map(), clients: new Map() };
  let sequence = 0;

  const answer = (query: RecordQuery): RecordAnswer => {
    if (query.by === 'registry') {
      const record = registry.get(query.collection, query.id);
      return { version: registeredVersion(record), record };
    }
    if (query.by === 'any-user') return { version: state.users.size > 0 ? 'yes' : 'no' };
    if (query.by === 'look') return { version: isNameTaken(state, query.name) ? 'yes' : 'no' };
    const found = find(state, query);
    return found
      ? { version: `${found.version} ${found.record.id}`, record: copy(found.record) }
      : { version: '' };
  };

  const countOf = (filter: UserCount) =>
    recordsOf(state.users).filter((user) => isInList(user, filter)).length;

  function apply({ expected, writes, artifacts: puts, registry: part, isDry }: RecordCommit): boolean {
    if (expected.some(({ query, version }) => answer(query).version !== version)) return false;
    const isOther = part?.expected.some(
      ({ collection, version }) => collectionVersion(registry, collection) !== version,
    );
    if (isOther) return false;
    const next = withWrites(state, writes, ++sequence);
    rejectDuplicates(next.users);
    const providers = providersAfter(registry, part?.writes ?? []);
    if (hasAdministrator(state, registry.all('providers')) && !hasAdministrator(next, providers))
      throw new LastAdministratorError();
    if (isDry) return true;
    const changes = writes.filter(({ collection, id, record }) => record || state[collection].has(id));
    state = next;
    // Done when it returns: nothing here waits.
    for (const { kind, id, artifact } of puts) void artifacts.put(kind, id, artifact);
    if (changes.length > 0) listeners.emit(changes.map(changeOf));
    return true;
  }

  const engine: RecordEngine = {
    ask: async (query) => answer(query),
    /** In the order of the registry's changes. */
    async commit(commit) {
      let done = false;
      await registry.update(
        (transaction) => {
          if (done && !commit.isDry) applyWrites(transaction, commit.registry?.writes ?? []);
        },
        async () => {
          done = apply(commit);
        },
      );
      return done;
    },
  };

  const get: RecordStore['get'] = async (collection, id) => copy(state[collection].get(id)?.record) as never;

  return {
    get,
    ...getOneByOne({ get }),
    userByName: async (name) => answer({ by: 'name', name }).record as UserRecord | undefined,
    userByLink: async (provider, subject) =>
      answer({ by: 'link', provider, subject }).record as UserRecord | undefined,
    isNameTaken: async (name) => isNameTaken(state, name),
    hasUsers: async () => state.users.size > 0,
    users: async ({ limit, after, mostRead, isReversed = false, ...filter }) => {
      const lead = leadOf(filter, countOf);
      const place = (user: UserRecord) => placeOf(user, lead, filter);
      return pageOf(recordsOf(state.users), place, { limit, after, mostRead, isReversed });
    },
    clients: async ({ limit, after, mostRead, isReversed = false, ...filter }) =>
      pageOf(recordsOf(state.clients), (client) => placeOfClient(client, filter), {
        ...{ limit, after, mostRead, isReversed },
      }),
    count: async (collection: GrowingCollection, filter: UserCount = {}) =>
      collection === 'clients' ? state.clients.size : countOf(filter),
    countClients: async (filter) =>
      recordsOf(state.clients).filter((client) => isInClientList(client, filter)).length,
    isRedirectOrigin: async (origin) =>
      recordsOf(state.clients).some(
        ({ disabled, redirectUris }) =>
          !disabled && redirectUris.some((uri) => origin !== 'null' && new URL(uri).origin === origin),
      ),
    isCounted: async () => true,
    hasAdministrator: async (withoutProvider) =>
      hasAdministrator(state, registry.all('providers'), withoutProvider),
    ...engine,
    change: (work) => changeRecords(engine, work),
    onChange: listeners.add,
  };
}

function withWrites(state: State, writes: RecordCommit['writes'], version: number): State {
  const next = { users: new Map(state.users), clients: new Map(state.clients) };
  for (const { collection, id, record } of writes) {
    if (record) next[collection].set(id, { version, record: copy(record) as never });
    else next[collection].delete(id);
  }
  return next;
}

function find(
  { users, ...state }: State,
  query: RecordQuery & { readonly by: 'id' | 'name' | 'link' },
): Stored<UserRecord | ClientRecord> | undefined {
  if (query.by === 'id') return { users, ...state }[query.collection].get(query.id);
  const isMeant = ({ username, federated }: UserRecord) =>
    query.by === 'name'
      ? foldedName(username) === foldedName(query.name)
      : federated?.subject === query.subject && federated.provider === query.provider;
  return [...users.values()].find(({ record }) => isMeant(record));
}

function isNameTaken({ users, clients }: State, name: string): boolean {
  const names = [...recordsOf(users).map(({ username }) => username), ...clients.keys()];
  return names.some((other) => foldedName(other) === foldedName(name) || shapeOf(other) === shapeOf(name));
}

function rejectDuplicates(users: State['users']): void {
  const [names, links] = [new Set<string>(), new Set<string>()];
  for (const { username, federated } of recordsOf(users)) {
    const link = federated ? JSON.stringify([federated.provider, federated.subject]) : undefined;
    if (names.has(foldedName(username))) throw new DuplicateRecordError('name');
    if (link !== undefined && links.has(link)) throw new DuplicateRecordError('link');
    names.add(foldedName(username));
    if (link !== undefined) links.add(link);
  }
}

type Providers = ReadonlyMap<string, ProviderRecord>;

function hasAdministrator({ users }: State, providers: Providers, withoutProvider?: string): boolean {
  return recordsOf(users).some(({ disabled, isInvited, roles, federated }) => {
    if (disabled || isInvited || !roles.includes('Admin')) return false;
    if (!federated) return true;
    const { provider } = federated;
    return provider !== withoutProvider && providers.get(provider)?.enabled === true;
  });
}

/** @returns what the user is listed by, and whether it is; undefined: not to be looked at */
function placeOf(user: UserRecord, lead: UserLead, filter: UserFilter): Place | undefined {
  const isWanted = isInList(user, filter);
  const [name, email] = [foldedName(user.username), foldedName(user.email ?? '')];
  if (lead === 'name') return { place: `0 ${name}\n${user.id}`, isWanted };
  if (lead !== 'beginning') {
    return isInList(user, { [lead]: filter[lead] }) ? { place: user.id, isWanted } : undefined;
  }
  const by = beginningOf(user, foldedName(filter.beginning ?? ''));
  if (by === undefined) return undefined;
  return { place: by === 'name' ? `0 ${name}\n${user.id}` : `1 ${email}\n${user.id}`, isWanted };
}

/** What the index that leads does not have is not looked at. */
function placeOfClient(client: ClientRecord, filter: ClientFilter): Place | undefined {
  const { beginning, ceilingRole, kind, status } = filter;
  const isWanted = isInClientList(client, filter);
  if (beginning !== undefined) {
    const by = foundBy(client, beginning);
    // Names of applications have an index of their own.
    if (kind === 'application' && kindOfClient(client) !== kind) return undefined;
    return by && { place: by.word === undefined ? `1 ${by.id}` : `2 ${by.word}\n${client.id}`, isWanted };
  }
  const led =
    ceilingRole === undefined
      ? status === 'disabled'
        ? { status }
        : kind === 'application'
          ? { kind }
          : {}
      : { ceilingRole };
  return isInClientList(client, led) ? { place: client.id, isWanted } : undefined;
}

interface Place {
  readonly place: string;
  readonly isWanted: boolean;
}

function pageOf<R>(
  all: readonly R[],
  placeOfOne: (record: R) => Place | undefined,
  { limit, after, mostRead, isReversed = false }: PageRequest & UserOrder,
): Page<R> {
  const isBehind = (place: string) => after === undefined || (isReversed ? place < after : place > after);
  const places = all.flatMap((record) => {
    const found = placeOfOne(record);
    return found && isBehind(found.place) ? [{ ...found, record }] : [];
  });
  places.sort((one, other) => (one.place < other.place === isReversed ? 1 : -1));
  const read = places.slice(0, mostRead);
  const wanted = read.filter(({ isWanted }) => isWanted);
  const page = wanted.slice(0, Math.min(limit, mostRecords));
  const records = page.map(({ record }) => copy(record));
  if (page.length < wanted.length) return { records, next: page.at(-1)!.place };
  return read.length === places.length ? { records } : { records, next: read.at(-1)!.place };
}

function recordsOf<R>(stored: ReadonlyMap<string, Stored<R>>): readonly R[] {
  return [...stored.values()].map(({ record }) => record);
}

function changeOf({ collection, id, record }: RecordCommit['writes'][number]): RecordChange {
  return { collection, id, record } as RecordChange;
}

/** No caller holds the stored object. */
function copy<T>(value: T): T {
  return value === undefined ? value : structuredClone(value);
}
