/** Theme and time zone by choice: kept in the browser, without script, before a sign-in too. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, foreignForms, hiddenIn, personWith, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let nobody: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  nobody = await personWith(console, 'nobody', []);
}, 30_000);
afterAll(() => console?.stop());

const action = '/account/display';
const choose = async (agent: UserAgent, theme: string, zone: string): Promise<Reply> =>
  agent.follow(await agent.submit(await agent.get('/account'), { theme, zone }, { action }));
const darkIn = ({ body }: Reply) =>
  [...body.matchAll(/<link rel="stylesheet" href="\/static\/dark\.css[^"]*"( media="[^"]*")?\/>/g)].map(
    ([, media]) => media,
  );
const schemeIn = ({ body }: Reply) => /name="color-scheme" content="([^"]*)"/.exec(body)?.[1];

describe('the theme', () => {
  test('is that of the system until somebody chooses', async () => {
    const page = await ada.get('/account');
    expect([darkIn(page), schemeIn(page)]).toEqual([[' media="(prefers-color-scheme: dark)"'], 'light dark']);
  });

  test('is dark or light by choice on every page of this browser, after the sign-out too', async () => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    const saved = await choose(agent, 'dark', '');
    expect(textOf(saved)).toContain('Saved for this browser.');
    expect(saved.body).toContain('<option value="dark" selected>');
    const managed = await agent.get('/settings');
    const out = createUserAgent(console.url);
    out.cookies.set('console_display', agent.cookies.get('console_display')!);
    for (const page of [saved, managed, await out.get('/login'), await out.get('/no')]) {
      expect([darkIn(page), schemeIn(page)]).toEqual([[undefined], 'dark']);
    }
    const light = await choose(ada, 'light', '');
    expect([darkIn(light), schemeIn(light)]).toEqual([[], 'light']);
    const usual = await choose(ada, 'system', '');
    expect(schemeIn(usual)).toBe('light dark');
  });
});

describe('the height of rows', () => {
  const rowsIn = ({ body }: Reply) => /<html lang="en"( class="[^"]*")?/.exec(body)?.[1];

  test('is roomy by choice on every page of this browser, and what is not known is the usual one', async () => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    const pick = async (density: string) => {
      await agent.submit(await agent.get('/account'), { density }, { action });
      return [rowsIn(await agent.get('/account')), rowsIn(await agent.get('/settings'))];
    };
    expect(rowsIn(await agent.get('/settings'))).toBeUndefined();
    expect(await pick('roomy')).toEqual([' class="roomy"', ' class="roomy"']);
    expect((await agent.get('/account')).body).toContain('<option value="roomy" selected>');
    expect(await pick('"><script>')).toEqual([undefined, undefined]);
    await pick('roomy');
    expect(await pick('compact')).toEqual([undefined, undefined]);
    await pick('roomy');
    // Another choice beside it leaves it as it is.
    const other = await agent.get('/language/de', { Referer: `${console.url}/settings` });
    expect(other.status).toBe(303);
    expect((await agent.get('/settings')).body).toContain('<html lang="de" class="roomy">');
  });
});

describe('the time zone', () => {
  test('is UTC by name until somebody chooses', async () => {
    const page = await ada.get('/account');
    expect(page.body).toMatch(/<time datetime="[^"]*">\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>/);
    expect(page.body).not.toContain('data-zone');
  });

  test('is that of the choice on the account and on management pages, and the page says so to its script', async () => {
    const saved = await choose(ada, 'system', 'Asia/Calcutta');
    expect(saved.body).toContain('<html lang="en" data-zone="Asia/Calcutta">');
    const [, moment = '', shown] = /<time datetime="([^"]*)">([^<]*)<\/time>/.exec(saved.body)!;
    const there = new Date(Date.parse(moment) + 5.5 * 3_600_000).toISOString();
    expect(shown).toContain(`, ${there.slice(11, 16)} GMT+5:30`);
    await callApi(console, 'POST', '/roles', { id: 'Timed', permissions: ['svc:health:read'] });
    const audit = await ada.get('/observe/audit');
    const [, at = '', title] = /<time [^>]*datetime="([^"]*)" title="([^"]*)"/i.exec(audit.body)!;
    const exact = new Date(Date.parse(at) + 5.5 * 3_600_000).toISOString();
    expect(title).toBe(`${exact.slice(0, 10)} ${exact.slice(11, 19)} GMT+5:30`);
  });

  test.each([
    ['America%2FNew_York', 'America/New_York'],
    ['UTC', 'UTC'],
    // Firefox calls it so, and Node otherwise.
    ['Asia%2FKolkata', 'Asia/Calcutta'],
  ])('is that of the browser, where its script has said it and nobody has chosen: %s', async (said, zone) => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    agent.cookies.set('console_zone', { value: said, path: '/' });
    const page = await agent.get('/account');
    expect(page.body).toContain(`data-zone="${zone}"`);
    // Nobody has chosen it: a form that is sent as it is does not, either.
    expect(page.body).not.toMatch(/<option value="[^"]+\/[^"]+" selected/);
    const chosen = await choose(agent, 'system', 'Europe/Berlin');
    expect(chosen.body).toContain('data-zone="Europe/Berlin"');
    expect((await choose(agent, 'system', '')).body).toContain(`data-zone="${zone}"`);
  });

  test.each([
    'Mars%2FOlympus',
    '%',
    '%22%3E%3Cscript%3E',
    '..%2F..%2Fetc',
    '%2B01%3A23',
    'x'.repeat(4_000),
    '__proto__',
  ])('is UTC where the browser is said to be nowhere: %s', async (said) => {
    const agent = createUserAgent(console.url);
    await agent.signIn();
    agent.cookies.set('console_zone', { value: said, path: '/' });
    const page = await agent.get('/account');
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('data-zone');
    expect(page.body).toMatch(/<time datetime="[^"]*">[^<]* UTC<\/time>/);
  });

  test('is chosen by whoever has no role, too', async () => {
    const saved = await choose(nobody, 'dark', 'Europe/Berlin');
    expect(saved.body).toMatch(/<time datetime="[^"]*">[^<]* (?:CET|CEST)<\/time>/);
    expect(saved.body).toContain('<option value="Europe/Berlin" selected>');
  });
});

describe('what is not there to choose', () => {
  test.each([
    ['names that nobody knows', 'pink', 'Mars/Olympus'],
    ['HTML', '"><script>', '<b>UTC</b>'],
    ['nothing', '', ''],
    ['a thousand characters', 'x'.repeat(1_000), 'y'.repeat(1_000)],
    ['a line break', 'dark\r\nSet-Cookie: a=b', 'UTC\n'],
  ])('counts as no choice: %s', async (_what, theme, zone) => {
    const saved = await choose(ada, theme, zone);
    expect([saved.status, schemeIn(saved)]).toEqual([200, 'light dark']);
    expect(saved.body).not.toContain('data-zone');
    expect(ada.cookies.get('console_display')?.value ?? '').toBe('');
  });

  test.each(['theme=dark&zone=<b>', 'zone=../../etc', '%', 'a'.repeat(4_000), 'theme=__proto__'])(
    'a cookie that is none of ours changes nothing: %s',
    async (cookie) => {
      const reply = await createUserAgent(console.url).get('/login', { cookie: `console_display=${cookie}` });
      expect(reply.status).toBe(200);
      expect(reply.body).not.toContain('data-zone');
    },
  );

  test.each(foreignForms)('takes no form $name (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get('/account'), 'csrf')!;
    const sent = { csrf, theme: 'dark', zone: 'UTC', ...fields };
    expect((await ada.post(action, sent, headers)).status).toBe(403);
    expect(schemeIn(await ada.get('/account'))).toBe('light dark');
  });

  test('nobody without a session chooses by that form', async () => {
    const agent = createUserAgent(console.url);
    const csrf = hiddenIn(await agent.get('/login'), 'csrf')!;
    const reply = await agent.post(action, { csrf, theme: 'dark', zone: 'UTC' });
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  });
});
