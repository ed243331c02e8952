/** A step that changes the tables for longer than its lease lasts, while another console starts beside. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

/** More than the ten seconds that a lease lasts. */
const stepSeconds = 13;

describe.skipIf(postgresPrograms === undefined)('long steps on PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  test('a step that takes longer than its lease runs once, and both consoles that start come up', async () => {
    const database = await postgres.createDatabase();
    const url = postgres.url(database);
    // The index of the last step takes that long to begin, as one of a large table does to end.
    await postgres.query(
      'public',
      `create table public.ran (at timestamptz not null default clock_timestamp());
      create function public.hold_up() returns event_trigger language plpgsql as $$ begin
        if current_query() like '%artifact_session%' then
          insert into public.ran default values;
          perform pg_sleep(${stepSeconds});
        end if;
      end $$;
      create event trigger hold_up on ddl_command_start when tag in ('CREATE INDEX') execute function public.hold_up()`,
    );
    const isInStep = async () =>
      (
        await postgres.query(
          'public',
          `select from pg_stat_activity where wait_event = 'PgSleep' and application_name = 'cluster-console'`,
        )
      ).length > 0;
    const first = openPostgresStorage({ url });
    first.catch(() => {});
    await vi.waitUntil(isInStep, 20_000);
    const begun = performance.now();
    const opened = await Promise.allSettled([first, openPostgresStorage({ url })]);
    const failed = opened.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
    expect(failed).toEqual([]);
    // Or nothing was shown.
    expect(performance.now() - begun).toBeGreaterThan((stepSeconds - 2) * 1_000);
    expect(await postgres.query('public', 'select from public.ran')).toHaveLength(1);
    const steps = await postgres.query<{ name: string }>(database, 'select name from cluster_console_step');
    expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
  }, 60_000);
});
