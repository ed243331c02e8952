/** D23: what somebody sees who comes to the console for the first time, or by another name of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';
import { authorizationPath, signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent, formsOf, textOf, titleOf } from '../helpers/user-agent.ts';
import { sendRaw } from '../oidc/support.ts';

describe('before the set-up (D23)', () => {
  let fresh: RunningConsole;
  beforeAll(async () => {
    const none = { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined };
    fresh = await startConsole({ env: none });
  });
  afterAll(() => fresh?.stop());

  test.each([['/'], ['/login'], [authorizationPath()]])(
    '%s says what to do, and asks for no password',
    async (path) => {
      const agent = createUserAgent(fresh.url);
      const page = await agent.follow(await agent.get(path));
      expect([page.status, titleOf(page)]).toEqual([200, 'Not set up yet']);
      expect(textOf(page)).toContain('/setup?token=');
      expect(page.body).not.toContain('type="password"');
      const link = /http:\/\/\S+\/setup\?token=(\S+)/.exec(fresh.stdout())!;
      expect(page.body).not.toContain(link[1]);
    },
  );
});

test('at a name that is not known there, the set-up says where its form works (D23)', async () => {
  const none = { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined };
  const fresh = await startConsole({ env: none });
  try {
    const [link] = /http:\/\/\S+\/setup\?token=\S+/.exec(fresh.stdout())!;
    const { pathname, search } = new URL(link);
    const at = (host: string) =>
      sendRaw(
        fresh.port,
        `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
      );
    expect((await at('console.example')).body).toContain(
      `This console is at <a href="${link}" class="code">`,
    );
    expect((await at(`localhost:${fresh.port}`)).body).not.toContain('This console is at');
  } finally {
    await fresh.stop();
  }
});

describe('once it is set up (D23)', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());

  test('and so does the form where somebody chooses a password', async () => {
    const made = (await callApi(console, 'POST', '/users', { id: 'grace' })) as { id: string };
    const { link } = (await callApi(console, 'POST', `/users/${made.id}/invite`, {})) as { link: string };
    const { pathname, search } = new URL(link);
    const reply = await raw(pathname + search, 'console.example');
    expect(reply.body).toContain(`This console is at <a href="${link}" class="code">`);
  });

  const raw = (target: string, host: string, accept = 'text/html') =>
    sendRaw(
      console.port,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`,
    );

  test.each(['127.0.0.1', '[::1]'])(
    'a browser at %s is led to localhost before anybody types',
    async (name) => {
      const reply = await raw('/login?a=b', `${name}:${console.port}`);
      expect(reply.status).toBe(303);
      expect(reply.head).toContain(`location: ${console.url}/login?a=b`.replace('location', 'Location'));
    },
  );

  test.each([
    ['another port, as behind a proxy', (port: number) => `127.0.0.1:${port + 1}`, 'text/html'],
    ['a program', (port: number) => `127.0.0.1:${port}`, 'application/json'],
  ])('nobody is led in circles: %s', async (_name, host, accept) => {
    expect((await raw('/login', host(console.port), accept)).status).toBe(200);
  });

  test('at a name that is not known here, the form says where the console is', async () => {
    const reply = await raw('/login', 'console.example');
    expect(reply.status).toBe(200);
    expect(reply.body).toContain(
      `This console is at <a href="${console.url}/" class="code">${console.url}</a>`,
    );
    expect((await raw('/login', `localhost:${console.port}`)).body).not.toContain('This console is at');
  });

  test('signing out takes one press, with the token of this browser', async () => {
    const agent = createUserAgent(console.url);
    const home = await agent.signIn();
    const forged = await agent.submit(home, { csrf: 'x' }, { action: '/connect/logout/confirm' });
    expect(forged.status).toBe(403);
    expect((await agent.get('/account')).status).toBe(200);
    const out = await agent.follow(await agent.submit(home, {}, { action: '/connect/logout/confirm' }));
    expect([out.status, titleOf(out)]).toEqual([200, 'You are signed out']);
    expect((await agent.get('/account')).status).toBe(303);
  });

  test('the account page names the applications of every open session', async () => {
    await signInForTokens(console, createUserAgent(console.url));
    const home = await createUserAgent(console.url).signIn();
    expect(textOf(home)).toMatch(/Applications Where you have signed in with this account\. \S+ Since/);
  });

  test('only pages that show times run a script, and only one of ours', async () => {
    const agent = createUserAgent(console.url);
    const login = await agent.get('/login');
    expect(login.headers['content-security-policy']).toContain("script-src 'none'");
    const home = await agent.signIn();
    expect(home.headers['content-security-policy']).toContain("script-src 'self'");
    const [script] = [...home.body.matchAll(/<script src="([^"]+)" defer/g)];
    expect((await agent.get(script![1]!)).headers['content-type']).toMatch(/^text\/javascript/);
    expect(formsOf(home.body).length).toBeGreaterThan(0);
  });
});

const { browser, reason } = await openBrowser();
afterAll(() => browser?.close());

describe.skipIf(reason)(`times${reason ? ` (${reason})` : ''} (D23)`, () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());

  test.each([
    ['in the zone of the browser', true, /\d\d:\d\d GMT\+5:30$/],
    ['in UTC, said so, without script', false, /\d\d:\d\d UTC$/],
  ])('are %s', async (_name, javaScriptEnabled, shown) => {
    const context = await browser!.newContext({ timezoneId: 'Asia/Kolkata', javaScriptEnabled });
    const page = await context.newPage();
    await page.goto(`${console.url}/login`);
    await page.getByLabel('Username').fill(admin.username);
    await page.getByLabel('Password').fill(admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // The first page says in which zone the browser is.
    await page.waitForLoadState();
    await page.goto(`${console.url}/account`);
    expect(await page.locator('time').first().innerText()).toMatch(shown);
    await context.close();
  });
});
