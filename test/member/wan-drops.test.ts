import { expect, test } from 'vitest';
import { addressIn, startProcess, writeConfig } from './member-process.ts';
import { call, empty, eventually } from './support.ts';

const rest =
  'rest-api: { enabled: true, endpoint-groups: { DATA: { enabled: true }, WAN: { enabled: true } } }';

const targetFile = (limits: string) => `svc:
  cluster-name: london
  network: { ${rest} }
  limits: { ${limits} }
`;

const sourceFile = (targets: string) => `svc:
  network: { ${rest} }
  wan-replication:
    atlantic:
      batch-publisher:
        london:
          cluster-name: london
          target-endpoints: "${targets}"
          batch-max-delay-millis: 10
          response-timeout-millis: 5000
  map:
    orders: { wan-replication-ref: { atlantic: {} } }
`;

async function startMember(file: string) {
  const { ready, stop, errors } = await startProcess({
    MEMBER_PORT: '0',
    MEMBER_CONFIG: writeConfig(file),
  });
  const address = addressIn(ready);
  const at = (path: string) => `${address}/svc/rest/${path}`;
  return {
    port: new URL(address).port,
    errors,
    stop,
    put: async (path: string, value: string) =>
      expect(await call(at(`maps/${path}`), 'POST', { body: value })).toMatchObject(empty(200)),
    remove: (path: string) => call(at(`maps/${path}`), 'DELETE'),
    read: async (path: string) => (await call(at(`maps/${path}`), 'GET')).body,
    wan: (path: string, ...more: string[]) =>
      call(at(`wan/${path}`), 'POST', { body: ['dev', '', 'atlantic', 'london', ...more].join('&') }),
    progress: (uuid: string) => call(at(`wan/sync/progress/${uuid}`), 'GET'),
  };
}

type MemberProcess = Awaited<ReturnType<typeof startMember>>;

const holds = (member: MemberProcess, path: string, expected: string) =>
  eventually(
    () => member.read(path),
    (value) => value === expected,
  );

/** What a source has logged about the changes that it gave up. */
function dropsOf({ errors }: MemberProcess) {
  return errors()
    .split('\n')
    .filter((line) => line.includes('can never take'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The same, once there are so many: an entry can be seen over there before its source has heard of it. */
const dropped = (source: MemberProcess, count: number) =>
  eventually(
    async () => dropsOf(source),
    (drops) => drops.length >= count,
  );

const large = 's3cret-'.repeat(300_000); // 2.1 MB: no request of the target's is that large

test('a value over the target’s body limit is dropped with an error, and the queue goes on', async () => {
  const target = await startMember(targetFile('body-bytes: 1000'));
  const source = await startMember(sourceFile(`127.0.0.1:${target.port}`));
  await source.wan('pausePublisher');
  await source.put('orders/first', 'one');
  await source.put('orders/l%C3%A4rge', large);
  await source.put('orders/middling', large.slice(0, 1001));
  await source.put('orders/exact', large.slice(0, 1000));
  await source.put('orders/last', 'two');
  await source.wan('resumePublisher');

  await holds(target, 'orders/last', 'two');
  expect(await target.read('orders/first')).toBe('one');
  expect(await target.read('orders/exact')).toBe(large.slice(0, 1000));
  expect(await target.read('orders/l%C3%A4rge')).toBe('');
  expect(await dropped(source, 2)).toEqual([
    expect.objectContaining({ level: 50, map: 'orders', keyBytes: 6, reason: 'too large', dropped: 1 }),
    expect.objectContaining({ level: 50, map: 'orders', keyBytes: 8, reason: 'too large', dropped: 2 }),
  ]);
  expect(source.errors()).not.toContain('s3cret');
  expect(source.errors()).not.toContain('lärge');

  await source.put('orders/middling', 'now it fits');
  await holds(target, 'orders/middling', 'now it fits');
  expect(dropsOf(source)).toHaveLength(2);
});

test('of a request that is larger than the target’s memory only the value that never fits is dropped', async () => {
  const target = await startMember(targetFile('memory-bytes: 300000'));
  const source = await startMember(sourceFile(`127.0.0.1:${target.port}`));
  await source.wan('pausePublisher');
  for (let key = 0; key < 10; key += 1) await source.put(`orders/${key}`, 'v'.repeat(10_000));
  await source.put('orders/huge', 'v'.repeat(300_000));
  for (let key = 10; key < 20; key += 1) await source.put(`orders/${key}`, 'v'.repeat(10_000));
  await source.wan('resumePublisher');

  for (let key = 0; key < 20; key += 1) await holds(target, `orders/${key}`, 'v'.repeat(10_000));
  expect(await dropped(source, 1)).toEqual([
    expect.objectContaining({ map: 'orders', keyBytes: 4, dropped: 1 }),
  ]);
});

test('a value that the target’s full memory has no room for now is sent again until it has', async () => {
  const target = await startMember(targetFile('memory-bytes: 300000'));
  const source = await startMember(sourceFile(`127.0.0.1:${target.port}`));
  await target.put('own/filling', 'f'.repeat(200_000));
  await source.put('orders/waits', 'v'.repeat(150_000));
  await source.put('orders/behind', 'v');
  await eventually(
    async () => source.errors(),
    (text) => text.includes('takes no changes'),
  );
  expect(await target.read('orders/behind')).toBe('');
  await target.remove('own/filling');
  await holds(target, 'orders/waits', 'v'.repeat(150_000));
  await holds(target, 'orders/behind', 'v');
  expect(dropsOf(source)).toEqual([]);
});

test('what has been dropped is not sent again with the rest of its batch, nor counted twice', async () => {
  const target = await startMember(targetFile('memory-bytes: 300000'));
  const source = await startMember(sourceFile(`127.0.0.1:${target.port}`));
  await target.put('own/filling', 'f'.repeat(200_000));
  await source.wan('pausePublisher');
  await source.put('orders/never', 'v'.repeat(300_000));
  await source.put('orders/waits', 'v'.repeat(150_000));
  await source.wan('resumePublisher');
  await eventually(
    async () => source.errors(),
    (text) => text.includes('takes no changes'),
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // it is sent again after 250 and 500 ms
  await target.remove('own/filling');
  await holds(target, 'orders/waits', 'v'.repeat(150_000));
  expect(await dropped(source, 1)).toEqual([
    expect.objectContaining({ map: 'orders', keyBytes: 5, dropped: 1 }),
  ]);
});

test('changes of maps that the target does not know are dropped by name', async () => {
  const target = await startMember(`${targetFile('waiters: 1')}  map: { orders: {} }\n`);
  const source = await startMember(sourceFile(`127.0.0.1:${target.port}`).replace('    orders:', '    "*":'));
  await source.wan('pausePublisher');
  await source.put('unknown/k', 's3cret');
  await source.put('orders/k', 'v');
  await source.wan('resumePublisher');
  await holds(target, 'orders/k', 'v');
  expect(await dropped(source, 1)).toEqual([
    expect.objectContaining({ map: 'unknown', keyBytes: 1, reason: 'no configuration', dropped: 1 }),
  ]);
});

test('a synchronisation goes past what the target can never take', async () => {
  const target = await startMember(targetFile('body-bytes: 1000'));
  const source = await startMember(sourceFile(`127.0.0.1:${target.port}`));
  await source.wan('stopPublisher'); // queues nothing
  for (const key of ['a', 'b']) await source.put(`orders/${key}`, key);
  await source.put('orders/large', large);
  for (const key of ['c', 'd']) await source.put(`orders/${key}`, key);
  const { uuid } = JSON.parse((await source.wan('sync/map', 'orders')).body) as { uuid: string };
  const last = await eventually(
    () => source.progress(uuid),
    ({ body }) => /FINISHED|FAILED/.test(body),
  );
  expect(last.body).toContain('"stage":"FINISHED"');
  for (const key of ['a', 'b', 'c', 'd']) expect(await target.read(`orders/${key}`)).toBe(key);
  expect(await dropped(source, 1)).toEqual([
    expect.objectContaining({ map: 'orders', keyBytes: 5, dropped: 1 }),
  ]);
});

test('a value goes to the member of the target that takes it, when another one does not', async () => {
  const small = await startMember(targetFile('body-bytes: 1000'));
  const roomy = await startMember(targetFile('body-bytes: 10000000'));
  const source = await startMember(sourceFile(`127.0.0.1:${small.port},127.0.0.1:${roomy.port}`));
  await source.put('orders/large', large);
  await holds(roomy, 'orders/large', large);
  expect(dropsOf(source)).toEqual([]);
});
