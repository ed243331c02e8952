/** Many new records: what is in their way is asked for all of a batch at once, in the transaction that writes them. */
import { keyPart } from '../../engine/key-parts.ts';
import { indexUnder } from '../../engine/record-indexes.ts';
import {
  createTaken,
  loadInBatches,
  nameOfRecord,
  type Obstacle,
  type RecordLoader,
} from '../../record-loader.ts';
import type { GrowingCollection, GrowingRecords, RecordChange } from '../../record-store.ts';
import type { UserRecord } from '../../records.ts';
import { bulkStatement, type Queries } from '../database.ts';
import type { Commits } from '../ordered-commits.ts';
import type { PostgresRegistry } from '../registry-postgres.ts';
import { createReads, placeInIndex } from './record-rows.ts';
import { carryOut, planWrites } from './record-writes.ts';

export interface LoaderDeps {
  readonly database: Queries;
  readonly commits: Commits;
  readonly registry: PostgresRegistry;
  readonly emitRecords: (changes: readonly RecordChange[]) => void;
}

const takenIds = bulkStatement(
  'select id from account where id = any($1) union all select id from client where id = any($1)',
);
const takenNames =
  bulkStatement(`select name, part, further from record_index where name = any('{name,client-name}') and part = any($1)
    union all select name, part, '' from record_index where name = 'shape' and part = any($2)
    union all select 'link', given.part, given.further
      from unnest($3::text[], $4::text[]) as given (part, further) cross join lateral (
        select from record_index as there where there.name = 'link' and there.part = given.part
          and there.further = given.further limit 1) as found`);

export function createPostgresLoader({ database, commits, registry, emitRecords }: LoaderDeps): RecordLoader {
  async function add<C extends GrowingCollection>(collection: C, records: readonly GrowingRecords[C][]) {
    let obstacles: readonly (Obstacle | undefined)[] = [];
    await commits.commit(async (queries, seq) => {
      const taken = createTaken();
      const inStore = await obstaclesIn(queries, collection, records);
      obstacles = records.map((record, n) => {
        const obstacle = inStore[n] ?? taken.obstacle(collection, record);
        if (!obstacle) taken.add(collection, record);
        return obstacle;
      });
      const added = records.filter((_, n) => obstacles[n] === undefined);
      if (added.length === 0) return undefined;
      const writes = added.map((record) => ({ collection, id: record.id, record }));
      await carryOut(queries, await planWrites(createReads(queries, registry), writes), seq);
      return {
        names: { records: writes.map(({ id }) => [collection, id] as const) },
        emit: () => emitRecords(writes as unknown as readonly RecordChange[]),
      };
    });
    return obstacles;
  }

  return {
    load: (collection, records, options) => loadInBatches(add, collection, records, options),
    obstacles: (collection, records) => obstaclesIn(database, collection, records),
  };
}

async function obstaclesIn<C extends GrowingCollection>(
  queries: Queries,
  collection: C,
  records: readonly GrowingRecords[C][],
): Promise<readonly (Obstacle | undefined)[]> {
  const ids = records.map(({ id }) => keyPart(id));
  // Of the other ones too: a subject names one party only (S14).
  const { rows: found } = await queries.run<{ id: string }>(takenIds, [ids]);
  const taken = new Set(found.map(({ id }) => id));
  const keys = records.map((record) => {
    const name = nameOfRecord(collection, record);
    const { federated } = record as Partial<UserRecord>;
    return {
      name: placeInIndex(indexUnder.name(name)).part,
      shape: placeInIndex(indexUnder.shape(name)).part,
      link: federated && placeInIndex(indexUnder.link(federated.provider, federated.subject)),
    };
  });
  const links = keys.flatMap(({ link }) => (link ? [link] : []));
  const { rows } = await queries.run<{ name: string; part: string; further: string }>(takenNames, [
    keys.map(({ name }) => name),
    keys.map(({ shape }) => shape),
    links.map(({ part }) => part),
    links.map(({ further }) => further),
  ]);
  const inUse = new Set(
    rows.map(({ name, part, further }) => kindOf(name) + JSON.stringify([part, further])),
  );
  return keys.map(({ name, shape, link }, n) => {
    if (taken.has(ids[n]!)) return 'id';
    if (inUse.has(`name${JSON.stringify([name, ''])}`) || inUse.has(`shape${JSON.stringify([shape, ''])}`))
      return 'name';
    return link && inUse.has(`link${JSON.stringify([link.part, link.further])}`) ? 'link' : undefined;
  });
}

function kindOf(name: string): string {
  return name === 'client-name' ? 'name' : name;
}
