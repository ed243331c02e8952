/** What the store in a database is found to be: whole, or each thing that is not. And what it leaves to the database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import type { Storage } from '../../../console/storage/storage.ts';
import { runTool } from '../../helpers/commands.ts';
import { freePort, startConsole } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { client, user } from '../record-conformance.ts';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly reason: string;
}

const whole = { damaged: 0, unindexed: 0, stray: 0, miscounted: 0, named: [] };

describe.skipIf(postgresPrograms === undefined)('looking at PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  describe('check', () => {
    let database: string;
    let storage: Storage;
    beforeAll(async () => {
      database = await postgres.createDatabase();
      storage = await openPostgresStorage({ url: postgres.url(database) });
      // More than a page of each.
      await storage.loader.load(
        'users',
        Array.from({ length: 700 }, (_, n) =>
          user(`u${n}`, { username: `person-${n}`, roles: n % 2 === 0 ? ['Admin'] : ['Viewer'] }),
        ),
      );
      await storage.loader.load(
        'clients',
        Array.from({ length: 3 }, (_, n) => client(`c${n}`, { name: `Reports of day ${n}` })),
      );
      const artifact = { payload: {}, uid: 'browser', grantId: 'grant', accountId: 'u1' };
      for (let n = 0; n < 5; n++) await storage.artifacts.put('Session', `s${n}`, artifact);
      // What never was is no difference to what is none.
      await storage.records.change(async (transaction) => transaction.remove('users', 'u699'));
    }, 60_000);
    afterAll(() => storage?.close());

    test('finds nothing where all is whole, more than a page of it', async () => {
      expect(await storage.check()).toEqual({ ...whole, records: 699 + 3 + 5 });
    });

    test.each([
      {
        name: 'an entry of the index that is missing',
        statement: `delete from record_index where name = 'name' and id = 'u5'`,
        found: { unindexed: 1, named: ['unindexed: users u5 by name'] },
      },
      {
        name: 'one that leads to nobody, and one that leads to somebody who is not called so',
        statement: `insert into record_index values ('name', 'nobody', '', 'gone'), ('email', 'x', '', 'u6')`,
        found: { stray: 2, named: ['stray: records email x  u6', 'stray: records name nobody  gone'] },
      },
      {
        name: 'a count that is wrong, and one of what is not there',
        statement: `update record_count set n = n + 1 where key like '%clients%';
          insert into record_count values ('count\nusers\nrole\nNobody', 1)`,
        found: { miscounted: 2 },
      },
      {
        name: 'a record that is another one',
        statement: `update account set record = '{"id":"someone"}' where id = 'u7'`,
        found: { damaged: 1, stray: 3, miscounted: 2, named: expect.arrayContaining(['damaged: users u7']) },
      },
      {
        name: 'a session that is not found by its browser, and one that is by another grant',
        statement: `update artifact set uid_key = null where key = (select min(key) from artifact);
          update artifact set grant_key = 'x' where key = (select max(key) from artifact)`,
        found: { unindexed: 1, stray: 1 },
      },
    ])('finds $name', async ({ statement, found }) => {
      const all = ['account', 'client', 'record_index', 'record_count', 'artifact'];
      const copies = all.map((name) => `create table ${name}_copy as table ${name}`).join(';');
      await postgres.query(database, `${copies};${statement}`);
      expect(await storage.check()).toMatchObject(found);
      await postgres.query(
        database,
        all.map((n) => `truncate ${n}; insert into ${n} table ${n}_copy; drop table ${n}_copy`).join(';'),
      );
      expect(await storage.check()).toMatchObject(whole);
    });

    test('goes on while others write, and sees one moment', async () => {
      let isOver = false;
      const writing = (async () => {
        for (let n = 0; !isOver; n++)
          await storage.records.change(async (transaction) =>
            transaction.put('users', user('busy', { username: `busy-${n}`, roles: [`role-${n % 3}`] })),
          );
      })();
      const found = [];
      for (let n = 0; n < 5; n++) found.push(await storage.check());
      isOver = true;
      await writing;
      expect(found).toEqual(Array(5).fill(expect.objectContaining(whole)));
    });
  });

  describe('of a console', () => {
    let database: string;
    const dataDir = () => temporaryDirectory();
    const env = () => ({ CONSOLE_DATABASE_URL: postgres.url(database) });
    beforeAll(async () => {
      database = await postgres.createDatabase();
    });

    test('doctor says how the database is, with a console and without, and reads all of it with --deep', async () => {
      const port = await freePort();
      const console = await startConsole({ isFirstStart: true, port, env: env() });
      const running = await runTool(['doctor', '--deep', '--json'], { dataDir: console.dataDir });
      await console.stop();
      const alone = await runTool(['doctor', '--deep', '--json'], {
        dataDir: dataDir(),
        env: { ...env(), CONSOLE_URL: console.url },
      });
      for (const outcome of [running, alone]) {
        const { findings } = outcome.json<{ findings: Finding[] }>();
        const of = (name: string) => findings.filter(({ check }) => check === name);
        expect(of('database')[0]).toMatchObject({
          state: 'ok',
          reason: expect.stringMatching(
            /^PostgreSQL \d+\.\d+ .*answers in [\d.]+ ms.* Form \d+ of the tables, .*artifact .*No replica is known\. \d+ of 10 connections/s,
          ),
        });
        expect(of('records')).toEqual([
          expect.objectContaining({ state: 'ok', reason: expect.stringMatching(/^All \d+ are whole/) }),
        ]);
      }
    });

    test('doctor names what is wrong with its contents', async () => {
      await postgres.query(database, `delete from record_index where name = 'name'`);
      const outcome = await runTool(['doctor', '--deep', '--json'], {
        dataDir: dataDir(),
        env: { ...env(), CONSOLE_URL: 'http://localhost:9' },
      });
      const { findings } = outcome.json<{ findings: (Finding & { fix: string })[] }>();
      expect(findings.find(({ check }) => check === 'records')).toMatchObject({
        state: 'problem',
        reason: expect.stringContaining('unindexed'),
        fix: expect.stringContaining('pg_dump'),
      });
    });

    test('doctor says that it cannot be reached, in one line', async () => {
      const outcome = await runTool(['doctor', '--json'], {
        dataDir: dataDir(),
        env: { CONSOLE_DATABASE_URL: postgres.url(database, { port: 1 }), CONSOLE_URL: 'http://localhost:9' },
      });
      const { findings } = outcome.json<{ findings: Finding[] }>();
      expect(findings.find(({ check }) => check === 'store')).toMatchObject({
        state: 'problem',
        reason: expect.stringContaining('the database cannot be reached'),
      });
    });

    test.each([
      { args: ['backup', '/tmp/never'], says: 'pg_dump --format=custom' },
      { args: ['restore', '/tmp/never'], says: 'pg_restore' },
      { args: ['storage', 'downgrade', '--to', '/tmp/never'], says: 'start that one' },
    ])('$args.0 is refused with what to do instead', async ({ args, says }) => {
      const outcome = await runTool([...args, '--json'], { dataDir: dataDir(), env: env() });
      expect([outcome.code, outcome.json()]).toEqual([
        1,
        { error: 'conflict', message: expect.stringContaining(says) },
      ]);
      expect(outcome.stdout).not.toContain('not-a-secret');
    });
  });
});
