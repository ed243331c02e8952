/** `/access/approvals`: one administrator asks in the browser, another approves or rejects there. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personPassword,
  personWith,
  sendForm,
} from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let bob: UserAgent;
let viewer: UserAgent;
let dataDir: string;

beforeAll(async () => {
  dataDir = await usedDataDir();
  console = await startConsole({ dataDir });
  // Only people ask for approval: what a program makes is made before it is needed.
  await callApi(console, 'POST', '/roles', { id: 'Keeper', permissions: ['svc:map:orders:read'] });
  await personWith(console, 'bob', ['Admin']);
  await personWith(console, 'viewer', ['Viewer']);
  await personWith(console, 'metrics', ['MetricsViewer']);
  await console.stop();
  console = await startConsole({ dataDir, env: { CONSOLE_APPROVALS_REQUIRE: 'updateRole,createClient' } });
  [ada, bob, viewer] = [0, 1, 2].map(() => createUserAgent(console.url)) as [UserAgent, UserAgent, UserAgent];
  await ada.signIn();
  await bob.signIn({ username: 'bob', password: personPassword });
  await viewer.signIn({ username: 'viewer', password: personPassword });
});
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Asked for by ada. @returns the address of its page */
async function ask(description: string): Promise<string> {
  const form = await ada.get('/access/roles/Keeper');
  const fields = { description, maps: 'orders', 'map:read': 'on' };
  const asked = await ada.follow(await sendForm(ada, form, 'save', fields));
  expect(textOf(asked)).toContain('Nothing is changed yet: a second administrator has to approve it.');
  const list = await bob.get('/access/approvals?state=waiting');
  const href = new URL(asked.url).pathname;
  expect(list.body).toContain(`href="${href}"`);
  return href;
}

function answer(agent: UserAgent, page: Reply, href: string, act: string, fields = {}): Promise<Reply> {
  return sendForm(agent, { ...page, url: console.url + href }, act, fields);
}

const readRole = () => callApi(console, 'GET', '/roles/Keeper');

test('what one administrator has asked for is made when another approves it, and not by the first', async () => {
  const href = await ask('Approved');
  expect(await readRole()).toMatchObject({ description: null });
  const own = await ada.get(href);
  expect(textOf(own)).toContain('You have asked for it: somebody else has to approve it.');
  expect(own.body).not.toContain('?do=approve');
  const page = await bob.get(href);
  expect(textOf(page)).toContain('Update role Keeper');
  expect(textOf(page)).toMatch(/Asked for by ada/);
  expect(textOf(page)).toContain('"Approved"');
  const done = await answer(bob, await bob.get(`${href}?do=approve`), href, 'approve');
  expect(textOf(await bob.follow(done))).toContain('Approved: the change is made.');
  expect(await readRole()).toMatchObject({ description: 'Approved' });
});

test('the bar of every page says how many wait, to whoever may see them', async () => {
  const href = await ask('In the bar');
  await expect.poll(async () => (await bob.get('/access/roles')).body).toContain('>One approval waits</a>');
  const metrics = createUserAgent(console.url);
  await metrics.signIn({ username: 'metrics', password: personPassword });
  const page = (await metrics.get('/')).body;
  expect([page.includes('class="managed"'), page.includes('approval waits')]).toEqual([true, false]);
  await answer(bob, await bob.get(`${href}?do=reject`), href, 'reject', { reason: '' });
  await expect.poll(async () => (await bob.get('/access/roles')).body).not.toContain('approval waits');
});

test('what is rejected is not made, and says why', async () => {
  const href = await ask('Rejected');
  const question = await bob.get(`${href}?do=reject`);
  const done = await answer(bob, question, href, 'reject', { reason: 'Not <b>now</b>' });
  expect(textOf(await bob.follow(done))).toContain('Rejected: nothing was changed.');
  expect(textOf(await ada.get(href))).toContain('Not <b>now</b>');
  expect(await readRole()).toMatchObject({ description: 'Approved' });
  const late = await answer(bob, question, href, 'reject');
  expect([late.status, late.headers.location]).toEqual([303, href]);
});

test('a reason that is too long is said, and nothing is decided; who has asked takes it back', async () => {
  const href = await ask('Mine');
  const question = await ada.get(`${href}?do=reject`);
  expect(textOf(question)).toContain('Take back');
  const refused = await answer(ada, question, href, 'reject', { reason: 'x'.repeat(501) });
  expect([refused.status, refused.body.includes('href="#reason"')]).toEqual([400, true]);
  expect(textOf(await ada.get(href))).toContain('Waiting');
  const done = await answer(ada, question, href, 'reject', { reason: '' });
  expect(textOf(await ada.follow(done))).toContain('Taken back: nothing was changed.');
});

test('what the change answered is shown once, to whoever has asked for it', async () => {
  const form = await ada.get('/access/clients?do=new');
  const fields = { id: 'made', displayName: '', tokenAlg: 'RS256', maps: 'orders', 'map:read': 'on' };
  const asked = await sendForm(ada, { ...form, url: `${console.url}/access/clients` }, 'new', fields);
  const href = new URL((await ada.follow(asked)).url).pathname;
  await expect(callApi(console, 'GET', '/clients/made')).rejects.toThrow('404');
  await answer(bob, await bob.get(`${href}?do=approve`), href, 'approve');
  expect((await bob.get(href)).body).not.toContain('value="result"');
  const page = await ada.get(href);
  const shown = await answer(ada, page, href, 'result');
  expect(shown.body).toMatch(/secret/);
  expect((await answer(ada, page, href, 'result')).status).toBeGreaterThanOrEqual(400);
});

test('who may not see approvals finds neither list nor page, and a form from elsewhere decides nothing', async () => {
  const href = await ask('Kept');
  expect((await createUserAgent(console.url).get(href)).status).toBe(303);
  for (const page of ['/access/approvals', href]) expect((await viewer.get(page)).status).toBe(403);
  const csrf = hiddenIn(await bob.get('/account'), 'csrf')!;
  for (const { fields, headers } of foreignForms) {
    const reply = await bob.post(href, { csrf, do: 'approve', ...fields }, headers);
    expect(reply.status).toBe(403);
  }
  expect(textOf(await bob.get(href))).toContain('Waiting');
  expect((await bob.get('/access/approvals/apr_none')).status).toBe(404);
});
