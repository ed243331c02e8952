/** `/api/v1/clients` and `/api/v1/applications`: clients are made, changed, replaced and removed. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorize, dashboard, redeem } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type CallApi, callsWith, tokenOf } from './client-support.ts';

let console: RunningConsole;
let call: CallApi;
beforeAll(async () => {
  console = await startConsole();
  const token = await apiToken(console);
  call = callsWith(console, () => token);
});
afterAll(() => console?.stop());

const wiki = {
  displayName: 'Team wiki',
  redirectUris: ['https://wiki.example.com/callback', 'https://wiki.example.com/second'],
  postLogoutUris: ['https://wiki.example.com/'],
  backchannelLogoutUri: 'https://wiki.example.com/logout',
  frontchannelLogoutUri: 'https://wiki.example.com/frame',
  logoUri: 'https://pictures.example.com/wiki.png',
  clientUri: 'https://wiki.example.com/home',
  scopes: ['openid', 'profile', 'offline_access'],
  maxRoles: ['Viewer'],
  pkce: 'required',
  tokenAlg: 'ES256',
  tokenTyp: 'at+jwt',
  tokenTtlSeconds: 120,
};

/** What says nothing about what was changed. */
const withoutTime = ({ updatedAt: _time, ...rest }: Record<string, unknown>) => rest;

const auditOf = (target: string) =>
  console
    .log()
    .filter((line) => line.audit && line.target === target && String(line.event).startsWith('client.'));

describe('a client', () => {
  test('is made by POST, with a secret in that answer alone (S54)', async () => {
    const made = await call('POST', '/clients', { id: 'made', scopes: ['svc:map:orders-*:read'] });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/api/v1/clients/made']);
    const { secret, ...view } = made.body;
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(view).toEqual({
      id: 'made',
      kind: 'machine',
      status: 'active',
      displayName: null,
      scopes: ['svc:map:orders-*:read'],
      grants: ['client_credentials'],
      isPublic: false,
      firstParty: false,
      redirectUris: [],
      postLogoutUris: [],
      backchannelLogoutUri: null,
      frontchannelLogoutUri: null,
      logoUri: null,
      clientUri: null,
      pkce: null,
      maxRoles: null,
      tokenAlg: 'RS256',
      tokenTyp: 'JWT',
      tokenTtlSeconds: null,
      dpop: false,
      jwks: null,
      authMethods: ['client_secret_basic', 'client_secret_post'],
      secrets: [
        {
          id: expect.stringMatching(/^sec_/),
          createdAt: view.createdAt,
          lastUsedAt: null,
          expiresAt: null,
          endsOnUseOf: null,
        },
      ],
      lastUsedAt: null,
      lastUsedFrom: null,
      tokensLastHour: 0,
      owner: { kind: 'admin', source: null },
      hold: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: view.createdAt,
    });
    expect((await tokenOf(console, { id: 'made', secret })).status).toBe(200);
    const shown = await call('GET', '/clients/made');
    const moment = expect.stringMatching(/^\d{4}-.*Z$/);
    const [used] = view.secrets;
    expect(shown.body).toEqual({
      ...view,
      lastUsedAt: moment,
      lastUsedFrom: '127.0.0.1',
      tokensLastHour: 1,
      secrets: [{ ...used, lastUsedAt: moment }],
    });
    expect(shown.tag).toEqual(made.tag);
    const again = await call('POST', '/clients', { id: 'made' });
    expect([again.status, again.body.code]).toEqual([409, 'already_exists']);
  });

  test('has the secret that it was given, which is not repeated', async () => {
    const secret = 'given-0123456789-abcdefghijklmnopqrstuvwxyz-XYZ';
    const made = await call('POST', '/clients', { id: 'given', secret });
    expect([made.status, made.body.secret]).toEqual([201, null]);
    expect((await tokenOf(console, { id: 'given', secret })).status).toBe(200);
  });

  test('that is public has none', async () => {
    const made = await call('POST', '/applications', {
      id: 'page',
      isPublic: true,
      redirectUris: wiki.redirectUris,
    });
    expect(made.body).toMatchObject({ secret: null, secrets: [], authMethods: ['none'], pkce: 'required' });
  });

  test('is gone with its tokens when it is removed, and the audit trail says what it was', async () => {
    const { secret } = (await call('POST', '/clients', { id: 'going', scopes: ['svc:health:read'] })).body;
    const { token } = await tokenOf(console, { id: 'going', secret }, { scope: 'svc:health:read' });
    const health = async () =>
      (await fetch(`${console.url}/svc/health`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect(await health()).toBe(200);
    expect((await call('DELETE', '/clients/going')).status).toBe(204);
    expect(await health()).toBe(401);
    expect((await call('DELETE', '/clients/going')).status).toBe(404);
    await console.waitFor(() => auditOf('going').length === 3, 'the audit lines');
    expect(auditOf('going').map(({ event, outcome, changes }) => ({ event, outcome, changes }))).toEqual([
      {
        event: 'client.added',
        outcome: 'success',
        changes: expect.objectContaining({ scopes: { add: ['svc:health:read'], remove: [] } }),
      },
      {
        event: 'client.removed',
        outcome: 'success',
        changes: expect.objectContaining({ scopes: { add: [], remove: ['svc:health:read'] } }),
      },
      { event: 'client.removed', outcome: 'denied', changes: undefined },
    ]);
  });

  test('is disabled and enabled, and its tokens from before stay void', async () => {
    const { secret } = (await call('POST', '/clients', { id: 'paused', scopes: ['svc:health:read'] })).body;
    const machine = { id: 'paused', secret };
    const { token } = await tokenOf(console, machine, { scope: 'svc:health:read' });
    expect((await call('POST', '/clients/paused/disable')).body.status).toBe('disabled');
    expect((await tokenOf(console, machine)).status).toBe(401);
    const { tag } = await call('GET', '/clients/paused');
    expect((await call('POST', '/clients/paused/disable')).tag).toEqual(tag);
    expect((await call('POST', '/clients/paused/enable')).body.status).toBe('active');
    expect((await tokenOf(console, machine)).status).toBe(200);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${console.url}/svc/health`, { headers })).status).toBe(401);
  });
});

describe('PATCH', () => {
  type Said = Record<string, unknown>;
  const changes: readonly (readonly [string, Said, Said?])[] = [
    ['displayName', { displayName: 'Wiki of all' }],
    ['displayName', { displayName: null }],
    ['scopes', { scopes: ['openid'] }],
    ['scopes', { scopes: null }, { scopes: ['openid', 'email', 'profile'] }],
    ['grants', { grants: ['authorization_code', 'refresh_token', 'client_credentials'] }],
    ['grants', { grants: null }, { grants: ['authorization_code', 'refresh_token'] }],
    ['firstParty', { firstParty: true }],
    ['redirectUris', { redirectUris: ['https://wiki.example.com/third'] }],
    ['postLogoutUris', { postLogoutUris: null }, { postLogoutUris: [] }],
    ['backchannelLogoutUri', { backchannelLogoutUri: null }],
    ['frontchannelLogoutUri', { frontchannelLogoutUri: null }],
    ['logoUri', { logoUri: null }],
    ['clientUri', { clientUri: null }],
    ['clientUri', { clientUri: 'https://wiki.example.com/' }],
    ['logoUri', { logoUri: 'https://wiki.example.com/logo.svg' }],
    ['pkce', { pkce: 'optional' }],
    ['pkce', { pkce: null }, { pkce: 'nonce' }],
    ['maxRoles', { maxRoles: ['MetricsViewer'] }],
    ['maxRoles', { maxRoles: null }, { maxRoles: [] }],
    ['tokenAlg', { tokenAlg: null }, { tokenAlg: 'RS256' }],
    ['tokenTyp', { tokenTyp: 'JWT' }],
    ['tokenTtlSeconds', { tokenTtlSeconds: 3600 }],
    ['tokenTtlSeconds', { tokenTtlSeconds: null }],
    ['dpop', { dpop: true }],
  ];

  const rows = changes.map(([name, patch, shown = patch]) => ({ name, patch, shown }));
  test.each(rows)('of $name alone leaves the rest as it is: $patch', async ({ patch, shown }) => {
    const before = await call('PUT', '/applications/whole', wiki);
    expect([200, 201]).toContain(before.status);
    const after = await call('PATCH', '/applications/whole', patch, before.tag);
    expect(after.status).toBe(200);
    expect(withoutTime(after.body)).toEqual({ ...withoutTime(before.body), ...shown });
    expect(withoutTime((await call('GET', '/clients/whole')).body)).toEqual(withoutTime(after.body));
  });

  test('that makes it public takes its secrets, and says so', async () => {
    await call('POST', '/applications', { id: 'opened', redirectUris: wiki.redirectUris });
    const { body } = await call('PATCH', '/applications/opened', { isPublic: true });
    expect(body).toMatchObject({ isPublic: true, secrets: [], authMethods: ['none'], pkce: 'required' });
  });

  test.each([
    ['in clear text', 'http://pictures.example.com/wiki.png'],
    ['that is no address', 'wiki.png'],
    ['that is a script', 'javascript:alert(1)'],
    ['with a fragment', 'https://pictures.example.com/wiki.png#a'],
    ['whose host would end the policy of a page', 'https://a;script-src.example/wiki.png'],
  ])('of a logo %s changes nothing', async (_name, logoUri) => {
    await call('PUT', '/applications/logo', wiki);
    const before = await call('GET', '/applications/logo');
    const refused = await call('PATCH', '/applications/logo', { logoUri });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect((await call('GET', '/applications/logo')).body).toEqual(before.body);
  });

  test.each([
    ['in clear text', 'http://wiki.example.com/'],
    ['that is a script', 'javascript:alert(1)'],
    ['that is data', 'data:text/html,<script>alert(1)</script>'],
  ])('of a home page %s changes nothing', async (_name, clientUri) => {
    await call('PUT', '/applications/home', wiki);
    const refused = await call('PATCH', '/applications/home', { clientUri });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect((await call('GET', '/applications/home')).body).toMatchObject({ clientUri: wiki.clientUri });
  });

  test('that changes nothing is no change: neither version nor audit trail', async () => {
    const { body, tag } = await call('PUT', '/applications/same', wiki);
    const scopes = wiki.scopes.toReversed();
    const after = await call('PATCH', '/applications/same', {
      scopes,
      pkce: 'required',
      maxRoles: ['Viewer'],
    });
    expect([after.body, after.tag]).toEqual([body, tag]);
    expect((await call('PATCH', '/applications/same', { tokenTtlSeconds: 90 })).status).toBe(200);
    await console.waitFor(() => auditOf('same').length === 2, 'the audit lines');
    expect(auditOf('same').map(({ event, changes }) => [event, changes])[1]).toEqual([
      'client.updated',
      { tokenTtlSeconds: { from: 120, to: 90 } },
    ]);
  });

  test('of a version that is gone changes nothing, and says which it is now', async () => {
    const { tag } = await call('PUT', '/clients/versions', {});
    const first = await call('PATCH', '/clients/versions', { displayName: 'First' }, tag);
    const late = await call('PATCH', '/clients/versions', { displayName: 'Late' }, tag);
    expect([late.status, late.body.code, late.body.current]).toEqual([
      412,
      'precondition_failed',
      first.tag['If-Match'],
    ]);
    expect((await call('GET', '/clients/versions')).body.displayName).toBe('First');
    for (const [method, path] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/disable'],
      ['POST', '/secrets'],
    ] as const) {
      const body = path === '' && method === 'DELETE' ? undefined : path === '/disable' ? undefined : {};
      expect((await call(method, `/clients/versions${path}`, body, tag)).status).toBe(412);
    }
  });

  test('of many at the same time loses none', async () => {
    await call('PUT', '/clients/busy', {});
    const fields = [
      { displayName: 'Busy' },
      { scopes: ['svc:health:read'] },
      { tokenTtlSeconds: 60 },
      { dpop: true },
    ];
    const replies = await Promise.all(fields.map((patch) => call('PATCH', '/clients/busy', patch)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await call('GET', '/clients/busy')).body).toMatchObject(Object.assign({}, ...fields));
  });
});

describe('PUT', () => {
  test('makes one without a secret, and replaces it whole; its secrets stay', async () => {
    const made = await call('PUT', '/clients/put', { scopes: ['svc:health:read'], tokenTtlSeconds: 60 });
    expect([made.status, made.headers.get('location'), made.body.secrets]).toEqual([
      201,
      '/api/v1/clients/put',
      [],
    ]);
    const { body: added } = await call('POST', '/clients/put/secrets', { id: 'a' });
    const replaced = await call('PUT', '/clients/put', { displayName: 'Put' });
    expect([replaced.status, replaced.body]).toEqual([
      200,
      expect.objectContaining({ displayName: 'Put', scopes: [], tokenTtlSeconds: null }),
    ]);
    expect(replaced.body.secrets).toEqual([expect.objectContaining({ id: 'a' })]);
    expect((await tokenOf(console, { id: 'put', secret: added.secret })).status).toBe(200);
    await console.waitFor(() => auditOf('put').length === 3, 'the audit lines');
    expect(auditOf('put').map(({ event }) => event)).toEqual([
      'client.added',
      'client.secret_added',
      'client.updated',
    ]);
  });

  test('twice changes nothing the second time', async () => {
    const first = await call('PUT', '/applications/twice', wiki);
    const second = await call('PUT', '/applications/twice', wiki);
    expect([second.status, second.body, second.tag]).toEqual([200, first.body, first.tag]);
  });

  test('with If-None-Match makes one and replaces none', async () => {
    const isNew = { 'If-None-Match': '*' };
    expect((await call('PUT', '/clients/once', {}, isNew)).status).toBe(201);
    const again = await call('PUT', '/clients/once', { displayName: 'Twice' }, isNew);
    expect([again.status, again.body.code]).toEqual([412, 'precondition_failed']);
    expect((await call('GET', '/clients/once')).body.displayName).toBe(null);
    expect((await call('PUT', '/clients/none', {}, { 'If-Match': '"gone"' })).status).toBe(412);
    expect((await call('GET', '/clients/none')).status).toBe(404);
  });

  test('makes an application of a machine, and voids what the machine had', async () => {
    const { secret } = (await call('POST', '/clients', { id: 'turned', scopes: ['svc:health:read'] })).body;
    const { token } = await tokenOf(console, { id: 'turned', secret }, { scope: 'svc:health:read' });
    expect((await call('PUT', '/applications/turned', wiki)).status).toBe(409);
    expect((await call('PUT', '/clients/turned', wiki)).body.kind).toBe('application');
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${console.url}/svc/health`, { headers })).status).toBe(401);
  });
});

describe('applications', () => {
  test('are the clients with redirect addresses, and no machine is among them', async () => {
    await call('PUT', '/clients/machine', { scopes: ['svc:health:read'] });
    await call('PUT', '/applications/listed', wiki);
    const { body } = await call('GET', '/applications?limit=500');
    const ids = body.items.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(['application-dashboard', 'listed']));
    expect(body.items.every(({ kind }: { kind: string }) => kind === 'application')).toBe(true);
    for (const [method, path, given] of [
      ['GET', '', undefined],
      ['PATCH', '', { displayName: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/disable', undefined],
      ['POST', '/secrets', {}],
      ['POST', '/try', {}],
    ] as const) {
      expect((await call(method, `/applications/machine${path}`, given)).status).toBe(404);
    }
    expect((await call('POST', '/applications', { id: 'bare' })).body.errors).toEqual([
      expect.objectContaining({ pointer: '#/redirectUris' }),
    ]);
  });

  test('have tokens of people that live as long as is said of them (S33)', async () => {
    const definition = { isPublic: true, firstParty: true, redirectUris: [dashboard.redirectUri] };
    await call('PUT', '/applications/short', { ...definition, tokenTtlSeconds: 75 });
    const code = (await authorize(createUserAgent(console.url), { client_id: 'short' })).get('code');
    const { body: tokens } = await redeem(console, code, { client_id: 'short' });
    expect(tokens.expires_in).toBe(75);
    const { iat, exp } = decodeJwt(tokens.access_token);
    expect(exp! - iat!).toBe(75);
  });
});

test('tokens of a machine live as long as is said of it', async () => {
  const { secret } = (await call('POST', '/clients', { id: 'brief', tokenTtlSeconds: 60 })).body;
  const first = await tokenOf(console, { id: 'brief', secret });
  const { iat, exp } = decodeJwt(first.token);
  expect([first.seconds, exp! - iat!]).toEqual([60, 60]);
  await call('PATCH', '/clients/brief', { tokenTtlSeconds: null });
  expect((await tokenOf(console, { id: 'brief', secret })).seconds).toBe(300);
});
