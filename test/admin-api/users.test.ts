/** `/api/v1/users` of a running console: who may sign in, by way of programs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, redeem } from '../helpers/sign-in.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';
import { type ApiCaller, apiCaller } from './support.ts';

const password = 'seven-grey-herons-4';
let console: RunningConsole;
let call: ApiCaller;
let count = 0;

beforeAll(async () => {
  console = await startConsole();
  call = apiCaller(console, '/users', await apiToken(console));
});
afterAll(() => console?.stop());

/** A user of a name of its own. */
async function added(fields: object = {}) {
  const id = `grace${count++}`;
  const reply = await call('POST', '', { id, password, ...fields });
  expect(reply.status).toBe(201);
  return { id, reply, etag: reply.headers.get('etag')! };
}

const audited = (target: string) =>
  console
    .log()
    .filter((line) => line.audit && line.target === target && String(line.event).startsWith('user.'));

/** The last line of the audit trail about somebody; it is written a little after the answer. */
const auditLine = (target: string, event: string) =>
  console.waitFor(() => audited(target).findLast((line) => line.event === event), `${event} of ${target}`);

async function canSignIn(id: string, chosen = password): Promise<boolean> {
  const page = await createUserAgent(console.url).signIn({ username: id, password: chosen });
  return page.status === 200 && textOf(page).includes('Sign out');
}

describe('roles that somebody may take for a while', () => {
  test('are set, changed and found, end nothing, and each change says which', async () => {
    const { id, reply } = await added({ roles: ['Viewer'], eligibleRoles: ['Admin', 'Admin'] });
    expect(reply.body).toMatchObject({ roles: ['Viewer'], eligibleRoles: ['Admin'] });
    const agent = createUserAgent(console.url);
    await agent.signIn({ username: id, password });
    const found = await call('GET', `?eligibleRole=Admin&q=${id}`);
    expect(found.body.items.map((user: { id: string }) => user.id)).toEqual([id]);
    expect((await call('GET', `?eligibleRole=Viewer&q=${id}`)).body.items).toEqual([]);
    expect((await call('GET', `?role=Admin&q=${id}`)).body.items).toEqual([]);
    const changed = await call('PATCH', `/${id}`, { eligibleRoles: ['MetricsViewer'] });
    expect(changed.body).toMatchObject({ roles: ['Viewer'], eligibleRoles: ['MetricsViewer'] });
    const line = await console.waitFor(
      () => audited(id).find((one) => one.event === 'user.updated'),
      'the line of the change',
    );
    expect(line.changes).toEqual({ eligibleRoles: { add: ['MetricsViewer'], remove: ['Admin'] } });
    expect((await agent.get('/account')).status).toBe(200);
    expect((await call('PATCH', `/${id}`, { eligibleRoles: null })).body.eligibleRoles).toEqual([]);
    expect((await call('PUT', `/${id}`, {})).body.eligibleRoles).toEqual([]);
  });

  test.each([
    [['Boss'], 'There is no role \\"Boss\\"'],
    ['Admin', 'invalid_type'],
    [[''], 'too_small'],
    [['A'.repeat(65)], 'too_big'],
    [Array.from({ length: 201 }, (_, n) => `r${n}`), 'too_big'],
  ])('that there are not, or that are no list, change nothing: %j', async (eligibleRoles, said) => {
    const { id, etag } = await added({ eligibleRoles: ['Viewer'] });
    const refused = await call('PATCH', `/${id}`, { eligibleRoles });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(refused.body)).toContain(said);
    expect((await call('GET', `/${id}`)).headers.get('etag')).toBe(etag);
  });

  test('go with the role: another one of its name is not theirs', async () => {
    const roles = apiCaller(console, '/roles', await apiToken(console));
    expect((await roles('PUT', '/Passing', { permissions: ['svc:health:read'] })).status).toBe(201);
    const { id } = await added({ eligibleRoles: ['Passing', 'Viewer'] });
    const { id: other } = await added({ eligibleRoles: ['Passing'] });
    expect((await roles('DELETE', '/Passing')).status).toBe(204);
    expect((await roles('PUT', '/Passing', { permissions: ['svc:data:write'] })).status).toBe(201);
    expect((await call('GET', `/${id}`)).body.eligibleRoles).toEqual(['Viewer']);
    expect((await call('GET', `/${other}`)).body.eligibleRoles).toEqual([]);
  });

  test('count for no administrator who is left', async () => {
    const { id } = await added({ eligibleRoles: ['Admin'] });
    const refused = await call('PATCH', `/${admin.username}`, { roles: ['Viewer'] });
    expect([refused.status, refused.body.code]).toEqual([409, 'last_administrator']);
    expect((await call('GET', `/${id}`)).body.roles).toEqual([]);
  });
});

describe('a user', () => {
  test('is added, shown in any spelling of the name, changed and removed, each change audited', async () => {
    const { id, reply } = await added({
      displayName: 'Grace Hopper',
      email: 'grace@example.com',
      roles: ['Viewer'],
    });
    expect(reply.headers.get('location')).toBe(`/api/v1/users/${id}`);
    expect(reply.body).toEqual({
      id,
      subject: expect.stringMatching(/^[\w-]{20,}$/),
      displayName: 'Grace Hopper',
      email: 'grace@example.com',
      roles: ['Viewer'],
      eligibleRoles: [],
      origin: { provider: null, subject: null },
      status: 'active',
      lastSignInAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updatedAt: reply.body.createdAt,
      owner: { kind: 'admin', source: null },
      hold: null,
    });
    expect(JSON.stringify(reply.body)).not.toMatch(/argon2|assword/);
    expect((await auditLine(id, 'user.added')).changes).toEqual({
      displayName: { from: null, to: 'Grace Hopper' },
      email: { from: null, to: 'grace@example.com' },
      roles: { add: ['Viewer'], remove: [] },
      status: { from: null, to: 'active' },
    });

    expect(await canSignIn(id)).toBe(true);
    const shown = await call('GET', `/${id.toUpperCase()}`);
    expect(shown.body).toEqual({ ...reply.body, lastSignInAt: expect.stringMatching(/Z$/) });
    expect(shown.headers.get('etag')).toBe(reply.headers.get('etag'));

    const changed = await call('PATCH', `/${id}`, { roles: ['MetricsViewer'], displayName: null });
    expect(changed.body).toMatchObject({
      roles: ['MetricsViewer'],
      displayName: null,
      email: 'grace@example.com',
    });
    expect(Date.parse(changed.body.updatedAt)).toBeGreaterThan(Date.parse(changed.body.createdAt));
    expect((await auditLine(id, 'user.updated')).changes).toEqual({
      displayName: { from: 'Grace Hopper', to: null },
      roles: { add: ['MetricsViewer'], remove: ['Viewer'] },
    });

    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect((await auditLine(id, 'user.removed')).changes).toMatchObject({ email: { to: null } });
    expect((await call('GET', `/${id}`)).status).toBe(404);
    expect(await canSignIn(id)).toBe(false);
  });

  test.each([
    ['displayName', 'Grace', 'Another'],
    ['email', 'grace@example.com', 'other@example.com'],
    ['roles', ['Viewer'], ['MetricsViewer']],
  ])('a patch of %s leaves the rest as it was', async (field, _before, after) => {
    const { id, reply } = await added({
      displayName: 'Grace',
      email: 'grace@example.com',
      roles: ['Viewer'],
    });
    const { body } = await call('PATCH', `/${id}`, { [field]: after });
    expect(body).toEqual({ ...reply.body, [field]: after, updatedAt: body.updatedAt });
    const reset = await call('PATCH', `/${id}`, { [field]: null });
    expect(reset.body[field]).toEqual(field === 'roles' ? [] : null);
  });

  test('a change that changes nothing leaves version, sessions and audit trail as they were', async () => {
    const { id, etag } = await added({ roles: ['Viewer', 'MetricsViewer'] });
    const agent = createUserAgent(console.url);
    await agent.signIn({ username: id, password });
    for (const [method, path, body] of [
      ['PATCH', '', { roles: ['MetricsViewer', 'Viewer'] }],
      ['PUT', '', { roles: ['Viewer', 'MetricsViewer'] }],
      ['POST', '/enable', undefined],
    ] as const) {
      const reply = await call(method, `/${id}${path}`, body);
      expect([reply.status, reply.headers.get('etag')]).toEqual([200, etag]);
    }
    expect(textOf(await agent.get('/account'))).toContain(id);
    await call('POST', `/${id}/disable`);
    await auditLine(id, 'user.disabled');
    expect(audited(id).map(({ event }) => event)).toEqual(['user.added', 'user.disabled']);
  });

  test('is made by PUT without a password, or replaced as a whole, and If-None-Match keeps what is there', async () => {
    const id = `put${count++}`;
    const made = await call('PUT', `/${id}`, { email: 'put@example.com' }, undefined);
    expect([made.status, made.headers.get('location'), made.body.status]).toEqual([
      201,
      `/api/v1/users/${id}`,
      'invited',
    ]);
    await auditLine(id, 'user.added');
    const onlyNew = await call('PUT', `/${id}`, { roles: ['Viewer'] }, { 'If-None-Match': '*' });
    expect([onlyNew.status, onlyNew.body.code]).toEqual([412, 'precondition_failed']);
    const replaced = await call('PUT', `/${id}`, { roles: ['Viewer'] });
    expect([replaced.status, replaced.body.email, replaced.body.roles]).toEqual([200, null, ['Viewer']]);
    await auditLine(id, 'user.updated');
    const { id: other } = await added({ roles: ['Viewer'] });
    await call('PUT', `/${other}`, { displayName: 'Other' });
    expect(await canSignIn(other)).toBe(true);
  });
});

describe('what was issued to a user', () => {
  test.each([
    {
      what: 'roles that change',
      change: (id: string) => call('PATCH', `/${id}`, { roles: ['MetricsViewer'] }),
      ends: true,
    },
    {
      what: 'a name and an address that change',
      change: (id: string) => call('PATCH', `/${id}`, { email: 'n@example.com', displayName: 'New' }),
      ends: false,
    },
    { what: 'end-sessions', change: (id: string) => call('POST', `/${id}/end-sessions`), ends: true },
    { what: 'disable', change: (id: string) => call('POST', `/${id}/disable`), ends: true },
    { what: 'removal', change: (id: string) => call('DELETE', `/${id}`), ends: true },
  ])('ends by $what: $ends (S34)', async ({ change, ends }) => {
    const { id } = await added({ roles: ['Viewer'] });
    const agent = createUserAgent(console.url);
    await agent.signIn({ username: id, password });
    const callback = callbackOf(await agent.follow(await agent.get(authorizationPath())));
    const { body: tokens } = await redeem(console, callback.get('code'));
    const health = async () =>
      (
        await fetch(`${console.url}/svc/health`, {
          headers: { Authorization: `Bearer ${tokens.access_token}` },
        })
      ).status;
    expect(await health()).toBe(200);
    expect((await change(id)).status).toBeLessThan(300);
    expect(await health()).toBe(ends ? 401 : 200);
    expect((await agent.get('/account')).status).toBe(ends ? 303 : 200);
  });

  test('end-sessions keeps the account, who can sign in again at once', async () => {
    const { id } = await added({ roles: ['Viewer'] });
    const { body } = await call('POST', `/${id}/end-sessions`);
    expect(body).toMatchObject({ id, status: 'active' });
    expect(body.updatedAt).toBe(body.createdAt);
    expect(await canSignIn(id)).toBe(true);
    await auditLine(id, 'user.sessions_ended');
  });
});

describe('lists', () => {
  const names = Array.from({ length: 23 }, (_, n) => `liszt${String(n).padStart(2, '0')}`);
  const subjects = new Map<string, string>();
  beforeAll(async () => {
    await apiCaller(console, '/roles', await apiToken(console))('POST', '', {
      id: 'Pianist',
      permissions: ['svc:health:read'],
    });
    for (const [n, id] of names.entries()) {
      const roles = n % 2 === 0 ? ['Viewer', 'Pianist'] : ['Viewer'];
      const { body } = await call('PUT', `/${id}`, { roles, email: `m${n}@franz.example` });
      subjects.set(id, body.subject);
      if (n % 5 === 0) await call('POST', `/${id}/disable`);
    }
  }, 60_000);

  async function listed(query: Record<string, string>) {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const search = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
      const { status, body } = await call('GET', `?${search}`);
      expect(status).toBe(200);
      expect(body.items.length).toBeLessThanOrEqual(Number(query.limit ?? 50));
      ids.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.next;
    } while (cursor !== null);
    return ids;
  }

  test.each(['1', '7', '500'])('come in pages, each user once and in order, %s at a time', async (limit) => {
    const all = await listed({ limit });
    expect(all).toEqual([...new Set(all)].sort());
    expect(all).toEqual(expect.arrayContaining([...names, admin.username]));
    expect(await listed({ limit, sort: '-id' })).toEqual(all.toReversed());
    expect(await listed({ limit, q: 'LISZT' })).toEqual(names);
  });

  test('find by the beginning of the name and of the address, and by the whole subject', async () => {
    expect(await listed({ q: 'liszt1' })).toEqual(names.slice(10, 20));
    expect(await listed({ q: 'm7@franz' })).toEqual(['liszt07']);
    expect(await listed({ q: subjects.get('liszt03')! })).toEqual(['liszt03']);
    expect(await listed({ q: subjects.get('liszt03')!, role: 'Pianist' })).toEqual([]);
    expect(await listed({ q: 'nobody' })).toEqual([]);
  });

  test.each([
    [{ role: 'Pianist' }, (n: number) => n % 2 === 0],
    [{ role: 'Pianist', status: 'disabled' }, (n: number) => n % 10 === 0],
    [{ status: 'disabled', q: 'liszt' }, (n: number) => n % 5 === 0],
    [{ status: 'invited', q: 'liszt', role: 'Viewer', limit: '3' }, (n: number) => n % 5 !== 0],
    [{ status: 'active', q: 'liszt' }, () => false],
    [{ provider: 'corp' }, () => false],
    [{ role: 'NoSuchRole' }, () => false],
  ] as const)('apply all of a filter: %o', async (filter, isMeant) => {
    expect((await listed(filter)).sort()).toEqual(names.filter((_, n) => isMeant(n)));
  });

  test('tell how many there are where that is kept', async () => {
    const counted = async (query: string) => (await call('GET', query)).body.count;
    const all = await listed({ limit: '500' });
    expect(await counted('?limit=1')).toEqual({ value: all.length, isExact: true });
    expect(await counted('?role=Pianist&limit=1')).toEqual({ value: 12, isExact: true });
    const active = await listed({ limit: '500', status: 'active' });
    expect(await counted('?status=active')).toEqual({ value: active.length, isExact: true });
    const found = await listed({ role: 'Pianist', q: 'liszt' });
    expect(await counted('?role=Pianist&q=liszt')).toEqual({ value: found.length, isExact: true });
    expect(await counted('?role=Pianist&q=liszt&limit=1'), 'beyond the first page').toBeNull();
  });

  test('are fifty at a time unless told otherwise, and stay whole while others come and go', async () => {
    const first = await call('GET', '?q=liszt&limit=5');
    await call('DELETE', '/liszt04');
    await call('PUT', '/liszt02a', {});
    const { body } = await call('GET', `?q=liszt&limit=5&cursor=${first.body.next}`);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(names.slice(5, 10));
    await call('DELETE', '/liszt02a');
    await call('PUT', '/liszt04', { roles: ['Viewer', 'Pianist'], email: 'm4@franz.example' });
  });

  test.each([
    ['a limit of 0', '?limit=0', 'invalid_request'],
    ['a limit of 501', '?limit=501', 'invalid_request'],
    ['an unknown parameter', '?name=x', 'invalid_request'],
    ['an unknown status', '?status=sleeping', 'invalid_request'],
    ['an empty search', '?q=', 'invalid_request'],
    ['a parameter twice', '?q=a&q=b', 'invalid_request'],
    ['an order of a search', '?q=a&sort=id', 'invalid_request'],
    ['an order that there is not', '?sort=email', 'invalid_request'],
    ['a cursor of one’s own', `?cursor=${btoa('v1:ada')}`, 'invalid_cursor'],
  ])('refuse %s', async (_what, query, code) => {
    const { status, body } = await call('GET', query);
    expect([status, body.code]).toEqual([400, code]);
  });

  test('refuse the cursor of another filter', async () => {
    const { body } = await call('GET', '?q=liszt&limit=2');
    const other = await call('GET', `?q=lis&limit=2&cursor=${body.next}`);
    expect([other.status, other.body.code]).toEqual([400, 'invalid_cursor']);
    expect((await call('GET', `?q=liszt&limit=9&cursor=${body.next}`)).status).toBe(200);
  });
});

describe('is refused, and changes nothing (S53)', () => {
  const long = 'x'.repeat(300);
  test.each([
    ['no id', {}, '#/id'],
    ['an unknown member', { id: 'eve', isAdmin: true }, '#'],
    ['a status, which has words of its own', { id: 'eve', status: 'active' }, '#'],
    ['roles that are text', { id: 'eve', roles: 'Admin' }, '#/roles'],
    ['a role that is a number', { id: 'eve', roles: ['Viewer', 7] }, '#/roles/1'],
    ['201 roles', { id: 'eve', roles: Array.from({ length: 201 }, (_, n) => `r${n}`) }, '#/roles'],
    ['no address', { id: 'eve', email: 'eve' }, '#/email'],
    ['an address that is too long', { id: 'eve', email: `${long}@example.com` }, '#/email'],
    ['a name of two lines', { id: 'eve', displayName: 'Eve\nAdmin' }, '#/displayName'],
    ['a name of spaces', { id: 'eve', displayName: '  ' }, '#/displayName'],
    ['a name that is too long', { id: 'eve', displayName: long }, '#/displayName'],
    ['an id that is too long', { id: long }, '#/id'],
    ['an id that is a number', { id: 7 }, '#/id'],
    ['a password that is a number', { id: 'eve', password: 7 }, '#/password'],
    ['null for a password', { id: 'eve', password: null }, '#/password'],
  ])('%s', async (_what, body, pointer) => {
    const reply = await call('POST', '', body);
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
    expect(JSON.stringify(reply.body)).not.toContain(long);
    expect((await call('GET', '/eve')).status).toBe(404);
  });

  test.each([
    ['markup for a name', { id: '<b>', password }, 400, 'invalid_request'],
    ['a name of two scripts', { id: 'pаula', password }, 400, 'invalid_request'],
    ['a role that there is not', { id: 'eve', password, roles: ['Emperor'] }, 400, 'invalid_request'],
    ['a weak password', { id: 'eve', password: 'password1234' }, 400, 'weak_password'],
    ['a name that is taken', { id: 'ADA', password }, 409, 'already_exists'],
    ['a name that looks like one that is taken', { id: 'аdа', password }, 400, 'invalid_request'],
    ['the name of a client', { id: 'application-client', password }, 409, 'already_exists'],
    ['what is no JSON', '{', 400, 'invalid_request'],
    ['a prototype', `{"__proto__":{},"id":"eve"}`, 400, 'invalid_request'],
    [
      'a body that is too large',
      { id: 'eve', displayName: 'x'.repeat(1024 * 1024) },
      413,
      'content_too_large',
    ],
  ])('%s', async (_what, body, status, code) => {
    const reply = await call('POST', '', body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect((await call('GET', '/eve')).status).toBe(404);
  });

  test('an empty patch, and one of what is not a patch’s to change', async () => {
    const { id, etag } = await added();
    for (const body of [{}, { id: 'other' }, { password }, { status: 'disabled' }, [], 'text', null]) {
      const reply = await call('PATCH', `/${id}`, body === 'text' ? '"text"' : body);
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    }
    expect((await call('GET', `/${id}`)).headers.get('etag')).toBe(etag);
  });

  test.each(['GET', 'PATCH', 'DELETE'])('%s of who is not there', async (method) => {
    const reply = await call(method, '/nobody', method === 'PATCH' ? { email: null } : undefined);
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
  });

  test.each([
    ['PATCH', '', { displayName: 'late' }],
    ['PUT', '', { displayName: 'late' }],
    ['DELETE', '', undefined],
    ['POST', '/disable', undefined],
    ['POST', '/enable', undefined],
    ['POST', '/end-sessions', undefined],
    ['POST', '/reset-password', {}],
    ['POST', '/reset-password', { password: 'nine-grey-herons-5' }],
  ])('%s %s of a version that is not any more', async (method, path, body) => {
    const { id, etag } = await added({ roles: ['Viewer'] });
    const meanwhile = await call('PATCH', `/${id}`, { displayName: 'meanwhile' });
    const newest = meanwhile.headers.get('etag')!;
    const late = await call(method, `/${id}${path}`, body, { 'If-Match': etag });
    expect([late.status, late.body.code, late.body.current]).toEqual([412, 'precondition_failed', newest]);
    expect((await call('GET', `/${id}`)).headers.get('etag')).toBe(newest);
  });

  test('of two changes of one version at the same time one', async () => {
    const { id, etag } = await added({ roles: ['Viewer'] });
    const replies = await Promise.all(
      ['one', 'two', 'three'].map((displayName) =>
        call('PATCH', `/${id}`, { displayName }, { 'If-Match': etag }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const winner = replies.find(({ status }) => status === 200)!;
    expect((await call('GET', `/${id}`)).body.displayName).toBe(winner.body.displayName);
  });

  test.each([
    ['PATCH', '', { roles: ['Viewer'] }],
    ['PUT', '', { roles: [] }],
    ['DELETE', '', undefined],
    ['POST', '/disable', undefined],
    ['POST', '/reset-password', {}],
  ])('%s%s of the last administrator (S55)', async (method, path, body) => {
    const before = await call('GET', `/${admin.username}`);
    const reply = await call(method, `/${admin.username}${path}`, body);
    expect([reply.status, reply.body.code]).toEqual([409, 'last_administrator']);
    expect((await call('GET', `/${admin.username}`)).headers.get('etag')).toBe(before.headers.get('etag'));
  });

  test('an invited administrator is none who could stay alone', async () => {
    const id = `invited${count++}`;
    expect((await call('PUT', `/${id}`, { roles: ['Admin'] })).status).toBe(201);
    expect((await call('POST', `/${admin.username}/disable`)).body.code).toBe('last_administrator');
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
  });
});

test('is for administrators: a reader sees no users, and nobody does without a token (S49)', async () => {
  const viewer = apiCaller(console, '/users', await apiToken(console, 'app:Viewer'));
  const nobody = apiCaller(console, '/users', '');
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '/ada', undefined],
    ['POST', '', { id: 'eve' }],
    ['PUT', '/eve', {}],
    ['PATCH', '/ada', { displayName: 'Eve' }],
    ['DELETE', '/ada', undefined],
    ['POST', '/ada/disable', undefined],
    ['POST', '/ada/end-sessions', undefined],
    ['POST', '/ada/invite', {}],
    ['POST', '/ada/reset-password', {}],
  ] as const) {
    expect((await viewer(method, path, body)).body.code).toBe('insufficient_scope');
    expect((await nobody(method, path, body)).status).toBe(401);
  }
  expect((await call('GET', '/eve')).status).toBe(404);
});

test.each([
  ['POST', '/disable', undefined],
  ['PATCH', '', { roles: ['Viewer'] }],
  ['PUT', '', { roles: ['Viewer'] }],
])('administrators do not shut themselves out: %s %s of their own account', async (method, path, body) => {
  const { id: other } = await added({ roles: ['Admin'] });
  const { id, etag } = await added({ roles: ['Admin'] });
  const agent = createUserAgent(console.url);
  await agent.signIn({ username: id, password });
  const resource = `${console.url}/api`;
  const callback = callbackOf(await agent.follow(await agent.get(authorizationPath({ resource }))));
  const { body: tokens } = await redeem(console, callback.get('code'));
  const own = apiCaller(console, '/users', tokens.access_token);
  const reply = await own(method, `/${id}${path}`, body);
  expect([reply.status, reply.body.code]).toEqual([409, 'own_account']);
  expect((await call('GET', `/${id}`)).headers.get('etag')).toBe(etag);
  expect((await own(method, `/${other}${path}`, body)).status).toBe(200);
  for (const one of [id, other]) await call('DELETE', `/${one}`);
});

describe('a machine with the scope of users alone', () => {
  const scope = 'api:users:read api:users:write';
  const all = `${scope} svc:health:read`;
  let own: ApiCaller;
  beforeAll(async () => {
    const client = ['client', 'add', 'help-desk', '--scope', all, '--json'];
    const { secret } = (await toolDone(client, { dataDir: console.dataDir })).json<{ secret: string }>();
    const roles = apiCaller(console, '/roles', await apiToken(console));
    await roles('PUT', '/HealthReader', { permissions: ['svc:health:read'] });
    const reply = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`help-desk:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    const { access_token: token } = (await reply.json()) as { access_token: string };
    own = apiCaller(console, '/users', token);
  });

  test('manages people who have no more than it has', async () => {
    const id = `plain${count++}`;
    expect((await own('POST', '', { id, password, roles: ['HealthReader'] })).status).toBe(201);
    expect((await own('PATCH', `/${id}`, { roles: [] })).status).toBe(200);
    expect((await own('POST', `/${id}/reset-password`, {})).status).toBe(200);
    expect((await own('DELETE', `/${id}`)).status).toBe(204);
  });

  test.each([
    ['POST', '', { id: 'eve', roles: ['Admin'] }],
    ['POST', '', { id: 'eve', roles: ['HealthReader', 'Viewer'] }],
    ['PUT', '/eve', { roles: ['Admin'] }],
    ['POST', '', { id: 'eve', eligibleRoles: ['Admin'] }],
    ['PUT', '/eve', { eligibleRoles: ['HealthReader', 'Viewer'] }],
  ])('gives nobody more than it has: %s%s %o', async (method, path, body) => {
    const reply = await own(method, path, body);
    expect([reply.status, reply.body.code]).toEqual([403, 'escalation']);
    expect((await call('GET', '/eve')).status).toBe(404);
  });

  test.each([
    ['PATCH', '', { displayName: 'Eve' }],
    ['PATCH', '', { roles: [] }],
    ['PUT', '', {}],
    ['DELETE', '', undefined],
    ['POST', '/disable', undefined],
    ['POST', '/enable', undefined],
    ['POST', '/end-sessions', undefined],
    ['POST', '/reset-password', {}],
    ['POST', '/reset-password', { password }],
  ])('changes nobody who has more: %s%s %o', async (method, path, body) => {
    const { id, etag } = await added({ roles: ['Admin'] });
    const reply = await own(method, `/${id}${path}`, body);
    expect([reply.status, reply.body.code]).toEqual([403, 'escalation']);
    expect((await call('GET', `/${id}`)).headers.get('etag')).toBe(etag);
    await call('DELETE', `/${id}`);
  });

  test('changes nobody who may take more for a while', async () => {
    const { id, etag } = await added({ eligibleRoles: ['Admin'] });
    for (const [path, body] of [
      ['', { eligibleRoles: [] }],
      ['', { displayName: 'Eve' }],
    ] as const) {
      expect((await own('PATCH', `/${id}${path}`, body)).body.code).toBe('escalation');
    }
    expect((await own('POST', `/${id}/reset-password`, {})).body.code).toBe('escalation');
    expect((await call('GET', `/${id}`)).headers.get('etag')).toBe(etag);
  });

  test('invites nobody who is to have more', async () => {
    const id = `chief${count++}`;
    await call('PUT', `/${id}`, { roles: ['Admin'] });
    expect((await own('POST', `/${id}/invite`, {})).body.code).toBe('escalation');
    await call('DELETE', `/${id}`);
  });
});
