import { rm } from 'node:fs/promises';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { basic, machineClient, post, registerClients, requestScope, verify } from './support.ts';

let dataDir: string;
let console: RunningConsole;

beforeAll(async () => {
  dataDir = await usedDataDir();
  await registerClients(dataDir, [
    machineClient('narrow', { scopes: ['openid', 'app:MetricsViewer'] }),
    machineClient('plain', { scopes: ['openid', 'profile'] }),
    machineClient('curve', { tokenAlg: 'ES256', tokenTyp: 'at+jwt' }),
    machineClient('edwards', { tokenAlg: 'EdDSA' }),
  ]);
  console = await startConsole({ dataDir });
});
afterAll(async () => {
  await console.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test.each<{ scope: string | undefined; roles: string[]; granted: string }>([
  { scope: undefined, roles: ['Admin'], granted: '' },
  { scope: '', roles: ['Admin'], granted: '' },
  { scope: 'openid', roles: ['Admin'], granted: 'openid' },
  { scope: 'openid email profile', roles: ['Admin'], granted: 'openid email profile' },
  { scope: 'app:Viewer', roles: ['Viewer'], granted: 'app:Viewer' },
  { scope: 'app:MetricsViewer', roles: ['MetricsViewer'], granted: 'app:MetricsViewer' },
  {
    scope: 'app:Viewer app:MetricsViewer',
    roles: ['Viewer', 'MetricsViewer'],
    granted: 'app:Viewer app:MetricsViewer',
  },
  {
    scope: 'openid email profile app:Viewer',
    roles: ['Viewer'],
    granted: 'openid email profile app:Viewer',
  },
  { scope: 'app:Viewer app:Viewer', roles: ['Viewer'], granted: 'app:Viewer' },
])('scope "$scope" gives $roles, and every promised claim (S1)', async ({ scope, roles, granted }) => {
  const reply = await requestScope(console, scope);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  const { access_token: token, ...rest } = reply.json;
  // D19: an empty text is no scope (RFC 6749 §3.3).
  const ofScope = granted === '' ? {} : { scope: granted };
  expect(rest).toEqual({ token_type: 'Bearer', expires_in: 300, ...ofScope });

  const { payload, protectedHeader } = await verify(console, token);
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.stringMatching(/^rs256-/) });
  const { iat, exp, jti, ...claims } = payload;
  expect(exp! - iat!).toBe(300);
  expect(Math.abs(iat! - Date.now() / 1000)).toBeLessThan(30);
  expect(jti).toMatch(/^[\w-]{20,}$/);
  const scopes = granted.split(' ');
  expect(claims).toEqual({
    iss: console.url,
    aud: `${console.url}/svc`,
    sub: 'application-client',
    client_id: 'application-client',
    clientId: 'application-client',
    scope: granted,
    roles,
    realm_access: { roles },
    ...(scopes.includes('profile') ? { preferred_username: 'application-client' } : {}),
    ...(scopes.includes('email') ? { email: 'application-client' } : {}),
  });
});

test('two tokens never share a jti (S1)', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => requestScope(console)));
  const ids = await Promise.all(
    replies.map(async ({ json }) => (await verify(console, json.access_token)).payload.jti),
  );
  expect(new Set(ids).size).toBe(20);
});

test.each([
  ['a typo', 'app:Viewr'],
  ['another case', 'app:viewer'],
  ['upper case', 'APP:VIEWER'],
  ['another case of the prefix', 'App:Viewer'],
  ['an app scope that looks powerful', 'app:Admin'],
  ['app alone', 'app'],
  ['app with a colon', 'app:'],
  ['app with another separator', 'app.Viewer'],
  ['the role without prefix', 'Viewer'],
  ['an identity scope in another case', 'OpenID'],
  ['a typo of an identity scope', 'openid emial'],
  ['a known one beside an unknown one', 'openid app:Viewer app:Operator'],
  ['offline access', 'openid offline_access'],
  ['a member scope that was not registered', 'svc:data:write'],
  ['an asterisk', '*'],
  ['a space alone', ' '],
  ['many spaces and nothing else', '     '],
  ['an unknown one among spaces', ' openid   app:viewer '],
  ['a tab between', 'openid\tapp:Viewer'],
  ['a tab behind', 'app:Viewer\t'],
  ['a line feed', 'app:Viewer\nopenid'],
  ['a NUL behind', 'app:Viewer\0'],
  ['a NUL in front', '\0app:Viewer'],
  ['a no-break space', 'openid\u00a0app:Viewer'],
  ['a zero-width space', 'app:Viewer\u200b'],
  ['a Cyrillic letter', 'app:Viеwer'],
  ['a comma between', 'openid,app:Viewer'],
  ['a plus that was meant as a space', 'openid%2Bapp:Viewer'],
  ['a prototype name', '__proto__'],
  ['ten thousand characters', 'a'.repeat(10_000)],
])('%s is invalid_scope, and no token (S11)', async (_name, scope) => {
  const reply = await requestScope(console, scope);
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_scope']);
  expect(reply.text).not.toContain('access_token');
  expect(reply.headers.get('cache-control')).toBe('no-store');
});

test.each([
  ['two spaces', 'openid  app:Viewer'],
  ['a space in front', ' openid app:Viewer'],
  ['spaces behind', 'openid app:Viewer  '],
  ['spaces everywhere', '  openid     app:Viewer '],
])('%s do no harm: the same scopes, and no role more (D19)', async (_name, scope) => {
  const { status, json } = await requestScope(console, scope);
  expect([status, json.scope]).toEqual([200, 'openid app:Viewer']);
  const { payload } = await verify(console, json.access_token);
  expect([payload.scope, payload.roles]).toEqual(['openid app:Viewer', ['Viewer']]);
});

test('introspection leaves an empty scope out as well (D19)', async () => {
  const [with_, without] = [await requestScope(console, 'openid'), await requestScope(console)];
  const inspect = async ({ json }: typeof with_) =>
    (await post(console, { path: '/oauth2/introspect', body: `token=${json.access_token}` })).json;
  expect(await inspect(with_)).toMatchObject({ active: true, scope: 'openid' });
  const inspected = await inspect(without);
  expect([inspected.active, 'scope' in inspected]).toEqual([true, false]);
});

test('a repeated scope is invalid_request, whichever one is harmless (S9, S11)', async () => {
  const body = 'grant_type=client_credentials&scope=app%3AViewer&scope=openid';
  const reply = await post(console, { body });
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
  expect(reply.text).not.toContain('access_token');
});

test('client credentials give neither a refresh token nor an ID token (S13)', async () => {
  const { json } = await requestScope(console, 'openid email profile');
  expect(Object.keys(json).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
});

test.each([
  { id: 'plain', scope: undefined, status: 200, roles: [] },
  { id: 'plain', scope: 'openid profile', status: 200, roles: [] },
  { id: 'plain', scope: 'app:Viewer', status: 400 },
  { id: 'plain', scope: 'email', status: 400 },
  { id: 'narrow', scope: 'app:MetricsViewer', status: 200, roles: ['MetricsViewer'] },
  { id: 'narrow', scope: 'app:Viewer', status: 400 },
  { id: 'narrow', scope: undefined, status: 200, roles: [] },
])(
  'client $id asking for "$scope" gets $status and never Admin (S11)',
  async ({ id, scope, status, roles }) => {
    const reply = await requestScope(console, scope, basic(id));
    expect(reply.status).toBe(status);
    if (roles === undefined) {
      expect(reply.json.error).toBe('invalid_scope');
    } else {
      expect((await verify(console, reply.json.access_token)).payload.roles).toEqual(roles);
    }
  },
);

test.each([
  { id: 'curve', header: { alg: 'ES256', typ: 'at+jwt' } },
  { id: 'edwards', header: { alg: 'EdDSA', typ: 'JWT' } },
  { id: 'plain', header: { alg: 'RS256', typ: 'JWT' } },
])('a token of client $id is signed as registered: $header (S1)', async ({ id, header }) => {
  const { json } = await requestScope(console, 'openid', basic(id));
  expect(decodeProtectedHeader(json.access_token)).toEqual({ ...header, kid: expect.any(String) });
  expect((await verify(console, json.access_token)).payload.sub).toBe(id);
});
