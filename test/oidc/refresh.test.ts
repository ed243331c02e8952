import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  authorizationPath,
  callbackOf,
  dashboard,
  refresh,
  signInForTokens,
  userinfo,
} from '../helpers/sign-in.ts';
import { addClient, thirdParty } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
  await addClient(console.dataDir);
});
afterAll(() => console?.stop());

const signIn = (scope?: string) =>
  signInForTokens(console, createUserAgent(console.url), scope ? { scope } : {});
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

test('a refresh gives a new token of each kind, and its rotated predecessor is not one any more', async () => {
  const first = await signIn();
  const second = (await refresh(console, first.refresh_token)).body;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(claimsOf(second.access_token).jti).not.toBe(claimsOf(first.access_token).jti);
  expect(claimsOf(second.id_token)).toMatchObject({
    sub: claimsOf(first.id_token).sub,
    auth_time: claimsOf(first.id_token).auth_time,
  });
  expect((await userinfo(console, second.access_token)).status).toBe(200);
});

describe('a rotated refresh token that comes back kills the grant (S19)', () => {
  test('later', async () => {
    const first = await signIn();
    const second = (await refresh(console, first.refresh_token)).body;
    const third = (await refresh(console, second.refresh_token)).body;
    const stolen = await refresh(console, first.refresh_token);
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(console, third.refresh_token)).body.error).toBe('invalid_grant');
    for (const { access_token: token } of [first, second, third]) {
      expect((await userinfo(console, token)).status).toBe(401);
    }
  });

  test('at the same time: there is one successor, and who comes when it is used has nothing', async () => {
    const first = await signIn();
    const replies = await Promise.all([1, 2, 3].map(() => refresh(console, first.refresh_token)));
    expect(new Set(replies.map(({ body }) => body.refresh_token)).size).toBe(1);
    const next = (await refresh(console, replies[0]!.body.refresh_token)).body;
    expect((await refresh(console, first.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(console, next.refresh_token)).body.error).toBe('invalid_grant');
  });
});

describe('scopes at a refresh (S11)', () => {
  test('fewer scopes never give more roles', async () => {
    const tokens = await signIn('openid profile app:Viewer app:MetricsViewer');
    expect(claimsOf(tokens.access_token).roles).toEqual(['Viewer', 'MetricsViewer']);
    const one = (await refresh(console, tokens.refresh_token, { scope: 'openid app:MetricsViewer' })).body;
    expect(claimsOf(one.access_token)).toMatchObject({
      roles: ['MetricsViewer'],
      realm_access: { roles: ['MetricsViewer'] },
      scope: 'openid app:MetricsViewer',
    });
    const none = (await refresh(console, one.refresh_token, { scope: 'openid' })).body;
    expect(claimsOf(none.access_token).roles).toEqual([]);
    const all = (await refresh(console, none.refresh_token)).body;
    expect(claimsOf(all.access_token).roles).toEqual(['Viewer', 'MetricsViewer']);
  });

  test.each(['openid email', 'openid app:viewer', 'app:Admin'])('%s was not granted', async (scope) => {
    const tokens = await signIn('openid profile');
    const { status, body } = await refresh(console, tokens.refresh_token, { scope });
    expect([status, body.error]).toEqual([400, 'invalid_scope']);
    expect((await refresh(console, tokens.refresh_token)).status).toBe(200);
  });
});

test.each([
  ['another public client', { client_id: thirdParty.id }, 400, 'invalid_grant'],
  ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
  [
    'a client without that grant',
    { client_id: 'application-client', client_secret: clientSecret },
    400,
    'unauthorized_client',
  ],
])('%s cannot use a refresh token, which stays good for its owner', async (_name, changes, status, error) => {
  const tokens = await signIn();
  const reply = await refresh(console, tokens.refresh_token, changes);
  expect([reply.status, reply.body.error]).toEqual([status, error]);
  expect((await refresh(console, tokens.refresh_token)).status).toBe(200);
});

describe('revocation and introspection of what a person was given', () => {
  const post = (path: string, form: Record<string, string>, basic?: string) =>
    fetch(`${console.url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: basic ? { Authorization: `Basic ${btoa(basic)}` } : {},
    });
  const introspect = async (token: string) =>
    (await post('/oauth2/introspect', { token }, `application-client:${clientSecret}`)).json();

  test('revoking the refresh token ends the access tokens of its grant too', async () => {
    const agent = createUserAgent(console.url);
    const tokens = await signInForTokens(console, agent);
    expect(await introspect(tokens.access_token)).toMatchObject({
      active: true,
      client_id: dashboard.clientId,
    });
    const revoked = await post('/oauth2/revoke', {
      token: tokens.refresh_token,
      client_id: dashboard.clientId,
    });
    expect(revoked.status).toBe(200);
    expect((await refresh(console, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await userinfo(console, tokens.access_token)).status).toBe(401);
    expect(await introspect(tokens.access_token)).toEqual({ active: false });
    const silent = await agent.get(authorizationPath({ prompt: 'none' }));
    expect(callbackOf(silent).get('code')).toBeTruthy();
  });

  test('revoking one access token leaves the others', async () => {
    const first = await signIn();
    const second = (await refresh(console, first.refresh_token)).body;
    await post('/oauth2/revoke', { token: first.access_token, client_id: dashboard.clientId });
    expect((await userinfo(console, first.access_token)).status).toBe(401);
    expect((await userinfo(console, second.access_token)).status).toBe(200);
  });

  test('the public client cannot introspect, and nobody revokes what is another client’s (S15)', async () => {
    const tokens = await signIn();
    const asked = await post('/oauth2/introspect', {
      token: tokens.access_token,
      client_id: dashboard.clientId,
    });
    expect(asked.status).toBe(401);
    const foreign = { token: tokens.access_token, client_id: thirdParty.id };
    expect((await post('/oauth2/revoke', foreign)).status).toBe(400);
    expect((await userinfo(console, tokens.access_token)).status).toBe(200);
  });
});
