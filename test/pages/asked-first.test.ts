/** What pages say before something is done: whom it hits and how many, what is fine, and what nobody can do. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

const german = { 'accept-language': 'de' };
const hasForm = (body: string, act: string) => body.includes(`name="do" value="${act}"`);

describe('the page of a user', () => {
  test.each(['end-everything', 'end-sessions', 'reset-password', 'remove'])(
    'says before %s how many sessions are open',
    async (act) => {
      const id = `gus-${act}`;
      await callApi(console, 'POST', '/users', {
        id,
        password: 'a-long-enough-password-7',
        roles: ['Viewer'],
      });
      const page = `/access/users/${id}?do=${act}`;
      expect(textOf(await ada.get(page))).toContain('No session is open now.');
      await callApi(console, 'DELETE', `/users/${id}`);
      await personWith(console, id, ['Viewer']);
      const asked = await ada.get(page);
      expect(textOf(asked)).toContain('One session is open now.');
      expect(hasForm(asked.body, act)).toBe(true);
      expect(textOf(await ada.get(page, german))).toContain('Zurzeit ist eine Sitzung offen.');
    },
  );

  const own = `/access/users/${admin.username}`;

  test.each(['end-everything', 'remove'])('has no button for %s of the last administrator', async (act) => {
    const page = `${own}?do=${act}`;
    const last = await ada.get(page);
    expect(textOf(last)).toContain('This is the last administrator');
    expect(hasForm(last.body, act)).toBe(false);
    expect(last.body).not.toContain('typed_name');
    const id = `eva-${act}`;
    const eva = await personWith(console, id, ['Admin']);
    const ownAccount = await ada.get(page);
    expect(textOf(ownAccount)).toContain('This is your own account: another administrator has to do this.');
    expect(hasForm(ownAccount.body, act)).toBe(false);
    // Somebody else may, as long as somebody is left.
    expect(hasForm((await eva.get(page)).body, act)).toBe(true);
    await callApi(console, 'POST', `/users/${id}/disable`);
    expect(textOf(await ada.get(page))).toContain('This is the last administrator');
    expect(textOf(await ada.get(page, german))).toContain('Das ist der letzte Administrator');
  });

  test('says that the sessions that end are those of the reader', async () => {
    const asked = await ada.get(`${own}?do=end-sessions`);
    expect(textOf(asked)).toContain('Careful: this is your own account. You are signed out too.');
    expect(hasForm(asked.body, 'end-sessions')).toBe(true);
    await callApi(console, 'POST', '/users', {
      ...{ id: 'other', password: 'a-long-enough-password-7', roles: ['Viewer'] },
    });
    expect(textOf(await ada.get('/access/users/other?do=end-sessions'))).not.toContain('your own account');
  });
});

describe('the page of a machine client', () => {
  test('says before its secret is rotated, ended or it is removed what uses it', async () => {
    const made = (await callApi(console, 'POST', '/clients', {
      ...{ id: 'billing', scopes: ['svc:map:orders:read'] },
    })) as { readonly secret: string; readonly secrets: readonly { readonly id: string }[] };
    const { id } = made.secrets[0]!;
    const href = '/access/clients/billing';
    const unused = textOf(await ada.get(`${href}?do=rotate`));
    expect(unused).toContain(`The secret ${id} has not been used yet.`);
    expect(unused).toContain('It got 0 tokens in the last hour.');
    const token = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`billing:${made.secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'svc:map:orders:read' }),
    });
    expect(token.status, await token.clone().text()).toBe(200);
    await console.waitFor(async () => {
      const { lastUsedAt } = (await callApi(console, 'GET', '/clients/billing')) as { lastUsedAt: unknown };
      return lastUsedAt !== null;
    }, 'its use');
    const year = String(new Date().getUTCFullYear());
    for (const act of ['rotate', `end-secret&secret=${id}`]) {
      const used = textOf(await ada.get(`${href}?do=${act}`));
      expect(used).toMatch(new RegExp(`The secret ${id} was last used on \\d+ \\w+ ${year}, `));
      expect(used).toContain('It got one token in the last hour.');
    }
    expect(textOf(await ada.get(`${href}?do=remove`))).toContain('It got one token in the last hour.');
    expect(textOf(await ada.get(`${href}?do=rotate`, german))).toContain(
      `Das Secret ${id} wurde zuletzt am `,
    );
  });
});

test('a member says before it is shut down whether a majority is left, and whether calls wait', async () => {
  const { items } = (await callApi(console, 'GET', '/members')) as { items: { id: string }[] };
  const page = `/cluster/members/${encodeURIComponent(items[0]!.id)}?do=shut-down`;
  const said = textOf(await ada.get(page));
  expect(said).toContain('Fine: backups are in sync.');
  expect(said).toContain('Careful: no majority is left, 0 of 1 member.');
  expect(said).toContain('Fine: no call waits there now.');
  expect(textOf(await ada.get(page, german))).toContain(
    'Vorsicht: Es bleibt keine Mehrheit, 0 von 1 Member.',
  );
});

describe('a role that loses something', () => {
  const href = '/access/roles/Reader';
  const both = ['svc:health:read', 'svc:map:orders:read'];
  const fields = { description: '', maps: 'orders', 'map:read': 'on' };
  const permissions = async () =>
    ((await callApi(console, 'GET', '/roles/Reader')) as { permissions: unknown }).permissions;

  beforeAll(async () => {
    await callApi(console, 'POST', '/roles', { id: 'Reader', permissions: both });
  });

  test('is saved at once while nobody has it', async () => {
    expect((await sendForm(ada, await ada.get(href), 'save', fields)).status).toBe(303);
    expect(await permissions()).toEqual(['svc:map:orders:read']);
    await callApi(console, 'PATCH', '/roles/Reader', { permissions: both });
  });

  test('is asked about with how many have it, and again when others have come', async () => {
    const person = (id: string) =>
      callApi(console, 'POST', '/users', { id, password: 'a-long-enough-password-7', roles: ['Reader'] });
    await person('lea');
    const asked = await sendForm(ada, await ada.get(href), 'save', fields);
    expect([asked.status, await permissions()]).toEqual([200, both]);
    expect(textOf(asked)).toContain('One user has it, and loses svc:health:read.');
    expect(asked.body).toContain('role update Reader --remove-scope svc:health:read');
    await person('leo');
    const again = await sendForm(ada, asked, 'save', { ...fields, users: '1' });
    expect([again.status, await permissions()]).toEqual([200, both]);
    expect(textOf(again)).toContain('2 users have it, and lose svc:health:read.');
    const done = await sendForm(ada, again, 'save', hiddenFields(again.body));
    expect(done.status).toBe(303);
    expect(await permissions()).toEqual(['svc:map:orders:read']);
    expect(textOf(await ada.follow(done))).toContain('Saved: it counts from the next call on.');
  });

  test('is not asked about when it only gains, or is described otherwise', async () => {
    const gains = { ...fields, description: 'Reads', 'group:health:read': 'on' };
    const page = await ada.get(href);
    expect((await sendForm(ada, page, 'save', gains)).status).toBe(303);
  });

  test('says how many have it when that is what putting a change back does', async () => {
    await callApi(console, 'PATCH', '/roles/Reader', { permissions: both });
    const page = await ada.get(href);
    const [, back] = /href="([^"]*do=put-back[^"]*)"/.exec(page.body)!;
    expect(textOf(await ada.get(back!.replaceAll('&amp;', '&')))).toContain('2 users have it.');
  });
});

/** As a browser sends them, of the form of the work. */
function hiddenFields(body: string): Record<string, string> {
  const form = body.slice(body.indexOf('class="narrow-work"'));
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]+)" value(?:="([^"]*)")?/g)].map(([, name, value]) => [
      name!,
      value ?? '',
    ]),
  );
}
