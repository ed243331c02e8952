/** What moving a store asks of the database. */
import { statement } from '../database.ts';
import { metaTable, moveTable } from '../schema/meta.ts';

const pageSize = 500;

const recordPage = (table: string) =>
  statement(
    `${table}_page`,
    `select id, record from ${table} where id > $1 order by id limit ${pageSize + 1}`,
  );

const types = ['text', 'text', 'text', 'text', 'text', 'text', 'text', 'bigint', 'float8', 'float8'];
const columns =
  'kind, key, payload, owners, grant_key, uid_key, account_key, put_order, expires_at, consumed_at';

export const moveStatements = {
  pageSize,
  users: recordPage('account'),
  clients: recordPage('client'),
  /** `$1`, `$2`: kind and key of the last one. */
  artifacts: statement(
    'artifact_page',
    `select kind, key, payload, owners, put_order, expires_at, consumed_at from artifact
      where (kind, key) > ($1, $2) order by kind, key limit ${pageSize + 1}`,
  ),
  registry: statement('registry_in_order', 'select collection, record from registry order by place'),
  sizes: {
    users: statement('account_size', 'select count(*) as n from account'),
    clients: statement('client_size', 'select count(*) as n from client'),
    artifacts: statement('artifact_size', 'select count(*) as n from artifact'),
    registry: statement('registry_size', 'select count(*) as n from registry'),
  },
  hasContent: statement(
    'has_content',
    `select exists (select from account) or exists (select from client) or exists (select from registry)
      or exists (select from artifact) as found`,
  ),
  /** Whoever leads has a lease; `$1`: which counts if it is held at this time. */
  isInUse: statement(
    'is_in_use',
    'select exists (select from lease where held_until > coalesce($1::timestamptz, now())) as found, now()::text as now',
  ),
  /** Freed by the database when this process dies, or its connection. */
  guard: [
    statement('guard_begin', 'begin'),
    statement('guard_stays', 'set local idle_in_transaction_session_timeout = 0'),
    statement('guard_lock', `select from ${metaTable} for update nowait`),
  ],
  takesNoWrites: statement(
    'takes_no_writes',
    `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as found`,
  ),
  /** Whoever would write meanwhile waits for it. */
  holdChanges: statement('hold_changes', 'update change_clock set probed_at = now()'),
  createMove: statement(
    'create_move',
    `create table ${moveTable} (
      is_only boolean primary key default true check (is_only),
      source text not null,
      run text not null,
      place json
    )`,
  ),
  beginMove: statement('begin_move', `insert into ${moveTable} (source, run) values ($1, $2)`),
  hasMove: statement('has_move', `select to_regclass('${moveTable}') is not null as found`),
  /** Before anybody asks: the database would guess how many there are of each. */
  analyze: statement('analyze', 'analyze account, client, record_index, artifact'),
  dropMove: statement('drop_move', `drop table ${moveTable}`),
  readMove: statement('read_move', `select source, place from ${moveTable}`),
  takeMove: statement('take_move', `update ${moveTable} set run = $1`),
  /** `$1`: the run, which nobody has taken over. */
  putPlace: statement('put_place', `update ${moveTable} set place = $2::json where run = $1`),
  putArtifacts: statement(
    'move_artifacts',
    `insert into artifact (${columns})
      select kind, key, payload::json, owners::json, grant_key, uid_key, account_key,
        coalesce(put_order, nextval('artifact_order')), expires_at, consumed_at
      from unnest(${types.map((type, n) => `$${n + 1}::${type}[]`).join(', ')}) as given (${columns})
      on conflict do nothing`,
  ),
  /** What is put from now on comes after all of them. */
  raiseOrder: statement(
    'raise_order',
    `select setval('artifact_order', greatest((select max(put_order) from artifact), 1))`,
  ),
} as const;
