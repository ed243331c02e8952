/** `POST /api/v1/me/call`: a call to the members that reads, as whoever calls and by their roles alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, personWith, startWithAdmin } from '../helpers/management.ts';
import type { UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  await fetch(`${console.url}/svc/rest/maps/orders/a1`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await machineToken(console)}`, 'Content-Type': 'text/plain' },
    body: 'a secret value',
  });
});
afterAll(() => console?.stop());

interface Called {
  readonly isAllowed: boolean;
  readonly because: string;
  readonly reply: { readonly status: number; readonly value: string } | null;
}

async function callAs(agent: UserAgent, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const csrf = hiddenIn(await agent.get('/account'), 'csrf')!;
  const reply = await agent.send('POST', '/api/v1/me/call', {
    headers: {
      origin: console.url,
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': csrf,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: JSON.parse(reply.body) as Called & { code?: string } };
}

const entry = { path: '/svc/rest/maps/orders/a1' };
const textIn = ({ reply }: Called) => Buffer.from(reply!.value, 'base64').toString();

test('is answered by the member, and the audit has the path and no value', async () => {
  const { status, body } = await callAs(ada, entry);
  expect([status, body.isAllowed, body.reply!.status, textIn(body)]).toEqual([
    200,
    true,
    200,
    'a secret value',
  ]);
  const { items } = (await callApi(console, 'GET', '/audit?event=members.call_tried')) as { items: object[] };
  expect(items).toHaveLength(1);
  expect(JSON.stringify(items)).toContain(entry.path);
  expect(JSON.stringify(items)).not.toContain('a secret value');
});

describe.each([
  { roles: ['Viewer'], map: true, health: true, cluster: true },
  { roles: ['MetricsViewer'], map: false, health: true, cluster: true },
  { roles: ['Orders'], map: true, health: false, cluster: false },
  { roles: [], map: false, health: false, cluster: false },
])('as a person with the roles $roles', ({ roles, map, health, cluster }) => {
  let agent: UserAgent;
  beforeAll(async () => {
    if (roles[0] === 'Orders')
      await callApi(console, 'POST', '/roles', { id: 'Orders', permissions: ['svc:map:orders:read'] });
    agent = await personWith(console, `with-${(roles[0] ?? 'none').toLowerCase()}`, roles);
  });
  test.each([
    { path: '/svc/rest/maps/orders/a1', may: map },
    { path: '/svc/rest/maps/other/a1', may: map && roles[0] !== 'Orders' },
    { path: '/svc/health', may: health },
    { path: '/svc/rest/cluster', may: cluster },
    { path: '/svc/rest/maps/orders/..%2fother/a1', may: false },
    { path: '/svc/rest/maps/orders/%2e%2e/other/a1', may: false },
    { path: '/svc/rest/maps/orders%2f..%2fother/a1', may: false },
    { path: '/svc//rest/maps/orders/a1', may: false },
  ])('$path is open: $may (S49, S60)', async ({ path, may }) => {
    const { status, body } = await callAs(agent, { path });
    expect([status, body.isAllowed, body.reply !== null]).toEqual([200, may, may]);
    if (!may) expect(body.because).not.toBe('');
  });
});

test('a machine without a role reads nothing by it', async () => {
  await callApi(console, 'POST', '/clients', {
    id: 'reader',
    secret: 'reader-0123456789-abcdefghij-klmnopqrst',
    scopes: ['api:maps:read'],
  });
  const reply = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('reader:reader-0123456789-abcdefghij-klmnopqrst')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api:maps:read' }),
  });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  const called = await fetch(`${console.url}/api/v1/me/call`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(entry),
  });
  expect(await called.json()).toMatchObject({ isAllowed: false, reply: null });
});

describe('what is asked wrongly', () => {
  test.each([
    { name: 'takes an item away', body: { path: '/svc/rest/queues/jobs/1' }, status: 400 },
    { name: 'is of another host', body: { path: 'https://evil.example/' }, status: 400 },
    { name: 'leaves the surface', body: { path: '/svc/../api/v1/users' }, status: 200 },
    { name: 'has a line end', body: { path: '/svc/health\r\nX: y' }, status: 400 },
    { name: 'is too long', body: { path: `/svc/${'x'.repeat(3000)}` }, status: 400 },
    { name: 'has more than a path', body: { ...entry, method: 'DELETE' }, status: 400 },
    { name: 'is nothing', body: {}, status: 400 },
  ])('$name: nothing is asked of a member', async ({ body, status }) => {
    const found = await callAs(ada, body);
    expect([found.status, found.body.reply ?? null]).toEqual([status, null]);
  });

  test('from another origin, without the token of a page, or without anything (S31, S50)', async () => {
    expect((await callAs(ada, entry, { 'x-csrf-token': 'made-up' })).status).toBe(403);
    expect((await callAs(ada, entry, { origin: 'https://evil.example' })).status).toBe(403);
    const bare = await fetch(`${console.url}/api/v1/me/call`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(entry),
    });
    expect(bare.status).toBe(401);
  });
});
