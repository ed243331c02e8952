/** What is told of a provider beside its settings: when somebody signed in by it, what went wrong, and where it stands. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiToken, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { until } from '../helpers/store.ts';
import {
  createUserAgent,
  type Reply,
  signedInTitle,
  textOf,
  titleOf,
  type UserAgent,
} from '../helpers/user-agent.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from './crafted-provider.ts';
import { leave } from './upstream.ts';

let crafted: CraftedProvider;
let console: RunningConsole;
let admin: string;
beforeAll(async () => {
  crafted = await startCraftedProvider();
  const dataDir = await storeWithProviders(
    ...['alpha', 'beta', 'gamma', 'delta'].map((id) =>
      oidcProvider(id, `By ${id}`, crafted.issuer, { clientId }),
    ),
  );
  const env = { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' };
  console = await startConsole({ port: await freePort(), dataDir, env });
  admin = await apiToken(console);
});
afterAll(async () => {
  await console?.stop();
  await crafted?.close();
  await rm(console.dataDir, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: object) {
  const reply = await fetch(`${console.url}/api/v1/identity-providers${path && `/${path}`}`, {
    method,
    headers: { Authorization: `Bearer ${admin}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
}

const usesOf = async (id: string) => {
  const { lastSignInAt, lastFailure, linkedUsers } = (await call('GET', id)).body;
  return { lastSignInAt, lastFailure, linkedUsers };
};

async function signIn(id: string, groups: readonly string[], agent: UserAgent): Promise<Reply> {
  crafted.reset();
  const { searchParams } = new URL(await leave(agent, await agent.get('/login'), `By ${id}`));
  const sub = groups.join('-');
  crafted.userinfo = { sub };
  crafted.answer = async (res) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: crafted.issuer, sub, aud: clientId, iat: now, exp: now + 300, groups };
    const token = await crafted.sign({ ...claims, nonce: searchParams.get('nonce') });
    const body = JSON.stringify({ access_token: 'access', token_type: 'Bearer', id_token: token });
    res.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
  const query = new URLSearchParams({ code: 'code', state: searchParams.get('state')! });
  return agent.follow(await agent.get(`/login/callback/${id}?${query}`));
}

const agent = () => createUserAgent(console.url);
const none = { lastSignInAt: null, lastFailure: null, linkedUsers: 0 };

test('a sign-in and a refusal are told with their time, and of the others nothing', async () => {
  const before = Date.now();
  expect(titleOf(await signIn('alpha', ['ops'], agent()))).toMatch(signedInTitle);
  const refused = await signIn('alpha', ['strangers'], agent());
  const { lastSignInAt, lastFailure, linkedUsers } = await usesOf('alpha');
  expect(linkedUsers).toBe(1);
  for (const at of [lastSignInAt, lastFailure.at]) expect(Date.parse(at)).toBeGreaterThanOrEqual(before - 1);
  expect(textOf(refused)).toContain(lastFailure.reason);
  expect(await usesOf('beta')).toEqual(none);
});

test('the discovery document and the key set say when they were last read, once a sign-in has needed them', async () => {
  const documentsOf = async (id: string) => {
    const { metadataReadAt, metadataFailure, keysReadAt } = (await call('GET', id)).body;
    return { metadataReadAt, metadataFailure, keysReadAt };
  };
  const before = Date.now();
  expect(titleOf(await signIn('delta', ['ops'], agent()))).toMatch(signedInTitle);
  await until(async () => (await documentsOf('delta')).keysReadAt !== null, 'the key set to be read');
  const { metadataReadAt, metadataFailure, keysReadAt } = await documentsOf('delta');
  expect(metadataFailure).toBeNull();
  for (const at of [metadataReadAt, keysReadAt]) expect(Date.parse(at)).toBeGreaterThanOrEqual(before - 1);
  await signIn('delta', ['ops'], agent());
  expect(await documentsOf('delta'), 'what is known still serves').toEqual({
    metadataReadAt,
    metadataFailure,
    keysReadAt,
  });
  const nothing = { metadataReadAt: null, metadataFailure: null, keysReadAt: null };
  expect(await documentsOf('beta')).toEqual(nothing);
  const ada = agent();
  await ada.signIn();
  const pageOf = async (id: string) => textOf(await ada.get(`/access/identity-providers/${id}`));
  expect(await pageOf('delta')).toMatch(/Discovery document Read .*(ago|now) Key set Read .*(ago|now) Order/);
  expect(await pageOf('beta')).toContain('Discovery document Not read yet Key set Not read yet');
  expect((await call('DELETE', 'delta?withAccounts=true')).status).toBe(200);
  const again = { id: 'delta', kind: 'oidc', issuer: crafted.issuer, clientId, clientAuth: 'none' };
  await call('POST', '', { ...again, defaultRole: 'Viewer' });
  expect(await documentsOf('delta'), 'the next of its id').toEqual(nothing);
  expect((await call('DELETE', 'delta')).status).toBe(204);
});

test('an answer that nobody has asked for is no failure of the provider', async () => {
  const query = new URLSearchParams({ code: 'code', state: 'of-a-stranger', error: 'server_error' });
  expect((await agent().get(`/login/callback/beta?${query}`)).status).toBeGreaterThanOrEqual(400);
  expect(await usesOf('beta')).toEqual(none);
});

test('a removal says how many accounts went with it, and the next of its id begins without a past', async () => {
  expect((await signIn('gamma', ['ops'], agent())).status).toBe(200);
  expect((await call('DELETE', 'gamma')).status).toBe(409);
  const tried = await call('DELETE', 'gamma?withAccounts=true&dryRun=true');
  expect(tried.body).toEqual({ status: 200, result: { accountsRemoved: 1 }, warnings: [] });
  expect((await usesOf('gamma')).linkedUsers).toBe(1);
  const removed = await call('DELETE', 'gamma?withAccounts=true');
  expect([removed.status, removed.body]).toEqual([200, { accountsRemoved: 1 }]);
  const audited = () =>
    console.log().filter(({ event, outcome }) => event === 'idp.removed' && outcome === 'success');
  await console.waitFor(() => audited().length > 0, 'the audit line');
  const { changes } = audited()[0]!;
  expect(changes).toMatchObject({ accountsRemoved: 1, kind: { from: 'oidc', to: null } });
  const again = { id: 'gamma', kind: 'oidc', issuer: crafted.issuer, clientId, clientAuth: 'none' };
  expect((await call('POST', '', { ...again, defaultRole: 'Viewer' })).status).toBe(201);
  expect(await usesOf('gamma')).toEqual(none);
  const bare = await call('DELETE', 'gamma');
  expect([bare.status, bare.body]).toEqual([204, undefined]);
});

test('people are offered providers by position, and those without one behind them by name', async () => {
  const offered = async () => {
    const { body } = await agent().get('/login');
    return [...body.matchAll(/\/login\/start\/([a-z]+)/g)].map(([, id]) => id);
  };
  expect(await offered()).toEqual(['alpha', 'beta']);
  const moved = await call('PATCH', 'beta', { position: 0 });
  expect([moved.status, moved.body.position]).toEqual([200, 0]);
  await until(async () => (await offered())[0] === 'beta', 'the new order', 15_000);
  for (const position of [-1, 1.5, 10_000, '1']) {
    const refused = await call('PATCH', 'beta', { position });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [expect.objectContaining({ pointer: '#/position' })],
    ]);
  }
  expect((await call('GET', 'beta')).body.position).toBe(0);
  expect((await call('PATCH', 'beta', { position: null })).body.position).toBeNull();
  await until(async () => (await offered())[0] === 'alpha', 'the order of before', 15_000);
});
