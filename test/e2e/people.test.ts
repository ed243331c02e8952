import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, type Parameters as Request, redeem } from '../helpers/sign-in.ts';
import { addClient, thirdParty } from '../helpers/store.ts';
import { type Application, startApplication } from './application.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

describe.skipIf(!found)(`people in a browser${reason ? ` (${reason})` : ''}`, () => {
  let application: Application;
  let console: RunningConsole;
  let contexts: BrowserContext[] = [];
  /** What browsers have complained about: policies, failed loads, errors of scripts. */
  const complaints: string[] = [];

  beforeAll(async () => {
    application = await startApplication();
    console = await startConsole({ env: { SVC_MC_APP_ADDRESSES: application.address } });
    await addClient(console.dataDir, {
      ...thirdParty,
      redirectUris: [`${application.address}/wallboard/callback`],
      postLogoutRedirectUris: [`${application.address}/wallboard/`],
    });
  });
  afterAll(async () => {
    await console?.stop();
    await application?.close();
  });
  async function closeAll(): Promise<void> {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
  }
  afterEach(async () => {
    await closeAll();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function newPage(options: ContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on('console', (message) => {
      // An error is a status that is meant; Chrome reports it like a failure.
      const isErrorStatus = /the server responded with a status of (400|401|403|404|429)/.test(
        message.text(),
      );
      if (['error', 'warning'].includes(message.type()) && !isErrorStatus) {
        complaints.push(`${message.text()} (${message.location().url})`);
      }
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return page;
  }

  const ask = (changes: Request = {}) =>
    console.url + authorizationPath({ redirect_uri: `${application.address}/login/callback`, ...changes });
  const wallboard = (changes: Request = {}) =>
    ask({ client_id: thirdParty.id, redirect_uri: `${application.address}/wallboard/callback`, ...changes });
  const parametersOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

  async function signIn(page: Page, { username, password }: typeof admin = admin): Promise<void> {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function signInHere(options: ContextOptions = {}): Promise<Page> {
    const page = await newPage(options);
    await page.goto(`${console.url}/login`);
    await signIn(page);
    await page.waitForURL(`${console.url}/`);
    return page;
  }

  test.each([true, false])('an application signs somebody in, with script: %s', async (javaScriptEnabled) => {
    const page = await newPage({ javaScriptEnabled });
    await page.goto(ask());
    expect(await page.title()).toBe('Sign in · Cluster Console');
    await signIn(page, { ...admin, password: 'wrong-staple-battery-1' });
    expect(await page.title()).toBe('Problem: Sign in · Cluster Console');
    expect(await page.getByRole('alert').textContent()).toContain('not right');
    expect(await page.getByLabel('Username').inputValue()).toBe(admin.username);
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await signIn(page);
    await page.waitForURL(`${application.address}/login/callback?**`);
    const { code, state, iss } = parametersOf(page);
    expect({ state, iss }).toEqual({ state: 'some-state', iss: console.url });
    const redirectUri = `${application.address}/login/callback`;
    expect((await redeem(console, code!, { redirect_uri: redirectUri })).status).toBe(200);
    await page.goto(console.url);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${console.url}/connect/logout/success**`);
    expect(await page.title()).toBe('You are signed out · Cluster Console');
    await page.goto(console.url);
    expect(page.url()).toBe(`${console.url}/login`);
  });

  test('an iframe of a registered address renews silently, and without a session learns so', async () => {
    const page = await signInHere();
    const silent = ask({ prompt: 'none', redirect_uri: `${application.address}/silent-refresh.html` });
    const embed = async () => {
      await page.goto(`${application.address}/?frame=${encodeURIComponent(silent)}`);
      const frame = page.frames().find((one) => one !== page.mainFrame())!;
      await frame.waitForURL(`${application.address}/silent-refresh.html?**`);
      return Object.fromEntries(new URL(frame.url()).searchParams);
    };
    expect(await embed()).toMatchObject({ code: expect.any(String), state: 'some-state', iss: console.url });
    await page.context().clearCookies();
    expect(await embed()).toMatchObject({ error: 'login_required', state: 'some-state', iss: console.url });
  });

  test('the sign-in page is shown in no frame (S51)', async () => {
    const page = await newPage();
    await page.goto(`${application.address}/?frame=${encodeURIComponent(`${console.url}/login`)}`);
    await console.waitFor(() => complaints.length > 0, 'the browser to refuse');
    expect(complaints.splice(0).join()).toMatch(/frame-ancestors/);
    expect(await page.frames().at(-1)!.getByLabel('Password').count()).toBe(0);
  });

  test('an application of others: denied, then allowed, then not asked again', async () => {
    const page = await signInHere();
    await page.goto(wallboard({ scope: 'openid app:Viewer' }));
    expect(await page.title()).toBe('Allow wallboard to use your account? · Cluster Console');
    expect(await page.getByRole('main').textContent()).toContain(application.address);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${application.address}/wallboard/callback?**`);
    expect(parametersOf(page)).toMatchObject({ error: 'access_denied', iss: console.url });
    await page.goto(wallboard({ scope: 'openid app:Viewer' }));
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${application.address}/wallboard/callback?**`);
    const { code } = parametersOf(page);
    const redirect = { client_id: thirdParty.id, redirect_uri: `${application.address}/wallboard/callback` };
    expect((await redeem(console, code!, redirect)).body.scope).toBe('openid app:Viewer');
    await page.goto(wallboard({ scope: 'openid app:Viewer' }));
    expect(parametersOf(page)).toHaveProperty('code');
  });

  test('sign-in and consent in one go', async () => {
    const page = await newPage();
    await page.goto(wallboard());
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${application.address}/wallboard/callback?**`);
    expect(parametersOf(page)).toHaveProperty('code');
  });

  test('a page that posts the answer to the application', async () => {
    const page = await signInHere();
    await page.goto(ask({ response_mode: 'form_post' }));
    await page.waitForURL(`${application.address}/login/callback`);
  });

  test('another account over a live session', async () => {
    const page = await signInHere();
    await page.goto(ask({ prompt: 'login' }));
    expect(await page.title()).toBe('Confirm it’s you · Cluster Console');
    expect(await page.getByLabel('Username').inputValue()).toBe(admin.username);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.waitForURL(`${application.address}/login/callback?**`);
  });

  test('one browser ends the session of another, changes the password, and stays signed in', async () => {
    const own = await startConsole();
    try {
      const pages = await Promise.all([newPage(), newPage()]);
      for (const page of pages) {
        await page.goto(`${own.url}/login`);
        await signIn(page);
        await page.waitForURL(`${own.url}/`);
      }
      const [here, there] = pages as [Page, Page];
      await here.getByRole('link', { name: admin.username }).click();
      await here.getByRole('button', { name: /^End/ }).click();
      expect(await here.getByRole('status').textContent()).toContain('The session has ended');
      // A live page leaves by itself.
      await there.waitForURL(`${own.url}/login`);
      await here.getByLabel('Current password').fill(admin.password);
      await here.getByLabel('New password', { exact: true }).fill('quite-another-sentence-7');
      await here.getByLabel('Confirm new password').fill('quite-another-sentence-7');
      await here.getByRole('button', { name: 'Change password' }).click();
      expect(await here.getByRole('status').textContent()).toContain('Your password is changed');
      await here.goto(`${own.url}/account`);
      expect(await here.getByRole('heading', { level: 1 }).textContent()).toBe(admin.username);
      await signIn(there, { ...admin, password: 'quite-another-sentence-7' });
      await there.waitForURL(`${own.url}/`);
    } finally {
      // First: a live page would ask the console that has gone.
      await closeAll();
      await own.stop();
    }
  });

  test('a live page whose session ends does not come in the way of whoever leaves it', async () => {
    const page = await signInHere();
    const elsewhere = `${application.address}/elsewhere`;
    let answer = () => {};
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(elsewhere, async (route) => {
      await mayAnswer;
      await route.continue();
    });
    const asked = page.waitForRequest(elsewhere);
    await page.evaluate((to) => void setTimeout(() => location.assign(to), 0), elsewhere);
    await asked;
    const other = await signInHere();
    await other.goto(`${console.url}/account`);
    await other.getByRole('button', { name: /^End/ }).first().click();
    expect(await other.getByRole('status').textContent()).toContain('The session has ended');
    // Longer than until the stream of a session that has ended says so.
    await other.waitForTimeout(1_500);
    answer();
    await page.waitForURL(elsewhere);
  });

  test('an application signs out, with a hint at once and without one after a question', async () => {
    const page = await signInHere();
    const home = `${application.address}/`;
    const redirectUri = `${application.address}/login/callback`;
    await page.goto(ask());
    const { body } = await redeem(console, parametersOf(page).code!, { redirect_uri: redirectUri });
    const logout = (parameters: Record<string, string>) =>
      page.goto(
        `${console.url}/connect/logout?${new URLSearchParams({ post_logout_redirect_uri: home, ...parameters })}`,
      );
    await logout({ client_id: 'application-dashboard', state: 'asked' });
    await page.getByRole('link', { name: 'Stay signed in' }).click();
    expect(page.url()).toBe(`${console.url}/`);
    await logout({ id_token_hint: body.id_token, state: 'hinted' });
    expect(page.url()).toBe(`${home}?state=hinted`);
    await page.goto(`${console.url}/login`);
    await signIn(page);
    await page.waitForURL(`${console.url}/`);
    await logout({ client_id: 'application-dashboard', state: 'asked' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${home}?state=asked`);
    await page.goto(console.url);
    expect(page.url()).toBe(`${console.url}/login`);
  });

  test('the first start: the printed link, the form, the account', async () => {
    const fresh = await startConsole({
      env: { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined },
    });
    try {
      const page = await newPage();
      await page.goto(/http:\/\/\S+\/setup\?token=\S+/.exec(fresh.stdout())![0]);
      await page.getByLabel('Username').fill('grace');
      await page.getByLabel('Email').fill('grace@example.org');
      for (const password of ['password1234', 'a-nice-harbour-in-fog']) {
        await page.getByLabel('Password', { exact: true }).fill(password);
        await page.getByLabel('Confirm password').fill(password);
        await page.getByRole('button', { name: 'Create administrator' }).click();
        if (password === 'password1234') {
          expect(await page.getByRole('alert').textContent()).toContain('easy to guess');
          expect(await page.getByLabel('Username').inputValue()).toBe('grace');
        }
      }
      await page.waitForURL(`${fresh.url}/settings/start`);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Get started');
      await page.getByRole('link', { name: 'grace' }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('grace');
      expect(await page.getByRole('main').textContent()).toContain('Admin');
    } finally {
      await closeAll();
      await fresh.stop();
    }
  });

  test('errors say what to do', async () => {
    const page = await newPage();
    const text = () => page.getByRole('main').textContent();
    await page.goto(ask({ client_id: 'nobody' }));
    expect(await text()).toContain('Tell those who run it');
    await page.goto(ask({ redirect_uri: 'https://evil.example/' }));
    expect(await text()).toContain('must be registered exactly');
    await page.goto(ask());
    await page.context().clearCookies();
    await signIn(page);
    expect(await text()).toContain('Start it again from the application');
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    expect(page.url()).toBe(`${console.url}/login`);
  });

  test('the keyboard alone is enough', async () => {
    const page = await newPage();
    await page.goto(`${console.url}/login`);
    await page.keyboard.press('Tab');
    await page.keyboard.type(admin.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(admin.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${console.url}/`);
  });
});

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;
