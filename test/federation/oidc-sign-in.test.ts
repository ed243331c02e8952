/** Sign-in at an OpenID provider that nobody here wrote, through the front door. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runTool } from '../helpers/commands.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, putProviders, storeWithProviders } from '../helpers/providers.ts';
import { authorizationPath, callbackOf, redeem, refresh, userinfo } from '../helpers/sign-in.ts';
import { countUsers, editUser, until } from '../helpers/store.ts';
import {
  createUserAgent,
  type Reply,
  signedInTitle,
  textOf,
  titleOf,
  type UserAgent,
} from '../helpers/user-agent.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from './crafted-provider.ts';
import type { RunningProvider } from './support.ts';
import { abortAbroad, leave, linkOf, signInAbroad, startOpenIdProvider } from './upstream.ts';

let corp: RunningProvider;
let crafted: CraftedProvider;
let console: RunningConsole;
let dataDir: string;
beforeAll(async () => {
  const port = await freePort();
  corp = await startOpenIdProvider(`http://localhost:${port}`, 'corp', 'late');
  crafted = await startCraftedProvider();
  dataDir = await storeWithProviders(
    oidcProvider('corp', 'Corp', corp.issuer),
    oidcProvider('crafted', 'Crafted', crafted.issuer, { clientId }),
    { ...oidcProvider('gone', 'Gone', 'http://127.0.0.1:9'), enabled: true },
    { ...oidcProvider('off', 'Switched off', corp.issuer), enabled: false },
  );
  console = await startConsole({ port, dataDir, env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await console?.stop();
  await Promise.all([corp?.close(), crafted?.close()]);
  await rm(dataDir, { recursive: true, force: true });
});

let agent: UserAgent;
beforeEach(() => {
  agent = createUserAgent(console.url);
  crafted.reset();
});

/** From the console's own sign-in page to the answer of the provider. */
async function wayBack(login = 'ada'): Promise<string> {
  return signInAbroad(await leave(agent, await agent.get('/login'), 'Corp'), login);
}

async function signIn(login = 'ada'): Promise<Reply> {
  return agent.follow(await agent.get(await wayBack(login)));
}

const isSignedIn = async (someone: UserAgent) => (await someone.get('/account')).status === 200;
const logins = () => console.log().filter(({ event }) => event === 'login');

describe('the console’s own sign-in', () => {
  test('offers every provider that is switched on, beside the form', async () => {
    const page = await agent.get('/login');
    for (const name of ['Corp', 'Crafted', 'Gone'])
      expect(linkOf(page, name)).toMatch(/^\/login\/start\/\w+$/);
    expect(textOf(page)).not.toContain('Switched off');
    expect(page.body).toContain('name="password"');
  });

  test('leads to an account with the roles of the rules, and says who has its password', async () => {
    await signIn();
    const home = await agent.get('/account');
    const text = textOf(home);
    expect([home.status, titleOf(home)]).toEqual([200, expect.stringMatching(signedInTitle)]);
    expect(text).toMatch(/Signed in with Corp Your password is kept and changed there/);
    expect(text).toMatch(/ada@corp.example/);
    expect(text).toContain('Admin');
    expect(home.body).not.toContain('/account/password');
    expect(logins().at(-1)).toMatchObject({
      outcome: 'success',
      provider: 'corp',
      actor: expect.any(String),
    });
  });

  test('the local administrator of the same name is somebody else (S45)', async () => {
    await signIn();
    const local = createUserAgent(console.url);
    const home = await local.signIn();
    expect(titleOf(home)).toMatch(signedInTitle);
    expect(textOf(home)).not.toContain('Signed in with Corp');
    expect(textOf(await agent.get('/account'))).toContain('ada@corp');
  });

  test('the second time leads to the same account', async () => {
    await signIn('second');
    const before = await countUsers(console);
    agent = createUserAgent(console.url);
    await signIn('second');
    expect(textOf(await agent.get('/account'))).toContain('second@corp.example');
    expect(await countUsers(console)).toBe(before);
  });

  test('a password can neither be changed nor typed in for such an account', async () => {
    await signIn('typed');
    // Of a form that this browser does have.
    const csrf = /name="csrf" value="([^"]+)"/.exec((await agent.get('/connect/logout')).body)![1]!;
    const typed = {
      csrf,
      current_password: 'x',
      password: 'a long new sentence',
      password_again: 'a long new sentence',
    };
    const reply = await agent.post('/account/password', typed);
    expect([reply.status, textOf(reply)]).toEqual([
      409,
      expect.stringContaining('your password is changed there'),
    ]);
    const other = createUserAgent(console.url);
    expect((await other.signIn({ username: 'typed', password: 'a long new sentence' })).status).toBe(401);
  });

  test('on the command line it names its provider, and takes no password', async () => {
    await signIn('clara');
    const tool = (...args: string[]) => runTool(args, { dataDir, stdin: 'another long sentence' });
    const [line] = (await tool('user', 'list')).stdout.split('\n').filter((text) => text.startsWith('clara'));
    expect(line).toMatch(/^clara +Admin +active +corp +clara@corp\.example$/);
    expect((await tool('user', 'show', 'clara', '--json')).json()).toMatchObject({
      origin: { provider: 'corp' },
    });
    const rejected = await tool('user', 'passwd', 'clara', '--password-file', '-');
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('identity provider corp')]);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test('whoever is signed in already stays so, wherever the link was found', async () => {
    await agent.signIn();
    const reply = await agent.get('/login/start/corp');
    expect([reply.status, reply.headers.location]).toEqual([303, '/']);
  });

  test('an account that is disabled here stays out, and its session ends', async () => {
    await signIn('leaver');
    await editUser(console, 'leaver', (user) => ({ ...user, disabled: true }));
    await until(async () => !(await isSignedIn(agent)), 'the end of the session', 15_000);
    const reply = await signIn('leaver');
    expect([reply.status, textOf(reply)]).toEqual([403, expect.stringContaining('disabled here')]);
    expect(await isSignedIn(agent)).toBe(false);
  });
});

describe('for an application', () => {
  /** From the authorization request to the answer of the provider. */
  async function authorizeBy(login: string, changes = {}): Promise<Reply> {
    const page = await agent.follow(await agent.get(authorizationPath(changes)));
    expect(textOf(page)).toContain('application-dashboard');
    return agent.follow(await agent.get(await signInAbroad(await leave(agent, page, 'Corp'), login)));
  }

  test('the sign-in ends at the application, with the account’s roles in its tokens', async () => {
    const callback = callbackOf(await authorizeBy('grace'));
    expect(callback.get('state')).toBe('some-state');
    const { status, body } = await redeem(console, callback.get('code'));
    expect(status).toBe(200);
    const [access, id] = [decodeJwt(body.access_token), decodeJwt(body.id_token)];
    expect(access).toMatchObject({
      roles: ['Admin'],
      preferred_username: 'grace',
      email: 'grace@corp.example',
    });
    expect(id.sub).toBe(access.sub);
    // How the provider has asked is not known here.
    expect([id.acr, id.amr]).toEqual(['federated', undefined]);
    const { body: said } = await userinfo(console, body.access_token);
    // D20: names and addresses are told as the provider tells them.
    expect(said).toMatchObject({ preferred_username: 'grace', email: 'grace@corp.example' });
    expect([said.name, said.email_verified]).toEqual(['Ada Lovelace', true]);
    expect((await refresh(console, body.refresh_token)).status).toBe(200);
  });

  test('the console and the next application know the same session', async () => {
    callbackOf(await authorizeBy('hedy'));
    expect(textOf(await agent.get('/account'))).toContain('hedy');
    const silent = await agent.follow(await agent.get(authorizationPath({ prompt: 'none' })));
    expect(callbackOf(silent).get('code')).toEqual(expect.any(String));
  });

  test('prompt=login is passed on: the provider asks anew, and the session goes on', async () => {
    const first = await redeem(console, callbackOf(await authorizeBy('joan')).get('code'));
    const page = await agent.follow(await agent.get(authorizationPath({ prompt: 'login' })));
    expect(titleOf(page)).toBe('Confirm it’s you');
    // Nobody else’s identity, and no password typed here, would confirm it.
    expect(page.body).not.toContain('name="password"');
    expect(() => linkOf(page, 'Crafted')).toThrow();
    const location = await leave(agent, page, 'Corp');
    const { searchParams } = new URL(location);
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0']);
    const end = await agent.follow(await agent.get(await signInAbroad(location, 'joan')));
    const second = await redeem(console, callbackOf(end).get('code'));
    const [before, after] = [first, second].map(({ body }) => decodeJwt(body.id_token));
    expect(after!.sub).toBe(before!.sub);
    expect(Number(after!.auth_time)).toBeGreaterThanOrEqual(Number(before!.auth_time));
    expect((await refresh(console, second.body.refresh_token)).status).toBe(200);
  });

  test('somebody else who signs in over a session ends it', async () => {
    await agent.signIn();
    const before = createUserAgent(console.url);
    for (const [name, cookie] of agent.cookies) before.cookies.set(name, cookie);
    const again = createUserAgent(console.url);
    const asked = await again.follow(await again.get(authorizationPath()));
    const location = await leave(again, asked, 'Corp');
    const session = [...agent.cookies].filter(([name]) => name.startsWith('console_session'));
    for (const [name, cookie] of session) again.cookies.set(name, cookie);
    const end = await again.follow(await again.get(await signInAbroad(location, 'ruth')));
    expect(decodeJwt((await redeem(console, callbackOf(end).get('code'))).body.access_token)).toMatchObject({
      preferred_username: 'ruth',
    });
    expect(await isSignedIn(before)).toBe(false);
  });

  test('an error is shown on the page of the same request, which goes on by another way', async () => {
    const page = await agent.follow(await agent.get(authorizationPath()));
    const reply = await agent.get(await abortAbroad(await leave(agent, page, 'Corp')));
    expect([reply.status, titleOf(reply)]).toEqual([403, 'Problem: Sign in']);
    expect(textOf(reply)).toMatch(/did not let you in \(access_denied\)\. .*login_failed/);
    expect(textOf(reply)).toContain('application-dashboard');
    const end = await agent.follow(
      await agent.submit(reply, { username: 'ada', password: 'correct-staple-battery-9' }),
    );
    expect(callbackOf(end).get('code')).toEqual(expect.any(String));
  });

  test('the link of one browser’s request is of no use in another (S31)', async () => {
    const page = await agent.follow(await agent.get(authorizationPath()));
    const stranger = createUserAgent(console.url);
    const reply = await stranger.get(linkOf(page, 'Corp'));
    expect([reply.status, reply.headers.location]).toEqual([403, undefined]);
  });
});

describe('an answer that is not to a sign-in of this browser (S43)', () => {
  const signedOutWith = async (reply: Reply, status: number, sentence: RegExp, users: number) => {
    expect([reply.status, textOf(reply)]).toEqual([status, expect.stringMatching(sentence)]);
    expect(textOf(reply)).toContain('login_failed');
    expect(await isSignedIn(agent)).toBe(false);
    expect(await countUsers(console)).toBe(users);
  };
  const unknownState = /not under way in this browser/;

  test('in another browser, without spoiling it for the rightful one', async () => {
    const back = await wayBack('binder');
    const users = await countUsers(console);
    const stranger = createUserAgent(console.url);
    await stranger.get(linkOf(await stranger.get('/login'), 'Corp'));
    const reply = await stranger.get(back);
    expect([reply.status, textOf(reply)]).toEqual([400, expect.stringMatching(unknownState)]);
    expect(await isSignedIn(stranger)).toBe(false);
    expect(await countUsers(console)).toBe(users);
    expect(titleOf(await agent.follow(await agent.get(back)))).toMatch(signedInTitle);
  });

  test('in a browser that has lost its cookie', async () => {
    const back = await wayBack('lost');
    const users = await countUsers(console);
    agent.cookies.clear();
    await signedOutWith(await agent.get(back), 400, unknownState, users);
  });

  test('a second time', async () => {
    const back = await wayBack('twice');
    await agent.get(back);
    const users = await countUsers(console);
    agent.cookies.delete('console_session');
    agent.cookies.delete('console_session.sig');
    await signedOutWith(await agent.get(back), 400, unknownState, users);
  });

  test('at the address of another provider', async () => {
    const back = await wayBack('mixed');
    const users = await countUsers(console);
    const reply = await agent.get(back.replace('/callback/corp', '/callback/crafted'));
    await signedOutWith(reply, 400, unknownState, users);
    expect(crafted.asked).not.toContain('/token');
  });

  test.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'A'.repeat(24)), unknownState],
    ['no state', (url: URL) => url.searchParams.delete('state'), unknownState],
    [
      'another issuer',
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      /not from the identity provider/,
    ],
  ])('with %s', async (_name, bend, sentence) => {
    const back = new URL(await wayBack('bent'));
    const users = await countUsers(console);
    bend(back);
    await signedOutWith(await agent.get(back.href), 400, sentence, users);
  });

  test('with a parameter twice', async () => {
    const back = await wayBack('repeated');
    const users = await countUsers(console);
    const reply = await agent.get(`${back}&code=another`);
    expect([reply.status, textOf(reply)]).toEqual([400, expect.stringContaining('repeated')]);
    expect(await isSignedIn(agent)).toBe(false);
    expect(await countUsers(console)).toBe(users);
  });

  test('the cookie of the way out is HttpOnly, Lax, random and short-lived', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(async () => (await createUserAgent(console.url).get('/login/start/corp')).setCookies),
    );
    const cookie = one!.find((line) => line.startsWith('console_outside='))!;
    expect(cookie).toMatch(/^console_outside=[\w-]{24}; path=\/; .*samesite=lax; httponly$/i);
    const lives = Date.parse(/expires=([^;]+)/i.exec(cookie)![1]!) - Date.now();
    expect(lives).toBeLessThanOrEqual(600_000);
    expect(two).not.toContain(cookie);
  });

  test('is answered to programs as a problem', async () => {
    const reply = await agent.get('/login/callback/corp?state=x', { accept: 'application/json' });
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'login_failed', status: 400 });
  });
});

describe('an answer that is posted from another site', () => {
  /** As a form of that site arrives: without cookies, and with its Origin. */
  async function post(back: string): Promise<Reply> {
    const url = new URL(back);
    const fields = Object.fromEntries(url.searchParams);
    return createUserAgent(console.url).post(url.pathname, fields, { origin: corp.issuer });
  }

  test('signs in by the navigation that follows, once', async () => {
    const reply = await post(await wayBack('poster'));
    expect(reply.status).toBe(303);
    expect(reply.setCookies).toEqual([]);
    const ticket = reply.headers.location!;
    expect(ticket).toMatch(/^\/login\/callback\/corp\?posted_reply=[\w-]{24}$/);
    const stranger = createUserAgent(console.url);
    expect((await stranger.get(`/login/callback/crafted?${ticket.split('?')[1]}`)).status).toBe(400);
    expect(titleOf(await agent.follow(await agent.get(ticket)))).toMatch(signedInTitle);
    const again = await agent.get(ticket);
    expect(again.status).toBe(400);
  });

  test('signs in at once when the browser has sent its cookies along, as from the same site', async () => {
    const url = new URL(await wayBack('neighbour'));
    const reply = await agent.post(url.pathname, Object.fromEntries(url.searchParams));
    expect([reply.status, reply.headers.location]).toEqual([303, '/']);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test('is of no use in the browser of somebody else (S43)', async () => {
    const { headers } = await post(await wayBack('victim'));
    const users = await countUsers(console);
    const reply = await createUserAgent(console.url).get(headers.location!);
    expect([reply.status, textOf(reply)]).toEqual([400, expect.stringMatching(/not under way/)]);
    expect(await countUsers(console)).toBe(users);
  });

  test('nothing is kept when no such sign-in is under way (S43)', async () => {
    const back = new URL(await wayBack('nobody'));
    back.searchParams.set('state', 'A'.repeat(24));
    const reply = await post(back.href);
    expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
    expect(reply.setCookies).toEqual([]);
    expect(textOf(reply)).toContain('login_failed');
  });

  test('is refused when it is longer than any answer (S48)', async () => {
    const state = new URL(await wayBack('long')).searchParams.get('state')!;
    const fields = { state, code: 'x'.repeat(400_000) };
    const reply = await createUserAgent(console.url)
      .post('/login/callback/corp', fields)
      .catch(() => undefined);
    if (reply)
      expect([reply.status, textOf(reply)]).toEqual([400, expect.stringContaining('invalid_request')]);
    expect((await agent.get('/login')).status).toBe(200);
  });
});

describe('a provider that proves nothing', () => {
  async function answer(): Promise<Reply> {
    const location = new URL(await leave(agent, await agent.get('/login'), 'Crafted'));
    crafted.nonce = location.searchParams.get('nonce')!;
    const state = location.searchParams.get('state')!;
    return agent.get(`/login/callback/crafted?${new URLSearchParams({ code: 'code', state })}`);
  }

  test.each([
    ['an ID token for somebody else’s client (S44)', { aud: 'other' }, 401],
    ['an ID token of another issuer (S44)', { iss: 'https://other.example' }, 401],
    ['an ID token of another sign-in (S44)', { nonce: 'another' }, 401],
    ['an ID token that is over (S44)', { iat: 1_700_000_000, exp: 1_700_000_300 }, 401],
  ])('%s', async (_name, claims, status) => {
    crafted.forgery = { claims };
    const users = await countUsers(console);
    const reply = await answer();
    expect([reply.status, textOf(reply)]).toEqual([status, expect.stringContaining('login_failed')]);
    expect(await isSignedIn(agent)).toBe(false);
    expect(await countUsers(console)).toBe(users);
  });

  test('somebody whom no rule gives a role, whatever the e-mail address, is forbidden (S45)', async () => {
    crafted.userinfo = { sub: 'stranger', email: 'ada@corp.example', groups: ['staff'], roles: ['Admin'] };
    crafted.forgery = { claims: { sub: 'stranger' } };
    const users = await countUsers(console);
    const reply = await answer();
    expect([reply.status, textOf(reply)]).toEqual([
      403,
      expect.stringMatching(/no rule of this console .*forbidden/),
    ]);
    expect(await isSignedIn(agent)).toBe(false);
    expect(await countUsers(console)).toBe(users);
    const line = logins().at(-1)!;
    expect(line).toMatchObject({ outcome: 'denied', reason: 'forbidden', provider: 'crafted' });
    expect(line).not.toHaveProperty('actor');
    expect(console.stderr()).not.toContain('stranger');
  });

  test('what a provider writes is shown as text, and only its code (S52)', async () => {
    const location = new URL(await leave(agent, await agent.get('/login'), 'Crafted'));
    const state = location.searchParams.get('state')!;
    const error = { error: '<script>alert(1)</script>', error_description: '<b>call 0900</b>', state };
    const reply = await agent.get(`/login/callback/crafted?${new URLSearchParams(error)}`);
    expect(reply.status).toBe(403);
    for (const text of ['<script', 'alert(1)', '0900']) expect(reply.body).not.toContain(text);
  });
});

describe('a provider that cannot be asked', () => {
  test('is told on the sign-in page, where the other ways in still are', async () => {
    const page = await agent.get('/login');
    const reply = await agent.get(linkOf(page, 'Gone'));
    expect([reply.status, titleOf(reply)]).toEqual([503, 'Problem: Sign in']);
    expect(textOf(reply)).toMatch(
      /could not be reached: nobody listens there \(connection_refused\)\. login_failed , request [\w-]+/,
    );
    expect(reply.body).not.toContain('127.0.0.1');
    expect(
      titleOf(
        await agent.follow(
          await agent.submit(reply, { username: 'ada', password: 'correct-staple-battery-9' }),
        ),
      ),
    ).toMatch(signedInTitle);
  });

  test.each(['off', 'nobody', '..%2Flogin'])('there is nothing at %s', async (id) => {
    expect((await agent.get(`/login/start/${id}`)).status).toBe(404);
    expect((await agent.get(`/login/callback/${id}?state=x`)).status).toBe(404);
    expect((await agent.post(`/login/callback/${id}`, { state: 'x' })).status).toBe(404);
  });
});

test('a provider is there as soon as it is added on the command line, and gone with its sessions when it is disabled', async () => {
  const env = { CONSOLE_URL: console.url, CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' };
  const tool = async (...args: string[]) => {
    const { code, stderr } = await runTool(['idp', ...args], { dataDir, env });
    expect([code, stderr]).toEqual([0, '']);
  };
  const [rule, scope] = ['groups=cn=admins,dc=example -> Viewer', 'email profile groups'];
  const registration = [
    '--issuer',
    corp.issuer,
    '--client-id',
    'console',
    '--client-auth',
    'none',
    '--scope',
    scope,
  ];
  await tool('add', 'late', '--kind', 'oidc', '--name', 'Late', '--role-rule', rule, ...registration);
  const isOffered = async () => textOf(await createUserAgent(console.url).get('/login')).includes('Late');
  await until(isOffered, 'the provider on the sign-in page', 15_000);

  const location = await leave(agent, await agent.get('/login'), 'Late');
  await agent.follow(await agent.get(await signInAbroad(location, 'lena')));
  const account = textOf(await agent.get('/account'));
  expect(account).toMatch(/Signed in with Late/);
  expect(account).toContain('Viewer');

  await tool('disable', 'late');
  await until(async () => !(await isOffered()), 'its end on the sign-in page', 15_000);
  await until(async () => !(await isSignedIn(agent)), 'the end of its session', 15_000);
  expect((await agent.get('/login/start/late')).status).toBe(404);
});

test('on https the cookie of the way out is Secure and of this host alone (S33)', async () => {
  const port = await freePort();
  const dir = await storeWithProviders(oidcProvider('corp', 'Corp', corp.issuer));
  const env = {
    CONSOLE_URL: 'https://console.example',
    CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1',
    CONSOLE_OUTBOUND_ALLOW: '127.0.0.1',
  };
  const behind = await startConsole({ port, dataDir: dir, env });
  try {
    const reply = await createUserAgent(`http://localhost:${port}`).get('/login/start/corp');
    expect(reply.status).toBe(303);
    const { searchParams } = new URL(reply.headers.location!);
    expect(searchParams.get('redirect_uri')).toBe('https://console.example/login/callback/corp');
    const [cookie] = reply.setCookies.filter((line) => line.startsWith('__Host-console_outside='));
    expect(cookie).toMatch(/path=\/;.*secure;.*httponly/i);
    expect(cookie).not.toMatch(/domain=/i);
  } finally {
    await behind.stop();
    await rm(dir, { recursive: true, force: true });
  }
});

test('before the first administrator is made, nobody comes in from outside (S27)', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'console-fresh-'));
  await putProviders(dir, oidcProvider('corp', 'Corp', corp.issuer));
  const env = { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined };
  const fresh = await startConsole({ dataDir: dir, env: { ...env, CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } });
  try {
    const browser = createUserAgent(fresh.url);
    expect(textOf(await browser.get('/login'))).not.toContain('Or sign in with');
    const reply = await browser.get('/login/start/corp');
    expect([reply.status, textOf(reply)]).toEqual([403, expect.stringMatching(/not set up yet/i)]);
    expect(await countUsers(fresh)).toBe(0);
  } finally {
    await fresh.stop();
    await rm(dir, { recursive: true, force: true });
  }
});
