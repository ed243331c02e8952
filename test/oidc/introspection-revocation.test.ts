import { rm } from 'node:fs/promises';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { clientSecret, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { basic, type FormRequest, machineClient, post, registerClients, requestScope } from './support.ts';

let dataDir: string;
let console: RunningConsole;

beforeAll(async () => {
  dataDir = await usedDataDir();
  await registerClients(dataDir, [
    machineClient('other'),
    machineClient('web', {
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: ['https://web.example/callback'],
      scopes: ['openid', 'profile', 'offline_access'],
    }),
  ]);
  console = await startConsole({ dataDir });
});
afterAll(async () => {
  await console.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function newToken(scope = 'openid', authorization = basic()): Promise<string> {
  return (await requestScope(console, scope, authorization)).json.access_token;
}
const introspect = (token: string, request: FormRequest = {}) =>
  post(console, { path: '/oauth2/introspect', body: `token=${token}`, ...request });
const revoke = (token: string, request: FormRequest = {}) =>
  post(console, { path: '/oauth2/revoke', body: `token=${token}`, ...request });
const call = async (token: string) =>
  (await fetch(`${console.url}/svc/rest/cluster`, { headers: { Authorization: `Bearer ${token}` } })).status;

describe('introspection (RFC 7662)', () => {
  test('says what a live token says', async () => {
    const token = await newToken('openid profile app:Viewer');
    const reply = await introspect(token, { authorization: basic('other') });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.json).toEqual({ active: true, token_type: 'Bearer', ...decodeJwt(token) });
  });

  test.each([
    ['an altered signature', (token: string) => `${token.slice(0, -6)}AAAAAA`],
    [
      'altered claims',
      (token: string) => token.replace(/\.[^.]*\./, `.${btoa('{"sub":"x"}').replace(/=/g, '')}.`),
    ],
    [
      'no algorithm',
      (token: string) => `${btoa('{"alg":"none","typ":"JWT"}').replace(/=/g, '')}.${token.split('.')[1]}.`,
    ],
    ['three empty parts', () => '..'],
    ['a text that was never a token', () => 'never-a-token'],
    ['an opaque token of nobody', () => 'A'.repeat(43)],
    ['a JSON text', () => encodeURIComponent('{"active":true}')],
  ])('says of %s only that it is not active', async (_name, alter) => {
    const reply = await introspect(alter(await newToken()));
    expect([reply.status, reply.json]).toEqual([200, { active: false }]);
  });
});

describe('revocation (RFC 7009)', () => {
  test('ends a token at once, everywhere, and over a restart', async () => {
    const token = await newToken();
    const kept = await newToken();
    expect(await call(token)).toBe(200);
    expect((await introspect(token)).json.active).toBe(true);
    const reply = await revoke(token, { body: `token=${token}&token_type_hint=access_token` });
    expect([reply.status, reply.text, reply.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
    expect(await call(token)).toBe(401);
    expect((await introspect(token)).json).toEqual({ active: false });
    expect([await call(kept), (await introspect(kept)).json.active]).toEqual([200, true]);

    const { port } = console;
    await console.stop();
    console = await startConsole({ dataDir, port });
    expect([await call(token), await call(kept)]).toEqual([401, 200]);
    expect((await revoke(token)).status).toBe(200); // revoking again is no error
  });

  test("another client's token is refused and lives on", async () => {
    const token = await newToken();
    const reply = await revoke(token, { authorization: basic('other') });
    expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
    const anonymous = await revoke(token, {
      authorization: undefined,
      body: `token=${token}&client_id=application-dashboard`,
    });
    expect([anonymous.status, anonymous.json.error]).toEqual([400, 'invalid_request']);
    expect(await call(token)).toBe(200);
  });

  test.each(['never-a-token', 'a.b.c', 'A'.repeat(43)])(
    'what is no token (%s) is no error',
    async (token) => {
      expect((await revoke(token)).status).toBe(200);
    },
  );

  test('a token of a disabled client is void', async () => {
    await registerClients(dataDir, [machineClient('leaving')]);
    const authorization = basic('leaving');
    const { status, json } = await retried(() => requestScope(console, 'app:Viewer', authorization));
    expect([status, await call(json.access_token)]).toEqual([200, 200]);
    await toolDone(['client', 'disable', 'leaving'], { dataDir });
    expect(await call(json.access_token)).toBe(401);
    expect((await introspect(json.access_token)).json).toEqual({ active: false });
  });
});

/** The console takes what has been registered from the store. */
async function retried<T extends { status: number }>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 3000;
  for (;;) {
    const reply = await attempt();
    if (reply.status === 200 || Date.now() > deadline) return reply;
  }
}

describe.each(['/oauth2/introspect', '/oauth2/revoke'])('%s', (path) => {
  test.each([
    ['nobody', { authorization: undefined }],
    ['an unknown client', { authorization: basic('nobody') }],
    ['a wrong secret', { authorization: basic('application-client', 'x'.repeat(40)) }],
    ['a bearer token', { authorization: 'Bearer x.y.z' }],
    ['a client id alone', { authorization: undefined, body: 'token=x&client_id=application-client' }],
  ])('%s is invalid_client (S15)', async (_name, request: FormRequest) => {
    const token = await newToken();
    const body = (request.body ?? 'token=x').replace('token=x', `token=${token}`);
    const reply = await post(console, { path, ...request, body });
    expect([reply.status, reply.json.error]).toEqual([401, 'invalid_client']);
    expect(reply.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(await call(token)).toBe(200);
  });

  test.each(['GET', 'PUT', 'DELETE', 'HEAD'])('%s is 405 and names POST (S7)', async (method) => {
    const reply = await post(console, { path: `${path}?token=x`, method });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test.each([
    ['a missing token', 'x=y', {}],
    ['an empty token', 'token=', {}],
    ['a repeated token', 'token=a&token=b', {}],
    ['a bad escape', 'token=%', {}],
    ['JSON', '{"token":"x"}', { 'Content-Type': 'application/json' }],
  ])('%s is invalid_request (S7, S9)', async (_name, body, headers) => {
    const reply = await post(console, { path, body, headers });
    expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
  });

  test('a body over 64 KiB is 413 (S7)', async () => {
    const reply = await post(console, { path, body: `token=${'x'.repeat(65_536)}` });
    expect([reply.status, reply.json.error]).toEqual([413, 'invalid_request']);
  });
});

test('a public client may not introspect (S15)', async () => {
  const body = `token=${await newToken()}&client_id=application-dashboard`;
  const reply = await introspect('', { authorization: undefined, body });
  expect([reply.status, reply.json.error]).toEqual([401, 'invalid_client']);
  expect(reply.text).not.toContain('active');
});

/** The library authenticates clients again; what it is asked with must be what it knows them by. */
describe('a client with a secret reaches the library', () => {
  const inBody = `client_id=web&client_secret=${encodeURIComponent(clientSecret)}`;
  test.each([
    { name: 'Basic', request: { authorization: basic('web') }, credentials: 'a=b' },
    { name: 'the body', request: { authorization: undefined }, credentials: inBody },
  ])('with credentials in $name', async ({ request, credentials }) => {
    const ask = (path: string, body: string) =>
      post(console, { path, ...request, body: `${body}&${credentials}` });
    const opaque = 'A'.repeat(43);
    expect((await ask('/oauth2/introspect', `token=${opaque}`)).json).toEqual({ active: false });
    expect((await ask('/oauth2/revoke', `token=${opaque}`)).status).toBe(200);
    const refresh = await ask('/oauth2/token', `grant_type=refresh_token&refresh_token=${opaque}`);
    expect([refresh.status, refresh.json.error]).toEqual([400, 'invalid_grant']);
    const code = `grant_type=authorization_code&code=${opaque}&code_verifier=${'v'.repeat(43)}`;
    const uri = encodeURIComponent('https://web.example/callback');
    const redeemed = await ask('/oauth2/token', `${code}&redirect_uri=${uri}`);
    expect([redeemed.status, redeemed.json.error]).toEqual([400, 'invalid_grant']);
  });
});
