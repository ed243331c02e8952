/** Lists of users and clients by their indexes, a page at a time: each page begins where the one before ended. */
import { lastPart } from '../../engine/key-parts.ts';
import type { IndexKey } from '../../engine/record-indexes.ts';
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

/** One statement for each table, way through it and direction. */
const statements = Object.fromEntries(
  Object.entries(tables).flatMap(([collection, table]) =>
    Object.entries(directions).flatMap(([direction, { than, order }]) => [
      [
        `${collection} ids ${direction}`,
        statement(
          `${table}_page_${direction}`,
          `select id, record from ${table} where id ${than} $1 order by id ${order} limit $2`,
        ),
      ],
      // Behind its name, a part of the index is in the order of the next part and the id.
      [
        `${collection} parts ${direction}`,
        statement(
          `${table}_by_part_${direction}`,
          `select part, id, record from record_index join ${table} using (id)
            where name = $1 and part >= $2 and part <= $3 and further = ''
              and (part, id) ${than} ($4, $5) order by part ${order}, id ${order} limit $6`,
        ),
      ],
      [
        `${collection} ones ${direction}`,
        statement(
          `${table}_of_part_${direction}`,
          `select part, id, record from record_index join ${table} using (id)
            where name = $1 and part = $2 and further = '' and id ${than} $3 order by id ${order} limit $4`,
        ),
      ],
    ]),
  ),
);

interface Row<R> {
  readonly part: string;
  readonly id: string;
  readonly record: R;
}

export function createRecordPages(queries: Queries, reads: Reads) {
  const page = createPaging(readSlice, sliceSize);

  async function readSlice<C extends GrowingCollection>(
    collection: C,
    { index, beginning = '' }: Section<GrowingRecords[C]>,
    { after, limit, isReversed }: SliceRequest,
  ): Promise<Slice<GrowingRecords[C]>> {
    const behind = after?.slice(index?.length ?? 0).map(String) ?? [];
    const direction = isReversed ? 'down' : behind.length === 0 ? 'first' : 'up';
    const run = async (way: string, values: readonly unknown[]) =>
      (await queries.run<Row<GrowingRecords[C]>>(statements[`${collection} ${way} ${direction}`]!, values))
        .rows;
    const sliceOf = (rows: readonly Row<GrowingRecords[C]>[], keyOf: (row: Row<unknown>) => IndexKey) => ({
      entries: rows.map((row) => ({ key: keyOf(row), record: row.record })),
      isOver: rows.length < limit,
    });
    const [name, part] = index ?? [];
    const end = isReversed ? lastPart : '';
    if (name === undefined) return sliceOf(await run('ids', [behind[0] ?? end, limit]), ({ id }) => [id]);
    if (part !== undefined) {
      return sliceOf(await run('ones', [name, part, behind[0] ?? end, limit]), ({ id }) => [name, part, id]);
    }
    const [last = end, id = ''] = behind;
    const rows = await run('parts', [name, beginning, `${beginning}${lastPart}`, last, id, limit]);
    return sliceOf(rows, (row) => [name, row.part, row.id]);
  }

  return {
    async users(asked: PageRequest & UserFilter & UserOrder) {
      const { role, eligibleRole, provider, status, beginning, ...request } = asked;
      const filter = { role, eligibleRole, provider, status, beginning };
      const counts = await countsFor(filter, reads);
      const count = (by: UserCount) => counts.get(JSON.stringify(by)) ?? 0;
      return page('users', userSectionsFor(filter, { after: request.after, isFilled: true, count }), request);
    },
    async clients(asked: PageRequest & ClientFilter) {
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
