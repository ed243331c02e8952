/** `/settings/start`: the first ten minutes in a browser without script, from the set-up link on. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, foreignForms, hiddenIn, personWith } from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const startHref = '/settings/start';
const password = 'correct-staple-battery-9';
const none = { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined };
let dataDir: string;
let console: RunningConsole;
let ada: UserAgent;
let first: Reply;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'console-test-'));
  console = await startConsole({ dataDir, env: none });
  ada = createUserAgent(console.url);
  const [link] = /http:\/\/\S+\/setup\?token=\S+/.exec(console.stdout())!;
  const person = { username: 'ada', email: '', password, password_again: password };
  first = await ada.follow(await ada.submit(await ada.get(link), person));
}, 30_000);
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** What the page says of a step. */
const stepIn = (page: Reply, id: string) =>
  textOf({ ...page, body: new RegExp(`<li id="${id}">.*?</li>`, 's').exec(page.body)![0] });
const step = async (id: string) => stepIn(await ada.get(startHref), id);

async function press(name: string, fields: Record<string, string>, agent = ada): Promise<Reply> {
  const csrf = hiddenIn(await agent.get('/account'), 'csrf')!;
  return agent.post(startHref, { csrf, do: name, ...fields });
}

test('the set-up link leads there, with the administrator made', () => {
  expect([first.status, titleOf(first), new URL(first.url).pathname]).toEqual([
    200,
    'Get started',
    startHref,
  ]);
  expect(stepIn(first, 'administrator')).toMatch(/Done .*There is one\./);
  expect(stepIn(first, 'cluster')).toMatch(/See the cluster (?:Open|Done)/);
  expect(stepIn(first, 'client')).toMatch(/Open .*There is none yet\. .*Add machine client/);
});

test('pages that are come to by it lead back, until the steps are left', async () => {
  const agent = await personWith(console, 'guided', ['Admin']);
  const isThere = async (href: string) => (await agent.get(href)).body.includes('class="guide"');
  expect(await isThere('/access/clients?do=new')).toBe(false);
  expect(await isThere(startHref)).toBe(false);
  expect(await isThere('/access/clients?do=new')).toBe(false);
  const led = await agent.get(`${startHref}?do=go&step=client`);
  expect([led.status, led.headers.location]).toEqual([303, expect.stringMatching(/^\/access\/clients/)]);
  for (const step of ['other', '__proto__', ''])
    expect((await agent.get(`${startHref}?do=go&step=${step}`)).status).toBe(200);
  expect(await Promise.all(['/access/clients?do=new', '/', '/account'].map(isThere))).toEqual([
    true,
    true,
    true,
  ]);
  expect((await press('leave', {}, agent)).headers.location).toBe('/');
  expect(await isThere('/access/clients?do=new')).toBe(false);
});

test('the overview leads there as long as something is open', async () => {
  expect(textOf(await ada.get('/'))).toMatch(/Get started : \d of 7 steps are done/);
});

test('a machine client that is made leads to its call, and one that has got a token is done', async () => {
  const made = (await callApi(console, 'POST', '/clients', {
    id: 'billing',
    scopes: ['svc:map:orders:read'],
  })) as {
    secret: string;
  };
  expect(await step('client')).toMatch(/Open .*billing has got no token yet\. .*Run its call/);
  const response = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`billing:${made.secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  expect(response.status).toBe(200);
  // Uses are written once a minute, and when a console stops.
  await console.stop();
  console = await startConsole({ port: console.port, dataDir, env: none });
  expect(await step('client')).toMatch(/Done .*billing has got a token\./);
});

test('a backup is taken on the page, shown as a job, and done then', async () => {
  const page = await ada.get(startHref);
  expect(stepIn(page, 'backup')).toMatch(/Open .*Take backup/);
  const idempotencyKey = hiddenIn(page, 'idempotencyKey')!;
  const job = await press('backup', { idempotencyKey });
  expect(job.headers.location).toMatch(/^\/observe\/jobs\/job_[0-9a-f]{32}$/);
  expect((await press('backup', { idempotencyKey })).headers.location).toBe(job.headers.location);
  await expect.poll(() => step('backup')).toMatch(/Done .*There is one\./);
});

test('what is put off stays so in this browser until it is taken up again', async () => {
  for (const id of ['name', 'cluster', 'client', 'dashboard', 'provider', 'backup'])
    await press('later', { step: id });
  expect(await step('dashboard')).toMatch(/Put off .*Take up again/);
  expect(await step('backup')).toMatch(/Done/);
  expect(textOf(await ada.get('/'))).not.toContain('Get started :');
  await press('resume', { step: 'dashboard' });
  expect(await step('dashboard')).toMatch(/Open .*Add application .*Put off/);
  expect(textOf(await ada.get('/'))).toContain('Get started :');
});

test('a step that there is not, and a cookie that is none of ours, change nothing', async () => {
  const before = ada.cookies.get('console_start')?.value;
  await press('later', { step: '<b>x</b>' });
  expect(ada.cookies.get('console_start')?.value).toBe(before);
  ada.cookies.set('console_start', { value: 'x.__proto__.administrator', path: '/' });
  expect(await step('administrator')).toMatch(/Done/);
});

describe('who may', () => {
  test('neither a Viewer nor anybody without a session', async () => {
    const viewer = await personWith(console, 'viewer', ['Viewer']);
    expect((await viewer.get('/')).body).not.toContain(startHref);
    const key = 'a-key-of-enough-letters';
    expect((await press('backup', { idempotencyKey: key }, viewer)).status).toBe(403);
    const reply = await createUserAgent(console.url).get(startHref);
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  });

  test.each(foreignForms)('nobody by a form $name (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get(startHref), 'csrf')!;
    const before = ada.cookies.get('console_start')?.value;
    const reply = await ada.post(startHref, { csrf, do: 'later', step: 'provider', ...fields }, headers);
    expect([reply.status, ada.cookies.get('console_start')?.value]).toEqual([403, before]);
  });
});

test('more of them than are looked through are enough, used or not', async () => {
  const redirectUris = ['https://board.example.com/callback'];
  for (let n = 1; n <= 11; n++)
    await callApi(console, 'POST', '/applications', { id: `a${n}`, redirectUris });
  expect(await step('dashboard')).toMatch(/Done .*There are more than 10\./);
  const german = await ada.get(startHref, { 'accept-language': 'de' });
  expect(stepIn(german, 'dashboard')).toContain('Es gibt mehr als 10.');
});

test('a step leads nowhere where its page is closed to the reader', async () => {
  await callApi(console, 'POST', '/identity-providers', {
    id: 'corp',
    kind: 'ldap',
    enabled: false,
    url: 'ldaps://127.0.0.1:1',
    bindDn: 'cn=reader',
    bindPassword: 'secret-0123456789',
    baseDn: 'dc=example',
    defaultRole: 'Viewer',
  });
  const viewer = await personWith(console, 'stepless', ['Viewer']);
  const page = await viewer.get(startHref);
  expect(stepIn(page, 'provider')).toContain('corp is connected.');
  expect(stepIn(page, 'provider')).not.toContain('Add identity provider');
  expect(stepIn(page, 'cluster')).toMatch(/ Members /);
  expect(await step('provider')).toContain('Add identity provider');
  const led = await viewer.get(`${startHref}?do=go&step=provider`);
  expect([led.status, titleOf(led)]).toEqual([200, 'Get started']);
});
