/** `/access/users` as a browser without script sees it: nothing that the admin API would not do for the same person. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { sendForm } from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let clock: string;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clock-'));
  clock = join(folder, 'seconds');
  await writeFile(clock, '0');
  const movable = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;
  console = await startConsole({ env: { TEST_CLOCK_FILE: clock, NODE_OPTIONS: `--import ${movable}` } });
  ada = createUserAgent(console.url);
  await ada.signIn();
});
afterAll(async () => {
  await console?.stop();
  await rm(folder, { recursive: true, force: true });
});

const password = 'a-long-enough-password-7';

/** Through the API, with a password, so that the person can sign in. */
async function addUser(id: string, fields: object = {}): Promise<void> {
  const token = await apiToken(console);
  const response = await fetch(`${console.url}/api/v1/users`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ id, password, roles: [], ...fields }),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
}

async function callRole(role: object): Promise<void> {
  const headers = { Authorization: `Bearer ${await apiToken(console)}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify(role);
  const response = await fetch(`${console.url}/api/v1/roles`, { method: 'POST', headers, body });
  expect(response.status).toBe(201);
}

async function signedIn(id: string): Promise<UserAgent> {
  const agent = createUserAgent(console.url);
  await agent.signIn({ username: id, password });
  return agent;
}

const pageOf = (id: string) => `/access/users/${encodeURIComponent(id)}`;

test('says what a person may call at the members and where they are signed in, with links to all of it', async () => {
  await callRole({ id: 'stock-reader', permissions: ['svc:map:stock:read', 'svc:map:stock-old:read'] });
  await addUser('rita', { roles: ['stock-reader'] });
  await addUser('nora');
  const before = textOf(await ada.get(pageOf('rita')));
  expect(before).toMatch(/Sessions No open session /);
  expect(before).toMatch(/Calls to the members Maps: read \(stock, stock-old\) Effective access /);
  expect(textOf(await ada.get(pageOf('nora')))).toContain(
    'Calls to the members None is open. Effective access',
  );
  const first = await signedIn('rita');
  await signedIn('rita');
  const page = await ada.get(pageOf('rita'));
  expect(textOf(page)).toMatch(/Sessions 2 open sessions , last used now /);
  expect(page.body).toContain('href="/access/sessions?user=rita"');
  const german = textOf(await ada.get(pageOf('rita'), { 'Accept-Language': 'de' }));
  expect(german).toMatch(/Sitzungen 2 offene Sitzungen , zuletzt benutzt jetzt .*Aufrufe an die Member/);
  const href = /href="(\/access\/effective\?[^"]+)"/.exec(page.body)![1]!.replaceAll('&amp;', '&');
  const effective = await ada.get(href);
  expect(effective.body).toMatch(/<option value="user" selected[^>]*>/);
  expect(effective.body).toMatch(/<input[^>]* name="who"[^>]* value="rita"/);
  expect(textOf(effective)).toMatch(/rita (?:No )+stock, stock-old No /);
  const question = await ada.get(`${pageOf('rita')}?do=end-sessions`);
  const done = await sendForm(ada, question, 'end-sessions');
  expect(textOf(await ada.follow(done))).toMatch(/Sessions No open session /);
  expect((await first.get('/account')).headers.location).toBe('/login');
});

test('lists users, each a link to its page, with a filter that is part of the address', async () => {
  await addUser('grace', { displayName: 'Grace Hopper', email: 'grace@example.com', roles: ['Viewer'] });
  const all = await ada.get('/access/users');
  expect(titleOf(all)).toBe('Users');
  expect(all.body).toContain('href="/access/users/grace"');
  expect(textOf(all)).toContain('Grace Hopper');
  const disabled = await ada.get('/access/users?status=disabled');
  expect(disabled.body).not.toContain('href="/access/users/grace"');
  expect(textOf(disabled)).toContain('Nothing matches this filter.');
  const found = await ada.get('/access/users?q=Grace&status=active');
  expect(found.body).toContain('href="/access/users/grace"');
  expect(found.body).toContain('value="Grace"');
});

test('is sorted by the head of its first column, one way and the other, over pages and in its files', async () => {
  const names = ({ body }: Reply) =>
    [...body.matchAll(/<th scope="row"[^>]*><a href="\/access\/users\/([^"]*)"/g)].map(([, id]) => id!);
  const headOf = ({ body }: Reply) =>
    /<th scope="col" aria-sort="(\w+)"><a href="([^"]*)" class="sort">Name/.exec(body)?.slice(1);
  const usual = await ada.get('/access/users');
  expect(headOf(usual)).toEqual(['ascending', '/access/users?sort=-id']);
  const all = names(usual);
  expect(all.length).toBeGreaterThan(1);
  const reversed = await ada.get('/access/users?sort=-id');
  expect(headOf(reversed)).toEqual(['descending', '/access/users?sort=id']);
  expect(names(reversed)).toEqual(all.toReversed());
  expect(names(await ada.get('/access/users?sort=id'))).toEqual(all);
  // No filter: nothing is there to take off.
  expect(chipsIn(reversed)).toEqual({});

  const first = await ada.get('/access/users?sort=-id&limit=1');
  const next = /href="(\/access\/users\?[^"]*cursor=[^"]*)"/.exec(first.body)![1]!.replaceAll('&amp;', '&');
  expect([...names(first), ...names(await ada.get(next))]).toEqual(all.toReversed().slice(0, 2));
  expect(reversed.body).toContain('href="/access/users.json?sort=-id"');
  const { items } = JSON.parse((await ada.get('/access/users.json?sort=-id')).body) as {
    items: { id: string }[];
  };
  expect(items.map(({ id }) => id)).toEqual(all.toReversed());

  // What finds people has an order of its own.
  const filtered = await ada.get('/access/users?status=active&sort=-id');
  expect([filtered.status, headOf(filtered)]).toEqual([200, undefined]);
  expect((await ada.get('/access/users.json?status=active&sort=-id')).status).toBe(200);
  for (const sort of ['roles', '-', '%00']) {
    expect(names(await ada.get(`/access/users?sort=${sort}`))).toEqual(all);
  }
});

/** Where each chip of a list leads, by what it says. */
function chipsIn({ body }: Reply): Readonly<Record<string, string>> {
  const chips = /<ul class="chips"[\s\S]*?<\/ul>/.exec(body)?.[0] ?? '';
  return Object.fromEntries(
    [...chips.matchAll(/<a href="([^"]*)" class="chip"><bdi>([^<]*)<\/bdi>/g)].map(([, href, words]) => [
      words!,
      href!.replaceAll('&amp;', '&'),
    ]),
  );
}

test('takes off each filter by itself, those too that no box has', async () => {
  expect(chipsIn(await ada.get('/access/users'))).toEqual({});
  const filtered = await ada.get('/access/users?q=Grace&status=active&provider=corp&limit=2');
  const chips = chipsIn(filtered);
  expect(chips).toEqual({
    'Name or email: Grace': '/access/users?status=active&provider=corp',
    'Status: Active': '/access/users?q=Grace&provider=corp',
    'Identity provider: corp': '/access/users?q=Grace&status=active',
  });
  // A filter without a box stays where the boxes are sent.
  expect(filtered.body).toContain('<input type="hidden" name="provider" value="corp"');
  const left = await ada.get(chips['Identity provider: corp']!);
  expect(left.body).toContain('href="/access/users/grace"');
  expect(Object.keys(chipsIn(left))).toEqual(['Name or email: Grace', 'Status: Active']);
  const last = await ada.get(chipsIn(await ada.get('/access/users?status=disabled'))['Status: Disabled']!);
  expect([last.status, chipsIn(last)]).toEqual([200, {}]);
});

test('goes on to the next page of a list and back to its first', async () => {
  for (const id of ['many-1', 'many-2', 'many-3']) await addUser(id);
  const first = await ada.get('/access/users?q=many-&limit=2');
  const next = /href="(\/access\/users\?[^"]*cursor=[^"]*)"/.exec(first.body)![1]!.replaceAll('&amp;', '&');
  const second = await ada.get(next);
  expect(second.body).toContain('href="/access/users/many-3"');
  expect(second.body).not.toContain('href="/access/users/many-1"');
  expect(second.body).toContain('href="/access/users?q=many-&amp;limit=2"');
});

test('adds a user, whose link to choose a password is shown once', async () => {
  const form = await ada.get('/access/users?do=new');
  const fields = { id: 'linus', displayName: 'Linus', email: '', 'role:Viewer': 'on' };
  const added = await ada.submit(form, fields, { action: '/access/users' });
  expect(added.status).toBe(200);
  expect(added.body).toMatch(/class="secret">http:\/\/localhost:\d+\/invitation\?/);
  expect((await ada.get(pageOf('linus'))).body).not.toContain('/invitation?');
  const link = /class="secret">([^<]*)</.exec(added.body)![1]!.replaceAll('&amp;', '&');
  expect(titleOf(await createUserAgent(console.url).get(link))).not.toMatch(/^Problem/);
});

test('says beside the field what is wrong with it, and keeps what was typed', async () => {
  const form = await ada.get('/access/users?do=new');
  const fields = { id: 'grace', displayName: 'x', email: 'not an address', 'role:Viewer': 'on' };
  const refused = await ada.submit(form, fields, { action: '/access/users' });
  expect(refused.status).toBe(400);
  expect(titleOf(refused)).toBe('Problem: Invite user');
  expect(refused.body).toContain('id="email-error"');
  expect(refused.body).toContain('value="not an address"');
  expect(refused.body).toMatch(/name="role:Viewer" type="checkbox" checked/);
  const taken = await ada.submit(form, { ...fields, email: '' }, { action: '/access/users' });
  expect(textOf(taken)).toMatch(/taken|already/);
});

test('saves what was edited, and says so when somebody else was faster', async () => {
  await addUser('margaret', { displayName: 'M', roles: ['Viewer'] });
  const stale = await ada.get(pageOf('margaret'));
  const fields = { displayName: 'Margaret Hamilton', email: '', 'role:MetricsViewer': 'on' };
  const saved = await ada.follow(await save(ada, stale, fields));
  expect(textOf(saved)).toContain('Saved.');
  expect(textOf(saved)).toContain('Has the role MetricsViewer.');
  const late = await save(ada, stale, { ...fields, displayName: 'Somebody' });
  expect(late.status).toBe(400);
  expect(textOf(late)).toContain('This has changed meanwhile');
  expect(late.body).toContain('value="Somebody"');
  expect(textOf(await ada.get(pageOf('margaret')))).toContain('Margaret Hamilton');
});

test('disables and enables again from the message that says so', async () => {
  await addUser('alan');
  const page = await ada.get(pageOf('alan'));
  const disable = page.body.indexOf('value="disable"');
  expect(disable).toBeGreaterThan(0);
  const done = await ada.follow(await act(ada, page, 'alan', 'disable'));
  expect(textOf(done)).toContain('Disabled');
  expect((await signedIn('alan')).cookies.has('console_session')).toBe(false);
  const undone = await ada.follow(await act(ada, done, 'alan', 'enable'));
  expect(textOf(undone)).toContain('Active');
});

describe('what cannot be undone', () => {
  test('asks first, and is not done where the name is not typed', async () => {
    await addUser('donald');
    const question = await ada.get(`${pageOf('donald')}?do=remove`);
    expect(titleOf(question)).toBe('Remove donald');
    const refused = await act(ada, question, 'donald', 'remove', { typed_name: 'donal' });
    expect(textOf(refused)).toContain('Nothing was done. This is not donald.');
    expect((await ada.get(pageOf('donald'))).status).toBe(200);
    const done = await ada.follow(await act(ada, question, 'donald', 'remove', { typed_name: 'donald' }));
    expect(textOf(done)).toContain('The user is removed.');
    expect((await ada.get(pageOf('donald'))).status).toBe(404);
  });

  test('wants the password again five minutes after the sign-in, and the applications stay signed in (RFC 9470)', async () => {
    await addUser('edsger');
    const before = ada.cookies.get('console_session')!.value;
    await writeFile(clock, '301');
    try {
      const question = await ada.get(`${pageOf('edsger')}?do=remove`);
      expect(question.body).toContain('name="current_password"');
      const wrong = await act(ada, question, 'edsger', 'remove', {
        typed_name: 'edsger',
        current_password: 'not-the-password',
      });
      expect(wrong.status).toBe(400);
      expect(textOf(wrong)).toContain('The current password is not right.');
      expect((await ada.get(pageOf('edsger'))).status).toBe(200);
      const right = { typed_name: 'edsger', current_password: admin.password };
      await ada.follow(await act(ada, question, 'edsger', 'remove', right));
      expect((await ada.get(pageOf('edsger'))).status).toBe(404);
      expect(ada.cookies.get('console_session')!.value).not.toBe(before);
      const events = console.log().filter(({ event }) => event === 'session.reauthenticated');
      expect(events.map(({ outcome }) => outcome)).toEqual(['denied', 'success']);
    } finally {
      await writeFile(clock, '0');
    }
  });

  test('is refused of the last administrator, on a page that says why', async () => {
    const page = await ada.get(pageOf(admin.username));
    const fields = { displayName: '', email: '', 'role:Viewer': 'on' };
    const refused = await save(ada, page, fields);
    expect(refused.status).toBe(400);
    expect(textOf(refused)).toMatch(/administrator/i);
    expect(textOf(await ada.get(pageOf(admin.username)))).toContain('Has the role Admin.');
  });
});

describe('who may', () => {
  test('sends who is not signed in to the sign-in', async () => {
    const reply = await createUserAgent(console.url).get('/access/users');
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  });

  test.each([{ roles: [] as string[] }, { roles: ['Viewer'] }, { roles: ['MetricsViewer'] }])(
    'refuses $roles each page and each act, with the permission that is missing',
    async ({ roles }) => {
      const id = `with-${roles[0] ?? 'none'}`.toLowerCase();
      await addUser(id, { roles });
      const agent = await signedIn(id);
      for (const path of ['/access/users', pageOf(admin.username), '/access/users?do=new']) {
        const reply = await agent.get(path);
        expect(reply.status).toBe(403);
      }
      const own = await agent.get('/');
      const csrf = /name="csrf" value="([^"]*)"/.exec(own.body)![1]!;
      for (const fields of [
        { do: 'disable' },
        { do: 'remove', typed_name: admin.username },
        { do: 'save' },
      ]) {
        const reply = await agent.post(pageOf(admin.username), { csrf, ...fields });
        expect(reply.status).toBe(403);
        expect(textOf(reply)).toContain('api:users:');
      }
      expect((await ada.get(pageOf(admin.username))).body).toContain('Active');
    },
  );

  test('shows a custom role that reads users the list without what changes them', async () => {
    const token = await apiToken(console);
    await fetch(`${console.url}/api/v1/roles`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: 'Helpdesk', permissions: ['api:users:read', 'api:roles:read'] }),
    });
    await addUser('helper', { roles: ['Helpdesk'] });
    const agent = await signedIn('helper');
    const list = await agent.get('/access/users');
    expect(list.status).toBe(200);
    expect(list.body).not.toContain('do=new');
    const page = await agent.get(pageOf(admin.username));
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('value="save"');
    expect(page.body).not.toContain('do=remove');
  });

  test.each([
    { name: 'without a token', fields: { csrf: '' }, headers: {} },
    { name: 'from another site', fields: {}, headers: { origin: 'https://evil.example' } },
  ])('changes nothing by a form $name (S31)', async ({ fields, headers }) => {
    const page = await ada.get(pageOf(admin.username));
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)![1]!;
    const reply = await ada.post(pageOf('grace'), { csrf, do: 'disable', ...fields }, headers);
    expect(reply.status).toBe(403);
    expect(textOf(await ada.get(pageOf('grace')))).toContain('Active');
  });
});

test.each([
  { name: 'markup', displayName: '"><script>alert(1)</script>' },
  { name: 'right to left', displayName: 'مدير العنقود' },
  { name: 'emoji', displayName: '🚀 Sally' },
  { name: '200 characters', displayName: 'x'.repeat(200) },
])('shows a name with $name as text', async ({ displayName }) => {
  const id = `odd-${[...displayName].length}`;
  await addUser(id, { displayName });
  const page = await ada.get(pageOf(id));
  expect(textOf(page)).toContain(displayName);
  expect(page.body).not.toContain('<script>alert');
});

test.each([1001, 70_000])('answers a name of %i characters with a clear page', async (length) => {
  const form = await ada.get('/access/users?do=new');
  const reply = await ada.submit(
    form,
    { id: 'y'.repeat(length), displayName: '', email: '' },
    { action: '/access/users' },
  );
  expect([400, 413]).toContain(reply.status);
  expect(titleOf(reply)).toMatch(/^Problem/);
});

test('leaves entries of the audit that say how it came', async () => {
  await addUser('barbara');
  const page = await ada.get(pageOf('barbara'));
  await act(ada, page, 'barbara', 'disable');
  const entry = await console.waitFor(
    () => console.log().find(({ event, target }) => event === 'user.disabled' && target === 'barbara'),
    'the entry',
  );
  expect(entry).toMatchObject({ via: 'page', actorKind: 'user', outcome: 'success' });
});

/** The form of the page whose `do` is this one. */
function act(agent: UserAgent, page: Reply, id: string, name: string, fields: Record<string, string> = {}) {
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)![1]!;
  expect(page.body).toContain(`value="${name}"`);
  return agent.post(pageOf(id), { csrf, do: name, ...fields });
}

function save(agent: UserAgent, page: Reply, fields: Record<string, string>) {
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)![1]!;
  const version = /name="version" value="([^"]*)"/.exec(page.body)![1]!;
  return agent.post(new URL(page.url).pathname, { csrf, version, do: 'save', ...fields });
}
