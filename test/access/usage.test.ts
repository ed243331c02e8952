/** What was used is counted call by call, compared with what was granted, and what a change would break is said. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallApi, callsWith, tokenOf } from '../admin-api/client-support.ts';
import { toolDone } from '../helpers/commands.ts';
import {
  apiToken,
  clientSecret,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let api: CallApi;

beforeAll(async () => {
  console = await startConsole();
  const token = await apiToken(console);
  api = callsWith(console, () => token);
}, 60_000);

afterAll(() => console.stop());

async function newClient(id: string, scopes: readonly string[]) {
  const { body } = await api('POST', '/clients', { id, scopes });
  const secret = body.secrets?.[0]?.secret ?? body.secret;
  return { id, secret: secret ?? (await api('POST', `/clients/${id}/secrets`, {})).body.secret };
}

async function call(token: string, method: string, path: string, body?: string): Promise<number> {
  const reply = await fetch(`${console.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  });
  await reply.arrayBuffer();
  return reply.status;
}

const usageOf = async (query: string) => (await api('GET', `/access/usage?${query}`)).body;

test('an over-privileged client is given the smaller grant that is proposed, and nothing breaks, as what-if said', async () => {
  const wide = ['svc:data:read', 'svc:data:write', 'svc:cluster:read', 'svc:cluster:write', 'api:users:read'];
  const client = await newClient('billing', wide);
  const asWide = (await tokenOf(console, client, { scope: wide.slice(0, 4).join(' ') })).token;
  const day = async (token: string) => [
    await call(token, 'POST', '/svc/rest/maps/orders/1', 'one'),
    await call(token, 'GET', '/svc/rest/maps/orders/1'),
    await call(token, 'GET', '/svc/rest/maps/orders/2'),
    await call(token, 'POST', '/svc/rest/queues/invoices', 'i'),
    await call(token, 'GET', '/svc/rest/cluster'),
  ];
  const first = await day(asWide);
  expect(first).toEqual([200, 200, 204, 200, 200]);

  const usage = await usageOf('client=billing&days=7');
  expect(usage).toMatchObject({ isComplete: true, usedKinds: 4, subject: { kind: 'client', id: 'billing' } });
  expect(usage.used).toContainEqual(
    expect.objectContaining({
      permission: 'svc:data:read',
      structure: 'map:read',
      names: ['orders'],
      calls: 2,
    }),
  );
  const { permissions, remove, stillAsked } = usage.proposal;
  const enough = [
    'svc:cluster:read',
    'svc:map:orders:read',
    'svc:map:orders:write',
    'svc:queue:invoices:offer',
  ];
  expect(permissions).toEqual(enough);
  expect(remove).toEqual(['svc:data:read', 'svc:data:write', 'svc:cluster:write', 'api:users:read']);
  expect(stillAsked.sort()).toEqual(['svc:cluster:write', 'svc:data:read', 'svc:data:write']);

  const whatIf = (
    await api('POST', '/access/what-if', { client: 'billing', change: { scopes: permissions } })
  ).body;
  expect(whatIf).toMatchObject({ calls: 5, loses: [], gains: [], unknown: [], knowsMembers: false });
  expect(whatIf.rejectedTokens.map(({ scope }: { scope: string }) => scope).sort()).toEqual(stillAsked);

  const changed = await api('PATCH', '/clients/billing', { scopes: permissions });
  expect(changed.status).toBe(200);
  // What is said of tokens is so: those that ask as before are refused.
  expect(await tokenOf(console, client, { scope: 'svc:data:read' })).toMatchObject({
    error: 'invalid_scope',
  });
  const asNarrow = (await tokenOf(console, client, { scope: permissions.join(' ') })).token;
  expect(await day(asNarrow)).toEqual(first.map((status) => (status === 204 ? 204 : status)));
  expect(await call(asNarrow, 'GET', '/svc/rest/maps/other/1')).toBe(403);
});

test('a grant that is too small is told by the calls that it would refuse, and these are refused indeed', async () => {
  const client = await newClient('stock', ['svc:map:*:read']);
  const wide = (await tokenOf(console, client, { scope: 'svc:map:*:read' })).token;
  await call(wide, 'GET', '/svc/rest/maps/stock/1');
  await call(wide, 'GET', '/svc/rest/maps/prices/1');
  await call(wide, 'GET', '/svc/rest/maps/a%2Fb/1');
  expect(await call(wide, 'DELETE', '/svc/rest/maps/stock/1')).toBe(403);
  const { body } = await api('POST', '/access/what-if', {
    client: 'stock',
    change: { scopes: ['svc:map:stock:read', 'svc:map:stock:write'] },
  });
  const named = (calls: { names: string[]; permission: string }[]) =>
    calls.map(({ permission, names }) => `${permission} ${names.join('=')}`).sort();
  expect(named(body.loses)).toEqual(['svc:data:read a/b=a', 'svc:data:read prices']);
  expect(named(body.gains)).toEqual(['svc:data:write stock']);
  await api('PATCH', '/clients/stock', { scopes: ['svc:map:stock:read', 'svc:map:stock:write'] });
  const { token } = await tokenOf(console, client, { scope: 'svc:map:stock:read svc:map:stock:write' });
  expect(await call(token, 'GET', '/svc/rest/maps/prices/1')).toBe(403);
  expect(await call(token, 'GET', '/svc/rest/maps/a%2Fb/1')).toBe(403);
  expect(await call(token, 'DELETE', '/svc/rest/maps/stock/1')).toBe(200);
});

test('each refusal is counted with its decision, and an operation by its scope', async () => {
  const client = await newClient('nosy', ['svc:health:read', 'api:roles:read']);
  const { token } = await tokenOf(console, client, { scope: 'svc:health:read' });
  const reply = await fetch(`${console.url}/svc/rest/cluster`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { decision_id: decisionId } = (await reply.json()) as { decision_id: string };
  const own = (await tokenOf(console, client, { scope: 'api:roles:read' })).token;
  const asNosy = callsWith(console, () => own);
  expect((await asNosy('GET', '/roles')).status).toBe(200);
  expect((await asNosy('GET', '/users')).status).toBe(403);
  const { used, proposal } = await usageOf('client=nosy');
  expect(used).toContainEqual(
    expect.objectContaining({ permission: 'svc:cluster:read', isAllowed: false, decisionId }),
  );
  expect(used).toContainEqual(expect.objectContaining({ permission: 'api:users:read', isAllowed: false }));
  expect(used).toContainEqual(
    expect.objectContaining({ permission: 'api:roles:read', isAllowed: true, calls: 1 }),
  );
  expect(proposal.permissions).toEqual(['api:roles:read']);
});

test('who is an administrator by asking for no scope is told, with the calls', async () => {
  await call(await machineToken(console), 'GET', '/svc/rest/cluster');
  await call(await machineToken(console, 'app:Viewer'), 'GET', '/svc/rest/cluster');
  const { items } = (await api('GET', '/access/administrators')).body;
  const own = items.find(({ id }: { id: string }) => id === 'application-client');
  expect(own).toMatchObject({ kind: 'client' });
  const [all, asAdministrator] = [await usageOf('client=application-client'), own.calls];
  const read = all.used.find(({ permission }: { permission: string }) => permission === 'svc:cluster:read');
  expect(read.calls).toBeGreaterThanOrEqual(2);
  // The one of the Viewer is not among them.
  const calls = all.used.reduce((sum: number, { calls: more }: { calls: number }) => sum + more, 0);
  expect(asAdministrator).toBeLessThan(calls + 1);
});

test('clients without a token for so many days are listed, and others are not', async () => {
  const used = await newClient('often', ['svc:health:read']);
  await tokenOf(console, used, { scope: 'svc:health:read' });
  const { body } = await api('GET', '/access/unused?days=90&limit=500');
  // A new one has had no time to be used.
  expect(body.items.map(({ id }: { id: string }) => id)).not.toContain('often');
  expect(body).toMatchObject({ next: null, count: null });
});

test('commands show the same', async () => {
  const { dataDir } = console;
  const shown = await toolDone(['usage', 'show', '--client', 'stock'], { dataDir });
  expect(shown.stdout).toContain('map:read prices');
  const asked = ['usage', 'what-if', '--client', 'stock', '--scope', 'svc:map:stock:read'];
  expect((await toolDone(asked, { dataDir })).stdout).toContain('would be refused');
  const administrators = (await toolDone(['usage', 'administrators', '--json'], { dataDir })).json() as {
    items: { kind: string }[];
  };
  expect(administrators.items[0]).toMatchObject({ kind: 'client' });
  const unused = (await toolDone(['usage', 'unused', '--json'], { dataDir })).json<{ id: string }[]>();
  // A token of the last minute may not have been written down yet: of these two there is none.
  expect(unused.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['application-dashboard', 'console-cli']),
  );
  expect(unused.map(({ id }) => id)).not.toContain('stock');
});

test('every call of two processes is counted once, also over a stop', async () => {
  const dataDir = await usedDataDir();
  const two = await startConsole({ dataDir, env: { CONSOLE_WORKERS: '2' } });
  const token = await apiToken(two);
  const own = callsWith(two, () => token);
  const member = await machineToken(two, 'app:Viewer');
  const read = async () => {
    const reply = await fetch(`${two.url}/svc/rest/maps/orders/1`, {
      // Each by a connection of its own, so that both processes have some.
      headers: { Authorization: `Bearer ${member}`, Connection: 'close' },
    });
    await reply.arrayBuffer();
  };
  const callsIn = (used: readonly { permission: string; calls: number }[]) =>
    used.find(({ permission }) => permission === 'svc:data:read')?.calls;
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 10 }, read));
    const { body } = await own('GET', '/access/usage?client=application-client');
    expect(callsIn(body.used)).toBe(10 * (round + 1));
  }
  await Promise.all(Array.from({ length: 7 }, read));
  expect(await two.stop()).toBe(0);
  const shown = await toolDone(['usage', 'show', '--client', 'application-client', '--json'], {
    dataDir,
    env: { CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret },
  });
  expect(callsIn((shown.json() as { used: [] }).used)).toBe(47);
  await rm(dataDir, { recursive: true });
}, 60_000);

describe('of people', () => {
  test('a role is shown with what those who have it have used, and a smaller one', async () => {
    await api('POST', '/roles', {
      id: 'OrdersKeeper',
      permissions: ['svc:map:*:read', 'svc:map:*:write', 'svc:cluster:read'],
    });
    const { body: user } = await api('POST', '/users', {
      id: 'olga',
      password: 'correct-staple-battery-9',
      roles: ['OrdersKeeper'],
    });
    expect(user).toMatchObject({ id: 'olga' });
    const olga = { username: 'olga', password: 'correct-staple-battery-9' };
    const token = (await signInForTokens(console, createUserAgent(console.url), {}, olga)).access_token;
    expect(await call(token, 'POST', '/svc/rest/maps/orders/7', 'seven')).toBe(200);
    expect(await call(token, 'GET', '/svc/rest/maps/orders/7')).toBe(200);
    const ofRole = await usageOf('role=OrdersKeeper');
    expect(ofRole).toMatchObject({ holders: 1, usedKinds: 2 });
    expect(ofRole.proposal).toMatchObject({
      permissions: ['svc:map:orders:read', 'svc:map:orders:write'],
      isSmaller: true,
      remove: ['svc:cluster:read', 'svc:map:*:read', 'svc:map:*:write'],
    });
    const change = { permissions: ['svc:map:orders:read'] };
    const { body } = await api('POST', '/access/what-if', { role: 'OrdersKeeper', change });
    expect(body.loses).toEqual([
      expect.objectContaining({ caller: { kind: 'user', id: 'olga' }, structure: 'map:write', calls: 1 }),
    ]);
    expect((await api('PATCH', '/roles/OrdersKeeper', change)).status).toBe(200);
    expect(await call(token, 'GET', '/svc/rest/maps/orders/7')).toBe(200);
    expect(await call(token, 'POST', '/svc/rest/maps/orders/7', 'eight')).toBe(403);
    const ofUser = await usageOf('user=olga');
    expect(ofUser).toMatchObject({
      granted: { roles: ['OrdersKeeper'] },
      proposal: { roles: ['OrdersKeeper'] },
    });
  });
});

test.each([
  ['GET', '/access/usage', undefined, 400],
  ['GET', '/access/usage?client=a&role=b', undefined, 400],
  ['GET', '/access/usage?client=nobody', undefined, 404],
  ['GET', '/access/usage?client=billing&days=0', undefined, 400],
  ['GET', '/access/usage?client=billing&days=401', undefined, 400],
  ['GET', '/access/unused?cursor=abc', undefined, 400],
  ['POST', '/access/what-if', { change: { scopes: [] } }, 400],
  ['POST', '/access/what-if', { client: 'billing', change: { permissions: [] } }, 400],
  ['POST', '/access/what-if', { client: 'billing', change: { scopes: ['svc:nothing:read'] } }, 400],
  ['POST', '/access/what-if', { client: 'nobody', change: { scopes: [] } }, 404],
  ['POST', '/access/what-if', { role: 'Viewer', change: { permissions: [] } }, 409],
  ['POST', '/access/what-if', { role: 'nobody', change: { permissions: [] } }, 404],
] as const)('%s %s with %j is answered %4$i', async (method, path, body, status) => {
  expect((await api(method, path, body)).status).toBe(status);
});

test('a Viewer, and a machine without the scope, learn nothing of who uses what', async () => {
  const viewer = await apiToken(console, 'app:Viewer');
  const asViewer = callsWith(console, () => viewer);
  for (const path of ['/access/usage?client=stock', '/access/unused', '/access/administrators']) {
    expect((await asViewer('GET', path)).status).toBe(403);
  }
  expect(
    (await asViewer('POST', '/access/what-if', { client: 'stock', change: { scopes: [] } })).status,
  ).toBe(403);
});
