import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { basic, post, requestScope } from './support.ts';

let console: RunningConsole;

beforeAll(async () => {
  console = await startConsole();
});
afterAll(async () => {
  await console.stop();
});

const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];
type Metadata = Record<string, string & string[]>;
const metadata = async (path = paths[0]!) => (await (await fetch(console.url + path)).json()) as Metadata;

test('both documents say the same', async () => {
  expect(await metadata(paths[1])).toEqual(await metadata(paths[0]));
});

describe.each(paths)('%s', (path) => {
  test('may be remembered, and asked for again by its tag', async () => {
    const first = await fetch(console.url + path);
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('application/json');
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    const etag = first.headers.get('etag')!;
    expect((await fetch(console.url + path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect(await (await fetch(console.url + path, { method: 'HEAD' })).text()).toBe('');
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is 405 and names GET (S7)', async (method) => {
    const response = await fetch(console.url + path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test.each([`${path}/`, path.toUpperCase(), `/${path}`, `${path}%20`])('is not at %s', async (other) => {
    expect((await fetch(console.url + other)).status).toBe(404);
  });
});

test('every address is the issuer and a promised path (S24)', async () => {
  const found = await metadata();
  const addresses = Object.entries(found).filter(([name]) => /(_endpoint|_uri)$/.test(name));
  expect(found.issuer).toBe(console.url);
  expect(Object.fromEntries(addresses)).toEqual({
    authorization_endpoint: `${console.url}/oauth2/authorize`,
    token_endpoint: `${console.url}/oauth2/token`,
    userinfo_endpoint: `${console.url}/userinfo`,
    jwks_uri: `${console.url}/oauth2/jwks`,
    end_session_endpoint: `${console.url}/connect/logout`,
    revocation_endpoint: `${console.url}/oauth2/revoke`,
    introspection_endpoint: `${console.url}/oauth2/introspect`,
    device_authorization_endpoint: `${console.url}/oauth2/device_authorization`,
  });
});

test.each([
  ['authorization_endpoint', 'GET', [400]],
  ['token_endpoint', 'POST', [401]],
  ['userinfo_endpoint', 'GET', [401]],
  ['jwks_uri', 'GET', [200]],
  ['end_session_endpoint', 'GET', [200, 303]],
  ['revocation_endpoint', 'POST', [401]],
  ['introspection_endpoint', 'POST', [401]],
  ['device_authorization_endpoint', 'POST', [401]],
])('the advertised %s answers', async (name, method, statuses) => {
  const response = await fetch((await metadata())[name]!, {
    method,
    redirect: 'manual',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    ...(method === 'POST' ? { body: 'token=x&grant_type=client_credentials' } : {}),
  });
  expect(statuses).toContain(response.status);
});

test('the advertised scopes, role scopes among them, are those that are given', async () => {
  const { scopes_supported: scopes } = await metadata();
  expect(scopes).toEqual(['openid', 'email', 'profile', 'offline_access', 'app:Viewer', 'app:MetricsViewer']);
  const forMachines = scopes!.filter((scope) => scope !== 'offline_access').join(' ');
  expect((await requestScope(console, forMachines)).json.scope).toBe(forMachines);
});

test('every advertised grant is known, and no other (S10)', async () => {
  const { grant_types_supported: grants } = await metadata();
  expect(grants).toEqual([
    ...['authorization_code', 'refresh_token', 'client_credentials'],
    'urn:ietf:params:oauth:grant-type:device_code',
  ]);
  for (const grant of [...grants!, 'password', 'implicit']) {
    const { json } = await post(console, { body: `grant_type=${encodeURIComponent(grant)}` });
    expect([grant, json.error === 'unsupported_grant_type']).toEqual([grant, !grants!.includes(grant)]);
  }
});

test('every advertised way of client authentication works', async () => {
  const found = await metadata();
  expect(found.token_endpoint_auth_methods_supported).toEqual([
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'none',
  ]);
  expect(found.revocation_endpoint_auth_methods_supported).toEqual(
    found.token_endpoint_auth_methods_supported,
  );
  expect(found.introspection_endpoint_auth_methods_supported).toEqual([
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
  ]);
  for (const place of ['token', 'revocation', 'introspection']) {
    const signed = found[`${place}_endpoint_auth_signing_alg_values_supported`];
    expect(signed).toEqual(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']);
  }
});

test.each([
  ['response_types_supported', ['code']],
  ['code_challenge_methods_supported', ['S256']],
  ['id_token_signing_alg_values_supported', ['RS256', 'ES256', 'EdDSA']],
  ['request_parameter_supported', false],
  ['request_uri_parameter_supported', false],
  ['claims_parameter_supported', true],
  ['authorization_response_iss_parameter_supported', true],
  ['registration_endpoint', undefined],
  ['pushed_authorization_request_endpoint', undefined],
  ['backchannel_logout_supported', true],
  ['backchannel_logout_session_supported', true],
])('%s is %j (S17, S18)', async (name, value) => {
  expect((await metadata())[name]).toEqual(value);
});

test('what is off is not there (S15)', async () => {
  const off = [
    '/oauth2/register',
    '/oauth2/registration',
    '/reg',
    '/register',
    '/connect/register',
    '/oauth2/par',
    '/oauth2/request',
    '/backchannel',
    '/challenge',
    '/debug',
    '/oauth2',
    '/oauth2/',
    '/token',
    '/auth',
    '/jwks',
    '/me',
    '/session/end',
    '/interaction/x',
    '/.well-known/webfinger',
  ];
  for (const path of off) {
    for (const method of ['GET', 'POST']) {
      const reply = await post(console, { path, method, authorization: basic() });
      expect([path, method, reply.status]).toEqual([path, method, 404]);
    }
  }
});
