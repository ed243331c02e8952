/** Two consoles that reach their database through PgBouncer: what one does the other knows, in each of its modes. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  apiToken,
  freePort,
  nextKeysOf,
  type RunningConsole,
  runFailing,
  startConsole,
} from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import {
  hasPreparedStatements,
  type PgBouncer,
  type PgBouncerOptions,
  startPgBouncer,
  whyNoPgBouncer,
} from '../../helpers/pgbouncer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { dashboard, refresh, signInForTokens } from '../../helpers/sign-in.ts';
import { until } from '../../helpers/store.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

const patienceMs = 60_000;
const missing = postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : whyNoPgBouncer;
const noNames = 'a pooler before the database has no prepared statements';
const silent = 'the database does not tell of changes';

describe.skipIf(missing !== undefined)(`consoles behind PgBouncer${missing ?? ''}`, () => {
  let postgres: Postgres;
  let databases = 0;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  }, 120_000);
  afterAll(() => postgres?.close());

  /** Of a database of its own, whose name PgBouncer has too. @param port  of whoever leads there */
  async function urlOf(database: string, port = postgres.port, schema = ''): Promise<string> {
    const url = new URL(postgres.url('unused', { port }));
    url.pathname = database;
    url.search = schema === '' ? '' : `schema=${schema}`;
    return url.href;
  }

  async function startPooled(changes: PgBouncerOptions['changes'] = {}) {
    const database = `pooled_${databases++}`;
    await postgres.query('public', `create database ${database}`);
    const { username: user, password } = new URL(postgres.url(database));
    const credentials = { user, password };
    const pooler: PgBouncer = await startPgBouncer({ target: postgres.port, database, credentials, changes });
    closing.push(pooler.close);
    return { database, pooler };
  }

  async function startTwo(databaseUrl: string, listenUrl?: string) {
    const front: LoadBalancer = await startLoadBalancer();
    closing.push(front.close);
    const env = {
      CONSOLE_URL: front.url,
      CONSOLE_DATABASE_URL: databaseUrl,
      ...(listenUrl !== undefined && { CONSOLE_DATABASE_LISTEN_URL: listenUrl }),
    };
    const consoles: RunningConsole[] = [];
    closing.push(() => Promise.all(consoles.map((console) => console.stop())));
    // At once: they make the tables, and find out about PgBouncer, beside each other.
    await Promise.all(
      [0, 1].map(async () => {
        consoles.push(await startConsole({ isFirstStart: true, port: await freePort(), env }));
      }),
    );
    front.choose(consoles[0]!.port);
    await nextKeysOf(front);
    return { front, consoles: consoles as [RunningConsole, RunningConsole] };
  }

  type Two = Awaited<ReturnType<typeof startTwo>>;

  const isListening = async ({ port }: RunningConsole) => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /^console_database_listening 1$/m.test(text);
  };
  const saysOf = ({ log }: RunningConsole) => log().map(({ msg }) => String(msg));
  const userinfo = async ({ url }: LoadBalancer, token: string) =>
    (await fetch(`${url}/userinfo`, { headers: { Authorization: `Bearer ${token}` } })).status;

  /** Sign-in at one, refresh at the other, many at once, and a revocation. @returns how long it took, milliseconds */
  async function use({ front, consoles: [one, other] }: Two): Promise<number> {
    const asConsole = { url: front.url } as RunningConsole;
    front.choose(one.port, other.port);
    const tokens = await Promise.all(
      Array.from({ length: 6 }, () => signInForTokens(asConsole, createUserAgent(front.url))),
    );
    const refreshed = await Promise.all(tokens.map((each) => refresh(asConsole, each.refresh_token)));
    expect(refreshed.map(({ status }) => status)).toEqual(tokens.map(() => 200));
    const headers = { Authorization: `Bearer ${await apiToken(front)}` };
    const lists = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${front.url}/api/v1/users`, { headers })),
    );
    expect(new Set(lists.map(({ status }) => status))).toEqual(new Set([200]));
    const token = refreshed[0]!.body.access_token as string;
    front.choose(other.port);
    expect(await userinfo(front, token)).toBe(200);
    front.choose(one.port);
    const revoked = await fetch(`${front.url}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: dashboard.clientId }),
    });
    expect(revoked.status).toBe(200);
    const revokedAt = performance.now();
    front.choose(other.port);
    while ((await userinfo(front, token)) !== 401) expect(performance.now() - revokedAt).toBeLessThan(5000);
    expect([...front.statuses.keys()].filter((status) => status >= 500)).toEqual([]);
    return performance.now() - revokedAt;
  }

  test('by transaction, listening at the database itself', async () => {
    const { database, pooler } = await startPooled();
    const two = await startTwo(await urlOf(database, pooler.port), await urlOf(database));
    for (const console of two.consoles) await until(() => isListening(console), 'LISTEN', patienceMs);
    await use(two);
    for (const console of two.consoles) {
      expect(saysOf(console).some((said) => said.startsWith(noNames))).toBe(!hasPreparedStatements());
      expect(saysOf(console).filter((said) => said.startsWith(silent))).toEqual([]);
    }
    // It goes, and comes back: nobody starts a console anew.
    await pooler.kill();
    await pooler.start();
    const isReady = async ({ port }: RunningConsole) => (await fetch(`http://127.0.0.1:${port}/ready`)).ok;
    for (const console of two.consoles)
      await until(() => isReady(console), 'it to be ready again', patienceMs);
    const signsIn = () =>
      signInForTokens({ url: two.front.url } as RunningConsole, createUserAgent(two.front.url)).then(
        () => true,
        () => false,
      );
    await until(signsIn, 'somebody to sign in', patienceMs);
  }, 240_000);

  test('by transaction alone: changes are looked for, and it is said', async () => {
    const { database, pooler } = await startPooled();
    const two = await startTwo(await urlOf(database, pooler.port));
    for (const console of two.consoles)
      await until(
        async () => saysOf(console).some((said) => said.startsWith(silent)),
        'what is not told',
        patienceMs,
      );
    await use(two);
    expect(await Promise.all(two.consoles.map(isListening))).toEqual([false, false]);
  }, 180_000);

  test('by session: it is listened to through PgBouncer, and statements are prepared', async () => {
    const { database, pooler } = await startPooled({ pool_mode: 'session', default_pool_size: '60' });
    const two = await startTwo(await urlOf(database, pooler.port));
    for (const console of two.consoles) await until(() => isListening(console), 'LISTEN', patienceMs);
    await use(two);
    for (const console of two.consoles)
      expect(saysOf(console).filter((said) => said.startsWith(noNames) || said.startsWith(silent))).toEqual(
        [],
      );
  }, 180_000);

  test('a start is refused where PgBouncer is not told what to leave out', async () => {
    const { database, pooler } = await startPooled({ ignore_startup_parameters: undefined });
    const failed = await runFailing({ env: { CONSOLE_DATABASE_URL: await urlOf(database, pooler.port) } });
    expect(failed.code).toBe(78);
    expect(failed.stderr).toContain('ignore_startup_parameters');
  }, 60_000);

  test('a start is refused where PgBouncer leaves out the schema', async () => {
    const { database, pooler } = await startPooled();
    const url = await urlOf(database, pooler.port, 'of_the_console');
    const failed = await runFailing({ env: { CONSOLE_DATABASE_URL: url } });
    expect(failed.code).toBe(78);
    expect(failed.stderr).toContain('search_path = of_the_console');
  }, 60_000);
});
