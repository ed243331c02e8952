/** An object that a description takes while somebody else changes it is as it is described, or not the description's. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ApiCaller, apiCaller } from './support.ts';

let console: RunningConsole;
let call: ApiCaller;
beforeAll(async () => {
  console = await startConsole();
  call = apiCaller(console, '', await apiToken(console));
});
afterAll(() => console?.stop());

const redirectUris = ['https://wiki.example.com/callback'];
const kinds = [
  {
    key: 'roles',
    path: '/roles',
    described: { permissions: ['svc:health:read'] },
    patch: (n: number) => ({ description: `Meanwhile ${n}.` }),
    isDescribed: { description: null },
  },
  {
    key: 'clients',
    path: '/clients',
    described: { scopes: ['svc:health:read'] },
    patch: (n: number) => ({ displayName: `Meanwhile ${n}` }),
    isDescribed: { displayName: null },
  },
  {
    key: 'applications',
    path: '/applications',
    described: { redirectUris },
    patch: (n: number) => ({ displayName: `Meanwhile ${n}` }),
    isDescribed: { displayName: null },
  },
  {
    key: 'users',
    path: '/users',
    described: { roles: ['Viewer'] },
    patch: (n: number) => ({ displayName: `Meanwhile ${n}` }),
    isDescribed: { displayName: null },
  },
];

async function planOf(key: string, id: string, described: object): Promise<string> {
  const document = { version: 1, source: 'racers', [key]: { [id]: described } };
  const plan = await call('POST', '/configuration/plans', { document, takeOver: [`${key}/${id}`] });
  expect(plan.status, JSON.stringify(plan.body)).toBe(201);
  return `/configuration/plans/${plan.body.id}/apply`;
}

describe.each(kinds)('of $key', ({ key, path, described, patch, isDescribed }) => {
  test('one that is changed by many while it is taken', async () => {
    const seen = { applied: 0, refused: 0 };
    for (let round = 0; round < 12; round++) {
      const id = `raced-${key}-${round}`;
      await call('PUT', `${path}/${id}`, described);
      const apply = await planOf(key, id, described);
      const changes = (from: number) =>
        Array.from({ length: 4 }, (_, n) => call('PATCH', `${path}/${id}`, patch(from + n)));
      // Some before it and some after it, so that it comes in the middle of both.
      const early = round % 3 === 0 ? changes(0) : [];
      const applying = call('POST', apply);
      const late = [...changes(4), ...changes(8)];
      const replies = await Promise.all([...early, ...late]);
      const applied = await applying;
      expect([200, 409]).toContain(applied.status);
      expect(
        replies.every(({ status, body }) => status === 200 || body.code === 'owned_by_code'),
        JSON.stringify(replies.map(({ body }) => body)),
      ).toBe(true);
      const { body } = await call('GET', `${path}/${id}`);
      expect(body.owner.kind).toBe(applied.status === 200 ? 'code' : 'admin');
      if (applied.status !== 200) continue;
      seen.applied++;
      seen.refused += replies.filter(({ status }) => status === 409).length;
      expect(body).toMatchObject(isDescribed);
    }
    expect(seen.applied).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  }, 30_000);
});

test('one that is not there yet is not changed by who found none', async () => {
  for (let round = 0; round < 12; round++) {
    const id = `new-${round}`;
    const apply = await planOf('clients', id, { scopes: ['svc:health:read'] });
    const applying = call('POST', apply);
    const replies = await Promise.all([
      ...Array.from({ length: 3 }, () => call('PATCH', `/clients/${id}`, { displayName: 'Found none' })),
      call('DELETE', `/clients/${id}`),
      call('PUT', `/clients/${id}`, { scopes: ['svc:health:read'], displayName: 'Found none' }),
    ]);
    const applied = await applying;
    const { body } = await call('GET', `/clients/${id}`);
    if (applied.status === 200) expect(body).toMatchObject({ displayName: null, owner: { kind: 'code' } });
    expect(replies.map(({ status }) => status).every((status) => status < 500)).toBe(true);
  }
}, 30_000);

test('who keeps it out in an emergency is not undone by a description on its way', async () => {
  for (let round = 0; round < 8; round++) {
    const id = `held-${round}`;
    const done = await call('POST', await planOf('clients', id, { scopes: ['svc:health:read'] }));
    expect(done.status).toBe(200);
    const apply = await planOf('clients', id, { scopes: ['svc:health:read'], displayName: 'Changed' });
    const [held, applied] = await Promise.all([call('POST', `/clients/${id}/disable`), call('POST', apply)]);
    expect(held.status, JSON.stringify(held.body)).toBe(200);
    expect(held.body).toMatchObject({
      status: 'disabled',
      owner: { kind: 'code', source: 'racers' },
      hold: { by: 'application-client', reason: 'client.disabled', at: expect.stringMatching(/Z$/) },
    });
    expect([200, 409]).toContain(applied.status);
    const after = await call('GET', `/clients/${id}`);
    expect(after.body).toMatchObject({ status: 'disabled', hold: held.body.hold });
    expect(after.headers.get('etag')).toBe(held.headers.get('etag'));
  }
}, 30_000);
