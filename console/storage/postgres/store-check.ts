/** Reads everything that lies in the database, a page at a time, as it is at one moment. */
import { digest } from '../digest.ts';
import { keyPart } from '../engine/key-parts.ts';
import { countKeysOf, type IndexKey, indexKeysOf } from '../engine/record-indexes.ts';
import { type GrowingCollection, type GrowingRecords, growingCollections } from '../record-store.ts';
import type { StoreCheck } from '../storage.ts';
import type { ArtifactRow } from './artifact-rows.ts';
import { type Queries, statement } from './database.ts';
import { isLaterEntry } from './records/index-filling.ts';
import { countName, placeInIndex } from './records/record-rows.ts';

const pageSize = 500;
/** Of what is wrong, so many are named. */
const mostNamed = 20;
const ownerColumns = ['grant_key', 'uid_key', 'account_key'] as const;

const begin = statement('check_begin', 'begin isolation level repeatable read read only');
const end = statement('check_end', 'rollback');
const recordPage = (table: string, isFilled: string) =>
  statement(
    `check_${table}`,
    `select id, record, ${isFilled} as "isFilled" from ${table} where ($2 or id > $1) order by id limit ${pageSize}`,
  );
const pages = {
  users: recordPage('account', 'true'),
  // What a console of the version before writes has fewer ways to it: they are filled in.
  clients: recordPage('client', 'filled_version is not distinct from version'),
};
const there = statement(
  'check_there',
  `select name, part, further, id from record_index where (name, part, further, id) in
    (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]))`,
);
const indexPage = statement(
  'check_index',
  `select name, part, further, record_index.id, account.record as user, client.record as client,
      client.filled_version is distinct from client.version as "isUnfilled"
    from record_index left join account on account.id = record_index.id left join client on client.id = record_index.id
    where (name, part, further, record_index.id) > ($1, $2, $3, $4)
    order by name, part, further, record_index.id limit ${pageSize}`,
);
const artifactPage = statement(
  'check_artifacts',
  `select kind, key, owners, ${ownerColumns.join(', ')} from artifact where (kind, key) > ($1, $2)
    order by kind, key limit ${pageSize}`,
);
const counts = statement('check_counts', 'select key, n from record_count');

interface IndexRow {
  readonly name: string;
  readonly part: string;
  readonly further: string;
  readonly id: string;
  readonly user: GrowingRecords['users'] | null;
  readonly client: GrowingRecords['clients'] | null;
  /** A console of the version before has changed the client: what came later is of what it was. */
  readonly isUnfilled: boolean;
}

interface CheckedRow<R> {
  readonly id: string;
  readonly record: R;
  readonly isFilled: boolean;
}

type OwnedRow = Pick<ArtifactRow, 'key' | 'owners'> & {
  readonly kind: string;
} & Readonly<Record<(typeof ownerColumns)[number], string | null>>;

/**
 * Each record by what it says itself, each way to it, each way by what it leads to, and the counts. The database looks
 * after its pages and indexes itself.
 *
 * @param queries  of one connection, which nobody else uses meanwhile
 */
export async function checkDatabase(queries: Queries): Promise<StoreCheck> {
  const report = createReport();
  await queries.run(begin);
  try {
    const counted = new Map<string, number>();
    for (const collection of growingCollections) await checkRecords(queries, collection, report, counted);
    await checkIndex(queries, report);
    await checkArtifacts(queries, report);
    const { rows } = await queries.run<{ key: string; n: number }>(counts);
    return report.result(differing(counted, new Map(rows.map(({ key, n }) => [key, n]))));
  } finally {
    await queries.run(end).catch(() => {}); // the connection has ended, and the transaction with it
  }
}

type Report = ReturnType<typeof createReport>;

function createReport() {
  const found = { records: 0, damaged: 0, unindexed: 0, stray: 0 };
  const named: string[] = [];
  return {
    seen(records: number): void {
      found.records += records;
    },
    add(what: 'damaged' | 'unindexed' | 'stray', where: string): void {
      found[what]++;
      if (named.length < mostNamed) named.push(`${what}: ${where}`);
    },
    result: (miscounted: number): StoreCheck => ({ ...found, miscounted, named }),
  };
}

async function checkRecords<C extends GrowingCollection>(
  queries: Queries,
  collection: C,
  report: Report,
  counted: Map<string, number>,
): Promise<void> {
  let last: string | undefined;
  for (;;) {
    const { rows } = await queries.run<CheckedRow<GrowingRecords[C]>>(pages[collection], [
      last ?? '',
      last === undefined,
    ]);
    report.seen(rows.length);
    const due = rows.map(({ id, record, isFilled }) => dueOf(collection, id, record, isFilled));
    for (const [n, { id }] of rows.entries()) if (!due[n]) report.add('damaged', `${collection} ${id}`);
    const ways = due.flatMap((each) => each?.ways ?? []);
    const columns = (['name', 'part', 'further', 'id'] as const).map((by) => ways.map((way) => way[by]));
    const present = await queries.run<Way>(there, columns);
    const known = new Set(present.rows.map(textOf));
    for (const way of ways) {
      if (!known.has(textOf(way))) report.add('unindexed', `${collection} ${way.id} by ${way.name}`);
    }
    for (const name of due.flatMap((each) => each?.counts ?? []))
      counted.set(name, (counted.get(name) ?? 0) + 1);
    if (rows.length < pageSize) return;
    last = rows.at(-1)!.id;
  }
}

async function checkIndex(queries: Queries, report: Report): Promise<void> {
  let last: readonly string[] = ['', '', '', ''];
  for (;;) {
    const { rows } = await queries.run<IndexRow>(indexPage, last);
    for (const row of rows) if (!leadsToRecord(row)) report.add('stray', `records ${textOf(row)}`);
    if (rows.length < pageSize) return;
    const { name, part, further, id } = rows.at(-1)!;
    last = [name, part, further, id];
  }
}

function leadsToRecord(row: IndexRow): boolean {
  const { id, user, client, isUnfilled } = row;
  if (client && isUnfilled && isLaterEntry([row.name])) return true;
  const due = [user && dueOf('users', id, user), client && dueOf('clients', id, client)];
  return due.some((each) => each?.ways.some((way) => textOf(way) === textOf(row)));
}

/** The ways to a record and the counts that it is in; undefined: it is not what was stored under this id. */
function dueOf<C extends GrowingCollection>(
  collection: C,
  id: string,
  record: GrowingRecords[C],
  isFilled = true,
) {
  try {
    if (keyPart(record.id) !== id) return undefined;
    return {
      ways: indexKeysOf(collection, record)
        .filter((way) => isFilled || !isLaterEntry(way))
        .map(wayOf),
      counts: countKeysOf(collection, record).map(countName),
    };
  } catch (error) {
    // A member that every record has is not there.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What they are found by is a column each. */
async function checkArtifacts(queries: Queries, report: Report): Promise<void> {
  let last: readonly string[] = ['', ''];
  for (;;) {
    const { rows } = await queries.run<OwnedRow>(artifactPage, last);
    report.seen(rows.length);
    for (const row of rows) {
      const { grantId, uid, accountId } = row.owners ?? {};
      const due = [grantId, uid, accountId].map((owner) => (owner === undefined ? null : digest(owner)));
      for (const [n, name] of ownerColumns.entries()) {
        if (row[name] === due[n]) continue;
        report.add(row[name] === null ? 'unindexed' : 'stray', `artifacts ${row.kind} ${row.key} by ${name}`);
      }
    }
    if (rows.length < pageSize) return;
    const { kind, key } = rows.at(-1)!;
    last = [kind, key];
  }
}

type Way = Pick<IndexRow, 'name' | 'part' | 'further' | 'id'>;

function wayOf(key: IndexKey): Way {
  return { ...placeInIndex(key.slice(0, -1)), id: String(key.at(-1)) };
}

function textOf({ name, part, further, id }: Way): string {
  return [name, part, further, id].join(' ');
}

/** One of none is no difference. */
function differing(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => (one.get(key) ?? 0) !== (other.get(key) ?? 0)).length;
}
