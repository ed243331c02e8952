/** What lists ask of PostgreSQL: a page of fifty asks as often as a page of five, and a few times in all, whatever else there is. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSessions } from '../../../console/accounts/sessions.ts';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import type { Storage } from '../../../console/storage/storage.ts';
import { type RunningConsole, startConsole } from '../../helpers/console.ts';
import { callApi } from '../../helpers/management.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { until } from '../../helpers/store.ts';
import { createUserAgent, type UserAgent } from '../../helpers/user-agent.ts';
import { client, user } from '../record-conformance.ts';

const rows = 50;
const rounds = 6;
/** More than a page lacks, of each. */
const people = 70;
const applications = 400;
const dayMs = 86_400_000;
const number = (n: number) => String(n).padStart(3, '0');

interface Statements {
  readonly calls: number;
  readonly texts: readonly string[];
}

describe.skipIf(postgresPrograms === undefined)('lists on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let database: string;
  let console: RunningConsole;
  let ada: UserAgent;

  beforeAll(async () => {
    const settings = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.max=1000'];
    postgres = await startPostgres({ settings });
    database = await postgres.createDatabase();
    await postgres.query(database, 'create extension pg_stat_statements');
    const env = { CONSOLE_DATABASE_URL: postgres.url(database) };
    console = await startConsole({ isFirstStart: true, env });
    const storage = await openPostgresStorage({ url: postgres.url(database) });
    await fill(storage);
    await storage.close();
    await postgres.query(database, 'analyze');
    ada = createUserAgent(console.url);
    await ada.signIn();
    // What machines do not use is worked out once in ten minutes, behind the first page that asks for it.
    await until(async () => {
      const path = `/clients?kind=machine&limit=${people}`;
      const { items } = (await callApi(console, 'GET', path)) as {
        items: { unused: { unknown: unknown } }[];
      };
      return items.every(({ unused }) => unused.unknown !== 'pending');
    }, 'what they do not use');
  }, 120_000);
  afterAll(async () => {
    await console?.stop();
    await postgres?.close();
  }, 60_000);

  /** Of one page that shows so many, at the time of several at which the console asked least by itself. */
  async function statementsOf(path: string, limit: number): Promise<Statements> {
    const all: Statements[] = [];
    for (let n = 0; n < rounds; n++) {
      await postgres.query(database, 'select pg_stat_statements_reset()');
      const page = await ada.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}`);
      const [, body = ''] = page.body.split('<tbody>');
      expect([path, page.status, body.split('<tr>').length - 1]).toEqual([path, 200, limit]);
      const found = await postgres.query<{ calls: number; query: string }>(
        database,
        `select calls::int, query from pg_stat_statements
          where query not like '%pg_stat_statements%' and query <> 'select $1' order by calls desc`,
      );
      all.push({
        calls: found.reduce((sum, { calls }) => sum + calls, 0),
        texts: found.map(({ calls, query }) => `${calls} ${query.replace(/\s+/g, ' ').slice(0, 150)}`),
      });
    }
    return all.sort((one, other) => one.calls - other.calls)[0]!;
  }

  test.each([
    { title: 'sessions', path: '/access/sessions', most: 12 },
    { title: 'sessions of one person', path: '/access/sessions?user=busy', most: 12 },
    { title: 'machine clients, behind many applications', path: '/access/clients', most: 12 },
    { title: 'machine clients, found by their names', path: '/access/clients?q=m', most: 12 },
    { title: 'applications with open sessions', path: '/access/applications', most: 12 },
  ])(
    'a page of $title asks $most times at most, however many it shows',
    async ({ path, most }) => {
      const [few, many] = [await statementsOf(path, 5), await statementsOf(path, rows)];
      expect(few.calls, few.texts.join('\n')).toBeGreaterThan(3);
      // An account that was read less than 20 ms ago is not asked for again: on a busy machine it is.
      expect(many.calls - few.calls, many.texts.join('\n')).toBeLessThanOrEqual(3);
      expect(many.calls, many.texts.join('\n')).toBeLessThanOrEqual(most);
    },
    60_000,
  );

  test('the clients and sessions of a page are those that there are', async () => {
    const read = async (path: string) =>
      ((await callApi(console, 'GET', path)) as { items: Record<string, unknown>[] }).items;
    const clients = await read('/clients?kind=machine&limit=200');
    const own = clients.map(({ id }) => String(id)).filter((id) => id.startsWith('m-'));
    expect(own).toEqual(Array.from({ length: people }, (_, n) => `m-${number(n)}`));
    const sessions = await read('/sessions?user=busy&limit=200');
    expect(sessions).toHaveLength(people);
    expect(new Set(sessions.map(({ clients: of }) => String(of)))).toEqual(new Set(['app-000,app-001']));
  });
});

/** Machines stand behind applications; one person has many sessions, and everybody has one. */
async function fill({ records, loader, artifacts }: Storage): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000);
  const ids = Array.from({ length: people }, (_, n) => `p-${number(n)}`);
  await loader.load(
    'users',
    [...ids, 'busy'].sort().map((id) => user(id, { username: id })),
  );
  const machines = Array.from({ length: people }, (_, n) =>
    client(`m-${number(n)}`, {
      isPublic: false,
      grantTypes: ['client_credentials'],
      scopes: ['svc:health:read', 'svc:cluster:read'],
      createdAt: Date.now() - 30 * dayMs,
    }),
  );
  const signsIn = { grantTypes: ['authorization_code'], redirectUris: ['https://app.example/cb'] } as const;
  const ofPeople = Array.from({ length: applications }, (_, n) =>
    client(`app-${number(n)}`, { ...signsIn, name: `Many ${n}` }),
  );
  await loader.load('clients', [...ofPeople, ...machines]);
  expect(await records.count('clients')).toBeGreaterThanOrEqual(applications + people);
  const sessions = createSessions({
    artifacts,
    validSinceOf: async (asked) => new Map(asked.map((id) => [id, 0])),
    now: Date.now,
    idleSeconds: 1_800,
    maxSeconds: 43_200,
    revokeTokens: async () => {},
  });
  const signIn = async (uid: string, accountId: string) => {
    const artifact = { payload: { loginTs: seconds }, uid, accountId, expiresAt: seconds + 1_800 };
    await artifacts.put('Session', `cookie ${uid}`, artifact);
    for (const clientId of ['app-000', 'app-001'])
      await sessions.record({ uid, accountId, clientId, startedAt: seconds });
  };
  for (const id of ids) await signIn(`of ${id}`, id);
  for (const n of ids.keys()) await signIn(`busy ${n}`, 'busy');
  // Calls have been counted for some days, so that what is not used is known.
  const day = new Date(Date.now() - 10 * dayMs).toISOString().slice(0, 10);
  await artifacts.put('UsageDay', day, { payload: { rows: 0, gaps: [] } });
}
