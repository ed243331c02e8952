/** What a refresh asks of the database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { refresh, signInForTokens } from '../../helpers/sign-in.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';

const refreshes = 20;
/** The token with its account and what it is bound to, and the exchange. */
const artifactsOfRefresh = 2;
/** What a console asks by itself meanwhile: fewer than another one for each refresh. */
const besides = 0.5;
/** The account is asked for again when it was read more than 20 ms ago, as on a busy machine. */
const mostAccounts = 2;

interface Asked {
  readonly table: string;
  readonly calls: number;
  readonly plans: number;
  readonly query: string;
}

describe.skipIf(postgresPrograms === undefined)('a refresh, where PostgreSQL is installed', () => {
  let postgres: Postgres;
  let database: string;
  let console: RunningConsole;
  beforeAll(async () => {
    const settings = [
      'shared_preload_libraries=pg_stat_statements',
      'pg_stat_statements.max=1000',
      'pg_stat_statements.track_planning=on',
    ];
    postgres = await startPostgres({ settings });
    database = await postgres.createDatabase();
    await postgres.query(database, 'create extension pg_stat_statements');
    console = await startConsole({
      isFirstStart: true,
      env: { CONSOLE_DATABASE_URL: postgres.url(database) },
    });
  }, 120_000);
  afterAll(async () => {
    await console?.stop();
    await postgres?.close();
  }, 60_000);

  test('takes two statements, both planned before', async () => {
    let { refresh_token: token } = await signInForTokens(console, createUserAgent(console.url));
    const refreshOften = async () => {
      for (let n = 0; n < refreshes; n++) {
        const { status, body } = await refresh(console, token);
        expect(status).toBe(200);
        token = body.refresh_token;
      }
    };
    // Each connection plans a statement anew for its first five times.
    for (let n = 0; n < 5; n++) await refreshOften();
    await postgres.query(database, 'select pg_stat_statements_reset()');
    await refreshOften();
    const statements = await postgres.query<Asked>(
      database,
      `select substring(query from '(?:from|into|update) (artifact|account) ') as table, calls::int as calls,
        plans::int as plans, query from pg_stat_statements where query !~ 'pg_stat_statements' order by calls desc`,
    );
    const each = (what: 'calls' | 'plans', of: string) =>
      statements.filter(({ table }) => table === of).reduce((sum, row) => sum + row[what], 0) / refreshes;
    const shown = statements.map(({ calls, plans, query }) => `${calls} ${plans} ${query.slice(0, 80)}`);
    if (process.env.SHOW_STATEMENTS) process.stdout.write(`${shown.join('\n')}\n`);
    expect(each('calls', 'artifact'), shown.join('\n')).toBeGreaterThanOrEqual(artifactsOfRefresh);
    expect(each('calls', 'artifact'), shown.join('\n')).toBeLessThan(artifactsOfRefresh + besides);
    expect(each('calls', 'account'), shown.join('\n')).toBeLessThanOrEqual(mostAccounts);
    // One that was planned each time would be 1; a connection that is used for the first time plans now and then.
    expect(each('plans', 'artifact') + each('plans', 'account'), shown.join('\n')).toBeLessThan(1);
  }, 120_000);
});
