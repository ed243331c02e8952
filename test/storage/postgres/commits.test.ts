/** A console whose way to the database is cut in the middle of a commit: nothing is told as done, and it may be repeated. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiToken, nextKeysOf, type RunningConsole, startConsole } from '../../helpers/console.ts';
import { type DatabaseWay, startDatabaseWay } from '../../helpers/database-way.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { refresh, signInForTokens, userinfo } from '../../helpers/sign-in.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

describe.skipIf(postgresPrograms === undefined)('commits that are cut off, in PostgreSQL', () => {
  let postgres: Postgres;
  let way: DatabaseWay;
  let database: string;
  let console: RunningConsole;

  beforeAll(async () => {
    postgres = await startPostgres();
    [database, way] = [await postgres.createDatabase(), await startDatabaseWay(postgres.port)];
    console = await startConsole({
      isFirstStart: true,
      env: { CONSOLE_DATABASE_URL: postgres.url(database, { port: way.port }) },
    });
    await nextKeysOf(console);
  }, 120_000);
  afterAll(async () => {
    await console?.stop();
    way?.close();
    await postgres?.close();
  }, 60_000);

  test.each([1, 2, 3])(
    'a refresh is 503, and the same one within ten seconds gets its tokens, round %i',
    async () => {
      const { refresh_token: given } = await signInForTokens(console, createUserAgent(console.url));
      way.cutAt('exchange');
      const cut = await refresh(console, given);
      expect([cut.status, cut.body.error, way.hasCut()]).toEqual([503, 'temporarily_unavailable', true]);
      expect(cut.body.refresh_token).toBeUndefined();
      const again = await refresh(console, given);
      expect(again.status).toBe(200);
      const next = await refresh(console, again.body.refresh_token);
      expect(next.status).toBe(200);
      expect((await userinfo(console, next.body.access_token)).status).toBe(200);
    },
  );

  test.each(['take_number', 'insert_change', 'commit'])(
    'a change by the API that is cut at "%s" is 503, and with the same key it is made once',
    async (statement) => {
      // The console commits of its own too: where that is what was cut, once more with another one.
      let [attempt, id] = [0, ''];
      let cut: Response;
      let add: () => Promise<Response>;
      const authorization = { Authorization: `Bearer ${await apiToken(console)}` };
      do {
        id = `Cut-at-${statement.replace('_', '-')}-${++attempt}`;
        const headers = {
          ...authorization,
          'Content-Type': 'application/json',
          'Idempotency-Key': `key-of-the-role-${id}`,
        };
        const body = JSON.stringify({ id, permissions: ['svc:health:read'] });
        add = () => fetch(`${console.url}/api/v1/roles`, { method: 'POST', headers, body });
        way.cutAt(statement);
        cut = await add();
      } while (cut.status === 201 && attempt < 5);
      expect([cut.status, ((await cut.json()) as { code: string }).code]).toEqual([
        503,
        'storage_unavailable',
      ]);
      expect(cut.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(way.hasCut()).toBe(true);
      const again = await add();
      expect([again.status, await again.text()]).toEqual([201, expect.stringContaining(id)]);
      // Of what was not known to be done, this console learns as others do.
      const madeAt = performance.now();
      const isThere = async () =>
        (await fetch(`${console.url}/api/v1/roles/${id}`, { headers: authorization })).status === 200;
      await vi.waitUntil(isThere, { timeout: 5000, interval: 20 });
      expect(performance.now() - madeAt).toBeLessThan(1000);
      const rows = await postgres.query(
        database,
        `select from registry where collection = 'roles' and id like '%${id}%'`,
      );
      expect(rows).toHaveLength(1);
    },
  );
});
