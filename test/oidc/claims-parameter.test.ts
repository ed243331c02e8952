/** D20: single claims that are asked for by the parameter `claims` (OpenID Connect Core §5.5). */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  authorizationPath,
  authorize,
  callbackOf,
  type Parameters,
  redeem,
  refresh,
  userinfo,
} from '../helpers/sign-in.ts';
import { addClient, thirdParty } from '../helpers/store.ts';
import { createUserAgent, formsOf, textOf } from '../helpers/user-agent.ts';

const carol = { username: 'carol', password: 'nine-violet-lanterns-4', email: 'carol@example.org' };

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
  const { username, password, email } = carol;
  const account = ['user', 'add', username, '--role', 'Viewer', '--email', email, '--password-file', '-'];
  await toolDone(account, { dataDir: console.dataDir, stdin: password });
  await addClient(console.dataDir);
  await addClient(console.dataDir, { ...thirdParty, id: 'narrow', isFirstParty: true, scopes: ['openid'] });
});
afterAll(() => console?.stop());

async function tokensFor(claims: object, more: Parameters = {}) {
  const asked = { scope: 'openid', claims: JSON.stringify(claims), ...more };
  const code = (await authorize(createUserAgent(console.url), asked, carol)).get('code');
  const { status, body } = await redeem(console, code, {
    ...(more.client_id ? { client_id: more.client_id, redirect_uri: more.redirect_uri } : {}),
  });
  expect(status).toBe(200);
  return body;
}

const saidBy = async (token: string) => Object.keys((await userinfo(console, token)).body).sort();

test('a claim of userinfo is said without its scope, and nothing else of that scope (D20)', async () => {
  const tokens = await tokensFor({ userinfo: { name: { essential: true }, email: null } });
  expect((await userinfo(console, tokens.access_token)).body).toEqual({
    sub: decodeJwt(tokens.id_token).sub,
    name: 'carol',
    email: carol.email,
  });
  expect(decodeJwt(tokens.id_token)).not.toHaveProperty('name');
  const renewed = (await refresh(console, tokens.refresh_token)).body;
  expect(await saidBy(renewed.access_token)).toEqual(['email', 'name', 'sub']);
});

test('a claim of the ID token is said there alone, an e-mail address too (D20)', async () => {
  const tokens = await tokensFor({
    id_token: { email: null, email_verified: null, preferred_username: null },
  });
  expect(decodeJwt(tokens.id_token)).toMatchObject({
    email: carol.email,
    email_verified: false,
    preferred_username: 'carol',
  });
  expect(await saidBy(tokens.access_token)).toEqual(['sub']);
});

test('what there is not, and what hangs on scopes, is overlooked', async () => {
  const odd = { roles: null, birthdate: null, __proto__x: null, constructor: null, acr: null, sub: null };
  const tokens = await tokensFor({ userinfo: odd, id_token: { ...odd, name: null } });
  expect(await saidBy(tokens.access_token)).toEqual(['sub']);
  const { roles, birthdate, name } = decodeJwt(tokens.id_token);
  expect([roles, birthdate, name]).toEqual([undefined, undefined, 'carol']);
  expect(decodeJwt(tokens.access_token)).not.toHaveProperty('userinfo_claims');
});

test('a client gets no claim by it whose scope it is not registered for', async () => {
  const redirect = { client_id: 'narrow', redirect_uri: thirdParty.redirectUris[0] };
  const all = { name: null, email: { essential: true }, preferred_username: null };
  const agent = createUserAgent(console.url);
  await agent.signIn(carol);
  const path = authorizationPath({
    ...redirect,
    scope: 'openid',
    claims: JSON.stringify({ userinfo: all, id_token: all }),
  });
  const { body } = await redeem(console, callbackOf(await agent.get(path)).get('code'), redirect);
  expect(await saidBy(body.access_token)).toEqual(['sub']);
  expect(decodeJwt(body.id_token)).not.toHaveProperty('email');
});

test('an application of others gets what the person has allowed, by name', async () => {
  const redirect = { client_id: thirdParty.id, redirect_uri: thirdParty.redirectUris[0] };
  const path = authorizationPath({ ...redirect, scope: 'openid', claims: '{"userinfo":{"email":null}}' });
  const agent = createUserAgent(console.url);
  await agent.signIn(carol);
  const page = await agent.follow(await agent.get(path));
  expect(textOf(page)).toContain('See your e-mail address.');
  expect(formsOf(page.body)).not.toEqual([]);
  const end = await agent.follow(await agent.submit(page, { decision: 'allow' }));
  const { body } = await redeem(console, callbackOf(end).get('code'), redirect);
  expect(await saidBy(body.access_token)).toEqual(['email', 'sub']);
  // Once allowed it is not asked for again; another claim is.
  expect(callbackOf(await agent.get(`${path}&prompt=none`)).get('code')).toBeTruthy();
  const more = authorizationPath({
    ...redirect,
    scope: 'openid',
    prompt: 'none',
    claims: '{"userinfo":{"name":null}}',
  });
  expect(callbackOf(await agent.get(more)).get('error')).toBe('consent_required');
});

describe('what cannot be understood, or promised, is told to the application', () => {
  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['neither member', '{}'],
    ['a member that is a list', '{"userinfo":[]}'],
    ['an essential acr', '{"id_token":{"acr":{"essential":true,"values":["gold"]}}}'],
  ])('%s', async (_name, claims) => {
    const reply = await createUserAgent(console.url).get(authorizationPath({ claims }));
    expect(callbackOf(reply).get('error')).toBe('invalid_request');
  });
});
