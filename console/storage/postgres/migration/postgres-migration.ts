/** Opens a store in PostgreSQL to be moved from, or a database that another store is moved into. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { ProblemError, problems } from '../../../../platform/errors.ts';
import type {
  StoreContents,
  StoreItems,
  StorePart,
  StorePlace,
  StoreTarget,
} from '../../migration/store-contents.ts';
import { StorageRejectedError, StorageUnavailableError } from '../../storage.ts';
import { addressOf, type DatabaseAddress } from '../address.ts';
import { createDatabase, type Database, inTransaction, type Queries, type Statement } from '../database.ts';
import { asRejection, asStorageError, readOnly, sqlState } from '../database-errors.ts';
import { migrate, rejectUnreadable } from '../schema/migrate.ts';
import { checkDatabase } from '../store-check.ts';
import { moveStatements as sql } from './move-statements.ts';
import { putMovedArtifacts, putMovedRecords, putMovedRegistry } from './moved-writes.ts';
import { postgresContents } from './postgres-contents.ts';

/** A console that was killed has the lease for so long. */
const patienceMs = 8_000;
const pollMs = 250;

/** Where the store is, for people and for those who compare: without the password. */
export function nameOfDatabase(url: string): string {
  const { host, port, user, database, options } = addressOf(url);
  const schema = options?.replace(/^.*=/, '');
  return `postgres://${user}@${host}:${port}/${database}${schema === undefined ? '' : `?schema=${schema}`}`;
}

/**
 * A database that takes no writes will do, such as a standby.
 *
 * @throws {StorageRejectedError} `locked` while a console runs on it, or why it cannot be read
 * @throws {ProblemError} `not_found` where there is none
 */
export function openPostgresSource(url: string): Promise<StoreContents> {
  return connected(addressOf(url), async (client, close, database) => {
    await rejectUnreadable(client);
    const queries = database.queriesAlone(client);
    const begun = await waitUntilUnused(queries);
    return {
      ...postgresContents(queries),
      async confirmUnused() {
        if ((await usage(queries, begun)).found) throw inUse();
      },
      close,
    };
  });
}

/**
 * @param source  names the store that is moved, without a secret
 * @throws {StorageRejectedError} why it cannot be written
 * @throws {ProblemError} `conflict` where there is a store already, a part of another one, or another process at it
 */
export function openPostgresTarget(url: string, source: string): Promise<StoreTarget> {
  const address = addressOf(url);
  return connected(address, async (client, close, database) => {
    const queries = database.queriesAlone(client);
    if (await isSo(queries, sql.takesNoWrites)) throw readOnly();
    const run = randomUUID();
    await migrate({ client, database, holder: run, isHalfMigrated: true });
    return connected(address, async (guard, closeGuard, beside) => {
      await guardMeta(beside.queriesAlone(guard));
      const place = await begin(queries, { source, run });
      return {
        ...postgresContents(queries),
        ...writerOf(queries, run),
        place,
        check: () => checkDatabase(queries),
        async confirmUnused() {},
        close: () => closeGuard().finally(close),
      };
    });
  });
}

async function connected<T>(
  address: DatabaseAddress,
  work: (client: pg.Client, close: () => Promise<void>, database: Database) => Promise<T>,
): Promise<T> {
  const database = createDatabase({ address, onConnectionLost: () => {} });
  let client: pg.Client | undefined;
  const close = async () => {
    await client?.end().catch(() => {});
    await database.close();
  };
  try {
    client = await database.connectAlone();
    return await work(client, close, database);
  } catch (error) {
    await close();
    throw asRejection(error) ?? asStorageError(error);
  }
}

async function usage(queries: Queries, since?: string) {
  const { rows } = await queries.run<{ found: boolean; now: string }>(sql.isInUse, [since]);
  return rows[0]!;
}

/** @returns the time of the database since which nobody has it */
async function waitUntilUnused(queries: Queries): Promise<string> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { found, now } = await usage(queries);
    if (!found) return now;
    if (performance.now() > deadline) throw inUse();
    await delay(pollMs);
  }
}

function inUse(): StorageRejectedError {
  return new StorageRejectedError(
    'locked',
    'A console, or a command, runs on the database of CONSOLE_DATABASE_URL: stop all that use it, and begin again.',
  );
}

async function guardMeta(queries: Queries): Promise<void> {
  try {
    for (const statement of sql.guard) await queries.run(statement);
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
    throw new ProblemError(
      problems.conflict,
      'Another process is moving a store into this database at the moment.',
    );
  }
}

interface Run {
  /** Names the store that is moved. */
  readonly source: string;
  /** Of this process. */
  readonly run: string;
}

/** @returns where an earlier run has stopped */
async function begin(queries: Queries, { source, run }: Run): Promise<StorePlace | undefined> {
  if (await isSo(queries, sql.hasMove)) return goOn(queries, { source, run });
  await waitUntilUnused(queries);
  await inTransaction(queries, async () => {
    await queries.run(sql.holdChanges);
    if (await isSo(queries, sql.hasContent))
      throw new ProblemError(
        problems.conflict,
        'There is a store in the database already: name an empty database, or another ?schema=.',
      );
    await queries.run(sql.createMove);
    await queries.run(sql.beginMove, [source, run]);
  });
  return undefined;
}

async function isSo(queries: Queries, question: Statement): Promise<boolean> {
  return (await queries.run<{ found: boolean }>(question)).rows[0]!.found;
}

async function goOn(queries: Queries, { source, run }: Run): Promise<StorePlace | undefined> {
  const { rows } = await queries.run<{ source: string; place: StorePlace | null }>(sql.readMove);
  if (rows[0]?.source !== source)
    throw new ProblemError(
      problems.conflict,
      `There is a part of another store in the database (${rows[0]?.source}): empty it, and begin anew.`,
    );
  await queries.run(sql.takeMove, [run]);
  return rows[0].place ?? undefined;
}

function writerOf(queries: Queries, run: string): Pick<StoreTarget, 'write' | 'finish'> {
  return {
    async write<P extends StorePart>(part: P, items: readonly StoreItems[P][], place: StorePlace) {
      await inTransaction(queries, async () => {
        if (part === 'registry') await putMovedRegistry(queries, items as readonly StoreItems['registry'][]);
        else if (part === 'artifacts')
          await putMovedArtifacts(queries, items as readonly StoreItems['artifacts'][]);
        else await putMovedRecords(queries, part as 'users' | 'clients', items as never);
        const { rowCount } = await queries.run(sql.putPlace, [run, JSON.stringify(place)]);
        if (rowCount !== 1) throw new StorageUnavailableError('another process goes on with it');
      });
    },
    async finish() {
      await queries.run(sql.raiseOrder);
      await queries.run(sql.analyze);
      await queries.run(sql.dropMove);
    },
  };
}
