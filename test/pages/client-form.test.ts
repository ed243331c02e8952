/** The form of a machine client: the name first, how it proves itself, and what its answer has to paste. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(async () => {
  await console?.stop();
  await found?.close();
});

const usual = {
  id: '',
  displayName: '',
  authentication: 'secret',
  tokenAlg: 'RS256',
  tokenTtlSeconds: '',
  jwks: '',
};
const reading = { maps: 'orders', 'map:read': 'on' };

async function add(fields: Record<string, string>): Promise<Reply> {
  const form = await ada.get('/access/clients?do=new');
  const idempotencyKey = hiddenIn(form, 'idempotencyKey')!;
  return sendForm(ada, form, 'new', { ...usual, idempotencyKey, ...fields });
}

const apiOf = (id: string) => callApi(console, 'GET', `/clients/${id}`) as Promise<Record<string, unknown>>;

function publicKey(type: 'ec' | 'ed25519' | 'rsa') {
  const { privateKey, publicKey: its } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519');
  return {
    jwk: its.export({ format: 'jwk' }),
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

describe('the name comes first, and the id follows from it', () => {
  test.each([
    { name: 'Billing Service', id: 'billing-service' },
    { name: 'Zahlungs-Prüfung Groß', id: 'zahlungs-prufung-gross' },
    { name: '  Nº 7 / Orders. ', id: 'no-7-orders' },
  ])('of $name it is $id', async ({ name, id }) => {
    const added = await add({ displayName: name, ...reading });
    expect(added.status).toBe(200);
    expect(await apiOf(id)).toMatchObject({ id, displayName: name.trim() });
  });

  test('stays the one that was typed, is asked for where a name gives none, and may be taken already', async () => {
    expect((await add({ displayName: 'Typed', id: 'own-id', ...reading })).status).toBe(200);
    expect(await apiOf('own-id')).toMatchObject({ displayName: 'Typed' });
    const none = await add({ displayName: '計算', ...reading });
    expect([none.status, none.body.includes('id="id-error"')]).toEqual([400, true]);
    const taken = await add({ displayName: 'Own ID', ...reading });
    expect(taken.status).toBe(400);
    expect(taken.body).toContain('value="own-id"');
    expect(textOf(taken)).toContain('There is a client own-id already');
  });

  test('has the field of the name above that of the id', async () => {
    const { body } = await ada.get('/access/clients?do=new');
    expect(body.indexOf('id="displayName"')).toBeGreaterThan(0);
    expect(body.indexOf('id="displayName"')).toBeLessThan(body.indexOf('id="id"'));
  });
});

describe('the sentence', () => {
  test('stands above the choices where the form is shown again, without any script', async () => {
    const shown = await add({
      ...reading,
      queues: 'jobs',
      'queue:offer': 'on',
      displayName: 'X',
      show: 'ways',
    });
    const sentence = 'May read map “orders” and offer to queue “jobs”. Nothing else.';
    expect(/<p id="access-sentence"[^>]*>([^<]*)</.exec(shown.body)![1]).toBe(sentence);
    expect(shown.body.indexOf('id="access-sentence"')).toBeLessThan(shown.body.indexOf('id="maps"'));
  });

  test('is sent alone to a form that is being filled in, and nothing is added', async () => {
    const part = await add({ displayName: 'Forming', ...reading, show: 'sentence' });
    expect(part.body).toMatch(/^<p id="access-sentence"[^>]*>May read map “orders”\. Nothing else\.<\/p>$/);
    await expect(apiOf('forming')).rejects.toThrow('404');
    const page = await ada.get('/access/clients/own-id');
    const saved = await sendForm(ada, page, 'save', { ...usual, show: 'sentence', 'access:wan:read': 'on' });
    expect(saved.body).toContain('WAN');
    expect(await apiOf('own-id')).toMatchObject({ scopes: ['svc:map:orders:read'] });
  });

  test('is for those who may add one', async () => {
    const agent = await personWith(console, 'reader-of-clients', ['Viewer']);
    const csrf = hiddenIn(await agent.get('/account'), 'csrf')!;
    const refused = await agent.post('/access/clients', { csrf, do: 'new', show: 'sentence', ...reading });
    expect(refused.status).toBe(403);
  });
});

describe('how it proves itself', () => {
  test('by a secret, which the snippets of this one page have', async () => {
    const added = await add({ displayName: 'With secret', ...reading });
    const secret = /<code class="secret">([^<]+)</.exec(added.body)![1]!;
    // Once to copy, and in five languages.
    expect(added.body.split(secret).length - 1).toBe(6);
    expect(textOf(added)).toContain('Complete with the secret, on this page alone.');
    expect(textOf(added)).toContain('Try it');
    const later = await ada.get('/access/clients/with-secret');
    expect(later.body).not.toContain(secret);
    expect(later.body).toContain('# SECRET holds the secret');
    expect(await apiOf('with-secret')).toMatchObject({
      authMethods: ['client_secret_basic', 'client_secret_post'],
      jwks: null,
    });
  });

  test('by keys: then there is no secret', async () => {
    const { jwk } = publicKey('ec');
    const added = await add({
      displayName: 'Signs',
      authentication: 'keys',
      jwks: JSON.stringify(jwk),
      ...reading,
    });
    expect(added.status).toBe(200);
    expect(added.body).not.toContain('class="secret"');
    expect(textOf(added)).toContain('It has no secret: it proves itself by its keys.');
    expect(await apiOf('signs')).toMatchObject({
      authMethods: ['private_key_jwt'],
      secrets: [],
      jwks: { keys: [jwk] },
    });
  });

  test.each([
    { why: 'none are given', fields: { authentication: 'keys' }, says: 'needs at least one public key' },
    {
      why: 'they are no JSON',
      fields: { authentication: 'keys', jwks: '-----BEGIN' },
      says: 'This is no JWK Set',
    },
    {
      why: 'one is private',
      fields: { authentication: 'keys', jwks: '{"kty":"oct","k":"AA"}' },
      says: 'private key',
    },
    { why: 'a secret is chosen', fields: { jwks: '{"keys":[]}' }, says: 'count only with' },
  ])('says of keys what is wrong where $why, and adds nothing', async ({ fields, says }) => {
    const refused = await add({ displayName: 'Wrong keys', ...fields, ...reading });
    expect([refused.status, refused.body.includes('id="jwks-error"')]).toEqual([400, true]);
    expect(textOf(refused)).toContain(says);
    await expect(apiOf('wrong-keys')).rejects.toThrow('404');
  });

  test('says of a lifetime what is wrong with it', async () => {
    for (const tokenTtlSeconds of ['5', 'an hour']) {
      const refused = await add({ displayName: 'Wrong lifetime', tokenTtlSeconds, ...reading });
      expect([refused.status, refused.body.includes('id="tokenTtlSeconds-error"')]).toEqual([400, true]);
      expect(refused.body).toContain(`value="${tokenTtlSeconds}"`);
    }
  });

  test('and its tokens are changed on its page; what is not touched stays', async () => {
    const [one, other] = [publicKey('ec'), publicKey('ed25519')];
    const body = { id: 'changing', scopes: ['svc:map:orders:read'], tokenTtlSeconds: 90, dpop: true };
    await callApi(console, 'POST', '/clients', { ...body, jwks: { keys: [one.jwk] } });
    const page = await ada.get('/access/clients/changing');
    const jwks = textareaOf(page, 'jwks');
    expect(JSON.parse(jwks)).toEqual({ keys: [one.jwk] });
    expect(page.body).toMatch(/name="dpop" type="checkbox" checked/);
    const same = { ...usual, ...reading, jwks, tokenTtlSeconds: '90', dpop: 'on' };
    const unchanged = await ada.follow(await sendForm(ada, page, 'save', same));
    expect(textOf(unchanged)).toContain('Nothing was different.');
    const { dpop: _, ...without } = same;
    const changed = { ...without, tokenTtlSeconds: '', jwks: JSON.stringify({ keys: [one.jwk, other.jwk] }) };
    expect((await sendForm(ada, page, 'save', changed)).status).toBe(303);
    expect(await apiOf('changing')).toMatchObject({
      ...{ dpop: false, tokenTtlSeconds: null },
      jwks: { keys: [one.jwk, other.jwk] },
    });
  });

  test('a form that was open before it had these fields takes none of them away', async () => {
    const body = { id: 'older-form', scopes: ['svc:map:orders:read'], tokenTtlSeconds: 90, dpop: true };
    await callApi(console, 'POST', '/clients', body);
    const page = await ada.get('/access/clients/older-form');
    const fields = { displayName: 'Renamed', tokenAlg: 'RS256', ...reading };
    expect((await sendForm(ada, page, 'save', fields)).status).toBe(303);
    expect(await apiOf('older-form')).toMatchObject({
      displayName: 'Renamed',
      tokenTtlSeconds: 90,
      dpop: true,
    });
  });
});

describe('a snippet that proves what the client holds, as it is pasted', () => {
  test.each([
    { by: 'ec', dpop: '', write: false },
    { by: 'ed25519', dpop: 'on', write: false },
    { by: 'rsa', dpop: '', write: false },
    { by: 'secret', dpop: 'on', write: true },
  ] as const)('by $by, bound: $dpop, writing: $write', async ({ by, dpop, write }) => {
    const key = by === 'secret' ? undefined : publicKey(by);
    const id = `pasted-${by}`;
    const added = await add({
      id,
      ...(key && { authentication: 'keys', jwks: JSON.stringify({ keys: [{ ...key.jwk, kid: 'first' }] }) }),
      ...(dpop && { dpop }),
      maps: 'orders',
      [write ? 'map:write' : 'map:read']: 'on',
    });
    const folder = await mkdtemp(join(tmpdir(), 'proving-'));
    try {
      await writeFile(join(folder, 'call.mjs'), snippetIn(added));
      if (key) await writeFile(join(folder, 'key.pem'), key.pem);
      const env = { ...process.env, NODE_OPTIONS: '' };
      const { stdout } = await promisify(execFile)('node', ['call.mjs'], { cwd: folder, env });
      expect(stdout).toMatch(write ? /^200 / : /^204 /);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!found)(`with script, in Chromium${reason ? ` (${reason})` : ''}`, () => {
  test('the id forms while the name is typed, until somebody types another; the sentence while choosing', async () => {
    const page = await (await browser.newContext({ baseURL: console.url })).newPage();
    await page.goto('/login');
    await page.getByLabel('Username').fill(admin.username);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname !== '/login');
    await page.goto('/access/clients?do=new');
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.getByLabel('Name', { exact: true }).pressSequentially('Größe Zwei');
    const id = page.getByLabel('Client ID');
    expect(await id.inputValue()).toBe('grosse-zwei');
    await id.fill('mine');
    await page.getByLabel('Name', { exact: true }).pressSequentially('!');
    expect(await id.inputValue()).toBe('mine');
    const sentence = page.locator('#access-sentence');
    expect(await sentence.textContent()).toBe('May do nothing.');
    await page.getByRole('textbox', { name: 'Maps' }).fill('orders');
    await page.getByRole('group', { name: 'May' }).first().getByLabel('read').check();
    await sentence.getByText('May read map “orders”. Nothing else.').waitFor();
    expect(await page.getByLabel('Public keys').isVisible()).toBe(false);
    await page.getByLabel('Authentication').selectOption('keys');
    expect(await page.getByLabel('Public keys').isVisible()).toBe(true);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

function textareaOf({ body }: Reply, name: string): string {
  return plain(new RegExp(`<textarea id="${name}"[^>]*>\n?([^<]*)<`).exec(body)![1]!);
}

function snippetIn({ body }: Reply): string {
  return plain(
    /<summary>Node<\/summary><div class="copyable"><pre class="snippet"[^>]*><code>([^<]*)</.exec(body)![1]!,
  );
}

function plain(html: string): string {
  const characters = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' } as const;
  return html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: keyof typeof characters) => characters[name]);
}
