/**
 * How long each step takes that changes the tables of a large installation, and how long the longest statement beside it takes:
 * those of consoles that go on meanwhile. `BENCH_SCHEMA_ROWS` names how many sessions, used tokens and entries of the audit
 * there are of each (1000000, which take minutes to make).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import * as audit from '../console/storage/postgres/schema/audit-schema.ts';
import * as changes from '../console/storage/postgres/schema/changes-schema.ts';
import * as first from '../console/storage/postgres/schema/first-schema.ts';
import * as lists from '../console/storage/postgres/schema/lists-schema.ts';
import * as once from '../console/storage/postgres/schema/once-schema.ts';
import * as sessions from '../console/storage/postgres/schema/sessions-schema.ts';
import { postgresPrograms, startPostgres } from '../test/helpers/postgres.ts';
import type { Benchmark, Table } from './harness.ts';
import { spread } from './statistics.ts';

const size = Number(process.env.BENCH_SCHEMA_ROWS ?? 1_000_000);
/** As the steps have it. */
const lockTimeoutMs = 2_000;
/** Between two statements of one kind. */
const pauseMs = 5;
/** Without any step, to compare with. */
const quietMs = 5_000;

type Step = readonly [name: string, up: (database: Kysely<unknown>) => Promise<void>];

/** Into empty tables; and those that find rows there. */
const before: readonly Step[] = [
  ['0001-first', first.up],
  ['0002-audit', audit.up],
];
const steps: readonly Step[] = [
  ['0003-once', once.up],
  ['0004-lists', lists.up],
  ['0005-changes', changes.up],
  ['0006-sessions', sessions.up],
];

const fill: Readonly<Record<string, string>> = {
  artifact: `insert into artifact (kind, key, payload, grant_key, uid_key, account_key, expires_at)
    select case when i % 2 = 0 then 'Session' else 'RefreshToken' end, md5(i::text),
        json_build_object('accountId', i, 'scope', 'openid profile email', 'rest', repeat('x', 300)),
        md5('grant' || i), md5('uid' || i / 2), md5('account' || i / 2), extract(epoch from now()) + 3600 + i % 40000
      from generate_series(1, ${size}) as i`,
  client: `insert into client select 'client-' || i, 1, '{"scopes": ["svc:data:read"]}' from generate_series(1, ${Math.ceil(size / 10)}) as i`,
  audit_entry: `insert into audit_entry (chain, seq, latest, time, actor, object, object_kind, client, member, event, event_group, outcome, ids, repeats, stored)
    select 1, i, i, i, i % 1000, i % 5000, i % 5, i % 300, case when i % 3 = 0 then i % 3 end, i % 100, i % 10,
        case when i % 20 = 0 then 1 end, array[i, i + 1], i % 500 = 0,
        convert_to(repeat('x', 250) || case when i % 50 = 0 then '"change":{' else '' end, 'UTF8')
      from generate_series(1, ${size}) as i`,
};

/** What consoles ask all the time, of each table that a step is about. @param n  another one each time */
const asked: Readonly<Record<string, (n: number) => string>> = {
  'read a session': (n) =>
    `select payload from artifact where kind = 'Session' and key = md5('${(n * 2) % size}')`,
  'use a token up': (n) =>
    `update artifact set consumed_at = 1 where kind = 'RefreshToken' and key = md5('${(n * 2 + 1) % size}')`,
  'put a session': (n) =>
    `insert into artifact (kind, key, payload, account_key, expires_at) values ('Session', 'new-${n}', '{}', 'a', 4e9)`,
  'read a client': (n) => `select record from client where id = 'client-${n % 1000}'`,
  'change a client': (n) => `update client set version = version + 1 where id = 'client-${(n % 1000) + 1}'`,
  'write the audit': (n) =>
    `insert into audit_entry (chain, seq, latest, time, actor, event, ids, repeats, stored)
      values (2, ${n}, ${n}, ${n}, 1, 1, '{}', false, '\\x00')`,
};

export const benchmark: Benchmark = {
  name: 'schema-steps',
  async run() {
    if (postgresPrograms === undefined) throw new Error('PostgreSQL is not installed');
    const postgres = await startPostgres({ isDurable: true, settings: ['max_wal_size=4GB'] });
    try {
      const schema = await postgres.createDatabase();
      const connect = { connectionString: postgres.url(schema), options: `-c search_path=${schema}` };
      const pool = new pg.Pool({ ...connect, max: 2 });
      const beside = new pg.Pool({ ...connect, max: Object.keys(asked).length });
      const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
      try {
        for (const [, up] of before) await up(database);
        for (const [table, statement] of Object.entries(fill)) await fillTable(pool, table, statement);
        return await measured(database, beside);
      } finally {
        await beside.end();
        await database.destroy();
      }
    } finally {
      await postgres.close();
    }
  },
};

/** Its indexes are made at the end, as one makes them for many rows at once. */
async function fillTable(pool: pg.Pool, table: string, statement: string): Promise<void> {
  process.stderr.write(`filling ${table}\n`);
  const { rows } = await pool.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where schemaname = current_schema() and tablename = $1
      and indexname not like '%_pkey'`,
    [table],
  );
  for (const { indexname } of rows) await pool.query(`drop index ${indexname}`);
  await pool.query(statement);
  for (const { indexdef } of rows) await pool.query(indexdef);
  await pool.query(`vacuum analyze ${table}`);
}

async function measured(database: Kysely<unknown>, pool: pg.Pool): Promise<Table> {
  const found = [{ name: 'none', ...(await whileAsking(pool, () => wait(quietMs))) }];
  for (const [name, up] of steps) {
    process.stderr.write(`${name}\n`);
    found.push({ name, ...(await whileAsking(pool, () => up(database))) });
  }
  const longestBeside = Math.max(...found.slice(1).map(({ longestMs }) => longestMs));
  return {
    title: `Steps of the schema at ${size.toLocaleString('en-US')} rows`,
    columns: ['step', 'seconds', 'longest statement beside it, ms', 'which', 'statements'],
    rows: found.map(({ name, seconds, longestMs, longest, count }) => [
      name,
      seconds.toFixed(1),
      longestMs.toFixed(0),
      longest,
      `${count}`,
    ]),
    ratios: [
      {
        name: 'longest statement of a console beside a step',
        spread: spread([longestBeside]),
        unit: ' ms',
        atMost: lockTimeoutMs,
      },
    ],
    notes: [
      `Sessions with refresh tokens, and entries of the audit, ${size.toLocaleString('en-US')} of each, a tenth of that of clients. PostgreSQL writes to the disk before it answers.`,
    ],
  };
}

interface Found {
  readonly seconds: number;
  readonly longestMs: number;
  /** Which statement it was. */
  readonly longest: string;
  readonly count: number;
}

/** Numbers of statements, which no two of a run may share. */
let last = 0;

async function whileAsking(pool: pg.Pool, work: () => Promise<unknown>): Promise<Found> {
  let isOver = false;
  let [longestMs, longest, count] = [0, '', 0];
  const asking = Promise.all(
    Object.entries(asked).map(async ([name, textOf]) => {
      while (!isOver) {
        const at = performance.now();
        await pool.query(textOf(++last));
        const took = performance.now() - at;
        count++;
        if (took > longestMs) [longestMs, longest] = [took, name];
        await wait(pauseMs);
      }
    }),
  );
  const begun = performance.now();
  try {
    await work();
  } finally {
    isOver = true;
  }
  const seconds = (performance.now() - begun) / 1000;
  await asking;
  return { seconds, longestMs, longest, count };
}
