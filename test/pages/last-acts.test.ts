/** What takes something out of use or away stands last on the page of a thing, behind its history. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  await callApi(console, 'POST', '/users', { id: 'grace', roles: [] });
  await callApi(console, 'POST', '/clients', { id: 'billing', scopes: ['svc:health:read'] });
  await callApi(console, 'POST', '/applications', {
    id: 'wiki',
    redirectUris: ['https://wiki.example.com/'],
  });
  await callApi(console, 'POST', '/roles', { id: 'Clerk', permissions: ['svc:health:read'] });
  await callApi(console, 'POST', '/identity-providers', {
    ...{ id: 'corp', kind: 'oidc', name: 'Corp', issuer: 'https://login.corp.example', clientId: 'c' },
    ...{ clientAuth: 'none', roleRules: ['groups=a -> Viewer'] },
  });
});
afterAll(() => console?.stop());

/** From its history to the end of the page, and what stands before. */
async function partsOf(page: string, agent = ada) {
  const { body } = await agent.get(page);
  const sections = [...body.matchAll(/<section class="part" id="([^"]*)"/g)].map(([, id]) => id);
  const at = body.indexOf('<section class="part" id="more"');
  return { sections, before: body.slice(0, at), last: at < 0 ? '' : body.slice(at) };
}

const switched = [
  { what: 'a user', page: '/access/users/grace', api: '/users/grace' },
  { what: 'a machine client', page: '/access/clients/billing', api: '/clients/billing' },
  { what: 'an application', page: '/access/applications/wiki', api: '/applications/wiki' },
  { what: 'an identity provider', page: '/access/identity-providers/corp', api: '/identity-providers/corp' },
];

test.each(switched)('$what: Disable, and Enable where it is disabled, and Remove', async ({ page, api }) => {
  const enabled = await partsOf(page);
  expect(enabled.sections.slice(-2)).toEqual(['history', 'more']);
  expect(enabled.before).not.toMatch(/do=remove|value="(?:disable|enable)"|do=(?:disable|enable)/);
  expect(enabled.last).toMatch(/value="disable".*do=remove/s);
  expect(enabled.last).toContain('“Disable” asks nothing, and can be undone.');
  await callApi(console, 'POST', `${api}/disable`, {});
  const disabled = await partsOf(page);
  expect(disabled.sections.slice(-2)).toEqual(['history', 'more']);
  expect(disabled.last).toMatch(/(?:value="|do=)enable".*do=remove/s);
  // Whoever looks for it on top is led there.
  expect(disabled.before).toContain('<a href="#more">Enable it below</a>');
  await callApi(console, 'POST', `${api}/enable`, {});
});

test('a role: Remove', async () => {
  const { sections, before, last } = await partsOf('/access/roles/Clerk');
  expect([sections.slice(-2), before.includes('do=remove')]).toEqual([['history', 'more'], false]);
  expect(last).toContain('do=remove');
});

test('nobody disables or removes themselves, and who may change nothing sees none of it', async () => {
  const own = await partsOf('/access/users/ada');
  expect(own.last).toContain('do=end-sessions');
  expect(own.last).not.toMatch(/value="disable"|do=remove|do=end-everything/);
  const viewer = await personWith(console, 'viewer', ['Viewer']);
  expect((await partsOf('/access/identity-providers/corp', viewer)).sections).not.toContain('more');
});

test('a search for it leads there', async () => {
  const found = await ada.get('/observe/search?q=disable+billing');
  expect(found.body).toContain('href="/access/clients/billing#more"');
  const german = await ada.get('/access/clients/billing', { 'accept-language': 'de' });
  expect(textOf(german)).toContain('„Deaktivieren“ geschieht sofort und lässt sich rückgängig machen.');
});
