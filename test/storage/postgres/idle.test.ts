/** What consoles ask of the database while nobody asks them anything. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, nextKeysOf, type RunningConsole, startConsole } from '../../helpers/console.ts';
import { type LoadBalancer, startLoadBalancer } from '../../helpers/load-balancer.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

const seconds = 20;
const mostInSecond = 3;
const password = 'not-a-secret';
const roles = ['one', 'two', 'three'];

describe.skipIf(postgresPrograms === undefined)('idle consoles on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  let front: LoadBalancer;
  let database: string;
  let consoles: readonly RunningConsole[] = [];

  beforeAll(async () => {
    const settings = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.max=1000'];
    [postgres, front] = await Promise.all([startPostgres({ settings }), startLoadBalancer()]);
    database = await postgres.createDatabase();
    await postgres.query(database, 'create extension pg_stat_statements');
    // By which the statements of each are told apart.
    for (const role of roles)
      await postgres.query(database, `create role ${role} superuser login password '${password}'`);
    const start = async (user: string) =>
      startConsole({
        isFirstStart: true,
        port: await freePort(),
        env: {
          CONSOLE_URL: front.url,
          CONSOLE_DATABASE_URL: postgres.url(database, { user, password }),
        },
      });
    for (const role of roles) consoles = [...consoles, await start(role)];
    for (const { port } of consoles) {
      front.choose(port);
      await nextKeysOf(front);
    }
  }, 120_000);
  afterAll(async () => {
    await Promise.all(consoles.map((console) => console.stop()));
    await front?.close();
    await postgres?.close();
  }, 120_000);

  test(`each asks at most ${mostInSecond} times a second, whoever leads`, async () => {
    // What the start has left is done: a second, and the first round of maintenance.
    await pause(3000);
    await postgres.query(database, 'select pg_stat_statements_reset()');
    await pause(seconds * 1000);
    const asked = await postgres.query<{ role: string; calls: string; query: string }>(
      database,
      `select rolname as role, calls, query from pg_stat_statements join pg_roles on pg_roles.oid = userid
        where rolname = any('{${roles}}') order by calls desc`,
    );
    const callsOf = (name: string) =>
      asked.filter(({ role }) => role === name).reduce((sum, { calls }) => sum + Number(calls), 0);
    const all = roles.map((role) => callsOf(role) / seconds);
    const most = asked.slice(0, 8).map(({ role, calls, query }) => `${role} ${calls} ${query.slice(0, 60)}`);
    // They are alive: each asks who leads, and what has changed.
    expect(Math.min(...all), most.join('\n')).toBeGreaterThan(0.5);
    expect(Math.max(...all), most.join('\n')).toBeLessThan(mostInSecond);
    // The history of numbers reads how many users and clients there are, each five seconds, in one.
    const counts = asked.filter(({ query }) => query.includes('from record_count'));
    for (const { role, calls } of counts) expect(Number(calls), role).toBeLessThanOrEqual(seconds / 5 + 1);
    if (process.env.SHOW_STATEMENTS) process.stdout.write(`${all.join(' ')}\n${most.join('\n')}\n`);
  }, 60_000);
});
