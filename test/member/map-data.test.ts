import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { EvictionConfig, MapConfig } from '../../member/config/config.ts';
import { defaultMap } from '../../member/config/config.ts';
import { createMaps, type Maps } from '../../member/data/maps.ts';
import { createMemory } from '../../member/data/memory.ts';
import type { StoredValue } from '../../member/data/values.ts';
import { empty, eventually, memberFile, startTestMember } from './support.ts';

const maps = '/svc/rest/maps';

describe('eviction', () => {
  test.each([
    { policy: 'LRU', stays: ['k0', 'k3'], goes: 'k1' },
    { policy: 'LFU', stays: ['k0', 'k3'], goes: 'k1' },
  ] as const)('$policy: the $goes that was not used makes room', ({ policy, stays, goes }) => {
    const data = mapsWith({ policy, maxSizePolicy: 'PER_NODE', size: 3 });
    for (const key of ['k0', 'k1', 'k2']) data.put('m', key, value(key));
    for (const key of ['k0', 'k2', 'k0', 'k2']) data.get('m', key);
    data.put('m', 'k3', value('k3'));
    expect(data.get('m', goes)).toBeUndefined();
    for (const key of stays) expect(data.get('m', key)).toEqual(value(key));
  });

  test('LFU keeps what is used often, LRU what was used last', () => {
    const kept = (['LFU', 'LRU'] as const).map((policy) => {
      const data = mapsWith({ policy, maxSizePolicy: 'PER_NODE', size: 2 });
      data.put('m', 'often', value('v'));
      data.put('m', 'last', value('v'));
      for (const key of ['often', 'often', 'last']) data.get('m', key);
      data.put('m', 'new', value('v'));
      return keysOf(data);
    });
    expect(kept).toEqual([
      ['new', 'often'],
      ['last', 'new'],
    ]);
  });

  test.each(['LRU', 'LFU', 'RANDOM'] as const)('%s: a large map never grows beyond its size', (policy) => {
    const data = mapsWith({ policy, maxSizePolicy: 'PER_NODE', size: 100 });
    for (let i = 0; i < 2000; i += 1) {
      data.put('m', `k${i}`, value('v'));
      expect(data.get('m', `k${i}`)).toBeDefined();
    }
    expect(keysOf(data)).toHaveLength(100);
  });

  test('NONE: nothing is evicted, whatever the size says', () => {
    const data = mapsWith({ policy: 'NONE', maxSizePolicy: 'PER_NODE', size: 2 });
    for (let i = 0; i < 10; i += 1) data.put('m', `k${i}`, value('v'));
    expect(keysOf(data)).toHaveLength(10);
  });

  test.each([
    { maxSizePolicy: 'USED_HEAP_SIZE', size: 1 },
    { maxSizePolicy: 'USED_HEAP_PERCENTAGE', size: 10 },
    { maxSizePolicy: 'FREE_HEAP_SIZE', size: 9 },
    { maxSizePolicy: 'FREE_HEAP_PERCENTAGE', size: 90 },
  ] as const)('$maxSizePolicy $size: counts bytes', ({ maxSizePolicy, size }) => {
    const data = mapsWith({ policy: 'LRU', maxSizePolicy, size });
    for (let i = 0; i < 40; i += 1) data.put('m', `k${i}`, value('x'.repeat(100_000)));
    expect(keysOf(data).length).toBeGreaterThan(5);
    expect(keysOf(data).length).toBeLessThan(11);
  });

  test('is told in the configuration, for the maps that a pattern matches', async () => {
    const { call } = await startTestMember(
      memberFile('map: { default: {}, "small-*": { eviction: { eviction-policy: LRU, size: 2 } } }'),
    );
    for (const map of ['small-a', 'other']) {
      for (const key of ['a', 'b', 'c']) await call('POST', `${maps}/${map}/${key}`, { body: 'v' });
    }
    expect(await call('GET', `${maps}/small-a/a`)).toMatchObject(empty(204));
    expect(await call('GET', `${maps}/small-a/c`)).toMatchObject({ status: 200 });
    expect(await call('GET', `${maps}/other/a`)).toMatchObject({ status: 200 });
  });
});

describe('a map for others than callers', () => {
  test('tells listeners of changes in their order, not of what expired or came from another cluster', async () => {
    let now = 1000;
    const data = mapsWith(defaultMap.eviction, { timeToLiveSeconds: 1 }, () => now);
    const received: unknown[] = [];
    const stop = data.onChange((...change) => received.push(change));
    data.put('m', 'a', value('1'));
    data.remove('m', 'a');
    data.clear('m');
    await data.applyRemote('m', 'b', value('2'));
    expect(data.get('m', 'b')).toEqual(value('2'));
    await data.applyRemote('m', 'b', undefined);
    expect(data.get('m', 'b')).toBeUndefined();
    data.put('m', 'c', value('3'));
    now += 2000;
    expect(data.get('m', 'c')).toBeUndefined();
    stop();
    data.put('m', 'd', value('4'));
    expect(received).toEqual([
      ['m', 'a', value('1')],
      ['m', 'a', undefined],
      ['m', undefined, undefined],
      ['m', 'c', value('3')],
    ]);
  });

  test('has keys of any script, and values of any size and MIME type, as they were put', () => {
    const keys = [
      'caf\u00e9\u00ff',
      'ключ-\u{1f511}',
      'a\ud83d',
      'a\0b',
      'A0',
      '\u3041',
      'k'.repeat(16_000),
      '7',
      '07',
    ];
    const values = [0, 1, 2047, 2048, 2049, 70_000].map((bytes) => randomBytes(bytes));
    const types = [
      undefined,
      'text/plain',
      'x/y; z="\u00e9"',
      ...Array.from({ length: 1200 }, (_, i) => `test/kind-${i}`),
    ];
    const data = createMaps({ configOf: () => defaultMap, memory: createMemory(1e9), now: Date.now });
    const stored = types.map((contentType, i) => ({ bytes: values[i % values.length]!, contentType }));
    for (const key of keys) data.put('m', key, { bytes: Buffer.from(key), contentType: undefined });
    for (const [i, one] of stored.entries()) data.put('types', `${i}`, one);
    for (const key of keys) expect(data.get('m', key)?.bytes.equals(Buffer.from(key))).toBe(true);
    for (const [i, { bytes, contentType }] of stored.entries()) {
      const found = data.get('types', `${i}`)!;
      expect([found.bytes.equals(bytes), found.contentType]).toEqual([true, contentType]);
    }
    for (const key of keys) data.remove('m', key);
    expect([...data.names()]).toEqual(['types']);
  });

  test('gives back the memory that it took, entry by entry and all at once', () => {
    const memory = createMemory(1e9);
    const data = createMaps({ configOf: () => defaultMap, memory, now: Date.now });
    for (const round of ['one by one', 'all']) {
      for (let i = 0; i < 500; i += 1) data.put('m', `k${i % 200}`, value('x'.repeat(i * 10)));
      expect(memory.usedBytes).toBeGreaterThan(0);
      if (round === 'all') data.clear('m');
      else for (let i = 0; i < 200; i += 1) data.remove('m', `k${i}`);
      expect(memory.usedBytes).toBe(0);
    }
  });

  test('is read whole while it is written', () => {
    const data = mapsWith(defaultMap.eviction);
    for (let i = 0; i < 100; i += 1) data.put('m', `k${i}`, value(String(i)));
    const met: string[] = [];
    for (const [key] of data.entriesOf('m')) {
      met.push(key);
      data.put('m', `new-${met.length}`, value('v'));
      data.put('m', 'k99', value('again'));
      data.remove('m', 'k50');
    }
    const stayed = Array.from({ length: 100 }, (_, i) => `k${i}`).filter((key) => key !== 'k50');
    expect(met.filter((key) => stayed.includes(key)).sort()).toEqual(stayed.sort());
    expect(new Set(met).size).toBe(met.length);
    expect([...data.names()]).toEqual(['m']);
  });
});

test('a passive cluster refuses writes and polls with 500, and lets reads through', async () => {
  const { call } = await startTestMember(
    memberFile().replace('{ DATA:', '{ CLUSTER_WRITE: { enabled: true }, DATA:'),
  );
  const queues = '/svc/rest/queues';
  await call('POST', `${maps}/m/k`, { body: 'v' });
  await call('POST', `${queues}/q`, { body: 'item' });
  await call('POST', '/svc/rest/management/cluster/changeState', { body: 'dev&&passive' });
  for (const [method, path] of [
    ['POST', `${maps}/m/k`],
    ['DELETE', `${maps}/m/k`],
    ['DELETE', `${maps}/m`],
    ['POST', `${queues}/q`],
    ['POST', `${queues}/q/item`],
    ['DELETE', `${queues}/q/1`],
    ['GET', `${queues}/q/1`],
  ] as const) {
    expect(await call(method, path, method === 'POST' ? { body: 'new' } : {})).toMatchObject(empty(500));
  }
  expect(await call('GET', `${maps}/m/k`)).toMatchObject({ status: 200, body: 'v' });
  expect(await call('GET', `${queues}/q/size`)).toMatchObject({ body: '1' });
  await call('POST', '/svc/rest/management/cluster/changeState', { body: 'dev&&active' });
  await eventually(
    () => call('POST', `${maps}/m/k`, { body: 'new' }),
    ({ status }) => status === 200,
  );
  expect(await call('DELETE', `${queues}/q/0`)).toMatchObject({ body: 'item' });
});

function mapsWith(eviction: EvictionConfig, more: Partial<MapConfig> = {}, now = () => 0): Maps {
  const config = { ...defaultMap, eviction, ...more };
  return createMaps({ configOf: () => config, memory: createMemory(10 * 1024 * 1024), now });
}

function value(text: string): StoredValue {
  return { bytes: Buffer.from(text), contentType: undefined };
}

function keysOf(data: Maps): string[] {
  return [...data.entriesOf('m')].map(([key]) => key).sort();
}
