/** Three consoles that start at once on an empty database: they are one installation. `FIRST_STARTS`: how often. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { admin, freePort, nextKeysOf, type RunningConsole, startConsole } from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { signInForTokens, userinfo } from '../../helpers/sign-in.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

const rounds = Array.from({ length: Number(process.env.FIRST_STARTS ?? 1) }, (_, n) => ({ round: n + 1 }));

describe.skipIf(postgresPrograms === undefined)('first starts at once on PostgreSQL', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
  }, 60_000);
  afterAll(async () => {
    await front?.close();
    await postgres?.close();
  });

  async function startThree(env: Readonly<Record<string, string | undefined>>) {
    const database = await postgres.createDatabase();
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const started = await Promise.allSettled(
      ports.map((port) =>
        startConsole({
          isFirstStart: true,
          port,
          env: { CONSOLE_URL: front.url, CONSOLE_DATABASE_URL: postgres.url(database), ...env },
        }),
      ),
    );
    const consoles = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    onTestFinished(async () => void (await Promise.all(consoles.map((console) => console.stop()))));
    expect(started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))).toEqual([]);
    front.choose(...ports);
    return { database, consoles };
  }

  /** The same at each, and nothing that somebody has to look at. */
  async function checkIsOne(database: string, consoles: readonly RunningConsole[]): Promise<void> {
    const keySets: string[][] = [];
    for (const { port } of consoles) {
      front.choose(port);
      await nextKeysOf(front);
      const { keys } = (await (await fetch(`${front.url}/oauth2/jwks`)).json()) as {
        keys: { kid: string }[];
      };
      keySets.push(keys.map(({ kid }) => kid).sort());
    }
    expect(keySets[0]).toHaveLength(6);
    expect(keySets).toEqual(consoles.map(() => keySets[0]));
    front.choose(...consoles.map(({ port }) => port));
    const count = async (what: string) =>
      (await postgres.query<{ n: number }>(database, `select count(*)::int as n from ${what}`))[0]!.n;
    expect(await count('account')).toBe(1);
    expect(await count(`registry where id = 'installation-id'`)).toBe(1);
    expect(await count('lease where held_until > now()')).toBe(1);
    const lines = consoles
      .flatMap(({ log }) => log())
      .filter(({ level }) => level === 'error' || level === 'fatal');
    expect(lines).toEqual([]);
  }

  test.each(rounds)(
    'with a named administrator: one of it, one key set, one installation, round $round',
    async () => {
      const { database, consoles } = await startThree({});
      for (const { stdout } of consoles) expect(stdout()).toContain(`administrator  ${admin.username}`);
      await checkIsOne(database, consoles);
      const { access_token: token } = await signInForTokens(front, createUserAgent(front.url));
      for (const _each of consoles) expect((await userinfo(front, token)).status).toBe(200);
    },
    120_000,
  );

  test.each(rounds)(
    'without: all print one link, it is good at each, and makes one administrator, round $round',
    async () => {
      const { database, consoles } = await startThree({
        CONSOLE_ADMIN_USERNAME: undefined,
        CONSOLE_ADMIN_PASSWORD: undefined,
      });
      const links = consoles.map(({ stdout }) => /make one at (\S+)/.exec(stdout())?.[1]);
      expect(new Set(links).size).toBe(1);
      const { pathname, search } = new URL(links[0]!);
      const password = 'correct-staple-battery-9';
      const answers = await Promise.all(
        consoles.map(async ({ port }, n) => {
          front.choose(port);
          const agent = createUserAgent(front.url);
          const page = await agent.get(pathname + search);
          expect(page.status).toBe(200);
          return agent.submit(page, { username: `first-${n}`, password, password_again: password });
        }),
      );
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
      await checkIsOne(database, consoles);
      expect((await createUserAgent(front.url).get(pathname + search)).status).toBe(403);
    },
    120_000,
  );
});
