/** `/api/v1/identity-providers` of a running console. */
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, redeem } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { apiCaller } from './support.ts';

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
  const reply = await apiCaller(console, '/identity-providers', token)(method, path, body, headers);
  expect(JSON.stringify([...reply.headers, reply.body])).not.toContain(secret);
  return reply;
}
const listed = async () =>
  ((await call('GET', '')).body as { items: { id: string }[] }).items.map(({ id }) => id);
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
    linkedUsers: 0,
    problem: null,
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
    body: { ...added.body, name: 'Other', defaultRole: 'Viewer', updatedAt: expect.any(String) },
  });
  expect(await call('POST', '/corp/disable')).toMatchObject({ status: 200, body: { enabled: false } });
  await until(async () => !(await offers()), 'its end on the sign-in page', 15_000);
  expect(await call('POST', '/corp/enable')).toMatchObject({ status: 200, body: { enabled: true } });
  expect(await call('DELETE', '/corp')).toMatchObject({ status: 204, body: undefined });
  expect(await listed()).toEqual([]);
  expect(await call('GET', '/corp')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  const { changes } = console.log().find(({ event }) => event === 'idp.updated') as { changes: object };
  expect(changes).toEqual({
    name: { from: 'Corp', to: 'Other' },
    defaultRole: { from: null, to: 'Viewer' },
  });
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

  test('a person’s token changes as one of a machine does, with what the person may (S55)', async () => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    const { body } = await redeem(
      console,
      callbackOf(
        await agent.follow(await agent.get(authorizationPath({ resource: `${console.url}/api` }))),
      ).get('code'),
    );
    expect((await call('GET', '', undefined, body.access_token)).status).toBe(200);
    expect((await call('POST', '', corp, body.access_token)).status).toBe(201);
    expect((await call('DELETE', '/corp')).status).toBe(204);
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
    ['POST', '/corp', 405],
    ['GET', '/corp/enable', 405],
    ['POST', '/corp/constructor', 404],
    ['GET', '/Corp', 404],
    ['GET', '/corp/', 404],
    ['DELETE', '/corp?withAccounts=maybe', 400],
    ['DELETE', '/corp?other=1', 400],
    ['GET', '?limit=0', 400],
    ['GET', '?cursor=abc', 400],
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

describe('a change', () => {
  afterEach(async () => {
    for (const id of await listed()) await call('DELETE', `/${id}`);
  });
  const shown = async (id = 'corp') => (await call('GET', `/${id}`)).body;
  const tagOf = ({ headers }: { headers: Headers }) => ({ 'If-Match': headers.get('etag')! });

  test('is bound to the version that was read', async () => {
    const tag = tagOf(await call('POST', '', corp));
    const first = await call('PATCH', '/corp', { name: 'First' }, admin, tag);
    expect([first.status, first.headers.get('etag') === tag['If-Match']]).toEqual([200, false]);
    for (const [method, path, body] of [
      ['PATCH', '/corp', { name: 'Second' }],
      ['PUT', '/corp', { kind: 'oidc', issuer: corp.issuer, clientId: 'x', roleRules: corp.roleRules }],
      ['POST', '/corp/disable', undefined],
      ['DELETE', '/corp', undefined],
    ] as const) {
      const late = await call(method, path, body, admin, tag);
      expect([method, late.status, late.body.code]).toEqual([method, 412, 'precondition_failed']);
      expect(late.body.current).toBe(first.headers.get('etag'));
    }
    expect(await shown()).toEqual(first.body);
    expect((await call('DELETE', '/corp', undefined, admin, tagOf(first))).status).toBe(204);
  });

  test('of one field leaves the others as they are, and null gives its default back', async () => {
    const whole = { ...corp, defaultRole: 'Viewer', scopes: ['email', 'groups'], idTokenAlg: 'ES256' };
    const before = (await call('POST', '', whole)).body;
    const settings = { ...before.settings, scopes: ['openid', 'email', 'profile'] };
    const patched = (await call('PATCH', '/corp', { scopes: null })).body;
    expect(patched).toEqual({ ...before, settings, updatedAt: expect.any(String) });
    const bare = (await call('PATCH', '/corp', { idTokenAlg: null, defaultRole: null, name: null })).body;
    expect(bare).toMatchObject({ name: 'corp', defaultRole: null, settings: { idTokenAlg: 'RS256' } });
    expect(bare.settings.clientAuthentication).toBe('client_secret_basic');
    for (const [body, pointer] of [
      [{ issuer: null }, '#/issuer'],
      [{ clientSecret: null }, '#/clientSecret'],
    ] as const) {
      const rejected = await call('PATCH', '/corp', body);
      expect([rejected.status, rejected.body.errors[0].pointer]).toEqual([400, pointer]);
    }
    // Nobody could sign in.
    expect((await call('PATCH', '/corp', { roleRules: null, defaultRole: null })).status).toBe(400);
    expect((await shown()).roleRules).toEqual(corp.roleRules);
  });

  test('by several at the same time loses nothing of either', async () => {
    await call('POST', '', corp);
    const changes = [
      { name: 'New' },
      { defaultRole: 'Viewer' },
      { clientId: 'other' },
      { idTokenAlg: 'ES256' },
    ];
    const replies = await Promise.all(changes.map((body) => call('PATCH', '/corp', body)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await shown()).toMatchObject({
      name: 'New',
      defaultRole: 'Viewer',
      settings: { clientId: 'other', idTokenAlg: 'ES256' },
    });
  });

  test('by PUT makes it, or says all of it anew; its secret stays', async () => {
    const { id: _id, ...body } = { ...corp, defaultRole: 'Viewer', scopes: ['groups'] };
    const isNew = { 'If-None-Match': '*' };
    const made = await call('PUT', '/corp', body, admin, isNew);
    expect([made.status, made.headers.get('location')]).toEqual([201, '/api/v1/identity-providers/corp']);
    expect((await call('PUT', '/corp', body, admin, isNew)).status).toBe(412);
    expect((await call('PUT', '/other', body, admin, { 'If-Match': '"x"' })).status).toBe(412);
    const { kind, issuer, clientId, roleRules } = body;
    const replaced = await call('PUT', '/corp', { kind, issuer, clientId, roleRules });
    expect(replaced).toMatchObject({
      status: 200,
      body: {
        name: 'corp',
        defaultRole: null,
        settings: { clientAuthentication: 'client_secret_basic', scopes: ['openid', 'email', 'profile'] },
      },
    });
    const again = await call('PUT', '/corp', { kind, issuer, clientId, roleRules });
    expect(again.body).toEqual({ ...replaced.body, updatedAt: expect.any(String) });
    expect((await call('PUT', '/corp', { kind, clientId, roleRules })).status, 'no issuer').toBe(400);
    const other = { kind: 'ldap', url: 'ldaps://ldap.example', dnTemplate: 'uid={username}', roleRules };
    for (const rejected of [other, { ...body, enabled: false }]) {
      expect((await call('PUT', '/corp', rejected)).body.code).toBe('conflict');
    }
  });

  test('that would make a second one says that there is one', async () => {
    await call('POST', '', corp);
    const second = await call('POST', '', corp);
    expect([second.status, second.body.code]).toEqual([409, 'already_exists']);
  });
});

test('the list goes on where a page has ended', async () => {
  const ids = ['a-1', 'b-2', 'c-3'];
  for (const id of ids) expect((await call('POST', '', { ...corp, id })).status).toBe(201);
  const first = (await call('GET', '?limit=2')).body;
  expect(first.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
  expect(first.count).toEqual({ value: 3, isExact: true });
  const second = (await call('GET', `?limit=2&cursor=${first.next}`)).body;
  expect([second.items[0].id, second.items.length, second.next]).toEqual(['c-3', 1, null]);
  for (const id of ids) await call('DELETE', `/${id}`);
});

test('the list is narrowed by the beginning of an id or a name, by kind and by state', async () => {
  for (const [id, name] of [
    ['narrow-one', 'Élan'],
    ['narrow-two', 'Zebra'],
  ] as const)
    expect((await call('POST', '', { ...corp, id, name })).body).toMatchObject({ id, name });
  await call('POST', '/narrow-two/disable', {});
  const found = async (query: string) =>
    ((await call('GET', `?${query}`)).body as { items: { id: string }[] }).items.map(({ id }) => id);
  expect(await found('q=NARROW')).toEqual(['narrow-one', 'narrow-two']);
  expect(await found('q=zeb')).toEqual(['narrow-two']);
  expect(await found(`q=${encodeURIComponent('éla')}`)).toEqual(['narrow-one']);
  expect(await found('q=narrow&enabled=false')).toEqual(['narrow-two']);
  expect(await found('q=narrow&kind=ldap')).toEqual([]);
  for (const query of ['kind=x', 'enabled=1', 'sort=colour', `q=${'x'.repeat(300)}`])
    expect([query, (await call('GET', `?${query}`)).status]).toEqual([query, 400]);
  for (const id of ['narrow-one', 'narrow-two']) await call('DELETE', `/${id}`);
});

test('a dry sign-in says each step, and what to change', async () => {
  await call('POST', '', corp);
  const { status, body } = await call('POST', '/corp/test', {});
  expect([status, body.id, body.ok]).toEqual([200, 'corp', false]);
  expect(body.steps[0]).toMatchObject({ step: 'discovery', ok: false, advice: expect.stringMatching(/\w/) });
  await console.waitFor(() => audited().some(([event]) => event === 'idp.tested'), 'its audit line');
  for (const sent of [{ username: 'ada', password: secret }, { username: 'ada' }, { name: 'ada' }]) {
    const rejected = await call('POST', '/corp/test', sent);
    expect([rejected.status, rejected.body.code]).toEqual([400, 'invalid_request']);
  }
  expect((await call('POST', '/nobody/test', {})).status).toBe(404);
  await call('DELETE', '/corp');
});
