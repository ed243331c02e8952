/** Writes records with all that points at them and counts them, within a transaction that nobody else commits beside. */
import { keyPart } from '../../engine/key-parts.ts';
import { countKeysOf, type IndexKey, indexKeysOf, keysWithout } from '../../engine/record-indexes.ts';
import type { RecordWrite } from '../../record-engine.ts';
import { DuplicateRecordError, type GrowingCollection, growingCollections } from '../../record-store.ts';
import type { ClientRecord, UserRecord } from '../../records.ts';
import { bulkStatement, type Queries, statement } from '../database.ts';
import { countName, placeInIndex, type Reads } from './record-rows.ts';

const tables = { users: 'account', clients: 'client' } as const satisfies Record<GrowingCollection, string>;

const forEach = <T>(of: (table: string) => T): Record<GrowingCollection, T> => ({
  users: of(tables.users),
  clients: of(tables.clients),
});
const put = {
  users: statement(
    'account_put',
    `insert into account (id, version, record)
      select id, $1, record::json from unnest($2::text[], $3::text[]) as given (id, record)
      on conflict (id) do update set version = excluded.version, record = excluded.record`,
  ),
  // With all entries of its index: console/storage/postgres/records/index-filling.ts.
  clients: statement(
    'client_put_filled',
    `insert into client (id, version, record, filled_version)
      select id, $1, record::json, $1 from unnest($2::text[], $3::text[]) as given (id, record)
      on conflict (id) do update set version = excluded.version, record = excluded.record,
        filled_version = excluded.filled_version`,
  ),
};
const remove = forEach((table) => statement(`${table}_remove`, `delete from ${table} where id = any($1)`));
const unindex = bulkStatement(`delete from record_index where (name, part, further, id) in
    (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]))`);
export const index = statement(
  'index',
  `insert into record_index (name, part, further, id)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) on conflict do nothing`,
);
/** One look into the index for each: else all names are read, in their order, for the first that is wanted. */
const duplicate =
  bulkStatement(`select given.name from unnest($1::text[], $2::text[], $3::text[]) as given (name, part, further)
    cross join lateral (
      select from record_index as there where there.name in ('name', 'link') and there.name = given.name
        and there.part = given.part and there.further = given.further limit 1) as found
    order by given.name desc limit 1`);
const count = statement(
  'count_records',
  `insert into record_count (key, n) select * from unnest($1::text[], $2::bigint[])
    on conflict (key) do update set n = record_count.n + excluded.n`,
);

export interface RecordPlan {
  /** Those that change something: not the removal of what is not there. */
  readonly changes: readonly RecordWrite[];
  readonly unindexed: readonly IndexKey[];
  readonly indexed: readonly IndexKey[];
  readonly counts: ReadonlyMap<string, number>;
}

/** Compares with what is there. */
export async function planWrites(reads: Reads, writes: readonly RecordWrite[]): Promise<RecordPlan> {
  const before = new Map<string, UserRecord | ClientRecord>();
  for (const collection of growingCollections) {
    const ids = writes.filter((write) => write.collection === collection).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const { record } of await reads.named(collection, ids))
      before.set(`${collection} ${record.id}`, record);
  }
  const changes: RecordWrite[] = [];
  const [unindexed, indexed]: [IndexKey[], IndexKey[]] = [[], []];
  const counts = new Map<string, number>();
  const add = (keys: readonly IndexKey[], n: number) => {
    for (const name of keys.map(countName)) counts.set(name, (counts.get(name) ?? 0) + n);
  };
  for (const write of writes) {
    const { collection, id, record } = write;
    const former = before.get(`${collection} ${id}`);
    if (former ?? record) changes.push(write);
    const [was, is] = [former, record].map((each) =>
      each
        ? { index: indexKeysOf(collection, each as never), counts: countKeysOf(collection, each as never) }
        : none,
    ) as [Keys, Keys];
    unindexed.push(...keysWithout(was.index, is.index));
    indexed.push(...keysWithout(is.index, was.index));
    add(was.counts, -1);
    add(is.counts, 1);
  }
  return { changes, unindexed, indexed, counts };
}

interface Keys {
  readonly index: readonly IndexKey[];
  readonly counts: readonly IndexKey[];
}

const none: Keys = { index: [], counts: [] };

/** @throws {DuplicateRecordError} */
export async function carryOut(queries: Queries, plan: RecordPlan, version: number): Promise<void> {
  for (const collection of growingCollections) {
    const own = plan.changes.filter((change) => change.collection === collection);
    const [gone, there] = [own.filter(({ record }) => !record), own.filter(({ record }) => record)];
    if (gone.length > 0) await queries.run(remove[collection], [gone.map(({ id }) => keyPart(id))]);
    if (there.length === 0) continue;
    const records = there.map(({ record }) => JSON.stringify(record));
    await queries.run(put[collection], [version, there.map(({ id }) => keyPart(id)), records]);
  }
  if (plan.unindexed.length > 0) await queries.run(unindex, rowsOf(plan.unindexed));
  await rejectDuplicates(queries, plan.indexed);
  if (plan.indexed.length > 0) await queries.run(index, rowsOf(plan.indexed));
  const counts = [...plan.counts].filter(([, n]) => n !== 0).sort(([one], [other]) => (one < other ? -1 : 1));
  if (counts.length > 0) await queries.run(count, [counts.map(([key]) => key), counts.map(([, n]) => n)]);
}

async function rejectDuplicates(queries: Queries, indexed: readonly IndexKey[]): Promise<void> {
  const unique = indexed
    .filter(([name]) => name === 'name' || name === 'link')
    .map((key) => key.slice(0, -1));
  if (unique.length === 0) return;
  const seen = new Set<string>();
  for (const key of unique) {
    const text = key.join('\0');
    if (seen.has(text)) throw new DuplicateRecordError(key[0] as 'name' | 'link');
    seen.add(text);
  }
  const [names, parts, further] = rowsOf(unique.map((key) => [...key, '']));
  const { rows } = await queries.run<{ name: 'name' | 'link' }>(duplicate, [names, parts, further]);
  if (rows[0]) throw new DuplicateRecordError(rows[0].name);
}

/** An array for each column. */
export function rowsOf(keys: readonly IndexKey[]): readonly (readonly string[])[] {
  const places = keys.map((key) => ({ ...placeInIndex(key.slice(0, -1)), id: String(key.at(-1)) }));
  return [
    places.map(({ name }) => name),
    places.map(({ part }) => part),
    places.map(({ further }) => further),
    places.map(({ id }) => id),
  ];
}
