import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  authorizationPath,
  callbackOf,
  dashboard,
  refresh,
  signInForTokens,
  userinfo,
} from '../helpers/sign-in.ts';
import { addClient, thirdParty } from '../helpers/store.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
  await addClient(console.dataDir);
});
afterAll(() => console?.stop());

const home = `${dashboard.address}/`;
const newAgent = () => createUserAgent(console.url);
const logoutPath = (parameters: Record<string, string>) =>
  `/connect/logout?${new URLSearchParams(parameters)}`;
const isSignedIn = async (agent: UserAgent) => (await agent.get('/account')).status === 200;

async function signedIn() {
  const agent = newAgent();
  const tokens = await signInForTokens(console, agent);
  return { agent, tokens, hint: tokens.id_token };
}

describe('where a sign-out leads (S36)', () => {
  test.each([
    ['http://localhost:9021'],
    ['http://localhost:9021/other'],
    ['http://localhost:9021/?a=1'],
    ['http://localhost:9021/#a'],
    ['http://localhost:9021.evil.example/'],
    ['http://evil@localhost:9021/'],
    ['http://LOCALHOST:9021/'],
    ['https://localhost:9021/'],
    ['http://localhost:9021/wallboard/'],
    ['//evil.example/'],
    ['javascript:alert(1)'],
  ])('%s is not registered: 400, and the session stays (S36)', async (uri) => {
    const { agent, hint } = await signedIn();
    for (const named of [{ id_token_hint: hint }, { client_id: dashboard.clientId }]) {
      const reply = await agent.get(logoutPath({ ...named, post_logout_redirect_uri: uri }));
      expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
    }
    expect(await isSignedIn(agent)).toBe(true);
  });

  test('with a hint, or with client_id and a confirmation, to the registered address with its state (S36)', async () => {
    const state = 'a "state" & more';
    const back = { post_logout_redirect_uri: home, state };
    const expected = `${home}?state=${encodeURIComponent(state)}`;
    const byHint = await signedIn();
    const direct = await byHint.agent.get(logoutPath({ ...back, id_token_hint: byHint.hint }));
    expect([direct.status, direct.headers.location]).toEqual([303, expected]);
    const byId = await signedIn();
    const page = await byId.agent.get(logoutPath({ ...back, client_id: dashboard.clientId }));
    expect(titleOf(page)).toBe('Sign out?');
    const confirmed = await byId.agent.submit(page);
    expect([confirmed.status, confirmed.headers.location]).toEqual([303, expected]);
    for (const { agent } of [byHint, byId]) expect(await isSignedIn(agent)).toBe(false);
  });

  test('an address without any client is ignored (S36)', async () => {
    const { agent } = await signedIn();
    const page = await agent.get(logoutPath({ post_logout_redirect_uri: 'https://evil.example/' }));
    expect(page.body).not.toContain('evil.example');
    const end = await agent.follow(await agent.submit(page));
    expect([end.status, titleOf(end)]).toEqual([200, 'You are signed out']);
  });

  test('an address cannot be slipped into the confirmation (S36)', async () => {
    const { agent } = await signedIn();
    const page = await agent.get('/connect/logout');
    const forged = { client_id: dashboard.clientId, post_logout_redirect_uri: 'https://evil.example/' };
    const changed = {
      ...page,
      body: page.body.replace('/confirm"', `/confirm?${new URLSearchParams(forged)}"`),
    };
    const reply = await agent.submit(changed);
    expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test('an unknown client, or one that is not the hint’s, is refused', async () => {
    const { agent, hint } = await signedIn();
    const unknown = await agent.get(logoutPath({ client_id: 'nobody' }));
    const other = await agent.get(logoutPath({ client_id: thirdParty.id, id_token_hint: hint }));
    expect([unknown.status, other.status]).toEqual([400, 400]);
    expect(await isSignedIn(agent)).toBe(true);
  });
});

describe('who is asked first (S37)', () => {
  test.each([
    ['no hint', async () => ({})],
    ['the id of a client', async () => ({ client_id: dashboard.clientId })],
    [
      'the hint of another session of the same person',
      async () => ({ id_token_hint: (await laterSession()).hint }),
    ],
  ])('with %s a page asks, and nothing has ended (S37)', async (_name, parameters) => {
    const { agent, tokens } = await signedIn();
    const page = await agent.get(logoutPath(await parameters()), { 'sec-fetch-site': 'cross-site' });
    expect([page.status, titleOf(page)]).toEqual([200, 'Sign out?']);
    expect(await isSignedIn(agent)).toBe(true);
    expect((await refresh(console, tokens.refresh_token)).status).toBe(200);
  });

  test.each([
    [
      'a form without its token',
      (agent: UserAgent) => agent.post('/connect/logout/confirm', { logout: 'yes' }),
    ],
    [
      'a form from another site',
      async (agent: UserAgent) =>
        agent.submit(
          await agent.get('/connect/logout'),
          {},
          { headers: { origin: 'http://localhost:9021' } },
        ),
    ],
    [
      'a form that the browser calls cross-site',
      async (agent: UserAgent) =>
        agent.submit(await agent.get('/connect/logout'), {}, { headers: { 'sec-fetch-site': 'cross-site' } }),
    ],
    [
      'the token of another browser',
      async (agent: UserAgent) => {
        const other = (await signedIn()).agent;
        const { body, url } = await other.get('/connect/logout');
        return agent.submit({ ...(await agent.get('/connect/logout')), body, url });
      },
    ],
  ])('%s is 403 csrf_failed, and the session stays (S37)', async (_name, send) => {
    const { agent } = await signedIn();
    const reply = await send(agent);
    expect(reply.status).toBe(403);
    expect(textOf(reply)).toContain('csrf_failed');
    expect(await isSignedIn(agent)).toBe(true);
  });

  test('a post of an application arrives without the session cookie, and still signs out', async () => {
    const { agent, hint } = await signedIn();
    const crossSite = createUserAgent(console.url);
    const form = { id_token_hint: hint, post_logout_redirect_uri: home, state: 's' };
    const posted = await crossSite.post('/connect/logout', form, { origin: dashboard.address });
    expect(posted.status).toBe(303);
    const navigated = await agent.get(posted.headers.location!);
    expect(navigated.headers.location).toBe(`${home}?state=s`);
    expect(await isSignedIn(agent)).toBe(false);
  });
});

describe('hints (S38)', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const parts = (token: string) => token.split('.') as [string, string, string];
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());

  const tricks: Record<string, (hint: string, accessToken: string) => string | Promise<string>> = {
    'no token': () => 'hint',
    'an unsigned token': (hint) => `${encode({ alg: 'none' })}.${parts(hint)[1]}.`,
    'a token without its signature': (hint) => parts(hint).slice(0, 2).join('.'),
    'a changed token': (hint) => {
      const [header, payload, signature] = parts(hint);
      return `${header}.${encode({ ...decode(payload), sub: 'somebody-else' })}.${signature}`;
    },
    'a token of another key': (hint) =>
      new SignJWT(decode(parts(hint)[1])).setProtectedHeader(decode(parts(hint)[0])).sign(privateKey),
    'an access token': (_hint, accessToken) => accessToken,
  };

  test.each(Object.keys(tricks))('%s is 400 invalid_request, and the session stays (S38)', async (name) => {
    const { agent, hint, tokens } = await signedIn();
    const forged = await tricks[name]!(hint, tokens.access_token);
    const reply = await agent.get(logoutPath({ id_token_hint: forged, post_logout_redirect_uri: home }));
    expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
    expect(textOf(reply)).toContain('invalid_request');
    expect(await isSignedIn(agent)).toBe(true);
  });
});

describe('what a sign-out ends (S39)', () => {
  test('the session on the server, its refresh tokens of every application, and the cookie (S39)', async () => {
    const { agent, tokens, hint } = await signedIn();
    const other = { redirect_uri: home, scope: 'openid' };
    const code = callbackOf(await agent.get(authorizationPath(other))).get('code')!;
    const old = new Map(agent.cookies);
    const reply = await agent.get(logoutPath({ id_token_hint: hint }));
    expect(reply.status).toBe(303);
    expect(agent.cookies.has('console_session')).toBe(false);
    const thief = newAgent();
    for (const [name, cookie] of old) thief.cookies.set(name, cookie);
    expect((await thief.get('/account')).headers.location).toBe('/login');
    expect(callbackOf(await thief.get(authorizationPath({ prompt: 'none' }))).get('error')).toBe(
      'login_required',
    );
    expect((await refresh(console, tokens.refresh_token)).body.error).toBe('invalid_grant');
    const redeemed = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: dashboard.clientId,
        ...other,
      }),
    });
    expect(redeemed.status).toBe(400);
  });

  test('another session of the same person goes on', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await one.agent.submit(await one.agent.get('/connect/logout'));
    expect(await isSignedIn(one.agent)).toBe(false);
    expect(await isSignedIn(other.agent)).toBe(true);
    expect((await userinfo(console, other.tokens.access_token)).status).toBe(200);
  });

  test('without a session there is nothing to ask', async () => {
    const agent = newAgent();
    const end = await agent.follow(await agent.get('/connect/logout'));
    expect(titleOf(end)).toBe('You are signed out');
    const back = await agent.get(
      logoutPath({ client_id: dashboard.clientId, post_logout_redirect_uri: home }),
    );
    expect(back.headers.location).toBe(home);
  });
});

/** Sign-ins are told apart by their second. */
async function laterSession() {
  const second = Math.floor(Date.now() / 1000);
  await console.waitFor(() => Math.floor(Date.now() / 1000) > second, 'the next second');
  return signedIn();
}

test('a posted sign-out of which an address would be too long is refused, not sent there', async () => {
  const posted = await newAgent().post('/connect/logout', { state: 'x'.repeat(20_000) });
  expect([posted.status, posted.headers.location]).toEqual([400, undefined]);
  expect((await newAgent().post('/connect/logout', { state: 'x'.repeat(2_000) })).status).toBe(303);
});
