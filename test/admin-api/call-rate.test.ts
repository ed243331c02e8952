/** How much one caller may ask of the admin API in a second, and who is calling. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let machine: string;
let person: string;
beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_API_READ_RATE: '8', CONSOLE_API_CHANGE_RATE: '3' } });
  machine = await apiToken(console);
  const resource = `${console.url}/api`;
  person = (await signInForTokens(console, createUserAgent(console.url), { resource })).access_token;
});
afterAll(() => console?.stop());

const call = (token: string, path: string, method = 'GET') =>
  fetch(`${console.url}${path}`, { method, headers: { Authorization: `Bearer ${token}` } });
const burst = (size: number, token: string, path: string, method?: string) =>
  Promise.all(Array.from({ length: size }, () => call(token, path, method)));
/** What a caller before has used up comes back within a second. */
async function callWhenFree(token: string, path: string): Promise<Response> {
  const end = Date.now() + 10_000;
  for (;;) {
    const response = await call(token, path);
    if (response.status !== 429 || Date.now() > end) return response;
  }
}

test('a caller that runs wild is told to wait, and holds up nobody else (S83)', async () => {
  const reads = await burst(40, machine, '/api/v1/roles');
  const refused = reads.filter(({ status }) => status === 429);
  // What a second gives, and what came back while the calls were under way.
  expect(reads.length - refused.length).toBeGreaterThanOrEqual(8);
  expect(refused.length).toBeGreaterThan(10);
  const [first] = refused;
  expect(await first!.json()).toMatchObject({ code: 'too_many_requests', status: 429 });
  expect([...first!.headers].filter(([name]) => /^(?:retry-after|ratelimit)/.test(name))).toEqual([
    ['ratelimit', '"reads";r=0;t=1'],
    ['ratelimit-policy', '"reads";q=8;w=1'],
    ['retry-after', '1'],
  ]);
  expect((await call(person, '/api/v1/me')).status).toBe(200);
  expect((await call(await machineToken(console), '/svc/rest/cluster')).status).toBe(200);
  // Changes are counted by themselves.
  expect((await call(machine, '/api/v1/roles/Nobody', 'DELETE')).status).toBe(404);
  const changes = await burst(20, machine, '/api/v1/roles/Nobody', 'DELETE');
  expect(changes.filter(({ status }) => status === 429).length).toBeGreaterThan(5);
  // And it goes on by itself.
  expect((await callWhenFree(machine, '/api/v1/roles')).status).toBe(200);
});

test('an answer says how many more calls there may be', async () => {
  const { headers } = await call(person, '/api/v1/me');
  expect(headers.get('ratelimit-policy')).toBe('"reads";q=8;w=1');
  expect(headers.get('ratelimit')).toMatch(/^"reads";r=[0-7];t=1$/);
});

test('whoever calls may ask who that is, and nobody else (S49)', async () => {
  const before = Math.floor(Date.now() / 1000) - 60;
  const me = (await (await call(person, '/api/v1/me')).json()) as { id: string; signedInAt: string };
  expect(me).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    kind: 'user',
    username: admin.username,
    roles: ['Admin'],
    eligibleRoles: [],
    elevation: null,
    scopes: [],
    permissions: [],
    opensAll: true,
    acr: 'pwd',
    signedInAt: expect.stringMatching(/Z$/),
    via: 'api',
  });
  expect(Date.parse(me.signedInAt) / 1000).toBeGreaterThan(before);
  const viewer = await apiToken(console, 'app:MetricsViewer');
  expect(await (await callWhenFree(viewer, '/api/v1/me')).json()).toEqual({
    id: 'application-client',
    kind: 'client',
    username: null,
    roles: ['MetricsViewer'],
    eligibleRoles: [],
    elevation: null,
    scopes: ['app:MetricsViewer'],
    permissions: ['app:MetricsViewer', 'svc:cluster:read', 'svc:health:read'],
    opensAll: false,
    acr: null,
    signedInAt: null,
    via: 'api',
  });
  expect((await fetch(`${console.url}/api/v1/me`)).status).toBe(401);
  expect((await call(await machineToken(console), '/api/v1/me')).status).toBe(401);
});
