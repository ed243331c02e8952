/** Logout between the console and an OpenID provider, at the connector: what is sent there, what is believed from there. */
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createOidcConnector } from '../../console/federation/oidc/connector.ts';
import { Secret } from '../../platform/secret.ts';
import { type CraftedProvider, clientId, clientSecret, startCraftedProvider } from './crafted-provider.ts';
import { logoutClaims } from './logout-tokens.ts';
import { errorOf, loopbackOutbound } from './support.ts';

let provider: CraftedProvider;
beforeAll(async () => {
  provider = await startCraftedProvider();
});
beforeEach(() => provider.reset());
afterAll(() => provider.close());

const returnUrl = 'http://127.0.0.1:9/login/logout/corp';
const session = { id: 'session-7', hint: 'the.id.token' };

function connect({ issuer = provider.issuer, outbound = loopbackOutbound(), now = Date.now } = {}) {
  const authentication = {
    method: 'client_secret_post',
    secret: new Secret(clientSecret),
  } as const;
  return createOidcConnector({
    config: { issuer, clientId, authentication },
    outbound,
    now,
  });
}

describe('a logout that is passed on', () => {
  const begin = (hint = session.hint) =>
    connect().beginLogout!({
      subject: 'ada',
      session: { ...session, hint },
      logoutId: 'logout-1',
      returnUrl,
    });

  test('goes to the end of session address with what the provider wants to know', async () => {
    provider.metadata = { end_session_endpoint: `${provider.issuer}/end?tenant=1` };
    const message = await begin();
    const { origin, pathname, searchParams } = new URL(message!.location);
    expect(message!.method).toBe('GET');
    expect(origin + pathname).toBe(`${provider.issuer}/end`);
    expect(Object.fromEntries(searchParams)).toEqual({
      tenant: '1',
      id_token_hint: 'the.id.token',
      client_id: clientId,
      post_logout_redirect_uri: returnUrl,
      state: 'logout-1',
    });
  });

  test('does without a hint that is longer than servers take addresses', async () => {
    provider.metadata = { end_session_endpoint: `${provider.issuer}/end` };
    const { searchParams } = new URL((await begin('x'.repeat(6001)))!.location);
    expect(searchParams.has('id_token_hint')).toBe(false);
    expect(searchParams.get('client_id')).toBe(clientId);
  });

  test('does without a hint that is signed by a key that the provider has retired, and with it where nobody can tell (D22)', async () => {
    const turning = await startCraftedProvider();
    onTestFinished(() => void turning.close());
    turning.metadata = { end_session_endpoint: `${turning.issuer}/end` };
    const hint = await turning.sign({ sub: 'ada' });
    const hintSent = async () => {
      const connector = connect({ issuer: turning.issuer });
      const about = { subject: 'ada', session: { ...session, hint }, logoutId: 'logout-1', returnUrl };
      return new URL((await connector.beginLogout!(about))!.location).searchParams.get('id_token_hint');
    };
    expect(await hintSent()).toBe(hint);
    await turning.changeKey();
    expect(await hintSent()).toBeNull();
    turning.keys = ['none'];
    expect(await hintSent()).toBe(hint);
  });

  test('does without a hint when it did not come back the first time (D22)', async () => {
    provider.metadata = { end_session_endpoint: `${provider.issuer}/end` };
    const options = { subject: 'ada', session, logoutId: 'logout-1', returnUrl, isRepeated: true };
    const { searchParams } = new URL((await connect().beginLogout!(options))!.location);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: clientId,
      post_logout_redirect_uri: returnUrl,
      state: 'logout-1',
    });
  });

  test('goes nowhere when the provider has no such address, and not to one that is no web address', async () => {
    expect(await begin()).toBeUndefined();
    provider.metadata = { end_session_endpoint: 'javascript:alert(1)' };
    expect(await errorOf(begin())).toMatchObject({ status: 503 });
  });

  test('is told apart from a provider that does not answer', async () => {
    provider.metadata = { issuer: 'https://other.example' };
    expect(await errorOf(begin())).toMatchObject({ status: 401 });
  });
});

test('a right logout token names a session, a person, or both: the rows below fail by what they change alone (S41)', async () => {
  const read = async (claims: Record<string, unknown>, typ?: string) =>
    connect().readLogoutToken!(await provider.sign(logoutClaims(provider.issuer, claims), typ));
  expect(await read({})).toMatchObject({ subject: 'ada', sessionIds: ['session-7'] });
  expect(await read({ sid: undefined })).toMatchObject({ subject: 'ada', sessionIds: [] });
  const unnamed = await read({ sub: undefined, jti: 'jti-1' });
  expect(unnamed).toMatchObject({ sessionIds: ['session-7'], messageId: 'jti-1' });
  expect(unnamed).not.toHaveProperty('subject');
  // What providers wrote before explicit typing, and beside us.
  for (const typ of [undefined, 'JWT']) expect(await read({}, typ)).toMatchObject({ subject: 'ada' });
  expect(await read({ aud: ['other', clientId] })).toMatchObject({ subject: 'ada' });
});

test('a token is a replay for as long as it would be taken (S41)', async () => {
  const nowMs = Date.now();
  const claims = logoutClaims(provider.issuer, { exp: Math.floor(nowMs / 1000) + 86_400 });
  const token = await provider.sign(claims);
  const { usableUntilMs } = await connect().readLogoutToken!(token);
  const later = connect({ now: () => usableUntilMs + 1000 });
  expect(usableUntilMs).toBeGreaterThan(nowMs);
  expect(await errorOf(later.readLogoutToken!(token))).toMatchObject({ status: 400 });
});

test('a token without exp is a replay to the end of the last second in which its iat lets it be taken (D17)', async () => {
  const token = await provider.sign(logoutClaims(provider.issuer, { exp: undefined }));
  const read = (now = Date.now) => connect({ now }).readLogoutToken!(token);
  const logout = await read();
  expect(logout).toMatchObject({ subject: 'ada', sessionIds: ['session-7'] });
  expect(await read(() => logout.usableUntilMs - 1)).toEqual(logout);
  expect(await errorOf(read(() => logout.usableUntilMs))).toMatchObject({ status: 400 });
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (claims: JWTPayload) => `${part({ alg: 'none', typ: 'logout+jwt' })}.${part(claims)}.`;
const stripped = async (claims: JWTPayload) =>
  (await provider.sign(claims, 'logout+jwt')).replace(/[^.]*$/, '');
const altered = async (claims: JWTPayload) => {
  const [header, , signature] = (await provider.sign(claims)).split('.');
  return `${header}.${part({ ...claims, sub: 'eve' })}.${signature}`;
};
const bySecret = (claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret));
const byStranger = (kid?: string) => async (claims: JWTPayload) => {
  const { privateKey } = await generateKeyPair('RS256');
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...(kid ? { kid } : {}) }).sign(privateKey);
};
const ofType = (typ: string) => (claims: JWTPayload) => provider.sign(claims, typ);
const epoch = Math.floor(Date.now() / 1000);
const event = 'http://schemas.openid.net/event/backchannel-logout';

describe('a logout token that is refused (S41)', () => {
  test.each<{
    name: string;
    claims?: Record<string, unknown>;
    sign?: (claims: JWTPayload) => string | Promise<string>;
  }>([
    { name: 'unsigned (alg none)', sign: unsigned },
    { name: 'its signature taken away', sign: stripped },
    { name: 'another content under the signature', sign: altered },
    { name: 'signed by the client secret (HS256)', sign: bySecret },
    { name: 'signed by a key that is not published', sign: byStranger('published') },
    { name: 'signed by a key of no name', sign: byStranger() },
    { name: 'signed by a published key of another algorithm', sign: (claims) => provider.signOther(claims) },
    { name: 'not a token', sign: () => 'logout' },
    { name: 'a line end behind it', sign: async (claims) => `${await provider.sign(claims)}\n` },
    {
      name: 'a blank in it',
      sign: async (claims) => (await provider.sign(claims)).replace(/\.(?=[^.]*$)/, '. '),
    },
    { name: 'five parts', sign: () => 'a.b.c.d.e' },
    { name: 'too long', sign: () => 'x'.repeat(16_385) },
    { name: 'an access token by its type', sign: ofType('at+jwt') },
    { name: 'another issuer', claims: { iss: 'https://other.example' } },
    { name: 'no issuer', claims: { iss: undefined } },
    { name: 'another audience', claims: { aud: 'other' } },
    { name: 'no audience', claims: { aud: undefined } },
    { name: 'expired', claims: { exp: epoch - 120 } },
    { name: 'no exp, and issued long ago (D17)', claims: { exp: undefined, iat: epoch - 720 } },
    { name: 'no exp, and issued in the future (D17)', claims: { exp: undefined, iat: epoch + 3600 } },
    { name: 'no exp and no iat (D17)', claims: { exp: undefined, iat: undefined } },
    { name: 'no exp and no jti (D17)', claims: { exp: undefined, jti: undefined } },
    { name: 'an exp that is no time (D17)', claims: { exp: null } },
    { name: 'issued long ago', claims: { iat: epoch - 7200 } },
    { name: 'issued in the future', claims: { iat: epoch + 3600, exp: epoch + 7200 } },
    { name: 'no iat', claims: { iat: undefined } },
    { name: 'no jti', claims: { jti: undefined } },
    { name: 'an empty jti', claims: { jti: '' } },
    { name: 'no events', claims: { events: undefined } },
    { name: 'another event', claims: { events: { 'urn:other': {} } } },
    { name: 'events as a list', claims: { events: [event] } },
    { name: 'an event that is no object', claims: { events: { [event]: true } } },
    { name: 'a nonce, as ID tokens have', claims: { nonce: 'n' } },
    { name: 'an empty nonce', claims: { nonce: '' } },
    { name: 'neither sub nor sid', claims: { sub: undefined, sid: undefined } },
    { name: 'a sid that is no text', claims: { sid: 7 } },
    { name: 'an empty sid', claims: { sid: '' } },
    { name: 'an empty sub', claims: { sub: '' } },
  ])('$name', async ({ claims = {}, sign = (all) => provider.sign(all) }) => {
    const token = await sign(logoutClaims(provider.issuer, claims));
    expect(await errorOf(connect().readLogoutToken!(token))).toMatchObject({ status: 400 });
  });

  test('keys that cannot be had are the provider’s trouble, not the token’s', async () => {
    provider.metadata = { jwks_uri: `${provider.issuer}/userinfo` };
    const token = await provider.sign(logoutClaims(provider.issuer));
    expect(await errorOf(connect().readLogoutToken!(token))).toMatchObject({ status: 503 });
  });
});

test('strangers’ tokens make the console ask the provider once more, and not again and again (D21)', async () => {
  const outbound = loopbackOutbound();
  const nowMs = Date.now();
  const connector = connect({ outbound, now: () => nowMs });
  for (let i = 0; i < 5; i++) {
    const token = await byStranger(`kid-${i}`)(logoutClaims(provider.issuer));
    await errorOf(connector.readLogoutToken!(token));
  }
  expect(outbound.asked.filter((line) => line === 'GET /jwks')).toHaveLength(2);
});

test('a front-channel logout is for this issuer and names a session', async () => {
  const read = (parameters: Record<string, string>) =>
    Promise.resolve().then(() => connect().readFrontChannelLogout!(new Map(Object.entries(parameters))));
  expect(await read({ iss: provider.issuer, sid: 'session-7' })).toBe('session-7');
  for (const wrong of [
    {},
    { sid: 'session-7' },
    { iss: provider.issuer },
    { iss: provider.issuer, sid: '' },
    { iss: `${provider.issuer}/`, sid: 'session-7' },
  ]) {
    expect(await errorOf(read(wrong as Record<string, string>))).toMatchObject({ status: 400 });
  }
});
