/** `/api/v1/roles` of a running console. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

const reader = { name: 'OrdersReader', permissions: ['svc:map:orders-*:read', 'svc:health:read'] };

let console: RunningConsole;
let admin: string;
beforeAll(async () => {
  console = await startConsole();
  admin = await apiToken(console);
});
afterAll(() => console?.stop());

async function call(method: string, path: string, body?: unknown, token = admin, headers = {}) {
  const response = await fetch(`${console.url}/api/v1/roles${path}`, {
    method,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
const listed = async () => ((await call('GET', '')).body as { name: string }[]).map(({ name }) => name);

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
    ].map((name) => [`the name ${JSON.stringify(name)}`, { ...reader, name }] as const),
    ['a description of two lines', { ...reader, description: 'one\ntwo' }],
  ];
  test.each(rows)('%s', async (_what, body) => {
    const rejected = await call('POST', '', body);
    expect([rejected.status, rejected.body.code]).toEqual([400, bad]);
    expect(await listed()).toEqual([]);
  });

  test('a name that differs in case alone, a wrong tag, an empty change, and paths that are none', async () => {
    await call('POST', '', reader);
    expect((await call('POST', '', { ...reader, name: 'ordersREADER' })).status).toBe(409);
    expect((await call('PATCH', '/OrdersReader', { name: 'x' })).status).toBe(400);
    expect((await call('PATCH', '/OrdersReader', {})).status).toBe(400);
    expect((await call('DELETE', '/OrdersReader', undefined, admin, { 'If-Match': 'W/"x"' })).status).toBe(
      400,
    );
    expect((await call('GET', '/OrdersReader/x')).status).toBe(404);
    expect((await call('GET', '?all=1')).status).toBe(400);
    expect((await call('PUT', '/OrdersReader', {})).status).toBe(405);
    expect(await listed()).toEqual(['OrdersReader']);
    expect((await call('DELETE', '/OrdersReader')).status).toBe(204);
  });
});
