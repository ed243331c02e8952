/** `/access/applications`: an application is added by its framework, signs people in, is edited, told of logouts, and removed. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

const pageOf = (id: string) => `/access/applications/${id}`;
const readApplication = (id: string) => callApi(console, 'GET', `/applications/${id}`);

async function add(framework: string, fields: Readonly<Record<string, string>>): Promise<Reply> {
  const form = await ada.get(`/access/applications?do=new&for=${framework}`);
  const given = { for: framework, displayName: '', ...fields };
  return sendForm(ada, { ...form, url: `${console.url}/access/applications` }, 'new', given);
}

function secretIn({ body }: Reply): string | undefined {
  return /<code class="secret">([^<]+)</.exec(body)?.[1];
}

describe('added by its framework, it is registered with the addresses of that one', () => {
  test.each([
    {
      framework: 'spring',
      isPublic: false,
      redirectUris: ['https://a.example.com/login/oauth2/code/console'],
      backchannelLogoutUri: 'https://a.example.com/logout/connect/back-channel/console',
      settings: 'client-id: a-spring',
    },
    {
      framework: 'browser',
      isPublic: true,
      redirectUris: ['https://a.example.com/callback'],
      backchannelLogoutUri: null,
      settings: 'client_id: "a-browser"',
    },
    {
      framework: 'apache',
      isPublic: false,
      redirectUris: ['https://a.example.com/private/callback'],
      backchannelLogoutUri: 'https://a.example.com/private/callback?logout=backchannel',
      settings: 'OIDCClientID a-apache',
    },
  ])('$framework', async ({ framework, isPublic, redirectUris, backchannelLogoutUri, settings }) => {
    const id = `a-${framework}`;
    const added = await add(framework, { id, url: 'https://a.example.com/', 'role:Viewer': 'on' });
    expect(added.status).toBe(200);
    const shown = {
      ...{ isPublic, redirectUris, backchannelLogoutUri, firstParty: false, maxRoles: ['Viewer'] },
      clientUri: 'https://a.example.com/',
    };
    expect(await readApplication(id)).toMatchObject(shown);
    expect(secretIn(added) === undefined).toBe(isPublic);
    expect(added.body.replaceAll('&quot;', '"')).toContain(settings);
    expect(textOf(await ada.get('/access/applications'))).toContain(
      'https://a.example.com Viewer 0 None yet',
    );
    expect(secretIn(await ada.get(pageOf(id)))).toBeUndefined();
  });

  test('other, with its addresses typed', async () => {
    const redirectUris = 'https://b.example.com/one\r\nhttps://b.example.com/two';
    const fields = { id: 'b', redirectUris, postLogoutUris: '', backchannelLogoutUri: '', firstParty: 'on' };
    expect((await add('other', fields)).status).toBe(200);
    const both = ['https://b.example.com/one', 'https://b.example.com/two'];
    expect(await readApplication('b')).toMatchObject({ redirectUris: both, firstParty: true, maxRoles: [] });
  });
});

test('what is pasted signs a person in, with the roles that the application gets and no other', async () => {
  const added = await add('spring', {
    id: 'works',
    url: 'http://localhost:9',
    'role:Viewer': 'on',
    firstParty: 'on',
  });
  const redirectUri = 'http://localhost:9/login/oauth2/code/console';
  const asked = new URLSearchParams({
    ...{ response_type: 'code', client_id: 'works', redirect_uri: redirectUri },
    ...{ scope: 'openid profile', nonce: 'n', state: 's' },
  });
  const person = await personWith(console, 'both', ['Admin']);
  const back = await person.follow(await person.get(`/oauth2/authorize?${asked}`));
  const code = new URL(back.headers.location!).searchParams.get('code')!;
  const reply = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`works:${secretIn(added)}`)}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }),
  });
  const { id_token: token } = (await reply.json()) as { id_token: string };
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  expect(claims).toMatchObject({ aud: 'works', preferred_username: 'both', roles: ['Viewer'] });
});

test('says what became of telling it that a session has ended', async () => {
  const told: string[] = [];
  const server = createServer((req, res) => {
    told.push(req.url!);
    res.writeHead(told.length === 1 ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await add('other', {
    ...{ id: 'told', redirectUris: `${origin}/cb`, backchannelLogoutUri: `${origin}/out`, firstParty: 'on' },
    ...{ postLogoutUris: '', 'role:Viewer': 'on' },
  });
  const [person, later] = [
    await personWith(console, 'leaver', ['Viewer']),
    await personWith(console, 'late-leaver', ['Viewer']),
  ];
  const asked = new URLSearchParams({
    ...{ response_type: 'code', client_id: 'told', redirect_uri: `${origin}/cb`, scope: 'openid' },
    ...{ nonce: 'n', state: 's' },
  });
  for (const one of [person, later]) await one.follow(await one.get(`/oauth2/authorize?${asked}`));
  await callApi(console, 'POST', '/users/leaver/end-sessions');
  await expect
    .poll(async () => textOf(await ada.get(pageOf('told'))), { timeout: 20_000 })
    .toMatch(/leaver (?:Notified, not confirmed|Confirmed)/);
  expect(textOf(await ada.get(pageOf('a-browser')))).toContain('nobody tells it that a session has ended');
  await new Promise((resolve) => server.close(resolve));
  await callApi(console, 'POST', '/users/late-leaver/end-sessions');
  const words = 'nobody listens there (connection_refused)';
  for (const path of [pageOf('told'), '/access/users/late-leaver']) {
    await expect.poll(async () => textOf(await ada.get(path)), { timeout: 20_000 }).toContain(words);
    const german = await ada.get(path, { 'Accept-Language': 'de' });
    expect(textOf(german)).toContain('dort antwortet niemand (connection_refused)');
  }
});

describe('a change', () => {
  test('of all fields is saved, and one of a stale form is not', async () => {
    await add('other', { id: 'edited', redirectUris: 'https://c.example.com/cb', firstParty: 'on' });
    const page = await ada.get(pageOf('edited'));
    const fields = {
      displayName: 'Wiki <b>',
      redirectUris: 'https://c.example.com/cb\nhttps://c.example.com/other',
      postLogoutUris: 'https://c.example.com/',
      backchannelLogoutUri: 'https://c.example.com/out',
      clientUri: 'https://c.example.com/home',
      logoUri: 'https://c.example.com/logo.png',
      'role:Admin': 'on',
    };
    expect((await sendForm(ada, page, 'save', fields)).status).toBe(303);
    const { clientUri, logoUri } = fields;
    const shown = { displayName: 'Wiki <b>', firstParty: false, maxRoles: ['Admin'], clientUri, logoUri };
    expect(await readApplication('edited')).toMatchObject(shown);
    const late = await sendForm(ada, page, 'save', { ...fields, displayName: 'Mine' });
    expect([late.status, textOf(late).includes('Stored now: Wiki <b>')]).toEqual([400, true]);
    expect(await readApplication('edited')).toMatchObject(shown);
  });

  test.each([
    ['no address', { redirectUris: '' }, 'redirectUris'],
    ['http elsewhere', { redirectUris: 'http://c.example.com/cb' }, 'redirectUris'],
    ['a script', { redirectUris: 'javascript:alert(1)' }, 'redirectUris'],
    ['a fragment', { redirectUris: 'https://c.example.com/cb#x' }, 'redirectUris'],
    ['a home page that is a script', { clientUri: 'javascript:alert(1)' }, 'clientUri'],
    ['a logo in clear text', { logoUri: 'http://c.example.com/logo.png' }, 'logoUri'],
    ['a name of 1,000 characters', { displayName: 'x'.repeat(1000) }, 'displayName'],
  ])('to %s is said beside its field, and nothing is changed', async (_what, wrong, field) => {
    const before = await readApplication('edited');
    const fields = { displayName: 'Wiki', redirectUris: 'https://c.example.com/cb', ...wrong };
    const refused = await sendForm(ada, await ada.get(pageOf('edited')), 'save', fields);
    expect(refused.status).toBe(400);
    expect(refused.body).toContain(`href="#${field}"`);
    expect(await readApplication('edited')).toEqual(before);
  });

  test('of its secret: another one, and the end of the first', async () => {
    await add('spring', { id: 'rotated', url: 'https://d.example.com', firstParty: 'on' });
    const question = await ada.get(`${pageOf('rotated')}?do=rotate`);
    const path = { url: console.url + pageOf('rotated') };
    const rotated = await sendForm(ada, { ...question, ...path }, 'rotate', { ends: 'none' });
    expect(secretIn(rotated)).toBeDefined();
    const { secrets } = (await readApplication('rotated')) as { secrets: { id: string }[] };
    expect(secrets).toHaveLength(2);
    const end = await ada.get(`${pageOf('rotated')}?do=end-secret&secret=${secrets[0]!.id}`);
    await sendForm(ada, { ...end, ...path }, 'end-secret', { secret: secrets[0]!.id, tokens: 'true' });
    expect(await readApplication('rotated')).toMatchObject({ secrets: [{ id: secrets[1]!.id }] });
  });

  test('is undone, and removal wants the name', async () => {
    const disabled = await ada.follow(await sendForm(ada, await ada.get(pageOf('rotated')), 'disable'));
    expect(textOf(disabled)).toContain('Disabled: every token that it had is refused.');
    await sendForm(ada, { ...disabled, url: console.url + pageOf('rotated') }, 'enable');
    expect(await readApplication('rotated')).toMatchObject({ status: 'active' });
    const question = {
      ...(await ada.get(`${pageOf('rotated')}?do=remove`)),
      url: console.url + pageOf('rotated'),
    };
    expect((await sendForm(ada, question, 'remove', { typed_name: 'x' })).status).toBe(400);
    expect((await sendForm(ada, question, 'remove', { typed_name: 'rotated' })).status).toBe(303);
    expect((await ada.get(pageOf('rotated'))).status).toBe(404);
  });
});

describe('who may', () => {
  const pages = ['/access/applications', pageOf('b'), '/access/applications?do=new'];

  test.each(pages)('signed out, %s leads to the sign-in', async (page) => {
    expect((await createUserAgent(console.url).get(page)).status).toBe(303);
  });

  test.each([['Viewer'], ['MetricsViewer']])('%s alone finds none of the pages', async (role) => {
    const person = await personWith(console, `only-${role}`, [role]);
    for (const page of pages) expect((await person.get(page)).status).toBe(403);
  });

  test.each(foreignForms)('a form $name changes nothing (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get(pageOf('b')), 'csrf')!;
    expect((await ada.post(pageOf('b'), { csrf, do: 'disable', ...fields }, headers)).status).toBe(403);
    expect(await readApplication('b')).toMatchObject({ status: 'active' });
  });
});
