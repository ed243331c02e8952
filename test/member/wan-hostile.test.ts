import { describe, expect, test } from 'vitest';
import type { MemberLog } from '../../member/log.ts';
import { batchesOf } from '../../member/wan/batches.ts';
import { mostChanges } from '../../member/wan/change.ts';
import { call, empty, eventually, startTestMember } from './support.ts';

const groups = 'endpoint-groups: { DATA: { enabled: true }, WAN: { enabled: true } }';
const file = (more = '') => `svc:
  network: { rest-api: { enabled: true, ${groups} } }
  ${more}
`;

const line = (...parts: unknown[]) => `${JSON.stringify(parts)}\n`;
const withTypeOf = (type: string) => `${line('m', 'k', type, 1)}x`;

type Entries = [level: string, fields: Record<string, unknown>, message: string][];

/** What a member says, and a log that it says it to. */
function listeningLog(): { entries: Entries; log: MemberLog } {
  const entries: Entries = [];
  const record = (level: string) => (fields: object, message: string) =>
    void entries.push([level, fields as Record<string, unknown>, message]);
  const log = { info: record('info'), warn: record('warn'), error: record('error'), debug: record('debug') };
  return { entries, log: log as unknown as MemberLog };
}

async function start(more = '', log?: MemberLog) {
  const member = await startTestMember(file(more), log ? { log } : {});
  const changes = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${member.address}/svc/rest/wan/replication/changes`, {
      method: 'POST',
      body: Buffer.from(`dev&\n${body}`),
      headers,
    });
  return { ...member, changes };
}

describe('replicated changes that no member sends are 400, and none of them is made', () => {
  test.each([
    ['a line break in a MIME type', withTypeOf('text/plain\r\nX-Injected: 1')],
    ['a MIME type outside of ASCII', withTypeOf('text/plän')],
    ['a MIME type longer than a caller may send', withTypeOf('t'.repeat(257))],
    ['an empty MIME type', withTypeOf('')],
    ['an empty key', `${line('m', '', null, 1)}x`],
    ['a key that no path can name', `["m","\\ud800",null,1]\nx`],
    ['a map that no path can name', `["\\udfff","k",null,1]\nx`],
    ['an empty map', `${line('', 'k', null, 1)}x`],
    ['a length that is none', `${line('m', 'k', null, 1e300)}x`],
    ['more changes than a request has', line('m', 'gone', null, -1).repeat(mostChanges + 1)],
  ])('%s', async (_, body) => {
    const { changes, call } = await start();
    const before = `${line('m', 'first', null, 1)}x`;
    expect((await changes(before + body)).status).toBe(400);
    expect(await call('GET', '/svc/rest/maps/m/first')).toMatchObject(empty(204));
    expect((await changes(before)).status).toBe(200);
    expect(await call('GET', '/svc/rest/maps/m/first')).toMatchObject({ status: 200, body: 'x' });
  });

  test('more clusters on the way than there are', async () => {
    const { changes } = await start();
    const via = (count: number) => ({
      'wan-via': Array.from({ length: count }, (_, i) => `c${i}`).join('&'),
    });
    expect((await changes(line('m', 'k', null, -1), via(101))).status).toBe(400);
    expect((await changes(line('m', 'k', null, -1), via(100))).status).toBe(200);
  });
});

describe('replicated changes over the limits of the receiver', () => {
  test('are left out, told once, and hold up no others', async () => {
    const { entries, log } = listeningLog();
    const { changes, call } = await start('limits: { key-bytes: 16, body-bytes: 64 }', log);
    const long = 'k'.repeat(17);
    const body = [
      line('m', long, null, 1),
      'x',
      line('m', long, null, 1),
      'x',
      line(long, 'k', null, 1),
      'x',
      line('m', 'large', null, 65),
      'x'.repeat(65),
      line('m', 'fits', null, 1),
      'x',
    ].join('');
    expect((await changes(body)).status).toBe(200);
    expect(await call('GET', '/svc/rest/maps/m/fits')).toMatchObject({ status: 200 });
    expect(await call('GET', '/svc/rest/maps/m/large')).toMatchObject(empty(204));
    const reasons = entries.filter(([, , message]) => message.includes('left out'));
    expect(reasons.map(([, { map, reason }]) => `${map}: ${reason}`)).toEqual([
      'm: a name is longer than limits.key-bytes',
      `${long}: a name is longer than limits.key-bytes`,
      'm: a value is larger than limits.body-bytes, or limits.memory-bytes',
    ]);
  });
});

test('a comparison of a deeper tree than any member has is 400', async () => {
  const { address } = await start();
  const compare = (leaves: number) =>
    call(`${address}/svc/rest/wan/replication/compare`, 'POST', {
      body: Buffer.concat([Buffer.from('dev&\n"m"\n'), Buffer.alloc(8 * leaves)]),
    });
  expect(await compare(2 ** 16)).toMatchObject(empty(400));
  expect(await compare(1)).toMatchObject(empty(400));
  expect(await compare(2 ** 15)).toMatchObject({ status: 200, body: '\0\0\0\0' });
});

test('names of prototypes are names as others are', async () => {
  const { changes, call } = await start('map: { __*: {}, constructor: {}, toString: {} }');
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect((await changes(`${line(name, name, null, 1)}x`)).status).toBe(200);
    const path = `/svc/rest/maps/${name}/${name}`;
    expect(await call('GET', path)).toMatchObject({ status: 200, body: 'x' });
    expect(await call('DELETE', path)).toMatchObject(empty(200));
    expect(await call('GET', path)).toMatchObject(empty(204));
  }
});

test('requests on receipt are made in the order in which they came', async () => {
  const { changes, call } = await start();
  const receipt = { 'wan-acknowledge': 'receipt' };
  const many = Array.from({ length: 15_000 }, (_, key) => line('m', `gone${key}`, null, -1)).join('');
  expect((await changes(`${many}${line('m', 'k', null, 3)}old`, receipt)).status).toBe(200);
  expect((await changes(`${line('m', 'k', null, 3)}new`)).status).toBe(200);
  expect((await call('GET', '/svc/rest/maps/m/k')).body).toBe('new');
});

test('long keys count towards the size of a request, so that the target takes it', () => {
  const key = '\0'.repeat(8 * 1024); // six bytes each on the way
  const changes = Array.from({ length: 100 }, (_, index) => ({
    map: 'm',
    key: `${key}${index}`,
    value: undefined,
  }));
  const sizes = [...batchesOf(changes, 100_000)].map((part) => part.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(11);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100);
});

describe('addWanConfig', () => {
  const publisher = (clusterName: string) => ({ clusterName, targetEndpoints: '127.0.0.1:1' });
  const add = (member: { address: string }, config: object) =>
    call(`${member.address}/svc/rest/wan/addWanConfig`, 'POST', {
      body: `dev&&${encodeURIComponent(JSON.stringify(config))}`,
    });

  test('adds publishers up to a limit, all of a call or none', async () => {
    const member = await start();
    const named = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => publisher(`c${from + index}`));
    expect((await add(member, { name: 'w', batchPublishers: named(0, 99) })).status).toBe(200);
    expect(await add(member, { name: 'x', batchPublishers: named(0, 2) })).toMatchObject(empty(500));
    expect((await add(member, { name: 'x', batchPublishers: named(0, 1) })).body).toContain(
      '"addedPublisherIds":["c0"]',
    );
    expect((await add(member, { name: 'w', batchPublishers: named(0, 99) })).status).toBe(200);
  });

  test('is no error without any of the optional fields, or with null for them', async () => {
    const member = await start();
    const none = {
      status: 200,
      body: '{"status":"success","message":"WAN configuration added.","addedPublisherIds":[],"ignoredPublisherIds":[]}',
    };
    expect(await add(member, { name: 'x' })).toMatchObject(none);
    expect(await add(member, { name: 'x', batchPublishers: [] })).toMatchObject(none);
    const absent = { batchPublishers: null, customPublishers: null, consumer: null };
    expect(await add(member, { name: 'x', ...absent })).toMatchObject(none);
    const nulls = { aws: null, gcp: null, azure: null, kubernetes: null, eureka: null, discovery: null };
    const more = { batchSize: null, queueFullBehavior: null, sync: null, properties: null, ...nulls };
    const added = await add(member, { name: 'x', batchPublishers: [{ ...publisher('paris'), ...more }] });
    expect(added).toMatchObject({ status: 200 });
    expect(added.body).toContain('"addedPublisherIds":["paris"]');
  });

  test('without a publisher does not stand in the way of a configuration that has one', async () => {
    const yaml = file().replace('WAN:', 'CLUSTER_WRITE: { enabled: true }, WAN:');
    const member = await startTestMember(yaml);
    expect((await add(member, { name: 'x' })).status).toBe(200);
    const upload =
      'svc: { wan-replication: { x: { batch-publisher: { p: { target-endpoints: "127.0.0.1:1" } } } } }';
    const reply = await member.call('POST', '/svc/rest/config/upload', {
      body: `dev&&${encodeURIComponent(upload)}`,
    });
    expect(JSON.parse(reply.body).result).toEqual({
      addedConfigs: [{ sectionName: 'wan-replication', configName: 'x' }],
      ignoredConfigs: [],
    });
  });

  test.each([
    ['name', {}],
    ['name', { name: null }],
    ['batchPublishers.0.targetEndpoints', { name: 'x', batchPublishers: [{ clusterName: 'c' }] }],
    ['a publisher needs a clusterName', { name: 'x', batchPublishers: [{ targetEndpoints: '127.0.0.1:1' }] }],
    ['batchPublishers.0.aws', { name: 'x', batchPublishers: [{ ...publisher('c'), aws: {} }] }],
  ])('says what is missing or is not had: %s', async (reason, config) => {
    const { entries, log } = listeningLog();
    const member = await start('', log);
    expect(await add(member, config)).toMatchObject(empty(500));
    const refused = entries.find(([, , message]) => message === 'call refused');
    expect(String(refused?.[1].reason)).toContain(reason);
  });

  test('refuses two publishers of one id', async () => {
    const member = await start();
    const batchPublishers = [publisher('paris'), publisher('paris')];
    expect(await add(member, { name: 'w', batchPublishers })).toMatchObject(empty(500));
  });

  test('writes no more of a bad configuration into the log than a reader needs', async () => {
    const { entries, log } = listeningLog();
    const member = await start('', log);
    const unknown = { [`x${'y'.repeat(50_000)}`]: 1 };
    const batchPublishers = Array.from({ length: 100 }, () => unknown);
    expect(await add(member, { name: 'w', batchPublishers })).toMatchObject(empty(500));
    const refused = await eventually(
      async () => entries.find(([, , message]) => message === 'call refused'),
      (entry) => entry !== undefined,
    );
    expect(String(refused![1].reason).length).toBeLessThanOrEqual(2_000);
  });
});
