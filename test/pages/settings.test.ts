/** `/settings`, `/settings/keys`, `/settings/api` and `/settings/about` in a browser without script. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, type RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, type Reply, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const keysHref = '/settings/keys';
let console: RunningConsole;
let ada: UserAgent;
let viewer: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  viewer = await personWith(console, 'viewer', ['Viewer']);
}, 30_000);
afterAll(() => console?.stop());

interface Key {
  readonly id: string;
  readonly state: string;
}

async function keys(): Promise<readonly Key[]> {
  return ((await callApi(console, 'GET', '/keys')) as { items: readonly Key[] }).items;
}

describe('settings', () => {
  test('are all there, with where they come from, and no secret', async () => {
    const page = await ada.get('/settings');
    const { items } = (await callApi(console, 'GET', '/settings?limit=200')) as { items: { id: string }[] };
    expect(titleOf(page)).toBe('Settings');
    for (const { id } of items) expect(page.body).toContain(`id="${id}"`);
    expect(textOf(page)).toMatch(/CONSOLE_URL [^.]*\. http:\/\/\S+ CONSOLE_URL/);
    expect(textOf(page)).toMatch(/CONSOLE_APPLICATION_CLIENT_SECRET .{0,300} Set, not shown/);
    expect(page.body).not.toContain(clientSecret);
  });

  test('are filtered without script, in the words of the reader, and the files are of the same filter', async () => {
    const idsIn = (body: string) =>
      [...body.matchAll(/<div id="((?:CONSOLE|SVC)_[A-Z_]+)"/g)].map(([, id]) => id);
    expect((await ada.get('/settings')).body).toMatch(
      /<form method="get" action="\/settings"[^>]*>.*name="q"/s,
    );
    const found = await ada.get('/settings?q=encryption+key');
    expect(idsIn(found.body)).toContain('CONSOLE_ENCRYPTION_KEY');
    expect(idsIn(found.body).length).toBeLessThan(5);
    const german = await ada.get('/settings?q=Lebensdauer', { 'accept-language': 'de' });
    expect(idsIn(german.body)).toContain('CONSOLE_ACCESS_TOKEN_TTL');
    const warned = await ada.get('/settings?state=warned');
    expect(idsIn(warned.body)).toEqual(['CONSOLE_ENCRYPTION_KEY']);
    expect(textOf(warned)).toContain(
      'CONSOLE_ENCRYPTION_KEY is unset: signing keys and secrets of identity providers lie unencrypted',
    );
    const file = /href="(\/settings\.csv[^"]*)"/.exec(warned.body)![1]!.replaceAll('&amp;', '&');
    expect((await ada.get(file)).body.trim().split('\n').slice(1)).toEqual([
      expect.stringContaining('CONSOLE_ENCRYPTION_KEY'),
    ]);
    const none = await ada.get('/settings?q=nobody-has-this');
    expect([idsIn(none.body), textOf(none).includes('Nothing matches this filter.')]).toEqual([[], true]);
    expect((await ada.get('/settings?state=all')).status).toBe(400);
  });

  test('say what each means in German to who reads German', async () => {
    const page = await ada.get('/settings', { 'accept-language': 'de' });
    expect(textOf(page)).toContain('Lebensdauer eines Access-Tokens, 30 bis 3600 Sekunden.');
    expect(page.body.match(/<span lang="en">[^<]*/g)).toBeNull();
  });

  test('are one place in the column, and their pages another', async () => {
    const currentIn = (body: string) =>
      [...body.matchAll(/<a href="([^"]+)" aria-current="page"/g)].map(([, href]) => href);
    expect(currentIn((await ada.get('/settings')).body)).toEqual(['/settings', '/settings']);
    expect(currentIn((await ada.get(keysHref)).body)).toEqual([keysHref, '/settings']);
  });
});

describe('signing keys', () => {
  test('are shown by what each does, without what is private', async () => {
    const page = await ada.get(keysHref);
    for (const { id } of await keys()) expect(page.body).toContain(`id="${id}"`);
    expect(textOf(page)).toMatch(/Signs .*Next /);
    expect(page.body).not.toMatch(/PRIVATE KEY|"d":/);
  });

  test('say of what is to come that it comes with a rotation, and not that something is not set', async () => {
    const page = await ada.get(keysHref);
    const cellsOf = (word: string, { body }: Reply) => {
      const row = [...body.matchAll(/<tr>.*?<\/tr>/gs)].find(([text]) => text.includes(`>${word}</span>`));
      const cells = [...row![0].matchAll(/<td[^>]*>(.*?)<\/td>/gs)];
      return cells.slice(-3).map(([, cell]) => cell!.replace(/<[^>]*>/g, ''));
    };
    const [, until, leaves] = cellsOf('Signs', page);
    expect([until, leaves]).toEqual(['Next rotation', 'Once all that it has signed has expired']);
    expect(cellsOf('Next', page)).toEqual(['Next rotation', 'The rotation after that', leaves]);
    expect(textOf(page)).toContain('once a key is as old as CONSOLE_KEY_ROTATION_DAYS says');
    expect(textOf(page)).not.toContain('Not set');
    const german = await ada.get(keysHref, { 'accept-language': 'de' });
    expect(cellsOf('Als Nächstes', german)[0]).toBe('Nächste Rotation');
  });

  test('are rotated after a question: the next ones are going to sign', async () => {
    const done = await ada.follow(await sendForm(ada, await ada.get(`${keysHref}?do=rotate`), 'rotate'));
    expect(textOf(done)).toContain(
      'The next keys sign as soon as every verifier has had the time to see them.',
    );
    expect(console.log().filter(({ event }) => event === 'keys.rotated')).toMatchObject([
      { outcome: 'success', via: 'page', target: 'regular' },
    ]);
  });

  test('are replaced at once after the word is typed, and not without it', async () => {
    const before = await keys();
    const question = await ada.get(`${keysHref}?do=rotate-now`);
    const refused = await sendForm(ada, question, 'rotate-now', { typed_name: 'Replace' });
    expect([refused.status, await keys()]).toEqual([400, before]);
    const done = await ada.follow(await sendForm(ada, question, 'rotate-now', { typed_name: 'replace' }));
    expect(textOf(done)).toContain('New keys sign. Everything that was signed before is void.');
    const signing = (all: readonly Key[]) =>
      all.filter(({ state }) => state === 'current').map(({ id }) => id);
    const now = signing(await keys());
    expect(now.filter((id) => signing(before).includes(id))).toEqual([]);
  });
});

describe('the API', () => {
  test('is listed call by call, the console’s and the members’, with the scope of each and its document', async () => {
    const page = await ada.get('/settings/api');
    const text = textOf(page);
    for (const address of ['/api/openapi.json', '/api/members-openapi.json']) {
      expect(page.body).toContain(`href="${address}"`);
      const { paths } = (await (await fetch(console.url + address)).json()) as { paths: object };
      for (const path of Object.keys(paths)) expect(text).toContain(path);
    }
    expect(text).toMatch(/POST \/api\/v1\/clients Adds [^.]*\. api:clients:write/);
  });

  test('says in German what each call does', async () => {
    const german = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
    await german.signIn();
    const { body } = await german.get('/settings/api');
    expect(body).toContain('Listet die Benutzer; eine Seite kann kurz sein');
    expect(body).toContain('Member und Verbindungen');
    expect(body).toContain('Was der Cluster ist; ohne Angabe an');
    // Nothing is left that is marked as English.
    expect(body).not.toMatch(/<td><span lang="en">/);
  });

  test('is explored by the session of the page, the members’ by calls that read; another name is none', async () => {
    const own = await ada.get('/settings/api/console');
    const csrf = /data-csrf="([^"]+)"/.exec(own.body)?.[1];
    expect([titleOf(own), textOf(own)]).toEqual([
      expect.stringContaining('admin API'),
      expect.stringContaining('The explorer needs script.'),
    ]);
    const called = await ada.get('/api/v1/roles', { 'x-csrf-token': csrf! });
    expect([called.status, JSON.parse(called.body).items.length]).toEqual([200, expect.any(Number)]);
    expect((await viewer.get('/api/v1/roles', { 'x-csrf-token': csrf! })).status).toBe(403);
    const members = await ada.get('/settings/api/members');
    expect(members.body).toContain('data-calls="reads"');
    expect(own.body).toContain('data-calls="all"');
    for (const name of ['other', '__proto__', 'console%2F..'])
      expect((await ada.get(`/settings/api/${name}`)).status).toBe(404);
  });

  test('has its scripts and styles compressed, once asked for so, and other pictures as they are', async () => {
    const { body } = await ada.get('/settings/api/console');
    const href = /src="(\/static\/explorer\.js[^"]*)"/.exec(body)![1]!;
    const ask = (coding: string) => fetch(console.url + href, { headers: { 'Accept-Encoding': coding } });
    const [small, plain] = [await ask('gzip'), await ask('identity')];
    expect([small, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null]);
    expect(Number(small.headers.get('content-length'))).toBeLessThan(500_000);
    expect(small.headers.get('vary')).toContain('Accept-Encoding');
    expect(small.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    expect(await small.text()).toBe(await plain.text());
    const known = { 'accept-encoding': 'gzip', 'if-none-match': small.headers.get('etag')! };
    expect((await ada.get(href, known)).status).toBe(304);
  });
});

describe('about', () => {
  interface Installation {
    readonly id: string;
    readonly version: string;
    readonly libraries: readonly { readonly name: string; readonly licence: string }[];
  }

  test('says what runs, what is kept, and each library with its licence, and no secret', async () => {
    const page = await ada.get('/settings/about');
    const { id, version, libraries } = (await callApi(console, 'GET', '/installation')) as Installation;
    expect(titleOf(page)).toBe('About');
    expect(textOf(page)).toContain(`Installation ${id} Version ${version} Node.js ${process.versions.node}`);
    expect(textOf(page)).toContain('Last backup None yet Licence of the dashboard None');
    expect(libraries.length).toBeGreaterThan(50);
    for (const { name } of libraries) expect(page.body).toContain(`<bdi>${name}</bdi>`);
    expect(page.body).not.toContain(clientSecret);
  });

  test('says when the last backup was, and whose licence the dashboard has', async () => {
    await callApi(console, 'POST', '/backups', {});
    const backups = async () => ((await callApi(console, 'GET', '/backups')) as { items: object[] }).items;
    await until(async () => (await backups()).length > 0, 'the backup');
    await callApi(console, 'PUT', '/licence', { id: 'lic-1', holder: 'Orders <b>Ltd</b>', edition: 'team' });
    const text = textOf(await ada.get('/settings/about'));
    expect(text).toMatch(/Last backup (?:now|\d+ sec ago) Licence/);
    expect(text).toContain('lic-1 : team , Orders <b>Ltd</b> , without end');
  });
});

describe('who may', () => {
  test('a Viewer neither reads settings nor rotates keys', async () => {
    for (const href of ['/settings', '/settings/api', '/settings/api/console', '/settings/about']) {
      expect((await viewer.get(href)).status).toBe(403);
    }
    const before = await keys();
    for (const name of ['rotate', 'rotate-now']) {
      expect((await viewer.get(`${keysHref}?do=${name}`)).status).toBe(403);
      const csrf = hiddenIn(await viewer.get('/account'), 'csrf')!;
      const reply = await viewer.post(keysHref, { csrf, do: name, typed_name: 'replace' });
      expect([name, reply.status]).toEqual([name, 403]);
    }
    expect(await keys()).toEqual(before);
  });

  test('nobody without a session', async () => {
    for (const href of ['/settings', '/settings/api', '/settings/about', keysHref]) {
      const reply = await createUserAgent(console.url).get(href);
      expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
    }
  });

  test.each(foreignForms)('nobody by a form $name (S31)', async ({ fields, headers }) => {
    const before = await keys();
    const csrf = hiddenIn(await ada.get(keysHref), 'csrf')!;
    const sent = { csrf, do: 'rotate-now', typed_name: 'replace', ...fields };
    expect((await ada.post(keysHref, sent, headers)).status).toBe(403);
    expect(await keys()).toEqual(before);
  });
});
