/** Pages call the admin API by the browser's session, with the token that forms have. A cookie alone opens nothing. */
import type { OutgoingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { copyUser, editUser } from '../helpers/store.ts';
import { createUserAgent, formsOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

interface SignedIn {
  readonly agent: UserAgent;
  readonly csrf: string;
}

async function signedIn(username = admin.username): Promise<SignedIn> {
  const agent = createUserAgent(console.url);
  const home = await agent.signIn({ ...admin, username });
  const csrf = formsOf(home.body).find(({ hidden }) => hidden.csrf)!.hidden.csrf!;
  return { agent, csrf };
}

const ofPage = (csrf: string): OutgoingHttpHeaders => ({
  origin: console.url,
  'sec-fetch-site': 'same-origin',
  'x-csrf-token': csrf,
});

async function call(
  agent: UserAgent,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
  body?: object,
) {
  const { status, body: text } = await agent.send(method, `/api/v1${path}`, {
    headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status, body: text ? JSON.parse(text) : undefined };
}
const role = { permissions: ['svc:health:read'] };

test('with the token of its forms, a page does what its person may, and the audit trail says so', async () => {
  const { agent, csrf } = await signedIn();
  const { body } = await call(agent, 'GET', '/me', ofPage(csrf));
  expect(body).toMatchObject({ kind: 'user', username: 'ada', via: 'page', acr: 'pwd', opensAll: true });
  expect(Date.now() - Date.parse(body.signedInAt)).toBeLessThan(60_000);
  expect((await call(agent, 'PUT', '/roles/OfPage', ofPage(csrf), role)).status).toBe(201);
  const line = () => console.log().find(({ event, target }) => event === 'role.added' && target === 'OfPage');
  await console.waitFor(() => line() !== undefined, 'the audit line');
  expect(line()).toMatchObject({ via: 'page', actor: body.id, outcome: 'success' });
});

test('roles are those of the account as it is now (S34, S49)', async () => {
  await copyUser(console, 'ada', 'lee');
  const { agent, csrf } = await signedIn('lee');
  expect((await call(agent, 'GET', '/roles', ofPage(csrf))).status).toBe(200);
  await editUser(console, 'lee', (user) => ({ ...user, roles: ['MetricsViewer'] }));
  await expect
    .poll(async () => (await call(agent, 'GET', '/roles', ofPage(csrf))).status, { timeout: 10_000 })
    .toBe(403);
});

describe('opens nothing, and changes nothing (S31, S50)', () => {
  const tricks: Readonly<Record<string, (page: SignedIn) => Promise<[number, string]>>> = {
    'a cookie without the token': async ({ agent }) => outcome(agent, { origin: console.url }),
    'a token that is none': async ({ agent }) => outcome(agent, ofPage('x'.repeat(43))),
    'an empty token': async ({ agent }) => outcome(agent, ofPage('')),
    'the token of another browser': async ({ agent }) => outcome(agent, ofPage((await signedIn()).csrf)),
    'another site': async ({ agent, csrf }) =>
      outcome(agent, { ...ofPage(csrf), 'sec-fetch-site': 'cross-site' }),
    'another origin of the same site': async ({ agent, csrf }) =>
      outcome(agent, { ...ofPage(csrf), 'sec-fetch-site': 'same-site' }),
    'the origin of somebody else': async ({ agent, csrf }) =>
      outcome(agent, { ...ofPage(csrf), origin: 'https://evil.example' }),
    'a session cookie that came twice': async ({ agent, csrf }) => {
      const name = [...agent.cookies.keys()].find((one) => one.endsWith('console_session'))!;
      const cookies = [...agent.cookies].map(([key, { value }]) => `${key}=${value}`);
      return outcome(agent, { ...ofPage(csrf), cookie: [...cookies, `${name}=other`].join('; ') });
    },
    'an access token that does not hold beside it': async ({ agent, csrf }) =>
      outcome(agent, { ...ofPage(csrf), authorization: 'Bearer a.b.c' }),
    'a session that has ended': async ({ agent, csrf }) => {
      const headers = { ...ofPage(csrf), cookie: cookieOf(agent) };
      const home = await agent.get('/account');
      await agent.follow(await agent.submit(home, {}, { action: '/connect/logout/confirm' }));
      return outcome(agent, headers);
    },
  };
  const expected: Readonly<Record<string, [number, string]>> = {
    'a cookie without the token': [401, 'unauthorized'],
    'a session cookie that came twice': [401, 'unauthorized'],
    'an access token that does not hold beside it': [401, 'invalid_token'],
    'a session that has ended': [401, 'unauthorized'],
  };

  const cookieOf = (agent: UserAgent) =>
    [...agent.cookies].map(([key, { value }]) => `${key}=${value}`).join('; ');

  async function outcome(agent: UserAgent, headers: OutgoingHttpHeaders): Promise<[number, string]> {
    const read = await call(agent, 'GET', '/roles', headers);
    const changed = await call(agent, 'PUT', '/roles/Forged', headers, role);
    expect([changed.status, changed.body.code]).toEqual([read.status, read.body.code]);
    return [read.status, read.body.code];
  }

  test.each(Object.keys(tricks))('%s (S31, S50)', async (name) => {
    expect(await tricks[name]!(await signedIn())).toEqual(expected[name] ?? [403, 'csrf_failed']);
    const known = await fetch(`${console.url}/api/v1/roles/Forged`, {
      headers: { Authorization: `Bearer ${await apiToken(console)}` },
    });
    expect(known.status).toBe(404);
  });
});
