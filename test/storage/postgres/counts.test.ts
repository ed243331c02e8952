/** What several processes decide as one: what was seen before, and how failures are slowed down. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import type { Pace, SharedCounts } from '../../../console/storage/shared-store.ts';
import { StorageUnavailableError } from '../../../console/storage/storage.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';

const pace: Pace = {
  free: 3,
  firstMs: 100_000,
  growth: 2,
  longestMs: 300_000,
  forgivenMs: 60_000,
  mostHeld: 4,
};

describe.skipIf(postgresPrograms === undefined)('counts in PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  async function openTwo() {
    const database = await postgres.createDatabase();
    const open = async () => {
      const storage = await openPostgresStorage({ url: postgres.url(database) });
      onTestFinished(() => storage.close());
      return storage;
    };
    const [one, other] = [await open(), await open()];
    return { database, one, other, counts: [one.counts!, other.counts!] as readonly SharedCounts[] };
  }

  test('of many that ask at two processes at once, one is the first for each id', async () => {
    const { counts } = await openTwo();
    const ids = Array.from({ length: 200 }, (_, n) => `id-${n}`);
    const asked = Array.from({ length: 20 }, (_, n) => (n % 3 === 0 ? [...ids].reverse() : ids)).flatMap(
      (some, n) => some.map(async (id) => ((await counts[n % 2]!.once('kind', id, 70)) ? id : undefined)),
    );
    const first = (await Promise.all(asked)).filter((id) => id !== undefined);
    expect(first.sort()).toEqual([...ids].sort());
    expect(await counts[0]!.once('other-kind', 'id-0', 70)).toBe(true);
    // Over, or forgotten, it is the first time again.
    await counts[0]!.forget('other-kind', 'id-0');
    expect(await counts[1]!.once('other-kind', 'id-0', 0)).toBe(true);
    expect(await counts[0]!.once('other-kind', 'id-0', 70)).toBe(true);
    expect(await counts[1]!.once('other-kind', 'id-0', 70)).toBe(false);
  });

  test('many that are asked for at once are few statements', async () => {
    const { database, counts } = await openTwo();
    const statements = async () =>
      (
        await postgres.query<{ n: string }>(database, 'select sum(xact_commit) as n from pg_stat_database')
      )[0]!.n;
    const before = Number(await statements());
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) => counts[0]!.once('kind', `${n}`, 70)),
    );
    expect(answers.every(Boolean)).toBe(true);
    expect(Number(await statements()) - before).toBeLessThan(100);
  });

  test('failures are slowed down in one queue, at whichever process they come', async () => {
    const { counts } = await openTwo();
    const holds: (number | undefined)[] = [];
    for (let n = 0; n < 9; n++) holds.push(await counts[n % 2]!.hold('secret', 'source', pace));
    // Free; then 100, 200, 300 and 300 s, each behind the ones before.
    expect(holds.slice(0, 3)).toEqual([0, 0, 0]);
    const [first, second, third, fourth, ...none] = holds.slice(3) as number[];
    expect(first).toBeGreaterThan(99_000);
    expect([second! > first!, third! > second!, fourth! > third!]).toEqual([true, true, true]);
    expect(none).toEqual([undefined, undefined]);
    expect(await counts[1]!.hold('secret', 'other source', pace)).toBe(0);
  });

  test('what is over is swept by whoever leads, and what is not stays', async () => {
    const { database, one, counts } = await openTwo();
    await counts[0]!.once('kind', 'over', 0);
    await counts[0]!.once('kind', 'on', 70);
    await counts[0]!.hold('secret', 'source', pace);
    await postgres.query(database, `update pace set counted_at = now() - interval '2 hours'`);
    const leading = one.leadership!.inTerm(one.leadership!.term()!);
    expect(await leading.artifacts.sweep()).toBe(2);
    expect(await counts[1]!.once('kind', 'over', 70)).toBe(true);
    expect(await counts[1]!.once('kind', 'on', 70)).toBe(false);
  });

  test('without the database nothing is the first time', async () => {
    const { counts } = await openTwo();
    await postgres.stop();
    onTestFinished(() => postgres.start());
    await expect(counts[0]!.once('kind', 'id', 70)).rejects.toThrow(StorageUnavailableError);
    await expect(counts[0]!.hold('secret', 'source', pace)).rejects.toThrow(StorageUnavailableError);
  });
});
