/** `/api/v1/clients` and `client update`: what a client may ask for, while it has tokens. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { eventually } from '../oidc/support.ts';

let console: RunningConsole;
let admin: string;
let count = 0;
let id: string;
let secret: string;

beforeAll(async () => {
  console = await startConsole();
  admin = await apiToken(console);
});
afterAll(() => console?.stop());
beforeEach(async () => {
  id = `feeder-${count++}`;
  const scopes = 'svc:health:read svc:queue:jobs:poll';
  const added = await toolDone(['client', 'add', id, '--scope', scopes, '--json'], tool());
  secret = added.json<{ secret: string }>().secret;
  await eventually(async () => (await tokenWith('svc:health:read')).status === 200, 'the client');
});

const tool = () => ({ dataDir: console.dataDir });

async function tokenWith(scope: string) {
  const reply = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  const { access_token: token = '' } = (await reply.json()) as { access_token?: string };
  return { status: reply.status, token };
}

const get = (path: string, token: string) =>
  fetch(console.url + path, { headers: { Authorization: `Bearer ${token}` } });

async function call(method: string, path: string, body?: unknown, token = admin) {
  const reply = await fetch(`${console.url}/api/v1/clients${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

/** Both ways to change the scopes of a client. */
const ways = [
  {
    way: 'the command line',
    change: (scopes: string[]) => toolDone(['client', 'update', id, '--scope', scopes.join(' ')], tool()),
  },
  {
    way: 'the admin API',
    change: async (scopes: string[]) => expect((await call('PATCH', `/${id}`, { scopes })).status).toBe(200),
  },
];

describe.each(ways)('by $way', ({ change }) => {
  test('a scope that is taken away reaches tokens that are out, and a poll that waits (S34)', async () => {
    const { token } = await tokenWith('svc:health:read svc:queue:jobs:poll');
    const waiting = get('/svc/rest/queues/jobs/60', token);
    expect((await get('/svc/health', token)).status).toBe(200);
    await change(['svc:health:read']);
    const ended = await waiting;
    expect([ended.status, await ended.text()]).toEqual([401, expect.stringContaining('invalid_token')]);
    await eventually(async () => (await get('/svc/health', token)).status === 401, 'the token is void');
    expect((await tokenWith('svc:queue:jobs:poll')).status).toBe(400);
    const fresh = await tokenWith('svc:health:read');
    expect((await get('/svc/health', fresh.token)).status).toBe(200);
  });

  test('a scope that is added can be asked for, and voids nothing', async () => {
    const { token } = await tokenWith('svc:health:read');
    await change(['svc:health:read', 'svc:queue:jobs:poll', 'svc:cluster:read']);
    await eventually(async () => (await tokenWith('svc:cluster:read')).status === 200, 'the scope');
    expect((await get('/svc/rest/cluster', (await tokenWith('svc:cluster:read')).token)).status).toBe(200);
    expect((await get('/svc/health', token)).status).toBe(200);
  });
});

test('explain advises the change that is enough, and it is', async () => {
  const { token } = await tokenWith('svc:health:read');
  const rejected = await get('/svc/rest/maps/orders/1', token);
  const { decision_id: decision } = (await rejected.json()) as { decision_id: string };
  const explained = await get(`/api/v1/access/explain?decision=${decision}`, admin);
  const { change, command } = (await explained.json()) as { change: string; command: string };
  expect(command).toBe(
    `npx console client update ${id} --scope "svc:health:read svc:queue:jobs:poll svc:map:orders:read"`,
  );
  expect(change).toBe(
    'Let the client ask for it too, and ask for the scope svc:map:orders:read with the token.',
  );
  const [, scopes] = /--scope "([^"]+)"/.exec(command)!;
  await toolDone(['client', 'update', id, '--scope', scopes!], tool());
  await eventually(async () => (await tokenWith('svc:map:orders:read')).status === 200, 'the scope');
  const { token: enough } = await tokenWith('svc:map:orders:read');
  expect((await get('/svc/rest/maps/orders/1', enough)).status).toBe(204);
});

test('a name that a shell would run is in no command to paste (S52)', async () => {
  const { token } = await tokenWith('svc:health:read');
  const rejected = await get('/svc/rest/maps/$(id)/1', token);
  const { decision_id: decision } = (await rejected.json()) as { decision_id: string };
  const explained = await get(`/api/v1/access/explain?decision=${decision}`, admin);
  expect(await explained.json()).toMatchObject({
    change: expect.stringContaining('svc:map:$(id):read'),
    command: null,
  });
});

test('clients are listed and shown without anything of their secrets, and changes are audited (S54)', async () => {
  const { body: listed } = await call('GET', '');
  expect((listed.items as { id: string }[]).map((client) => client.id)).toEqual(
    expect.arrayContaining([id, 'application-client', 'application-dashboard']),
  );
  expect(JSON.stringify(listed)).not.toMatch(/sha256|hash/);
  const shown = await call('GET', `/${id}`);
  expect(shown.body).toMatchObject({ id, scopes: ['svc:health:read', 'svc:queue:jobs:poll'] });
  expect((await call('GET', '/nobody')).status).toBe(404);
  expect((await call('PATCH', `/${id}`, { dpop: true })).body).toMatchObject({
    dpop: true,
    scopes: ['svc:health:read', 'svc:queue:jobs:poll'],
  });
  await console.waitFor(
    () =>
      console
        .log()
        .find(
          (line) =>
            line.event === 'client.updated' && line.target === id && line.actor === 'application-client',
        ),
    'the audit line',
  );
});

test.each([
  ['a scope that there is not', { scopes: ['svc:nothing:read'] }],
  ['nothing', {}],
  ['another member', { scopes: [], redirects: [] }],
  ['a member of what is shown alone', { scopes: [], lastUsedAt: null }],
  ['addresses of a machine', { redirectUris: ['https://app.example/cb'] }],
  ['a life of tokens that is too long', { tokenTtlSeconds: 3601 }],
  ['__proto__ as a key', '{"__proto__":{},"scopes":[]}'],
  ['constructor as a key', '{"constructor":{},"scopes":[]}'],
  ['scopes that are a text', { scopes: 'svc:health:read' }],
])('refuses %s, and changes nothing (S53)', async (_name, body) => {
  const rejected = await call('PATCH', `/${id}`, body);
  expect([rejected.status, rejected.body.code]).toEqual([400, 'invalid_request']);
  expect((await call('GET', `/${id}`)).body.scopes).toEqual(['svc:health:read', 'svc:queue:jobs:poll']);
});

test('a client of the settings is changed there', async () => {
  expect((await call('PATCH', '/application-client', { scopes: [] })).status).toBe(409);
  expect((await runTool(['client', 'update', 'application-client', '--scope', 'email'], tool())).code).toBe(
    1,
  );
});

test('readers neither list nor change them, and nobody does without a token (S49)', async () => {
  const viewer = await apiToken(console, 'app:Viewer');
  expect((await call('GET', '', undefined, viewer)).status).toBe(403);
  expect((await call('PATCH', `/${id}`, { scopes: [] }, viewer)).status).toBe(403);
  expect((await call('PATCH', `/${id}`, { scopes: [] }, 'e30.e30.e30')).status).toBe(401);
});
