/** The registry: tables, whole in the memory of each process. */
import { keyPart } from '../engine/key-parts.ts';
import { createListeners } from '../engine/listeners.ts';
import type { StorageLog } from '../engine/storage-log.ts';
import type { Collection, RegistryRecords, RegistryWrite } from '../records.ts';
import { changeState, emptyState, type RegistryState } from '../registry-state.ts';
import { withWrites, writesBetween } from '../registry-writes.ts';
import type { Registry } from '../storage.ts';
import type { ChangedNames } from './change-log.ts';
import { type Queries, statement } from './database.ts';
import type { Commits } from './ordered-commits.ts';

type Record = RegistryRecords[Collection];

export interface PostgresRegistry extends Registry {
  /** What others have changed, read anew. */
  deliver(names: NonNullable<ChangedNames['registry']>, queries: Queries): Promise<void>;
  /** What this process has committed. */
  apply(writes: readonly RegistryWrite[]): void;
  /** The same one, changed by these commits. */
  writtenBy(commits: Commits): Registry;
}

interface RegistryRow {
  readonly collection: Collection;
  readonly id: string;
  readonly record: Record;
}

const readAll = statement('registry_all', 'select collection, id, record from registry order by place');
const readNamed = statement(
  'registry_named',
  `select collection, id, record from registry
    where (collection, id) in (select * from unnest($1::text[], $2::text[])) order by place`,
);
const put = statement(
  'registry_put',
  `insert into registry (collection, id, record)
    select collection, id, record::json from unnest($1::text[], $2::text[], $3::text[]) as given (collection, id, record)
    on conflict (collection, id) do update set record = excluded.record`,
);
const remove = statement(
  'registry_remove',
  'delete from registry where (collection, id) in (select * from unnest($1::text[], $2::text[]))',
);

export async function openPostgresRegistry(
  database: Queries,
  ownCommits: () => Commits,
  log: StorageLog | undefined,
): Promise<PostgresRegistry> {
  const listeners = createListeners<ReadonlySet<Collection>>('registry', log);
  const { rows } = await database.run<RegistryRow>(readAll);
  let state: RegistryState = withWrites(
    emptyState(),
    rows.map(({ collection, record }) => ({ collection, id: record.id, record })),
  );

  function apply(writes: readonly RegistryWrite[]): void {
    if (writes.length === 0) return;
    state = withWrites(state, writes);
    listeners.emit(new Set(writes.map(({ collection }) => collection)));
  }

  const registryOf = (commits: () => Commits): Registry => ({
    get: (collection, id) => state[collection].get(id),
    all: (collection) => state[collection],
    async update(change, guard) {
      let result!: ReturnType<typeof change>;
      await commits().commit(async (queries) => {
        await guard?.();
        const changed = changeState(state, change);
        result = changed.result;
        const writes = writesBetween(state, changed.next);
        if (writes.length === 0) return undefined;
        await writeRegistry(queries, writes);
        return { names: { registry: namesOf(writes) }, emit: () => apply(writes) };
      });
      return result;
    },
    onChange: listeners.add,
  });

  return {
    ...registryOf(ownCommits),
    writtenBy: (commits) => registryOf(() => commits),
    apply,
    async deliver(names, queries) {
      const { rows: found } = await queries.run<RegistryRow>(readNamed, [
        names.map(([collection]) => collection),
        names.map(([, id]) => keyPart(id)),
      ]);
      const nameOf = (collection: string, id: string) => JSON.stringify([collection, id]);
      const records = new Map(found.map(({ collection, record }) => [nameOf(collection, record.id), record]));
      const each = new Map(
        names.map(([collection, id]) => [nameOf(collection, id), [collection, id] as const]),
      );
      apply(
        [...each].map(([name, [collection, id]]) => {
          const record = records.get(name);
          return { collection: collection as Collection, id, ...(record && { record }) };
        }),
      );
    },
  };
}

export async function writeRegistry(queries: Queries, writes: readonly RegistryWrite[]): Promise<void> {
  const [gone, puts] = [writes.filter(({ record }) => !record), writes.filter(({ record }) => record)];
  const keysOf = (some: readonly RegistryWrite[]) => [
    some.map(({ collection }) => collection),
    some.map(({ id }) => keyPart(id)),
  ];
  if (gone.length > 0) await queries.run(remove, keysOf(gone));
  if (puts.length > 0)
    await queries.run(put, [...keysOf(puts), puts.map(({ record }) => JSON.stringify(record))]);
}

export function namesOf(writes: readonly RegistryWrite[]): readonly (readonly [string, string])[] {
  return writes.map(({ collection, id }) => [collection, id] as const);
}
