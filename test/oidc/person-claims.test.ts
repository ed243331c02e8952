/** D20: what ID tokens and userinfo say of a person, and how userinfo may be asked. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { makeProof, newClientKey } from '../helpers/dpop.ts';
import {
  authorizationPath,
  callbackOf,
  dashboard,
  redeem,
  refresh,
  signInForTokens,
  type Tokens,
  userinfo,
  verifier,
} from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

const carol = { username: 'carol', password: 'nine-violet-lanterns-4', email: 'carol@example.org' };

let console: RunningConsole;
let tokens: Tokens;
beforeAll(async () => {
  console = await startConsole();
  const { username, password, email } = carol;
  await toolDone(['user', 'add', username, '--role', 'Viewer', '--email', email, '--password-file', '-'], {
    dataDir: console.dataDir,
    stdin: password,
  });
  tokens = await signIn('openid profile email');
});
afterAll(() => console?.stop());

const signIn = (scope: string) => signInForTokens(console, createUserAgent(console.url), { scope }, carol);

test('an ID token says name and how the sign-in was made, and no e-mail address (D20)', async () => {
  const { iss, aud, sub, iat, exp, ...said } = decodeJwt(tokens.id_token);
  expect(said).toEqual({
    name: 'carol',
    preferred_username: 'carol',
    roles: ['Viewer'],
    acr: 'pwd',
    amr: ['pwd'],
    auth_time: expect.any(Number),
    sid: expect.any(String),
  });
  const renewed = decodeJwt((await refresh(console, tokens.refresh_token)).body.id_token);
  expect(renewed).toMatchObject({ name: 'carol', acr: 'pwd', amr: ['pwd'], auth_time: said.auth_time });
  expect(renewed).not.toHaveProperty('email');
});

test('userinfo says name and e-mail address, and that nobody has verified it (D20)', async () => {
  expect((await userinfo(console, tokens.access_token)).body).toEqual({
    sub: decodeJwt(tokens.id_token).sub,
    name: 'carol',
    preferred_username: 'carol',
    roles: ['Viewer'],
    email: carol.email,
    email_verified: false,
  });
});

test.each([
  ['openid', []],
  ['openid profile', ['name', 'preferred_username', 'roles']],
  ['openid email', ['email', 'email_verified']],
])('scope "%s" opens %j at userinfo, and none of it without (D20)', async (scope, claims) => {
  const { body } = await userinfo(console, (await signIn(scope)).access_token);
  expect(Object.keys(body).sort()).toEqual(['sub', ...claims].sort());
});

test('who has no e-mail address has none that is not verified (D20)', async () => {
  const admin = await signInForTokens(console, createUserAgent(console.url));
  const { body } = await userinfo(console, admin.access_token);
  expect(Object.keys(body)).not.toContain('email');
  expect(Object.keys(body)).not.toContain('email_verified');
});

test('discovery names the claims, and the acr of an ID token is one that it names (D20)', async () => {
  const metadata = await (await fetch(`${console.url}/.well-known/openid-configuration`)).json();
  const { claims_supported: claims, acr_values_supported: acrs } = metadata as Record<string, string[]>;
  expect(claims).toEqual(
    expect.arrayContaining(['name', 'email', 'email_verified', 'acr', 'amr', 'auth_time']),
  );
  const agent = createUserAgent(console.url);
  // The console's own sign-in page, and an application that finds the session.
  await agent.signIn(carol);
  const asked = authorizationPath({ prompt: 'none', acr_values: acrs!.join(' ') });
  const code = callbackOf(await agent.get(asked)).get('code');
  const { acr, amr } = decodeJwt((await redeem(console, code)).body.id_token);
  expect([acr, amr]).toEqual(['pwd', ['pwd']]);
  expect(acrs).toContain(acr);
});

describe('a token in the form of a POST (RFC 6750 §2.2) (D20)', () => {
  const form = 'application/x-www-form-urlencoded';

  async function ask(
    body: string,
    headers: Record<string, string> = { 'content-type': form },
    method = 'POST',
  ) {
    const reply = await fetch(`${console.url}/userinfo`, {
      method,
      headers,
      ...(method === 'GET' ? {} : { body }),
    });
    return {
      status: reply.status,
      headers: reply.headers,
      body: (await reply.json()) as Record<string, unknown>,
    };
  }

  test.each([form, `${form};charset=UTF-8`, form.toUpperCase()])('opens userinfo as %s', async (type) => {
    const reply = await ask(`access_token=${tokens.access_token}&x=1`, { 'content-type': type });
    expect([reply.status, reply.body.email]).toEqual([200, carol.email]);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test('beside one in the field is refused, the same or another', async () => {
    const authorization = `Bearer ${tokens.access_token}`;
    for (const other of [tokens.access_token, 'x']) {
      const reply = await ask(`access_token=${other}`, { 'content-type': form, authorization });
      expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
      expect(reply.headers.get('www-authenticate')).toContain('invalid_request');
    }
    expect((await ask('x=1', { 'content-type': form, authorization })).status).toBe(200);
  });

  test.each<[string, () => string, number, string]>([
    ['a forged one', () => `access_token=${tokens.access_token.slice(0, -8)}AAAAAAAA`, 401, 'invalid_token'],
    ['one that is none', () => 'access_token=a b', 400, 'invalid_request'],
    ['a repeated one', () => `access_token=x&access_token=${tokens.access_token}`, 400, 'invalid_request'],
    ['an ID token', () => `access_token=${tokens.id_token}`, 401, 'invalid_token'],
    ['a bad escape', () => 'access_token=%zz', 400, 'invalid_request'],
    ['a huge one', () => `access_token=${'x'.repeat(70_000)}`, 413, 'invalid_request'],
  ])('%s is refused', async (_name, body, status, error) => {
    const reply = await ask(body());
    expect([reply.status, reply.body.error]).toEqual([status, error]);
  });

  test.each<[string, () => Record<string, string>, string]>([
    ['of another type', () => ({ 'content-type': 'text/plain' }), 'POST'],
    ['of several parts', () => ({ 'content-type': 'multipart/form-data; boundary=x' }), 'POST'],
    ['of a GET', () => ({ 'content-type': form }), 'GET'],
  ])('of a body %s counts for nothing', async (_name, headers, method) => {
    expect((await ask(`access_token=${tokens.access_token}`, headers(), method)).status).toBe(401);
  });

  test('RFC 9449 §7.1: one that is bound to a key opens nothing there', async () => {
    const key = await newClientKey();
    const agent = createUserAgent(console.url);
    await agent.signIn(carol);
    const code = callbackOf(await agent.get(authorizationPath())).get('code');
    const response = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: { DPoP: await makeProof(key, { url: `${console.url}/oauth2/token` }) },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: dashboard.clientId,
        redirect_uri: dashboard.redirectUri,
        code: code!,
        code_verifier: verifier,
      }),
    });
    const { access_token: token, token_type: type } = (await response.json()) as Tokens;
    expect(type).toBe('DPoP');
    const proof = await makeProof(key, { url: `${console.url}/userinfo`, token });
    for (const headers of [{ 'content-type': form }, { 'content-type': form, DPoP: proof }]) {
      expect((await ask(`access_token=${token}`, headers)).status).toBe(401);
    }
  });
});
