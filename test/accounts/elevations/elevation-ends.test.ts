/** How a role for a while ends: in its time, with what it hung on, and whatever becomes of the process and its clock. */
import { request } from 'node:http';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { effectiveRoles } from '../../../console/accounts/elevations/effective-roles.ts';
import { type CallApi, callsWith } from '../../admin-api/client-support.ts';
import { apiToken, type RunningConsole, startConsole, usedDataDir } from '../../helpers/console.ts';
import {
  addPerson,
  asked,
  endOf,
  entriesOf,
  movableClock,
  type Person,
  password,
  person,
  personOf,
} from './support.ts';

const another = 'quite-another-sentence-7';

let console: RunningConsole;
let dataDir: string;
let clock: Awaited<ReturnType<typeof movableClock>>;
let owner: CallApi;
/** Added before changes of users need an approval. */
let kept: string;

const start = async (more: Readonly<Record<string, string>> = {}) => {
  console = await startConsole({ dataDir, env: { ...clock.env, CONSOLE_ACCESS_TOKEN_TTL: '3600', ...more } });
  const token = await apiToken(console);
  owner = callsWith(console, () => token);
};

beforeAll(async () => {
  [clock, dataDir] = [await movableClock(), await usedDataDir()];
  await start();
  kept = await addPerson(console);
});
afterAll(() => console?.stop());

describe('ends', () => {
  test.each<[string, string, (id: string) => Promise<unknown>]>([
    [
      'eligibility_removed',
      'eligible no longer',
      (id) => owner('PATCH', `/users/${id}`, { eligibleRoles: [] }),
    ],
    ['account_disabled', 'disabled', (id) => owner('POST', `/users/${id}/disable`)],
    ['account_removed', 'removed', (id) => owner('DELETE', `/users/${id}`)],
    ['password_changed', 'given another password', (id) => owner('POST', `/users/${id}/reset-password`, {})],
  ])('%s: the person is %s', async (cause, _how, change) => {
    const grace = await person(console);
    const id = await grace.elevate();
    await change(grace.id);
    expect(await endOf(console, id)).toMatchObject({ cause, reason: asked.reason, role: 'Admin' });
    expect((await grace.call('GET', '/me')).status).toBe(401);
    expect((await owner('GET', `/elevations/${id}`)).body).toMatchObject({ state: 'ended', cause });
  });

  test('password_changed: the person has chosen another password, and the audit has both by that commit', async () => {
    const grace = await person(console);
    const id = await grace.elevate();
    const typed = { current_password: password, password: another, password_again: another };
    const page = await grace.agent.get('/account');
    const reply = await grace.agent.submit(page, typed, { action: '/account/password' });
    expect(reply.status).toBe(200);
    const end = await endOf(console, id);
    expect(end).toMatchObject({
      cause: 'password_changed',
      reason: asked.reason,
      role: 'Admin',
      elevation: id,
    });
    const changed = console
      .log()
      .filter(({ event, requestId }) => event === 'password.changed' && requestId === end.requestId);
    expect(changed).toMatchObject([{ actor: end.actor, outcome: 'success', elevation: id }]);
    const { items } = (await owner('GET', `/audit?object=elevation:${id}&limit=50`)).body;
    const ends = items.filter(({ event }: { event: string }) => event === 'elevation.ended');
    expect(ends).toHaveLength(1);
    expect((await grace.call('GET', '/me')).status).toBe(401);
    expect((await owner('GET', `/elevations/${id}`)).body).toMatchObject({ state: 'ended' });
  });

  test('eligibility_removed: the role is gone', async () => {
    await owner('PUT', '/roles/Passing', { permissions: ['api:users:read'] });
    const grace = await person(console, { eligibleRoles: ['Passing'] });
    const id = await grace.elevate({ role: 'Passing' });
    expect((await owner('DELETE', '/roles/Passing')).status).toBe(204);
    expect(await endOf(console, id)).toMatchObject({ cause: 'eligibility_removed' });
    expect((await grace.call('GET', '/me')).status).toBe(401);
  });

  test('expired: in its time, by itself, with tokens and sessions', async () => {
    const grace = await person(console);
    const id = await grace.elevate({ minutes: 2 });
    await clock.set(121);
    expect((await grace.call('GET', '/me')).status).toBe(401);
    expect(await endOf(console, id)).toMatchObject({
      cause: 'expired',
      actor: 'console',
      actorKind: 'system',
    });
    expect((await grace.agent.get('/')).status).toBe(303);
    const again = await personOf(console, grace.id);
    expect(decodeJwt(again.token())).toMatchObject({ roles: ['Viewer'] });
    await clock.set(0);
  });

  test('a token of it counts no more when the clock was put back, and none is longer for it', async () => {
    const grace = await person(console);
    const id = await grace.elevate();
    await clock.set(-3600);
    const status = (await grace.call('GET', '/users')).status;
    await clock.set(0);
    expect(status).toBe(401);
    expect((await owner('DELETE', `/elevations/${id}`)).status).toBe(204);
    const began = 1_764_000_000_000;
    const elevation = { id, role: 'Admin', reason: 'x', startedAt: began, endsAt: began + 600_000 };
    const user = { roles: ['Viewer'], eligibleRoles: ['Admin'], disabled: false, elevation };
    const at = (ms: number) => effectiveRoles(user, began + ms);
    for (const ms of [0, 599_999, -60_000]) expect(at(ms)).toEqual(['Viewer', 'Admin']);
    for (const ms of [600_000, 1e9, -60_001, -1e9]) expect(at(ms)).toEqual(['Viewer']);
    expect(effectiveRoles({ ...user, eligibleRoles: [] }, began)).toEqual(['Viewer']);
    expect(effectiveRoles({ ...user, disabled: true }, began)).toEqual(['Viewer']);
  });

  test('what was asked for under it, and whose body comes when it is over, is not done', async () => {
    const grace = await person(console);
    await grace.elevate({ minutes: 2 });
    const other = await addPerson(console, { roles: [], eligibleRoles: [] });
    const body = JSON.stringify({ displayName: 'Late' });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${console.url}/api/v1/users/${other}`, {
        method: 'PATCH',
        headers: {
          Authorization: `Bearer ${grace.token()}`,
          'Content-Type': 'application/json',
          'Content-Length': body.length,
        },
      });
      sent.on('error', reject).on('response', (res) => res.resume().on('end', () => resolve(res.statusCode)));
      sent.write(body.slice(0, 5));
      // By then the head has been read: another request has come back.
      void owner('GET', `/users/${other}`)
        .then(() => clock.set(121))
        .then(() => sent.end(body.slice(5)));
    });
    await clock.set(0);
    // 401 where the token was looked at only then.
    expect([401, 403]).toContain(status);
    expect((await owner('GET', `/users/${other}`)).body.displayName).toBeNull();
  });
});

test('what a kill leaves open stays open, and ends once', async () => {
  const grace = await person(console);
  const id = await grace.elevate({ minutes: 10 });
  const { endsAt } = (await owner('GET', `/elevations/${id}`)).body;
  const { port, child } = console;
  const url = console.url;
  child.kill('SIGKILL');
  await console.stop();
  console = await startConsole({ dataDir, port, env: { ...clock.env, CONSOLE_URL: url } });
  expect((await grace.call('GET', '/users')).status).toBe(200);
  expect((await grace.call('GET', '/me')).body.elevation).toMatchObject({ id, endsAt });
  console.child.kill('SIGKILL');
  await console.stop();
  await clock.set(601);
  await start({ CONSOLE_WORKERS: '2', CONSOLE_APPROVALS_REQUIRE: 'elevations' });
  await endOf(console, id);
  const { items } = (await owner('GET', `/audit?object=elevation:${id}&limit=50`)).body;
  expect(items.map(({ event }: { event: string }) => event).sort()).toEqual([
    'elevation.ended',
    'elevation.started',
  ]);
  await clock.set(0);
}, 120_000);

describe('with two processes, where a second administrator has to agree', () => {
  test('it begins when another one agrees, and ends at once everywhere', async () => {
    const [ada, grace] = [await personOf(console, 'ada'), await personOf(console, kept)];
    const waiting = await grace.call('POST', '/elevations', asked);
    expect(waiting).toMatchObject({ status: 202, body: { state: 'waiting', operation: 'createElevation' } });
    const approve = `/approvals/${waiting.body.id}/approve`;
    expect((await grace.call('POST', approve)).status).toBe(403);
    expect((await grace.call('GET', '/me')).body.elevation).toBeNull();
    expect((await ada.call('POST', approve)).status).toBe(200);
    const { elevation } = (await grace.call('GET', '/me')).body;
    expect(await grace.renew()).toBe(200);
    const line = await console.waitFor(() => entriesOf(console, elevation.id).at(0), 'the begin');
    expect(line).toMatchObject({ approval: waiting.body.id, reason: asked.reason });
    const everywhere = () => Promise.all(Array.from({ length: 12 }, () => alone(grace)));
    expect(new Set(await everywhere())).toEqual(new Set([200]));
    expect((await grace.call('DELETE', `/elevations/${elevation.id}`)).status).toBe(204);
    expect(new Set(await everywhere())).toEqual(new Set([401]));
  }, 60_000);
});

/** On a connection of its own, so that any process answers. */
function alone(grace: Person): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${console.url}/api/v1/users`, {
      agent: false,
      headers: { Authorization: `Bearer ${grace.token()}`, Connection: 'close' },
    });
    sent.on('error', reject).on('response', (res) => res.resume().on('end', () => resolve(res.statusCode)));
    sent.end();
  });
}
