/** A role for a while: who takes it, what it opens, and that nothing of it stays. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallApi, callsWith } from '../../admin-api/client-support.ts';
import { runTool } from '../../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../../helpers/console.ts';
import {
  addPerson,
  asked,
  endOf,
  entriesOf,
  movableClock,
  type Person,
  person,
  personOf,
} from './support.ts';

let console: RunningConsole;
let clock: Awaited<ReturnType<typeof movableClock>>;
let owner: CallApi;
let ada: Person;

beforeAll(async () => {
  clock = await movableClock();
  console = await startConsole({
    env: { ...clock.env, CONSOLE_ELEVATION_MINUTES: '30', CONSOLE_ACCESS_TOKEN_TTL: '3600' },
  });
  const token = await apiToken(console);
  owner = callsWith(console, () => token);
  ada = await personOf(console, 'ada');
});
afterAll(() => console?.stop());

describe('an elevation', () => {
  test('gives the role from the next token on, says so in it, and ends with all that was issued', async () => {
    const grace = await person(console);
    const before = grace.token();
    const id = await grace.elevate();
    const claims = decodeJwt(grace.token());
    const { body: shown } = await grace.call('GET', `/elevations/${id}`);
    expect(claims).toMatchObject({ roles: ['Viewer', 'Admin'], elevation: { id, roles: ['Admin'] } });
    expect(claims.exp! * 1000).toBeLessThanOrEqual(Date.parse(shown.endsAt));
    expect(decodeJwt(before)).toMatchObject({ roles: ['Viewer'] });
    expect((await callsWith(console, () => before)('GET', '/users')).status).toBe(403);
    expect((await grace.call('GET', '/users')).status).toBe(200);
    const me = (await grace.call('GET', '/me')).body;
    expect(me).toMatchObject({ eligibleRoles: ['Admin'], elevation: { id, role: 'Admin' }, opensAll: true });

    expect((await grace.call('DELETE', `/elevations/${id}`)).status).toBe(204);
    expect((await grace.call('GET', '/me')).status).toBe(401);
    expect((await callsWith(console, () => before)('GET', '/me')).status).toBe(401);
    expect(await grace.renew()).toBe(400);
    expect((await grace.agent.get('/')).status).toBe(303);
    const again = await personOf(console, grace.id);
    expect(decodeJwt(again.token())).toMatchObject({ roles: ['Viewer'] });
    expect((await again.call('GET', '/me')).body.elevation).toBeNull();
  });

  test('leaves an entry of its begin and its end with the reason, and each one between says under which it was', async () => {
    const grace = await person(console);
    const id = await grace.elevate();
    expect(
      (await grace.call('POST', '/roles', { id: 'Made', permissions: ['svc:health:read'] })).status,
    ).toBe(201);
    expect((await grace.call('POST', '/users', { id: `${grace.id}x`, roles: ['Viewer'] })).status).toBe(201);
    expect((await grace.call('DELETE', `/elevations/${id}`)).status).toBe(204);
    await endOf(console, id);
    const actor = decodeJwt(grace.token()).sub;
    const own = console.log().filter((line) => line.audit && line.actor === actor && line.elevation);
    expect(own.map(({ event, elevation }) => [event, elevation])).toEqual([
      ['elevation.started', id],
      ['token.issued', id],
      ['role.added', id],
      ['user.added', id],
      ['elevation.ended', id],
    ]);
    const [begun, ended] = [own[0], own.at(-1)];
    expect(begun).toMatchObject({
      outcome: 'success',
      role: 'Admin',
      reason: asked.reason,
      actorKind: 'user',
    });
    expect(ended).toMatchObject({ cause: 'ended_by_person', role: 'Admin', reason: asked.reason });
    const listed = await runTool(['audit', 'list', '--what', `elevation:${id}`, '--json'], console);
    expect(listed.json<{ elevation: string }[]>().map(({ elevation }) => elevation)).toEqual([id, id]);
  });

  test('is one’s own, and seen by those who may see all', async () => {
    const [grace, other] = [await person(console), await person(console)];
    const id = await grace.elevate();
    expect((await other.call('GET', `/elevations/${id}`)).status).toBe(404);
    expect((await other.call('DELETE', `/elevations/${id}`)).status).toBe(404);
    expect((await other.call('GET', '/elevations')).body.items).toEqual([]);
    const { items } = (await owner('GET', '/elevations?state=open')).body;
    expect(items).toContainEqual(expect.objectContaining({ id, reason: asked.reason, cause: null }));
    expect((await ada.call('DELETE', `/elevations/${id}`)).status).toBe(204);
    expect((await owner('GET', `/elevations/${id}`)).body).toMatchObject({
      state: 'ended',
      cause: 'ended_by_other',
      endedBy: { username: 'ada' },
      user: { username: grace.id },
    });
    expect((await grace.call('GET', '/me')).status).toBe(401);
  });

  test('of which several begin, or end, at the same time is one', async () => {
    const grace = await person(console);
    const tries = await Promise.all([1, 2, 3, 4].map(() => grace.call('POST', '/elevations', asked)));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const { id } = tries.find(({ status }) => status === 201)!.body;
    const ends = await Promise.all([1, 2, 3, 4].map(() => ada.call('DELETE', `/elevations/${id}`)));
    expect(ends.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409]);
    await endOf(console, id);
    const done = entriesOf(console, id).filter(({ outcome }) => outcome === 'success');
    expect(done.map(({ event }) => event)).toEqual(['elevation.started', 'elevation.ended']);
  });

  test('is made once by two calls of one key, and refused with another body', async () => {
    const grace = await person(console);
    const headers = { 'Idempotency-Key': 'key-of-elevation-0123456789' };
    const first = await grace.call('POST', '/elevations', asked, headers);
    const again = await grace.call('POST', '/elevations', asked, headers);
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await grace.call('POST', '/elevations', { ...asked, minutes: 3 }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect((await grace.call('GET', '/elevations')).body.items).toHaveLength(1);
  });

  test('is no part of what plans, lists, exports and versions say of the person', async () => {
    const grace = await person(console);
    const before = await owner('GET', `/users/${grace.id}`);
    await grace.elevate();
    const after = await owner('GET', `/users/${grace.id}`);
    expect([after.body, after.headers.get('etag')]).toEqual([before.body, before.headers.get('etag')]);
    expect((await owner('GET', `/users?role=Admin&q=${grace.id}`)).body.items).toEqual([]);
    const exported = await runTool(['export', 'users'], console);
    const line = exported.stdout.split('\n').find((text) => text.includes(`"${grace.id}"`))!;
    expect(JSON.parse(line)).toMatchObject({ roles: ['Viewer'], eligibleRoles: ['Admin'] });
    expect(line).not.toContain('elv_');
    const change = await owner(
      'PATCH',
      `/users/${grace.id}`,
      { displayName: 'G' },
      {
        'If-Match': before.headers.get('etag')!,
      },
    );
    expect(change.status).toBe(200);
  });
});

describe('nobody begins one', () => {
  test.each<[string, object, number, string]>([
    ['for a role that they may not take', { role: 'MetricsViewer' }, 403, 'forbidden'],
    ['for a role that there is not', { role: 'Boss' }, 403, 'forbidden'],
    ['for longer than the setting says', { minutes: 31 }, 400, 'invalid_request'],
    ['for longer than an hour', { minutes: 61 }, 400, 'invalid_request'],
    ['for no time', { minutes: 0 }, 400, 'invalid_request'],
    ['for half a minute', { minutes: 0.5 }, 400, 'invalid_request'],
    ['for a time that is text', { minutes: '20' }, 400, 'invalid_request'],
    ['without a time', { minutes: undefined }, 400, 'invalid_request'],
    ['without a reason', { reason: undefined }, 400, 'invalid_request'],
    ['with a reason that says nothing', { reason: ' \u00a0 ' }, 400, 'invalid_request'],
    ['with a control character in the reason', { reason: 'a\u0007b' }, 400, 'invalid_request'],
    ['with two lines of reason', { reason: 'a\nb' }, 400, 'invalid_request'],
    ['with a reason that turns the text round', { reason: 'a\u202eb' }, 400, 'invalid_request'],
    ['with a reason of 10,000 characters', { reason: 'x'.repeat(10_000) }, 400, 'invalid_request'],
    ['with more than is taken', { user: 'ada' }, 400, 'invalid_request'],
  ])('%s', async (_name, change, status, code) => {
    const grace = await refused();
    const reply = await grace.call('POST', '/elevations', { ...asked, ...change });
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(JSON.stringify(reply.body)).not.toContain('xxxxx');
    expect((await grace.call('GET', '/me')).body.elevation).toBeNull();
    expect((await grace.call('GET', '/elevations')).body.items).toEqual([]);
    const line = await console.waitFor(
      () => console.log().findLast((one) => one.event === 'elevation.started' && one.outcome === 'denied'),
      'the entry of the refusal',
    );
    expect(line).toMatchObject({ reason: code, actor: decodeJwt(grace.token()).sub });
    if (status === 403) expect(line.asked).toMatchObject({ ...asked, ...change });
  });

  test('whose sign-in is older than five minutes', async () => {
    const grace = await person(console);
    await clock.set(301);
    try {
      const reply = await grace.call('POST', '/elevations', asked);
      expect([reply.status, reply.body.code]).toEqual([401, 'reauth_required']);
    } finally {
      await clock.set(0);
    }
    expect((await grace.call('GET', '/elevations')).body.items).toEqual([]);
  });

  test('for what they have anyway, nor a second one, nor with the wrong kind of caller', async () => {
    const has = await person(console, { eligibleRoles: ['Viewer', 'Admin'] });
    expect((await has.call('POST', '/elevations', { ...asked, role: 'Viewer' })).body.code).toBe('conflict');
    await has.elevate();
    expect((await has.call('POST', '/elevations', asked)).body.code).toBe('conflict');
    const machine = await owner('POST', '/elevations', asked);
    expect([machine.status, machine.body.code]).toEqual([403, 'forbidden']);
    const typed = await runTool(
      ['elevate', 'Admin', '--minutes', '5', '--reason', 'because', '--json'],
      console,
    );
    expect([typed.code, typed.json<{ error: string }>().error]).toEqual([1, 'forbidden']);
    const unsaid = await runTool(['elevate', 'Admin', '--minutes', 'soon', '--reason', 'because'], console);
    expect([unsaid.code, unsaid.stderr]).toEqual([2, expect.stringContaining('--minutes')]);
  });

  let one: Promise<Person> | undefined;
  /** Nothing comes of what she asks for. */
  function refused(): Promise<Person> {
    one ??= person(console);
    return one;
  }
});

describe('who has a role for a while', () => {
  let grace: Person;
  beforeAll(async () => {
    grace = await person(console);
    await grace.elevate();
  });

  test('gives it to nobody, and changes nobody who has it to stay', async () => {
    const other = await addPerson(console, { roles: [], eligibleRoles: [] });
    for (const [method, path, body] of [
      ['PATCH', `/users/${grace.id}`, { roles: ['Admin'] }],
      ['PATCH', `/users/${other}`, { roles: ['Admin'] }],
      ['PATCH', `/users/${other}`, { eligibleRoles: ['Admin'] }],
      ['POST', '/users', { id: 'eve', roles: ['Admin'] }],
      ['POST', '/users/ada/reset-password', {}],
      ['POST', '/users/ada/disable', undefined],
      ['POST', '/roles', { id: 'All', permissions: ['api:*:write'] }],
      ['POST', '/clients', { id: 'all', scopes: ['api:users:write'] }],
    ] as const) {
      const reply = await grace.call(method, path, body);
      expect([method, path, reply.status, reply.body?.code]).toEqual([method, path, 403, 'escalation']);
    }
    expect((await grace.call('PATCH', `/users/${other}`, { roles: ['Viewer'] })).status).toBe(200);
  });

  test('describes, restores and imports nothing: by that it could stay', async () => {
    for (const [method, path, body] of [
      ['POST', '/configuration/plans', { documents: [] }],
      ['POST', '/imports', undefined],
      ['POST', '/backups', {}],
    ] as const) {
      const reply = await grace.call(method, path, body);
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'insufficient_scope']);
    }
  });

  test('is no administrator who is left (S55)', async () => {
    const demoted = await runTool(['user', 'roles', 'ada', '--role', 'Viewer', '--json'], console);
    expect([demoted.code, demoted.json<{ error: string }>().error]).toEqual([1, 'last_administrator']);
    const removed = await grace.call('DELETE', '/users/ada');
    expect(removed.body.code).toBe('escalation');
    expect((await owner('GET', '/users/ada')).body.roles).toContain('Admin');
  });
});
