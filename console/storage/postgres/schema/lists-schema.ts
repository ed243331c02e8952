/**
 * What lists go by besides: the audit by two things at once (decision 0053), applications by their names. Consoles of the
 * version before go on meanwhile, so no index holds up their writes while it is made.
 */
import { type Kysely, sql } from 'kysely';

/** Of entries of the audit, newest first by the latest time that their chain had seen. */
const places = 'latest, chain, seq';

const indexes: Readonly<Record<string, string>> = {
  audit_entry_actor_event: `audit_entry (actor, event, ${places}) where event is not null`,
  // Few entries have an outcome that is not success.
  ...Object.fromEntries(
    ['object', 'actor', 'member', 'event'].map((column) => [
      `audit_entry_${column}_outcome`,
      `audit_entry (${column}, outcome, ${places}) where outcome is not null`,
    ]),
  ),
  // Few are told by another one.
  audit_entry_repeats: 'audit_entry (latest, chain, seq) where repeats',
  client_unfilled: 'client (id) where filled_version is distinct from version',
};

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction);
    // The version of a client that has all entries of its index: what a console of the version before writes leaves it behind.
    await sql`alter table client add column if not exists filled_version bigint`.execute(transaction);
  });
  for (const [name, on] of Object.entries(indexes)) await makeBeside(database, name, on);
}

/** One that was begun by a process that is dead is no use, and in the way. */
export async function makeBeside(database: Kysely<unknown>, name: string, on: string): Promise<void> {
  const { rows } = await sql`select from pg_index join pg_class on pg_class.oid = indexrelid
    where relname = ${name} and relnamespace = current_schema()::regnamespace and not indisvalid`.execute(
    database,
  );
  if (rows.length > 0) await sql`drop index concurrently ${sql.id(name)}`.execute(database);
  await sql.raw(`create index concurrently if not exists ${name} on ${on}`).execute(database);
}
