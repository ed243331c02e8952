/** What a console on PostgreSQL shows of its database: told of changes or not, used up, away, led by whom, by which clock. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type DatabaseWay, startDatabaseWay } from '../helpers/database-way.ts';
import { callApi } from '../helpers/management.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { createMovableClock } from '../peers/support/clock.ts';

const patienceMs = 60_000;
const listening = 'listen cluster_console_change';
const endListeners = `select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %'
  or query = 'select 1'`;

describe.skipIf(postgresPrograms === undefined)('numbers of PostgreSQL, where it is installed', () => {
  const clock = createMovableClock(0);
  let postgres: Postgres;
  let database: string;
  let way: DatabaseWay;
  let first: RunningConsole;
  let second: RunningConsole;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await postgres.createDatabase();
    way = await startDatabaseWay(postgres.port);
    const port = await freePort();
    const url = `http://localhost:${port}`;
    first = await startConsole({
      isFirstStart: true,
      port,
      env: {
        CONSOLE_URL: url,
        CONSOLE_DATABASE_URL: postgres.url(database, { port: way.port }),
        ...clock.env,
      },
    });
    second = await startConsole({
      isFirstStart: true,
      env: { CONSOLE_URL: url, CONSOLE_DATABASE_URL: postgres.url(database) },
    });
  }, 120_000);
  afterAll(async () => {
    way?.close();
    await Promise.all([first?.stop(), second?.stop()]);
    await postgres?.close();
    clock.remove();
  }, 120_000);

  /** Its numbers, by name with labels. */
  async function numbers({ port }: RunningConsole): Promise<ReadonlyMap<string, number>> {
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(reply.status).toBe(200);
    const lines = (await reply.text()).matchAll(/^(console_\w+(?:\{[^}]*\})?) (\S+)$/gm);
    return new Map([...lines].map(([, name, value]) => [name!, Number(value)]));
  }

  const becomes = (console: RunningConsole, name: string, isSo: (value: number) => boolean) =>
    until(async () => isSo((await numbers(console)).get(`console_${name}`) ?? Number.NaN), name, patienceMs);

  test('at rest: told of changes, current, with room', async () => {
    await becomes(first, 'database_listening', (value) => value === 1);
    const found = await numbers(first);
    expect(found.get('console_database_connections_limit')).toBe(10);
    expect(found.get('console_database_requests_waiting')).toBe(0);
    const open = ['in_use', 'idle'].map(
      (state) => found.get(`console_database_connections{state="${state}"}`)!,
    );
    expect(open[0]! + open[1]!).toBeGreaterThan(0);
    expect(open[0]! + open[1]!).toBeLessThanOrEqual(10);
    expect(found.get('console_database_changes_age_seconds')).toBeLessThan(10);
    expect(Math.abs(found.get('console_database_clock_offset_seconds')!)).toBeLessThan(2);
  });

  test('docs/operations.md lists exactly these numbers of a database', async () => {
    const reply = await fetch(`http://127.0.0.1:${first.port}/metrics`);
    const ofDatabase = /^console_(?:database_|leading|duty_)/;
    const counted = [...(await reply.text()).matchAll(/^# TYPE (console_\w+) (\w+)$/gm)]
      .map(([, name, type]) => `${name} ${type}`)
      .filter((one) => ofDatabase.test(one));
    const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const documented = [...operations.matchAll(/^\| `(console_\w+)` \| (\w+) \|/gm)]
      .map(([, name, type]) => `${name} ${type}`)
      .filter((one) => ofDatabase.test(one));
    expect(documented.length).toBeGreaterThan(5);
    expect(documented.sort()).toEqual(counted.sort());
  });

  test('one leads, in the term that the database has, and has done its duties just now', async () => {
    await becomes(first, 'duty_last_run_timestamp_seconds{duty="expiry"}', (value) => value > 0);
    const [ofFirst, ofSecond] = [await numbers(first), await numbers(second)];
    expect([ofFirst.get('console_leading'), ofSecond.get('console_leading')]).toEqual([1, 0]);
    const [lease] = await postgres.query<{ term: string }>(database, 'select term from lease');
    expect(ofFirst.get('console_leading_term')).toBe(Number(lease!.term));
    expect(ofSecond.has('console_leading_term')).toBe(false);
    for (const duty of ['keys', 'expiry']) {
      const at = ofFirst.get(`console_duty_last_run_timestamp_seconds{duty="${duty}"}`)!;
      expect(Math.abs(Date.now() / 1000 - at)).toBeLessThan(120);
    }
    expect([...ofSecond.keys()].filter((name) => name.startsWith('console_duty_'))).toEqual([]);
  });

  test('without LISTEN it is told, and so does the health check, until it is there again', async () => {
    way.cutEach(listening);
    await postgres.query('public', endListeners);
    await becomes(first, 'database_listening', (value) => value === 0);
    await becomes(first, 'database_changes_age_seconds', (value) => value < 5);
    const finding = await findingOf(first);
    expect(finding).toMatchObject({ state: 'warning', reason: expect.stringContaining('LISTEN') });
    way.cutEach('nothing says this');
    await becomes(first, 'database_listening', (value) => value === 1);
    expect(await findingOf(first)).toMatchObject({ state: 'ok' });
  }, 180_000);

  test('with all connections in use it is told what waits, and what was in vain', async () => {
    const before = (await numbers(first)).get('console_database_failures_total')!;
    const token = await apiToken(first);
    const asked: Promise<unknown>[] = [];
    const held = postgres.query(
      database,
      'begin; lock table account in access exclusive mode; select pg_sleep(6); rollback',
    );
    await until(
      async () => {
        // Each of them waits for the table.
        for (let n = 0; n < 12; n++)
          asked.push(
            fetch(`${first.url}/api/v1/users`, { headers: { Authorization: `Bearer ${token}` } }).catch(
              () => {},
            ),
          );
        const found = await numbers(first);
        return (
          found.get('console_database_requests_waiting')! > 0 &&
          found.get('console_database_connections{state="in_use"}') === 10
        );
      },
      'all to be in use',
      patienceMs,
    );
    await Promise.all([held, ...asked]);
    await becomes(first, 'database_failures_total', (value) => value > before);
    await becomes(first, 'database_requests_waiting', (value) => value === 0);
  }, 180_000);

  test('a clock that is an hour ahead is told, logged once, and in the health check', async () => {
    clock.set(3600);
    await becomes(first, 'database_clock_offset_seconds', (value) => value < -3590 && value > -3610);
    const said = () => first.log().filter(({ msg }) => String(msg).startsWith('the clock of the database'));
    expect(said()).toEqual([expect.objectContaining({ aheadMs: expect.any(Number) })]);
    expect((await numbers(second)).get('console_database_clock_offset_seconds')).toBeGreaterThan(-5);
    clock.set(0);
    await becomes(first, 'database_clock_offset_seconds', (value) => value > -5);
    expect(said()).toHaveLength(2);
  }, 120_000);

  test('with the database away numbers come all the same, and say for how long', async () => {
    const users = (await numbers(first)).get('console_users');
    expect(users).toBe(1);
    await postgres.stop();
    await becomes(first, 'database_changes_age_seconds', (value) => value > 10);
    const found = await numbers(first);
    expect([found.get('console_users'), found.get('console_leading')]).toEqual([1, 0]);
    await postgres.start();
    await becomes(first, 'database_changes_age_seconds', (value) => value < 5);
  }, 180_000);

  async function findingOf(console: RunningConsole) {
    const { findings } = (await callApi(console, 'POST', '/health/run')) as {
      findings: { check: string; state: string; reason: string }[];
    };
    return findings.find(({ check }) => check === 'database');
  }
});
