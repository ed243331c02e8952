/** A store in PostgreSQL as it is moved to another engine: everything in it, as it lies there. */
import type { StoreContents, StoreItems, StorePage, StorePart } from '../../migration/store-contents.ts';
import { type ArtifactRow, artifactOf } from '../artifact-rows.ts';
import type { Queries } from '../database.ts';
import { moveStatements as sql } from './move-statements.ts';

type Read = Pick<StoreContents, 'page' | 'size'>;

interface Row<P extends StorePart> {
  readonly id: string;
  readonly record: StoreItems[P];
}

export function postgresContents(queries: Queries): Read {
  async function recordPage<P extends 'users' | 'clients'>(part: P, after = ''): Promise<StorePage<P>> {
    const { rows } = await queries.run<Row<P>>(sql[part], [after]);
    const items = rows.slice(0, sql.pageSize).map(({ record }) => record);
    const last = rows[sql.pageSize - 1];
    return { items, ...(rows.length > sql.pageSize && { next: last!.id }) };
  }

  async function artifactPage(after = '["",""]'): Promise<StorePage<'artifacts'>> {
    const { rows } = await queries.run<ArtifactRow & { kind: string; put_order: number }>(
      sql.artifacts,
      JSON.parse(after) as unknown[],
    );
    const items = rows.slice(0, sql.pageSize).map((row) => ({
      kind: row.kind,
      key: row.key,
      artifact: artifactOf(row),
      uidOrder: row.put_order,
    }));
    const last = items.at(-1);
    return { items, ...(rows.length > sql.pageSize && { next: JSON.stringify([last!.kind, last!.key]) }) };
  }

  async function registryPage(): Promise<StorePage<'registry'>> {
    return { items: (await queries.run<StoreItems['registry']>(sql.registry)).rows };
  }

  return {
    page<P extends StorePart>(part: P, after: string | undefined) {
      const page: Promise<StorePage<StorePart>> =
        part === 'registry'
          ? registryPage()
          : part === 'artifacts'
            ? artifactPage(after)
            : recordPage(part as 'users' | 'clients', after);
      return page as Promise<StorePage<P>>;
    },
    async size(part) {
      const { rows } = await queries.run<{ n: number }>(sql.sizes[part]);
      return rows[0]!.n;
    },
  };
}
