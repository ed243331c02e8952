/** Databases that are not to be used, and a connection that is cut at the worst moment. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { schemaVersion } from '../../../console/storage/postgres/schema/migrate.ts';
import type { Storage } from '../../../console/storage/storage.ts';
import { startDatabaseWay } from '../../helpers/database-way.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { user } from '../record-conformance.ts';

describe.skipIf(postgresPrograms === undefined)('faults of PostgreSQL, where it is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  const openAt = async (
    url: string,
    log?: Parameters<typeof openPostgresStorage>[0]['log'],
    now?: () => number,
  ) => {
    const storage = await openPostgresStorage({ url, log, ...(now && { now }) });
    onTestFinished(() => storage.close());
    return storage;
  };

  describe('a start is refused, and nothing has changed', () => {
    test.each([
      {
        name: 'with a wrong password',
        prepare: async (database: string) => postgres.url(database, { password: 'wrong' }),
        refusal: { name: 'StorageRejectedError', reason: 'no_permission' },
      },
      {
        name: 'of somebody else',
        prepare: async (database: string) => {
          await postgres.query(database, 'create table orders (id int)');
          return postgres.url(database);
        },
        refusal: { name: 'StorageRejectedError', reason: 'foreign' },
      },
      {
        name: 'of a later version',
        prepare: async (database: string) => {
          await (await openPostgresStorage({ url: postgres.url(database) })).close();
          await postgres.query(database, 'update cluster_console set version = 99, serves_from = 98');
          return postgres.url(database);
        },
        refusal: { name: 'StorageRejectedError', reason: 'newer' },
      },
      {
        name: 'that takes no writes',
        prepare: async (database: string) => {
          await postgres.query(database, `create role reader_${database} login password 'r'`);
          await postgres.query(
            database,
            `alter role reader_${database} set default_transaction_read_only = on`,
          );
          return postgres.url(database, { user: `reader_${database}`, password: 'r' });
        },
        refusal: { name: 'StorageRejectedError', reason: 'read_only' },
      },
      {
        name: 'in which it may not create tables',
        prepare: async (database: string) => {
          await postgres.query(database, `create role guest_${database} login password 'g'`);
          await postgres.query(database, `grant usage on schema ${database} to guest_${database}`);
          return postgres.url(database, { user: `guest_${database}`, password: 'g' });
        },
        refusal: { name: 'StorageRejectedError', reason: 'no_permission' },
      },
      {
        name: 'where nobody listens',
        prepare: async (database: string) => postgres.url(database, { port: 1 }),
        refusal: { name: 'StorageUnavailableError' },
      },
    ])('$name', async ({ prepare, refusal }) => {
      const database = await postgres.createDatabase();
      const url = await prepare(database);
      const tables = () =>
        postgres.query(database, `select tablename from pg_tables where schemaname = '${database}'`);
      const before = await tables();
      await expect(openPostgresStorage({ url })).rejects.toMatchObject(refusal);
      expect(await tables()).toEqual(before);
    });
  });

  test('one of a later form is used as it is until that takes something away: then whoever uses it is told', async () => {
    const database = await postgres.createDatabase();
    const url = postgres.url(database);
    await (await openPostgresStorage({ url })).close();
    const form = (version: number, servesFrom: number) =>
      postgres.query(
        database,
        `update cluster_console set version = ${version}, serves_from = ${servesFrom}`,
      );
    await form(schemaVersion + 2, schemaVersion);
    const told: string[] = [];
    const used = await openPostgresStorage({ url, onNewer: (message) => told.push(message) });
    onTestFinished(() => used.close());
    const change = (id: string) =>
      used.records.change(async (transaction) => transaction.put('users', user(id)));
    await change('u1');
    // What is prepared already goes on too.
    for (const table of ['account', 'client', 'artifact', 'registry', 'record_index', 'change', 'lease'])
      await postgres.query(database, `alter table ${table} add column later text`);
    await change('u2');
    expect((await used.records.users({ limit: 10 })).records.map(({ id }) => id)).toEqual(['u1', 'u2']);
    await used.artifacts.put('Session', 'one', { payload: {} });
    expect(await used.artifacts.get('Session', 'one')).toBeDefined();
    expect(told).toEqual([]);
    await form(schemaVersion + 3, schemaVersion + 1);
    await vi.waitUntil(() => told.length > 0, 10_000);
    expect(told[0]).toContain(`have form ${schemaVersion + 3}, of a later version`);
    await expect(openPostgresStorage({ url })).rejects.toMatchObject({ reason: 'newer', message: told[0] });
  });

  test('one that a dead console has left half done is finished', async () => {
    const other = await postgres.createDatabase();
    await postgres.query(
      other,
      `create table cluster_console (is_only boolean primary key default true, version int not null default 0,
        migrating_to int, holder text, held_until timestamptz not null default now());
       insert into cluster_console (migrating_to, holder) values (1, 'dead')`,
    );
    const storage = await openAt(postgres.url(other));
    await storage.artifacts.put('Session', 'one', { payload: {} });
    expect(
      await postgres.query(other, 'select version, migrating_to, serves_from from cluster_console'),
    ).toEqual([{ version: schemaVersion, migrating_to: null, serves_from: 1 }]);
  });

  test('of five that open an empty one at once, one makes the tables', async () => {
    const url = postgres.url(await postgres.createDatabase());
    const all = await Promise.all(Array.from({ length: 5 }, () => openAt(url)));
    await Promise.all(all.map(({ artifacts }, n) => artifacts.put('Session', `s${n}`, { payload: {} })));
    expect(await all[0]!.artifacts.list('Session', 10)).toHaveLength(5);
  });

  test('a clock that is off is said', async () => {
    const warnings: unknown[] = [];
    const log = { warn: (fields: object, message: string) => void warnings.push({ ...fields, message }) };
    await openAt(postgres.url(await postgres.createDatabase()), log, () => Date.now() - 60_000);
    expect(warnings).toEqual([
      { aheadMs: expect.any(Number), message: expect.stringContaining('clock of the database') },
    ]);
  });

  test('where it is to be listened to and cannot be is said once, and changes are known all the same', async () => {
    const said: string[] = [];
    const log = { warn: (_: object, message: string) => void said.push(message) };
    const url = postgres.url(await postgres.createDatabase());
    const storage = await openPostgresStorage({ url, listenUrl: postgres.url('unused', { port: 1 }), log });
    onTestFinished(() => storage.close());
    await vi.waitUntil(() => said.length > 0, { timeout: 30_000 });
    expect(said).toEqual([expect.stringContaining('CONSOLE_DATABASE_LISTEN_URL')]);
    expect(storage.watch!().isListening).toBe(false);
    const other = await openAt(url);
    await other.records.change(async (all) => all.put('users', user('told')));
    await vi.waitUntil(() => storage.watch!().changesAgeMs < 1000, { timeout: 30_000 });
    expect(said).toHaveLength(1);
  });

  test('a commit whose connection is cut is reported as not known, and the next one is made', async () => {
    const database = await postgres.createDatabase();
    const way = await startDatabaseWay(postgres.port);
    onTestFinished(() => void way.close());
    const storage = await openAt(postgres.url(database, { port: way.port }));
    await storage.records.change(async (transaction) => transaction.put('users', user('u1')));
    for (const text of ['commit', 'insert_change', 'account_put']) {
      way.cutAt(text);
      const cut = storage.records.change(async (transaction) => {
        const found = await transaction.get('users', 'u1');
        transaction.put('users', { ...found!, tokensValidFrom: found!.tokensValidFrom + 1 });
      });
      await expect(cut).rejects.toMatchObject({ name: 'StorageUnavailableError' });
      expect(way.hasCut()).toBe(true);
    }
    const before = (await storage.records.get('users', 'u1'))!.tokensValidFrom;
    // What was cut before its commit has not come about; what was cut at it, perhaps.
    expect([1, 2]).toContain(before);
    await storage.records.change(async (transaction) => transaction.put('users', user('u2')));
    expect(await storage.records.count('users')).toBe(2);
  });

  test('what one changes, the other is told within a second: registry, records, and what is announced', async () => {
    const url = postgres.url(await postgres.createDatabase());
    const [one, other]: [Storage, Storage] = [await openAt(url), await openAt(url)];
    const told: unknown[] = [];
    other.records.onChange((changes) => told.push(...changes.map(({ id }) => id)));
    other.registry.onChange((changed) => told.push(...changed));
    other.artifacts.onPut('Revocation', ({ payload }) => told.push(payload.jti));
    await one.registry.update((transaction) => transaction.put('settings', { id: 'a', value: 1 }));
    await one.records.change(async (transaction) => transaction.put('users', user('u1')));
    await one.artifacts.put('Revocation', 'r', { payload: { jti: 'j' } });
    const begun = performance.now();
    await vi.waitUntil(() => told.length === 3, { timeout: 5000, interval: 5 });
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(told).toEqual(['settings', 'u1', 'j']);
    expect(other.registry.get('settings', 'a')?.value).toBe(1);
    // And both ways at once, nothing is lost.
    const raise = (storage: Storage) =>
      storage.registry.update((transaction) => {
        transaction.put('settings', { id: 'a', value: Number(transaction.get('settings', 'a')?.value) + 1 });
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => raise(n % 2 === 0 ? one : other)));
    await vi.waitUntil(
      () => [one, other].every(({ registry }) => registry.get('settings', 'a')?.value === 21),
      5000,
    );
  });

  test('an account that is read again and again is asked for once, and a change of it, here or there, is seen at once', async () => {
    const database = await postgres.createDatabase();
    const [one, other] = [await openAt(postgres.url(database)), await openAt(postgres.url(database))];
    await one.records.change(async (transaction) => transaction.put('users', user('u1')));
    const change = (storage: Storage, tokensValidFrom: number) =>
      storage.records.change(async (transaction) =>
        transaction.put('users', { ...user('u1'), tokensValidFrom }),
      );
    for (let n = 1; n <= 50; n++) {
      // Begun before the change, and what it gives is not taken for what comes after it.
      const before = one.records.get('users', 'u1');
      await change(one, n);
      expect((await one.records.get('users', 'u1'))?.tokensValidFrom).toBe(n);
      await before;
    }
    await change(other, 1000);
    await vi.waitUntil(async () => (await one.records.get('users', 'u1'))?.tokensValidFrom === 1000, 1000);
    const reads = await Promise.all(Array.from({ length: 100 }, () => one.records.get('users', 'u1')));
    expect(new Set(reads).size).toBe(1);
    await one.records.change(async (transaction) => transaction.remove('users', 'u1'));
    expect(await one.records.get('users', 'u1')).toBeUndefined();
  });

  test('many new records in an empty database are not more work with each, before it has counted any', async () => {
    const storage = await openAt(postgres.url(await postgres.createDatabase()));
    const all = Array.from({ length: 12_000 }, (_, n) =>
      user(`u${n}`, { username: `person-${n}`, federated: { provider: 'corp', subject: `s${n}` } }),
    );
    // A statement that takes two seconds is ended, and the load with it.
    expect(await storage.loader.load('users', all)).toBe(all.length);
    expect(await storage.loader.obstacles('users', all.slice(0, 3))).toEqual(['id', 'id', 'id']);
  }, 60_000);
});
