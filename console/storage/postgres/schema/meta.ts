/** Which form the tables have, and who is changing it. */
import type pg from 'pg';
import { sqlState } from '../database-errors.ts';

/** A database that has it is ours. */
export const metaTable = 'cluster_console';

/** There while another store is moved into this one. */
export const moveTable = 'cluster_console_move';

export interface Meta {
  read(): Promise<{ readonly version: number; readonly migratingTo: number | undefined }>;
  /** @returns whether this process changes the tables from now on; what a dead one has left half done is taken over */
  take(version: number, leaseMs: number): Promise<boolean>;
  renew(leaseMs: number): Promise<void>;
  finish(version: number): Promise<void>;
}

/** Two that create it at once: one of them is told so. */
const createdMeanwhile = new Set(['23505', '42P07', '42710']);

export function createMeta(client: pg.Client, holder: string): Meta {
  async function create(): Promise<void> {
    await client
      .query(
        `create table if not exists cluster_console (
          is_only boolean primary key default true check (is_only),
          version int not null default 0,
          migrating_to int,
          holder text,
          held_until timestamptz not null default now()
        );
        insert into cluster_console default values on conflict do nothing`,
      )
      .catch((error: unknown) => {
        if (!createdMeanwhile.has(sqlState(error) ?? '')) throw error;
      });
  }

  return {
    async read() {
      await create();
      const { rows } = await client.query<{ version: number; migrating_to: number | null }>(
        `select version, migrating_to from cluster_console`,
      );
      return { version: rows[0]?.version ?? 0, migratingTo: rows[0]?.migrating_to ?? undefined };
    },
    async take(version, leaseMs) {
      const { rowCount } = await client.query(
        `update cluster_console set migrating_to = $1, holder = $2, held_until = now() + $3 * interval '1 ms'
          where version < $1 and (migrating_to is null or held_until < now())`,
        [version, holder, leaseMs],
      );
      return rowCount === 1;
    },
    async renew(leaseMs) {
      await client.query(
        `update cluster_console set held_until = now() + $2 * interval '1 ms' where holder = $1`,
        [holder, leaseMs],
      );
    },
    async finish(version) {
      await client.query(`update cluster_console set version = $2, migrating_to = null where holder = $1`, [
        holder,
        version,
      ]);
    },
  };
}
