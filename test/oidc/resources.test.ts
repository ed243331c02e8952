/** Tokens are for the members or for the admin API, and open nothing at the other (RFC 8707, S96). */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import {
  apiToken,
  clientSecret,
  machineToken,
  type RunningConsole,
  startConsole,
} from '../helpers/console.ts';
import { authorize, callbackOf, redeem, refresh, signInForTokens, userinfo } from '../helpers/sign-in.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';
import { addProxyClient, memberOf, type RunningProxy, startProxy } from '../proxy/support.ts';
import { basic, eventually, post } from './support.ts';

let console: RunningConsole;
let proxy: RunningProxy;
let members: string;
let api: string;

beforeAll(async () => {
  console = await startConsole();
  [members, api] = [`${console.url}/svc`, `${console.url}/api`];
  const client = await addProxyClient(console);
  proxy = await startProxy({ console, client, members: [memberOf(console)] });
});
afterAll(async () => {
  await proxy?.stop();
  await console?.stop();
});

const grant = 'grant_type=client_credentials';
const ask = (parameters = '') => post(console, { body: `${grant}${parameters}` });
const named = (...resources: string[]) =>
  resources.map((resource) => `&resource=${encodeURIComponent(resource)}`).join('');
const audienceOf = (token: string) => decodeJwt(token).aud;

/** Named by a proxy, a call is not from this machine. */
const get = (path: string, token: string, origin = console.url) =>
  fetch(origin + path, { headers: { Authorization: `Bearer ${token}`, Via: '1.1 proxy' } });

describe('a machine (B8)', () => {
  test('gets a token for the members, unless it asks for the admin API', async () => {
    expect(audienceOf((await ask()).json.access_token)).toBe(members);
    expect(audienceOf((await ask(named(members))).json.access_token)).toBe(members);
    const forApi = (await ask(named(api))).json.access_token;
    expect(decodeJwt(forApi)).toMatchObject({ aud: api, roles: ['Admin'], scope: '' });
    expect(audienceOf((await ask(`&scope=app:Viewer${named(api)}`)).json.access_token)).toBe(api);
  });

  test.each([
    ['two resources', () => named(members, api)],
    ['one resource twice', () => named(api, api)],
    ['a resource that there is not', () => named(`${console.url}/other`)],
    ['the issuer', () => named(console.url)],
    ['the admin API with a slash more', () => named(`${api}/`)],
    ['an address below it', () => named(`${api}/v1`)],
  ])('asking for %s is refused as invalid_target', async (_name, parameters) => {
    const { status, json } = await ask(parameters());
    expect([status, json.error, json.access_token]).toEqual([400, 'invalid_target', undefined]);
  });

  test('with a scope of the API gets a token for it, and never one that is for the members as well', async () => {
    const scope = 'api:revocations:read svc:health:read';
    const added = await toolDone(['client', 'add', 'both', '--scope', scope, '--json'], {
      dataDir: console.dataDir,
    });
    const authorization = basic('both', added.json<{ secret: string }>().secret);
    const as = (parameters: string) => post(console, { body: `${grant}${parameters}`, authorization });
    await eventually(async () => (await as('')).status === 200, 'the client');
    expect(audienceOf((await as('&scope=api:revocations:read')).json.access_token)).toBe(api);
    expect(audienceOf((await as('&scope=svc:health:read')).json.access_token)).toBe(members);
    for (const rejected of [
      `&scope=${encodeURIComponent(scope)}`,
      `&scope=api:revocations:read${named(members)}`,
      `&scope=svc:health:read${named(api)}`,
    ]) {
      expect((await as(rejected)).json).toMatchObject({
        error: 'invalid_target',
        error_description: expect.stringContaining('a token of its own'),
      });
    }
  });
});

describe('a token opens its own resource alone (B8)', () => {
  test('at the admin API one for the members is refused, with what to ask for instead', async () => {
    const reply = await get('/api/v1/clients', await machineToken(console));
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="The access token is for another resource: ask for one with resource=${api}"`,
    );
    expect(await reply.json()).toMatchObject({ code: 'invalid_token', detail: expect.stringContaining(api) });
    expect((await get('/api/v1/clients', await apiToken(console))).status).toBe(200);
  });

  test('at the members, here and at a proxy of its own, one for the admin API is', async () => {
    const [forApi, forMembers] = [await apiToken(console), await machineToken(console)];
    for (const origin of [console.url, proxy.url]) {
      const reply = await get('/svc/rest/cluster', forApi, origin);
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toContain(`resource=${members}"`);
      expect((await get('/svc/rest/cluster', forMembers, origin)).status).toBe(200);
    }
  });

  test('numbers, introspection and revocation take both', async () => {
    for (const token of [await apiToken(console), await machineToken(console)]) {
      expect((await get('/metrics', token)).status).toBe(200);
      const introspect = () => post(console, { path: '/oauth2/introspect', body: `token=${token}` });
      expect((await introspect()).json).toMatchObject({ active: true, aud: audienceOf(token) });
      await post(console, { path: '/oauth2/revoke', body: `token=${token}` });
      expect((await introspect()).json).toEqual({ active: false });
    }
  });
});

describe('a person (B8)', () => {
  const agent = () => createUserAgent(console.url);
  const tokensFor = (resource?: string, by: UserAgent = agent()) =>
    signInForTokens(console, by, resource === undefined ? {} : { resource });

  test('gets a token for the resource of the request, and by a refresh another for the same', async () => {
    expect(audienceOf((await tokensFor()).access_token)).toBe(members);
    const tokens = await tokensFor(api);
    expect(audienceOf(tokens.access_token)).toBe(api);
    expect((await get('/api/v1/clients', tokens.access_token)).status).toBe(200);
    expect((await get('/svc/rest/cluster', tokens.access_token)).status).toBe(401);
    const renewed = (await refresh(console, tokens.refresh_token)).body;
    expect(audienceOf(renewed.access_token)).toBe(api);
    expect((await refresh(console, renewed.refresh_token, { resource: members })).body.error).toBe(
      'invalid_target',
    );
  });

  test('is known at userinfo by a token for either', async () => {
    const by = agent();
    for (const resource of [members, api]) {
      const { access_token: token } = await tokensFor(resource, by);
      expect(await userinfo(console, token)).toMatchObject({
        status: 200,
        body: { preferred_username: 'ada', roles: ['Admin'] },
      });
    }
  });

  test('a code for the members buys nothing for the admin API', async () => {
    const code = (await authorize(agent())).get('code');
    const { status, body } = await redeem(console, code, { resource: api });
    expect([status, body.error]).toEqual([400, 'invalid_target']);
  });

  test.each([
    ['two resources', () => [members, api]],
    ['a resource that there is not', () => ['https://other.example/']],
  ])('asking for %s goes back with invalid_target', async (_name, resources) => {
    const by = agent();
    await by.signIn();
    const path = new URL('/oauth2/authorize', console.url);
    const request = {
      client_id: 'application-dashboard',
      redirect_uri: 'http://localhost:9021/login/callback',
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(request)) path.searchParams.set(name, value);
    for (const resource of resources()) path.searchParams.append('resource', resource);
    const answered = callbackOf(await by.get(path.href));
    expect([answered.get('error'), answered.get('code')]).toEqual(['invalid_target', null]);
  });

  test('an empty resource is none', async () => {
    const tokens = await tokensFor('');
    expect(audienceOf(tokens.access_token)).toBe(members);
  });
});

test('the command line asks for either (B8)', async () => {
  const env = { CONSOLE_URL: console.url };
  const token = async (...flags: string[]) => {
    const args = ['token', '--client', 'application-client', '--secret-file', '-', ...flags];
    return (await toolDone(args, { dataDir: console.dataDir, env, stdin: clientSecret })).stdout.trim();
  };
  expect(audienceOf(await token())).toBe(members);
  expect(audienceOf(await token('--resource', api))).toBe(api);
});
