/** `/access/clients`: a machine client is made, tried, narrowed, its secret rotated, and removed, in a browser without script. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

const pageOf = (id: string) => `/access/clients/${id}`;

async function addClient(id: string, fields: Record<string, string> = {}): Promise<Reply> {
  const form = await ada.get('/access/clients?do=new');
  const idempotencyKey = hiddenIn(form, 'idempotencyKey')!;
  return sendForm(ada, form, 'new', { id, displayName: '', tokenAlg: 'RS256', idempotencyKey, ...fields });
}

function secretIn({ body }: Reply): string {
  return /<code class="secret">([^<]+)</.exec(body)![1]!;
}

async function tokenOf(id: string, secret: string, scope: string) {
  const response = await fetch(`${console.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  const { access_token: token = '' } = (await response.json()) as { access_token?: string };
  return { status: response.status, token };
}

async function readEntry(map: string, token: string): Promise<number> {
  const reply = await fetch(`${console.url}/svc/rest/maps/${map}/key`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return reply.status;
}

test('adds a client for one map, whose secret works and is shown once', async () => {
  const added = await addClient('billing', { displayName: 'Billing', maps: 'orders', 'map:read': 'on' });
  expect(added.status).toBe(200);
  expect(textOf(added)).toContain('May read map “orders”. Nothing else.');
  const { status, token } = await tokenOf('billing', secretIn(added), 'svc:map:orders:read');
  expect(status).toBe(200);
  expect(await readEntry('orders', token)).toBe(204);
  expect(await readEntry('payroll', token)).toBe(403);
  expect((await ada.get(pageOf('billing'))).body).not.toContain('class="secret"');
});

test('adds one client where the form is sent twice, with the same answer', async () => {
  const form = await ada.get('/access/clients?do=new');
  const fields = {
    id: 'twice',
    displayName: '',
    tokenAlg: 'RS256',
    queues: 'jobs',
    'queue:offer': 'on',
    idempotencyKey: hiddenIn(form, 'idempotencyKey')!,
  };
  const [one, other] = [await sendForm(ada, form, 'new', fields), await sendForm(ada, form, 'new', fields)];
  expect(secretIn(other)).toBe(secretIn(one));
});

test('names each field that is wrong and keeps what was typed', async () => {
  const refused = await addClient('not an id', {
    scopes: 'svc:nothing:read',
    maps: 'orders',
    'map:read': 'on',
  });
  expect(refused.status).toBe(400);
  expect(titleOf(refused)).toMatch(/^Problem/);
  expect(refused.body).toContain('id="id-error"');
  expect(refused.body).toContain('value="not an id"');
  expect(refused.body).toMatch(/name="map:read" type="checkbox" checked/);
});

test('shows the same access in the form as it was given, whatever it is made of', async () => {
  const scopes = [
    'svc:map:a:read',
    'svc:map:b-*:read',
    'svc:queue:q:offer',
    'svc:queue:q:size',
    'svc:cluster:read',
    'api:users:read',
  ];
  await callApi(console, 'POST', '/clients', { id: 'mixed', scopes });
  const page = await ada.get(pageOf('mixed'));
  const fields = Object.fromEntries([
    ...[...page.body.matchAll(/<input id="[^"]*" name="([^"]*)" type="checkbox" checked/g)].map(
      ([, name]) => [name, 'on'],
    ),
    ...[...page.body.matchAll(/<input id="([^"]*)" name="\1" type="text"[^>]* value="([^"]*)"/g)].map(
      ([, name, value]) => [name, value],
    ),
    ['scopes', /<textarea[^>]*>\n?([^<]*)</.exec(page.body)![1]!],
    ['tokenAlg', 'RS256'],
  ]);
  const saved = await ada.follow(await sendForm(ada, page, 'save', fields));
  expect(textOf(saved)).toContain('Nothing was different.');
});

test('tries what a token would open, and issues none', async () => {
  await addClient('tried', { maps: 'orders', 'map:read': 'on' });
  const tried = await sendForm(ada, await ada.get(pageOf('tried')), 'try');
  expect(textOf(tried)).toContain('svc:map:orders:read');
  expect(textOf(tried)).toContain('/svc/rest/maps/{mapName}');
  expect(console.log().some(({ event, clientId }) => event === 'token.issued' && clientId === 'tried')).toBe(
    false,
  );
});

test('rotates a secret: both work until the old one is ended', async () => {
  const first = secretIn(await addClient('rotated', { 'access:cluster:read': 'on' }));
  const question = await ada.get(`${pageOf('rotated')}?do=rotate`);
  const rotated = await sendForm(ada, question, 'rotate', { ends: 'none' });
  const second = secretIn(rotated);
  const scope = 'svc:cluster:read';
  expect([
    (await tokenOf('rotated', first, scope)).status,
    (await tokenOf('rotated', second, scope)).status,
  ]).toEqual([200, 200]);
  const all = await sendForm(ada, await ada.get(`${pageOf('rotated')}?do=rotate`), 'rotate', { ends: 'all' });
  expect((await tokenOf('rotated', second, scope)).status).toBe(401);
  expect((await tokenOf('rotated', secretIn(all), scope)).status).toBe(200);
});

test('rotates a secret that ends with the use of the new one, where nothing else is chosen', async () => {
  const first = secretIn(await addClient('superseded', { 'access:cluster:read': 'on' }));
  const question = await ada.get(`${pageOf('superseded')}?do=rotate`);
  expect(question.body).toMatch(
    /value="used" checked[^>]*\/><label[^>]*>Ends 5 min after the new one is used/,
  );
  const rotated = await sendForm(ada, question, 'rotate', { ends: 'used' });
  expect(textOf(rotated)).toMatch(/5 min after the first use of/);
  const scope = 'svc:cluster:read';
  for (const secret of [secretIn(rotated), first])
    expect((await tokenOf('superseded', secret, scope)).status).toBe(200);
  await expect
    .poll(async () => textOf(await ada.get(pageOf('superseded'))), { timeout: 20_000 })
    .toContain('The new secret was used: the old one ends');
  expect(textOf(await ada.get(pageOf('superseded')))).toMatch(/in 5 min/);
});

test('ends one secret, after asking what becomes of the tokens', async () => {
  const secret = secretIn(await addClient('ending', { 'access:cluster:read': 'on' }));
  const page = await ada.get(pageOf('ending'));
  const href = /href="([^"]*do=end-secret[^"]*)"/.exec(page.body)![1]!.replaceAll('&amp;', '&');
  const question = await ada.get(href);
  expect(textOf(question)).toContain('It is the only one');
  const done = await sendForm(ada, question, 'end-secret', {
    secret: hiddenIn(question, 'secret')!,
    tokens: 'true',
  });
  expect(textOf(await ada.follow(done))).toContain('The secret has ended.');
  expect((await tokenOf('ending', secret, 'svc:cluster:read')).status).toBe(401);
});

test('disables at once and enables again by the message', async () => {
  const secret = secretIn(await addClient('off', { maps: 'orders', 'map:read': 'on' }));
  const { token } = await tokenOf('off', secret, 'svc:map:orders:read');
  const disabled = await ada.follow(await sendForm(ada, await ada.get(pageOf('off')), 'disable'));
  expect(textOf(disabled)).toContain('Disabled');
  expect(await readEntry('orders', token)).toBe(401);
  const enabled = await ada.follow(await sendForm(ada, disabled, 'enable'));
  expect(textOf(enabled)).toContain('Enabled');
});

test('removes one whose name was typed, and says that another is gone', async () => {
  await addClient('gone', { 'access:health:read': 'on' });
  const question = await ada.get(`${pageOf('gone')}?do=remove`);
  expect((await sendForm(ada, question, 'remove', { typed_name: 'other' })).status).toBe(400);
  const done = await ada.follow(await sendForm(ada, question, 'remove', { typed_name: 'gone' }));
  expect(textOf(done)).toContain('The machine client is removed.');
  const late = await sendForm(ada, question, 'remove', { typed_name: 'gone' });
  expect([late.status, titleOf(late)]).toEqual([404, 'Problem: There is nothing at this address']);
});

/** Go compiles its own library once for a machine. */
const compileMs = 240_000;

describe('a snippet, as it is pasted', () => {
  const languages = [
    { language: 'curl', program: 'bash', file: 'call.sh', args: [] },
    { language: 'Python', program: 'python3', file: 'call.py', args: [] },
    { language: 'Node', program: 'node', file: 'call.mjs', args: [] },
    { language: 'Java', program: 'java', file: 'Call.java', args: [] },
    { language: 'Go', program: 'go', file: 'call.go', args: ['run'] },
  ] as const;

  let pages: Readonly<Record<'GET' | 'POST', { readonly page: Reply; readonly secret: string }>>;
  beforeAll(async () => {
    const reading = await addClient('snippet-reader', { maps: 'orders', 'map:read': 'on' });
    const offering = await addClient('snippet-offerer', { queues: 'snippet-jobs', 'queue:offer': 'on' });
    pages = {
      GET: { page: reading, secret: secretIn(reading) },
      POST: { page: offering, secret: secretIn(offering) },
    };
  });

  for (const { language, program, file, args } of languages) {
    const isThere = isInstalled(program);
    const title = isThere ? '' : ` (${program} is not installed)`;
    test.skipIf(!isThere).each([
      { method: 'GET', status: '204' },
      { method: 'POST', status: '200' },
    ] as const)(
      `in ${language} gets a token and makes its $method${title}`,
      async ({ method, status }) => {
        const { page, secret } = pages[method];
        const folder = await mkdtemp(join(tmpdir(), 'snippet-'));
        try {
          await writeFile(join(folder, file), snippetIn(page, language));
          const { stdout } = await promisify(execFile)(program, [...args, join(folder, file)], {
            env: { ...process.env, SECRET: secret, GOFLAGS: '-mod=mod', NODE_OPTIONS: '' },
          });
          expect(stdout).toContain(status);
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      },
      compileMs,
    );
  }
});

describe('who may', () => {
  test('sends who is not signed in to the sign-in', async () => {
    for (const path of ['/access/clients', pageOf('application-client')]) {
      const reply = await createUserAgent(console.url).get(path);
      expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
    }
  });

  test.each([['Viewer'], ['MetricsViewer']])('refuses a %s each page and each act', async (role) => {
    const agent = await personWith(console, `is-${role.toLowerCase()}`, [role]);
    const csrf = hiddenIn(await agent.get('/account'), 'csrf')!;
    const pages = ['/access/clients', '/access/clients?do=new', pageOf('application-client')];
    for (const path of pages) expect((await agent.get(path)).status).toBe(403);
    for (const name of ['disable', 'remove', 'rotate', 'save', 'try']) {
      const reply = await agent.post(pageOf('application-client'), { csrf, do: name });
      expect(reply.status).toBe(403);
    }
    const fields = { csrf, do: 'new', id: 'mine', idempotencyKey: 'a-key-that-nobody-has-used-yet' };
    expect((await agent.post('/access/clients', fields)).status).toBe(403);
    expect((await ada.get(pageOf('mine'))).status).toBe(404);
  });

  test('lets nobody give a client more than they have', async () => {
    await callApi(console, 'POST', '/roles', {
      id: 'ClientKeeper',
      permissions: ['api:clients:read', 'api:clients:write', 'svc:map:own:read'],
    });
    const agent = await personWith(console, 'keeper', ['ClientKeeper']);
    const form = await agent.get('/access/clients?do=new');
    const fields = {
      id: 'wide',
      displayName: '',
      tokenAlg: 'RS256',
      idempotencyKey: hiddenIn(form, 'idempotencyKey')!,
    };
    const refused = await sendForm(agent, form, 'new', { ...fields, 'access:data:read': 'on' });
    expect(refused.status).toBe(400);
    expect(textOf(refused)).toContain('Nobody gives or changes what has more than they have');
    const narrow = { ...fields, id: 'narrow', maps: 'own', 'map:read': 'on' };
    expect((await sendForm(agent, form, 'new', narrow)).status).toBe(200);
  });

  test.each(foreignForms)('changes nothing by a form $name (S31)', async ({ fields, headers }) => {
    await callApi(console, 'POST', '/clients', {
      id: `foreign-${Object.keys(headers).length}`,
      scopes: ['svc:health:read'],
    });
    const id = `foreign-${Object.keys(headers).length}`;
    const csrf = hiddenIn(await ada.get(pageOf(id)), 'csrf')!;
    const reply = await ada.post(pageOf(id), { csrf, do: 'disable', ...fields }, headers);
    expect(reply.status).toBe(403);
    expect(textOf(await ada.get(pageOf(id)))).toContain('Enabled');
  });
});

test('has no secret in a list, a page or a line of the log', async () => {
  const secret = secretIn(await addClient('quiet', { 'access:health:read': 'on' }));
  for (const path of ['/access/clients', pageOf('quiet')])
    expect((await ada.get(path)).body).not.toContain(secret);
  expect(console.stderr()).not.toContain(secret);
  expect(console.stderr()).not.toContain(admin.password);
});

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function snippetIn({ body }: Reply, language: string): string {
  const [, text = ''] =
    new RegExp(
      `<summary>${language}</summary><div class="copyable"><pre class="snippet"[^>]*><code>([^<]*)<`,
    ).exec(body) ?? [];
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
