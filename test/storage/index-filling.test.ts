/** Stores of a release that knew fewer ways to a record: nothing is missing in a list, and the ways are filled in. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LmdbKey } from '../../console/storage/embedded/lmdb/lmdb-environment.ts';
import type { RecordStore } from '../../console/storage/record-store.ts';
import { apiToken, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { openRecords } from './helpers/opened-records.ts';
import { openStorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { client, user } from './record-conformance.ts';

const whole = { damaged: 0, unindexed: 0, stray: 0, miscounted: 0, named: [] };

test('lists say the same before and after, counts are told to be near ones, the check finds nothing', async () => {
  const { records, check, fillIndexes, close } = await openRecords(await formerStore(120));
  const before = await lists(records);
  expect(before).toEqual({ disabled: 40, invited: 40, active: 40, off: 40, applications: 40, named: 40 });
  expect(await records.isCounted({ status: 'disabled' })).toBe(false);
  expect(await records.isCounted({ role: 'Viewer' })).toBe(true);
  expect(await check()).toMatchObject(whole);

  expect(await fillIndexes()).toBe(80 + 120);
  expect(await lists(records)).toEqual(before);
  expect(await records.isCounted({ status: 'disabled' })).toBe(true);
  expect(await records.count('users', { status: 'disabled' })).toBe(40);
  expect(await records.count('users', { status: 'active' })).toBe(40);
  expect(await check()).toMatchObject(whole);
  expect(await fillIndexes()).toBe(0);
  await close();
});

test('a list that began before goes on after, without a gap and without one twice', async () => {
  const { records, fillIndexes, close } = await openRecords(await formerStore(120));
  const filters = [
    { status: 'disabled' },
    { kind: 'application' },
    { beginning: 'shop' },
    { kind: 'application', beginning: 'c' },
  ] as const;
  const first = await Promise.all(filters.map((filter) => records.clients({ ...filter, limit: 7 })));
  const people = await records.users({ status: 'invited', limit: 7 });
  await fillIndexes();
  for (const [n, filter] of filters.entries()) {
    const rest = await records.clients({ ...filter, limit: 500, after: first[n]!.next });
    const ids = [...first[n]!.records, ...rest.records].map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
  }
  const rest = await records.users({ status: 'invited', limit: 500, after: people.next });
  expect(new Set([...people.records, ...rest.records].map(({ id }) => id)).size).toBe(40);
  await close();
});

test('records that change before and while they are filled in are counted once', async () => {
  const { records, check, fillIndexes, close } = await openRecords(await formerStore(300));
  const change = (id: string, isDisabled: boolean) =>
    records.change(async (transaction) => {
      const found = await transaction.get('users', id);
      if (found) transaction.put('users', { ...found, disabled: isDisabled });
    });
  await change('u0', false);
  await change('u3', true);
  await change('u2', true);
  await records.change(async (transaction) => transaction.remove('users', 'u6'));
  expect(await check()).toMatchObject(whole);
  const filled = fillIndexes();
  for (let n = 290; n > 250; n--) await change(`u${n}`, n % 3 !== 0);
  await filled;
  expect(await check()).toMatchObject(whole);
  expect(await records.count('users', { status: 'disabled' })).toBe(
    (await records.users({ status: 'disabled', limit: 500 })).records.length,
  );
  await close();
});

test('killed while it fills in, it goes on where it was (S75)', async () => {
  const count = 1500;
  const dataDir = await formerStore(count);
  let slices = 0;
  for (let n = 0; n < 3; n++) {
    const child = await openStorageProcess({ dataDir });
    const some = 2 + Math.floor(Math.random() * 8);
    slices += some;
    child.send('fill', some);
    const noted = (await child.next()) as Place;
    expect(await child.ended()).toBe('SIGKILL');
    const { environment, check, close } = await openRecords(dataDir);
    const kept = environment.read(() => environment.database<Place>('store').get(['filling']))!;
    // What came behind it before the end may be kept too.
    expect([noted, kept].sort(byPlace)[0], 'nothing that was noted is gone').toEqual(noted);
    expect(await check()).toMatchObject(whole);
    await close();
  }
  const { records, check, fillIndexes, close } = await openRecords(dataDir);
  const left = await fillIndexes();
  expect(left).toBeGreaterThan(0);
  // Of 50 entries in a slice, two thirds of the users and all clients lack something.
  expect(left).toBeLessThanOrEqual((count / 3) * 5 - slices * 30);
  expect(await records.count('users', { status: 'disabled' })).toBe(count / 3);
  expect(await check()).toMatchObject(whole);
  await close();
});

test('it ends when it is told to, and the next run goes on', async () => {
  const { records, fillIndexes, close } = await openRecords(await formerStore(120));
  expect(await fillIndexes(AbortSignal.abort())).toBe(0);
  expect(await records.isCounted({ status: 'invited' })).toBe(false);
  expect(await fillIndexes()).toBe(200);
  await close();
});

test('a store of the version before lacks names of applications alone: users are left as they are, counts stay exact', async () => {
  const { records, check, fillIndexes, close } = await openRecords(await formerStore(120, 1));
  const named = { kind: 'application', beginning: 'c', limit: 500 } as const;
  const before = [await lists(records), await records.clients(named)];
  expect(await records.isCounted({ status: 'disabled' })).toBe(true);
  expect(await check()).toMatchObject(whole);
  // One becomes an application, one is none any more: neither is counted twice, and nothing of them stays behind.
  await records.change(async (transaction) => {
    for (const [id, grant] of [
      ['c0', 'authorization_code'],
      ['c1', 'client_credentials'],
    ] as const) {
      const found = (await transaction.get('clients', id))!;
      transaction.put('clients', { ...found, grantTypes: [grant] });
    }
  });
  expect(await check()).toMatchObject(whole);
  expect(await fillIndexes()).toBe(39);
  expect(await check()).toMatchObject(whole);
  await records.change(async (transaction) => {
    for (const [id, grant] of [
      ['c1', 'authorization_code'],
      ['c0', 'client_credentials'],
    ] as const) {
      const found = (await transaction.get('clients', id))!;
      transaction.put('clients', { ...found, grantTypes: [grant] });
    }
  });
  expect(await check()).toMatchObject(whole);
  const after = await records.clients(named);
  expect([await lists(records), after.records.map(({ id }) => id)]).toEqual([
    before[0],
    (before[1] as typeof after).records.map(({ id }) => id),
  ]);
  await close();
});

test('what a version before has filled in half begins anew', async () => {
  const { environment, records, check, fillIndexes, close } = await openRecords(await formerStore(120));
  await environment.write(() =>
    environment.database<Place>('store').put(['filling'], { collection: 'clients', key: ['zzz'] }),
  );
  expect(await fillIndexes()).toBe(200);
  expect(await check()).toMatchObject(whole);
  expect(await records.count('users', { status: 'disabled' })).toBe(40);
  await close();
});

test('an application is found among many machines whose names begin alike, without going through them', async () => {
  const dataDir = await formerStore(3, 1);
  const { records, fillIndexes, close } = await openRecords(dataDir);
  await records.change(async (transaction) => {
    for (let n = 0; n < 300; n++) {
      const name = { name: `Shop ${n}` };
      transaction.put('clients', client(`shop-${n}`, { grantTypes: ['client_credentials'], ...name }));
    }
    transaction.put('clients', client('shop-z', { grantTypes: ['authorization_code'] }));
    transaction.put('clients', client('till', { grantTypes: ['authorization_code'], name: 'The shop' }));
  });
  const ask = async () =>
    (await records.clients({ kind: 'application', beginning: 'shop', limit: 10, mostRead: 5 })).records.map(
      ({ id }) => id,
    );
  expect(await ask()).toEqual([]);
  await fillIndexes();
  expect(await ask()).toEqual(['shop-z', 'till']);
  await close();
});

test('a new store has all of it from the beginning', async () => {
  const { records, close } = await openRecords(join(temporaryDirectory(), 'data'));
  expect(await records.isCounted({ status: 'disabled' })).toBe(true);
  await close();
});

test('over HTTP a count by status is not exact until then, and exact from then on', async () => {
  const count = 3900;
  const dataDir = await formerStore(count);
  const console = await startConsole({ dataDir });
  onTestFinished(async () => void (await console.stop()));
  const headers = { Authorization: `Bearer ${await apiToken(console)}` };
  const countBy = async (query: string) => {
    const reply = await fetch(`${console.url}/api/v1/users?limit=1${query}`, { headers });
    return ((await reply.json()) as { count: { value: number; isExact: boolean } }).count;
  };
  const early = await countBy('&status=disabled');
  expect(early.isExact).toBe(false);
  expect(early.value).toBeLessThanOrEqual(count / 3);
  expect(await countBy('')).toEqual({ value: count, isExact: true });
  await until(async () => (await countBy('&status=disabled')).isExact, 'the indexes', 30_000);
  expect(await countBy('&status=disabled')).toEqual({ value: count / 3, isExact: true });
}, 60_000);

interface Place {
  readonly collection: 'users' | 'clients';
  readonly key: readonly string[];
}

/** Users first, then clients, each by their ids. */
function byPlace(one: Place, other: Place): number {
  if (one.collection !== other.collection) return one.collection === 'users' ? -1 : 1;
  return one.key[0]! < other.key[0]! ? -1 : 1;
}

/**
 * Of users a third each is disabled, invited and active; of clients disabled, an application, and named.
 *
 * @param generation  of the entries that it has
 */
async function formerStore(count: number, generation = 0): Promise<string> {
  const dataDir = join(temporaryDirectory(), 'data');
  const { environment, records, close } = await openRecords(dataDir);
  const numbers = Array.from({ length: count }, (_, n) => n);
  await records.change(async (transaction) => {
    for (const n of numbers) {
      transaction.put('users', user(`u${n}`, { disabled: n % 3 === 0, isInvited: n % 3 === 1 }));
      const kind = { grantTypes: [n % 3 === 1 ? 'authorization_code' : 'client_credentials'] };
      const name = n % 3 === 2 ? { name: `The shop ${n}` } : {};
      transaction.put('clients', client(`c${n}`, { ...kind, ...name, disabled: n % 3 === 0 }));
    }
  });
  const index = environment.database<true>('record-index');
  const meta = environment.database<number>('record-meta');
  const later = [
    ...(generation < 1 ? ['status', 'client-word', 'client-kind', 'client-status'] : []),
    ...['application-name', 'application-word'],
  ];
  await environment.write(() => {
    const entries: LmdbKey[] = later.flatMap((name) => [...index.under([name])].map(({ key }) => key));
    for (const key of entries) index.remove(key);
    if (generation > 0) return meta.put(['filled'], generation);
    for (const { key } of [...meta.under(['count', 'users', 'status'])]) meta.remove(key);
    meta.remove(['filled']);
  });
  await close();
  return dataDir;
}

async function lists({ users, clients }: RecordStore) {
  const limit = 500;
  const [disabled, invited, active, off, applications, named] = await Promise.all([
    users({ status: 'disabled', limit }),
    users({ status: 'invited', limit }),
    users({ status: 'active', limit }),
    clients({ status: 'disabled', limit }),
    clients({ kind: 'application', limit }),
    clients({ beginning: 'shop', limit }),
  ]);
  const found = { disabled, invited, active, off, applications, named };
  return Object.fromEntries(Object.entries(found).map(([name, { records }]) => [name, records.length]));
}
