/** A form says the change that is typed in it as a command, as a call of the API and as a file: each, pasted, makes that change. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program, run } from '../commands/support.ts';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, sendForm, startWithAdmin } from '../helpers/management.ts';
import { type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

const nasty = `O'Hara "the $HOME" \`x\` <b>`;

let console: RunningConsole;
let ada: UserAgent;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-ways-'));
  ({ console, ada } = await startWithAdmin());
  const grace = {
    id: 'grace',
    displayName: 'Grace',
    password: 'a-long-enough-password-7',
    roles: ['Viewer'],
  };
  await callApi(console, 'POST', '/users', grace);
  await callApi(console, 'POST', '/roles', { id: 'Reader', permissions: ['svc:map:orders:read'] });
  await callApi(console, 'POST', '/clients', { id: 'billing', scopes: ['svc:map:orders:read'] });
  const redirectUris = ['https://wiki.example.com/cb'];
  await callApi(console, 'POST', '/applications', { id: 'wiki', redirectUris });
});
afterAll(async () => {
  await console?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Of a client or an application: what the forms of these cases do not say, a file that did not say it would take away. */
const notInTheForm = { tokenTyp: 'at+jwt', tokenTtlSeconds: 120, dpop: true };

interface Case {
  readonly title: string;
  /** Page of the form. */
  readonly page: string;
  readonly act: 'save' | 'new';
  readonly fields: Readonly<Record<string, string>>;
  /** Of the thing, in the API. */
  readonly api: string;
  /** What it has before it; absent where there is none. */
  readonly before?: object;
  /** What the API has after it. */
  readonly after: object;
}

const cases: readonly Case[] = [
  {
    title: 'adds a user',
    page: '/access/users?do=new',
    act: 'new',
    fields: { id: 'linus', displayName: nasty, email: 'linus@example.com', 'role:Viewer': 'on' },
    api: '/users/linus',
    after: { displayName: nasty, email: 'linus@example.com', roles: ['Viewer'] },
  },
  {
    title: 'changes a user',
    page: '/access/users/grace',
    act: 'save',
    fields: { displayName: nasty, email: '', 'role:MetricsViewer': 'on', 'eligible:Admin': 'on' },
    api: '/users/grace',
    before: { displayName: 'Grace', email: 'grace@example.com', roles: ['Viewer'], eligibleRoles: ['Admin'] },
    after: { displayName: nasty, email: null, roles: ['MetricsViewer'], eligibleRoles: ['Admin'] },
  },
  {
    title: 'adds a role',
    page: '/access/roles?do=new',
    act: 'new',
    fields: { id: 'Writer', description: nasty, maps: 'orders-*', 'map:read': 'on', 'map:write': 'on' },
    api: '/roles/Writer',
    after: { description: nasty, permissions: ['svc:map:orders-*:read', 'svc:map:orders-*:write'] },
  },
  {
    title: 'changes a role',
    page: '/access/roles/Reader',
    act: 'save',
    fields: { description: 'Reads jobs', queues: 'jobs', 'queue:poll': 'on' },
    api: '/roles/Reader',
    before: { description: 'Reads orders', permissions: ['svc:map:orders:read'] },
    after: { description: 'Reads jobs', permissions: ['svc:queue:jobs:poll'] },
  },
  {
    title: 'adds a machine client',
    page: '/access/clients?do=new',
    act: 'new',
    fields: {
      ...{ id: 'reports', displayName: nasty, tokenAlg: 'ES256', maps: 'orders', 'map:read': 'on' },
      ...{ authentication: 'secret', tokenTtlSeconds: '90', dpop: 'on' },
    },
    api: '/clients/reports',
    after: {
      ...{ displayName: nasty, tokenAlg: 'ES256', scopes: ['svc:map:orders:read'] },
      ...{ tokenTtlSeconds: 90, dpop: true },
    },
  },
  {
    title: 'changes a lifetime and a binding',
    page: '/access/clients/billing',
    act: 'save',
    fields: { displayName: '', maps: 'orders', 'map:read': 'on', tokenTtlSeconds: '' },
    api: '/clients/billing',
    before: { ...{ displayName: null, tokenAlg: 'RS256', scopes: ['svc:map:orders:read'] }, ...notInTheForm },
    after: { displayName: null, tokenTtlSeconds: null, dpop: false, tokenTyp: 'at+jwt' },
  },
  {
    title: 'changes a machine client',
    page: '/access/clients/billing',
    act: 'save',
    fields: { displayName: nasty, tokenAlg: 'EdDSA', queues: 'jobs', 'queue:offer': 'on' },
    api: '/clients/billing',
    before: { displayName: 'Billing', tokenAlg: 'RS256', scopes: ['svc:map:orders:read'], ...notInTheForm },
    after: { displayName: nasty, tokenAlg: 'EdDSA', scopes: ['svc:queue:jobs:offer'], ...notInTheForm },
  },
  {
    title: 'adds an application',
    page: '/access/applications?do=new&for=spring',
    act: 'new',
    fields: {
      for: 'spring',
      id: 'shop',
      displayName: nasty,
      url: 'https://shop.example.com',
      'role:Viewer': 'on',
    },
    api: '/applications/shop',
    after: {
      displayName: nasty,
      firstParty: false,
      maxRoles: ['Viewer'],
      redirectUris: ['https://shop.example.com/login/oauth2/code/console'],
      postLogoutUris: ['https://shop.example.com/'],
      backchannelLogoutUri: 'https://shop.example.com/logout/connect/back-channel/console',
    },
  },
  {
    title: 'changes an application',
    page: '/access/applications/wiki',
    act: 'save',
    fields: {
      ...{ displayName: nasty, redirectUris: 'https://wiki.example.com/new', postLogoutUris: '' },
      ...{ backchannelLogoutUri: '', firstParty: 'on', 'role:MetricsViewer': 'on' },
    },
    api: '/applications/wiki',
    before: {
      ...{ displayName: 'Wiki', firstParty: false, maxRoles: ['Viewer'], ...notInTheForm },
      redirectUris: ['https://wiki.example.com/cb'],
      postLogoutUris: ['https://wiki.example.com/'],
      backchannelLogoutUri: 'https://wiki.example.com/out',
    },
    after: {
      ...{ displayName: nasty, firstParty: true, maxRoles: ['MetricsViewer'], ...notInTheForm },
      ...{ redirectUris: ['https://wiki.example.com/new'], postLogoutUris: [], backchannelLogoutUri: null },
    },
  },
];

describe.each(cases)('what $title', ({ page, act, fields, api, before, after }) => {
  test.each(['Command', 'API', 'YAML'])('is said as %s, which makes it when pasted', async (language) => {
    if (before) await callApi(console, 'PATCH', `${api}?takeOver=true`, before);
    const asked = await send(page, act, fields, { show: 'ways' });
    expect(asked.status).toBe(200);
    expect(textOf(asked)).toContain('Nothing is changed yet.');
    if (before) expect(await callApi(console, 'GET', api)).toMatchObject(before);
    else await expect(callApi(console, 'GET', api)).rejects.toThrow('404');
    const secrets = before && secretsIn(await callApi(console, 'GET', api));
    await paste(language, wayOf(asked, language));
    const made = await callApi(console, 'GET', api);
    expect(made).toMatchObject(after);
    if (before) expect(secretsIn(made)).toEqual(secrets);
    if (!before) await callApi(console, 'DELETE', `${api}?takeOver=true`);
  });
});

test('what is typed as it is stored has no other way', async () => {
  await callApi(console, 'PATCH', '/roles/Reader?takeOver=true', {
    description: null,
    permissions: ['svc:map:orders:read'],
  });
  const fields = { description: '', maps: 'orders', 'map:read': 'on' };
  const same = await send('/access/roles/Reader', 'save', fields, { show: 'ways' });
  expect(textOf(same)).toContain('You have changed nothing yet');
});

test('what is shown keeps the version that was read, so that it overwrites nothing when it is sent', async () => {
  const form = await ada.get('/access/roles/Reader');
  const fields = { description: 'Mine', maps: 'orders', 'map:read': 'on' };
  await callApi(console, 'PATCH', '/roles/Reader?takeOver=true', { description: 'Theirs' });
  const shown = await sendForm(ada, form, 'save', { ...fields, show: 'ways' });
  const late = await sendForm(ada, { ...shown, url: form.url }, 'save', fields);
  expect(late.status).toBe(400);
  expect(textOf(late)).toContain('This has changed meanwhile');
  expect(textOf(late)).toContain('Stored now: Theirs');
  expect(late.body).toContain('value="Mine"');
  expect(await callApi(console, 'GET', '/roles/Reader')).toMatchObject({ description: 'Theirs' });
});

async function applyFile(source: string, objects: object): Promise<void> {
  const file = join(folder, `${source}.json`);
  await writeFile(file, JSON.stringify({ version: 1, source, ...objects }));
  await toolDone(['config', 'apply', file], { dataDir: console.dataDir });
}

async function send(
  page: string,
  act: string,
  fields: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Promise<Reply> {
  const form = await ada.get(page);
  return sendForm(ada, form, act, { ...fields, ...more });
}

describe('what files of configuration describe', () => {
  beforeAll(async () => {
    await applyFile('team', { roles: { Filed: { permissions: ['svc:map:orders:read'] } } });
  });

  test('names its files and is not changed by mistake; whoever takes it over changes it', async () => {
    const shown = await ada.get('/access/roles/Filed');
    expect(textOf(shown)).toMatch(/The configuration files “ ?team ?” manage it/);
    expect(shown.body).not.toContain('value="save"');
    const refused = await ada.post('/access/roles/Filed', {
      ...{
        csrf: hiddenIn(shown, 'csrf') ?? hiddenIn(await ada.get('/access/roles/Reader'), 'csrf')!,
        do: 'save',
      },
      ...{
        version: hiddenIn(await ada.get('/access/roles/Filed?takeOver=true'), 'version')!,
        ...{ description: 'X', maps: 'orders', 'map:read': 'on' },
      },
    });
    expect(textOf(refused)).toContain('change it there, or send this again to manage it here from now on');
    const form = await ada.get('/access/roles/Filed?takeOver=true');
    expect(textOf(form)).toMatch(/Once saved, the files “ ?team ?” no longer manage it/);
    const fields = { takeOver: 'true', description: 'Mine', maps: 'orders', 'map:read': 'on' };
    expect((await sendForm(ada, form, 'save', fields)).status).toBe(303);
    const owner = { kind: 'admin', source: null };
    expect(await callApi(console, 'GET', '/roles/Filed')).toMatchObject({ description: 'Mine', owner });
  });

  test('is removed when the question is answered twice, the second time knowingly', async () => {
    await applyFile('team-2', { roles: { Gone: { permissions: ['svc:map:orders:read'] } } });
    const question = await ada.get('/access/roles/Gone?do=remove');
    const path = '/access/roles/Gone';
    const once = await sendForm(ada, { ...question, url: console.url + path }, 'remove', {
      typed_name: 'Gone',
    });
    expect(textOf(once)).toContain('The configuration files no longer manage it after this.');
    expect(await callApi(console, 'GET', '/roles/Gone')).toMatchObject({ id: 'Gone' });
    const answer = { typed_name: 'Gone', takeOver: hiddenIn(once, 'takeOver')! };
    expect((await sendForm(ada, { ...once, url: console.url + path }, 'remove', answer)).status).toBe(303);
    await expect(callApi(console, 'GET', '/roles/Gone')).rejects.toThrow('404');
  });
});

function secretsIn(view: unknown): unknown {
  return (view as { readonly secrets?: unknown }).secrets;
}

function wayOf({ body }: Reply, language: string): string {
  const html = new RegExp(
    `<summary>${language}</summary><div class="copyable"><pre class="snippet"[^>]*><code>([^<]*)</code>`,
  ).exec(body);
  return html![1]!.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => characters[entity]!);
}

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** As a person pastes it into a shell. */
async function paste(language: string, text: string): Promise<void> {
  if (language === 'YAML') await writeFile(join(folder, 'own.yaml'), text);
  const line = language === 'YAML' ? text.split('\n')[0]!.slice(2) : text;
  const script = `npx() { shift; "${process.execPath}" "${program}" "$@"; }\n${line.replace('curl ', 'curl --fail-with-body ')}`;
  const env = { TOKEN: await apiToken(console) };
  const { code, stdout, stderr } = await run('bash', ['-ec', script], {
    dataDir: console.dataDir,
    env,
    cwd: folder,
  });
  expect(code, `${text}\n${stdout}${stderr}`).toBe(0);
}
