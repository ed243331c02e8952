/** What can be undone, of one thing: nothing is asked, the message has Undo, and Undo is in the audit like any change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, personPassword, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { type Fields, formsOf, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin({ env: { MEMBER_CONFIG: writeMemberConfig() } }));
  await callApi(console, 'POST', '/roles', { id: 'Clerk', permissions: ['svc:map:orders:read'] });
  await callApi(console, 'POST', '/users', {
    id: 'grace',
    displayName: 'Grace',
    password: personPassword,
    roles: ['Clerk'],
  });
  await callApi(console, 'POST', '/clients', { id: 'billing', scopes: ['svc:map:orders:read'] });
  await callApi(console, 'POST', '/applications', {
    id: 'wiki',
    redirectUris: ['https://wiki.example.com/cb'],
  });
  const provider = { kind: 'oidc', name: 'Corp', enabled: false, issuer: 'https://login.corp.example' };
  await callApi(console, 'POST', '/identity-providers', {
    id: 'corp',
    ...provider,
    ...{ clientId: 'console', clientAuth: 'none', roleRules: ['groups=a -> Viewer'] },
  });
});
afterAll(() => console?.stop());

/** The form of the message. */
function undoIn(page: Reply) {
  const message = /<output class="message notice">(.*?)<\/output>/s.exec(page.body)?.[1] ?? '';
  return formsOf(message)[0];
}

async function undo(page: Reply, agent = ada): Promise<Reply> {
  const form = undoIn(page)!;
  return agent.follow(await agent.post(form.action, form.hidden));
}

/** All that a form of the page would send as it stands. */
function standing({ body }: Reply): Fields {
  const typed = [...body.matchAll(/<input id="[^"]*" name="([^"]*)" type="text"[^>]* value="([^"]*)"/g)];
  const checked = [...body.matchAll(/<input id="[^"]*" name="([^"]*)" type="checkbox"[^>]* checked/g)];
  const areas = [...body.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n?([^<]*)</g)];
  const chosen = [...body.matchAll(/<select[^>]* name="([^"]*)".*?<\/select>/gs)].map(([all, name]) => [
    name,
    /<option value="([^"]*)" selected/.exec(all)?.[1] ?? '',
  ]);
  return Object.fromEntries([
    ...typed.map(([, name, value]) => [name, value]),
    ...checked.map(([, name]) => [name, 'on']),
    ...areas.map(([, name, value]) => [name, value]),
    ...chosen,
  ]);
}

const read = async (path: string) => (await callApi(console, 'GET', path)) as Record<string, unknown>;
const lastEntry = (event: string) =>
  console
    .log()
    .filter((line) => line.event === event)
    .at(-1);

describe.each([
  { what: 'a user', page: '/access/users/grace', api: '/users/grace', of: 'user' },
  { what: 'a machine client', page: '/access/clients/billing', api: '/clients/billing', of: 'client' },
  { what: 'an application', page: '/access/applications/wiki', api: '/applications/wiki', of: 'client' },
])('$what', ({ page, api, of }) => {
  test('is disabled and enabled again by Undo, and both are in the audit', async () => {
    const before = (await read(api)).status;
    const disabled = await ada.follow(await sendForm(ada, await ada.get(page), 'disable'));
    expect((await read(api)).status).toBe('disabled');
    const back = await undo(disabled);
    expect([back.status, (await read(api)).status]).toEqual([200, before]);
    for (const event of [`${of}.disabled`, `${of}.enabled`])
      expect(lastEntry(event)).toMatchObject({ outcome: 'success', via: 'page', actorKind: 'user' });
    // Undone by mistake: that is undone too.
    await undo(back);
    expect((await read(api)).status).toBe('disabled');
    await callApi(console, 'POST', `${api}/enable`);
  });
});

describe.each([
  {
    what: 'a user',
    ...{ page: '/access/users/grace', api: '/users/grace', field: 'displayName' },
    ...{ typed: { displayName: 'Amazing Grace' }, event: 'user.updated' },
  },
  {
    what: 'a role',
    ...{ page: '/access/roles/Clerk', api: '/roles/Clerk', field: 'description' },
    ...{ typed: { description: 'At the desk' }, event: 'role.updated' },
  },
  {
    what: 'a machine client',
    ...{ page: '/access/clients/billing', api: '/clients/billing', field: 'displayName' },
    ...{ typed: { displayName: 'Billing' }, event: 'client.updated' },
  },
  {
    what: 'an application',
    ...{ page: '/access/applications/wiki', api: '/applications/wiki', field: 'displayName' },
    ...{ typed: { displayName: 'Wiki' }, event: 'client.updated' },
  },
  {
    what: 'an identity provider',
    ...{ page: '/access/identity-providers/corp', api: '/identity-providers/corp', field: 'name' },
    ...{ typed: { name: 'Corporation' }, event: 'idp.updated' },
  },
])('an edit of $what', ({ page, api, field, typed, event }) => {
  const edit = async (fields: Fields) => {
    const read = await ada.get(page);
    return ada.follow(await sendForm(ada, read, 'save', { ...standing(read), ...fields }));
  };

  test('is taken back by Undo, without a question, and that is in the audit', async () => {
    const before = await read(api);
    const saved = await edit(typed);
    expect((await read(api))[field]).toBe(Object.values(typed)[0]);
    const back = await undo(saved);
    const { updatedAt: _later, ...after } = await read(api);
    const { updatedAt: _earlier, ...former } = before;
    expect([back.status, after]).toEqual([200, former]);
    expect(textOf(back)).toContain('Put back');
    expect(lastEntry(event)).toMatchObject({ outcome: 'success', via: 'page', actorKind: 'user' });
  });

  test('is not taken back over what somebody else has changed since', async () => {
    const saved = await edit(typed);
    await callApi(console, 'PATCH', api, { [field]: 'Somebody else' });
    const late = await undo(saved);
    expect([late.status, textOf(late).includes('This has changed meanwhile')]).toEqual([400, true]);
    // The page, opened again, offers to take back the change of nobody else.
    expect(undoIn(await ada.get(saved.url.replace(/^https?:\/\/[^/]+/, '')))).toBeUndefined();
    expect((await read(api))[field]).toBe('Somebody else');
  });

  test('has no Undo where nothing was different', async () => {
    const same = await edit({});
    expect([textOf(same).includes('Nothing was different.'), undoIn(same)]).toEqual([true, undefined]);
  });
});

test('an edit by who may not read the audit is saved, and has no Undo that does nothing', async () => {
  await callApi(console, 'POST', '/roles', {
    id: 'Desk',
    permissions: ['api:users:read', 'api:users:write', 'api:roles:read'],
  });
  await callApi(console, 'POST', '/users', { id: 'plain', roles: [] });
  const ida = await personWith(console, 'ida', ['Desk']);
  const page = await ida.get('/access/users/plain');
  const fields = { ...standing(page), displayName: 'Plain' };
  const saved = await ida.follow(await sendForm(ida, page, 'save', fields));
  expect([textOf(saved).includes('Saved.'), undoIn(saved)]).toEqual([true, undefined]);
  expect((await read('/users/plain')).displayName).toBe('Plain');
});

describe('the log level of a member', () => {
  const member = async () => {
    const { items } = (await callApi(console, 'GET', '/members')) as { items: { id: string }[] };
    return items[0]!.id;
  };
  const levelOf = async (id: string) =>
    (await read(`/members/${encodeURIComponent(id)}/log-level`)).level as string | null;

  test('is set at once and set back by Undo, to that of its configuration too', async () => {
    const id = await member();
    const page = `/cluster/members/${encodeURIComponent(id)}`;
    const set = async (level: string) =>
      ada.follow(await sendForm(ada, await ada.get(page), 'log-level', { level }));
    const initial = await levelOf(id);
    const fine = await set('FINE');
    expect(await levelOf(id)).toBe('FINE');
    const finest = await set('FINEST');
    await undo(finest);
    expect(await levelOf(id)).toBe('FINE');
    expect(lastEntry('member.log_level_changed')).toMatchObject({ outcome: 'success', via: 'page' });
    expect(undoIn(await set('FINE'))).toBeUndefined();
    await undo(fine);
    expect(await levelOf(id)).toBe(initial);
  });

  test('of an address that somebody has made up changes nothing until it is pressed, and then to a level alone', async () => {
    const id = await member();
    const before = await levelOf(id);
    const page = await ada.get(`/cluster/members/${encodeURIComponent(id)}?done=level&former=LOUD`);
    const reply = await undo(page);
    expect([reply.status, await levelOf(id)]).toEqual([400, before]);
  });
});

describe('a value', () => {
  const entryAt = (key: string) => `/cluster/maps/undone/${key}`;
  const put = async (key: string, value: string) =>
    sendForm(ada, await ada.get(entryAt(key)), 'put', { value, encoding: 'text', type: 'text/plain' });
  const stored = async (key: string) => textOf(await ada.get(entryAt(key)));

  test('that is the first of its key is removed by Undo, and the value of another one put back', async () => {
    const first = await put('k', 'first value');
    const second = await put('k', 'second value');
    // What was put since is not removed by the Undo of the first one.
    const late = await undo(first);
    expect([late.status, (await stored('k')).includes('second value')]).toEqual([400, true]);
    await undo(second);
    expect(await stored('k')).toContain('first value');
    const other = await put('other', 'of another');
    const removed = await undo(other);
    expect(removed.status).toBe(200);
    expect(await stored('other')).toContain('The map has no entry of this key.');
    expect(lastEntry('map.entry.removed')).toMatchObject({ outcome: 'success', via: 'page' });
  });
});
