/**
 * The tables of the audit (decision 0053): a row for each entry as it stands in the file of its console, one for each chain,
 * and which entries of the outbox are there. What entries are asked by stands in them as numbers, made of the text: any
 * text makes one, and what is erased leaves none.
 */
import { type Kysely, sql } from 'kysely';

/** Of each, newest first by the latest time that its chain had seen. */
const places = 'latest, chain, seq';

/** What one filter of the list asks for; few entries have an outcome that is not success, another client, or a member. */
const asked = ['actor', 'object', 'object_kind', 'client', 'other_client', 'member', 'event', 'event_group'];

const statements = [
  `create table audit_chain (
    id int generated always as identity primary key,
    writer text collate "C" not null unique,
    seq bigint not null,
    link text not null,
    latest bigint not null,
    most_back bigint not null,
    first_seq bigint not null,
    first_c bytea not null,
    bytes bigint not null default 0,
    denials bigint not null default 0,
    changes bigint not null default 0,
    erased bigint[] not null default '{}',
    retained json,
    seen_at timestamptz not null default now()
  )`,
  `create table audit_entry (
    chain int not null,
    seq bigint not null,
    latest bigint not null,
    time bigint,
    actor bigint,
    object bigint,
    object_kind bigint,
    client bigint,
    other_client bigint,
    member bigint,
    event bigint,
    event_group bigint,
    outcome bigint,
    ids bigint[] not null,
    repeats boolean not null,
    stored bytea not null,
    primary key (chain, seq)
  )`,
  `create index audit_entry_place on audit_entry (${places})`,
  ...asked.map(
    (column) =>
      `create index audit_entry_${column} on audit_entry (${column}, ${places}) where ${column} is not null`,
  ),
  // Nearly all entries are of success.
  `create index audit_entry_outcome on audit_entry (outcome, ${places}) where outcome is not null`,
  'create index audit_entry_ids on audit_entry using gin (ids) with (gin_pending_list_limit = 512)',
  // An entry of the outbox that two consoles have written is told once.
  'create table audit_outbox (id text collate "C" primary key)',
];

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction);
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  });
}
