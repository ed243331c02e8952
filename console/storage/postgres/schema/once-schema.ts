/** What consoles decide as one without a sign-in being at stake: what was seen before, and who has failed how often. */
import { type Kysely, sql } from 'kysely';

const statements = [
  `create table replay (
    key text collate "C" primary key,
    ends_at timestamptz not null
  )`,
  'create index replay_end on replay (ends_at)',
  `create table pace (
    key text collate "C" primary key,
    n double precision not null,
    counted_at timestamptz not null,
    told_at timestamptz[] not null,
    hold_ms double precision
  ) with (fillfactor = 80)`,
  'create index pace_counted on pace (counted_at)',
];

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction);
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  });
}
