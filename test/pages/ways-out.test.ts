/** Where somebody may not be, or nothing is: no page is a dead end, and a role says in sentences what it opens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

const wayHome = '<a href="/" class="button primary">Go to the start page</a>';

test('who has no role is led from a closed page to one that is open', async () => {
  const agent = await personWith(console, 'roleless', []);
  const closed = await agent.get('/access/users');
  expect([closed.status, closed.body.includes(wayHome)]).toEqual([403, true]);
  expect(titleOf(await agent.follow(await agent.get('/')))).toBe('Your account');
});

test('who has pages has them around the closed one', async () => {
  const agent = await personWith(console, 'looker', ['Viewer']);
  const closed = await agent.get('/access/users');
  expect([closed.status, closed.body.includes(wayHome)]).toEqual([403, false]);
  expect(closed.body).toContain('<a href="/cluster/members"');
});

test('where nothing is, the way leads to the start page, which is not the account of everybody', async () => {
  const missing = await ada.get('/nothing');
  expect([missing.status, missing.body.includes(wayHome)]).toEqual([404, true]);
  expect(titleOf(await ada.follow(await ada.get('/')))).toBe('Overview');
});

test.each([
  ['Reads orders', 'Reads orders. At the members: svc:map:orders:read.'],
  ['Reads orders.', 'Reads orders. At the members: svc:map:orders:read.'],
  ['Orders only?', 'Orders only? At the members: svc:map:orders:read.'],
])(
  'what a role of one’s own is said to be, %j, is a sentence of its own on the account',
  async (description, said) => {
    const id = `Own-${description.replaceAll(/\W/g, (sign) => `${sign.charCodeAt(0)}`)}`;
    await callApi(console, 'POST', '/roles', { id, description, permissions: ['svc:map:orders:read'] });
    const agent = await personWith(console, id.toLowerCase(), [id]);
    expect(textOf(await agent.get('/account'))).toContain(said);
  },
);
