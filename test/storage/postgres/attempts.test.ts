/** Consoles on one PostgreSQL: who tries at several of them has no more attempts than at one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  admin,
  apiToken,
  clientSecret,
  freePort,
  type RunningConsole,
  startConsole,
} from '../../helpers/console.ts';
import { makeProof, newClientKey } from '../../helpers/dpop.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

describe.skipIf(postgresPrograms === undefined)('attempts at consoles on PostgreSQL', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  let consoles: readonly RunningConsole[] = [];

  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
    const databaseUrl = postgres.url(await postgres.createDatabase());
    const start = async () =>
      startConsole({
        isFirstStart: true,
        port: await freePort(),
        env: { CONSOLE_URL: front.url, CONSOLE_DATABASE_URL: databaseUrl },
      });
    consoles = [await start()];
    consoles = [...consoles, await start()];
    front.choose(...consoles.map(({ port }) => port));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(consoles.map((console) => console.stop()));
    await front?.close();
    await postgres?.close();
  }, 120_000);

  /** The next requests go to each in turn. */
  const inTurn = () => front.choose(...consoles.map(({ port }) => port));

  const tokenRequest = async (proof: string, secret = clientSecret) =>
    fetch(`${front.url}/oauth2/token`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${btoa(`application-client:${secret}`)}`,
        ...(proof && { DPoP: proof }),
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });

  test('a DPoP proof for a token passes at one of them, once', async () => {
    const key = await newClientKey();
    inTurn();
    for (let round = 0; round < 3; round++) {
      const proof = await makeProof(key, { url: `${front.url}/oauth2/token` });
      const all = await Promise.all([1, 2, 3, 4].map(() => tokenRequest(proof)));
      expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    }
  });

  test('a DPoP proof of a call passes at one of them, once; without the database at none', async () => {
    const key = await newClientKey();
    const tokenProof = await makeProof(key, { url: `${front.url}/oauth2/token` });
    const { access_token: token } = (await (await tokenRequest(tokenProof)).json()) as {
      access_token: string;
    };
    const url = `${front.url}/svc/health`;
    const proofOf = () => makeProof(key, { method: 'GET', url, token });
    const call = async (proof: string) =>
      (await fetch(url, { headers: { Authorization: `DPoP ${token}`, DPoP: proof } })).status;
    inTurn();
    const proof = await proofOf();
    const statuses = await Promise.all([1, 2, 3, 4].map(() => call(proof)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    await postgres.stop();
    expect(await call(await proofOf())).toBe(503);
    await postgres.start();
    const backAt = performance.now();
    while ((await call(await proofOf())) === 503) expect(performance.now() - backAt).toBeLessThan(10_000);
  });

  test('a call with an Idempotency-Key is performed once, though it comes to several at once', async () => {
    inTurn();
    const headers = {
      Authorization: `Bearer ${await apiToken(front)}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'a-key-that-is-long-enough',
    };
    const body = JSON.stringify({ id: 'NewOne', permissions: ['svc:health:read'] });
    const send = () => fetch(`${front.url}/api/v1/roles`, { method: 'POST', headers, body });
    const answers = await Promise.all([1, 2, 3, 4].map(send));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(made.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect((await send()).headers.get('idempotency-replayed')).toBe('true');
  });

  test('wrong client secrets are told as slowly by several as by one (S29)', async () => {
    inTurn();
    const begun = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => (await tokenRequest('', 'wrong')).status),
    );
    // By one alone: twenty at once, eight that wait, and no more.
    const told = answers.filter((status) => status === 401).length;
    // Two consoles that count by themselves tell all 50; what fades meanwhile, and who is told, makes room for a few.
    expect([told >= 28, told < 40]).toEqual([true, true]);
    expect(answers.filter((status) => status === 429)).toHaveLength(50 - told);
    expect(performance.now() - begun).toBeGreaterThan(500);
    expect((await tokenRequest('')).status).toBe(200);
  });

  test('passwords are guessed at no more often at several than at one (S29)', async () => {
    inTurn();
    const page = await createUserAgent(front.url).get('/login');
    expect(page.status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const agent = createUserAgent(front.url);
      statuses.push(
        (await agent.submit(await agent.get('/login'), { username: admin.username, password: `guess ${n}` }))
          .status,
      );
    }
    expect(statuses.slice(0, 10)).not.toContain(429);
    expect(statuses.slice(10)).toEqual([429, 429]);
  });
});
