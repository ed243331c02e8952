/** Users and clients as long as they live in the registry: all in memory, looked through for each question. */

import { foldedName, shapeOf } from '../../name-keys.ts';
import {
  changeRecords,
  type RecordAnswer,
  type RecordCommit,
  type RecordEngine,
  type RecordQuery,
  registeredVersion,
} from '../../record-changes.ts';
import {
  type GrowingCollection,
  type GrowingRecords,
  growingCollections,
  LastAdministratorError,
  type Page,
  type PageRequest,
  type RecordChange,
  type RecordStore,
} from '../../record-store.ts';
import type { ClientRecord, UserRecord } from '../../records.ts';
import type { ArtifactStore, Registry, RegistryTransaction } from '../../storage.ts';

type Source = Pick<RegistryTransaction, 'get' | 'all'>;

export function createRegistryRecords(registry: Registry, artifacts: ArtifactStore): RecordStore {
  const versions = createVersions();
  const engine: RecordEngine = {
    ask: async (query) => answer(registry, query, versions),
    async commit(commit) {
      for (const { kind, id, artifact } of commit.artifacts) await artifacts.put(kind, id, artifact);
      return registry.update((transaction) => apply(transaction, commit, versions));
    },
  };
  const ask = (query: RecordQuery) => answer(registry, query, versions);

  return {
    get: async (collection, id) => registry.get(collection, id),
    userByName: async (name) => ask({ by: 'name', name }).record as UserRecord | undefined,
    userByLink: async (provider, subject) =>
      ask({ by: 'link', provider, subject }).record as UserRecord | undefined,
    isNameTaken: async (name) => ask({ by: 'look', name }).version === 'yes',
    hasUsers: async () => registry.all('users').size > 0,
    async users({ role, provider, beginning, ...request }) {
      const isWanted = (user: UserRecord) =>
        (role === undefined || user.roles.includes(role)) &&
        (provider === undefined || user.federated?.provider === provider) &&
        (beginning === undefined || beginsSo(user, foldedName(beginning)));
      const isById = role !== undefined || provider !== undefined;
      const keyOf = ({ id, username }: UserRecord) => (isById ? id : `${foldedName(username)}\n${id}`);
      return pageOf([...registry.all('users').values()].filter(isWanted), keyOf, request);
    },
    async clients({ ceilingRole, ...request }) {
      const all = [...registry.all('clients').values()];
      const isWanted = ({ maxRoles }: ClientRecord) =>
        ceilingRole === undefined || maxRoles?.includes(ceilingRole) === true;
      return pageOf(all.filter(isWanted), ({ id }) => id, request);
    },
    async count(
      collection: GrowingCollection,
      { role, provider }: { role?: string; provider?: string } = {},
    ) {
      if (collection === 'clients' || (role === undefined && provider === undefined))
        return registry.all(collection).size;
      return [...registry.all('users').values()].filter(
        (user) =>
          (role === undefined || user.roles.includes(role)) &&
          (!provider || user.federated?.provider === provider),
      ).length;
    },
    isRedirectOrigin: async (origin) =>
      [...registry.all('clients').values()].some(
        ({ disabled, redirectUris }) =>
          !disabled && redirectUris.some((uri) => new URL(uri).origin === origin),
      ),
    hasAdministrator: async (withoutProvider) => hasAdministrator(registry, withoutProvider),
    change: (work) => changeRecords(engine, work),
    onChange(listener) {
      let before = stateOf(registry);
      return registry.onChange(() => {
        const after = stateOf(registry);
        const changes = differences(before, after);
        before = after;
        if (changes.length > 0) listener(changes);
      });
    },
  };
}

function createVersions() {
  const known = new WeakMap<object, string>();
  let last = 0;
  return (record: object | undefined): string => {
    if (!record) return '';
    const found = known.get(record) ?? `${++last}`;
    known.set(record, found);
    return found;
  };
}

function answer(
  source: Source,
  query: RecordQuery,
  versionOf: ReturnType<typeof createVersions>,
): RecordAnswer {
  if (query.by === 'any-user') return { version: source.all('users').size > 0 ? 'yes' : 'no' };
  if (query.by === 'look') return { version: isTaken(source, query.name) ? 'yes' : 'no' };
  if (query.by === 'registry') {
    const record = source.get(query.collection, query.id);
    return { record, version: registeredVersion(record) };
  }
  const record = find(source, query);
  return { record, version: versionOf(record) };
}

function find(
  source: Source,
  query: Exclude<RecordQuery, { by: 'any-user' | 'look' | 'registry' }>,
): UserRecord | ClientRecord | undefined {
  if (query.by === 'id') return source.get(query.collection, query.id);
  const users = source.all('users').values();
  if (query.by === 'name') {
    const folded = foldedName(query.name);
    for (const user of users) if (foldedName(user.username) === folded) return user;
    return undefined;
  }
  for (const user of users) {
    if (user.federated?.subject === query.subject && user.federated.provider === query.provider) return user;
  }
  return undefined;
}

function isTaken(source: Source, name: string): boolean {
  const [folded, shape] = [foldedName(name), shapeOf(name)];
  const isLike = (other: string) => foldedName(other) === folded || shapeOf(other) === shape;
  for (const id of source.all('clients').keys()) if (isLike(id)) return true;
  for (const user of source.all('users').values()) if (isLike(user.username)) return true;
  return false;
}

function apply(
  transaction: RegistryTransaction,
  { expected, writes }: RecordCommit,
  versionOf: ReturnType<typeof createVersions>,
): boolean {
  for (const { query, version } of expected) {
    if (answer(transaction, query, versionOf).version !== version) return false;
  }
  const hadAdministrator = hasAdministrator(transaction);
  for (const { collection, id, record } of writes) {
    if (record) transaction.put(collection, record as GrowingRecords[typeof collection]);
    else transaction.remove(collection, id);
  }
  if (hadAdministrator && !hasAdministrator(transaction)) throw new LastAdministratorError();
  return true;
}

function hasAdministrator(source: Source, withoutProvider?: string): boolean {
  for (const { disabled, roles, federated } of source.all('users').values()) {
    if (disabled || !roles.includes('Admin')) continue;
    if (!federated) return true;
    const isEnabled = source.get('providers', federated.provider)?.enabled === true;
    if (isEnabled && federated.provider !== withoutProvider) return true;
  }
  return false;
}

function beginsSo({ username, email }: UserRecord, beginning: string): boolean {
  return foldedName(username).startsWith(beginning) || email?.toLowerCase().startsWith(beginning) === true;
}

function pageOf<R>(
  all: readonly R[],
  keyOf: (record: R) => string,
  { limit, after = '' }: PageRequest,
): Page<R> {
  const sorted = all.map((record) => ({ key: keyOf(record), record })).filter(({ key }) => key > after);
  sorted.sort((one, other) => (one.key < other.key ? -1 : 1));
  const records = sorted.slice(0, limit);
  const isLast = records.length === sorted.length;
  return { records: records.map(({ record }) => record), ...(isLast ? {} : { next: records.at(-1)!.key }) };
}

type State = { readonly [C in GrowingCollection]: ReadonlyMap<string, unknown> };

function stateOf(registry: Registry): State {
  return { users: registry.all('users'), clients: registry.all('clients') };
}

function differences(before: State, after: State): RecordChange[] {
  return growingCollections.flatMap((collection) => {
    const ids = new Set([...before[collection].keys(), ...after[collection].keys()]);
    return [...ids]
      .filter((id) => before[collection].get(id) !== after[collection].get(id))
      .map((id) => ({ collection, id, record: after[collection].get(id) }) as RecordChange);
  });
}
