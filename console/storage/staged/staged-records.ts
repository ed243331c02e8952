/**
 * Users and clients as they would be: what is changed is held here, over a base that stays as it is. The base is asked
 * for what was not changed, and what it answered is what all of it hangs on.
 */
import { isInClientList } from '../client-lists.ts';
import { changeRecords } from '../record-changes.ts';
import {
  nameOfQuery,
  type RecordAnswer,
  type RecordCommit,
  type RecordEngine,
  type RecordQuery,
  type RecordWrite,
} from '../record-engine.ts';
import {
  type GrowingCollection,
  type GrowingRecords,
  getOneByOne,
  type Page,
  type RecordChange,
  type RecordStore,
  type UserCount,
} from '../record-store.ts';
import type { ClientRecord, UserRecord } from '../records.ts';
import { StorageUnavailableError } from '../storage.ts';
import { isInList } from '../user-lists.ts';
import type { StagedArtifacts } from './staged-artifacts.ts';
import { createStagedKeys, type StagedRecord } from './staged-keys.ts';
import { createStagedListeners } from './staged-listeners.ts';
import type { StagedRegistry } from './staged-registry.ts';

export interface StagedRecordsDeps {
  readonly base: RecordStore & RecordEngine;
  readonly registry: StagedRegistry;
  readonly artifacts: Pick<StagedArtifacts, 'take'>;
  /** Looks at what each change makes of the base, and throws what a commit of it would. */
  readonly onStaged: (own: readonly StagedRecord[]) => Promise<void>;
}

export interface StagedRecords extends RecordStore, RecordEngine {
  /** All that has been changed, for one commit. */
  pending(): RecordCommit;
}

interface Answered {
  readonly found: RecordAnswer;
  /** A commit hangs on it then. */
  readonly isOfBase: boolean;
}

/** Nothing was changed. */
export class TooManyStagedError extends StorageUnavailableError {}

/** They are held in memory. */
const mostStaged = 50_000;

export function createStagedRecords({
  base,
  registry,
  artifacts,
  onStaged,
}: StagedRecordsDeps): StagedRecords {
  const staged = new Map<string, StagedRecord>();
  const keys = createStagedKeys();
  const expected = new Map<string, RecordCommit['expected'][number]>();
  const puts: RecordCommit['artifacts'][number][] = [];
  const listeners = createStagedListeners<readonly RecordChange[]>();
  let sequence = 0;
  /** What the base answered: who changes a record asks for it several times. A commit hangs on its version. */
  let latest: { readonly key: string; readonly answer: RecordAnswer } | undefined;
  const users = () => [...staged.values()].filter(({ collection }) => collection === 'users');

  /** @returns undefined where the base answers */
  function ownAnswer(query: RecordQuery): RecordAnswer | undefined {
    if (query.by === 'registry') {
      if (!registry.isChanged(query.collection, query.id)) return undefined;
      const record = registry.get(query.collection, query.id);
      return { version: `staged ${JSON.stringify(record)}`, record };
    }
    if (query.by === 'look') return keys.isNameTaken(query.name) ? { version: 'yes' } : undefined;
    if (query.by === 'any-user') return users().some(({ record }) => record) ? { version: 'yes' } : undefined;
    const id = query.by === 'id' ? query.id : keys.userBy(query);
    const found =
      id === undefined ? undefined : staged.get(nameOf(query.by === 'id' ? query.collection : 'users', id));
    return found && { version: found.version, record: found.record };
  }

  async function answer(query: RecordQuery): Promise<Answered> {
    const own = ownAnswer(query);
    if (own) return { found: own, isOfBase: false };
    const found = await askBase(query);
    const isMoved =
      (query.by === 'name' || query.by === 'link') &&
      found.record !== undefined &&
      staged.has(nameOf('users', found.record.id));
    return isMoved ? { found: { version: '' }, isOfBase: false } : { found, isOfBase: true };
  }

  async function askBase(query: RecordQuery): Promise<RecordAnswer> {
    if (query.by !== 'id') return base.ask(query);
    const key = nameOfQuery(query);
    if (latest?.key !== key) latest = { key, answer: await base.ask(query) };
    return latest.answer;
  }

  async function ask(query: RecordQuery): Promise<RecordAnswer> {
    const { found, isOfBase } = await answer(query);
    if (!isOfBase) return found;
    const key = nameOfQuery(query);
    if (!expected.has(key)) expected.set(key, { query, version: found.version });
    return found;
  }

  async function commit(change: RecordCommit): Promise<boolean> {
    const isOvertaken = change.expected.some(({ query, version }) => {
      const own = ownAnswer(query);
      return own !== undefined && own.version !== version;
    });
    if (isOvertaken) return false;
    if (staged.size + change.writes.length > mostStaged) {
      throw new TooManyStagedError(`this changes more than ${mostStaged} records at once`);
    }
    const own = await Promise.all(change.writes.map(stagedOf));
    await onStaged(own);
    for (const one of own) {
      staged.set(nameOf(one.collection, one.id), one);
      keys.replace(one);
    }
    for (const { kind, id, artifact } of change.artifacts) artifacts.take(kind, id, artifact);
    puts.push(...change.artifacts);
    if (own.length > 0) {
      listeners.emit(own.map(({ collection, id, record }) => ({ collection, id, record }) as RecordChange));
    }
    return true;
  }

  async function stagedOf({ collection, id, record }: RecordWrite): Promise<StagedRecord> {
    const earlier = staged.get(nameOf(collection, id));
    const before = earlier
      ? earlier.before
      : ((await askBase({ by: 'id', collection, id })).record as StagedRecord['before']);
    return { collection, id, before, record, version: `staged ${++sequence}` };
  }

  const engine: RecordEngine = { ask, commit };
  const find = async (query: RecordQuery) => (await answer(query)).found.record;

  function ownOf<C extends GrowingCollection>(collection: C) {
    return [...staged.values()].filter((one) => one.collection === collection) as (StagedRecord & {
      readonly record: GrowingRecords[C] | undefined;
      readonly before: GrowingRecords[C] | undefined;
    })[];
  }

  /** What is new here stands at the end, whatever the order. */
  function overlaid<C extends GrowingCollection>(
    collection: C,
    page: Page<GrowingRecords[C]>,
    isListed: (record: GrowingRecords[C]) => boolean,
  ): Page<GrowingRecords[C]> {
    const records = page.records.flatMap((record) => {
      const own = staged.get(nameOf(collection, record.id));
      const now = own ? (own.record as GrowingRecords[C] | undefined) : record;
      return now && isListed(now) ? [now] : [];
    });
    if (page.next !== undefined) return { records, next: page.next };
    const added = ownOf(collection).flatMap(({ before, record }) =>
      record && isListed(record) && !(before && isListed(before)) ? [record] : [],
    );
    return { records: [...records, ...added] };
  }

  const get: RecordStore['get'] = async (collection, id) =>
    (await find({ by: 'id', collection, id })) as never;

  return {
    ...engine,
    get,
    ...getOneByOne({ get }),
    userByName: async (name) => (await find({ by: 'name', name })) as UserRecord | undefined,
    userByLink: async (provider, subject) =>
      (await find({ by: 'link', provider, subject })) as UserRecord | undefined,
    isNameTaken: async (name) => (await answer({ by: 'look', name })).found.version === 'yes',
    hasUsers: async () => (await answer({ by: 'any-user' })).found.version === 'yes',
    users: async (request) => overlaid('users', await base.users(request), (user) => isInList(user, request)),
    clients: async (request) =>
      overlaid(
        'clients',
        await base.clients(request),
        ({ maxRoles }) =>
          request.ceilingRole === undefined || (maxRoles?.includes(request.ceilingRole) ?? false),
      ),
    async count(collection: GrowingCollection, filter: UserCount = {}) {
      const isCounted = (record: UserRecord | ClientRecord | undefined) =>
        record !== undefined && (collection === 'clients' || isInList(record as UserRecord, filter));
      const before =
        collection === 'users' ? await base.count(collection, filter) : await base.count('clients');
      return ownOf(collection).reduce(
        (sum, one) => sum + Number(isCounted(one.record)) - Number(isCounted(one.before)),
        before,
      );
    },
    async countClients(filter) {
      const before = await base.countClients(filter);
      if (before === undefined) return undefined;
      const isMeant = (client: ClientRecord | undefined) =>
        client !== undefined && isInClientList(client, filter);
      return ownOf('clients').reduce(
        (sum, one) => sum + Number(isMeant(one.record)) - Number(isMeant(one.before)),
        before,
      );
    },
    isRedirectOrigin: async (origin) =>
      ownOf('clients').some(({ record }) => record && !record.disabled && hasOrigin(record, origin)) ||
      base.isRedirectOrigin(origin),
    isCounted: base.isCounted,
    hasAdministrator: base.hasAdministrator,
    change: (work) => changeRecords(engine, work),
    onChange: listeners.add,
    pending: () => ({
      expected: [...expected.values()],
      writes: [...staged.values()].map(asWrite),
      artifacts: puts,
    }),
  };
}

export function asWrite({ collection, id, record }: StagedRecord): RecordWrite {
  return { collection, id, ...(record && { record }) };
}

function hasOrigin({ redirectUris }: ClientRecord, origin: string): boolean {
  return redirectUris.some((uri) => origin !== 'null' && new URL(uri).origin === origin);
}

function nameOf(collection: GrowingCollection, id: string): string {
  return `${collection} ${id}`;
}
