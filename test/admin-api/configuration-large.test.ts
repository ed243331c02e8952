/** A description of hundreds: one change all the same, which a thread writes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ApiCaller, apiCaller } from './support.ts';

const count = 250;
const source = 'large';
let console: RunningConsole;
let call: ApiCaller;
beforeAll(async () => {
  console = await startConsole();
  call = apiCaller(console, '', await apiToken(console));
});
afterAll(() => console?.stop());

const clients = (displayName: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`large-${i}`, { displayName, scopes: ['svc:health:read'] }]),
  );
const planned = (objects: object, options: object = {}) =>
  call('POST', '/configuration/plans', { document: { version: 1, source, ...objects }, ...options });
const apply = (plan: { readonly body: { readonly id: string } }) =>
  call('POST', `/configuration/plans/${plan.body.id}/apply`);
const listed = async () => (await call('GET', '/clients?q=large-&limit=500')).body.items;
const nameOf = async (id: string) => (await call('GET', `/clients/${id}`)).body.displayName;

describe('hundreds of clients', () => {
  test('are made with a role, changed and removed, each in one change', async () => {
    const roles = { LargeReader: { permissions: ['svc:health:read'] } };
    const made = await apply(await planned({ roles, clients: clients('Once') }));
    expect(made.body.counts, JSON.stringify(made.body)).toEqual({ unchanged: 0, create: count + 1 });
    expect((await call('GET', '/roles/LargeReader')).status).toBe(200);
    expect([await nameOf('large-0'), await nameOf(`large-${count - 1}`)]).toEqual(['Once', 'Once']);
    expect((await planned({ roles, clients: clients('Once') })).body.counts).toEqual({
      unchanged: count + 1,
    });

    expect((await apply(await planned({ clients: clients('Twice') }))).body.counts).toMatchObject({
      update: count,
    });
    expect(await nameOf('large-7')).toBe('Twice');
    expect(await listed()).toHaveLength(count);

    const gone = await apply(await planned({ clients: {} }, { prune: true, pruneCount: count }));
    expect(gone.body.counts, JSON.stringify(gone.body.limit)).toMatchObject({ remove: count });
    expect((await call('GET', '/clients/large-7')).status).toBe(404);
    expect(await listed()).toEqual([]);
    const lines = console.log().filter(({ event, via }) => event === 'client.removed' && via === 'code');
    expect(lines).toHaveLength(count);
  });

  test('change nothing when nobody could administer the console any more', async () => {
    const users = { [admin.username]: { roles: ['Viewer'] } };
    const plan = await planned({ clients: clients('Never'), users }, { takeOver: ['all'] });
    expect(plan.body).toMatchObject({ canApply: false, limit: expect.stringContaining('administer') });
    const refused = await apply(plan);
    expect([refused.status, refused.body.code]).toEqual([409, 'last_administrator']);
    expect((await call('GET', '/clients/large-7')).status).toBe(404);
    expect((await call('GET', `/users/${admin.username}`)).body.roles).toEqual(['Admin']);
  });

  test('are of one plan alone: of two at once the other one is stale, and has changed nothing', async () => {
    const plans = [await planned({ clients: clients('A') }), await planned({ clients: clients('B') })];
    const done = await Promise.all(plans.map(apply));
    expect(done.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = done[0]!.status === 200 ? 'A' : 'B';
    const names = await Promise.all([0, 1, 99, 100, 101, 200, count - 1].map((i) => nameOf(`large-${i}`)));
    expect(new Set(names)).toEqual(new Set([winner]));
  });
});
