/** Tables that do not grow for ever: what has expired goes in small pieces, by whoever leads; and clocks that differ. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

const day = 86_400_000;

describe.skipIf(postgresPrograms === undefined)('days in PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  test('after a day the tables are as large as the day before', async () => {
    const database = await postgres.createDatabase();
    let now = Date.now();
    const storage = await openPostgresStorage({
      url: postgres.url(database),
      now: () => now,
      endsBy: () => now,
    });
    onTestFinished(() => storage.close());
    const leading = storage.leadership!.inTerm(storage.leadership!.term()!);
    const inTables = async (what: string) =>
      (
        await postgres.query<{ n: string }>(
          database,
          `select ${['artifact', 'replay', 'change'].map((table) => what.replaceAll('TABLE', table)).join(' + ')} as n`,
        )
      )[0]!.n;
    const rows = async () => Number(await inTables('(select count(*) from TABLE)'));
    const bytes = async () => Number(await inTables(`pg_total_relation_size('TABLE')`));
    const sizes: number[] = [];
    for (let n = 1; n <= 4; n++) {
      await postgres.query(
        database,
        `insert into artifact (kind, key, payload, grant_key, expires_at)
           select 'RefreshToken', 'day-${n}-' || i, '{"scope":"openid"}', 'grant-' || i, ${now / 1000 + 3600}
             from generate_series(1, 3000) as i;
         insert into replay select 'day-${n}-' || i, now() - interval '1 minute' from generate_series(1, 3000) as i;
         with taken as (update change_clock set last = last + 600 returning last)
           insert into change select last - i, now() - interval '25 hours', '{}' from taken, generate_series(0, 599) as i`,
      );
      now += day;
      expect(await leading.artifacts.sweep()).toBe(6000);
      expect(await rows()).toBe(0);
      // As the database does by itself.
      for (const table of ['artifact', 'replay', 'change']) await postgres.query(database, `vacuum ${table}`);
      sizes.push(await bytes());
    }
    expect(sizes[3]!).toBeLessThan(sizes[1]! * 1.1);
  });

  test.each([5, -5, 600, -600])(
    'a console whose clock is %i s off leads, hands over, counts and knows what was seen as the others do',
    async (seconds) => {
      const database = await postgres.createDatabase();
      const now = () => Date.now() + seconds * 1000;
      const off = await openPostgresStorage({ url: postgres.url(database), now });
      const right = await openPostgresStorage({ url: postgres.url(database) });
      onTestFinished(() => right.close());
      expect([off.leadership?.term(), right.leadership?.term()]).toEqual([1, undefined]);
      expect(await off.counts!.once('proof', 'seen', 70)).toBe(true);
      expect(await right.counts!.once('proof', 'seen', 70)).toBe(false);
      const leading = off.leadership!.inTerm(1);
      await leading.artifacts.put('LogoutNotice', 'notice', { payload: { id: 'notice' } });
      await leading.artifacts.sweep();
      // What was seen is still there, whatever the clock of the one who sweeps says.
      expect(await right.counts!.once('proof', 'seen', 70)).toBe(false);
      expect(await right.artifacts.get('LogoutNotice', 'notice')).toBeDefined();
      await off.close();
      const closedAt = performance.now();
      while (right.leadership?.term() !== 2) {
        expect(performance.now() - closedAt).toBeLessThan(5000);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  );
});
