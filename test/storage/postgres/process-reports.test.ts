/** Each console on one PostgreSQL shows the calls that went through the others. */
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

describe.skipIf(postgresPrograms === undefined)('consoles on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  const consoles: RunningConsole[] = [];

  beforeAll(async () => {
    [postgres, front] = await Promise.all([startPostgres(), startLoadBalancer()]);
    const databaseUrl = postgres.url(await postgres.createDatabase());
    for (let n = 0; n < 2; n++) {
      const env = { CONSOLE_URL: front.url, CONSOLE_DATABASE_URL: databaseUrl };
      consoles.push(await startConsole({ isFirstStart: true, port: await freePort(), env }));
    }
    front.choose(consoles[0]!.port);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(consoles.map((console) => console.stop()));
    await front?.close();
    await postgres?.close();
  }, 120_000);

  test('the traffic of each has the calls of both, also when one of them has ended', async () => {
    const [viewer, admin] = await Promise.all([machineToken(front, 'app:Viewer'), apiToken(front)]);
    const at = (console: RunningConsole, path: string, token: string) =>
      fetch(`http://127.0.0.1:${console.port}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    for (const [n, console] of consoles.entries()) {
      for (let call = 0; call <= n; call++)
        expect((await at(console, `/svc/rest/maps/shared/${call}`, viewer)).status).toBeLessThan(300);
    }
    const callsAt = async (console: RunningConsole) => {
      const path = '/api/v1/traffic/calls?minutes=10&structure=map%3Ashared';
      return ((await (await at(console, path, admin)).json()) as { calls: number }).calls;
    };
    for (const console of consoles)
      await expect.poll(() => callsAt(console), { timeout: 30_000, interval: 200 }).toBe(3);
    await at(consoles[1]!, '/svc/rest/maps/shared/last', viewer);
    await consoles[1]!.stop();
    // It has told what it had counted before it ended.
    await expect.poll(() => callsAt(consoles[0]!), { timeout: 30_000, interval: 200 }).toBe(4);
  });
});
