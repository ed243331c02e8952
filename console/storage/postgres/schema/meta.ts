/** Which form the tables have, and who is changing it. */
import type pg from 'pg';
import { sqlState } from '../database-errors.ts';

/** A database that has it is ours. */
export const metaTable = 'cluster_console';

/** There while another store is moved into this one. */
export const moveTable = 'cluster_console_move';

export interface Form {
  /** 0: there are no tables yet. */
  readonly version: number;
  /** Consoles of an earlier form than this one do not work with the tables any more. */
  readonly servesFrom: number;
}

export interface Meta {
  read(): Promise<Form>;
  /**
   * What holds for `form` is said from now on: before anything is taken away.
   *
   * @returns whether this process changes the tables from now on; what a dead one has left half done is taken over
   */
  take(form: Form, leaseMs: number): Promise<boolean>;
  renew(leaseMs: number): Promise<void>;
  finish(version: number): Promise<void>;
}

/** Of the table {@link metaTable}; the first consoles to make it had no such column. */
export const servesFromValue = `coalesce((to_jsonb(cluster_console) ->> 'serves_from')::int, 1)`;

const formText = `select version, ${servesFromValue} as "servesFrom" from cluster_console`;

const addServesFrom = `set lock_timeout = '100ms';
do $$ begin
  if not exists (select from pg_attribute
      where attrelid = 'cluster_console'::regclass and attname = 'serves_from' and not attisdropped) then
    alter table cluster_console add column serves_from int;
  end if;
end $$;
reset lock_timeout`;

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
          held_until timestamptz not null default now(),
          serves_from int
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
      return (await readForm(client)) ?? { version: 0, servesFrom: 1 };
    },
    async take({ version, servesFrom }, leaseMs) {
      await client.query(addServesFrom);
      const { rowCount } = await client.query(
        `update cluster_console set migrating_to = $1, holder = $2, held_until = now() + $3 * interval '1 ms',
            serves_from = greatest(serves_from, $4)
          where version < $1 and (migrating_to is null or held_until < now())`,
        [version, holder, leaseMs, servesFrom],
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

/** Where the table is. */
export async function readForm(client: pg.Client): Promise<Form | undefined> {
  const { rows } = await client.query<Form>(formText);
  return rows[0];
}
