/** Who leads, and that whoever does not any more writes nothing, however it came to that. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { dutyLog } from '../../../console/storage/engine/while-leading.ts';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { LeadershipLostError, type Storage } from '../../../console/storage/storage.ts';
import { startDatabaseWay } from '../../helpers/database-way.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { user } from '../record-conformance.ts';

describe.skipIf(postgresPrograms === undefined)('leading in PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  const openAt = async (database: string) => {
    const storage = await openPostgresStorage({ url: postgres.url(database) });
    onTestFinished(() => storage.close());
    return storage;
  };

  test('one leads; when it gives that back the other one does at once, in the next term', async () => {
    const database = await postgres.createDatabase();
    const first = await openPostgresStorage({ url: postgres.url(database) });
    const second = await openAt(database);
    const third = await openAt(database);
    const terms = () => [second, third].map(({ leadership }) => leadership?.term());
    expect([first.leadership?.term(), ...terms()]).toEqual([1, undefined, undefined]);
    // Its listener has said so.
    await vi.waitUntil(async () => (await listeners(database)) === 3, 5000);
    await first.close();
    const closedAt = performance.now();
    await vi.waitUntil(() => terms().includes(2), { timeout: 5000, interval: 5 });
    expect(performance.now() - closedAt).toBeLessThan(1000);
  });

  const listeners = async (database: string) =>
    (
      await postgres.query<{ n: number }>(
        database,
        `select count(*)::int as n from pg_stat_activity where query ilike 'listen %' or query = 'select 1'`,
      )
    )[0]!.n;

  test.each<{ name: string; write: (storage: Storage) => Promise<unknown> }>([
    {
      name: 'a setting',
      write: ({ registry }) => registry.update((all) => all.put('settings', { id: 'late', value: 1 })),
    },
    { name: 'a user', write: ({ records }) => records.change(async (all) => all.put('users', user('late'))) },
    { name: 'many users', write: ({ loader }) => loader.load('users', [user('late')]) },
    { name: 'an artifact', write: ({ artifacts }) => artifacts.put('Session', 'late', { payload: {} }) },
    {
      name: 'one that others are told of',
      write: ({ artifacts }) => artifacts.put('LogoutNotice', 'late', { payload: {} }),
    },
    {
      name: 'an exchange',
      write: ({ artifacts }) =>
        artifacts.exchange({
          consume: { kind: 'RefreshToken', id: 'there' },
          put: [{ kind: 'RefreshToken', id: 'late', artifact: { payload: {} } }],
        }),
    },
    { name: 'a use', write: ({ artifacts }) => artifacts.consume('RefreshToken', 'there') },
    { name: 'a removal', write: ({ artifacts }) => artifacts.remove('RefreshToken', 'there') },
    { name: 'a count', write: ({ artifacts }) => artifacts.count('Throttle', 'late', 60) },
    { name: 'an expiry', write: ({ artifacts }) => artifacts.sweep() },
  ])('$name: not in a term that is over, though this process knows of none', async ({ write }) => {
    const database = await postgres.createDatabase();
    const storage = await openAt(database);
    await storage.artifacts.put('RefreshToken', 'there', { payload: {} });
    await storage.artifacts.put('Session', 'expired', { payload: {}, expiresAt: 1 });
    const term = storage.leadership!.term()!;
    const leading = storage.leadership!.inTerm(term);
    await leading.artifacts.put('Session', 'in time', { payload: {} });
    await takeOver(database);
    const before = await contents(database);
    await expect(write(leading)).rejects.toThrow(LeadershipLostError);
    expect(await contents(database)).toEqual(before);
    // Of what nobody leads, it goes on writing; and reads are not asked for a term.
    await storage.artifacts.put('Session', 'of a person', { payload: {} });
    expect(await leading.artifacts.get('Session', 'of a person')).toBeDefined();
  });

  test('of a duty that another one does by now, the log says so, and not that somebody has to act', () => {
    const said: unknown[] = [];
    const log = {
      error: (_fields: object, message: string) => void said.push(['error', message]),
      warn: (_fields: object, message: string) => void said.push(['warn', message]),
    };
    dutyLog(log).error({ err: new LeadershipLostError() }, 'a notice failed');
    dutyLog(log).error({ err: new Error('of another kind') }, 'a notice failed');
    expect(said).toEqual([
      ['warn', expect.stringContaining('another console leads')],
      ['error', 'a notice failed'],
    ]);
  });

  test('nobody takes over between the question for the term and the commit', async () => {
    const database = await postgres.createDatabase();
    const way = await startDatabaseWay(postgres.port);
    onTestFinished(() => way.close());
    const storage = await openPostgresStorage({ url: postgres.url(database, { port: way.port }) });
    onTestFinished(() => storage.close());
    const leading = storage.leadership!.inTerm(storage.leadership!.term()!);
    const order: string[] = [];
    const held = way.holdAt('commit');
    const written = leading.records
      .change(async (all) => all.put('users', user('u1')))
      .then(() => order.push('written'));
    const commit = await held;
    const taken = takeOver(database).then(() => order.push('taken'));
    await vi.waitUntil(async () => (await waiting(database)) === 1, 5000);
    expect(order).toEqual([]);
    commit.release();
    await Promise.all([written, taken]);
    // It was not one of a term that was over.
    expect(order.toSorted()).toEqual(['taken', 'written']);
    expect(await storage.records.get('users', 'u1')).toBeDefined();
  });

  const waiting = async (database: string) =>
    (
      await postgres.query<{ n: number }>(
        database,
        `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like 'update lease set holder = ''another''%'`,
      )
    )[0]!.n;

  /** As another process does, whatever this one knows. */
  const takeOver = async (database: string) => {
    await postgres.query(
      database,
      `update lease set holder = 'another', term = term + 1, held_until = now() + interval '1 minute'`,
    );
  };

  const contents = async (database: string) =>
    Promise.all(
      ['registry', 'account', 'record_index', 'artifact', 'change', 'change_clock'].map((table) =>
        postgres.query(database, `select * from ${table} order by 1, 2`),
      ),
    );
});
