/** Acts on many where each waits for a second administrator, and the same pages in German. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { callApi, personPassword, personWith } from '../helpers/management.ts';
import { createUserAgent, formsOf, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let dataDir: string;

beforeAll(async () => {
  dataDir = await usedDataDir();
  console = await startConsole({ dataDir });
  // What a program makes is made before an approval is needed.
  for (const id of ['two-1', 'two-2']) await callApi(console, 'POST', '/users', { id, roles: [] });
  await personWith(console, 'bob', ['Admin']);
  await console.stop();
  console = await startConsole({ dataDir, env: { CONSOLE_APPROVALS_REQUIRE: 'deleteUser' } });
  ada = createUserAgent(console.url);
  await ada.signIn();
}, 60_000);
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const removing = '/access/users?do=remove&pick%3Atwo-1=on&pick%3Atwo-2=on';
const hiddenOf = (body: string) => formsOf(body).find(({ action }) => action === '/access/users')!.hidden;

test('what needs a second administrator waits for one, each for itself', async () => {
  const asked = await ada.get(removing);
  const sent = await ada.post('/access/users', { ...hiddenOf(asked.body), typed_name: 'remove 2' });
  const page = await ada.follow(sent);
  expect(textOf(page)).toContain('2 wait for a second administrator.');
  expect(page.body).toContain('href="/access/approvals"');
  await callApi(console, 'GET', '/users/two-1');
  const bob = createUserAgent(console.url);
  await bob.signIn({ username: 'bob', password: personPassword });
  const waiting = await bob.get('/access/approvals?state=waiting');
  expect([waiting.body.includes('two-1'), waiting.body.includes('two-2')]).toEqual([true, true]);
});

test('all of it is said in German, too', async () => {
  const german = { 'Accept-Language': 'de' };
  const list = await ada.get('/access/users', german);
  expect(list.body).toContain('aria-label="two-1 auswählen"');
  expect(textOf(list)).toContain('Die ganze Liste: JSON , CSV');
  const asked = await ada.get(removing, german);
  expect(titleOf(asked)).toBe('2 Benutzer entfernen');
  expect(textOf(asked)).toContain('Ausgewählt: two-1, two-2.');
  const wrong = await ada.post('/access/users', { ...hiddenOf(asked.body), typed_name: 'remove 2' }, german);
  expect(wrong.status).toBe(400);
  // What can be undone is done by the button of the list.
  const selection = formsOf(list.body).find(({ acts }) => acts.includes('enable'))!;
  const picked = { ...selection.hidden, do: 'enable', 'pick:nobody': 'on' };
  const done = await ada.post('/access/users', picked, german);
  const page = await ada.get(done.headers.location!, german);
  expect(textOf(page)).toContain('1 wurde abgelehnt:');
  expect(textOf(page)).toContain('1 Benutzer aktivieren 1 wurde abgelehnt: nobody');
});
