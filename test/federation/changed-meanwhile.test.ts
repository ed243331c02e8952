/** What an administrator changes while a console waits for the answer of a provider counts when the answer comes. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiToken, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { allUsers, editUser, withStore } from '../helpers/store.ts';
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

const ids = ['rules', 'off', 'removed', 'known'];

let crafted: CraftedProvider;
let console: RunningConsole;
let admin: string;
beforeAll(async () => {
  crafted = await startCraftedProvider();
  const dataDir = await storeWithProviders(
    ...ids.map((id) => oidcProvider(id, `By ${id}`, crafted.issuer, { clientId })),
  );
  console = await startConsole({
    port: await freePort(),
    dataDir,
    env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' },
  });
  admin = await apiToken(console);
});
afterAll(async () => {
  await console?.stop();
  await crafted?.close();
  await rm(console.dataDir, { recursive: true, force: true });
});

let agent: UserAgent;
beforeEach(() => {
  agent = createUserAgent(console.url);
  crafted.reset();
});

/** Comes back with a code, and makes the change when the provider has been asked about it. */
async function signInWhile(id: string, change: () => Promise<unknown>, sub = 'ada'): Promise<Reply> {
  const location = await leave(agent, await agent.get('/login'), `By ${id}`);
  const { searchParams } = new URL(location);
  crafted.userinfo = { sub };
  crafted.answer = async (res) => {
    await change();
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: crafted.issuer, sub, aud: clientId, iat: now, exp: now + 300, groups: ['ops'] };
    const token = await crafted.sign({ ...claims, nonce: searchParams.get('nonce') });
    const body = JSON.stringify({ access_token: 'access', token_type: 'Bearer', id_token: token });
    res.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
  const query = new URLSearchParams({ code: 'code', state: searchParams.get('state')! });
  return agent.follow(await agent.get(`/login/callback/${id}?${query}`));
}

async function call(method: string, path: string, body?: object): Promise<number> {
  const { status } = await fetch(`${console.url}/api/v1/identity-providers/${path}`, {
    method,
    headers: { Authorization: `Bearer ${admin}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return status;
}

const accountsOf = (id: string) =>
  withStore(console.dataDir, async (storage) =>
    (await allUsers(storage)).filter(({ federated }) => federated?.provider === id),
  );

test('a rule that was taken away gives its role no more (S45)', async () => {
  const page = await signInWhile('rules', async () => {
    expect(await call('PATCH', 'rules', { roleRules: ['groups=ops -> MetricsViewer'] })).toBe(200);
  });
  expect(titleOf(page)).toMatch(signedInTitle);
  expect(await accountsOf('rules')).toMatchObject([{ roles: ['MetricsViewer'] }]);
});

test('with the last rule for somebody gone, they are refused and get no account (S45)', async () => {
  const page = await signInWhile(
    'rules',
    async () => {
      expect(await call('PATCH', 'rules', { roleRules: ['groups=others -> Viewer'] })).toBe(200);
    },
    'grace',
  );
  expect([page.status, textOf(page)]).toEqual([403, expect.stringContaining('no rule of this console')]);
  expect(await accountsOf('rules')).toHaveLength(1);
});

test('a provider that was switched off lets nobody in, and leaves no account (S45)', async () => {
  const page = await signInWhile('off', async () => {
    expect(await call('POST', 'off/disable')).toBe(200);
  });
  expect(page.status).toBe(404);
  expect((await agent.get('/account')).status).toBe(303);
  expect(await accountsOf('off')).toEqual([]);
});

test('one that was removed leaves nothing that would belong to the next one of its id (S45)', async () => {
  const page = await signInWhile('removed', async () => {
    expect(await call('DELETE', 'removed')).toBe(204);
  });
  expect(page.status).toBe(404);
  expect((await agent.get('/account')).status).toBe(303);
  expect(await accountsOf('removed')).toEqual([]);
});

test('an account that was disabled stays out, and comes back by no session of that moment (S34)', async () => {
  expect(titleOf(await signInWhile('known', async () => {}))).toMatch(signedInTitle);
  const [{ username } = { username: '' }] = await accountsOf('known');
  agent = createUserAgent(console.url);
  const page = await signInWhile('known', () =>
    editUser(console, username, (user) => ({ ...user, disabled: true, tokensValidFrom: Date.now() })),
  );
  expect([page.status, textOf(page)]).toEqual([403, expect.stringContaining('disabled here')]);
  await editUser(console, username, (user) => ({ ...user, disabled: false }));
  expect((await agent.get('/account')).status).toBe(303);
});
