/**
 * The first form of the tables. Text from outside stands in keys as console/storage/engine/key-parts.ts makes it, and
 * as it came only inside JSON, which carries any text; `collate "C"` sorts as this process does.
 */
import { type Kysely, sql } from 'kysely';

const statements = [
  // Where the numbers of changes come from: whoever takes one has the row until its commit, so none is passed over.
  `create table change_clock (
    is_only boolean primary key default true check (is_only),
    last bigint not null default 0,
    probed_at timestamptz not null default now()
  )`,
  'insert into change_clock default values',
  `create table change (
    seq bigint primary key,
    at timestamptz not null default now(),
    names json not null
  )`,
  `create table registry (
    collection text collate "C" not null,
    id text collate "C" not null,
    place bigint generated always as identity,
    record json not null,
    primary key (collection, id)
  )`,
  ...['account', 'client'].map(
    (table) => `create table ${table} (
      id text collate "C" primary key,
      version bigint not null,
      record json not null
    )`,
  ),
  `create table record_index (
    name text collate "C" not null,
    part text collate "C" not null,
    further text collate "C" not null,
    id text collate "C" not null,
    primary key (name, part, further, id)
  )`,
  // One name, one person of a provider: one user.
  `create unique index record_index_unique on record_index (name, part, further) where name in ('name', 'link')`,
  `create table record_count (
    key text collate "C" primary key,
    n bigint not null
  )`,
  `create table lease (
    duty text primary key,
    holder text not null,
    term bigint not null,
    held_until timestamptz not null
  )`,
  'create sequence artifact_order',
  `create table artifact (
    kind text collate "C" not null,
    key text collate "C" not null,
    payload json not null,
    owners json,
    grant_key text collate "C",
    uid_key text collate "C",
    account_key text collate "C",
    put_order bigint not null default nextval('artifact_order'),
    expires_at double precision,
    consumed_at double precision,
    primary key (kind, key)
  ) with (fillfactor = 80)`,
  'create index artifact_grant on artifact (grant_key, kind) where grant_key is not null',
  'create index artifact_uid on artifact (uid_key, kind, put_order) where uid_key is not null',
  'create index artifact_account on artifact (account_key, kind, key) where account_key is not null',
  'create index artifact_expiry on artifact (expires_at) where expires_at is not null',
];

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction);
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  });
}
