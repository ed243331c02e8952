/** `/api/v1/clients/{client}/secrets` and `…/try`: how a client proves itself, and what its tokens would open. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type CallApi, callsWith, tokenOf } from './client-support.ts';

let console: RunningConsole;
let call: CallApi;
let count = 0;
let id: string;
let secret: string;
beforeAll(async () => {
  console = await startConsole();
  const token = await apiToken(console);
  call = callsWith(console, () => token);
});
afterAll(() => console?.stop());
beforeEach(async () => {
  id = `mover-${count++}`;
  secret = (await call('POST', '/clients', { id, scopes: ['svc:health:read', 'svc:map:orders-*:read'] })).body
    .secret;
});

const statusWith = async (given: string) => (await tokenOf(console, { id, secret: given })).status;
const idsOf = async () =>
  (await call('GET', `/clients/${id}`)).body.secrets.map((one: { id: string }) => one.id) as string[];

test('a second secret is good beside the first, and a third is refused', async () => {
  const second = await call('POST', `/clients/${id}/secrets`, { id: 'b' });
  expect([second.status, second.headers.get('location')]).toEqual([201, `/api/v1/clients/${id}/secrets/b`]);
  expect(second.body).toEqual({
    id: 'b',
    createdAt: expect.any(String),
    lastUsedAt: null,
    expiresAt: null,
    endsOnUseOf: null,
    secret: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect([await statusWith(secret), await statusWith(second.body.secret)]).toEqual([200, 200]);
  const third = await call('POST', `/clients/${id}/secrets`, {});
  expect([third.status, third.body.code]).toEqual([409, 'conflict']);
  expect((await call('POST', `/clients/${id}/secrets`, { id: 'b', ends: 'oldest' })).status).toBe(409);
  expect((await idsOf())[0]).toBe('b');
  const shown = JSON.stringify((await call('GET', `/clients/${id}`)).body);
  expect(shown).not.toContain(second.body.secret);
});

test('a new secret ends the oldest one, or all with every token, where it says so', async () => {
  const { body: second } = await call('POST', `/clients/${id}/secrets`, {});
  const { token } = await tokenOf(console, { id, secret: second.secret }, { scope: 'svc:health:read' });
  const { body: third } = await call('POST', `/clients/${id}/secrets`, { ends: 'oldest' });
  expect([await statusWith(secret), await statusWith(second.secret)]).toEqual([401, 200]);
  const health = () => fetch(`${console.url}/svc/health`, { headers: { Authorization: `Bearer ${token}` } });
  expect((await health()).status).toBe(200);
  const { body: only } = await call('POST', `/clients/${id}/secrets`, { ends: 'all' });
  expect([
    await statusWith(second.secret),
    await statusWith(third.secret),
    await statusWith(only.secret),
  ]).toEqual([401, 401, 200]);
  expect((await health()).status).toBe(401);
});

test.each([
  ['ends with every token', '', 401],
  ['ends alone where tokens are kept', '?endTokens=false', 200],
])('a secret that is removed %s', async (_what, query, status) => {
  const { body: second } = await call('POST', `/clients/${id}/secrets`, { id: 'b' });
  const { token } = await tokenOf(console, { id, secret }, { scope: 'svc:health:read' });
  const [, first] = await idsOf();
  expect((await call('DELETE', `/clients/${id}/secrets/${first}${query}`)).status).toBe(204);
  expect([await statusWith(secret), await statusWith(second.secret)]).toEqual([401, 200]);
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${console.url}/svc/health`, { headers })).status).toBe(status);
  expect((await call('DELETE', `/clients/${id}/secrets/${first}`)).status).toBe(404);
  await console.waitFor(
    () => console.log().find((line) => line.event === 'client.secret_removed' && line.target === id),
    'the audit line',
  );
  const line = console.log().find((one) => one.event === 'client.secret_removed' && one.target === id);
  expect(line?.changes).toEqual({ secretIds: { add: [], remove: [first] } });
});

test('a secret that has expired proves nothing, and makes room for another', async () => {
  const expiresAt = new Date(Date.now() + 1500).toISOString();
  const { body: brief } = await call('POST', `/clients/${id}/secrets`, { id: 'brief', expiresAt });
  expect([brief.expiresAt, await statusWith(brief.secret)]).toEqual([expiresAt, 200]);
  await expect.poll(() => statusWith(brief.secret), { timeout: 5_000 }).toBe(401);
  expect(await statusWith(secret)).toBe(200);
  expect((await call('POST', `/clients/${id}/secrets`, { id: 'next' })).status).toBe(201);
  expect(await idsOf()).toEqual(['next', expect.stringMatching(/^sec_/)]);
});

test.each([
  ['a short secret', { secret: 'short' }, '#/secret'],
  ['a time that has gone', { expiresAt: '2020-01-01T00:00:00Z' }, '#/expiresAt'],
  ['a time that is none', { expiresAt: 'tomorrow' }, '#/expiresAt'],
  ['an id that is none', { id: 'a b' }, '#/id'],
  ['another member', { sha256: 'x' }, '#'],
])('refuses %s, repeats nothing of it, and changes nothing', async (_what, body, pointer) => {
  const before = await idsOf();
  const refused = await call('POST', `/clients/${id}/secrets`, body);
  expect([refused.status, refused.body.errors]).toEqual([400, [expect.objectContaining({ pointer })]]);
  expect(await idsOf()).toEqual(before);
});

test('a public client and one of the settings get no secret', async () => {
  await call('PUT', '/applications/public', {
    isPublic: true,
    redirectUris: ['https://page.example.com/cb'],
  });
  expect((await call('POST', '/applications/public/secrets', {})).status).toBe(409);
  expect((await call('POST', '/clients/application-client/secrets', {})).status).toBe(409);
});

test('try says what a token would carry and open, and gives none out', async () => {
  const { status, body } = await call('POST', `/clients/${id}/try`, { scopes: ['svc:map:orders-*:read'] });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    isIssued: true,
    reason: null,
    audience: `${console.url}/svc`,
    scopes: ['svc:map:orders-*:read'],
    roles: [],
    tokenType: 'Bearer',
    ttlSeconds: 300,
  });
  expect(body.opens.length).toBeGreaterThan(0);
  expect(body.opens.every((one: { names: unknown }) => JSON.stringify(one.names) === '["orders-*"]')).toBe(
    true,
  );
  expect(JSON.stringify(body)).not.toMatch(/eyJ/);
  const all = (await call('POST', `/clients/${id}/try`, {})).body;
  expect(all.scopes).toEqual(['svc:health:read', 'svc:map:orders-*:read']);
  expect(all.opens).toContainEqual(
    expect.objectContaining({ path: '/svc/health', outcome: 'allowed', names: null }),
  );
  expect((await call('POST', `/clients/${id}/try`, { scopes: ['svc:wan:read'] })).status).toBe(400);
  const elsewhere = await call('POST', `/clients/${id}/try`, { resource: 'https://other.example' });
  expect(elsewhere.body).toMatchObject({ isIssued: false, audience: null, opens: [] });
  await call('POST', `/clients/${id}/disable`);
  expect((await call('POST', `/clients/${id}/try`, {})).body).toMatchObject({
    isIssued: false,
    reason: 'The client is disabled.',
    opens: [],
  });
});
