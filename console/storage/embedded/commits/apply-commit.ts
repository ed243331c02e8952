/** What a commit of records does to LMDB, all of it or nothing, on whichever thread. */
import { artifactKey } from '../../digest.ts';
import {
  countKeysOf,
  indexKeysOf,
  indexUnder,
  isAdministratorKey,
  keysWithout,
  recordKey,
} from '../../engine/record-indexes.ts';
import { foldedName } from '../../name-keys.ts';
import type { RecordCommit, RecordWrite } from '../../record-engine.ts';
import {
  DuplicateRecordError,
  type GrowingCollection,
  type GrowingRecords,
  LastAdministratorError,
  type RecordChange,
} from '../../record-store.ts';
import type { UserRecord } from '../../records.ts';
import { providersAfter } from '../../registry-writes.ts';
import type { Registry } from '../../storage.ts';
import type { ArtifactEntries } from '../lmdb/artifact-entries.ts';
import { presentKeys, type RecordKeys } from '../lmdb/index-filling.ts';
import type { LmdbKey } from '../lmdb/lmdb-environment.ts';
import type { RecordAnswers } from '../lmdb/record-answers.ts';
import { DamagedRecordError } from '../lmdb/record-codec.ts';
import { type RecordDatabases, sequenceKey } from '../lmdb/record-databases.ts';

export interface CommitTarget {
  readonly databases: RecordDatabases;
  readonly answers: RecordAnswers;
  readonly artifacts: Pick<ArtifactEntries, 'put'>;
  readonly registry: Pick<Registry, 'all'>;
}

/** `ordered`: it has to be decided while no change of the registry is under way; nothing was written. */
export type CommitOutcome = 'overtaken' | 'ordered' | readonly RecordChange[];

/** In the transaction that is under way; what throws takes it back. */
export function applyCommit(deps: CommitTarget, commit: RecordCommit, isOrdered: boolean): CommitOutcome {
  const { databases, answers, artifacts } = deps;
  const { expected, writes } = commit;
  if (expected.some(({ query, version }) => answers.answer(query).version !== version)) return 'overtaken';

  const plans = writes.map((write) => planOf(deps, write));
  const ofRegistry = commit.registry?.writes ?? [];
  const takesAdministrator =
    ofRegistry.some(({ collection }) => collection === 'providers') ||
    plans.some(({ unindexed }) => unindexed.some(isAdministratorKey));
  if (takesAdministrator && !isOrdered) return 'ordered';
  const hadAdministrator = takesAdministrator && answers.hasAdministrator();

  if (plans.length > 0) carryOut(databases, plans);
  for (const { write, indexed } of plans) {
    if (indexed.some(([name]) => name === 'name' || name === 'link')) rejectDuplicate(answers, write);
  }
  if (hadAdministrator && !answers.hasAdministrator(undefined, providersAfter(deps.registry, ofRegistry)))
    throw new LastAdministratorError();
  for (const { kind, id, artifact } of commit.artifacts) artifacts.put(kind, artifactKey(id), artifact);
  return plans.flatMap(({ write, isChange }) => (isChange ? [changeOf(write)] : []));
}

interface Plan {
  readonly write: RecordWrite;
  /** Not so for the removal of what is not there. */
  readonly isChange: boolean;
  readonly unindexed: readonly LmdbKey[];
  readonly indexed: readonly LmdbKey[];
  readonly uncounted: readonly LmdbKey[];
  readonly counted: readonly LmdbKey[];
}

function planOf({ databases, answers }: CommitTarget, write: RecordWrite): Plan {
  const { collection, id, record } = write;
  const key = recordKey(id);
  const before = beforeOf(databases, answers, collection, key);
  const after = record && keysOf(collection, record);
  return {
    write,
    isChange: record !== undefined || before !== undefined,
    unindexed: keysWithout(before?.index ?? [], after?.index ?? []),
    indexed: keysWithout(after?.index ?? [], before?.index ?? []),
    uncounted: keysWithout(before?.counts ?? [], after?.counts ?? []),
    counted: keysWithout(after?.counts ?? [], before?.counts ?? []),
  };
}

function keysOf<C extends GrowingCollection>(collection: C, record: GrowingRecords[C]): RecordKeys {
  return { index: indexKeysOf(collection, record), counts: countKeysOf(collection, record) };
}

/**
 * A damaged record does not say any more what points at it, so all of the index is looked through: seconds where
 * there are a million, and correct.
 */
function beforeOf(
  databases: RecordDatabases,
  answers: RecordAnswers,
  collection: GrowingCollection,
  key: LmdbKey,
): RecordKeys | undefined {
  try {
    const found = answers.stored(collection, key);
    return found && presentKeys(databases, keysOf(collection, found.record));
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    return keysOfDamaged(databases, collection, key);
  }
}

function keysOfDamaged({ index }: RecordDatabases, collection: GrowingCollection, key: LmdbKey): RecordKeys {
  const found: LmdbKey[] = [];
  for (const { key: entry } of index.under([])) {
    if (entry.at(-1) === key[0] && collectionOf(entry) === collection) found.push(entry);
  }
  const counts = found.flatMap(([name, part]) =>
    name === 'role' || name === 'provider' || name === 'status' ? [['count', collection, name, part!]] : [],
  );
  return { index: found, counts: [['count', collection], ...counts] };
}

function collectionOf(entry: LmdbKey): GrowingCollection {
  if (entry[0] === 'shape') return entry[2] as GrowingCollection;
  const isOfClients = /^(client-.*|ceiling-role|redirect-origin)$/.test(String(entry[0]));
  return isOfClients ? 'clients' : 'users';
}

function carryOut({ index, meta, ...collections }: RecordDatabases, plans: readonly Plan[]): void {
  const version = (meta.get(sequenceKey) ?? 0) + 1;
  meta.put(sequenceKey, version);
  for (const { write, unindexed, indexed, uncounted, counted } of plans) {
    const { collection, id, record } = write;
    const key = recordKey(id);
    if (record) collections[collection].put(key, { version, record: record as never });
    else collections[collection].remove(key);
    for (const each of unindexed) index.remove(each);
    for (const each of indexed) index.put(each, true);
    for (const each of uncounted) count(meta, each, -1);
    for (const each of counted) count(meta, each, 1);
  }
}

function count(meta: RecordDatabases['meta'], key: LmdbKey, difference: 1 | -1): void {
  const next = (meta.get(key) ?? 0) + difference;
  if (next > 0) meta.put(key, next);
  else meta.remove(key);
}

function rejectDuplicate(answers: RecordAnswers, { id, record }: RecordWrite): void {
  if (!record) return;
  const { username, federated } = record as UserRecord;
  const folded = foldedName(username);
  const isOther = (user: UserRecord) => user.id !== id;
  const isNamesake = (user: UserRecord) => isOther(user) && foldedName(user.username) === folded;
  if (answers.firstUser(indexUnder.name(username), isNamesake)) throw new DuplicateRecordError('name');
  if (!federated) return;
  const { provider, subject } = federated;
  const isSamePerson = (user: UserRecord) =>
    isOther(user) && user.federated?.subject === subject && user.federated.provider === provider;
  if (answers.firstUser(indexUnder.link(provider, subject), isSamePerson))
    throw new DuplicateRecordError('link');
}

export function changeOf({ collection, id, record }: RecordWrite): RecordChange {
  return { collection, id, record } as RecordChange;
}
