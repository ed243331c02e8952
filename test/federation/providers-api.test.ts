/** `/api/v1/identity-providers` of a running console. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, redeem } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

const secret = 'marmot-0123456789-abcdefghij';
const corp = {
  id: 'corp',
  kind: 'oidc',
  name: 'Corp',
  issuer: 'https://idp.example',
  clientId: 'console',
  clientSecret: secret,
  roleRules: ['groups=admins -> Admin'],
};

let console: RunningConsole;
let admin: string;
beforeAll(async () => {
  console = await startConsole();
  admin = await apiToken(console);
});
afterAll(() => console?.stop());

async function call(method: string, path: string, body?: unknown, token = admin, headers = {}) {
  const response = await fetch(`${console.url}/api/v1/identity-providers${path}`, {
    method,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(text).not.toContain(secret);
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
const listed = async () => ((await call('GET', '')).body as { id: string }[]).map(({ id }) => id);
const audited = () =>
  console
    .log()
    .flatMap(({ audit, event, outcome, target, actor }) => (audit ? [[event, outcome, target, actor]] : []));

test('a provider is added, shown, changed, switched off and on, and removed, each change audited', async () => {
  const added = await call('POST', '', corp);
  expect([added.status, added.headers.get('location')]).toEqual([201, '/api/v1/identity-providers/corp']);
  expect(added.body).toMatchObject({
    id: 'corp',
    kind: 'oidc',
    enabled: true,
    callbackUrl: `${console.url}/login/callback/corp`,
    settings: { issuer: 'https://idp.example', clientAuthentication: 'client_secret_basic' },
  });
  expect(await call('GET', '/corp')).toMatchObject({ status: 200, body: added.body });
  expect(await listed()).toEqual(['corp']);
  const offers = async () =>
    (await createUserAgent(console.url).get('/login')).body.includes('/login/start/corp');
  await until(offers, 'the provider on the sign-in page', 15_000);

  const changed = await call('PATCH', '/corp', { name: 'Other', defaultRole: 'Viewer' });
  expect(changed).toMatchObject({
    status: 200,
    body: { ...added.body, name: 'Other', defaultRole: 'Viewer' },
  });
  expect(await call('POST', '/corp/disable')).toMatchObject({ status: 200, body: { enabled: false } });
  await until(async () => !(await offers()), 'its end on the sign-in page', 15_000);
  expect(await call('POST', '/corp/enable')).toMatchObject({ status: 200, body: { enabled: true } });
  expect(await call('DELETE', '/corp')).toMatchObject({ status: 204, body: undefined });
  expect(await listed()).toEqual([]);
  expect(await call('GET', '/corp')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  const names = ['added', 'updated', 'disabled', 'enabled', 'removed'];
  const expected = names.map((name) => [`idp.${name}`, 'success', 'corp', 'application-client']);
  await console.waitFor(() => audited().some(([event]) => event === 'idp.removed'), 'the audit lines');
  expect(audited().filter(([event]) => String(event).startsWith('idp.'))).toEqual(expected);
});

describe('is for those who may (S49)', () => {
  const changes = [
    ['POST', '', corp],
    ['PATCH', '/corp', { name: 'x' }],
    ['DELETE', '/corp', undefined],
    ['POST', '/corp/disable', undefined],
    ['POST', '/corp/enable', undefined],
  ] as const;

  test('a token of role Viewer reads and changes nothing, one of MetricsViewer does not read', async () => {
    const [viewer, metrics] = await Promise.all([
      apiToken(console, 'app:Viewer'),
      apiToken(console, 'app:MetricsViewer'),
    ]);
    expect((await call('GET', '', undefined, viewer)).status).toBe(200);
    for (const [method, path, body] of changes) {
      const rejected = await call(method, path, body, viewer);
      expect([rejected.status, rejected.body.code]).toEqual([403, 'insufficient_scope']);
      expect(rejected.headers.get('www-authenticate')).toContain('insufficient_scope');
    }
    expect((await call('GET', '', undefined, metrics)).status).toBe(403);
    expect(await listed()).toEqual([]);
  });

  test.each([
    ['none', '', 401, 'unauthorized'],
    ['a forged one', 'eyJhbGciOiJub25lIn0.e30.', 401, 'invalid_token'],
  ])('a token: %s (S61)', async (_what, token, status, code) => {
    for (const [method, path, body] of [['GET', '', undefined], ...changes] as const) {
      const rejected = await call(method, path, body, token);
      expect([rejected.status, rejected.body.code]).toEqual([status, code]);
      expect(rejected.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
    expect(await listed()).toEqual([]);
  });

  test('a browser session opens nothing (S50)', async () => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    expect((await agent.get('/api/v1/identity-providers')).status).toBe(401);
  });

  test('a person’s token reads, and does not change: nobody knows when they signed in (S55)', async () => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    const { body } = await redeem(
      console,
      callbackOf(
        await agent.follow(await agent.get(authorizationPath({ resource: `${console.url}/api` }))),
      ).get('code'),
    );
    expect((await call('GET', '', undefined, body.access_token)).status).toBe(200);
    const rejected = await call('POST', '', corp, body.access_token);
    expect([rejected.status, rejected.body.code]).toEqual([403, 'reauth_required']);
    expect(await listed()).toEqual([]);
  });
});

describe('is refused, and nothing is kept (S53)', () => {
  const deep = `{"id":${'['.repeat(25)}${']'.repeat(25)}}`;
  const rows: readonly (readonly [string, unknown, number, string])[] = [
    ['what is no JSON', '{', 400, 'invalid_request'],
    ['a list', [corp], 400, 'invalid_request'],
    ['a member that nobody knows', { ...corp, isAdmin: true }, 400, 'invalid_request'],
    ['a prototype', `{"__proto__":{"enabled":true},${JSON.stringify(corp).slice(1)}`, 400, 'invalid_request'],
    ['a constructor', `{"constructor":{},${JSON.stringify(corp).slice(1)}`, 400, 'invalid_request'],
    ['25 levels', deep, 400, 'invalid_request'],
    ['more than 1 MiB', { ...corp, name: 'x'.repeat(1024 * 1024) }, 413, 'content_too_large'],
    ['text for a switch', { ...corp, enabled: 'yes' }, 400, 'invalid_request'],
    ['fields of another kind', { ...corp, baseDn: 'dc=example' }, 400, 'invalid_request'],
    ['no rule', { ...corp, roleRules: [] }, 400, 'invalid_request'],
    ['an address inside', { ...corp, issuer: 'https://10.0.0.1' }, 400, 'invalid_url'],
    ['no kind', { ...corp, kind: undefined }, 400, 'invalid_request'],
  ];
  test.each(rows)('%s', async (_what, body, status, code) => {
    const rejected = await call('POST', '', body);
    expect([rejected.status, rejected.body.code]).toEqual([status, code]);
    expect(rejected.headers.get('content-type')).toContain('application/problem+json');
    expect(await listed()).toEqual([]);
  });

  test('a form', async () => {
    const rejected = await call('POST', '', 'id=corp', admin, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect([rejected.status, rejected.body.code]).toEqual([400, 'invalid_request']);
  });

  test.each([
    ['PUT', '', 405],
    ['PUT', '/corp', 405],
    ['GET', '/corp/enable', 405],
    ['POST', '/corp/constructor', 404],
    ['GET', '/Corp', 404],
    ['GET', '/corp/', 404],
    ['DELETE', '/corp?withAccounts=maybe', 400],
    ['DELETE', '/nobody', 404],
  ])('%s %s is %i', async (method, path, status) => {
    expect((await call(method, path, undefined)).status).toBe(status);
  });

  test('two Authorization fields (S61)', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const url = new URL('/api/v1/identity-providers', console.url);
      const sent = request(url, (response) => resolve(response.resume().statusCode)).on('error', reject);
      sent.setHeader('Authorization', [`Bearer ${admin}`, `Bearer ${admin}`]).end();
    });
    expect(status).toBe(400);
  });
});
