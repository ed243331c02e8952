/** Logout to and from upstream OpenID providers, through the front door. */
import { rm } from 'node:fs/promises';
import { decodeJwt, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freePort, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { type RelyingParty, register, signInTo, startRelyingParty } from '../helpers/relying-party.ts';
import { refresh, userinfo } from '../helpers/sign-in.ts';
import {
  createUserAgent,
  type Reply,
  signedInTitle,
  textOf,
  titleOf,
  type UserAgent,
} from '../helpers/user-agent.ts';
import { type CraftedProvider, clientId, startCraftedProvider } from './crafted-provider.ts';
import { logoutClaims } from './logout-tokens.ts';
import type { RunningProvider } from './support.ts';
import { leave, signInAbroad, startOpenIdProvider } from './upstream.ts';

let corp: RunningProvider;
let crafted: CraftedProvider;
let turning: CraftedProvider;
let console: RunningConsole;
let shop: RelyingParty;
let dataDir: string;
beforeAll(async () => {
  const port = await freePort();
  corp = await startOpenIdProvider(`http://localhost:${port}`, 'corp');
  [crafted, turning] = await Promise.all([startCraftedProvider(), startCraftedProvider()]);
  dataDir = await storeWithProviders(
    oidcProvider('corp', 'Corp', corp.issuer),
    oidcProvider('crafted', 'Crafted', crafted.issuer, { clientId }),
    oidcProvider('turning', 'Turning', turning.issuer, { clientId }),
    { ...oidcProvider('off', 'Switched off', crafted.issuer, { clientId }), enabled: false },
  );
  console = await startConsole({
    port,
    dataDir,
    env: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1', CONSOLE_LOG_LEVEL: 'info' },
  });
  shop = await startRelyingParty('shop');
  await register(console, shop);
});
afterAll(async () => {
  await console?.stop();
  await Promise.all([corp?.close(), crafted?.close(), turning?.close(), shop?.close()]);
  await rm(dataDir, { recursive: true, force: true });
});

let agent: UserAgent;
let there: UserAgent;
beforeEach(() => {
  agent = createUserAgent(console.url);
  there = createUserAgent(corp.issuer);
  crafted.reset();
  shop.posted.length = 0;
});

const isSignedIn = async (someone = agent) => (await someone.get('/account')).status === 200;
const audited = (event: string) => console.log().filter((line) => line.event === event);
/** The line of this very request, which may arrive later than its reply. */
const lineOf = (event: string, { headers }: Reply) =>
  console.waitFor(() => audited(event).find((line) => line.requestId === headers['x-request-id']), event);
/** Where the page goes on to by itself. */
const nextOf = ({ headers }: Reply) => /^(\d+); url=(.+)$/.exec(String(headers.refresh ?? ''))?.[2];

/** Where the link of this text leads. */
const linkTo = ({ body }: Reply, text: string) =>
  new RegExp(`<a href="([^"]+)"[^>]*>${text}</a>`).exec(body)![1]!.replaceAll('&amp;', '&');

async function signInByCorp(login = 'ada'): Promise<void> {
  const location = await leave(agent, await agent.get('/login'), 'Corp');
  const home = await agent.follow(await agent.get(await signInAbroad(location, login, there)));
  expect(titleOf(home)).toMatch(signedInTitle);
}

async function signInByCrafted(
  claims: Record<string, unknown> = {},
  someone = agent,
  { provider, id, name } = { provider: crafted, id: 'crafted', name: 'Crafted' },
): Promise<void> {
  const location = await leave(someone, await someone.get('/login'), name);
  const { searchParams } = new URL(location);
  provider.nonce = searchParams.get('nonce')!;
  const all = { sub: 'ada', sid: 'session-7', groups: ['ops'], ...claims };
  provider.forgery = { claims: all };
  provider.userinfo = { sub: all.sub };
  const query = new URLSearchParams({ code: 'code', state: searchParams.get('state')! });
  const home = await someone.follow(await someone.get(`/login/callback/${id}?${query}`));
  expect(titleOf(home)).toMatch(signedInTitle);
}

/** On the console's own page. @returns what the browser ends at, redirects of this site followed */
async function signOut(parameters: Record<string, string> = {}): Promise<Reply> {
  const page = await agent.get(`/connect/logout?${new URLSearchParams(parameters)}`);
  return agent.follow(page.status === 200 ? await agent.submit(page) : page);
}

/** Confirms at the provider's own page. @returns the address that it sends the browser to */
async function signOutAbroad(location: string): Promise<string> {
  const page = await there.follow(await there.get(location));
  const end = await there.follow(await there.submit(page, { logout: 'yes' }));
  return end.headers.location ?? `no way back: ${end.status} ${end.body}`;
}

/** Whether the provider still knows the browser: it lets it pass without a page. */
async function isKnownAbroad(): Promise<boolean> {
  const someone = createUserAgent(console.url);
  const location = await leave(someone, await someone.get('/login'), 'Corp');
  const page = await there.follow(await there.get(location));
  return page.status === 303;
}

describe('a role that changes at an upstream sign-in (B4)', () => {
  const admins = { groups: ['cn=admins,dc=example'] };

  test.each([
    { name: 'more', before: {}, after: admins, isRejected: false },
    { name: 'fewer', before: admins, after: {}, isRejected: false },
    { name: 'none', before: {}, after: { groups: [] }, isRejected: true },
  ])(
    'to $name reaches every application that was opened before (B4)',
    async ({ name, before, after, isRejected }) => {
      const sub = `person-with-${name}`;
      await signInByCrafted({ sub, ...before });
      const tokens = await signInTo(console, agent, shop);
      const claims = decodeJwt(tokens.id_token);

      const elsewhere = createUserAgent(console.url);
      const again = signInByCrafted({ sub, ...after }, elsewhere);
      if (isRejected) await expect(again).rejects.toThrow();
      else await again;

      await waitFor(() => shop.posted.length > 0, 'the notice to the application');
      expect(shop.posted).toHaveLength(1);
      expect(decodeJwt(shop.posted[0]!.token)).toMatchObject({ sub: claims.sub, sid: claims.sid });
      expect(await isSignedIn()).toBe(false);
      expect((await userinfo(console, tokens.access_token)).status).toBe(401);
      expect((await refresh(console, tokens.refresh_token, { client_id: shop.id })).body.error).toBe(
        'invalid_grant',
      );
      expect(await isSignedIn(elsewhere)).toBe(!isRejected);
    },
  );

  test('the same roles again tell nobody (B4)', async () => {
    await signInByCrafted({ sub: 'steady' });
    const tokens = await signInTo(console, agent, shop);
    const elsewhere = createUserAgent(console.url);
    await signInByCrafted({ sub: 'steady' }, elsewhere);
    expect([await isSignedIn(), await isSignedIn(elsewhere)]).toEqual([true, true]);
    expect((await userinfo(console, tokens.access_token)).status).toBe(200);
    expect(shop.posted).toEqual([]);
  });
});

describe('a sign-out here', () => {
  test('ends the session here first, then goes on to the provider, and comes back', async () => {
    await signInByCorp();
    await signInTo(console, agent, shop);
    const page = await signOut();
    expect(await isSignedIn()).toBe(false);
    expect(shop.posted).toHaveLength(1);
    expect(titleOf(page)).toBe('You are signed out');
    expect(textOf(page)).toMatch(/You signed in by Corp, and go on there now/);
    expect(await isKnownAbroad()).toBe(true);

    const away = await agent.get(nextOf(page)!);
    const { origin, searchParams } = new URL(away.headers.location!);
    expect([away.status, origin, away.headers['cache-control']]).toEqual([303, corp.issuer, 'no-store']);
    expect(Object.fromEntries(searchParams)).toEqual({
      id_token_hint: expect.stringMatching(/^e.*\..*\..*$/),
      client_id: 'console',
      post_logout_redirect_uri: `${console.url}/login/logout/corp`,
      state: expect.stringMatching(/^[\w-]{24}$/),
    });
    const end = await agent.follow(await agent.get(await signOutAbroad(away.headers.location!)));
    expect(textOf(end)).toMatch(/You are signed out at Corp too/);
    expect(nextOf(end)).toBeUndefined();
    expect(await isKnownAbroad()).toBe(false);
    expect(await lineOf('logout.passed', away)).toMatchObject({ outcome: 'success', provider: 'corp' });
  });

  test('comes back to the application that asked, whose address never left the console', async () => {
    await signInByCorp('grace');
    const { id_token: hint } = await signInTo(console, agent, shop);
    const home = `${shop.origin}/`;
    const page = await signOut({ id_token_hint: hint, post_logout_redirect_uri: home, state: 'shop-7' });
    const away = await agent.get(nextOf(page)!);
    expect(away.headers.location).not.toContain(encodeURIComponent(shop.origin));
    expect(away.headers.location).not.toContain('shop-7');
    const back = await agent.follow(await agent.get(await signOutAbroad(away.headers.location!)));
    expect([back.status, back.headers.location]).toEqual([303, `${home}?state=shop-7`]);
  });

  test('that does not come back is told, and not sent away again by itself', async () => {
    await signInByCorp('hedy');
    const page = await signOut();
    await agent.get(nextOf(page)!);
    const again = await agent.get(page.url);
    expect(nextOf(again)).toBeUndefined();
    expect(textOf(again)).toMatch(/your session there may still be open: Corp has not confirmed/);
    expect(textOf(again)).toMatch(/Sign out at Corp/);
    expect(await isKnownAbroad()).toBe(true);
  });

  test('that ended at an error of the provider is asked for again without the hint, and says so (D22)', async () => {
    await signInByCorp('emmy');
    const page = await signOut();
    const first = new URL((await agent.get(nextOf(page)!)).headers.location!);
    expect(first.searchParams.has('id_token_hint')).toBe(true);
    // As a provider sees one that it signed by a key that it has given up since.
    first.searchParams.set('id_token_hint', 'e30.e30.e30');
    expect((await there.follow(await there.get(first.href))).status).toBe(400);

    const again = await agent.get(page.url);
    expect(textOf(again)).toMatch(/Should Corp have shown an error, .* may want you to confirm/);
    const second = (await agent.get(linkTo(again, 'Sign out at Corp'))).headers.location!;
    expect(Object.fromEntries(new URL(second).searchParams)).toEqual({
      client_id: 'console',
      post_logout_redirect_uri: `${console.url}/login/logout/corp`,
      state: first.searchParams.get('state'),
    });
    const end = await agent.follow(await agent.get(await signOutAbroad(second)));
    expect(textOf(end)).toMatch(/You are signed out at Corp too/);
    expect(await isKnownAbroad()).toBe(false);
  });

  test('is told when the provider has no logout, also to whom an application sent', async () => {
    await signInByCrafted({ sub: 'joan', sid: 'session-joan' });
    const { id_token: hint } = await signInTo(console, agent, shop);
    const home = `${shop.origin}/`;
    const page = await signOut({ id_token_hint: hint, post_logout_redirect_uri: home });
    const end = await agent.follow(await agent.get(nextOf(page)!));
    expect(textOf(end)).toMatch(/You signed in by Crafted , and your session there may still be open/);
    expect(textOf(end)).toContain('Back to shop');
    expect(nextOf(end)).toBeUndefined();
    expect(await isSignedIn()).toBe(false);
  });

  test('loads the frames of its applications before it goes on, and not again on the way back', async () => {
    const framed = await startRelyingParty('framed', { frontchannelLogoutUri: 'ORIGIN/logout/frame' });
    onTestFinished(() => void framed.close());
    await register(console, framed);
    await signInByCorp('vera');
    await signInTo(console, agent, framed);
    const page = await signOut();
    expect(page.body).toContain(`<iframe src="${framed.origin}/logout/frame?`);
    expect(page.headers.refresh).toMatch(/^3; url=\/connect\/logout\/provider\?ticket=/);
    const away = await agent.get(nextOf(page)!);
    const end = await agent.follow(await agent.get(await signOutAbroad(away.headers.location!)));
    expect(end.body).not.toContain('<iframe');
    expect(textOf(end)).toMatch(/framed .* Notified .*You are signed out at Corp too/);
  });

  test('of a local sign-in goes to no provider', async () => {
    await agent.signIn();
    const page = await signOut();
    expect(textOf(page)).not.toContain('Corp');
    expect(nextOf(page)).toBeUndefined();
  });

  test.each(['', '?state=', '?state=unknown-unknown-unknown', '?ticket=x'])(
    'a way back that nobody is on leads to the plain page: %s',
    async (query) => {
      await agent.signIn();
      for (const path of ['/login/logout/corp', '/connect/logout/provider']) {
        const page = await agent.follow(await agent.get(path + query));
        expect([page.status, titleOf(page)]).toEqual([200, 'You are signed out']);
      }
      expect(await isSignedIn()).toBe(true);
    },
  );

  test('another provider cannot answer for the one that was asked', async () => {
    await signInByCorp('ruth');
    const page = await signOut();
    const { searchParams } = new URL((await agent.get(nextOf(page)!)).headers.location!);
    await agent.get(`/login/logout/crafted?state=${searchParams.get('state')}`);
    expect(textOf(await agent.get(page.url))).toContain('may still be open');
  });
});

describe('a logout at the provider', () => {
  test('ends the session here and at every application, by its back channel', async () => {
    await signInByCorp('lise');
    await signInTo(console, agent, shop);
    await signOutAbroad(`${corp.issuer}/session/end`);
    const ended = () =>
      audited('logout.received').find(({ provider, actor }) => provider === 'corp' && actor !== undefined);
    expect(await waitFor(ended, 'the logout')).toMatchObject({ outcome: 'success' });
    expect(await isSignedIn()).toBe(false);
    await waitFor(() => shop.posted.length > 0, 'the notice to the application');
  });

  /** As a server posts it: no origin, no cookies, any kind of answer. */
  const post = (token: string, provider = 'crafted') =>
    createUserAgent(console.url).send('POST', `/login/backchannel/${provider}`, {
      headers: { accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });
  const right = (claims: Record<string, unknown> = {}) =>
    crafted.sign(logoutClaims(crafted.issuer, claims), 'logout+jwt');

  test('a right token ends the session that it names, once (S41)', async () => {
    await signInByCrafted();
    await signInTo(console, agent, shop);
    const other = createUserAgent(console.url);
    await signInByCrafted({ sid: 'session-8' }, other);
    const token = await right();
    const reply = await post(token);
    expect([reply.status, reply.body, reply.headers['cache-control']]).toEqual([200, '', 'no-store']);
    expect([await isSignedIn(), await isSignedIn(other)]).toEqual([false, true]);
    await waitFor(() => shop.posted.length > 0, 'the notice to the application');

    agent = createUserAgent(console.url);
    await signInByCrafted();
    const again = await post(token);
    expect([again.status, JSON.parse(again.body).error]).toEqual([400, 'invalid_request']);
    expect(await isSignedIn()).toBe(true);
  });

  test('a token without exp ends the session that it names, once (D17)', async () => {
    await signInByCrafted();
    const token = await right({ exp: undefined });
    expect((await post(token)).status).toBe(200);
    expect(await isSignedIn()).toBe(false);

    agent = createUserAgent(console.url);
    await signInByCrafted();
    const again = await post(token);
    expect([again.status, JSON.parse(again.body).error]).toEqual([400, 'invalid_request']);
    expect(await isSignedIn()).toBe(true);
  });

  test('a provider that changes its key between two sign-ins signs in and out as before (D21)', async () => {
    const by = { provider: turning, id: 'turning', name: 'Turning' };
    await signInByCrafted({ sid: 't-1' }, agent, by);
    await turning.changeKey();
    agent = createUserAgent(console.url);
    await signInByCrafted({ sid: 't-2' }, agent, by);
    const logOut = async (sid: string) =>
      post(await turning.sign(logoutClaims(turning.issuer, { sid })), by.id);
    expect((await logOut('t-1')).status).toBe(200);
    await turning.changeKey();
    expect((await logOut('t-2')).status).toBe(200);
    expect(await isSignedIn()).toBe(false);
  });

  test('a token that names a person ends all their sessions, and nobody else’s', async () => {
    await signInByCrafted({ sub: 'mary', sid: 'm-1' });
    const [second, other] = [createUserAgent(console.url), createUserAgent(console.url)];
    await signInByCrafted({ sub: 'mary', sid: 'm-2' }, second);
    await signInByCrafted({ sub: 'anne', sid: 'a-1' }, other);
    expect((await post(await right({ sub: 'mary', sid: undefined }))).status).toBe(200);
    expect([await isSignedIn(), await isSignedIn(second), await isSignedIn(other)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('a token ends every session here that began with the one it names (D22)', async () => {
    await signInByCrafted({ sub: 'lena', sid: 'l-1' });
    await signInTo(console, agent, shop);
    const [second, other] = [createUserAgent(console.url), createUserAgent(console.url)];
    await signInByCrafted({ sub: 'lena', sid: 'l-1' }, second);
    await signInByCrafted({ sub: 'lena', sid: 'l-2' }, other);
    expect((await post(await right({ sub: 'lena', sid: 'l-1' }))).status).toBe(200);
    expect([await isSignedIn(), await isSignedIn(second), await isSignedIn(other)]).toEqual([
      false,
      false,
      true,
    ]);
    await waitFor(() => shop.posted.length > 0, 'the notice to the application');
  });

  test('a token about nobody here is taken, and ends nothing', async () => {
    await signInByCrafted({ sub: 'rosa', sid: 'r-1' });
    expect((await post(await right({ sub: 'stranger', sid: 'r-1' }))).status).toBe(200);
    expect((await post(await right({ sub: 'rosa', sid: 'r-2' }))).status).toBe(200);
    expect(await isSignedIn()).toBe(true);
  });

  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const past = Math.floor(Date.now() / 1000) - 900;
  const byStranger = async (claims: JWTPayload) => {
    const { privateKey } = await generateKeyPair('RS256');
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'published' }).sign(privateKey);
  };

  test.each<{
    name: string;
    claims?: Record<string, unknown>;
    sign?: (claims: JWTPayload) => string | Promise<string>;
  }>([
    { name: 'unsigned', sign: (claims) => `${part({ alg: 'none' })}.${part(claims)}.` },
    {
      name: 'HS256',
      sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientId)),
    },
    { name: 'a wrong key', sign: byStranger },
    { name: 'another algorithm', sign: (claims) => crafted.signOther(claims) },
    { name: 'another audience', claims: { aud: 'other' } },
    { name: 'another issuer', claims: { iss: 'https://other.example' } },
    { name: 'expired', claims: { iat: past, exp: past + 60 } },
    { name: 'a nonce', claims: { nonce: 'n' } },
    { name: 'no events', claims: { events: undefined } },
    { name: 'no jti', claims: { jti: undefined } },
    { name: 'nobody', claims: { sub: undefined, sid: undefined } },
    { name: 'no token', sign: () => '' },
    { name: 'not a token', sign: () => 'x.y.z' },
  ])('refuses $name, and no session ends (S41)', async ({ claims, sign = (all) => crafted.sign(all) }) => {
    await signInByCrafted();
    const reply = await post(await sign(logoutClaims(crafted.issuer, claims)));
    expect(reply.status).toBe(400);
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(reply.body)).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
    });
    expect(await isSignedIn()).toBe(true);
    expect(await lineOf('logout.received', reply)).toMatchObject({ outcome: 'denied', provider: 'crafted' });
  });

  test('refuses a token of one provider at the address of another (S41)', async () => {
    await signInByCrafted();
    expect((await post(await right(), 'corp')).status).toBe(400);
    for (const id of ['off', 'unknown']) expect((await post(await right(), id)).status).toBe(404);
    expect(await isSignedIn()).toBe(true);
  });

  test('refuses what is no form, or too much of one', async () => {
    const url = '/login/backchannel/crafted';
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(
      (await agent.send('POST', url, { headers: { 'content-type': 'text/plain' }, body: 'x' })).status,
    ).toBe(400);
    expect((await agent.send('POST', url, { headers: type, body: `a=${'x'.repeat(70_000)}` })).status).toBe(
      413,
    );
    expect((await agent.get(url)).status).toBe(405);
  });

  test('the front channel ends the session of its issuer and sid, without a cookie', async () => {
    await signInByCrafted();
    const visit = (parameters: Record<string, string>) =>
      createUserAgent(console.url).get(`/login/frontchannel/crafted?${new URLSearchParams(parameters)}`);
    expect((await visit({ iss: 'https://other.example', sid: 'session-7' })).status).toBe(400);
    expect((await visit({ iss: crafted.issuer })).status).toBe(400);
    const nobody = await visit({ iss: crafted.issuer, sid: 'session-of-nobody' });
    expect([nobody.status, await isSignedIn()]).toEqual([200, true]);
    const reply = await visit({ iss: crafted.issuer, sid: 'session-7' });
    expect([reply.status, await isSignedIn()]).toEqual([200, false]);
    await lineOf('logout.received', reply);
    const requests = audited('logout.received').map(({ requestId }) => requestId);
    expect(requests).not.toContain(nobody.headers['x-request-id']);
  });
});
