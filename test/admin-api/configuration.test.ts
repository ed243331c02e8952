/** `/api/v1/configuration`: what is described is planned, applied as one change, and compared with what is there. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { documentWithoutSecrets } from '../../console/configuration/document.ts';
import { runTool } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';

const reads = ['svc:map:orders-*:read', 'svc:health:read'];

let console: RunningConsole;
let token: string;
let source: string;
let sources = 0;
beforeAll(async () => {
  console = await startConsole();
  token = await apiToken(console);
});
afterAll(() => console?.stop());
beforeEach(() => {
  source = `team-${sources++}`;
});

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${console.url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

type Objects = Readonly<Record<string, object>>;
const planned = (roles: Objects, options: object = {}) =>
  call('POST', '/configuration/plans', { document: { version: 1, source, roles }, ...options });
const apply = (plan: { readonly body: { readonly id: string } }) =>
  call('POST', `/configuration/plans/${plan.body.id}/apply`);

async function applied(roles: Objects, options: object = {}) {
  const plan = await planned(roles, options);
  expect(plan.status, JSON.stringify(plan.body)).toBe(201);
  return apply(plan);
}
const auditOf = (event: string) =>
  console.log().filter((line) => line.audit === true && line.event === event);
const actions = (reply: { readonly body: { readonly steps: readonly { id: string; action: string }[] } }) =>
  Object.fromEntries(reply.body.steps.map(({ id, action }) => [id, action]));

describe('a description', () => {
  test('is planned without a change, applied once, and changes nothing the second time', async () => {
    const roles = {
      [`${source}-a`]: { permissions: reads },
      [`${source}-b`]: { permissions: reads, description: 'B.' },
    };
    const plan = await planned(roles);
    expect(actions(plan)).toEqual({ [`${source}-a`]: 'create', [`${source}-b`]: 'create' });
    expect(plan.body).toMatchObject({ source, canApply: true, counts: { create: 2, unchanged: 0 } });
    expect((await call('GET', `/roles/${source}-a`)).status).toBe(404);
    expect((await call('GET', `/configuration/plans/${plan.body.id}`)).body).toEqual(plan.body);

    expect((await apply(plan)).status).toBe(200);
    const made = await call('GET', `/roles/${source}-b`);
    expect(made.body).toMatchObject({
      permissions: reads,
      description: 'B.',
      owner: { kind: 'code', source },
    });
    const lines = auditOf('configuration.applied').length;
    const again = await applied(roles);
    expect(again.body).toMatchObject({ counts: { unchanged: 2 }, steps: [] });
    expect(await call('GET', `/roles/${source}-b`)).toEqual(made);
    await call('DELETE', `/roles/${source}-none`);
    await console.waitFor(
      () => auditOf('role.removed').some(({ target }) => target === `${source}-none`),
      'a line',
    );
    expect(auditOf('configuration.applied')).toHaveLength(lines);
  });

  test('is of sets without an order, and what it leaves out has its default', async () => {
    const name = `${source}-set`;
    await applied({ [name]: { permissions: reads, description: 'Once.' } });
    const turned = await planned({ [name]: { permissions: [...reads].reverse(), description: 'Once.' } });
    expect(turned.body.steps).toEqual([]);
    const less = await planned({ [name]: { permissions: ['svc:health:read'] } });
    expect(less.body.steps).toMatchObject([
      {
        id: name,
        action: 'update',
        changes: { permissions: { add: [], remove: [reads[0]] }, description: { from: 'Once.', to: null } },
      },
    ]);
  });

  test('is refused as a whole where a part cannot be: nothing of it is made', async () => {
    const plan = await planned({
      [`${source}-good`]: { permissions: reads },
      [`${source}-bad`]: { permissions: ['svc:nothing'] },
      [`${source}-worse`]: { permissions: reads, unknown: true },
    });
    expect(actions(plan)).toEqual({
      [`${source}-good`]: 'create',
      [`${source}-bad`]: 'blocked',
      [`${source}-worse`]: 'blocked',
    });
    expect(plan.body.canApply).toBe(false);
    expect((await apply(plan)).status).toBe(409);
    expect((await call('GET', `/roles/${source}-good`)).status).toBe(404);
  });

  test.each([
    { what: 'another version', document: { version: 2, source: 'x', roles: {} } },
    { what: 'no source', document: { version: 1, roles: {} } },
    { what: 'a kind that there is not', document: { version: 1, source: 'x', rules: {} } },
    { what: 'an object that is none', document: { version: 1, source: 'x', roles: { a: [] } } },
  ])('of $what is not taken', async ({ document }) => {
    const refused = await call('POST', '/configuration/plans', { document });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('a plan', () => {
  test('is stale once something that it touches has changed', async () => {
    const name = `${source}-moved`;
    expect((await call('POST', '/roles', { id: name, permissions: reads })).status).toBe(201);
    const plan = await planned(
      { [name]: { permissions: ['svc:health:read'] } },
      { takeOver: [`roles/${name}`] },
    );
    expect((await call('PATCH', `/roles/${name}`, { description: 'Meanwhile.' })).status).toBe(200);
    const refused = await apply(plan);
    expect([refused.status, refused.body.code]).toEqual([409, 'plan_stale']);
    expect((await call('GET', `/roles/${name}`)).body).toMatchObject({
      permissions: reads,
      owner: { kind: 'admin' },
    });
  });

  test('goes through once', async () => {
    const plan = await planned({ [`${source}-once`]: { permissions: reads } });
    const both = await Promise.all([apply(plan), apply(plan)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('that is not there is not found', async () => {
    expect((await call('POST', '/configuration/plans/pln_0123456789abcdef/apply')).status).toBe(404);
  });

  test('takes over what others made only when it is told to', async () => {
    const name = `${source}-hand`;
    await call('POST', '/roles', { id: name, permissions: reads });
    const plan = await planned({ [name]: { permissions: reads } });
    expect(plan.body.steps).toMatchObject([{ id: name, action: 'blocked', code: 'owned_by_code' }]);
    expect((await apply(plan)).body.code).toBe('owned_by_code');
    const told = await applied({ [name]: { permissions: reads } }, { takeOver: [`roles/${name}`] });
    expect(told.body.steps).toMatchObject([{ id: name, action: 'take-over' }]);
    expect((await call('GET', `/roles/${name}`)).body.owner).toEqual({ kind: 'code', source });
  });

  test('removes what its source owns and does not describe, by number when that is much', async () => {
    const names = Array.from({ length: 11 }, (_, n) => `${source}-p${n}`);
    await applied(Object.fromEntries(names.map((name) => [name, { permissions: reads }])));
    expect((await planned({ [names[0]!]: { permissions: reads } })).body.steps).toEqual([]);
    const much = await planned({ [names[0]!]: { permissions: reads } }, { prune: true });
    expect(much.body).toMatchObject({
      canApply: false,
      counts: { remove: 10 },
      limit: expect.stringContaining('10'),
    });
    expect((await apply(much)).status).toBe(409);
    const few = Object.fromEntries(names.slice(1).map((name) => [name, { permissions: reads }]));
    expect(actions(await applied(few, { prune: true }))).toEqual({ [names[0]!]: 'remove' });
    expect((await applied({}, { prune: true, pruneCount: 10 })).body.counts).toMatchObject({ remove: 10 });
    for (const name of names) expect((await call('GET', `/roles/${name}`)).status).toBe(404);
  });
});

describe('what is there', () => {
  test('has moved from what was applied, and back', async () => {
    const name = `${source}-drift`;
    expect((await call('GET', `/configuration/drift?source=${source}`)).status).toBe(404);
    await applied({ [name]: { permissions: reads } });
    expect((await call('GET', `/configuration/drift?source=${source}`)).body.items).toMatchObject([
      { source, steps: [] },
    ]);
    await call('DELETE', `/roles/${name}?takeOver=true`);
    const drift = await call('GET', `/configuration/drift?source=${source}`);
    expect(drift.body.items[0].steps).toMatchObject([{ id: name, action: 'create' }]);
  });

  test('is described so that applying it changes nothing', async () => {
    await applied({ [`${source}-x`]: { permissions: reads, description: 'X.' } });
    const { body } = await call('GET', `/configuration?source=${source}`);
    expect(body).toEqual({
      version: 1,
      source,
      roles: { [`${source}-x`]: { permissions: reads, description: 'X.' } },
    });
    expect((await applied(body.roles)).body.steps).toEqual([]);
  });
});

describe('what code owns', () => {
  test('is changed elsewhere only by who takes it over', async () => {
    const name = `${source}-owned`;
    await applied({ [name]: { permissions: reads } });
    const patch = { description: 'Elsewhere.' };
    const refused = [
      await call('PATCH', `/roles/${name}`, patch),
      await call('PUT', `/roles/${name}`, { permissions: reads }),
      await call('DELETE', `/roles/${name}`),
      await call('PATCH', `/roles/${name}?takeOver=false`, patch),
      await call('PATCH', `/roles/${name}?dryRun=true`, patch),
    ];
    expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      Array.from({ length: 5 }, () => '409 owned_by_code'),
    );
    const typed = await runTool(['role', 'update', name, '--description', 'x'], { dataDir: console.dataDir });
    expect(typed.code).toBe(1);
    const dry = await call('PATCH', `/roles/${name}?dryRun=true&takeOver=true`, patch);
    expect(dry.status).toBe(200);
    expect((await call('GET', `/roles/${name}`)).body).toMatchObject({
      description: null,
      owner: { source },
    });
    const taken = await call('PATCH', `/roles/${name}?takeOver=true`, patch);
    expect(taken.body).toMatchObject({ description: 'Elsewhere.', owner: { kind: 'admin', source: null } });
    expect((await call('GET', `/roles/${name}`)).body).toEqual(taken.body);
    expect((await planned({ [name]: { permissions: reads } })).body.steps).toMatchObject([
      { action: 'blocked' },
    ]);
  });

  test('is ended in an emergency, and held against every plan until it is let in again', async () => {
    const provider = `${source}-idp`;
    const described = {
      kind: 'oidc',
      issuer: 'https://idp.example',
      clientId: 'console',
      clientAuth: 'none',
      defaultRole: 'Viewer',
    };
    const describe = (fields: object) =>
      call('POST', '/configuration/plans', {
        document: { version: 1, source, identityProviders: { [provider]: fields } },
      });
    const first = await apply(await describe(described));
    expect(first.body.steps).toMatchObject([{ id: provider, action: 'create' }]);
    expect((await apply(await describe(described))).body.steps).toEqual([]);

    expect((await call('POST', `/identity-providers/${provider}/disable`)).status).toBe(200);
    const plan = await describe({ ...described, clientId: 'another' });
    expect(plan.body.steps).toMatchObject([
      { id: provider, action: 'held', reason: expect.stringContaining('idp.disabled') },
    ]);
    expect((await apply(plan)).status).toBe(200);
    const held = (await call('GET', `/identity-providers/${provider}`)).body;
    expect(held).toMatchObject({
      enabled: false,
      settings: { clientId: 'console' },
      owner: { kind: 'code' },
    });
    expect((await call('POST', `/identity-providers/${provider}/enable`)).status).toBe(200);
    const after = await apply(await describe({ ...described, clientId: 'another' }));
    expect(after.body.steps).toMatchObject([{ action: 'update', changes: { clientId: { to: 'another' } } }]);
  });
});

test('a client that follows from the settings is nobody’s to describe', async () => {
  const clients = { 'application-client': { displayName: 'Mine', scopes: ['svc:map:orders-*:read'] } };
  const options = { takeOver: ['all'] };
  const plan = await call('POST', '/configuration/plans', {
    document: { version: 1, source, clients },
    ...options,
  });
  expect(plan.body).toMatchObject({ canApply: false, steps: [{ action: 'blocked', code: 'conflict' }] });
  expect((await apply(plan)).status).toBe(409);
});

test('files have a form that editors know', async () => {
  const { body } = await call('GET', '/configuration/schema');
  expect(body.code, JSON.stringify(body)).toBeUndefined();
  const isValid = new Ajv2020({ strict: false }).compile(body);
  const roles = { reader: { permissions: reads } };
  const clientSecret = { file: 'secrets/corp' };
  const corp = { kind: 'oidc', issuer: 'https://id.example', clientId: 'console', clientSecret };
  const good = {
    version: 1,
    source: 'team',
    roles,
    identityProviders: { corp },
    users: { grace: { roles: ['Viewer'] } },
  };
  expect(isValid(good), JSON.stringify(isValid.errors)).toBe(true);
  for (const bad of [
    { ...good, version: 2 },
    { ...good, rules: {} },
    { version: 1, roles },
    { ...good, roles: { reader: { permissions: reads, permission: [] } } },
    { ...good, roles: { reader: {} } },
    { ...good, identityProviders: { corp: { ...corp, clientSecret: 'in the file itself' } } },
  ]) {
    expect(isValid(bad)).toBe(false);
  }
});

test('people and the roles that they have are made in one change, and kept out in an emergency', async () => {
  const [role, name] = [`${source}-role`, `grace-${source}`];
  const document = (email: string) => ({
    version: 1,
    source,
    roles: { [role]: { permissions: reads } },
    users: { [name]: { email, roles: [role, 'Viewer'] } },
  });
  const planOf = (email: string) => call('POST', '/configuration/plans', { document: document(email) });
  const made = await apply(await planOf('grace@example.com'));
  expect(actions(made)).toEqual({ [role]: 'create', [name]: 'create' });
  expect((await call('GET', `/users/${name}`)).body).toMatchObject({
    status: 'invited',
    roles: [role, 'Viewer'],
    owner: { kind: 'code', source },
  });
  expect((await planOf('grace@example.com')).body.steps).toEqual([]);
  expect((await call('PATCH', `/users/${name}`, { email: 'other@example.com' })).body.code).toBe(
    'owned_by_code',
  );
  const changed = await apply(await planOf('hopper@example.com'));
  expect(changed.body.steps).toMatchObject([
    { id: name, action: 'update', changes: { email: { to: 'hopper@example.com' } } },
  ]);

  expect((await call('POST', `/users/${name}/disable`)).status).toBe(200);
  const held = await apply(await planOf('third@example.com'));
  expect(actions(held)).toEqual({ [name]: 'held' });
  expect((await call('GET', `/users/${name}`)).body).toMatchObject({
    status: 'disabled',
    email: 'hopper@example.com',
  });
  expect((await call('POST', `/users/${name}/enable`)).status).toBe(200);
  expect(actions(await planOf('third@example.com'))).toEqual({ [name]: 'update' });
});

describe('one change by the API, by a command and by a description leaves the same line but for its origin', () => {
  const provider = {
    kind: 'oidc',
    issuer: 'https://idp.example',
    clientId: 'console',
    clientAuth: 'none',
    defaultRole: 'Viewer',
  };
  /** An object with two of something, of which one goes. */
  const rows = [
    {
      what: 'a role',
      path: '/roles',
      key: 'roles',
      event: 'role.updated',
      before: { permissions: reads },
      change: { permissions: ['svc:health:read'] },
      typed: (name: string) => ['role', 'update', name, '--scope', 'svc:health:read'],
      changes: { permissions: { add: [], remove: [reads[0]] } },
    },
    {
      what: 'a client',
      path: '/clients',
      key: 'clients',
      event: 'client.updated',
      before: { scopes: reads },
      change: { scopes: ['svc:health:read'] },
      typed: (name: string) => ['client', 'update', name, '--remove-scope', reads[0]!],
      changes: { scopes: { add: [], remove: [reads[0]] } },
    },
    {
      what: 'a user',
      path: '/users',
      key: 'users',
      event: 'user.updated',
      before: { roles: ['Viewer', 'MetricsViewer'] },
      change: { roles: ['MetricsViewer'] },
      typed: (name: string) => ['user', 'update', name, '--remove-role', 'Viewer'],
      changes: { roles: { add: [], remove: ['Viewer'] } },
    },
    {
      what: 'an application',
      path: '/applications',
      key: 'applications',
      event: 'client.updated',
      before: { redirectUris: ['https://wiki.example.com/callback', 'https://wiki.example.com/old'] },
      change: { redirectUris: ['https://wiki.example.com/callback'] },
      typed: (name: string) => [
        'client',
        'update',
        name,
        '--remove-redirect-uri',
        'https://wiki.example.com/old',
      ],
      changes: { redirectUris: { add: [], remove: ['https://wiki.example.com/old'] } },
    },
    {
      what: 'an identity provider',
      path: '/identity-providers',
      key: 'identityProviders',
      event: 'idp.updated',
      before: { ...provider, roleRules: ['groups=a -> Viewer', 'groups=b -> Viewer'] },
      change: { roleRules: ['groups=a -> Viewer'] },
      described: { ...provider, roleRules: ['groups=a -> Viewer'] },
      typed: (name: string) => ['idp', 'update', name, '--role-rule', 'groups=a -> Viewer'],
      changes: { roleRules: { add: [], remove: ['groups=b -> Viewer'] } },
    },
  ];

  test.each(rows)('$what', async ({ path, key, event, before, change, described, typed, changes }) => {
    const name = `${source}-way`;
    const back = async () => expect((await call('PUT', `${path}/${name}`, before)).status).toBeLessThan(300);
    const lineOf = async (via: string) => {
      const isIt = (line: Record<string, unknown>) =>
        line.target === name && line.event === event && line.via === via;
      return console.waitFor(() => console.log().findLast(isIt), via);
    };
    const same = ({
      time,
      via,
      source: _source,
      requestId,
      actor,
      actorKind,
      ...line
    }: Record<string, unknown>) => line;

    await back();
    expect((await call('PATCH', `${path}/${name}`, change)).status).toBe(200);
    const byApi = await lineOf('api');
    expect(byApi).toMatchObject({ outcome: 'success', changes });
    await back();
    expect((await runTool(typed(name), { dataDir: console.dataDir })).code).toBe(0);
    expect(same(await lineOf('cli'))).toEqual(same(byApi));
    await back();
    const document = { version: 1, source, [key]: { [name]: described ?? change } };
    const plan = await call('POST', '/configuration/plans', { document, takeOver: ['all'] });
    expect((await apply(plan)).status).toBe(200);
    const byCode = await lineOf('code');
    expect(same(byCode)).toEqual(same(byApi));
    expect(byCode.actor).toBe(byApi.actor);
  });
});

test('what is stored of a description that was applied has none of its secrets (S54)', () => {
  const secret = 'marmot-0123456789-abcdefghij';
  const corp = { issuer: 'https://id.example', clientSecret: { value: secret } };
  const billing = { scopes: ['svc:health:read'], secrets: [{ id: 'a', from: { value: secret } }] };
  const document = {
    version: 1 as const,
    source: 'team',
    identityProviders: { corp },
    clients: { billing },
  };
  const stored = documentWithoutSecrets(document);
  expect(JSON.stringify(stored)).not.toContain(secret);
  expect(stored).toEqual({
    version: 1,
    source: 'team',
    identityProviders: { corp: { issuer: corp.issuer } },
    clients: { billing: { scopes: billing.scopes } },
  });
});
