/** `/account/elevation`: a role for a while, in a browser without script. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personPassword,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const page = '/account/elevation';
let console: RunningConsole;

beforeAll(async () => {
  ({ console } = await startWithAdmin());
});
afterAll(() => console?.stop());

async function eligible(id: string, eligibleRoles: readonly string[]): Promise<UserAgent> {
  await callApi(console, 'POST', '/users', { id, password: personPassword, roles: [], eligibleRoles });
  const agent = createUserAgent(console.url);
  await agent.signIn({ username: id, password: personPassword });
  return agent;
}

const asked = { role: 'Viewer', minutes: '15', reason: 'Ticket 4711 <b>مرحبا</b>' };

test('a role is taken with a reason, opens its pages at once, and ends with all sessions', async () => {
  const grace = await eligible('grace', ['Viewer']);
  expect((await grace.get('/cluster/maps')).status).toBe(403);
  expect((await grace.get('/account')).body).toContain(`href="${page}"`);
  const question = await grace.get(page);
  expect(titleOf(question)).toBe('Take a role for a while');
  const taken = await grace.follow(await sendForm(grace, question, 'take', asked));
  expect(titleOf(taken)).toBe('You have the role Viewer');
  expect(textOf(taken)).toContain('The role is yours for now.');
  expect(taken.body).not.toContain('<b>مرحبا');
  expect((await grace.get('/cluster/maps')).status).toBe(200);
  expect(textOf(await grace.get('/account'))).toContain('You have Viewer until');
  const open = (await callApi(console, 'GET', '/elevations?state=open')) as { items: object[] };
  expect(open.items).toMatchObject([{ role: 'Viewer', reason: asked.reason }]);

  const ended = await sendForm(grace, await grace.get(`${page}?do=end`), 'end');
  expect([ended.status, ended.headers.location]).toEqual([303, '/login']);
  expect((await grace.get('/account')).status).toBe(303);
  expect(await callApi(console, 'GET', '/elevations?state=open')).toMatchObject({ items: [] });
});

test('the same form sent twice takes it once', async () => {
  const agent = await eligible('twice', ['Viewer']);
  const question = await agent.get(page);
  for (const _ of [1, 2]) expect((await sendForm(agent, question, 'take', asked)).status).toBe(303);
  const open = (await callApi(console, 'GET', '/elevations?state=open')) as { items: object[] };
  expect(open.items).toHaveLength(1);
});

test.each([
  { role: 'Admin' },
  { role: 'Nobody' },
  { minutes: '0' },
  { minutes: '61' },
  { minutes: 'x' },
  { reason: '' },
  { reason: 'x'.repeat(1000) },
  { reason: 'two\nlines' },
])('nothing is taken with %j, and the page says why', async (wrong) => {
  const id = `wrong-${JSON.stringify(wrong)
    .replaceAll(/[^\w]+/g, '-')
    .slice(0, 30)}`;
  const agent = await eligible(id, ['Viewer']);
  const refused = await sendForm(agent, await agent.get(page), 'take', { ...asked, ...wrong });
  expect([400, 403]).toContain(refused.status);
  expect(titleOf(refused)).toMatch(/^Problem/);
  expect((await agent.get('/cluster/maps')).status).toBe(403);
});

test('whoever is eligible for nothing is told so, and whoever is signed out is sent to the sign-in', async () => {
  const agent = await eligible('nobody', []);
  expect(textOf(await agent.get(page))).toContain('There is no role that you may take');
  expect((await agent.get('/account')).body).not.toContain(page);
  const csrf = hiddenIn(await agent.get('/account'), 'csrf')!;
  expect([400, 403]).toContain((await agent.post(page, { csrf, do: 'take', ...asked })).status);
  const reply = await createUserAgent(console.url).get(page);
  expect(reply.status).toBe(303);
});

test.each(foreignForms)('a form $name takes nothing (S31)', async ({ name, fields, headers }) => {
  const agent = await eligible(name.replaceAll(' ', '-'), ['Admin']);
  const csrf = hiddenIn(await agent.get(page), 'csrf')!;
  const reply = await agent.post(page, { csrf, do: 'take', ...asked, role: 'Admin', ...fields }, headers);
  expect(reply.status).toBe(403);
  expect((await agent.get('/access/users')).status).toBe(403);
});

test('the page of a user says which roles they may take and have for a while, and an administrator edits those and ends these', async () => {
  const ada = createUserAgent(console.url);
  await ada.signIn();
  const noor = await eligible('noor', ['Viewer']);
  const href = '/access/users/noor';
  const before = await ada.get(href);
  expect(textOf(before)).toContain('May take for a while Viewer');
  expect(textOf(before)).not.toContain('Has for a while');
  const added = await sendForm(ada, before, 'save', {
    version: hiddenIn(before, 'version')!,
    'eligible:Viewer': 'on',
    'eligible:MetricsViewer': 'on',
  });
  expect(added.headers.location).toBe(`${href}?done=saved`);
  expect(textOf(await ada.get(href))).toContain('May take for a while Viewer, MetricsViewer');
  const unnamed = await callApi(console, 'GET', '/users/noor');
  expect(unnamed).toMatchObject({ roles: [], eligibleRoles: ['Viewer', 'MetricsViewer'] });

  await noor.follow(await sendForm(noor, await noor.get(page), 'take', asked));
  const shown = await ada.get(href);
  expect(textOf(shown)).toMatch(/Has for a while Viewer , ends in 1\d min ?: Ticket 4711 <b>مرحبا<\/b>/);
  const [, ending] = /href="([^"]*do=end-elevation[^"]*)"/.exec(shown.body)!;
  const question = await ada.get(ending!.replaceAll('&amp;', '&'));
  expect(titleOf(question)).toBe('End Viewer of noor');
  const which = { elevation: hiddenIn(question, 'elevation')! };
  const ended = await ada.follow(await sendForm(ada, question, 'end-elevation', which));
  expect(textOf(ended)).toContain('The role has ended, with all sessions and tokens.');
  expect(textOf(ended)).not.toContain('Has for a while');
  expect((await noor.get('/account')).status).toBe(303);
  const late = await sendForm(ada, question, 'end-elevation', which);
  expect(late.headers.location, 'there is nothing to end').toBe(href);
});
