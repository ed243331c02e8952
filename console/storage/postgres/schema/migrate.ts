/** Brings the tables to the form of this version, once for all consoles: under a lease, each step by itself. */
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, Migrator, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { StorageRejectedError, StorageUnavailableError } from '../../storage.ts';
import type { Database } from '../database.ts';
import { sqlState } from '../database-errors.ts';
import * as audit from './audit-schema.ts';
import * as changes from './changes-schema.ts';
import * as first from './first-schema.ts';
import * as lists from './lists-schema.ts';
import { createMeta, type Form, metaTable, moveTable, readForm } from './meta.ts';
import * as once from './once-schema.ts';
import * as sessions from './sessions-schema.ts';

/**
 * In their order. A step widens: new tables, columns that may be null or have a constant default. What a version
 * does not use any more goes one version later, so that a version works with the tables of the one before and after
 * (decision 58).
 */
const steps = [
  { name: '0001-first', up: first.up },
  { name: '0002-audit', up: audit.up },
  { name: '0003-once', up: once.up },
  { name: '0004-lists', up: lists.up },
  { name: '0005-changes', up: changes.up },
  { name: '0006-sessions', up: sessions.up },
] as const;

export const schemaVersion = steps.length;

/** Whose consoles work with the tables as all steps leave them. A step that takes away raises it to the first form that did not use that. */
const servesFrom = 1;

const leaseMs = 10_000;
const patienceMs = 60_000;
/** A table is in use for longer than `lock_timeout`. */
const lockNotAvailable = '55P03';
const mostAttempts = 20;

export interface MigrateDeps {
  readonly client: pg.Client;
  /** Where a connection more comes from: a step has the first one for as long as it takes. */
  readonly database: Pick<Database, 'connectAlone'>;
  /** Of this process. */
  readonly holder: string;
  /** Another store is being moved into this one, by this process. */
  readonly isHalfMigrated?: boolean;
}

/**
 * @throws {StorageRejectedError} `foreign` where there are tables of somebody else, `newer` where a later version has
 *   been, `half_migrated` where the move of another store has not come to its end: nothing has changed
 */
export async function migrate({
  client,
  database,
  holder,
  isHalfMigrated = false,
}: MigrateDeps): Promise<void> {
  const meta = createMeta(client, holder);
  await schemaOf(client);
  const names = await ownTables(client);
  if (!isHalfMigrated) rejectHalfMigrated(names);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const form = await meta.read();
    if (!serves(form)) throw newer(form);
    if (form.version >= schemaVersion) return;
    if (await meta.take({ version: schemaVersion, servesFrom }, leaseMs).catch(falseIfLocked)) break;
    if (performance.now() > deadline)
      throw new StorageUnavailableError('another console has been changing the tables for too long');
    await delay(200);
  }
  const endRenewal = startRenewal(database, holder);
  try {
    await runSteps(client);
    await meta.finish(schemaVersion);
  } finally {
    await endRenewal();
  }
}

/** On a connection of its own, made anew when it is lost. @returns ends it */
function startRenewal(database: MigrateDeps['database'], holder: string): () => Promise<void> {
  let client: pg.Client | undefined;
  let renewing = Promise.resolve();
  const renew = async () => {
    try {
      client ??= await database.connectAlone();
      await createMeta(client, holder).renew(leaseMs);
    } catch {
      void client?.end().catch(() => {});
      client = undefined;
    }
  };
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, leaseMs / 3);
  return async () => {
    clearInterval(timer);
    await renewing;
    await client?.end().catch(() => {});
  };
}

function falseIfLocked(error: unknown): false {
  if (sqlState(error) !== lockNotAvailable) throw error;
  return false;
}

async function runSteps(client: pg.Client): Promise<void> {
  const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: poolOf(client) }) });
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => Object.fromEntries(steps.map(({ name, up }) => [name, { up }])) },
    // Else it takes a table of that name in any schema for this one.
    migrationTableSchema: await schemaOf(client),
    migrationTableName: `${metaTable}_step`,
    migrationLockTableName: `${metaTable}_step_lock`,
    disableTransactions: true,
  });
  for (let attempt = 1; ; attempt++) {
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    if (sqlState(error) !== lockNotAvailable || attempt === mostAttempts) throw error;
  }
}

/** The one connection of a start, as the library wants it. */
function poolOf(client: pg.Client): ConstructorParameters<typeof PostgresDialect>[0]['pool'] & object {
  const connection = { query: client.query.bind(client), release() {} };
  return { connect: async () => connection, end: async () => {} } as never;
}

async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>('select current_schema() as name');
  const name = rows[0]?.name;
  if (name == null)
    throw new StorageRejectedError('foreign', 'The schema of CONSOLE_DATABASE_URL is not there: create it.');
  return name;
}

/**
 * For whoever reads it and changes nothing.
 *
 * @throws {StorageRejectedError} as {@link migrate}, and `foreign` where there is no store, or one of an earlier form
 */
export async function rejectUnreadable(client: pg.Client): Promise<void> {
  await schemaOf(client);
  const names = await ownTables(client);
  rejectHalfMigrated(names);
  const form = names.includes(metaTable) ? await readForm(client) : undefined;
  const version = form?.version ?? 0;
  // What a later version has put beside would be left out.
  if (version > schemaVersion) throw newer({ version });
  if (version === schemaVersion) return;
  throw new StorageRejectedError(
    'foreign',
    version === 0
      ? 'There is no store in the database of CONSOLE_DATABASE_URL.'
      : 'The tables in the database of CONSOLE_DATABASE_URL are of an earlier version: start a console of this one once.',
  );
}

/** @throws {StorageRejectedError} `foreign` */
async function ownTables(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  );
  const names = rows.map(({ name }) => name);
  if (names.length === 0 || names.includes(metaTable)) return names;
  throw new StorageRejectedError(
    'foreign',
    `There are tables of somebody else in the database of CONSOLE_DATABASE_URL, such as ${JSON.stringify(names[0])}: name an empty one.`,
  );
}

function rejectHalfMigrated(names: readonly string[]): void {
  if (!names.includes(moveTable)) return;
  throw new StorageRejectedError(
    'half_migrated',
    'The database of CONSOLE_DATABASE_URL is half-migrated: "npx console storage migrate" has not come to its end there. Run ' +
      'it again, which goes on where it was, or name an empty database.',
  );
}

/** Whether a console of this version works with tables of that form: a later version knows, and has said so there. */
export function serves(form: Pick<Form, 'servesFrom'>): boolean {
  return form.servesFrom <= schemaVersion;
}

export function newer({ version }: Pick<Form, 'version'>): StorageRejectedError {
  return new StorageRejectedError(
    'newer',
    `The tables in the database have form ${version}, of a later version of the console: start that one.`,
  );
}
