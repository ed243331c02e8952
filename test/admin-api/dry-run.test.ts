/** `?dryRun=true`: what a change would make, with every check of it, and nothing of it made. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens, userinfo } from '../helpers/sign-in.ts';
import { copyUser, editUser } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let token: string;
beforeAll(async () => {
  console = await startConsole();
  token = await apiToken(console);
  expect((await call('POST', '/roles', { id: 'Held', permissions: ['svc:health:read'] })).status).toBe(201);
  await copyUser(console, 'ada', 'holder');
  await editUser(console, 'holder', (user) => ({ ...user, roles: ['Held', 'Viewer'] }));
});
afterAll(() => console?.stop());

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${console.url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    tag: response.headers.get('etag'),
    location: response.headers.get('location'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** What an administrator can see of the whole, and what of it is on the disk as text. */
async function everything() {
  const { body } = await call('GET', '/roles');
  return { roles: body, registry: readFileSync(join(console.dataDir, 'registry.json'), 'utf8') };
}

const auditOf = (event: string) =>
  console.log().filter((line) => line.audit === true && line.event === event);

const changes = [
  {
    what: 'a role that is added',
    request: ['POST', '/roles', { id: 'New', permissions: ['svc:health:read'] }] as const,
    answer: { status: 201, result: { id: 'New', permissions: ['svc:health:read'], users: [] } },
    event: 'role.added',
  },
  {
    what: 'a role that is changed',
    request: ['PATCH', '/roles/Held', { description: 'Another.' }] as const,
    answer: { status: 200, result: { id: 'Held', description: 'Another.', users: ['holder'] } },
    event: 'role.updated',
  },
  {
    what: 'a role that is removed from those who have it',
    request: ['DELETE', '/roles/Held', undefined] as const,
    answer: { status: 204, result: null },
    event: 'role.removed',
  },
];

test.each(changes)('$what is shown, and nothing has changed', async ({ request, answer, event }) => {
  const [method, path, body] = request;
  const agent = createUserAgent(console.url);
  const { access_token } = await signInForTokens(console, agent, {}, { ...admin, username: 'holder' });
  const [before, entries] = [await everything(), auditOf(event).length];
  const dry = await call(method, `${path}?dryRun=true`, body);
  expect(dry).toMatchObject({ status: 200, tag: null, location: null, body: { ...answer, warnings: [] } });
  expect(await everything()).toEqual(before);
  expect((await agent.get('/account')).status).toBe(200);
  expect((await userinfo(console, access_token)).status).toBe(200);
  // A change that is made leaves its line behind all that came before it.
  const mark = `Mark-${event}`;
  await call('POST', '/roles', { id: mark, permissions: ['svc:health:read'] });
  await call('DELETE', `/roles/${mark}`);
  const marks = ['role.added', 'role.removed'].includes(event) ? 1 : 0;
  await console.waitFor(() => auditOf('role.removed').some(({ target }) => target === mark), 'the line');
  expect(auditOf(event)).toHaveLength(entries + marks);
});

test('what would be refused is refused in the same words, and leaves no line either', async () => {
  const entries = auditOf('role.added').length;
  const refused = [
    await call('POST', '/roles?dryRun=true', { id: 'Held', permissions: ['svc:health:read'] }),
    await call('POST', '/roles?dryRun=true', { id: 'Bad', permissions: ['svc:nothing'] }),
    await call('PATCH', '/roles/Held?dryRun=true', { description: 'x' }, { 'If-Match': '"stale"' }),
    await call('PATCH', '/roles/None?dryRun=true', { description: 'x' }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([409, 400, 412, 404]);
  expect(auditOf('role.added')).toHaveLength(entries);
});

test('the parameter is true or false, once, and of changes alone', async () => {
  const body = { id: 'Made', permissions: ['svc:health:read'] };
  for (const query of ['dryRun=1', 'dryRun=', 'dryRun=true&dryRun=true']) {
    expect((await call('POST', `/roles?${query}`, body)).status).toBe(400);
  }
  expect((await call('GET', '/roles?dryRun=true')).status).toBe(400);
  expect((await call('GET', '/roles/Made')).status).toBe(404);
  expect((await call('POST', '/roles?dryRun=false', body)).status).toBe(201);
  expect((await call('DELETE', '/roles/Made')).status).toBe(204);
});
