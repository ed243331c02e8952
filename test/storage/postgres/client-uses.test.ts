/** Last uses of clients and open sessions of applications on PostgreSQL: those of all consoles add up, and a page of many asks no more often than one of few. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, freePort, nextKeysOf, type RunningConsole, startConsole } from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { authorize, dashboard } from '../../helpers/sign-in.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

interface ShownClient {
  readonly id: string;
  readonly tokensLastHour: number;
  readonly lastUsedAt: string | null;
  readonly lastUsedFrom: string | null;
}

const clients = 40;
const pages = 10;

describe.skipIf(postgresPrograms === undefined)('on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  let database: string;
  let consoles: RunningConsole[] = [];
  const secrets = new Map<string, string>();

  const start = async () => {
    const console = await startConsole({
      isFirstStart: true,
      port: await freePort(),
      env: {
        CONSOLE_URL: front.url,
        CONSOLE_DATABASE_URL: postgres.url(database),
        CONSOLE_API_CHANGE_RATE: '0',
      },
    });
    front.choose(console.port);
    await nextKeysOf(front);
    return console;
  };
  beforeAll(async () => {
    const settings = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.max=1000'];
    [postgres, front] = await Promise.all([startPostgres({ settings }), startLoadBalancer()]);
    database = await postgres.createDatabase();
    await postgres.query(database, 'create extension pg_stat_statements');
    for (let n = 0; n < 3; n++) consoles = [...consoles, await start()];
    const token = await apiToken(front);
    for (let n = 0; n < clients; n++) {
      const id = `used-${String(n).padStart(2, '0')}`;
      const reply = await fetch(`${front.url}/api/v1/clients`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ id, scopes: ['svc:health:read'] }),
      });
      expect(reply.status).toBe(201);
      secrets.set(id, ((await reply.json()) as { secret: string }).secret);
    }
  }, 120_000);
  afterAll(async () => {
    await Promise.all(consoles.map((console) => console.stop()));
    await front?.close();
    await postgres?.close();
  }, 120_000);

  /** At one console. */
  async function ask(console: RunningConsole, id: string, times = 1): Promise<void> {
    front.choose(console.port);
    for (let n = 0; n < times; n++) {
      const reply = await fetch(`${front.url}/oauth2/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${id}:${secrets.get(id)}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
    }
  }

  async function read<T>(console: RunningConsole, path: string): Promise<T> {
    front.choose(console.port);
    const headers = { Authorization: `Bearer ${await apiToken(front)}` };
    const reply = await fetch(`${front.url}/api/v1${path}`, { headers });
    expect(reply.status).toBe(200);
    return (await reply.json()) as T;
  }
  const show = (console: RunningConsole, id: string) => read<ShownClient>(console, `/clients/${id}`);
  const list = async (console: RunningConsole, limit: number) =>
    (await read<{ items: ShownClient[] }>(console, `/clients?q=used-&limit=${limit}`)).items;

  /** Of artifacts, that ten pages of so many take. */
  async function statementsOf(console: RunningConsole, path: string, limit: number): Promise<number> {
    front.choose(console.port);
    const headers = { Authorization: `Bearer ${await apiToken(front)}` };
    await postgres.query(database, 'select pg_stat_statements_reset()');
    for (let n = 0; n < pages; n++) {
      const reply = await fetch(`${front.url}/api/v1${path}&limit=${limit}`, { headers });
      expect(((await reply.json()) as { items: unknown[] }).items).toHaveLength(limit);
    }
    const [row] = await postgres.query<{ calls: number }>(
      database,
      `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
        where query like '%from artifact%' or query like '%from account%'`,
    );
    return row!.calls;
  }

  /** @param extra  statements that pages of so many more have taken; some are what the consoles ask by themselves meanwhile */
  function expectNoneForEach(extra: number, more: number): void {
    expect(extra).toBeLessThan((pages * more) / 2);
  }

  test('those of all consoles add up, after a stop of each too, and the address is that of the last one', async () => {
    const [one, other, third] = consoles as [RunningConsole, RunningConsole, RunningConsole];
    await ask(one, 'used-00', 3);
    await ask(other, 'used-00', 4);
    // What a console has given out itself it counts at once.
    expect((await show(other, 'used-00')).tokensLastHour).toBeGreaterThanOrEqual(4);
    await one.stop();
    expect(await show(other, 'used-00')).toMatchObject({ tokensLastHour: 7, lastUsedFrom: '127.0.0.1' });
    await other.stop();
    expect(await show(third, 'used-00')).toMatchObject({ tokensLastHour: 7, lastUsedFrom: '127.0.0.1' });
    consoles = [third, await start(), await start()];
    await ask(consoles[1]!, 'used-00', 2);
    expect((await show(consoles[1]!, 'used-00')).tokensLastHour).toBe(9);
    await ask(third, 'used-00');
    await consoles[1]!.stop();
    const shown = await show(third, 'used-00');
    expect(shown.tokensLastHour).toBe(10);
    expect(Math.abs(Date.parse(shown.lastUsedAt!) - Date.now())).toBeLessThan(60_000);
    expect((await list(third, clients)).filter((client) => client.tokensLastHour > 0)).toEqual([
      expect.objectContaining({ id: 'used-00', tokensLastHour: 10 }),
    ]);
    consoles = [third, consoles[2]!, await start()];
  }, 120_000);

  test('a page of many that are used asks as often as a page of few', async () => {
    const writer = consoles[2]!;
    for (const id of secrets.keys()) await ask(writer, id);
    await writer.stop();
    consoles = [...consoles.slice(0, 2), await start()];
    const reader = consoles[1]!;
    const used = await list(reader, clients);
    expect([used.length, used.every(({ tokensLastHour }) => tokensLastHour > 0)]).toEqual([clients, true]);
    const few = await statementsOf(reader, '/clients?q=used-', 2);
    const many = await statementsOf(reader, '/clients?q=used-', clients);
    expect(few).toBeGreaterThanOrEqual(pages);
    expectNoneForEach(many - few, clients - 2);
  }, 120_000);

  test('a page of many applications with open sessions asks as often as a page of few', async () => {
    const reader = consoles[1]!;
    front.choose(reader.port);
    const token = await apiToken(front);
    const applications = Array.from({ length: 20 }, (_, n) => `app-${String(n).padStart(2, '0')}`);
    for (const id of applications) {
      const reply = await fetch(`${front.url}/api/v1/applications`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ id, redirectUris: [dashboard.redirectUri], firstParty: true }),
      });
      expect(reply.status).toBe(201);
    }
    for (let person = 0; person < 2; person++) {
      const agent = createUserAgent(front.url);
      for (const id of applications)
        expect((await authorize(agent, { client_id: id })).get('code')).toMatch(/./);
    }
    const { items } = await read<{ items: { openSessions: object }[] }>(
      reader,
      '/applications?q=app-&limit=20',
    );
    expect(items.map(({ openSessions }) => openSessions)).toEqual(
      applications.map(() => ({ value: 2, isExact: true })),
    );
    const few = await statementsOf(reader, '/applications?q=app-', 2);
    const many = await statementsOf(reader, '/applications?q=app-', 20);
    expect(few).toBeGreaterThanOrEqual(pages);
    expectNoneForEach(many - few, 20 - 2);
  }, 120_000);
});
