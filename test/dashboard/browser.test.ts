import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, freePort, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type RunningDashboard, startDashboard } from './support.ts';

const { browser, reason } = await openBrowser();

describe.skipIf(!browser)(`in a real browser${reason ? ` (${reason})` : ''}`, () => {
  let console: RunningConsole;
  let dashboard: RunningDashboard;
  let port: number;
  let context: BrowserContext;
  const complaints: string[] = [];

  beforeAll(async () => {
    port = await freePort();
    console = await startConsole({ env: { SVC_MC_APP_ADDRESSES: `http://localhost:${port}` } });
    dashboard = await start();
    context = await newContext();
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard.stop();
    await console.stop();
  });

  test('the way in ends at plots that move without a reload, and the content policy stops nothing', async () => {
    const page = await signIn(context);
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    const queue = page.locator('article', { hasText: 'jobs' });
    await queue.getByText('0 items', { exact: true }).waitFor();
    expect(await queue.locator('svg').count()).toBe(2);
    await offer('jobs');
    await queue.getByText('1 item', { exact: true }).waitFor();
    await queue.locator('.plot-rise').first().waitFor({ state: 'attached' });
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('who is signed in here is signed in at the console', async () => {
    const page = await context.newPage();
    await page.goto(console.url);
    expect(await page.getByText(admin.username).count()).toBeGreaterThan(0);
    await page.close();
  });

  test('what somebody is typing stays while the page updates', async () => {
    const page = await openOverview(context);
    await page.getByPlaceholder('Item').fill('half a');
    await offer('jobs');
    await page.getByText('2 items', { exact: true }).waitFor();
    expect(await page.getByPlaceholder('Item').inputValue()).toBe('half a');
    await page.close();
  });

  test('after a restart of the dashboard an open page is signed in again by the hidden frame', async () => {
    const page = await openOverview(context);
    const visited: string[] = [];
    const framed: string[] = [];
    page.on('request', (request) => {
      if (!request.isNavigationRequest()) return;
      const isInFrame = request.frame() !== page.mainFrame();
      (isInFrame ? framed : visited).push(new URL(request.url()).pathname);
    });
    await dashboard.stop();
    dashboard = await start();
    await page.waitForEvent('framenavigated', { predicate: (frame) => frame === page.mainFrame() });
    await page.getByText('Cluster healthy').waitFor();
    expect(framed).toEqual(['/login/silent', '/oauth2/authorize', '/silent-refresh.html']);
    expect(visited).toEqual(['/']);
    expect(dashboard.log().filter(({ msg }) => msg === 'signed in')).toHaveLength(1);
    await page.close();
  });

  test('without script the page signs in, shows its plots and loads itself anew', async () => {
    const plain = await newContext({ javaScriptEnabled: false });
    const page = await signIn(plain);
    expect(await page.locator('svg').count()).toBe(4);
    expect(await page.content()).toContain('<meta http-equiv="refresh" content="10; url=/">');
    await plain.close();
  });

  test('signing out at the dashboard signs out at the console', async () => {
    const own = await newContext();
    const page = await signIn(own);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(console.url);
    await page.getByLabel('Password').waitFor();
    await own.close();
  });

  test('signing out at the console takes an open dashboard page to the sign-in', async () => {
    const own = await newContext();
    const page = await signIn(own);
    const other = await own.newPage();
    await other.goto(`${console.url}/connect/logout`);
    await other.locator('main button[type=submit]').first().click();
    await page.waitForURL(`${console.url}/login/**`);
    await own.close();
  });

  function start(): Promise<RunningDashboard> {
    return startDashboard({ port, env: { APP_SECURITY_OPENIDP_ISSUERURL: console.url } });
  }

  async function newContext(options = {}): Promise<BrowserContext> {
    const made = await browser!.newContext(options);
    made.setDefaultTimeout(15_000);
    return made;
  }

  async function signIn(of: BrowserContext): Promise<Page> {
    const page = await of.newPage();
    page.on('console', (message) => {
      if (/content.security.policy/i.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(dashboard.url);
    await page.locator('[name=username]').fill(admin.username);
    await page.locator('[name=password]').fill(admin.password);
    await page.locator('main button[type=submit]').first().click();
    await page.getByText('Cluster healthy').waitFor();
    return page;
  }

  async function openOverview(of: BrowserContext): Promise<Page> {
    const page = await of.newPage();
    await page.goto(dashboard.url);
    await page.getByText('Cluster healthy').waitFor();
    return page;
  }

  async function offer(queue: string): Promise<void> {
    const response = await fetch(`${console.url}/svc/rest/queues/${queue}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await machineToken(console)}` },
      body: 'an item',
    });
    expect(response.status).toBe(200);
  }
});
