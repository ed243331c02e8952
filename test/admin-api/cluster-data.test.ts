/** `/api/v1/maps` and `/api/v1/queues` on the embedded member of a running console. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memberVersion } from '../../member/identity.ts';
import { apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';

let console: RunningConsole;
let tokens: Readonly<Record<'admin' | 'viewer' | 'members', string>>;
beforeAll(async () => {
  console = await startConsole();
  const [admin, viewer, members] = await Promise.all([
    apiToken(console),
    apiToken(console, 'app:Viewer'),
    machineToken(console),
  ]);
  tokens = { admin, viewer, members };
});
afterAll(() => console?.stop());

interface Asked {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

async function call(method: string, path: string, { body, token = tokens.admin, headers }: Asked = {}) {
  const response = await fetch(`${console.url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const tag = response.headers.get('etag') ?? '';
  return {
    status: response.status,
    tag,
    headers: response.headers,
    body: text ? JSON.parse(text) : undefined,
  };
}
const atMember = (method: string, path: string, body?: string) =>
  fetch(`${console.url}/svc/rest${path}`, {
    method,
    headers: { Authorization: `Bearer ${tokens.members}` },
    ...(body !== undefined && { body }),
  });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const audited = (...events: string[]) =>
  console
    .log()
    .flatMap(({ audit, event, outcome, target, changes }) =>
      audit && events.includes(String(event)) ? [{ event, outcome, target, changes }] : [],
    );

describe('an entry', () => {
  const address = '/maps/parts/entries/bolts%2Fm8';

  test('is stored, shown, replaced and removed, and callers of the member see the same', async () => {
    const made = await call('PUT', address, { body: { value: base64('{"n":1}'), type: 'application/json' } });
    expect([made.status, made.headers.get('location')]).toEqual([201, `/api/v1${address}`]);
    const direct = await atMember('GET', '/maps/parts/bolts%2Fm8');
    expect([direct.headers.get('content-type'), await direct.text()]).toEqual([
      'application/json',
      '{"n":1}',
    ]);
    const shown = await call('GET', address, { token: tokens.viewer });
    expect([shown.tag, shown.body]).toEqual([
      made.tag,
      {
        id: 'bolts/m8',
        map: 'parts',
        type: 'application/json',
        bytes: 7,
        value: base64('{"n":1}'),
        member: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      },
    ]);
    expect((await call('PUT', address, { body: { value: base64('plain') } })).status).toBe(200);
    expect((await call('GET', address)).body).toMatchObject({ bytes: 5 });
    expect((await call('DELETE', address)).status).toBe(204);
    expect((await atMember('GET', '/maps/parts/bolts%2Fm8')).status).toBe(204);
    expect((await call('GET', address)).status).toBe(404);
    expect((await call('DELETE', address)).status).toBe(404);
    const events = ['map.entry.stored', 'map.entry.removed'];
    await console.waitFor(() => audited(...events).length === 4, 'the audit lines');
    expect(audited(...events)).toMatchObject([
      { outcome: 'success', target: 'parts/bolts/m8', changes: { bytes: { from: null, to: 7 } } },
      { outcome: 'success', changes: { bytes: { from: 7, to: 5 } } },
      { outcome: 'success', changes: { bytes: { from: 5, to: null } } },
      { outcome: 'denied', target: 'parts' },
    ]);
  });

  test('is changed on the version that was seen alone, and a dry run stores nothing', async () => {
    const at = '/maps/parts/entries/nuts';
    const first = await call('PUT', at, { body: { value: base64('1') }, headers: { 'If-None-Match': '*' } });
    expect(first.status).toBe(201);
    const again = { body: { value: base64('2') }, headers: { 'If-None-Match': '*' } };
    expect(await call('PUT', at, again)).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    });
    await atMember('POST', '/maps/parts/nuts', 'of another');
    const stale = { 'If-Match': first.tag };
    const lost = await call('PUT', at, { body: { value: base64('3') }, headers: stale });
    const current = (await call('GET', at)).tag;
    expect(lost).toMatchObject({ status: 412, body: { current } });
    expect((await call('DELETE', at, { headers: stale })).status).toBe(412);
    const dry = await call('PUT', `${at}?dryRun=true`, { body: { value: base64('4') } });
    expect(dry.body).toMatchObject({ status: 200, result: { value: base64('4') } });
    expect((await call('DELETE', `${at}?dryRun=true`)).body).toMatchObject({ status: 204 });
    expect(await (await atMember('GET', '/maps/parts/nuts')).text()).toBe('of another');
    expect((await call('DELETE', at, { headers: { 'If-Match': current } })).status).toBe(204);
  });

  test('of more than the console shows is named as too large, and stays', async () => {
    await atMember('POST', '/maps/parts/plate', 'x'.repeat(1024 * 1024 + 1));
    const at = '/maps/parts/entries/plate';
    expect(await call('GET', at)).toMatchObject({ status: 413, body: { code: 'content_too_large' } });
    expect((await atMember('GET', '/maps/parts/plate')).status).toBe(200);
    await atMember('DELETE', '/maps/parts/plate');
  });

  test.each(['a%2F', '%2E%2E', 'a%2F..%2Fb', '%0A', '%20', 'x'.repeat(1001)])(
    'of a key that members read otherwise is not there: %s (S58)',
    async (key) => {
      expect((await call('PUT', `/maps/parts/entries/${key}`, { body: { value: '' } })).status).toBe(404);
    },
  );
});

test('a map is cleared at once, and stays in a dry run', async () => {
  for (const key of ['1', '2']) await atMember('POST', `/maps/scratch/${key}`, key);
  expect((await call('POST', '/maps/scratch/clear?dryRun=true')).body).toMatchObject({ status: 204 });
  expect((await atMember('GET', '/maps/scratch/1')).status).toBe(200);
  expect((await call('POST', '/maps/scratch/clear')).status).toBe(204);
  expect((await atMember('GET', '/maps/scratch/1')).status).toBe(204);
  await console.waitFor(() => audited('map.cleared').length > 0, 'the audit line');
  expect(audited('map.cleared')).toMatchObject([{ outcome: 'success', target: 'scratch' }]);
});

describe('a queue', () => {
  const offer = (queue: string, text: string, headers?: Record<string, string>) =>
    call('POST', `/queues/${queue}/offer`, {
      body: { value: base64(text), type: 'text/plain' },
      ...(headers && { headers }),
    });

  test('takes items, tells how many, and gives each to one', async () => {
    expect((await offer('jobs', 'first')).body).toEqual({ size: 1 });
    await atMember('POST', '/queues/jobs', 'second');
    expect((await call('GET', '/queues/jobs', { token: tokens.viewer })).body).toMatchObject({ size: 2 });
    const taken = await call('POST', '/queues/jobs/poll');
    expect(taken.body).toEqual({ item: { type: 'text/plain', bytes: 5, value: base64('first') } });
    expect(await (await atMember('GET', '/queues/jobs/0')).text()).toBe('second');
    expect((await call('POST', '/queues/jobs/poll')).body).toEqual({ item: null });
  });

  test('gives its item again to a call of the same key, and takes no other', async () => {
    for (const text of ['one', 'two']) await offer('letters', text);
    const headers = { 'Idempotency-Key': 'take-one-letter-1' };
    const first = await call('POST', '/queues/letters/poll', { headers });
    const again = await call('POST', '/queues/letters/poll', { headers });
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect((await call('GET', '/queues/letters')).body).toMatchObject({ size: 1 });
    for (const _again of [1, 2]) await offer('letters', 'three', { 'Idempotency-Key': 'add-a-letter-once' });
    expect((await call('GET', '/queues/letters')).body).toMatchObject({ size: 2 });
  });

  test('is drained of as many as asked for, the first ones first; a dry run takes none', async () => {
    for (const text of ['a', 'b', 'c']) await offer('mails', text);
    const dry = await call('POST', '/queues/mails/drain?dryRun=true', { body: { most: 3 } });
    expect(dry).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await call('POST', '/queues/mails/poll?dryRun=true')).status).toBe(400);
    const drained = await call('POST', '/queues/mails/drain', { body: { most: 2 } });
    expect(drained.body).toMatchObject({ items: [{ value: base64('a') }, { value: base64('b') }], left: 1 });
    await console.waitFor(() => audited('queue.drained').some(({ outcome }) => outcome === 'success'), 'it');
    expect(audited('queue.drained').at(-1)).toMatchObject({ target: 'mails', changes: { items: 2 } });
  });
});

test('a member tells its release and its kind, and how its probes find it', async () => {
  const read = async () => (await call('GET', '/members', { token: tokens.viewer })).body.items[0];
  await until(async () => (await read()).version !== null, 'what its cluster says');
  expect(await read()).toMatchObject({
    version: memberVersion,
    kind: 'data',
    health: 'ready',
    circuit: 'closed',
  });
});

describe('names', () => {
  test('are those of permissions and of calls, with where each is known from', async () => {
    const permissions = ['svc:map:granted:read', 'svc:map:some-*:read', 'svc:queue:granted:offer'];
    await call('POST', '/roles', { body: { id: 'Clerk', permissions } });
    await call('POST', '/clients', { body: { id: 'clerk', scopes: ['svc:map:granted:write'] } });
    await atMember('POST', '/maps/called/1', 'x');
    const find = async (kind: string, name: string) =>
      (await call('GET', `/${kind}?q=${name}`, { token: tokens.viewer })).body.items as object[];
    await until(async () => (await find('maps', 'called')).length === 1, 'the name of the call');
    const today = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
    expect(await find('maps', 'called')).toMatchObject([
      { id: 'called', sources: ['calls'], lastCallOn: today },
    ]);
    expect(await find('maps', 'granted')).toMatchObject([
      { id: 'granted', sources: ['roles', 'clients'], lastCallOn: null },
    ]);
    expect(await find('maps', 'some-')).toEqual([]);
    expect(await find('queues', 'granted')).toMatchObject([{ sources: ['roles'] }]);
    expect((await call('GET', '/maps/nowhere')).body).toMatchObject({
      id: 'nowhere',
      sources: [],
      lastCallOn: null,
      hitShare: null,
    });
  });

  test('come and go with the clients that have them, once they have been asked for', async () => {
    const find = async (name: string) =>
      ((await call('GET', `/maps?q=${name}`)).body.items as { id: string }[]).map(({ id }) => id);
    expect(await find('moving')).toEqual([]);
    const scopes = (...names: string[]) => names.map((name) => `svc:map:${name}:read`);
    await call('POST', '/clients', { body: { id: 'mover', scopes: scopes('moving-1', 'moving-2') } });
    await call('POST', '/clients', { body: { id: 'second', scopes: scopes('moving-2') } });
    expect(await find('moving')).toEqual(['moving-1', 'moving-2']);
    await call('PATCH', '/clients/mover', { body: { scopes: scopes('moving-3') } });
    expect(await find('moving')).toEqual(['moving-2', 'moving-3']);
    await call('DELETE', '/clients/second');
    expect(await find('moving')).toEqual(['moving-3']);
    const dry = await call('DELETE', '/clients/mover?dryRun=true');
    expect([dry.status, await find('moving')]).toEqual([200, ['moving-3']]);
    await call('DELETE', '/clients/mover');
    expect(await find('moving')).toEqual([]);
  });

  test('of calls that were refused, or failed, are not kept', async () => {
    await fetch(`${console.url}/svc/rest/maps/refused/1`, { headers: { Authorization: 'Bearer x' } });
    await atMember('GET', '/queues/failed');
    await atMember('POST', '/maps/succeeded/1', 'x');
    const names = async () =>
      ((await call('GET', '/maps?limit=500')).body.items as { id: string }[]).map(({ id }) => id);
    await until(async () => (await names()).includes('succeeded'), 'the name of a later call');
    expect(await names()).not.toContain('refused');
    expect((await call('GET', '/queues?q=failed')).body.items).toEqual([]);
  });
});

test('is for those who may (S49)', async () => {
  for (const [method, path, body] of [
    ['PUT', '/maps/parts/entries/1', { value: '' }],
    ['POST', '/maps/parts/clear', undefined],
    ['POST', '/queues/jobs/poll', undefined],
  ] as const) {
    expect((await call(method, path, { body, token: tokens.viewer })).status).toBe(403);
  }
});
