/** Standard libraries as applications use them, unmodified. */
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCipher } from '../../console/keys/encryption.ts';
import { createKeys } from '../../console/keys/keys.ts';
import { admin, clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, dashboard, userinfo } from '../helpers/sign-in.ts';
import { until, withStore } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

const address = 'http://127.0.0.1:9077/dash';
const redirectUri = `${address}/login/callback`;

let console: RunningConsole;
let configuration: client.Configuration;
beforeAll(async () => {
  console = await startConsole({ env: { SVC_MC_APP_ADDRESSES: `${dashboard.address},${address}` } });
  configuration = await discover(dashboard.clientId, client.None());
});
afterAll(() => console?.stop());

function discover(clientId: string, authentication: client.ClientAuth): Promise<client.Configuration> {
  const execute = [client.allowInsecureRequests];
  return client.discovery(new URL(console.url), clientId, undefined, authentication, { execute });
}

async function signIn(
  parameters: Record<string, string> = {},
  checks: client.AuthorizationCodeGrantChecks = {},
) {
  const agent = createUserAgent(console.url);
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    ...parameters,
  });
  const page = await agent.follow(await agent.get(url.href));
  const end = await agent.follow(await agent.submit(page, admin));
  const tokens = await client.authorizationCodeGrant(configuration, new URL(end.headers.location!), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
    ...checks,
  });
  return { agent, tokens };
}

describe('openid-client', () => {
  test('signs in, reads userinfo, refreshes, introspects, revokes and signs out', async () => {
    const { agent, tokens } = await signIn({ max_age: '600' }, { maxAge: 600 });
    const claims = tokens.claims()!;
    expect(claims).toMatchObject({
      iss: console.url,
      aud: dashboard.clientId,
      preferred_username: 'ada',
      roles: ['Admin'],
    });
    const user = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    expect(user).toMatchObject({ sub: claims.sub, preferred_username: 'ada', roles: ['Admin'] });

    const renewed = await client.refreshTokenGrant(configuration, tokens.refresh_token!);
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    expect(renewed.claims()!.sub).toBe(claims.sub);

    const resource = await discover('application-client', client.ClientSecretBasic(clientSecret));
    const status = await client.tokenIntrospection(resource, renewed.access_token);
    expect(status).toMatchObject({ active: true, sub: claims.sub, client_id: dashboard.clientId });
    await client.tokenRevocation(configuration, renewed.access_token);
    expect(await client.tokenIntrospection(resource, renewed.access_token)).toEqual({ active: false });

    const end = client.buildEndSessionUrl(configuration, {
      id_token_hint: renewed.id_token!,
      post_logout_redirect_uri: `${address}/`,
      state: 'bye',
    });
    expect((await agent.get(end.href)).headers.location).toBe(`${address}/?state=bye`);
    await expect(client.refreshTokenGrant(configuration, renewed.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(callbackOf(await agent.get(authorizationPath({ prompt: 'none' }))).get('error')).toBe(
      'login_required',
    );
  });

  test('the reuse of a rotated refresh token ends the grant', async () => {
    const { tokens } = await signIn();
    const renewed = await client.refreshTokenGrant(configuration, tokens.refresh_token!);
    // Until its successor has been used, it may be a reply that was lost (S95).
    const last = await client.refreshTokenGrant(configuration, renewed.refresh_token!);
    for (const token of [tokens.refresh_token!, last.refresh_token!]) {
      await expect(client.refreshTokenGrant(configuration, token)).rejects.toMatchObject({
        error: 'invalid_grant',
        status: 400,
      });
    }
  });

  test('gets a token for a machine', async () => {
    const machine = await discover('application-client', client.ClientSecretPost(clientSecret));
    const tokens = await client.clientCredentialsGrant(machine, { scope: 'app:Viewer' });
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'app:Viewer' });
    await expect(
      client.fetchUserInfo(machine, tokens.access_token, client.skipSubjectCheck),
    ).rejects.toThrow();
  });

  test('notices an answer of another issuer (S20)', async () => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    const answer = new URL((await agent.get(authorizationPath())).headers.location!);
    answer.searchParams.set('iss', 'https://evil.example');
    await expect(
      client.authorizationCodeGrant(configuration, answer, { expectedState: 'some-state' }),
    ).rejects.toMatchObject({ cause: { message: expect.stringMatching(/"iss"/) } });
  });
});

describe('jose with the remote key set', () => {
  const keySet = () => createRemoteJWKSet(new URL(`${console.url}/oauth2/jwks`));

  test('verifies an access token of a person, with the promised claims (S1, S14)', async () => {
    const { tokens } = await signIn();
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keySet(), {
      issuer: console.url,
      audience: `${console.url}/svc`,
      typ: 'JWT',
      algorithms: ['RS256'],
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: console.url,
      aud: `${console.url}/svc`,
      sub: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id: dashboard.clientId,
      clientId: dashboard.clientId,
      scope: 'openid profile email',
      roles: ['Admin'],
      realm_access: { roles: ['Admin'] },
      preferred_username: 'ada',
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
    });
    expect(payload.exp! - payload.iat!).toBeGreaterThan(298);
    expect(payload.exp! - payload.iat!).toBeLessThanOrEqual(300);
  });

  test('verifies an ID token, whose audience is the client', async () => {
    const { tokens } = await signIn();
    const { payload } = await jwtVerify(tokens.id_token!, keySet(), {
      issuer: console.url,
      audience: dashboard.clientId,
    });
    expect(payload.auth_time).toBeTypeOf('number');
    await expect(jwtVerify(tokens.id_token!, keySet(), { audience: `${console.url}/svc` })).rejects.toThrow(
      /aud/,
    );
  });

  test('the keys change while somebody is about to sign in: the sign-in goes on', async () => {
    const agent = createUserAgent(console.url);
    const early = await signIn();
    const page = await agent.follow(await agent.get(authorizationPath()));
    await withStore(console.dataDir, async ({ registry }) => {
      const keys = createKeys({
        registry,
        cipher: createCipher(undefined),
        now: Date.now,
        rotationDays: 90,
        longestTokenLifeSeconds: 3600,
      });
      await keys.rotate({ isEmergency: true });
      keys.close();
    });
    const isOldTokenGood = () =>
      userinfo(console, early.tokens.access_token).then(({ status }) => status === 200);
    await until(async () => !(await isOldTokenGood()), 'the old key to go');
    const end = await agent.follow(await agent.submit(page, admin));
    expect(callbackOf(end).get('code')).toBeTruthy();
  });
});
