/** Name, logo and colour of an installation: set by API, command and page, and seen by everybody. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const href = '/settings/branding';
const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 32"><script>alert(1)</script><path d="M0 0h96v32z"/></svg>';
let dataDir: string;
let console: RunningConsole;
let ada: UserAgent;
let viewer: UserAgent;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'console-test-'));
  ({ console, ada } = await startWithAdmin({ dataDir }));
  viewer = await personWith(console, 'viewer', ['Viewer']);
}, 30_000);
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Branding {
  readonly name: string | null;
  readonly language: string | null;
  readonly accent: string | null;
  readonly logo: { readonly mediaType: string; readonly bytes: number; readonly href: string } | null;
}
const branding = async () => (await callApi(console, 'GET', '/installation/branding')) as Branding;
const update = (body: object) => callApi(console, 'PATCH', '/installation/branding', body);
const signInPage = () => createUserAgent(console.url).get('/login');

/** A file in a form, as a browser sends it. */
async function sendFile(
  agent: UserAgent,
  bytes: string | Buffer,
  csrf?: string,
  headers = {},
): Promise<Response> {
  const body = new FormData();
  body.set('csrf', csrf ?? hiddenIn(await agent.get('/account'), 'csrf')!);
  body.set('do', 'logo');
  body.set('file', new Blob([new Uint8Array(Buffer.from(bytes))]), 'logo.svg');
  const cookie = [...agent.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  return fetch(`${console.url}${href}/logo`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Accept: 'text/html', Cookie: cookie, Origin: console.url, ...headers },
    body,
  });
}

describe('an installation without any', () => {
  test('is called as the product, and loads nothing of its own', async () => {
    expect(await branding()).toEqual({
      name: null,
      accent: null,
      language: null,
      logo: null,
      updatedAt: null,
    });
    const page = await signInPage();
    expect(page.body).toContain('<title>Sign in · Cluster Console</title>');
    expect(page.body).not.toContain('/branding/');
    for (const name of ['logo', 'colours.css', 'dark.css', 'nothing', '..%2f']) {
      expect((await fetch(`${console.url}/branding/${name}`)).status).toBe(404);
    }
  });
});

describe('the page', () => {
  test('sets name and colour, which everybody sees at once, before a sign-in too', async () => {
    const form = await ada.get(href);
    expect(titleOf(form)).toBe('Branding');
    const done = await ada.follow(
      await sendForm(ada, form, 'save', { name: ' Prod <EU> ', accent: '#7A1FA2' }),
    );
    expect(textOf(done)).toContain('Saved: every page from now on has it.');
    expect(await branding()).toMatchObject({ name: 'Prod <EU>', accent: '#7a1fa2' });
    for (const page of [done, await signInPage(), await createUserAgent(console.url).get('/nothing')]) {
      expect(page.body).toMatch(/<title>[^<]* · Prod &lt;EU><\/title>/);
      expect(page.body).toMatch(/<span class="brand">.*<bdi>Prod &lt;EU><\/bdi>/s);
    }
    const colours = /href="(\/branding\/colours\.css\?v=[\w-]{16})"/.exec(done.body)![1]!;
    const sheet = await fetch(console.url + colours);
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(sheet.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await sheet.text()).toContain('--accent: #7a1fa2;');
    expect(console.log().find(({ event }) => event === 'branding.changed')).toMatchObject({
      outcome: 'success',
      via: 'page',
      changes: { name: { from: null, to: 'Prod <EU>' }, accent: { from: null, to: '#7a1fa2' } },
    });
  });

  test('keeps what was typed where it is refused, with what would do', async () => {
    const before = await branding();
    const refused = await sendForm(ada, await ada.get(href), 'save', { name: 'Other', accent: '#ffcc00' });
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('value="#ffcc00"');
    expect(textOf(refused)).toMatch(
      /its contrast is 1\.4 to 1, and 4\.5 is the least\. #[0-9a-f]{6} would do\./,
    );
    expect(await branding()).toEqual(before);
  });

  test('says the same change by command and call', async () => {
    const shown = await sendForm(ada, await ada.get(href), 'save', {
      name: 'Test',
      accent: '',
      show: 'ways',
    });
    expect(textOf(shown)).toContain('npx console installation update --name Test --accent none');
    expect(shown.body).toContain('-X PATCH');
    expect((await branding()).name).toBe('Prod <EU>');
  });

  test('takes a logo, which is made safe, served without rights, and removed again', async () => {
    const sent = await sendFile(ada, drawing);
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${href}?done=logo`]);
    const { logo } = await branding();
    expect(logo).toMatchObject({ mediaType: 'image/svg+xml' });
    for (const page of [await ada.get(href), await signInPage()]) {
      expect(page.body).toContain(`<img class="brand-logo" src="${logo!.href}" alt width="96" height="32"`);
    }
    const served = await fetch(console.url + logo!.href);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const text = await served.text();
    expect(text).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 32"><path d="M0 0h96v32z"></path></svg>',
    );
    const etag = served.headers.get('etag')!;
    const again = await ada.get('/branding/logo', { 'if-none-match': etag });
    expect([again.status, again.headers['cache-control']]).toEqual([304, 'no-cache']);
    const removed = await ada.follow(await sendForm(ada, await ada.get(href), 'remove-logo'));
    expect(textOf(removed)).toContain('The logo of the product is shown again.');
    expect((await fetch(console.url + logo!.href)).status).toBe(404);
  });

  test.each([
    ['HTML', '<!doctype html><script>alert(1)</script>', 400, 'is neither a PNG nor an SVG'],
    ['nothing', '', 400, 'is empty'],
    ['more than may be', `${drawing}${' '.repeat(70_000)}`, 400, 'has more than 64 KiB'],
    ['ten megabytes', Buffer.alloc(10_000_000), 413, 'too large'],
    ['bytes', Buffer.from([0, 255, 13, 10, 45, 45]), 400, 'is neither a PNG nor an SVG'],
  ])('with %s as a logo says why not, and nothing changes', async (_what, bytes, status, reason) => {
    const before = await branding();
    const refused = await sendFile(ada, bytes);
    expect(refused.status).toBe(status);
    expect(await refused.text()).toContain(reason);
    expect(await branding()).toEqual(before);
  });

  test('takes no form but its own for a file', async () => {
    const csrf = hiddenIn(await ada.get('/account'), 'csrf')!;
    const forms = [
      ['application/x-www-form-urlencoded', `csrf=${csrf}&file=x`],
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=x', 'nothing'],
      ['multipart/form-data; boundary=x', '--x\r\n\r\n--x--'],
      [
        'multipart/form-data; boundary=x',
        `--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n`,
      ],
    ];
    for (const [type, body] of forms) {
      const headers = { 'content-type': type!, origin: console.url };
      expect((await ada.send('POST', `${href}/logo`, { headers, body: body! })).status, body).toBe(400);
    }
  });
});

describe('the API', () => {
  test.each([
    ['a name of a thousand characters', { name: 'x'.repeat(1_000) }],
    ['a name of nothing', { name: ' ' }],
    ['a name of two lines', { name: 'a\nb' }],
    ['a name that turns the direction', { name: 'a\u202eb' }],
    ['a colour by name', { accent: 'red' }],
    ['a language that pages do not speak', { language: 'fr' }],
    ['a language that is none', { language: 'constructor' }],
    ['a colour that cannot be read', { accent: '#ffffff' }],
    ['nothing', {}],
    ['what nobody knows', { colour: '#000000' }],
  ])('refuses %s, and nothing changes', async (_what, body) => {
    const before = await branding();
    await expect(update(body)).rejects.toThrow(/^400 .*invalid_request/);
    expect(await branding()).toEqual(before);
  });

  test('takes names in any script and emoji, shown apart from their surroundings', async () => {
    for (const name of ['الإنتاج', 'Prod 🚀']) {
      await update({ name });
      expect((await signInPage()).body).toContain(`<bdi>${name}</bdi>`);
    }
  });

  test('is for who may, and tells the rest nothing new', async () => {
    const csrf = hiddenIn(await viewer.get('/account'), 'csrf')!;
    expect((await viewer.get(href)).status).toBe(403);
    expect((await viewer.post(href, { csrf, do: 'save', name: 'Mine', accent: '' })).status).toBe(403);
    expect((await sendFile(viewer, drawing)).status).toBe(403);
    const nobody = await createUserAgent(console.url).get(href);
    expect([nobody.status, nobody.headers.location]).toEqual([303, '/login']);
    expect((await branding()).name).toBe('Prod 🚀');
  });

  test.each(foreignForms)('takes no form $name (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get(href), 'csrf')!;
    const sent = { csrf, do: 'save', name: 'Mine', accent: '', ...fields };
    expect((await ada.post(href, sent, headers)).status).toBe(403);
    const { csrf: none } = fields as { csrf?: string };
    expect((await sendFile(ada, drawing, none ?? csrf, headers)).status).toBe(403);
    expect(await branding()).toMatchObject({ name: 'Prod 🚀', logo: null });
  });

  test('changes only what was read, where that is said', async () => {
    const form = await ada.get(href);
    await update({ name: 'Meanwhile' });
    const stale = await sendForm(ada, form, 'save', { name: 'Later', accent: '' });
    expect(stale.status).toBe(400);
    expect(textOf(stale)).toContain('Stored now: Meanwhile');
    expect((await branding()).name).toBe('Meanwhile');
  });
});

test('commands set name, colour and logo, and take them away', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'console-test-'));
  const tool = async (...args: string[]) =>
    (await toolDone(['installation', ...args, '--json'], { dataDir: console.dataDir })).json<Branding>();
  try {
    const file = join(directory, 'logo.svg');
    await writeFile(file, drawing);
    await tool('update', '--name', 'By command', '--accent', '#1f4fa2');
    const { logo } = await tool('logo', '--file', file);
    expect(logo!.mediaType).toBe('image/svg+xml');
    const shown = await (await fetch(console.url + logo!.href)).text();
    const sha256 = createHash('sha256').update(shown).digest('base64url');
    const isIt = (line: Record<string, unknown>) =>
      isDeepStrictEqual(line.changes, { logo: { from: null, to: sha256 } });
    await console.waitFor(() => console.log().some(isIt), 'the entry with the sum');
    expect(await tool('branding')).toMatchObject({ name: 'By command', accent: '#1f4fa2' });
    await tool('remove-logo');
    await tool('update', '--name', 'none', '--accent', 'none');
    expect(await branding()).toMatchObject({ name: null, accent: null, logo: null });
    expect((await signInPage()).body).not.toContain('/branding/');
  } finally {
    await rm(directory, { recursive: true });
  }
});

describe('the language', () => {
  const languageFor = async (headers = {}) =>
    /<html lang="(\w+)"/.exec((await createUserAgent(console.url, { headers }).get('/login')).body)?.[1];

  test('is that of the installation for whoever has chosen none, and whose browser asks for none of ours', async () => {
    expect(await languageFor()).toBe('en');
    const form = await ada.get(href);
    const done = await ada.follow(
      await sendForm(ada, form, 'save', { name: '', accent: '', language: 'de' }),
    );
    expect(textOf(done)).toContain('Gespeichert: Ab jetzt zeigt es jede Seite.');
    expect(await branding()).toMatchObject({ language: 'de' });
    for (const asked of ['', 'fr-FR', '*', 'de;q=x,;;;']) {
      expect(await languageFor({ 'accept-language': asked }), asked).toBe('de');
    }
    expect(await languageFor({ 'accept-language': 'fr, en-GB;q=0.5, *;q=0.1' })).toBe('en');
    const chosen = createUserAgent(console.url);
    chosen.cookies.set('console_display', { value: 'language=en', path: '/' });
    expect((await chosen.get('/login')).body).toContain('<html lang="en"');
    const entries = console.log().filter(({ event }) => event === 'branding.changed');
    expect(entries.at(-1)).toMatchObject({ changes: { language: { from: null, to: 'de' } } });
  });

  test('is kept as it was where another is refused, and taken away by a command', async () => {
    const refused = await sendForm(ada, await ada.get(href), 'save', { language: 'fr' });
    expect([refused.status, (await branding()).language]).toEqual([400, 'de']);
    const set = async (language: string) =>
      toolDone(['installation', 'update', '--language', language, '--json'], { dataDir: console.dataDir });
    expect((await set('none')).json<Branding>().language).toBeNull();
    expect(await languageFor()).toBe('en');
    expect((await set('de')).json<Branding>().language).toBe('de');
    await update({ language: null });
  });
});

test('a start after the end of the process has all of it', async () => {
  await update({ name: 'Lasting', accent: '#7a1fa2' });
  console.child.kill('SIGKILL');
  await console.stop();
  console = await startConsole({ dataDir });
  const page = await signInPage();
  expect(page.body).toContain('<bdi>Lasting</bdi>');
  expect(page.body).toContain('/branding/dark.css?v=');
});
