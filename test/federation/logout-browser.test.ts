/** One sign-out for dashboard, console and upstream provider, in a real browser. */
import { rm } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningDashboard, startDashboard } from '../dashboard/support.ts';
import { openBrowser } from '../helpers/browser.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { missingOpenssl } from './saml-provider.ts';
import { type SamlServer, startSamlServer } from './saml-server.ts';
import type { RunningProvider } from './support.ts';
import { startOpenIdProvider } from './upstream.ts';

const { browser: found, reason: noBrowser } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());
const reason = found ? missingOpenssl() : noBrowser;

describe.skipIf(reason !== undefined)(`upstream sign-out in a browser${reason ? ` (${reason})` : ''}`, () => {
  let corp: RunningProvider;
  let staff: SamlServer;
  let forms: SamlServer;
  let console: RunningConsole;
  let dashboard: RunningDashboard;
  let dataDir: string;
  let context: BrowserContext;
  let page: Page;
  /** What the browser has refused for the sake of a policy. */
  const complaints: string[] = [];

  beforeAll(async () => {
    const [port, dashboardPort] = [await freePort(), await freePort()];
    const url = `http://localhost:${port}`;
    corp = await startOpenIdProvider(url, 'corp');
    staff = await startSamlServer(url, 'staff', 'Staff', 'redirect');
    forms = await startSamlServer(url, 'forms', 'Forms', 'post');
    const providers = [oidcProvider('corp', 'Corp', corp.issuer), staff.provider, forms.provider];
    dataDir = await storeWithProviders(...providers);
    const env = {
      CONSOLE_OUTBOUND_ALLOW: '127.0.0.1',
      SVC_MC_APP_ADDRESSES: `http://localhost:${dashboardPort}`,
    };
    console = await startConsole({ port, dataDir, env });
    dashboard = await startDashboard({ port: dashboardPort, env: { APP_SECURITY_OPENIDP_ISSUERURL: url } });
  });
  afterAll(async () => {
    await dashboard?.stop();
    await console?.stop();
    await Promise.all([corp, staff, forms].map((one) => one?.close()));
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    context = await browser.newContext();
    // The provider's pages ask for a font elsewhere.
    await context.route(
      ({ hostname }) => !['localhost', '127.0.0.1'].includes(hostname),
      (route) => route.abort(),
    );
    context.setDefaultTimeout(20_000);
    page = await newPage();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function newPage(): Promise<Page> {
    const made = await context.newPage();
    made.on('console', (message) => {
      if (/content.security.policy/i.test(message.text())) complaints.push(message.text());
    });
    return made;
  }

  const chooseProvider = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const isAskedAtCorp = () => page.getByPlaceholder('Enter any login').waitFor();

  async function signInAtCorp(login: string): Promise<void> {
    await chooseProvider('Corp');
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('whatever');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  async function signInAtDashboard(login: string): Promise<void> {
    await page.goto(dashboard.url);
    await signInAtCorp(login);
    await page.getByText('Cluster healthy').waitFor();
  }

  test('out at the dashboard: out at the console and at the provider, and back at the dashboard', async () => {
    await signInAtDashboard('ada');
    await page.getByRole('button', { name: 'Sign out' }).click();
    // The provider asks in its own words; by then the session here is over.
    await page.getByRole('button', { name: 'Yes, sign me out' }).waitFor();
    expect(page.url()).toMatch(new RegExp(`^${corp.issuer}/session/end\\?`));
    const other = await newPage();
    await other.goto(console.url);
    await other.getByLabel('Password').waitFor();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.waitForURL(`${dashboard.url}/**`);
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();

    await page.goto(dashboard.url);
    await chooseProvider('Corp');
    await isAskedAtCorp();
  });

  test('out at the console: out at the dashboard and at the provider', async () => {
    await signInAtDashboard('grace');
    page = await newPage();
    await page.goto(`${console.url}/connect/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByText('You are signed out at Corp too.').waitFor();
    await page.goto(dashboard.url);
    await page.waitForURL(`${console.url}/login/**`);
    await chooseProvider('Corp');
    await isAskedAtCorp();
  });

  test('whoever stays at the provider, and goes back, reads that the session there may be open', async () => {
    await page.goto(`${console.url}/login`);
    await signInAtCorp('hedy');
    await page.getByText('hedy', { exact: true }).first().waitFor();
    await page.goto(`${console.url}/connect/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'No, stay signed in' }).waitFor();
    await page.goBack();
    await page.getByText('your session there may still be open').waitFor();
    // The page does not go on by itself a second time; who wants to, does.
    await page.getByRole('link', { name: 'Sign out at Corp' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByText('You are signed out at Corp too.').waitFor();
  });

  test('out at the provider: out at the console and at the dashboard', async () => {
    await signInAtDashboard('lise');
    const other = await newPage();
    await other.goto(`${corp.issuer}/session/end`);
    await other.getByRole('button', { name: 'Yes, sign me out' }).click();
    // The open page of the dashboard hears of it by itself.
    await page.waitForURL(`${console.url}/login/**`);
    await other.goto(console.url);
    await other.getByLabel('Password').waitFor();
  });

  test('SAML, without a form: there and back', async () => {
    await page.goto(`${console.url}/login`);
    await chooseProvider('Staff');
    await page.getByText('ada@staff', { exact: true }).first().waitFor();
    await page.goto(`${console.url}/connect/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out at Staff too.').waitFor();
    expect(staff.asked).toContain('/logout');
  });

  test('SAML, by forms: one press more', async () => {
    await page.goto(`${console.url}/login`);
    await chooseProvider('Forms');
    await page.getByText('ada@forms', { exact: true }).first().waitFor();
    await page.goto(`${console.url}/connect/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Continue to Forms' }).click();
    await page.getByText('You are signed out at Forms too.').waitFor();
  });

  test('SAML: out at the provider, out here, and the provider is told', async () => {
    await page.goto(`${console.url}/login`);
    await chooseProvider('Staff');
    await page.getByText('ada@staff', { exact: true }).first().waitFor();
    const other = await newPage();
    await other.goto(`${staff.origin}/start-logout`);
    await other.waitForURL(`${staff.origin}/logged-out?SAMLResponse=**`);
    // The open page hears of it by itself, and loads itself anew. To open another in it at that time would be a race.
    await page.getByLabel('Password').waitFor();
    await other.goto(console.url);
    await other.getByLabel('Password').waitFor();
  });
});
