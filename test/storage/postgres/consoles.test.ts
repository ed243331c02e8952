/** Consoles on one PostgreSQL: one, two side by side, and what becomes of them when the database goes away. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  apiToken,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
} from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import {
  authorizationPath,
  callbackOf,
  dashboard,
  refresh,
  signInForTokens,
  userinfo,
} from '../../helpers/sign-in.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

describe.skipIf(postgresPrograms === undefined)('consoles on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  let one: RunningConsole;
  let other: RunningConsole;

  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
    const databaseUrl = postgres.url(await postgres.createDatabase());
    const start = async () =>
      startConsole({
        isFirstStart: true,
        port: await freePort(),
        env: { CONSOLE_URL: front.url, CONSOLE_DATABASE_URL: databaseUrl },
      });
    one = await start();
    other = await start();
    front.choose(one.port, other.port);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), other?.stop()]);
    await front?.close();
    await postgres?.close();
  }, 120_000);

  const signIn = () => signInForTokens(front, createUserAgent(front.url));
  const post = (console: RunningConsole, path: string, form: Readonly<Record<string, string>>) =>
    postTo(console.port, front.port, path, form);

  test('each step of a sign-in at another one, then refreshes, machine tokens and the admin API at either', async () => {
    const agent = createUserAgent(front.url);
    const tokens = await signInForTokens(front, agent);
    const first = await refresh(front, tokens.refresh_token);
    const second = await refresh(front, first.body.refresh_token);
    expect([first.status, second.status]).toEqual([200, 200]);
    for (const console of [one, other]) {
      front.choose(console.port);
      expect((await userinfo(front, second.body.access_token)).status).toBe(200);
      expect((await machineToken(front)).split('.')).toHaveLength(3);
      const users = await fetch(`${front.url}/api/v1/health`, {
        headers: { Authorization: `Bearer ${await apiToken(front)}` },
      });
      expect(users.status).not.toBe(401);
    }
    front.choose(one.port, other.port);
  });

  test('what is revoked at one is refused by the other within a second', async () => {
    for (let round = 0; round < 3; round++) {
      const { access_token: token } = await signIn();
      front.choose(other.port);
      expect((await userinfo(front, token)).status).toBe(200);
      const form = { token, client_id: dashboard.clientId };
      expect((await post(one, '/oauth2/revoke', form)).status).toBe(200);
      const revokedAt = performance.now();
      while ((await userinfo(front, token)).status !== 401)
        expect(performance.now() - revokedAt).toBeLessThan(5000);
      expect(performance.now() - revokedAt).toBeLessThan(1000);
      front.choose(one.port, other.port);
    }
  });

  test('a code and a refresh token that are used at both at once have one successor', async () => {
    for (let round = 0; round < 3; round++) {
      const { refresh_token } = await signIn();
      const form = { grant_type: 'refresh_token', client_id: dashboard.clientId, refresh_token };
      const replies = await Promise.all(
        [one, other, one, other].map((console) => post(console, '/oauth2/token', form)),
      );
      const successors = replies.flatMap(({ body }) => (body.refresh_token ? [body.refresh_token] : []));
      expect(new Set(successors).size).toBe(1);
    }
  });

  test('a session that is ended at one has no refresh at the other, also of a token that it was just given (S39)', async () => {
    const ask = (refresh_token: string) =>
      post(other, '/oauth2/token', {
        grant_type: 'refresh_token',
        client_id: dashboard.clientId,
        refresh_token,
      });
    for (let round = 0; round < 3; round++) {
      const agent = createUserAgent(front.url);
      const tokens = await signInForTokens(front, agent);
      const warm = await ask(tokens.refresh_token);
      expect(warm.status).toBe(200);
      front.choose(one.port);
      const query = new URLSearchParams({ id_token_hint: tokens.id_token });
      const end = async () => agent.follow(await agent.get(`/connect/logout?${query}`));
      // In the last round it comes while the session is being ended.
      const meanwhile = round === 2 ? ask(warm.body.refresh_token!) : undefined;
      expect((await end()).status).toBe(200);
      const given = (await meanwhile)?.body.refresh_token ?? warm.body.refresh_token!;
      const refused = await ask(given);
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
      front.choose(one.port, other.port);
    }
  });

  test('one of them leads', async () => {
    const holders = () =>
      postgres.query<{ n: number }>(
        'console_0',
        'select count(distinct holder)::int as n from lease where held_until > now()',
      );
    expect((await holders())[0]?.n).toBe(1);
  });

  test('without the database: machine tokens go on, the rest is 503 with Retry-After, and comes back by itself', async () => {
    const { access_token: token, refresh_token: given } = await signIn();
    await postgres.stop();
    expect((await machineToken(front)).split('.')).toHaveLength(3);
    const form = { grant_type: 'refresh_token', client_id: dashboard.clientId, refresh_token: given };
    const refused = await post(one, '/oauth2/token', form);
    expect([refused.status, refused.retryAfter]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    const page = await createUserAgent(front.url).get(authorizationPath());
    expect(callbackOf(page).get('error')).toBe('temporarily_unavailable');
    expect((await machineToken(front)).split('.')).toHaveLength(3);
    await postgres.start();
    const backAt = performance.now();
    for (const console of [one, other]) {
      front.choose(console.port);
      while ((await fetch(`${front.url}/ready`)).status !== 200)
        expect(performance.now() - backAt).toBeLessThan(20_000);
    }
    expect(performance.now() - backAt).toBeLessThan(10_000);
    front.choose(one.port, other.port);
    expect((await refresh(front, given)).status).toBe(200);
    expect((await userinfo(front, token)).status).toBe(200);
    expect([one.child.exitCode, other.child.exitCode]).toEqual([null, null]);
  });
});

interface Posted {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: { readonly refresh_token?: string; readonly error?: string };
}

/** To this console, as if by the load balancer. */
function postTo(
  port: number,
  publicPort: number,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const headers = { Host: `localhost:${publicPort}`, 'Content-Type': 'application/x-www-form-urlencoded' };
    const sent = request(
      { host: '127.0.0.1', port, path, method: 'POST', headers, agent: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () =>
          resolve({
            status: answer.statusCode!,
            retryAfter: answer.headers['retry-after'],
            body: text.startsWith('{') ? JSON.parse(text) : {},
          }),
        );
      },
    );
    sent.on('error', reject).end(new URLSearchParams(form).toString());
  });
}
