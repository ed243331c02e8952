/** What the terminal says, in a sentence, where a console cannot start on its database. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { runFailing } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

describe.skipIf(postgresPrograms === undefined)('a start on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  test.each([
    {
      name: 'wrong credentials',
      prepare: async (database: string) => postgres.url(database, { password: 'wrong-password-1' }),
      code: 1,
      says: 'does not let us in: check name and password in CONSOLE_DATABASE_URL',
    },
    {
      name: 'a database of somebody else',
      async prepare(database: string) {
        await postgres.query(database, 'create table orders (id int)');
        return postgres.url(database);
      },
      code: 78,
      says: 'tables of somebody else in the database of CONSOLE_DATABASE_URL, such as "orders"',
    },
    {
      name: 'a later version',
      async prepare(database: string) {
        await (await openPostgresStorage({ url: postgres.url(database) })).close();
        await postgres.query(database, 'update cluster_console set version = 99, serves_from = 98');
        return postgres.url(database);
      },
      code: 1,
      says: 'of a later version of the console: start that one',
    },
    {
      name: 'a half-migrated database',
      async prepare(database: string) {
        await (await openPostgresStorage({ url: postgres.url(database) })).close();
        await postgres.query(database, 'create table cluster_console_move (place json)');
        return postgres.url(database);
      },
      code: 1,
      says: 'is half-migrated: "npx console storage migrate" has not come to its end there',
    },
    {
      name: 'a database that is read-only',
      async prepare(database: string) {
        await postgres.query(
          database,
          `create role reader_${database} login password 'r'; alter role reader_${database} set default_transaction_read_only = on`,
        );
        return postgres.url(database, { user: `reader_${database}`, password: 'r' });
      },
      code: 1,
      says: 'The database is read-only, perhaps a standby',
    },
    {
      name: 'a database that nobody reaches',
      prepare: async (database: string) => postgres.url(database, { port: 1 }),
      code: 1,
      says: 'the database cannot be reached',
    },
    {
      name: 'a schema that is not there',
      prepare: async () => postgres.url('nowhere'),
      code: 78,
      says: 'The schema of CONSOLE_DATABASE_URL is not there: create it',
    },
  ])('$name: one sentence without a stack or a secret', async ({ prepare, code, says }) => {
    const url = await prepare(await postgres.createDatabase());
    const env = { CONSOLE_DATABASE_URL: url, CONSOLE_URL: 'http://localhost:9' };
    const failed = await runFailing({ env });
    expect(failed.code).toBe(code);
    const last = failed.stderr.trimEnd().split('\n').at(-1)!;
    expect(last).toContain(says);
    expect(failed.stderr).not.toMatch(/\n\s+at /);
    expect(failed.stderr).not.toMatch(/not-a-secret|wrong-password-1/);
  });

  test('a start whose first statement takes too long asks again', async () => {
    const database = await postgres.createDatabase();
    const url = postgres.url(database);
    await (await openPostgresStorage({ url })).close();
    const waits = postgres.query(
      database,
      'begin; lock table lease in access exclusive mode; select pg_sleep(3); commit',
    );
    await vi.waitUntil(async () => (await locksOf(database)) > 0, 5_000);
    const started = performance.now();
    const storage = await openPostgresStorage({ url });
    expect(performance.now() - started).toBeGreaterThan(2_000);
    await storage.artifacts.put('Session', 'one', { payload: {} });
    expect(await storage.artifacts.get('Session', 'one')).toBeDefined();
    await storage.close();
    await waits;
  });

  const locksOf = async (database: string) => {
    const [row] = await postgres.query<{ count: number }>(
      database,
      `select count(*)::int from pg_locks where relation = '${database}.lease'::regclass and mode = 'AccessExclusiveLock'`,
    );
    return row!.count;
  };
});
