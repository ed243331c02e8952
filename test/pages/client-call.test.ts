/** "Try it" on the page of a machine client: a call as the client, in a browser without script. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineToken, type RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

const page = '/access/clients/billing';
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  await callApi(console, 'POST', '/clients', {
    id: 'billing',
    scopes: ['svc:map:orders:read', 'svc:queue:jobs:poll', 'svc:queue:jobs:size'],
  });
  await fetch(`${console.url}/svc/rest/maps/orders/key`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await machineToken(console)}`, 'Content-Type': 'text/plain' },
    body: 'a <b>value</b> 🚀',
  });
});
afterAll(() => console?.stop());

const tryPath = async (path?: string) =>
  sendForm(ada, await ada.get(page), 'try', path === undefined ? {} : { path });

test('makes the first call that reads, and shows who has answered what', async () => {
  const reply = await tryPath();
  expect(reply.body).toMatch(/name="path"[^>]* value="\/svc\/rest\/maps\/orders\/key"/);
  const text = textOf(reply);
  expect(text).toMatch(/Decision Goes through/);
  expect(text).toMatch(/Status 200 Answered by 127\.0\.0\.1:\d+ Time [\d.]+ ms/);
  expect(text).toContain('a <b>value</b> 🚀');
  // No token and no value is in the audit, but that it was read is.
  const entries = JSON.stringify(await callApi(console, 'GET', '/audit?object=client:billing'));
  expect(entries).toContain('client.tried');
  expect(entries).not.toContain('value</b>');
});

test('reads the size of a queue', async () => {
  expect(textOf(await tryPath('/svc/rest/queues/jobs/size'))).toMatch(/Status 200/);
});

test('is refused as the client is, with what is missing', async () => {
  const text = textOf(await tryPath('/svc/rest/maps/other/1'));
  expect(text).toMatch(/Decision Refused/);
  expect(text).not.toContain('Answered by');
});

test.each([
  { name: 'takes an item away', path: '/svc/rest/queues/jobs/1', says: 'Only calls that read' },
  { name: 'is of another host', path: 'https://evil.example/', says: 'no address of the members' },
  { name: 'leaves the surface', path: '/api/v1/users', says: 'no address of the members' },
  { name: 'is empty', path: '', says: 'no address of the members' },
  { name: 'is too long', path: `/svc/${'y'.repeat(3000)}`, says: 'A call as this client' },
  { name: 'climbs', path: '/svc/rest/maps/orders/../../../x', says: 'A call as this client' },
])('makes no call that $name', async ({ path, says }) => {
  const reply = await tryPath(path);
  expect(reply.status).toBe(200);
  expect(textOf(reply)).toContain(says);
  expect(textOf(reply)).not.toContain('Answered by');
});

test('makes none for a client that is disabled', async () => {
  await callApi(console, 'POST', '/clients/billing/disable');
  expect(textOf(await tryPath())).toContain('The client is disabled.');
  await callApi(console, 'POST', '/clients/billing/enable');
});

test('makes none for who may not give the client its scopes', async () => {
  await callApi(console, 'POST', '/roles', {
    id: 'ClientReader',
    permissions: ['api:clients:read', 'api:traffic:read'],
  });
  const agent = await personWith(console, 'reader', ['ClientReader']);
  const form = await agent.get(page);
  const reply = await agent.post(page, {
    csrf: hiddenIn(form, 'csrf')!,
    do: 'try',
    path: '/svc/rest/maps/orders/key',
  });
  expect(textOf(reply)).not.toContain('a <b>value');
  expect(textOf(reply)).not.toContain('Answered by');
});

test.each(foreignForms)('makes none by a form $name (S31)', async ({ fields, headers }) => {
  const csrf = hiddenIn(await ada.get(page), 'csrf')!;
  expect((await ada.post(page, { csrf, do: 'try', ...fields }, headers)).status).toBe(403);
});

test('says so where no member answers', async () => {
  const { console: alone, ada: other } = await startWithAdmin({
    env: { CONSOLE_MEMBERS: 'http://127.0.0.1:1' },
  });
  await callApi(alone, 'POST', '/clients', { id: 'billing', scopes: ['svc:map:orders:read'] });
  const reply = await sendForm(other, await other.get(page), 'try');
  expect([reply.status, textOf(reply).includes('Answered by')]).toEqual([200, false]);
  expect(textOf(reply)).toMatch(/[Mm]ember/);
  await alone.stop();
});
