/** What counts once counts once when it comes several times at the same moment. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runTool } from '../helpers/commands.ts';
import { apiToken, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { allUsers, withStore } from '../helpers/store.ts';
import { createUserAgent, type Reply, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from './crafted-provider.ts';
import { logoutClaims } from './logout-tokens.ts';
import { postedFields, redirectQuery } from './saml-logout-messages.ts';
import { missingOpenssl } from './saml-provider.ts';
import { type SamlServer, startSamlServer } from './saml-server.ts';
import type { RunningProvider } from './support.ts';
import { leave, signInAbroad, startOpenIdProvider } from './upstream.ts';

const times = 5;
const obstacle = missingOpenssl();

let corp: RunningProvider;
let crafted: CraftedProvider;
let staff: SamlServer;
let console: RunningConsole;
let dataDir: string;
beforeAll(async () => {
  const port = await freePort();
  corp = await startOpenIdProvider(`http://localhost:${port}`, 'corp');
  crafted = await startCraftedProvider();
  if (obstacle === undefined)
    staff = await startSamlServer(`http://localhost:${port}`, 'staff', 'Staff', 'redirect');
  dataDir = await storeWithProviders(
    oidcProvider('corp', 'Corp', corp.issuer),
    oidcProvider('crafted', 'Crafted', crafted.issuer, { clientId }),
    ...(staff ? [staff.provider] : []),
  );
  console = await startConsole({ port, dataDir, env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await console?.stop();
  await Promise.all([corp?.close(), crafted?.close(), staff?.close()]);
  await rm(dataDir, { recursive: true, force: true });
});

let agent: UserAgent;
let people = 0;
let sub: string;
beforeEach(() => {
  agent = createUserAgent(console.url);
  crafted.reset();
  sub = `person-${people++}`;
});

const several = <T>(work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)));
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();
const once = (first: number, rest: number) => [first, ...Array<number>(times - 1).fill(rest)].sort();
const isSignedIn = async (someone = agent) => (await someone.get('/account')).status === 200;
/** Another window of the same browser, as far as its cookies are by now. */
function windowOf(browser: UserAgent): UserAgent {
  const other = createUserAgent(console.url);
  for (const [name, cookie] of browser.cookies) other.cookies.set(name, cookie);
  return other;
}

/** Up to what the provider gives the browser to bring back. */
async function answered(claims: Record<string, unknown> = {}): Promise<Record<string, string>> {
  const { searchParams } = new URL(await leave(agent, await agent.get('/login'), 'Crafted'));
  crafted.nonce = searchParams.get('nonce')!;
  crafted.forgery = { claims: { sub, groups: ['ops'], ...claims } };
  crafted.userinfo = { sub };
  return { code: 'code', state: searchParams.get('state')! };
}

async function accountsOf(subject: string): Promise<number> {
  const users = await withStore(dataDir, allUsers);
  return users.filter(({ federated }) => federated?.subject === subject).length;
}

describe('an answer of an OpenID provider', () => {
  test('signs one window in; the code goes to the provider once (S43)', async () => {
    const address = `/login/callback/crafted?${new URLSearchParams(await answered())}`;
    const windows = Array.from({ length: times }, () => windowOf(agent));
    const replies = await Promise.all(windows.map((window) => window.get(address)));
    expect(statusesOf(replies)).toEqual(once(303, 400));
    expect(crafted.asked.filter((path) => path === '/token')).toHaveLength(1);
    const signedIn = await Promise.all(windows.map(isSignedIn));
    expect(signedIn.filter(Boolean)).toHaveLength(1);
  });

  test('that a form has brought leads one window on, with one ticket or with several (S43)', async () => {
    const fields = await answered();
    const posted = await several(() =>
      createUserAgent(console.url).post('/login/callback/crafted', fields, { origin: crafted.issuer }),
    );
    // Each is kept until the browser comes: which one does is not known yet.
    expect(statusesOf(posted)).toEqual(Array(times).fill(303));
    const tickets = posted.map(({ headers }) => headers.location!);
    expect(new Set(tickets).size).toBe(times);
    const windows = [...tickets, ...tickets].map((ticket) => ({ ticket, window: windowOf(agent) }));
    const replies = await Promise.all(windows.map(({ ticket, window }) => window.get(ticket)));
    expect(replies.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(2 * times - 1);
    expect(crafted.asked.filter((path) => path === '/token')).toHaveLength(1);
  });

  test('of somebody who signs in for the first time in several browsers makes one account (S45)', async () => {
    const browsers = Array.from({ length: 3 }, () => createUserAgent(console.url));
    const answers = await Promise.all(
      browsers.map(async (browser) =>
        signInAbroad(await leave(browser, await browser.get('/login'), 'Corp'), sub),
      ),
    );
    const homes = await Promise.all(browsers.map((browser, n) => browser.get(answers[n]!)));
    expect(statusesOf(homes)).toEqual([303, 303, 303]);
    expect(await Promise.all(browsers.map(isSignedIn))).toEqual([true, true, true]);
    expect(await accountsOf(sub)).toBe(1);
  });
});

describe('a logout token', () => {
  const post = (token: string) =>
    createUserAgent(console.url).send('POST', '/login/backchannel/crafted', {
      headers: { accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });

  test('is taken once, and every further one is told that it was used (S41)', async () => {
    const fields = await answered({ sid: `session-of-${sub}` });
    await agent.get(`/login/callback/crafted?${new URLSearchParams(fields)}`);
    expect(await isSignedIn()).toBe(true);
    const claims = logoutClaims(crafted.issuer, { sub, sid: `session-of-${sub}` });
    const token = await crafted.sign(claims, 'logout+jwt');
    const replies = await several(() => post(token));
    expect(statusesOf(replies)).toEqual(once(200, 400));
    expect(await isSignedIn()).toBe(false);
    const ended = () =>
      console.log().filter(({ event, outcome }) => event === 'logout.received' && outcome === 'success');
    const last = replies.find(({ status }) => status === 200)!;
    await console.waitFor(
      () => ended().some(({ requestId }) => requestId === last.headers['x-request-id']),
      'the line of the logout',
    );
    expect(ended()).toHaveLength(1);
  });

  test('of each of its sessions ends that one, all together (S41)', async () => {
    const sids = Array.from({ length: times }, (_, n) => `s-${sub}-${n}`);
    const windows: UserAgent[] = [];
    for (const sid of sids) {
      agent = createUserAgent(console.url);
      const fields = await answered({ sid });
      await agent.get(`/login/callback/crafted?${new URLSearchParams(fields)}`);
      windows.push(agent);
    }
    const [kept, ...ending] = sids;
    const replies = await Promise.all(
      ending.map(async (sid) =>
        post(await crafted.sign(logoutClaims(crafted.issuer, { sub, sid }), 'logout+jwt')),
      ),
    );
    expect(statusesOf(replies)).toEqual(Array(times - 1).fill(200));
    const open = await Promise.all(windows.map(isSignedIn));
    expect(open).toEqual(sids.map((sid) => sid === kept));
  });
});

describe.skipIf(obstacle !== undefined)(`by SAML${obstacle ? ` (${obstacle})` : ''}`, () => {
  test('an assertion signs in once, in several windows and under several requests (S47)', async () => {
    const fields = staff.answer(await leave(agent, await agent.get('/login'), 'Staff'), { nameId: sub });
    const windows = Array.from({ length: times }, () => windowOf(agent));
    const replies = await Promise.all(windows.map((window) => window.post('/login/callback/staff', fields)));
    expect(statusesOf(replies)).toEqual(once(303, 400));
    expect((await Promise.all(windows.map(isSignedIn))).filter(Boolean)).toHaveLength(1);
    expect(await accountsOf(sub)).toBe(1);
  });

  test.each(['redirect', 'post'] as const)(
    'a logout request by %s is carried out once (S47)',
    async (binding) => {
      const fields = staff.answer(await leave(agent, await agent.get('/login'), 'Staff'), {
        nameId: 'user-4711',
      });
      await agent.post('/login/callback/staff', fields);
      expect(await isSignedIn()).toBe(true);
      const request = staff.logoutRequest();
      const send = () =>
        binding === 'redirect'
          ? createUserAgent(console.url).get(`${staff.logoutUrl}?${redirectQuery(request, staff.keys)}`)
          : createUserAgent(console.url).post(staff.logoutUrl, postedFields(request, staff.keys), {
              origin: staff.origin,
            });
      expect(statusesOf(await several(send))).toEqual(once(303, 400));
      expect(await isSignedIn()).toBe(false);
    },
  );
});

test('of the last administrator here and the provider of the last other one, one stays (S55)', async () => {
  const fields = await answered({ groups: ['cn=admins,dc=example'] });
  await agent.get(`/login/callback/crafted?${new URLSearchParams(fields)}`);
  const headers = { Authorization: `Bearer ${await apiToken(console)}` };
  const turn = (how: 'disable' | 'enable', id = 'crafted') =>
    fetch(`${console.url}/api/v1/identity-providers/${id}/${how}`, { method: 'POST', headers });
  expect((await turn('disable', 'corp')).status, 'it has administrators too').toBe(200);
  const tool = (how: 'disable' | 'enable') => runTool(['user', how, 'ada', '--json'], { dataDir });
  for (let round = 0; round < 6; round++) {
    const [disabled, turned] = await Promise.all([tool('disable'), turn('disable')]);
    if (disabled.code === 0) {
      expect([turned.status, (await turned.json()).code]).toEqual([409, 'conflict']);
      expect((await tool('enable')).code).toBe(0);
    } else {
      expect([turned.status, disabled.json().error]).toEqual([200, 'last_administrator']);
      expect((await turn('enable')).status).toBe(200);
    }
  }
  expect((await turn('enable', 'corp')).status).toBe(200);
});

test('a provider that is added by several at the same time is there once (S53)', async () => {
  const token = await apiToken(console);
  const replies = await several((index) =>
    fetch(`${console.url}/api/v1/identity-providers`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        id: 'shared',
        kind: 'oidc',
        name: `By ${index}`,
        issuer: `https://idp-${index}.example`,
        clientId: 'console',
        clientAuth: 'none',
        defaultRole: 'Viewer',
      }),
    }),
  );
  const winner = replies.findIndex(({ status }) => status === 201);
  expect(replies.map(({ status }) => status).sort()).toEqual(once(201, 409));
  const page = await agent.get('/login');
  expect(page.body).toContain(`By ${winner}`);
  expect(titleOf(page)).toBe('Sign in');
  expect(page.body.match(/\/login\/start\/shared/g)).toHaveLength(1);
});
