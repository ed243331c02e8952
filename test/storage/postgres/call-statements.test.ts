/** What machine tokens and calls to members ask of the database: nothing. Their audit goes there in batches. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, machineToken, type RunningConsole, startConsole } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { until } from '../../helpers/store.ts';

const calls = 200;
const atOnce = 10;
/** Of a console that nobody asks anything. */
const idleInSecond = 3;
/** The audit is copied that often, and each time asks whether it goes on from where it was. */
const batchesInSecond = 2.5;
const statementsOfBatch = 2;
/** What a start leaves to be done, and the first round of maintenance. */
const spare = 60;

describe.skipIf(postgresPrograms === undefined)('machine tokens and proxied calls on PostgreSQL', () => {
  let postgres: Postgres;
  let database: string;
  let console: RunningConsole;
  beforeAll(async () => {
    const settings = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.max=1000'];
    postgres = await startPostgres({ settings });
    database = await postgres.createDatabase();
    await postgres.query(database, 'create extension pg_stat_statements');
    await postgres.query(database, `create role one superuser login password 'not-a-secret'`);
    const url = postgres.url(database, { user: 'one' });
    console = await startConsole({ isFirstStart: true, env: { CONSOLE_DATABASE_URL: url } });
  }, 120_000);
  afterAll(async () => {
    await console?.stop();
    await postgres?.close();
  }, 60_000);

  test(`${calls} of each ask the database nothing, and their audit comes in few statements`, async () => {
    const token = await machineToken(console);
    const call = async () =>
      (
        await fetch(`${console.url}/svc/rest/cluster`, { headers: { Authorization: `Bearer ${token}` } })
      ).text();
    await call();
    await until(async () => (await issued()) > 0, 'the audit of the first token', 10_000);
    const before = await issued();
    await postgres.query(database, 'select pg_stat_statements_reset()');
    const begun = performance.now();
    const statuses: number[] = [];
    for (let n = 0; n < calls; n += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, () => machineToken(console)));
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          const headers = { Authorization: `Bearer ${token}` };
          const answer = await fetch(`${console.url}/svc/rest/cluster`, { headers });
          await answer.arrayBuffer();
          statuses.push(answer.status);
        }),
      );
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    await until(async () => (await issued()) >= before + calls, 'the audit of all tokens', 20_000);
    const seconds = (performance.now() - begun) / 1_000;
    const asked = await postgres.query<{ calls: string; query: string }>(
      database,
      `select calls, query from pg_stat_statements join pg_roles on pg_roles.oid = userid
        where rolname = 'one' order by calls desc`,
    );
    const isOfAudit = (query: string) => query.includes('audit_');
    const sum = (rows: typeof asked) => rows.reduce((all, row) => all + Number(row.calls), 0);
    const shown = asked.map((row) => `${row.calls} ${row.query.slice(0, 80)}`).join('\n');
    if (process.env.SHOW_STATEMENTS) process.stdout.write(`${seconds} s\n${shown}\n`);
    const others = sum(asked.filter(({ query }) => !isOfAudit(query)));
    expect(others, shown).toBeLessThan(idleInSecond * seconds + spare);
    const ofAudit = sum(asked.filter(({ query }) => isOfAudit(query)));
    expect(ofAudit, shown).toBeGreaterThan(0);
    expect(ofAudit, shown).toBeLessThan(batchesInSecond * statementsOfBatch * seconds + spare);
    // Neither bound is near as many as there were calls.
    expect(others + ofAudit, shown).toBeLessThan(calls);
  }, 60_000);

  test('under load it has no more connections than docs/operations.md says', async () => {
    const basic = `Basic ${btoa(`application-client:${clientSecret}`)}`;
    const wrong = {
      method: 'POST',
      headers: { Authorization: basic },
      body: new URLSearchParams({ token: 'none' }),
    };
    const asks = Promise.all(
      Array.from({ length: 60 }, async () => (await fetch(`${console.url}/oauth2/introspect`, wrong)).text()),
    );
    let most = 0;
    let isOver = false;
    asks.finally(() => {
      isOver = true;
    });
    do {
      const [row] = await postgres.query<{ n: number }>(
        database,
        `select count(*)::int as n from pg_stat_activity where usename = 'one'`,
      );
      most = Math.max(most, row!.n);
    } while (!isOver);
    await asks;
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(14);
  }, 60_000);

  async function issued(): Promise<number> {
    const [row] = await postgres.query<{ n: number }>(
      database,
      `select count(*)::int as n from audit_entry where convert_from(stored, 'UTF8') like '%"token.issued"%'`,
    );
    return row!.n;
  }
});
