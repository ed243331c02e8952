/** Clients in memory: bounded, and never older than the last change that was confirmed (S34). */
import { expect, test } from 'vitest';
import { createClientCache } from '../../console/clients/client-cache.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { ClientRecord } from '../../console/storage/records.ts';
import { thirdParty } from '../helpers/store.ts';

function setUp(capacity?: number) {
  const { records } = createMemoryStorage();
  const read: string[] = [];
  let gate = Promise.resolve();
  const cache = createClientCache({
    records: {
      ...records,
      async get(collection, id) {
        read.push(id);
        const found = await records.get(collection, id);
        await gate;
        return found;
      },
    },
    ...(capacity === undefined ? {} : { capacity }),
  });
  return {
    cache,
    read,
    hold(until: Promise<void>) {
      gate = until;
    },
    put: (id: string, change: Partial<ClientRecord> = {}) =>
      records.change(async (transaction) => transaction.put('clients', { ...thirdParty, id, ...change })),
    remove: (id: string) => records.change(async (transaction) => transaction.remove('clients', id)),
  };
}

test('what was asked for lately is not read again, and many at once read it once', async () => {
  const { cache, read, put } = setUp();
  await put('app');
  await Promise.all([cache.find('app'), cache.find('app'), cache.find('app')]);
  expect(await cache.find('app')).toMatchObject({ id: 'app' });
  expect(read).toEqual(['app']);
});

test('it holds so many and no more, and those that are asked for again and again stay', async () => {
  const { cache, read, put } = setUp(100);
  await put('hot');
  for (let n = 0; n < 1_000; n++) {
    await put(`client-${n}`);
    await cache.find(`client-${n}`);
    await cache.find('hot');
    expect(cache.size()).toBeLessThanOrEqual(100);
  }
  expect(read.filter((id) => id === 'hot')).toEqual(['hot']);
  // Those that nobody has does not fill it either.
  for (let n = 0; n < 1_000; n++) expect(await cache.find(`nobody-${n}`)).toBeUndefined();
  expect(cache.size()).toBeLessThanOrEqual(100);
});

test('once it has been full, one that is asked for once puts nobody out, and one that is asked for twice comes in', async () => {
  const { cache, read, put } = setUp(100);
  for (let n = 0; n < 150; n++) {
    await put(`early-${n}`);
    await cache.find(`early-${n}`);
  }
  const size = cache.size();
  for (let n = 0; n < 1_000; n++) {
    await put(`once-${n}`);
    await cache.find(`once-${n}`);
  }
  expect(cache.size()).toBe(size);
  await put('twice');
  for (let n = 0; n < 4; n++) await cache.find('twice');
  expect(read.filter((id) => id === 'twice')).toHaveLength(2);
});

test('a change that is confirmed is seen at once', async () => {
  const { cache, put, remove } = setUp();
  await put('app');
  expect(await cache.find('app')).toMatchObject({ disabled: false });
  await put('app', { disabled: true });
  expect(await cache.find('app')).toMatchObject({ disabled: true });
  await remove('app');
  expect(await cache.find('app')).toBeUndefined();
  await put('app', { name: 'anew' });
  expect(await cache.find('app')).toMatchObject({ name: 'anew' });
});

test('a look-up that a change overtakes does not put the old record back', async () => {
  const { cache, hold, put } = setUp();
  await put('app');
  let open = () => {};
  hold(new Promise((resolve) => (open = resolve)));
  const early = cache.find('app');
  await put('app', { disabled: true });
  const late = cache.find('app');
  open();
  await early;
  expect(await late).toMatchObject({ disabled: true });
  expect(await cache.find('app')).toMatchObject({ disabled: true });
});

test('a look-up that fails is tried again', async () => {
  const { cache, hold, put } = setUp();
  await put('app');
  hold(Promise.reject(new Error('the disk does not answer')));
  await expect(cache.find('app')).rejects.toThrow('the disk does not answer');
  hold(Promise.resolve());
  expect(await cache.find('app')).toMatchObject({ id: 'app' });
});
