/** Every form with what no form can take, or that comes too late: a page that says why and leads back, and nothing is changed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, personWith } from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';
import {
  addOneOfEach,
  storedIn,
  typedIn,
  unlinked,
  type Walked,
  type WalkedForm,
  walk,
} from '../helpers/walk.ts';

let console: RunningConsole;
let ada: UserAgent;
let walked: Walked;

const things = {
  '/access/users/grace': '/users/grace',
  '/access/clients/billing': '/clients/billing',
  '/access/applications/wiki': '/applications/wiki',
  '/access/identity-providers/corp': '/identity-providers/corp',
  '/access/roles/Narrow': '/roles/Narrow',
  '/cluster/maps/orders/a1': '/maps/orders/entries/a1',
};

beforeAll(async () => {
  console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  ada = createUserAgent(console.url);
  await ada.signIn();
  await addOneOfEach(console);
  walked = await walk(ada, [...Object.keys(things), ...unlinked, '/cluster/wan/atlantic/london']);
}, 120_000);
afterAll(() => console?.stop());

/** The library has its own page of the sign-out. */
const ours = ({ action }: WalkedForm) => action !== '/connect/logout/confirm';
const forms = () => walked.forms.filter(ours);
const whatOf = ({ action, filled }: WalkedForm) => `${action} ${filled.do}`;

const boundary = 'walked';
function multipart(fields: Readonly<Record<string, string>>, file: string): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const last = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${file}\r\n`;
  return `${parts.join('')}${last}--${boundary}--\r\n`;
}

/** As it is, whatever is in it. */
function sendRaw({ action, isUpload }: WalkedForm, body: string): Promise<Reply> {
  const type = isUpload ? `multipart/form-data; boundary=${boundary}` : 'application/x-www-form-urlencoded';
  return ada.send('POST', action, { headers: { origin: console.url, 'content-type': type }, body });
}

async function expectTurnedDown(reply: Reply, status: number, code: string, what: string): Promise<void> {
  expect([what, reply.status]).toEqual([what, status]);
  expect(reply.body, what).toContain(`<dd class="code">${code}</dd>`);
  expect(reply.headers['content-type'], what).toContain('text/html');
  const back = /class="actions"><a href="([^"]+)" class="button primary"/.exec(reply.body)?.[1];
  const way = back && (await ada.get(back.replaceAll('&amp;', '&'))).status;
  expect([what, back, way]).toEqual([what, back, 200]);
}

test('there is a form for each kind of thing', () => {
  const actions = new Set(walked.forms.map(({ action }) => action));
  expect(actions).toEqual(new Set([...actions, ...Object.keys(things)]));
  expect(walked.forms.length).toBeGreaterThan(90);
});

describe('what is no text', () => {
  test.each([
    ['a NUL', 'a%00b'],
    ['bytes that are not UTF-8', 'a%FF%FEb'],
  ])(
    'is turned down as %s in each field, by its name, and nothing is changed',
    async (_, value) => {
      const before = await storedIn(console);
      for (const form of forms().filter(({ isUpload }) => !isUpload)) {
        for (const name of form.typed) {
          const others = Object.entries(typedIn(form)).filter(([other]) => other !== name);
          const reply = await sendRaw(
            form,
            `${new URLSearchParams(others)}&${encodeURIComponent(name)}=${value}`,
          );
          const what = `${whatOf(form)} ${name}`;
          expect([what, reply.status]).toEqual([what, 400]);
          expect(textOf(reply), what).toContain('Nothing was changed.');
          if (/^[\w.:-]+$/.test(name))
            expect(textOf(reply), what).toContain(`The field ${name} is not text in UTF-8.`);
        }
      }
      for (const form of forms().filter(({ isUpload }) => isUpload)) {
        const reply = await sendRaw(form, multipart({ ...form.hidden, file_type: 'a\0b' }, 'x'));
        await expectTurnedDown(reply, 400, 'invalid_request', whatOf(form));
        expect(textOf(reply)).toContain('The field file_type is not text in UTF-8.');
      }
      expect(await storedIn(console)).toEqual(before);
    },
    120_000,
  );
});

test('a body of 10 MB is turned down at every address that takes a form, and nothing is changed', async () => {
  const before = await storedIn(console);
  const large = 'x'.repeat(10_000_000);
  const byAddress = new Map(forms().map((form) => [form.action, form]));
  for (const form of byAddress.values()) {
    // A value of a map may be as large as the members take it.
    const body = form.isUpload
      ? multipart(form.hidden, large.repeat(form.action.endsWith('/value') ? 2 : 1))
      : `${new URLSearchParams(form.filled)}&large=${large}`;
    const reply = await sendRaw(form, body);
    await expectTurnedDown(reply, 413, 'content_too_large', form.action);
    expect(textOf(reply), form.action).toContain('Nothing was changed.');
  }
  expect(await storedIn(console)).toEqual(before);
}, 180_000);

describe('what somebody else has changed meanwhile', () => {
  /** Of a thing of the page: what changes it, and is not what the form has. */
  async function changeThing(action: string): Promise<void> {
    const path = action === '/settings/branding' ? '/installation/branding' : pathOf(action);
    if (path.includes('/entries/')) {
      await callApi(console, 'PUT', path, { value: btoa('theirs'), type: 'text/plain' });
      return;
    }
    const field = /^\/(?:installation|identity-providers)\//.test(path) ? 'name' : 'displayName';
    await callApi(console, 'PATCH', path, { [path.startsWith('/roles/') ? 'description' : field]: 'Theirs' });
  }

  test('is overwritten by no form that edits, each of which says so', async () => {
    // Those of the settings do not change while the console runs.
    const edits = forms().filter(
      ({ hidden, action }) => 'version' in hidden && !/\/(?:application-|console-cli|ada)/.test(action),
    );
    const edited = new Set(edits.map(({ action }) => action));
    expect(edited).toEqual(new Set([...edited, ...Object.keys(things), '/settings/branding']));
    for (const form of edits) {
      await changeThing(form.action);
      const before = await storedIn(console);
      const fields = { ...form.filled, displayName: 'Mine', description: 'Mine', name: 'Mine' };
      const known = Object.entries(fields).filter(
        ([name]) => name in form.filled || form.typed.includes(name),
      );
      const sent = Object.fromEntries(known);
      const reply = form.isUpload
        ? await sendRaw(form, multipart(sent, 'mine'))
        : await ada.post(form.action, sent);
      const what = whatOf(form);
      expect([what, reply.status]).toEqual([what, 400]);
      expect(textOf(reply), what).toMatch(/changed (?:meanwhile|.* ago)|has changed/);
      expect(await storedIn(console), what).toEqual(before);
    }
  }, 120_000);
});

describe('what somebody else has removed meanwhile', () => {
  test('is said on each of its pages, and to each of its forms, with the way back to the others', async () => {
    const bob = await personWith(console, 'bob', ['Admin']);
    for (const path of Object.values(things)) await callApi(console, 'DELETE', path);
    await callApi(console, 'POST', '/users/ada/end-sessions');
    ada = bob;
    const csrf = hiddenIn(await bob.get('/account'), 'csrf')!;
    const before = await storedIn(console).catch(() => undefined);
    const isGone = (href: string) =>
      href.startsWith('/access/sessions/') ||
      Object.keys(things).some((thing) => href.split('?')[0]!.concat('/').startsWith(`${thing}/`));
    const pages = walked.pages.filter(isGone);
    expect(pages.length).toBeGreaterThan(20);
    for (const href of pages) {
      const reply = await bob.get(href);
      if (isEntry(href) && reply.status === 200) expect(textOf(reply), href).toContain('no entry');
      else await expectGone(reply, href);
    }
    const late = forms().filter(({ action }) => isGone(action));
    expect(late.length).toBeGreaterThan(25);
    for (const form of late) {
      // That an entry is not there any more is what removing it is for; its page says so.
      if (isEntry(form.action) && form.filled.do === 'remove') continue;
      const fields = { ...typedIn(form), csrf };
      const reply = form.isUpload
        ? await sendRaw(form, multipart({ ...form.hidden, csrf }, 'mine'))
        : await bob.post(form.action, fields);
      if (isEntry(form.action) && reply.status === 400) expect(textOf(reply)).toMatch(/has changed|no entry/);
      else await expectGone(reply, whatOf(form));
    }
    if (before !== undefined) expect(await storedIn(console)).toEqual(before);
  }, 120_000);

  const isEntry = (href: string) => href.startsWith('/cluster/maps/orders/a1');

  async function expectGone(reply: Reply, what: string): Promise<void> {
    await expectTurnedDown(reply, 404, 'not_found', what);
    expect(textOf(reply), what).toMatch(/There is no .* (?:of this|any more)|has no entry of this key/);
  }
});

function pathOf(action: string): string {
  // An application has a page as a client, too.
  if (action === '/access/clients/wiki') return '/clients/wiki';
  const found = Object.entries(things).find(([thing]) => `${action}/`.startsWith(`${thing}/`));
  if (!found) throw new Error(`a form that edits has no test of a stale one: ${action}`);
  return found[1];
}
