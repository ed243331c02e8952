/** Lists of users and clients by their indexes, a page at a time: each page begins where the one before ended. */
import { lastPart } from '../../engine/key-parts.ts';
import { createPaging, type Slice, type SliceRequest } from '../../engine/record-paging.ts';
import { clientSections, type Section, userSectionsFor } from '../../engine/record-sections.ts';
import type {
  ClientFilter,
  GrowingCollection,
  GrowingRecords,
  PageRequest,
  UserCount,
  UserFilter,
  UserOrder,
} from '../../record-store.ts';
import { type Queries, statement } from '../database.ts';
import { areClientsFilled } from './index-filling.ts';
import type { Reads } from './record-rows.ts';

const sliceSize = 500;

const tables = { users: 'account', clients: 'client' } as const;
/** From the first one on, which may be the empty text; behind one; before one. */
const directions = {
  first: { than: '>=', order: 'asc' },
  up: { than: '>', order: 'asc' },
  down: { than: '<', order: 'desc' },
} as const;

/** How what stands before the bound is compared with it, and the bound where there is none. */
const ends = {
  first: { to: '<=', end: lastPart },
  up: { to: '<=', end: lastPart },
  down: { to: '>=', end: '' },
} as const;

/** What a page goes through: `where` has all parameters but the limit, which follows. */
const waysOf = (table: string) => ({
  ids: {
    ...{ entries: table, records: table, columns: 'id', key: ['id'] },
    where: (than: string) => `id ${than} $1`,
    upTo: (bound: string, to: string) => `id ${to} ${bound}`,
    parameters: 1,
  },
  // Behind its name, a part of the index is in the order of the next part and the id.
  parts: {
    ...{ entries: 'record_index', records: `record_index join ${table} using (id)` },
    ...{ columns: 'part, id', key: ['part', 'id'] },
    where: (than: string) =>
      `name = $1 and part >= $2 and part <= $3 and further = '' and (part, id) ${than} ($4, $5)`,
    upTo: (bound: string, to: string) =>
      `(part, id) ${to} (coalesce((select part from bound), ${to === '<=' ? '$3' : '$2'}), ${bound})`,
    parameters: 5,
  },
  ones: {
    ...{ entries: 'record_index', records: `record_index join ${table} using (id)` },
    ...{ columns: 'part, id', key: ['id'] },
    where: (than: string) => `name = $1 and part = $2 and further = '' and id ${than} $3`,
    upTo: (bound: string, to: string) => `id ${to} ${bound}`,
    parameters: 3,
  },
});
const names = { ids: 'page', parts: 'by_part', ones: 'of_part' } as const;

/** One statement for each table, way through it and direction. */
const statements = Object.fromEntries(
  Object.entries(tables).flatMap(([collection, table]) =>
    Object.entries(waysOf(table)).flatMap(([way, { records, columns, key, where, parameters }]) =>
      Object.entries(directions).map(([direction, { than, order }]) => [
        `${collection} ${way} ${direction}`,
        statement(
          `${table}_${names[way as keyof typeof names]}_${direction}`,
          `select ${columns}, record from ${records} where ${where(than)}
            order by ${key.map((one) => `${one} ${order}`).join(', ')} limit $${parameters + 1}`,
        ),
      ]),
    ),
  ),
);

/**
 * The same of clients that another index does not point at: the parameters behind the limit are how many are visited, less one, and
 * the name and part of that index. Last comes the place of the last one that was visited, without a record, where that was not
 * the end. For each of them the index is asked by itself: joined, all of it might be read.
 */
const passing = Object.fromEntries(
  Object.entries(waysOf(tables.clients)).flatMap(
    ([way, { entries, records, columns, key, where, upTo, parameters }]) =>
      (['first', 'up', 'down'] as const).map((direction) => {
        const [visited, name, part] = [2, 3, 4].map((n) => `$${parameters + n}`);
        const meant = where(directions[direction].than);
        const { order: sense, to, end } = { ...directions[direction], ...ends[direction] };
        const order = key.map((one) => `${one} ${sense}`).join(', ');
        return [
          `${way} ${direction}`,
          statement(
            `client_${names[way as keyof typeof names]}_${direction}_passing`,
            `with bound as (
                select ${columns} from ${entries} where ${meant} order by ${order} offset ${visited} limit 1)
              (select ${columns}, record from ${records} where ${meant}
                and ${upTo(`coalesce((select id from bound), '${end}')`, to)}
                and (select true from record_index as other where other.name = ${name} and other.part = ${part}
                  and other.further = '' and other.id = client.id limit 1) is null
                order by ${order} limit $${parameters + 1})
              union all select ${columns}, null from bound`,
          ),
        ];
      }),
  ),
);

interface Place {
  readonly part: string;
  readonly id: string;
}

interface Row<R> extends Place {
  readonly record: R;
}

/** So many are visited by one statement that passes over some: a few milliseconds. */
const mostVisited = 5_000;

export function createRecordPages(queries: Queries, reads: Reads) {
  const page = createPaging(readSlice, sliceSize);

  async function readSlice<C extends GrowingCollection>(
    collection: C,
    { index, beginning = '', without }: Section<GrowingRecords[C]>,
    { after, limit, mostRead, isReversed }: SliceRequest,
  ): Promise<Slice<GrowingRecords[C]>> {
    const behind = after?.slice(index?.length ?? 0).map(String) ?? [];
    const direction = isReversed ? 'down' : behind.length === 0 ? 'first' : 'up';
    const [name, part] = index ?? [];
    const end = isReversed ? lastPart : '';
    const [last = end, id = ''] = behind;
    const [way, values, keyOf] =
      name === undefined
        ? (['ids', [last], (row: Place) => [row.id]] as const)
        : part === undefined
          ? ([
              'parts',
              [name, beginning, `${beginning}${lastPart}`, last, id],
              (row: Place) => [name, row.part, row.id],
            ] as const)
          : (['ones', [name, part, last], (row: Place) => [name, part, row.id]] as const);
    if (!without) {
      const query = statements[`${collection} ${way} ${direction}`]!;
      const { rows } = await queries.run<Row<GrowingRecords[C]>>(query, [...values, limit]);
      return {
        entries: rows.map((row) => ({ key: keyOf(row), record: row.record })),
        isOver: rows.length < limit,
      };
    }
    const visited = Math.min(mostRead, mostVisited);
    const { rows } = await queries.run<Row<GrowingRecords[C] | null>>(passing[`${way} ${direction}`]!, [
      ...[...values, limit, visited - 1],
      ...without,
    ]);
    const found = rows.filter(({ record }) => record !== null);
    const bound = found.length < limit ? rows.find(({ record }) => record === null) : undefined;
    return {
      entries: [...found, ...(bound ? [bound] : [])].map((row) => ({
        key: keyOf(row),
        record: row.record ?? undefined,
      })),
      read: bound ? visited : found.length,
      isOver: found.length < limit && !bound,
    };
  }

  return {
    async users(asked: PageRequest & UserFilter & UserOrder) {
      const { role, eligibleRole, provider, status, beginning, ...request } = asked;
      const filter = { role, eligibleRole, provider, status, beginning };
      const counts = await countsFor(filter, reads);
      const count = (by: UserCount) => counts.get(JSON.stringify(by)) ?? 0;
      return page('users', userSectionsFor(filter, { after: request.after, isFilled: true, count }), request);
    },
    async clients(asked: PageRequest & ClientFilter & UserOrder) {
      // What goes by the entries of the second generation; the first one every client has.
      const isByName = asked.kind === 'application' && asked.beginning !== undefined;
      const generation = isByName && (await areClientsFilled(queries)) ? 2 : 1;
      return page('clients', clientSections(asked, generation), asked);
    },
  };
}

/** What decides which index leads. */
async function countsFor(
  { role, provider, status }: UserFilter,
  reads: Reads,
): Promise<ReadonlyMap<string, number>> {
  const asked: UserCount[] = [];
  if (role !== undefined) asked.push({ role });
  if (provider !== undefined) asked.push({ provider });
  if (status !== undefined) asked.push({ status });
  const counts = await Promise.all(asked.map((by) => reads.count('users', by)));
  return new Map(asked.map((by, n) => [JSON.stringify(by), counts[n]!]));
}
