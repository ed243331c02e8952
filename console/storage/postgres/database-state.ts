/** How the database is, for whoever looks after it. */
import type { DatabaseState } from '../shared-store.ts';
import { type Database, statement } from './database.ts';
import { clockValue } from './lease.ts';

const about = statement(
  'state',
  `select current_setting('server_version') as version, current_setting('server_version_num')::int as "versionNumber",
    current_setting('data_checksums') = 'on' as "hasChecksums",
    ${clockValue} as clock,
    (select cluster_console.version from cluster_console) as form`,
);
/** Of whom the user may know nothing, the lag is not known. */
const replicas = statement(
  'replicas',
  `select count(*)::int as replicas, max(extract(epoch from replay_lag) * 1000)::float8 as "lagMs"
    from pg_stat_replication`,
);
const tables = statement(
  'table_sizes',
  `select relname as name, pg_total_relation_size(pg_class.oid) as bytes, greatest(reltuples, 0)::bigint as rows
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by bytes desc, name`,
);
const asked = statement('asked', 'select 1');

const samples = 5;

type About = Pick<DatabaseState, 'version' | 'versionNumber' | 'hasChecksums' | 'form'> & {
  readonly clock: number;
};

/** @param now  epoch milliseconds */
export async function databaseState(
  database: Pick<Database, 'run' | 'connections'>,
  now: () => number,
): Promise<DatabaseState> {
  const connections = database.connections();
  const times: number[] = [];
  for (let n = 0; n < samples; n++) {
    const begun = performance.now();
    await database.run(asked);
    times.push(performance.now() - begun);
  }
  const begun = now();
  const { clock, ...state } = (await database.run<About>(about)).rows[0]!;
  const middle = (begun + now()) / 2;
  const found = await database.run<{ replicas: number; lagMs: number | null }>(replicas);
  return {
    ...state,
    ...found.rows[0]!,
    aheadMs: Math.round(clock - middle),
    latencyMs: times.sort((one, other) => one - other)[Math.floor(samples / 2)]!,
    tables: (await database.run<DatabaseState['tables'][number]>(tables)).rows,
    connections,
  };
}
