/** What artifacts ask of the database, each in one statement; `$1` and `$2` are kind and key where nothing else is said. */
import { statement } from './database.ts';
import { isOfAccount } from './schema/sessions-schema.ts';

const columns = 'payload, owners, expires_at, consumed_at';
/** @param now  the parameter with the epoch seconds of now */
const isLive = (now: string) => `(artifact.expires_at is null or artifact.expires_at > ${now}::float8)`;

/** Has expired, and does not stay so by itself when the clock is put back. */
const isDue = (now: string) => `expires_at <= ${now}::float8 and expires_at > 0`;

/**
 * Those of `where` that are live, and whether others are due; where none is live one row says that alone. What is read writes
 * nothing: a standby, or a database that has turned read-only, answers it too.
 */
const listed = (where: string, order: string) => `select found.*, ends.are_due from (
    select exists (select from artifact where ${where} and ${isDue('$3')}) as are_due) as ends
  left join lateral (
    select key, ${columns} from artifact where ${where} and ${isLive('$3')} ${order}) as found on true`;

const ofUid = 'uid_key = $2 and kind = $1';
const ofAccount = 'account_key = $2 and kind = $1';
const endsOf = (where: string) => `update artifact set expires_at = 0 where ${where} and ${isDue('$3')}`;

const insertion = `insert into artifact (kind, key, payload, owners, grant_key, uid_key, account_key, expires_at)`;
const replacing = `on conflict (kind, key) do update set payload = excluded.payload, owners = excluded.owners,
  grant_key = excluded.grant_key, uid_key = excluded.uid_key, account_key = excluded.account_key,
  put_order = excluded.put_order, expires_at = excluded.expires_at, consumed_at = null`;

/** Arrays, from this parameter on, of what {@link insertion} names. */
const given = (first: number) => {
  const types = ['text', 'text', 'text', 'text', 'text', 'text', 'text', 'float8'];
  const arrays = types.map((type, n) => `$${first + n}::${type}[]`).join(', ');
  return `select kind, key, payload::json, owners::json, grant_key, uid_key, account_key, expires_at
    from unnest(${arrays}) as given (kind, key, payload, owners, grant_key, uid_key, account_key, expires_at)`;
};

/**
 * Kinds and keys. The limit changes nothing but the plan: without one the database reckons with ten rows, takes that for
 * dear, and plans each time anew for how many there are.
 */
const namesIn = (kinds: string, keys: string) =>
  `(select * from unnest(${kinds}::text[], ${keys}::text[]) limit cardinality(${kinds}::text[])) as name (kind, key)`;

/** What a commit of which others are told adds: see console/storage/postgres/change-log.ts. */
const announced = (names: string, condition = '') => `clock as (
    update change_clock set last = last + 1 ${condition} returning last),
  announced as (insert into change (seq, names) select last, ${names}::json from clock)`;

const exchange = (isAnnounced: boolean) => `with required as (
    select 1 from ${namesIn('$5', '$6')} cross join lateral (
      select from artifact where artifact.kind = name.kind and artifact.key = name.key and ${isLive('$3')}
        limit 1 for key share) as found),
  source as (
    update artifact set consumed_at = $4
      where kind = $1 and key = $2 and consumed_at is null and ${isLive('$3')}
        and (select count(*) from required) = cardinality($5::text[])
      returning 1),
  removed as (
    delete from artifact using ${namesIn('$7', '$8')} where exists (select from source)
      and cardinality($7::text[]) > 0 and artifact.kind = name.kind and artifact.key = name.key),
  written as (${insertion} ${given(9)} where exists (select from source) ${replacing})
  ${isAnnounced ? `, ${announced('$17', 'where exists (select from source)')}` : ''}
  select count(*) as won ${isAnnounced ? ', (select last from clock) as seq' : ''} from source`;

const single = `${insertion}
  values ($1, $2, $3, $4, $5, $6, $7, $8) ${replacing}`;

const counted = `(case when ${isLive('$3')} then (artifact.payload ->> 'count')::int else 0 end + 1)`;
const ends = '(ceil($3::float8) + $4::float8)';

/** In place of a kind, of the record of an account among rows of artifacts. */
export const accountRow = 'account';

export const artifactStatements = {
  put: statement('put', single),
  putAnnounced: statement(
    'put_announced',
    `with ${announced('$9')} , written as (${single}) select last as seq from clock`,
  ),
  putAll: statement('put_all', `${insertion} ${given(1)} ${replacing}`),
  get: statement('get', `select ${columns} from artifact where kind = $1 and key = $2`),
  /**
   * Itself, its grant, its session, the uses of that and its account, each kind in the order in which they were put. One look into the
   * index for each: joined, what was planned for an empty table reads all grants of one that has grown since.
   */
  getBound: statement(
    'get_bound',
    `with source as (select * from artifact where kind = $1 and key = $2)
      select kind, key, ${columns}, put_order from source
      union all select bound.* from source cross join lateral (
        select kind, key, ${columns}, put_order from artifact where kind = 'Grant' and key = source.grant_key limit 1) as bound
      union all select bound.* from source cross join lateral (
        select kind, key, ${columns}, put_order from artifact
          where uid_key = source.owners ->> 'session' and kind = any('{Session,SessionUse}') offset 0) as bound
      union all select '${accountRow}', account.id, record, null, null, null, 0 from source cross join lateral (
        select id, record from account where id = source.owners ->> 'accountId' limit 1) as account
      order by put_order`,
  ),
  end: statement(
    'end',
    'update artifact set expires_at = 0 where kind = $1 and key = $2 and expires_at <= $3 and expires_at > 0',
  ),
  /** `$3`: now; `$4`: when it is used. */
  consume: statement(
    'consume',
    `update artifact set consumed_at = $4
      where kind = $1 and key = $2 and consumed_at is null and ${isLive('$3')}`,
  ),
  exchange: statement('exchange', exchange(false)),
  exchangeAnnounced: statement('exchange_announced', exchange(true)),
  remove: statement('remove', 'delete from artifact where kind = $1 and key = $2'),
  /** `$4`: the expiry; `$5`: the payload, or null. */
  extend: statement(
    'extend',
    `update artifact set expires_at = $4, payload = coalesce($5::json, payload)
      where kind = $1 and key = $2 and ${isLive('$3')}`,
  ),
  removeByGrant: statement('remove_by_grant', 'delete from artifact where grant_key = $1 and kind = any($2)'),
  /** `$1`: kind; `$2`: uid; `$3`: now; `$4`: limit. The newest first. */
  listByUid: statement('list_by_uid', listed(ofUid, 'order by put_order desc limit $4')),
  endByUid: statement('end_by_uid', endsOf(ofUid)),
  /** `$1`: kind; `$2`: digests; `$3`: now. In the order in which they were put. */
  listByUids: statement(
    'list_by_uids',
    `select found.* from (
        select * from unnest($2::text[]) limit cardinality($2::text[])) as asked (uid) cross join lateral (
        select key, ${columns} from artifact
          where artifact.uid_key = asked.uid and artifact.kind = $1 and ${isLive('$3')} order by put_order) as found`,
  ),
  /** `$1`: kind; `$2`: account; `$3`: now; `$4`: limit; `$5`: after this key. */
  listByAccount: statement('list_by_account', listed(ofAccount, 'and key > $5 order by key limit $4')),
  endByAccount: statement('end_by_account', endsOf(ofAccount)),
  /** `$1`: kind; `$2`: after this key; `$3`: now; `$4`: limit. */
  list: statement(
    'list',
    `select key, ${columns} from artifact
      where kind = $1 and key > $2 and ${isLive('$3')} order by key limit $4`,
  ),
  /** `$1`: now; `$2`: limit. The order changes nothing but the plan: without it all artifacts may be read. */
  countSessions: statement(
    'count_sessions',
    `select count(*)::int as n from (
      select from artifact where ${isOfAccount} and ${isLive('$1')} order by expires_at limit $2) as found`,
  ),
  /** `$3`: account. */
  countSessionsOf: statement(
    'count_sessions_of',
    `select count(*)::int as n from (
      select from artifact where account_key = $3 and kind = 'Session' and ${isLive('$1')} limit $2) as found`,
  ),
  /** Those that are there, whether they count or not. `$1`, `$2`: kinds and keys. */
  named: statement(
    'named',
    `select kind, key, ${columns} from artifact where (kind, key) in (select * from unnest($1::text[], $2::text[]))`,
  ),
  /** `$1`, `$2`: kinds and keys; `$3`: further kinds, of each `$5` at most; `$4`: now. */
  many: statement(
    'many',
    `select true as is_named, found.* from ${namesIn('$1', '$2')} cross join lateral (
        select kind, key, ${columns} from artifact
          where artifact.kind = name.kind and artifact.key = name.key and ${isLive('$4')} limit 1) as found
      union all select false, found.* from (
        select * from unnest($3::text[]) limit cardinality($3::text[])) as asked (kind) cross join lateral (
        select kind, key, ${columns} from artifact
          where artifact.kind = asked.kind and ${isLive('$4')} order by key limit $5) as found`,
  ),
  /** `$1`: kind, `$2`: digests, `$3`: now. The newest of each, and their accounts, each once. */
  byUids: statement(
    'by_uids',
    `with found as (
      select newest.* from (
        select * from unnest($2::text[]) limit cardinality($2::text[])) as asked (uid) cross join lateral (
        select kind, key, ${columns} from artifact
          where artifact.kind = $1 and artifact.uid_key = asked.uid and ${isLive('$3')}
          order by put_order desc limit 1) as newest)
      select * from found
      union all select '${accountRow}', account.id, record, null, null, null
        from (select distinct owners ->> 'accountId' as id from found limit cardinality($2::text[])) as named
        cross join lateral (select id, record from account where account.id = named.id limit 1) as account`,
  ),
  /** `$3`: now, by the clock that goes evenly; `$4`: seconds. */
  count: statement(
    'count',
    `insert into artifact (kind, key, payload, expires_at) values ($1, $2, '{"count":1}', ${ends})
      on conflict (kind, key) do update set payload = json_build_object('count', ${counted}),
        expires_at = case when ${isLive('$3')}
          then least(artifact.expires_at, ${ends}) else ${ends} end
      returning (payload ->> 'count')::int as count, expires_at as "resetsAt"`,
  ),
  uncount: statement(
    'uncount',
    `update artifact set payload = json_build_object('count', (payload ->> 'count')::int - 1)
      where kind = $1 and key = $2 and ${isLive('$3')} and (payload ->> 'count')::int > 0`,
  ),
  /** At most 500, none that somebody works on. */
  sweep: statement(
    'sweep',
    `delete from artifact where ctid = any(array(
      select ctid from artifact where expires_at <= $1 limit 500 for update skip locked))`,
  ),
};
