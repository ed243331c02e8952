/** English or German before a sign-in: by the browser, or by choice on the page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { createUserAgent, type Reply, textOf, titleOf } from '../helpers/user-agent.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
}, 30_000);
afterAll(() => console?.stop());

const agentWith = (language: string) =>
  createUserAgent(console.url, { headers: { 'accept-language': language } });
const languageOf = ({ body }: Reply) => /<html lang="(\w+)"/.exec(body)?.[1];

describe('the language', () => {
  test.each([
    ['de-DE,de;q=0.9,en;q=0.8', 'de', 'Anmelden'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en', 'Sign in'],
    ['fr,de;q=0.5', 'de', 'Anmelden'],
    ['fr-FR', 'en', 'Sign in'],
    ['*', 'en', 'Sign in'],
    ['de;q=x,<b>,;;;', 'en', 'Sign in'],
  ])('is the first of ours that the browser takes: %s', async (accepted, language, title) => {
    const page = await agentWith(accepted).get('/login');
    expect([languageOf(page), titleOf(page)]).toEqual([language, title]);
  });

  test('is that of errors, and of what was wrong with a sign-in, too', async () => {
    const agent = agentWith('de');
    const missing = await agent.get('/no/such/page');
    expect([missing.status, languageOf(missing), titleOf(missing)]).toEqual([
      404,
      'de',
      'Problem: Unter dieser Adresse ist nichts',
    ]);
    expect(textOf(missing)).toContain('Es gibt keine Seite /no/such/page. Zur Startseite');
    const wrong = await agent.submit(await agent.get('/login'), { username: 'ada', password: 'wrong' });
    expect(textOf(wrong)).toContain('Der Benutzername oder das Passwort stimmt nicht.');
    const forged = await agent.post('/login', { csrf: 'x', username: 'ada', password: 'x' });
    expect([forged.status, titleOf(forged)]).toEqual([
      403,
      'Problem: Das Formular kam nicht aus diesem Browser',
    ]);
    const setup = await agent.get('/setup?token=x');
    expect(textOf(setup)).toContain('Der erste Administrator ist angelegt: Melden Sie sich an.');
    const device = await agent.submit(await agent.get('/device'), { user_code: 'BBBB-BBBB' });
    expect(textOf(device)).toContain('Diesen Code gibt es nicht.');
  });

  test('stays English for programs, and goes on behind the sign-in', async () => {
    const headers = { accept: 'application/json', 'accept-language': 'de' };
    const problem = await (await fetch(`${console.url}/no`, { headers })).json();
    expect(problem).toMatchObject({ code: 'not_found', title: 'There is nothing at this address' });
    const agent = agentWith('de');
    const account = await agent.follow(await agent.signIn());
    expect([languageOf(await agent.get('/account')), titleOf(await agent.get('/account'))]).toEqual([
      'de',
      'Ihr Konto',
    ]);
    expect(account.status).toBe(200);
  });
});

describe('the choice on the page', () => {
  test('counts from then on in this browser, and leads back to the page', async () => {
    const agent = agentWith('en');
    const page = await agent.get('/login');
    expect(page.body).toContain('<a href="/language/de" lang="de" hreflang="de" rel="nofollow">Deutsch</a>');
    const chosen = await agent.get('/language/de', { referer: `${console.url}/login?x=1` });
    expect([chosen.status, chosen.headers.location]).toEqual([303, '/login?x=1']);
    const german = await agent.follow(chosen);
    expect([languageOf(german), titleOf(german)]).toEqual(['de', 'Anmelden']);
    expect(german.body).toContain('<a href="/language/en" lang="en"');
    const back = await agent.follow(await agent.get('/language/en', { referer: german.url }));
    expect(languageOf(back)).toBe('en');
  });

  test('keeps theme and zone as they were chosen', async () => {
    const agent = agentWith('en');
    agent.cookies.set('console_display', { value: 'theme=dark&zone=Europe%2FBerlin', path: '/' });
    const page = await agent.follow(await agent.get('/language/de', { referer: `${console.url}/login` }));
    expect(page.body).toContain('<html lang="de" data-zone="Europe/Berlin">');
    expect(page.body).toContain('name="color-scheme" content="dark"');
  });

  test.each([
    ['another site', 'https://evil.example/login'],
    ['another site that looks like a path', 'LOCAL//evil.example'],
    ['itself', 'LOCAL/language/de'],
    ['nothing', ''],
    ['what is no address', 'javascript:alert(1)'],
  ])('leads home from %s (S35)', async (_what, referer) => {
    const agent = agentWith('en');
    const reply = await agent.get('/language/de', { referer: referer.replace('LOCAL', console.url) });
    expect([reply.status, reply.headers.location]).toEqual([303, '/']);
  });

  test('is none for a language that is not there', async () => {
    const agent = agentWith('en');
    for (const language of ['fr', 'constructor', '..%2f', 'DE']) {
      expect((await agent.get(`/language/${language}`)).status).toBe(404);
    }
    expect(agent.cookies.get('console_display')).toBeUndefined();
  });
});
