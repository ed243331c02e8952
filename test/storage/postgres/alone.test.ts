/** What others change reaches a console that is told of nothing: where there is no LISTEN, it asks by itself. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { startDatabaseWay } from '../../helpers/database-way.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { until } from '../../helpers/store.ts';

const rounds = 9;

describe.skipIf(postgresPrograms === undefined)('PostgreSQL without LISTEN', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  test('what another one changes is known twice a second all the same', async () => {
    const database = await postgres.createDatabase();
    const way = await startDatabaseWay(postgres.port);
    onTestFinished(() => way.close());
    way.cutEach('listen cluster_console_change');
    const one = await openPostgresStorage({ url: postgres.url(database) });
    onTestFinished(one.close);
    const other = await openPostgresStorage({ url: postgres.url(database, { port: way.port }) });
    onTestFinished(other.close);
    await until(async () => way.hasCut(), 'a listener that is refused', 5_000);
    const times: number[] = [];
    for (let n = 0; n < rounds; n++) {
      const id = `setting-${n}`;
      await one.registry.update((transaction) => transaction.put('settings', { id, value: n }));
      const changedAt = performance.now();
      await until(async () => other.registry.get('settings', id) !== undefined, 'the change', 5_000);
      times.push(performance.now() - changedAt);
    }
    times.sort((a, b) => a - b);
    // By the renewal of the lease alone it were a second.
    expect(times[(rounds - 1) / 2]).toBeLessThan(750);
  }, 60_000);
});
