/** `/api/v1/roles` of a running console. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiCaller } from '../admin-api/support.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

const reader = { id: 'OrdersReader', permissions: ['svc:map:orders-*:read', 'svc:health:read'] };

let console: RunningConsole;
let admin: string;
beforeAll(async () => {
  console = await startConsole();
  admin = await apiToken(console);
});
afterAll(() => console?.stop());

const call = (method: string, path: string, body?: unknown, token = admin, headers = {}) =>
  apiCaller(console, '/roles', token)(method, path, body, headers);

/** Custom ones. */
async function listed() {
  const { items } = (await call('GET', '')).body as { items: { id: string; builtIn: boolean }[] };
  return items.flatMap(({ id, builtIn }) => (builtIn ? [] : [id]));
}

test('a role is added, shown, changed and removed, each change audited', async () => {
  const added = await call('POST', '', { ...reader, description: 'Reads the orders.' });
  expect([added.status, added.headers.get('location')]).toEqual([201, '/api/v1/roles/OrdersReader']);
  expect(added.body).toMatchObject({ ...reader, description: 'Reads the orders.', users: [] });
  expect(await listed()).toEqual(['OrdersReader']);
  const changed = await call('PATCH', '/OrdersReader', { permissions: ['svc:health:read'] });
  expect(changed.body).toMatchObject({ permissions: ['svc:health:read'], description: 'Reads the orders.' });
  expect((await call('GET', '/OrdersReader')).body).toEqual(changed.body);
  expect((await call('DELETE', '/OrdersReader')).status).toBe(204);
  expect((await call('GET', '/OrdersReader')).status).toBe(404);
  const audited = () =>
    console
      .log()
      .flatMap(({ audit, event, outcome, target, actor }) => (audit ? [[event, outcome, target, actor]] : []))
      .filter(([event]) => String(event).startsWith('role.'));
  await console.waitFor(() => audited().length === 3, 'the audit lines');
  const names = ['added', 'updated', 'removed'];
  expect(audited()).toEqual(
    names.map((name) => [`role.${name}`, 'success', 'OrdersReader', 'application-client']),
  );
});

test('two administrators do not undo each other’s change', async () => {
  const { headers } = await call('POST', '', reader);
  const tag = { 'If-Match': headers.get('etag')! };
  const first = await call('PATCH', '/OrdersReader', { description: 'first' }, admin, tag);
  expect([first.status, first.headers.get('etag') === tag['If-Match']]).toEqual([200, false]);
  for (const method of ['PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { description: 'second' } : undefined;
    const second = await call(method, '/OrdersReader', body, admin, tag);
    expect([second.status, second.body.code]).toEqual([412, 'precondition_failed']);
  }
  const newest = { 'If-Match': first.headers.get('etag')! };
  expect((await call('DELETE', '/OrdersReader', undefined, admin, newest)).status).toBe(204);
  expect(await listed()).toEqual([]);
});

test('a role is put: added where there is none, replaced whole where there is one', async () => {
  const none = { 'If-None-Match': '*' };
  const put = (body: object, headers = {}) => call('PUT', '/Put', body, admin, headers);
  const wide = { permissions: ['svc:health:read', 'svc:cluster:read'], description: 'Wide.' };
  const stale = await put(wide, { 'If-Match': '"AAAAAAAAAAAAAAAAAAAAAA"' });
  expect([stale.status, await listed()]).toEqual([412, []]);
  const added = await put(wide, none);
  expect([added.status, added.headers.get('location')]).toEqual([201, '/api/v1/roles/Put']);
  const again = await put(wide, none);
  expect([again.status, again.body.current]).toEqual([412, added.headers.get('etag')]);
  const narrow = { permissions: ['svc:health:read'] };
  const replaced = await put(narrow, { 'If-Match': added.headers.get('etag')! });
  expect(replaced.body).toMatchObject({ id: 'Put', ...narrow, description: null });
  expect(replaced.status).toBe(200);
  expect((await put(wide, { 'If-Match': added.headers.get('etag')! })).status).toBe(412);
  // The same once more changes nothing, and no line says so.
  const same = await put(narrow);
  expect([same.status, same.headers.get('etag')]).toEqual([200, replaced.headers.get('etag')]);
  expect((await call('PUT', '/Admin', narrow)).status).toBe(409);
  expect((await call('DELETE', '/Put')).status).toBe(204);
  const lines = () => console.log().filter(({ audit, target }) => audit && target === 'Put');
  await console.waitFor(() => lines().some(({ event }) => event === 'role.removed'), 'the audit lines');
  expect(lines().map(({ event, outcome, changes, via }) => [event, outcome, changes, via])).toEqual([
    ['role.updated', 'denied', undefined, 'api'],
    [
      'role.added',
      'success',
      { permissions: { add: wide.permissions, remove: [] }, description: { from: null, to: 'Wide.' } },
      'api',
    ],
    ['role.updated', 'denied', undefined, 'api'],
    [
      'role.updated',
      'success',
      {
        permissions: { add: [], remove: ['svc:cluster:read'] },
        description: { from: 'Wide.', to: null },
      },
      'api',
    ],
    ['role.updated', 'denied', undefined, 'api'],
    ['role.removed', 'success', { permissions: { add: [], remove: ['svc:health:read'] } }, 'api'],
  ]);
});

test('the list has the built-in roles first, and goes on page by page whatever goes meanwhile', async () => {
  const names = ['Alpha', 'beta', 'Gamma', 'delta'];
  for (const id of names) await call('POST', '', { ...reader, id });
  const first = await call('GET', '?limit=5');
  expect(first.body.count).toEqual({ value: 7, isExact: true });
  expect(first.body.items.map(({ id }: { id: string }) => id)).toEqual([
    'Admin',
    'Viewer',
    'MetricsViewer',
    'Alpha',
    'beta',
  ]);
  await call('DELETE', '/beta');
  const second = await call('GET', `?limit=5&cursor=${first.body.next}`);
  expect(second.body.items.map(({ id }: { id: string }) => id)).toEqual(['delta', 'Gamma']);
  expect(second.body.next).toBeNull();
  for (const query of ['limit=0', 'limit=501', 'limit=x', 'limit=5&limit=5', 'sort=name']) {
    expect([query, (await call('GET', `?${query}`)).status]).toEqual([query, 400]);
  }
  for (const cursor of ['', 'x', first.body.next.slice(0, -2), `${'A'.repeat(40)}`]) {
    expect((await call('GET', `?cursor=${cursor}`)).body.code).toBe('invalid_cursor');
  }
  for (const id of ['Alpha', 'Gamma', 'delta']) await call('DELETE', `/${id}`);
});

describe('is for those who may (S49)', () => {
  test('a token of role Viewer reads and changes nothing; none, forged or of a browser opens nothing', async () => {
    const viewer = await apiToken(console, 'app:Viewer');
    expect((await call('GET', '', undefined, viewer)).status).toBe(200);
    const agent = createUserAgent(console.url);
    await agent.signIn();
    expect((await agent.get('/api/v1/roles')).status).toBe(401);
    for (const [token, status] of [
      [viewer, 403],
      ['', 401],
      ['eyJhbGciOiJub25lIn0.e30.', 401],
    ] as const) {
      expect((await call('POST', '', reader, token)).status).toBe(status);
      expect((await call('PATCH', '/OrdersReader', { permissions: [] }, token)).status).toBe(status);
      expect((await call('DELETE', '/OrdersReader', undefined, token)).status).toBe(status);
    }
    expect(await listed()).toEqual([]);
  });
});

describe('is refused, and nothing is kept (S53)', () => {
  const bad = 'invalid_request';
  const rows: readonly (readonly [string, unknown])[] = [
    ['what is no JSON', '{'],
    ['a member that nobody knows', { ...reader, isAdmin: true }],
    ['a prototype', `{"__proto__":{"x":1},${JSON.stringify(reader).slice(1)}`],
    ['no permission', { ...reader, permissions: [] }],
    [
      '101 permissions',
      { ...reader, permissions: Array.from({ length: 101 }, (_, i) => `svc:map:m${i}:read`) },
    ],
    ['text for permissions', { ...reader, permissions: 'svc:health:read' }],
    ...[
      'app:Viewer',
      'openid',
      'svc:*:read',
      'svc:map:a*b:read',
      'svc:map::read',
      'svc:health:write ',
      '',
      'all',
    ].map((text) => [`the permission ${JSON.stringify(text)}`, { ...reader, permissions: [text] }] as const),
    ...[
      'Admin',
      'admin',
      'ROLE_Viewer',
      'none',
      'toString',
      'constructor',
      '__proto__',
      'a b',
      '1st',
      '',
      'x'.repeat(65),
    ].map((name) => [`the name ${JSON.stringify(name)}`, { ...reader, id: name }] as const),
    ['a description of two lines', { ...reader, description: 'one\ntwo' }],
  ];
  test.each(rows)('%s', async (_what, body) => {
    const rejected = await call('POST', '', body);
    expect([rejected.status, rejected.body.code]).toEqual([400, bad]);
    expect(await listed()).toEqual([]);
  });

  test('a name that differs in case alone, a wrong tag, an empty change, and paths that are none', async () => {
    await call('POST', '', reader);
    expect((await call('POST', '', { ...reader, id: 'ordersREADER' })).status).toBe(409);
    expect((await call('PATCH', '/OrdersReader', { id: 'x' })).status).toBe(400);
    expect((await call('PATCH', '/OrdersReader', {})).status).toBe(400);
    expect((await call('DELETE', '/OrdersReader', undefined, admin, { 'If-Match': 'W/"x"' })).status).toBe(
      400,
    );
    expect((await call('GET', '/OrdersReader/x')).status).toBe(404);
    expect((await call('GET', '?all=1')).status).toBe(400);
    expect((await call('PUT', '/OrdersReader', {})).status).toBe(400);
    expect((await call('PUT', '/ordersREADER', { permissions: ['svc:health:read'] })).status).toBe(409);
    expect((await call('POST', '/OrdersReader', {})).status).toBe(405);
    expect(await listed()).toEqual(['OrdersReader']);
    expect((await call('DELETE', '/OrdersReader')).status).toBe(204);
  });
});
