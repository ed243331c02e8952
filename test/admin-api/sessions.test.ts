/** `/api/v1/sessions` of a running console: who is signed in, and the ends of sessions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, redeem } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type ApiCaller, apiCaller } from './support.ts';

const password = 'seven-grey-herons-4';
let console: RunningConsole;
let call: ApiCaller;
let users: ApiCaller;
let count = 0;

beforeAll(async () => {
  console = await startConsole();
  const token = await apiToken(console);
  call = apiCaller(console, '/sessions', token);
  users = apiCaller(console, '/users', token);
});
afterAll(() => console?.stop());

async function addUser(roles: readonly string[] = ['Viewer']): Promise<string> {
  const id = `sita${count++}`;
  expect((await users('POST', '', { id, password, roles })).status).toBe(201);
  return id;
}

async function signIn(id: string) {
  const agent = createUserAgent(console.url, { headers: { 'user-agent': 'Test/1' } });
  await agent.signIn({ username: id, password });
  return agent;
}

/** At the dashboard, which is registered from the settings. */
async function signInAtDashboard(agent: ReturnType<typeof createUserAgent>) {
  const callback = callbackOf(await agent.follow(await agent.get(authorizationPath())));
  const { body } = await redeem(console, callback.get('code'));
  return async () => {
    const headers = { Authorization: `Bearer ${body.access_token}` };
    return (await fetch(`${console.url}/svc/health`, { headers })).status;
  };
}

const isSignedIn = async (agent: ReturnType<typeof createUserAgent>) =>
  (await agent.get('/account')).status === 200;

async function listed(query: Record<string, string>) {
  const items: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const search = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
    const { status, body } = await call('GET', `?${search}`);
    expect(status).toBe(200);
    expect(body.items.length).toBeLessThanOrEqual(Number(query.limit ?? 50));
    items.push(...body.items);
    cursor = body.next;
  } while (cursor !== null);
  return items;
}

test('a session is shown with whose it is, where from, and what it was used for', async () => {
  const id = await addUser();
  const agent = await signIn(id);
  await signInAtDashboard(agent);
  const [session] = await listed({ user: id.toUpperCase() });
  expect(session).toEqual({
    id: expect.stringMatching(/^ses_[\w-]{43}$/),
    user: id,
    clients: expect.arrayContaining(['application-dashboard']),
    provider: null,
    startedAt: expect.stringMatching(/Z$/),
    lastSeenAt: expect.stringMatching(/Z$/),
    expiresAt: expect.stringMatching(/Z$/),
    address: expect.stringMatching(/127\.0\.0\.1|::1/),
    agent: 'Test/1',
    acr: 'pwd',
  });
  const [started, seen, expires] = ['startedAt', 'lastSeenAt', 'expiresAt'].map((name) =>
    Date.parse(session![name] as string),
  );
  expect(Math.abs(started! - Date.now())).toBeLessThan(60_000);
  expect(seen).toBeGreaterThanOrEqual(started!);
  expect(expires).toBeGreaterThan(Date.now());
  expect((await call('GET', `/${session!.id}`)).body).toEqual(session);
  for (const cookie of agent.cookies.values()) expect(JSON.stringify(session)).not.toContain(cookie.value);
});

test('one session ends with what was issued under it, and the others stay', async () => {
  const id = await addUser();
  const [first, second] = [await signIn(id), await signIn(id)];
  const before = await listed({ user: id });
  expect(before).toHaveLength(2);
  const health = await signInAtDashboard(first);
  expect(await health()).toBe(200);
  const ofDashboard = (await listed({ user: id, client: 'application-dashboard' }))[0]!;
  expect((await call('DELETE', `/${ofDashboard.id}`)).status).toBe(204);
  expect([await isSignedIn(first), await isSignedIn(second), await health()]).toEqual([false, true, 401]);
  expect((await call('GET', `/${ofDashboard.id}`)).status).toBe(404);
  expect((await call('DELETE', `/${ofDashboard.id}`)).body.code).toBe('not_found');
  expect(await listed({ user: id })).toHaveLength(1);
  const line = await console.waitFor(
    () => console.log().find(({ event, target }) => event === 'session.ended' && target === ofDashboard.id),
    'the audit line',
  );
  expect(line).toMatchObject({ audit: true, outcome: 'success' });
});

describe('of many', () => {
  let ids: string[];
  let agents: ReturnType<typeof createUserAgent>[];
  beforeAll(async () => {
    ids = [await addUser(), await addUser()];
    agents = [];
    for (let n = 0; n < 7; n++) agents.push(await signIn(ids[n % 2]!));
  }, 60_000);

  test.each(['1', '2', '3', '500'])('each is listed once, %s at a time', async (limit) => {
    const [ofFirst, ofAll] = [await listed({ user: ids[0]!, limit }), await listed({ limit })];
    expect(new Set(ofFirst.map(({ id }) => id)).size).toBe(4);
    expect(ofFirst).toHaveLength(4);
    expect(new Set(ofAll.map(({ id }) => id)).size).toBe(ofAll.length);
    expect(ofAll.map(({ id }) => id)).toEqual(expect.arrayContaining(ofFirst.map(({ id }) => id)));
  });

  test('a list goes on behind a session that has ended', async () => {
    const { body } = await call('GET', `?user=${ids[1]}&limit=1`);
    await call('DELETE', `/${body.items[0].id}`);
    const rest = await call('GET', `?user=${ids[1]}&limit=5&cursor=${body.next}`);
    expect(rest.body.items).toHaveLength(2);
    expect(rest.body.next).toBeNull();
  });

  test('those of a filter end together, and no others', async () => {
    await signInAtDashboard(agents[2]!);
    const none = await call('POST', '/end', { user: ids[0], client: 'nobody' });
    expect(none.body).toEqual({ ended: 0, left: 0, next: null });
    const ofClient = await call('POST', '/end', { user: ids[0], client: 'application-dashboard' });
    expect(ofClient.body).toEqual({ ended: 1, left: 0, next: null });
    expect([await isSignedIn(agents[2]!), await isSignedIn(agents[0]!)]).toEqual([false, true]);
    const ofUser = await call('POST', '/end', { user: ids[0] });
    expect(ofUser.body).toEqual({ ended: 3, left: 0, next: null });
    expect(await listed({ user: ids[0]! })).toEqual([]);
    expect(await listed({ user: ids[1]! })).toHaveLength(2);
    const line = await console.waitFor(
      () => console.log().findLast(({ event }) => event === 'sessions.ended'),
      'the audit line',
    );
    expect((line.changes as { sessions: { remove: string[] } }).sessions.remove).toHaveLength(3);
  });
});

test('more sessions of an account than fit on its page are shown page by page, this one on each', async () => {
  const id = await addUser();
  const agent = await signIn(id);
  for (let n = 0; n < 55; n++) await signIn(id);
  const page = await agent.get('/account');
  const endings = (body: string) => body.match(/name="session"/g)?.length ?? 0;
  const more = /href="(\/account\?after=[\w-]+#sessions)"/.exec(page.body)![1]!;
  expect(page.body.match(/This one/g)).toHaveLength(1);
  const second = await agent.get(more.replace('#sessions', ''));
  expect(second.body.match(/This one/g)).toHaveLength(1);
  expect(endings(page.body) + endings(second.body)).toBe(55);
  expect(second.body).not.toContain('?after=');
  // What is no key of a session begins at the beginning.
  expect(endings((await agent.get('/account?after=x')).body)).toBe(endings(page.body));
}, 60_000);

test('an account ends sessions of its own alone', async () => {
  const [one, other] = [await addUser(), await addUser()];
  const [agent, victim] = [await signIn(one), await signIn(other)];
  await signIn(one);
  const [theirs] = await listed({ user: other });
  const page = await agent.get('/account');
  const session = String(theirs!.id).slice('ses_'.length);
  await agent.submit(page, { session }, { action: '/account/sessions' });
  expect(await isSignedIn(victim)).toBe(true);
  await agent.submit(page, {}, { action: '/account/sessions' });
  expect(await listed({ user: one })).toHaveLength(1);
});

describe('is refused, and ends nothing (S53)', () => {
  test.each([
    ['a limit of 0', '?limit=0', 400, 'invalid_request'],
    ['an unknown parameter', '?state=open', 400, 'invalid_request'],
    ['an empty user', '?user=', 400, 'invalid_request'],
    ['a cursor of one’s own', '?cursor=djE6YQ', 400, 'invalid_cursor'],
    ['an unknown user', '?user=nobody', 404, 'not_found'],
    ['a session that there is not', `/ses_${'A'.repeat(43)}`, 404, 'not_found'],
    ['a key without its prefix', `/${'A'.repeat(43)}`, 404, 'not_found'],
    ['another word', '/all', 404, 'not_found'],
  ])('%s', async (_what, path, status, code) => {
    const reply = await call('GET', path);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  test.each([
    ['no filter', {}, 400, 'invalid_request'],
    ['an unknown member', { all: true }, 400, 'invalid_request'],
    ['a list for a user', { user: ['ada'] }, 400, 'invalid_request'],
    ['null for a user', { user: null }, 400, 'invalid_request'],
    ['text', '"all"', 400, 'invalid_request'],
    ['an unknown user', { user: 'nobody' }, 404, 'not_found'],
    ['the cursor of a list', { user: 'ada', cursor: 'list' }, 400, 'invalid_cursor'],
  ])('to end those of %s', async (_what, body, status, code) => {
    const agent = createUserAgent(console.url);
    await agent.signIn(admin);
    const reply = await call('POST', '/end', body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test('to whom may not (S49)', async () => {
    const viewer = apiCaller(console, '/sessions', await apiToken(console, 'app:Viewer'));
    const nobody = apiCaller(console, '/sessions', '');
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['DELETE', `/ses_${'A'.repeat(43)}`, undefined],
      ['POST', '/end', { user: 'ada' }],
    ] as const) {
      expect((await viewer(method, path, body)).body.code).toBe('insufficient_scope');
      expect((await nobody(method, path, body)).status).toBe(401);
    }
  });

  test('to a machine, of users who have more than it has', async () => {
    const scope = 'api:sessions:read api:sessions:write';
    const client = ['client', 'add', 'night-shift', '--scope', scope, '--json'];
    const { secret } = (await toolDone(client, { dataDir: console.dataDir })).json<{ secret: string }>();
    const reply = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`night-shift:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    const { access_token: token } = (await reply.json()) as { access_token: string };
    const own = apiCaller(console, '/sessions', token);
    const [strong, plain] = [await addUser(['Viewer']), await addUser([])];
    const [agent, other] = [await signIn(strong), await signIn(plain)];
    const [session] = await listed({ user: strong });
    expect((await own('DELETE', `/${session!.id}`)).body.code).toBe('escalation');
    expect((await own('POST', '/end', { user: strong })).body).toEqual({ ended: 0, left: 1, next: null });
    expect((await own('POST', '/end', { user: plain })).body).toEqual({ ended: 1, left: 0, next: null });
    expect([await isSignedIn(agent), await isSignedIn(other)]).toEqual([true, false]);
  });
});
