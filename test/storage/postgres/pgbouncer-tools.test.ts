/** `storage migrate` and `doctor --deep` through PgBouncer, by transaction as docs/operations.md configures it. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillStore } from '../../../bench/growth/growth-store.ts';
import { openStorage } from '../../../console/storage/embedded/open.ts';
import type { CollectionSum } from '../../../console/storage/migration/store-sums.ts';
import { runTool } from '../../helpers/commands.ts';
import { type PgBouncer, startPgBouncer, whyNoPgBouncer } from '../../helpers/pgbouncer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';

const missing = postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : whyNoPgBouncer;
const database = 'pooled';
const sizes = { users: 2_000, clients: 50, sessions: 2_000 };

describe.skipIf(missing !== undefined)(`commands behind PgBouncer${missing ?? ''}`, () => {
  let postgres: Postgres;
  let pooler: PgBouncer;
  let url: URL;
  let moved: readonly CollectionSum[];
  beforeAll(async () => {
    postgres = await startPostgres();
    await postgres.query('public', `create database ${database}`);
    const { username: user, password } = new URL(postgres.url(database));
    pooler = await startPgBouncer({
      ...{ target: postgres.port, database, credentials: { user, password } },
      // The move takes longer, and one of its connections waits in a transaction all the time.
      changes: { idle_transaction_timeout: '1' },
    });
    url = new URL(postgres.url('unused', { port: pooler.port }));
    url.pathname = database;
    url.search = '';
  }, 60_000);
  afterAll(async () => {
    await pooler?.close();
    await postgres?.close();
  });

  const collectionsIn = (text: string) =>
    (JSON.parse(text) as { collections: readonly CollectionSum[] }).collections;

  test('a store goes into the database', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const storage = await openStorage({ dataDir, role: 'tool' });
    await fillStore(storage, sizes).finally(storage.close);
    const typed = new URL(url);
    typed.password = '';
    const command = ['storage', 'migrate', '--to', typed.href, '--password-file', '-', '--json'];
    const { code, stdout, stderr } = await runTool(command, { dataDir, stdin: url.password });
    expect(code, stderr).toBe(0);
    moved = collectionsIn(stdout);
    const records = moved.map(({ name, records: n }) => `${name} ${n}`);
    expect(records).toEqual(expect.arrayContaining(['users 2000', 'clients 50', 'Session 2000']));
  }, 120_000);

  test('it is found whole there', async () => {
    const { stdout, stderr } = await runTool(['doctor', '--deep', '--json'], {
      dataDir: temporaryDirectory(),
      env: { CONSOLE_DATABASE_URL: url.href },
    });
    const { findings } = JSON.parse(stdout) as {
      readonly findings: readonly {
        readonly check: string;
        readonly state: string;
        readonly reason: string;
      }[];
    };
    const found = findings.find(({ check }) => check === 'records');
    expect(found, stderr).toMatchObject({ state: 'ok', reason: expect.stringMatching(/^All \d+ are whole/) });
  }, 120_000);

  test('and comes back the same', async () => {
    const command = ['storage', 'migrate', '--to', join(temporaryDirectory(), 'back'), '--json'];
    const { code, stdout, stderr } = await runTool(command, {
      dataDir: temporaryDirectory(),
      env: { CONSOLE_DATABASE_URL: url.href },
    });
    expect(code, stderr).toBe(0);
    expect(collectionsIn(stdout)).toEqual(moved);
  }, 120_000);
});
