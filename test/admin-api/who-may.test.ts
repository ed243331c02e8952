/** Who may call the admin API, by which scopes and roles, and that nobody gives more than they have. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../console/admin-api/table.ts';
import { apiObjects } from '../../console/clients/scopes.ts';
import { toolDone } from '../helpers/commands.ts';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { copyUser, editUser, until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let administrator: string;
beforeAll(async () => {
  console = await startConsole();
  administrator = await apiToken(console);
});
afterAll(() => console?.stop());

async function call(token: string, method: string, path: string, body?: object) {
  const response = await fetch(`${console.url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}
const statusOf = async (...asked: Parameters<typeof call>) => (await call(...asked)).status;
const codeOf = async (...asked: Parameters<typeof call>) => (await call(...asked)).body?.code;

const secrets = new Map<string, string>();

async function addMachine(id: string, scope: string): Promise<void> {
  const added = await toolDone(['client', 'add', id, '--scope', scope, '--json'], {
    dataDir: console.dataDir,
  });
  secrets.set(id, added.json<{ secret: string }>().secret);
}

async function machineToken(id: string, scope: string): Promise<string> {
  const answer = await tokenAnswer(id, scope);
  if (!answer.access_token) throw new Error(JSON.stringify(answer));
  return answer.access_token;
}

async function tokenAnswer(id: string, scope: string) {
  const reply = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${id}:${secrets.get(id)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  return (await reply.json()) as { access_token?: string; error?: string };
}

function claimsOf(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}

test('there is a scope for each object that the table of operations has', () => {
  const objects = new Set(operations.map(({ object }) => object));
  // Whoever calls may ask who that is.
  objects.delete('me');
  expect([...objects].filter((object) => !apiObjects.includes(object))).toEqual([]);
});

describe('a machine', () => {
  beforeAll(async () => {
    await addMachine('reads', 'api:roles:read api:keys:read svc:health:read');
    await addMachine('writes', 'api:roles:write api:*:read svc:map:orders-*:read svc:queue:jobs:poll');
    await until(
      async () => (await tokenAnswer('writes', 'api:roles:write')).error === undefined,
      'the clients',
    );
  });

  test('with an api: scope has a token for the admin API, which opens nothing at the members (S49)', async () => {
    const token = await machineToken('reads', 'api:roles:read');
    expect(claimsOf(token)).toMatchObject({ aud: `${console.url}/api`, scope: 'api:roles:read', roles: [] });
    const member = await fetch(`${console.url}/svc/health`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(member.status).toBe(401);
    const both = await tokenAnswer('reads', 'api:roles:read svc:health:read');
    expect(both.error).toBe('invalid_target');
  });

  test('does what its scope names, and is told the one that it lacks (S49)', async () => {
    const reading = await machineToken('reads', 'api:roles:read');
    expect(await statusOf(reading, 'GET', '/roles')).toBe(200);
    const refused = await call(reading, 'POST', '/roles', { id: 'R', permissions: ['svc:health:read'] });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    const isIt = (line: Record<string, unknown>) =>
      line.event === 'request.refused' && line.actor === 'reads';
    expect(await console.waitFor(() => console.log().find(isIt), 'a line of the refusal')).toMatchObject({
      audit: true,
      outcome: 'denied',
      reason: 'insufficient_scope',
    });
    expect(refused.headers.get('www-authenticate')).toContain('scope="api:roles:write"');
    expect(await statusOf(reading, 'DELETE', '/roles/Nobody')).toBe(403);
    expect(await statusOf(await machineToken('reads', 'api:keys:read'), 'GET', '/roles')).toBe(403);
    expect(await statusOf(await machineToken('writes', 'api:*:read'), 'GET', '/roles')).toBe(200);
    const writing = await machineToken('writes', 'api:roles:write');
    expect(await statusOf(writing, 'GET', '/roles')).toBe(403);
  });

  test.each(['api:shoes:read', 'api:roles:delete', 'api:roles', 'api:*:*', 'api::read', 'api:me:read'])(
    'is not registered for %s',
    async (scope) => {
      await expect(addMachine('odd', scope)).rejects.toThrow(/There is no scope/);
    },
  );

  test('gives what it is registered for, also in narrower words, and nothing more (S49)', async () => {
    const token = await machineToken('writes', 'api:roles:write');
    const role = (permission: string) => ({ permissions: [permission] });
    for (const permission of ['svc:map:orders-*:read', 'svc:map:orders-1:read', 'svc:map:orders-1*:read']) {
      expect([permission, await statusOf(token, 'PUT', '/roles/Given', role(permission))]).toEqual([
        permission,
        expect.toBeOneOf([200, 201]),
      ]);
    }
    const before = (await call(administrator, 'GET', '/roles/Given')).body;
    for (const permission of [
      'svc:map:orders:read',
      'svc:map:orders-1:write',
      'svc:map:*:read',
      'svc:queue:orders-1:poll',
      'svc:queue:jobs:offer',
      'svc:data:read',
      'svc:health:read',
      'api:users:read',
      'api:*:write',
    ]) {
      expect([permission, await codeOf(token, 'PUT', '/roles/Given', role(permission))]).toEqual([
        permission,
        'escalation',
      ]);
      expect(await codeOf(token, 'PATCH', '/roles/Given', role(permission))).toBe('escalation');
      expect(await codeOf(token, 'POST', '/roles', { id: 'More', ...role(permission) })).toBe('escalation');
    }
    expect((await call(administrator, 'GET', '/roles/Given')).body).toEqual(before);
    expect(await statusOf(administrator, 'GET', '/roles/More')).toBe(404);
  });

  test('neither changes nor ends what has more than it has (S49)', async () => {
    const token = await machineToken('writes', 'api:roles:write');
    const wide = { id: 'Wide', permissions: ['svc:data:write', 'svc:map:orders-1:read'] };
    expect(await statusOf(administrator, 'POST', '/roles', wide)).toBe(201);
    expect(await codeOf(token, 'PATCH', '/roles/Wide', { permissions: ['svc:map:orders-1:read'] })).toBe(
      'escalation',
    );
    expect(await codeOf(token, 'PATCH', '/roles/Wide', { description: 'x' })).toBe('escalation');
    expect(await codeOf(token, 'DELETE', '/roles/Wide')).toBe('escalation');
    const { body } = await call(administrator, 'GET', '/roles/Wide');
    expect(body).toMatchObject({ permissions: wide.permissions, description: null });
    const removed = () =>
      console.log().find(({ event, target }) => event === 'role.removed' && target === 'Wide');
    await console.waitFor(() => removed() !== undefined, 'the audit line');
    expect(removed()).toMatchObject({ outcome: 'denied', actor: 'writes', reason: 'escalation' });
  });
});

describe('identity providers', () => {
  const provider = (id: string, role: string) => ({
    id,
    kind: 'oidc',
    issuer: 'https://id.example',
    clientId: 'console',
    clientAuth: 'none',
    roleRules: [`groups=staff -> ${role}`],
  });

  test('let people in with no more than their keeper has (S49)', async () => {
    await addMachine('keeper', 'api:identity-providers:write app:Viewer');
    await until(
      async () => (await tokenAnswer('keeper', 'api:identity-providers:write')).error === undefined,
      'the client',
    );
    const token = await machineToken('keeper', 'api:identity-providers:write');
    const path = '/identity-providers';
    expect(await codeOf(token, 'POST', path, provider('staff', 'Admin'))).toBe('escalation');
    expect(await codeOf(token, 'POST', path, { ...provider('staff', 'Viewer'), defaultRole: 'Wide' })).toBe(
      'escalation',
    );
    expect(await statusOf(token, 'POST', path, provider('staff', 'Viewer'))).toBe(201);
    const before = (await call(administrator, 'GET', `${path}/staff`)).body;
    const more = { roleRules: ['groups=staff -> Admin'] };
    expect(await codeOf(token, 'PATCH', `${path}/staff`, more)).toBe('escalation');
    const { id: _id, ...replaced } = provider('staff', 'Admin');
    expect(await codeOf(token, 'PUT', `${path}/staff`, replaced)).toBe('escalation');
    expect((await call(administrator, 'GET', `${path}/staff`)).body).toEqual(before);
    expect(await statusOf(token, 'PATCH', `${path}/staff`, { name: 'Staff' })).toBe(200);

    expect(await statusOf(administrator, 'POST', path, provider('chiefs', 'Admin'))).toBe(201);
    for (const [method, word, body] of [
      ['PATCH', '', { name: 'Mine' }],
      ['PATCH', '', { roleRules: [] }],
      ['PUT', '', replaced],
      ['POST', '/disable', undefined],
      ['POST', '/enable', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      expect([method, word, await codeOf(token, method, `${path}/chiefs${word}`, body)]).toEqual([
        method,
        word,
        'escalation',
      ]);
    }
    expect(await statusOf(token, 'DELETE', `${path}/staff`)).toBe(204);
    expect(await statusOf(administrator, 'DELETE', `${path}/chiefs`)).toBe(204);
  });
});

describe('clients', () => {
  const own = ['svc:map:orders-*:read', 'svc:health:read'];
  const [inside, beyond] = [['svc:map:orders-1:read'], ['svc:map:*:read']];
  let token: string;
  let ofApplications: string;

  beforeAll(async () => {
    const held = [...own, 'openid', 'app:Viewer'];
    await addMachine('keepsclients', `api:clients:write api:applications:write ${held.join(' ')}`);
    await until(
      async () => (await tokenAnswer('keepsclients', 'api:clients:write')).error === undefined,
      'the client',
    );
    token = await machineToken('keepsclients', 'api:clients:write');
    ofApplications = await machineToken('keepsclients', 'api:applications:write');
    const secret = 'wide-0123456789-abcdefghij-klmnopqrstuv';
    const wide = { id: 'wide', scopes: ['svc:data:write'], secret };
    expect(await statusOf(administrator, 'POST', '/clients', wide)).toBe(201);
  });

  test('are given no more than their keeper is registered for (S49)', async () => {
    expect(await statusOf(token, 'POST', '/clients', { id: 'narrow', scopes: inside })).toBe(201);
    const before = (await call(administrator, 'GET', '/clients/narrow')).body;
    const more: readonly (readonly string[])[] = [
      beyond,
      ['svc:map:orders-1:write'],
      ['svc:health:read', 'svc:data:read'],
      ['api:users:read'],
      ['api:*:write'],
      ['api:configuration:write'],
    ];
    for (const scopes of more) {
      expect([scopes, await codeOf(token, 'POST', '/clients', { id: 'more', scopes })]).toEqual([
        scopes,
        'escalation',
      ]);
      expect(await codeOf(token, 'PUT', '/clients/more', { scopes })).toBe('escalation');
      expect(await codeOf(token, 'PUT', '/clients/narrow', { scopes })).toBe('escalation');
      expect(await codeOf(token, 'PATCH', '/clients/narrow', { scopes })).toBe('escalation');
    }
    expect((await call(administrator, 'GET', '/clients/narrow')).body).toEqual(before);
    expect(await statusOf(administrator, 'GET', '/clients/more')).toBe(404);
    expect(await statusOf(token, 'PATCH', '/clients/narrow', { scopes: own })).toBe(200);
  });

  test('that have more are left alone: changes, secrets, switches and ends (S49)', async () => {
    const before = (await call(administrator, 'GET', '/clients/wide')).body;
    const [secret] = before.secrets;
    for (const [method, path, body] of [
      ['PATCH', '', { displayName: 'Mine' }],
      ['PATCH', '', { scopes: inside }],
      ['PUT', '', { scopes: inside }],
      ['POST', '/secrets', { id: 'mine', secret: 'mine-0123456789-abcdefghij-klmnopqrstuv' }],
      ['POST', '/secrets', { ends: 'all' }],
      ['DELETE', `/secrets/${secret.id}`, undefined],
      ['POST', '/disable', undefined],
      ['POST', '/enable', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      expect([method, path, await codeOf(token, method, `/clients/wide${path}`, body)]).toEqual([
        method,
        path,
        'escalation',
      ]);
    }
    expect((await call(administrator, 'GET', '/clients/wide')).body).toEqual(before);
  });

  test('that sign people in get no roles beyond their keeper’s (S49)', async () => {
    const application = (id: string, more: object) => ({
      id,
      redirectUris: [`https://${id}.example.com/callback`],
      scopes: ['openid'],
      ...more,
    });
    for (const [at, by] of [
      ['/clients', token],
      ['/applications', ofApplications],
    ] as const) {
      const maxRoles = ['Admin'];
      expect([at, await codeOf(by, 'POST', at, application('shop', { maxRoles }))]).toEqual([
        at,
        'escalation',
      ]);
      // A first-party one has all that its users have.
      expect(await codeOf(by, 'POST', at, application('shop', { firstParty: true }))).toBe('escalation');
      const id = `shop${at.length}`;
      expect(await statusOf(by, 'POST', at, application(id, { maxRoles: ['Viewer'] }))).toBe(201);
      expect(await codeOf(by, 'PATCH', `${at}/${id}`, { maxRoles })).toBe('escalation');
      expect(await codeOf(by, 'PATCH', `${at}/${id}`, { firstParty: true, maxRoles: null })).toBe(
        'escalation',
      );
    }
    expect(await statusOf(administrator, 'GET', '/clients/shop')).toBe(404);
  });

  test('come from no configuration of who does not have everything (S49)', async () => {
    const document = { version: 1, source: 'escape', clients: { more: { scopes: ['svc:data:write'] } } };
    expect(await codeOf(token, 'POST', '/configuration/plans', { document })).toBe('insufficient_scope');
    expect(await statusOf(administrator, 'GET', '/clients/more')).toBe(404);
  });
});

test('who may write configuration has everything, and who has less gives nobody that (S49)', async () => {
  await addMachine('deploys', 'api:configuration:write api:roles:write');
  await addMachine('keepsroles', 'api:roles:write svc:data:write');
  await until(
    async () => (await tokenAnswer('keepsroles', 'api:roles:write')).error === undefined,
    'the clients',
  );
  const [all, less] = [
    await machineToken('deploys', 'api:roles:write'),
    await machineToken('keepsroles', 'api:roles:write'),
  ];
  const role = { permissions: ['svc:cluster:write'] };
  expect(await statusOf(all, 'PUT', '/roles/ByAll', role)).toBe(201);
  for (const object of ['backups', 'configuration', 'imports', 'settings']) {
    const wide = { permissions: [`api:${object}:write`] };
    expect(await codeOf(less, 'PUT', '/roles/ByLess', wide)).toBe('escalation');
  }
});

describe('a person', () => {
  const tokenOf = async (username: string) =>
    (
      await signInForTokens(
        console,
        createUserAgent(console.url),
        { resource: `${console.url}/api` },
        { ...admin, username },
      )
    ).access_token;

  test('changes by a token of their own, which says when and how they signed in (S55)', async () => {
    const before = Math.floor(Date.now() / 1000);
    const token = await tokenOf('ada');
    const { auth_time: signedInAt, acr } = claimsOf(token);
    expect(signedInAt).toBeGreaterThanOrEqual(before - 1);
    expect(acr).toBe('pwd');
    expect(await statusOf(token, 'PUT', '/roles/ByAda', { permissions: ['svc:health:read'] })).toBe(201);
  });

  test('does what the permissions of a custom role open, and gives no more than that (S49)', async () => {
    const permissions = ['api:roles:read', 'api:roles:write', 'svc:data:read'];
    expect(await statusOf(administrator, 'POST', '/roles', { id: 'RoleKeeper', permissions })).toBe(201);
    await copyUser(console, 'ada', 'kim');
    await editUser(console, 'kim', (user) => ({ ...user, roles: ['RoleKeeper'] }));
    const token = await tokenOf('kim');
    expect(await statusOf(token, 'GET', '/roles')).toBe(200);
    expect(await statusOf(token, 'GET', '/clients')).toBe(403);
    expect(await statusOf(token, 'PUT', '/roles/ByKim', { permissions: ['svc:map:any:read'] })).toBe(201);
    const own = { permissions: [...permissions, 'svc:data:write'] };
    expect(await codeOf(token, 'PATCH', '/roles/RoleKeeper', own)).toBe('escalation');
    // What a role opens counts from the next call on.
    const less = { permissions: ['api:roles:read'] };
    expect(await statusOf(administrator, 'PATCH', '/roles/RoleKeeper', less)).toBe(200);
    expect(await codeOf(token, 'DELETE', '/roles/ByKim')).toBe('insufficient_scope');
  });
});
