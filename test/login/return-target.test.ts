/** After a sign-in a browser is where it wanted to be, and nobody else says where that is (S35). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

const cookieName = 'console_return';

async function locationAfterSignIn(agent: UserAgent): Promise<string | undefined> {
  const reply = await agent.submit(await agent.get('/login'), admin);
  expect(reply.status).toBe(303);
  return reply.headers.location;
}

async function sentAway(path: string, headers = {}): Promise<UserAgent> {
  const agent = createUserAgent(console.url);
  const reply = await agent.get(`${console.url}${path}`, headers);
  expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  return agent;
}

test.each([
  '/access/users?q=gr%C3%A9ta&status=active',
  '/access/roles/Admin?do=remove',
  '/cluster/maps/%2F%2Fevil.example/key',
  '/account?after=%2F%2Fevil.example#x'.split('#')[0]!,
])('%s is where it goes on, once', async (path) => {
  const agent = await sentAway(path);
  const cookie = agent.cookies.get(cookieName)!;
  expect(await locationAfterSignIn(agent)).toBe(path);
  agent.cookies.delete('console_session');
  expect(agent.cookies.get(cookieName)?.value ?? '').toBe('');
  expect(await locationAfterSignIn(agent)).toBe('/');
  expect(cookie.value).not.toContain('access');
});

test('a wrong password on the way forgets nothing', async () => {
  const agent = await sentAway('/access/roles');
  const wrong = await agent.submit(await agent.get('/login'), { ...admin, password: 'not-the-password-1' });
  expect(wrong.status).toBe(401);
  expect(await locationAfterSignIn(agent)).toBe('/access/roles');
});

test.each(['/login', '/login?return=/access', '/login?next=https://evil.example'])(
  'no parameter of %s says where',
  async (path) => {
    const agent = createUserAgent(console.url);
    const page = await agent.get(path);
    const reply = await agent.submit(page, { ...admin, return: '//evil.example' });
    expect(reply.headers.location).toBe('/');
  },
);

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/%5c%5cevil.example',
  '/access\r\nLocation: https://evil.example',
  'javascript:alert(1)',
  '/login/test/corp/start',
])('a planted cookie with %j leads home', async (target) => {
  for (const proof of ['', 'x'.repeat(43)]) {
    const agent = createUserAgent(console.url);
    const said = `${Date.now() + 60_000}.${Buffer.from(target).toString('base64url')}`;
    agent.cookies.set(cookieName, { value: `${said}.${proof}`, path: '/' });
    expect(await locationAfterSignIn(agent)).toBe('/');
  }
});

test('one whose path or time was changed leads home', async () => {
  for (const part of [0, 1]) {
    const agent = await sentAway('/access/users');
    const { value } = agent.cookies.get(cookieName)!;
    const parts = value.split('.');
    parts[part] = part === 0 ? String(Date.now() + 9e9) : Buffer.from('/access/roles').toString('base64url');
    agent.cookies.set(cookieName, { value: parts.join('.'), path: '/' });
    expect(await locationAfterSignIn(agent)).toBe('/');
  }
});

test.each([
  ['/access/users?live=1', {}],
  ['/access/users', { 'Sec-Fetch-Dest': 'image' }],
  [`/access/users?q=${'x'.repeat(2000)}`, {}],
] as const)('%s as %j is no page to go back to', async (path, headers) => {
  expect((await sentAway(path, headers)).cookies.has(cookieName)).toBe(false);
});
