/** A form that somebody else was faster than: both values of each field, of which one is picked, without script. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

const href = '/access/users/grace';
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  await callApi(console, 'POST', '/users', { id: 'grace' });
}, 30_000);
afterAll(() => console?.stop());
beforeEach(() => change({ displayName: 'Grace', email: 'grace@example.com', roles: [] }));

const change = (fields: object) => callApi(console, 'PATCH', '/users/grace', fields);
const stored = () => callApi(console, 'GET', '/users/grace');
/** What the form has in its fields. */
const typed = { displayName: 'Grace', email: 'grace@example.com' };
/** Of each field that asks: what is picked from the start. */
const picks = ({ body }: Reply) => {
  const asked = [...body.matchAll(/<fieldset class="choices conflict" id="pick\.(\w+)">(.*?)<\/fieldset>/gs)];
  return Object.fromEntries(
    asked.map(([, member, inside]) => [member, /value="(\w+)" checked/.exec(inside!)?.[1] ?? null]),
  );
};
/** The form that comes back is of the version that is stored now. */
const again = (late: Reply, fields: Record<string, string>) =>
  sendForm(ada, { ...late, url: `${console.url}${href}` }, 'save', fields);

test('what both have changed is asked about, and nothing is picked for the reader', async () => {
  const form = await ada.get(href);
  await change({ displayName: 'Theirs', email: null });
  const late = await sendForm(ada, form, 'save', {
    ...typed,
    displayName: 'Mine',
    email: 'mine@example.com',
  });
  expect(late.status).toBe(400);
  expect(textOf(late)).toContain('This has changed meanwhile');
  expect(textOf(late)).toMatch(/Name: which counts\? As typed: Mine Stored now: Theirs/);
  expect(textOf(late)).toContain('As typed: mine@example.com Stored now: nothing');
  expect(picks(late)).toEqual({ displayName: null, email: null });
  expect(late.body).toContain('href="#displayName"');
  expect(textOf(late)).toContain(
    'Here stands “Mine”, and somebody else has stored “Theirs”: pick one of the two.',
  );
  expect(textOf(late)).toContain('Here stands “mine@example.com”, and somebody else has stored “nothing”');
  expect(late.body).toContain('<a href="#edit">See what is wrong</a>');
  expect(await stored()).toMatchObject({ displayName: 'Theirs', email: null });

  const done = await again(late, {
    displayName: 'Mine',
    email: 'mine@example.com',
    'pick.displayName': 'stored',
    'pick.email': 'typed',
  });
  expect(done.headers.location).toBe(`${href}?done=saved`);
  expect(await stored()).toMatchObject({ displayName: 'Theirs', email: 'mine@example.com' });
});

test('says who has changed it meanwhile, and when', async () => {
  const other = await personWith(console, 'otto', ['Admin']);
  const reader = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await reader.signIn();
  const [mine, ofReader] = [await ada.get(href), await reader.get(href)];
  const theirs = await sendForm(other, await other.get(href), 'save', { ...typed, displayName: 'Theirs' });
  expect(theirs.headers.location).toBe(`${href}?done=saved`);
  const fields = { ...typed, displayName: 'Mine' };
  const late = await sendForm(ada, mine, 'save', fields);
  const when = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d \\S+';
  expect(textOf(late)).toMatch(
    new RegExp(`This has changed meanwhile, by otto, at ${when}\\. Pick below which value counts`),
  );
  const german = await sendForm(reader, ofReader, 'save', fields);
  expect(textOf(german)).toMatch(new RegExp(`Das hat otto inzwischen geändert, am ${when}\\. Wählen Sie`));
  // By a program: its id is what it is known by.
  await change({ displayName: 'By a program' });
  expect(textOf(await sendForm(ada, mine, 'save', fields))).toContain('by application-client, at ');
});

test('what only the other one has changed is picked as it is stored; what only the reader has, is not asked about', async () => {
  const form = await ada.get(href);
  await change({ email: 'theirs@example.com', roles: ['Viewer'] });
  const late = await sendForm(ada, form, 'save', { ...typed, displayName: 'Mine' });
  expect(picks(late)).toEqual({ email: 'stored', roles: 'stored' });
  // Nothing is wrong with what is picked already.
  expect(late.body).not.toContain('class="field-error"');
  expect(textOf(late)).toContain('As typed: nothing Stored now: Viewer');
  await again(late, { ...typed, displayName: 'Mine', 'pick.email': 'stored', 'pick.roles': 'stored' });
  expect(await stored()).toMatchObject({
    displayName: 'Mine',
    email: 'theirs@example.com',
    roles: ['Viewer'],
  });
});

test('when all that is stored is picked, nothing is changed', async () => {
  const form = await ada.get(href);
  await change({ displayName: 'Theirs', email: 'theirs@example.com', roles: ['Viewer'] });
  const late = await sendForm(ada, form, 'save', typed);
  const all = Object.fromEntries(Object.keys(picks(late)).map((member) => [`pick.${member}`, 'stored']));
  const done = await again(late, { ...typed, ...all });
  expect(done.headers.location).toBe(`${href}?done=unchanged`);
  expect(await stored()).toMatchObject({ displayName: 'Theirs', email: 'theirs@example.com' });
});

test('who is too late once more is asked once more', async () => {
  const form = await ada.get(href);
  await change({ displayName: 'Theirs' });
  const late = await sendForm(ada, form, 'save', { ...typed, displayName: 'Mine' });
  await change({ displayName: 'Again' });
  const later = await again(late, { ...typed, displayName: 'Mine', 'pick.displayName': 'typed' });
  expect(later.status).toBe(400);
  expect(textOf(later)).toContain('As typed: Mine Stored now: Again');
  expect(picks(later)).toEqual({ displayName: 'typed' });
  expect(await stored()).toMatchObject({ displayName: 'Again' });
});

test('what was picked stays while something else is wrong, and in what is said as API', async () => {
  const form = await ada.get(href);
  await change({ displayName: 'Theirs' });
  const mine = { ...typed, displayName: 'Mine', email: 'not-an-address', 'pick.displayName': 'stored' };
  const late = await sendForm(ada, form, 'save', { ...typed, displayName: 'Mine' });
  const wrong = await again(late, mine);
  expect([wrong.status, picks(wrong)]).toEqual([400, { displayName: 'stored' }]);
  const ways = await again(wrong, { ...mine, email: 'new@example.com', show: 'ways' });
  expect([ways.status, picks(ways)]).toEqual([200, { displayName: 'stored' }]);
  expect(ways.body).toContain('new@example.com');
  expect(ways.body).not.toMatch(/displayName&quot;:&quot;Mine/);
  await again(ways, { ...mine, email: 'new@example.com' });
  expect(await stored()).toMatchObject({ displayName: 'Theirs', email: 'new@example.com' });
});

test('in German', async () => {
  const german = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await german.signIn();
  const form = await german.get(href);
  await change({ displayName: 'Theirs' });
  const late = await sendForm(german, form, 'save', { ...typed, displayName: 'Meins' });
  expect(textOf(late)).toMatch(/Was gilt\? Wie eingegeben: Meins Jetzt gespeichert: Theirs/);
  expect(textOf(late)).toContain(
    'Hier steht „Meins“, und jemand anderes hat „Theirs“ gespeichert: Wählen Sie eines von beiden.',
  );
});

test('an access of a machine client, and of a role, is picked as a whole', async () => {
  await callApi(console, 'POST', '/clients', { id: 'billing', scopes: ['svc:map:orders:read'] });
  const form = await ada.get('/access/clients/billing');
  await callApi(console, 'PATCH', '/clients/billing', { scopes: ['svc:health:read'] });
  const fields = { displayName: '', maps: 'orders', 'map:read': 'on', 'map:write': 'on', tokenAlg: 'RS256' };
  const late = await sendForm(ada, form, 'save', fields);
  expect(picks(late)).toMatchObject({ scopes: null });
  expect(textOf(late)).toContain('Stored now: svc:health:read');
  const sent = { ...late, url: `${console.url}/access/clients/billing` };
  await sendForm(ada, sent, 'save', { ...fields, 'pick.scopes': 'stored' });
  const { scopes } = (await callApi(console, 'GET', '/clients/billing')) as { scopes: string[] };
  expect(scopes).toEqual(['svc:health:read']);
});

describe('bad input changes nothing:', () => {
  test.each([
    { name: 'a base of nonsense', fields: { base: ':::: %00 ,' } },
    { name: 'no base', fields: { base: '' } },
    { name: 'a pick of nonsense', fields: { 'pick.displayName': '<script>' } },
    { name: 'a pick of what is no field', fields: { 'pick.__proto__': 'stored' } },
  ])('$name', async ({ fields }) => {
    const form = await ada.get(href);
    await change({ displayName: 'Theirs' });
    const late = await sendForm(ada, form, 'save', { ...typed, displayName: 'Mine', ...fields });
    expect(late.status).toBe(400);
    expect(late.body).not.toContain('<script>');
    expect(picks(late)).toHaveProperty('displayName');
    expect(await stored()).toMatchObject({ displayName: 'Theirs' });
  });

  test('of who may not', async () => {
    const viewer = await personWith(console, 'viewer', ['Viewer']);
    const csrf = hiddenIn(await viewer.get('/account'), 'csrf')!;
    const fields = { csrf, do: 'save', ...typed, 'pick.displayName': 'stored', 'pick.email': 'stored' };
    expect((await viewer.post(href, { ...fields, 'pick.roles': 'stored' })).status).toBe(403);
  });

  test.each(foreignForms)('a form $name (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get(href), 'csrf')!;
    const sent = { csrf, do: 'save', displayName: 'Mine', 'pick.email': 'stored', ...fields };
    expect((await ada.post(href, sent, headers)).status).toBe(403);
    expect(await stored()).toMatchObject({ displayName: 'Grace' });
  });
});
