/** What files say of whether a thing works: `enabled`, by the operations that administrators have. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ApiCaller, apiCaller } from './support.ts';

let console: RunningConsole;
let call: ApiCaller;
let source: string;
let sources = 0;
beforeAll(async () => {
  console = await startConsole();
  call = apiCaller(console, '', await apiToken(console));
});
afterAll(() => console?.stop());
beforeEach(() => {
  source = `team-${sources++}`;
});

type Kinds = Readonly<Record<string, Readonly<Record<string, object>>>>;
const planned = (kinds: Kinds, options: object = {}) =>
  call('POST', '/configuration/plans', { document: { version: 1, source, ...kinds }, ...options });
async function applied(kinds: Kinds, options: object = {}) {
  const plan = await planned(kinds, options);
  expect(plan.status, JSON.stringify(plan.body)).toBe(201);
  return call('POST', `/configuration/plans/${plan.body.id}/apply`);
}
const eventsAt = (target: string) =>
  console
    .log()
    .filter((line) => line.audit === true && line.target === target)
    .map(({ event }) => event);

const provider = {
  kind: 'oidc',
  issuer: 'https://idp.example',
  clientId: 'console',
  clientAuth: 'none',
  defaultRole: 'Viewer',
};
const wiki = { redirectUris: ['https://wiki.example.com/callback'] };

describe('of each kind that can be disabled', () => {
  test.each([
    { key: 'clients', path: 'clients', fields: { displayName: 'Billing' }, event: 'client' },
    { key: 'applications', path: 'applications', fields: wiki, event: 'client' },
    { key: 'users', path: 'users', fields: { roles: ['Viewer'] }, event: 'user' },
    { key: 'identityProviders', path: 'identity-providers', fields: provider, event: 'idp' },
  ])('$key', async ({ key, path, fields, event }) => {
    const id = `${key.toLowerCase()}-state`;
    const off = { [key]: { [id]: { ...fields, enabled: false } } };
    const isDisabled = async () => {
      const { body } = await call('GET', `/${path}/${id}`);
      return body.enabled === false || body.status === 'disabled';
    };
    const made = await applied(off);
    expect(made.body.steps).toMatchObject([{ id, action: 'create' }]);
    expect(await isDisabled()).toBe(true);
    expect((await applied(off)).body.steps).toEqual([]);

    // What says nothing lets nobody in.
    await applied({ [key]: { [id]: fields } });
    expect(await isDisabled()).toBe(true);

    const on = { [key]: { [id]: { ...fields, enabled: true } } };
    expect((await applied(on)).body.steps).toMatchObject([{ id, action: 'update' }]);
    expect(await isDisabled()).toBe(false);
    await console.waitFor(() => eventsAt(id).includes(`${event}.enabled`), 'a line');

    await applied({ [key]: { [id]: fields } });
    expect(await isDisabled()).toBe(false);
    expect((await applied(off)).body.steps).toMatchObject([{ id, action: 'update' }]);
    expect(await isDisabled()).toBe(true);
    await console.waitFor(() => eventsAt(id).includes(`${event}.disabled`), 'a line');
  });
});

test('a client gets no token from then on, and those that it has are refused', async () => {
  const id = 'importer';
  const clients = { [id]: { scopes: ['svc:health:read'] } };
  await applied({ clients });
  const secret = 'a-secret-of-importer-0123456789-abcdef';
  expect((await call('POST', `/clients/${id}/secrets?takeOver=true`, { secret })).status).toBe(201);
  const ask = () =>
    fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'svc:health:read' }),
    });
  expect((await ask()).status).toBe(200);
  await applied({ clients: { [id]: { ...clients[id], enabled: false } } }, { takeOver: ['all'] });
  expect((await ask()).status).toBe(401);
});

test('what an administrator has disabled is held, whatever a file says', async () => {
  const id = 'leaky';
  const clients = { [id]: { displayName: 'Leaky', enabled: true } };
  await applied({ clients });
  expect((await call('POST', `/clients/${id}/disable`)).status).toBe(200);
  const again = await applied({ clients });
  expect(again.body.steps).toMatchObject([
    { id, action: 'held', changes: { enabled: { from: false, to: true } } },
  ]);
  expect((await call('GET', `/clients/${id}`)).body.status).toBe('disabled');
});

test('an export says what is disabled, so that it is where the file is applied', async () => {
  const id = 'archived';
  await applied({
    clients: { [id]: { displayName: 'Archived', enabled: false }, running: { displayName: 'R' } },
  });
  const { body } = await call('GET', `/configuration?source=${source}`);
  expect(body.clients[id]).toMatchObject({ displayName: 'Archived', enabled: false });
  expect(body.clients.running).toMatchObject({ displayName: 'R' });
  expect(body.clients.running).not.toHaveProperty('enabled');
  expect((await call('DELETE', `/clients/${id}?takeOver=true`)).status).toBe(204);
  await applied({ clients: body.clients });
  expect((await call('GET', `/clients/${id}`)).body.status).toBe('disabled');
});

test('drift shows what was enabled elsewhere', async () => {
  const id = 'drifting';
  await applied({ clients: { [id]: { enabled: false } } });
  expect((await call('POST', `/clients/${id}/enable?takeOver=true`)).status).toBe(200);
  const { body } = await call('GET', `/configuration/drift?source=${source}`);
  expect(JSON.stringify(body)).toContain(id);
});

test.each([
  { what: 'no boolean', kinds: { clients: { odd: { enabled: 'no' } } }, code: 'invalid_request' },
  { what: 'null', kinds: { users: { odd: { enabled: null } } }, code: 'invalid_request' },
  {
    what: 'a role, which cannot be disabled',
    kinds: { roles: { odd: { permissions: ['svc:health:read'], enabled: false } } },
    code: 'invalid_request',
  },
])('is refused, and changes nothing: $what', async ({ kinds, code }) => {
  const plan = await planned(kinds as Kinds, { takeOver: ['all'] });
  expect(plan.body).toMatchObject({ canApply: false, steps: [{ action: 'blocked', code }] });
  expect((await call('POST', `/configuration/plans/${plan.body.id}/apply`)).status).toBe(409);
  expect((await call('GET', '/users/odd')).status).toBe(404);
});

test('the last administrator stays, and the plan says so', async () => {
  const users = { [admin.username]: { roles: ['Admin'], enabled: false } };
  const plan = await planned({ users }, { takeOver: ['all'] });
  expect(plan.body).toMatchObject({
    canApply: false,
    limit: 'Nobody could administer the console any more.',
    counts: { update: 1 },
  });
  const done = await call('POST', `/configuration/plans/${plan.body.id}/apply`);
  expect(done).toMatchObject({ status: 409, body: { code: 'last_administrator' } });
  expect((await call('GET', `/users/${admin.username}`)).body.status).toBe('active');
  const heir = { roles: ['Admin'] };
  const more = await planned({ users: { ...users, heir } }, { takeOver: ['all'] });
  expect(more.body).toMatchObject({ canApply: false, limit: expect.stringContaining('administer') });
});

test('the form of files knows it, for what can be disabled', async () => {
  const { body } = await call('GET', '/configuration/schema');
  const isValid = new Ajv2020({ strict: false }).compile(body);
  const file = { version: 1, source: 'team' };
  expect(isValid({ ...file, clients: { a: { enabled: false } } }), JSON.stringify(isValid.errors)).toBe(true);
  expect(isValid({ ...file, clients: { a: { enabled: 'no' } } })).toBe(false);
  expect(isValid({ ...file, roles: { a: { permissions: [], enabled: false } } })).toBe(false);
});
