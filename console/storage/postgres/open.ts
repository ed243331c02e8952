/** Opens the storage in PostgreSQL, which any number of consoles share. */
import { randomUUID } from 'node:crypto';
import { createSerial } from '../../../platform/async/serial.ts';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { createPutListeners, isAnnounced } from '../engine/put-listeners.ts';
import type { StorageLog } from '../engine/storage-log.ts';
import type { DatabaseWatch, Duty } from '../shared-store.ts';
import type { NamedArtifact, Storage, StoreCheck } from '../storage.ts';
import { addressOf, dumpOf } from './address.ts';
import { openPostgresArtifacts, readNamed } from './artifacts-postgres.ts';
import { type ChangedNames, type ChangeLog, createChangeLog, lastChange } from './change-log.ts';
import { createDatabase, type Database, type Queries, statement } from './database.ts';
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts';
import { asRejection, asStorageError, readOnly } from './database-errors.ts';
import { databaseState } from './database-state.ts';
import { clockValue, inTermOf, type Lease, openLease } from './lease.ts';
import { type Notices, type NoticesDeps, startNotices } from './notices.ts';
import { createCommits } from './ordered-commits.ts';
import { rejectOtherSchema } from './pooler.ts';
import { fillClients } from './records/index-filling.ts';
import { openPostgresRecords, type PostgresRecords } from './records/records-postgres.ts';
import { openPostgresRegistry, type PostgresRegistry } from './registry-postgres.ts';
import { migrate, newer, serves } from './schema/migrate.ts';
import { createSharedCounts } from './shared-counts.ts';
import { checkDatabase } from './store-check.ts';

export interface OpenPostgresOptions {
  /** As `CONSOLE_DATABASE_URL`. */
  readonly url: string;
  /** As `CONSOLE_DATABASE_LISTEN_URL`. */
  readonly listenUrl?: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** By which what lies there ends; absent: the clock of the database. */
  readonly endsBy?: () => number;
  /** The same as {@link now}, going on evenly whatever is done to the clock: counters go by it. */
  readonly steady?: () => number;
  readonly log?: StorageLog | undefined;
  /** This process has missed changes that are gone: what it holds in memory is not to be trusted any more. */
  readonly onGap?: () => void;
  /** A later version takes away what this process needs of the tables. @param message  as a start says it */
  readonly onNewer?: (message: string) => void;
}

const withoutNamesText =
  'a pooler before the database has no prepared statements: each is planned anew. PgBouncer 1.21 has them, by max_prepared_statements';

const silentText =
  'the database does not tell of changes (LISTEN): they are looked for twice a second. Behind a pooler CONSOLE_DATABASE_LISTEN_URL has to name the database itself';

const probe = statement('probe', 'update change_clock set probed_at = now()');

/**
 * @throws {StorageRejectedError} when the database is of somebody else, of a later version, or does not let us in
 * @throws {StorageUnavailableError} when it cannot be reached
 */
export async function openPostgresStorage(options: OpenPostgresOptions): Promise<Storage> {
  const { url, listenUrl, log } = options;
  const holder = randomUUID();
  const clock = createDatabaseClock(options.now ?? Date.now, log);
  const database = createDatabase({
    address: addressOf(url),
    ...(listenUrl !== undefined && { listenAddress: addressOf(listenUrl) }),
    onConnectionLost: (err) => log?.warn({ err }, 'a connection to the database was lost'),
    onNamesLost: () => log?.warn({}, withoutNamesText),
  });
  try {
    await prepare(database, holder, clock, options);
    return await openPrepared(database, holder, clock, options);
  } catch (error) {
    await database.close();
    throw asRejection(error) ?? asStorageError(error);
  }
}

async function prepare(
  database: Database,
  holder: string,
  clock: DatabaseClock,
  { url, now = Date.now }: OpenPostgresOptions,
): Promise<void> {
  const client = await database.connectAlone();
  try {
    await database.explore(client);
    await rejectOtherSchema(client, addressOf(url).schema);
    const asked = now();
    const { rows } = await client.query<{ read_only: boolean; clock: number }>(
      `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only,
        ${clockValue} as clock`,
    );
    if (rows[0]!.read_only) throw readOnly();
    clock.answered(asked, rows[0]!.clock);
    await migrate({ client, database, holder });
  } finally {
    await client.end().catch(() => {});
  }
}

async function openPrepared(
  database: Database,
  holder: string,
  clock: DatabaseClock,
  options: OpenPostgresOptions,
): Promise<Storage> {
  const { url, listenUrl, log, onGap = () => {}, onNewer = () => {} } = options;
  const { now = Date.now, endsBy = clock.now, steady = now } = options;
  const { onPut, emit } = createPutListeners(log);
  const emitPuts = (puts: readonly NamedArtifact[]) => {
    for (const { kind, artifact } of puts) if (isAnnounced(kind)) emit({ kind, artifact });
  };
  const { rows } = await database.run<{ seq: number }>(lastChange);
  let deliver = async (_names: readonly ChangedNames[], _queries: Queries): Promise<void> => {};
  const changes: ChangeLog = createChangeLog({
    database,
    start: rows[0]!.seq,
    deliver: (names, queries) => deliver(names, queries),
    onGap,
  });
  const inTurn = createSerial();
  const notify = () => notices.notify();
  const onDoubt = () => notices.checkAgain();
  const commits = createCommits({ database, log: changes, inTurn, notify, onDoubt });
  // After the number of the last change: what comes in between is read twice.
  const registry = await openPostgresRegistry(database, () => commits, log);
  const { records, loader, writtenBy, recentUsers, ...own } = openPostgresRecords({
    database,
    commits,
    registry,
    emitPuts,
    log,
  });
  deliver = createDelivery(registry, own.deliver, emitPuts);
  const shared = { log: changes, inTurn, emit, notify, onDoubt, recentUsers, now: endsBy, steady };
  const artifacts = openPostgresArtifacts({ database, ...shared });
  let found = (_last: number) => {};
  const lease = await openLease({
    database,
    holder,
    clock,
    now,
    onState(last, form) {
      if (!serves(form)) onNewer(newer(form).message);
      found(last);
    },
    onReleased: () => notices.notifyReleased(),
  });
  const notices = startNotices({
    database,
    holder,
    advance: changes.advance,
    isKnown: changes.isKnown,
    onGap,
    onReleased: lease.ask,
    ...saidOfNotices(log, listenUrl !== undefined),
  });
  found = notices.found;
  const runs = new Map<Duty, number>();
  const ran = (duty: Duty) => void runs.set(duty, now());
  const storage: Storage = {
    registry,
    artifacts: { ...artifacts, onPut },
    records,
    loader,
    leadership: { term: lease.term, holder, ran, inTerm },
    counts: createSharedCounts(database),
    async checkWritable() {
      await database.run(probe);
    },
    onWriteFailure: database.onFailure,
    // The database looks after its pages itself, for all consoles: what it finds damaged it does not give.
    countDamaged: async () => 0,
    lastDamageCount: () => undefined,
    fillIndexes: (signal) => fillClients(database, signal),
    check: () => checkAlone(database),
    database: () => databaseState(database, now),
    clock: clock.now,
    watch: () => watchOf({ database, clock, notices, lease, runs }),
    ...leftToTools(url),
    async close() {
      await notices.close();
      await lease.close();
      await database.close();
    },
  };
  return storage;

  function inTerm(term: number): Storage {
    const fenced = inTermOf(database, { lease, holder, term });
    const ordered = createCommits({ database: fenced, log: changes, inTurn, notify, onDoubt });
    const isOn = () => (lease.term() === term ? term : undefined);
    return {
      ...storage,
      leadership: { term: isOn, holder, ran, inTerm },
      registry: registry.writtenBy(ordered),
      ...writtenBy(ordered),
      artifacts: { ...openPostgresArtifacts({ database: fenced, ...shared }), onPut },
      fillIndexes: (signal) => fillClients(fenced, signal),
    };
  }
}

interface Watched {
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly notices: Notices;
  readonly lease: Lease;
  readonly runs: DatabaseWatch['runs'];
}

function watchOf({ database, clock, notices, lease, runs }: Watched): DatabaseWatch {
  return {
    connections: database.connections(),
    ...database.counts(),
    aheadMs: clock.aheadMs(),
    isListening: notices.isListening(),
    changesAgeMs: notices.ageMs(),
    term: lease.term(),
    runs,
  };
}

/** @param isElsewhere  whether it is listened to by another way than everything else goes */
function saidOfNotices(
  log: StorageLog | undefined,
  isElsewhere: boolean,
): Pick<NoticesDeps, 'onReachable' | 'onSilent'> {
  return {
    onReachable: (isReachable) =>
      isReachable
        ? log?.warn({}, 'the database answers again')
        : log?.warn({}, 'the database cannot be read: what other consoles change is not known meanwhile'),
    onSilent(error) {
      // That the database is away is said otherwise.
      if (error === undefined || isElsewhere) log?.warn({ err: error }, silentText);
    },
  };
}

/** What others have changed, by topic; one that is gone again meanwhile is told of by its next change. */
function createDelivery(
  registry: PostgresRegistry,
  deliverRecords: PostgresRecords['deliver'],
  emitPuts: (puts: readonly NamedArtifact[]) => void,
) {
  return async (all: readonly ChangedNames[], queries: Queries): Promise<void> => {
    const ofRegistry = all.flatMap((names) => names.registry ?? []);
    const ofRecords = all.flatMap((names) => names.records ?? []);
    const puts = all.flatMap((names) => names.puts ?? []);
    if (ofRegistry.length > 0) await registry.deliver(ofRegistry, queries);
    if (ofRecords.length > 0) await deliverRecords(ofRecords, queries);
    if (puts.length === 0) return;
    const found = await readNamed(queries, puts);
    for (const [kind, key] of puts) {
      const artifact = found.get(`${kind} ${key}`);
      if (artifact) emitPuts([{ kind, id: key, artifact }]);
    }
  };
}

/** On a connection without a bound on time, since all of it is read. */
async function checkAlone(database: Database): Promise<StoreCheck> {
  const client = await database.connectAlone();
  try {
    return await checkDatabase(database.queriesAlone(client));
  } catch (error) {
    throw asStorageError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

function leftToTools(url: string): Pick<Storage, 'backup' | 'downgrade'> {
  return {
    backup: () =>
      elsewhere(`back it up by ${dumpOf(url)}, which copies it as it is at one moment while consoles run`),
    downgrade: () =>
      elsewhere('an earlier release uses its tables as they are, or says that it cannot: start that one'),
  };
}

async function elsewhere(advice: string): Promise<never> {
  throw new ProblemError(problems.conflict, `The store is in PostgreSQL (CONSOLE_DATABASE_URL): ${advice}.`);
}
