import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { requestScope, sendRaw } from './support.ts';

let console: RunningConsole;
let token: string;

beforeAll(async () => {
  console = await startConsole();
  token = (await requestScope(console, 'openid email profile')).json.access_token;
});
afterAll(async () => {
  await console.stop();
});

const get = (headers: Record<string, string>, path = '/userinfo', method = 'GET') =>
  fetch(console.url + path, { method, headers, redirect: 'manual' });

test.each(['GET', 'POST'])('%s with a machine token is 403: no person is behind it (S14)', async (method) => {
  const response = await get({ Authorization: `Bearer ${token}` }, '/userinfo', method);
  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="insufficient_scope"/);
  const body = (await response.json()) as { error: string };
  expect(body.error).toBe('insufficient_scope');
  expect(JSON.stringify(body)).not.toContain('application-client');
});

test.each(['/', '/login', '/account/password', '/setup'])(
  'a machine token opens no page of a person: %s (S14)',
  async (path) => {
    const [with_, without] = [await get({ Authorization: `Bearer ${token}` }, path), await get({}, path)];
    expect(with_.status).toBe(without.status);
    expect(with_.headers.get('location')).toBe(without.headers.get('location'));
    expect(await with_.text()).not.toContain('application-client');
  },
);

test.each<{ name: string; headers: Record<string, string>; status: number; challenge: RegExp }>([
  { name: 'no token', headers: {}, status: 401, challenge: /^Bearer$/ },
  { name: 'another text', headers: { Authorization: 'Bearer x' }, status: 401, challenge: /invalid_token/ },
  {
    name: 'a forged token',
    headers: { Authorization: 'Bearer a.b.c' },
    status: 401,
    challenge: /invalid_token/,
  },
  { name: 'an empty token', headers: { Authorization: 'Bearer' }, status: 400, challenge: /invalid_request/ },
  { name: 'two tokens', headers: { Authorization: 'Bearer a b' }, status: 400, challenge: /invalid_request/ },
  // Of another scheme: it brings no token, well formed or not.
  { name: 'Basic credentials', headers: { Authorization: 'Basic eDp5' }, status: 401, challenge: /^Bearer$/ },
  {
    name: 'a token in a cookie',
    headers: { Cookie: 'access_token=x.y.z' },
    status: 401,
    challenge: /^Bearer$/,
  },
])('$name is $status with a challenge (S61)', async ({ headers, status, challenge }) => {
  const response = await get(headers);
  expect(response.status).toBe(status);
  expect(response.headers.get('www-authenticate')).toMatch(challenge);
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('a token in the query counts for nothing, and one in a form no more than in the field (S61)', async () => {
  expect((await get({}, `/userinfo?access_token=${token}`)).status).toBe(401);
  const inBody = await fetch(`${console.url}/userinfo`, {
    method: 'POST',
    body: new URLSearchParams({ access_token: token }),
  });
  expect(inBody.status).toBe(403);
});

test('a token in a form opens userinfo alone (S61)', async () => {
  const body = new URLSearchParams({ access_token: token });
  for (const path of ['/svc/rest/cluster', '/api/v1/roles']) {
    const response = await fetch(console.url + path, { method: 'POST', body });
    expect([path, response.status]).toEqual([path, 401]);
  }
});

test('two Authorization fields are refused (S61)', async () => {
  const field = `Authorization: Bearer ${token}\r\n`;
  const head = `GET /userinfo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${field}${field}\r\n`;
  expect((await sendRaw(console.port, head)).status).toBe(400);
});

test.each(['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])(
  '%s is 405 and names GET and POST (S7)',
  async (method) => {
    const response = await get({ Authorization: `Bearer ${token}` }, '/userinfo', method);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
  },
);
