/** Console and dashboard with upstream providers, and what a person does there in a real browser. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { UserRecord } from '../../../console/storage/records.ts';
import { type Pair, startPair } from '../../dashboard/support.ts';
import { runTool } from '../../helpers/commands.ts';
import { allUsers, until, withStore } from '../../helpers/store.ts';

/** Both may call the providers of a test, which are at loopback addresses. */
export function startTour(): Promise<Pair> {
  return startPair({ console: { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' } });
}

/** `npx console idp add <id> …`, until the running console offers it. @returns what it prints as JSON */
export async function addProvider(
  { console }: Pair,
  id: string,
  flags: readonly string[],
  secret = '',
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr, json } = await runTool(['idp', 'add', id, ...flags, '--json'], {
    dataDir: console.dataDir,
    env: { CONSOLE_URL: console.url, CONSOLE_OUTBOUND_ALLOW: '127.0.0.1' },
    stdin: secret,
  });
  if (code !== 0) throw new Error(`idp add ${id} ended with ${code}: ${stdout}${stderr}`);
  const isOffered = async () =>
    (await (await fetch(`${console.url}/login`)).text()).includes(`/login/start/${id}`);
  if (!flags.includes('ldap')) await until(isOffered, `${id} on the sign-in page`, 20_000);
  return json();
}

/** What the console tells this SAML provider of itself. */
export async function ownMetadata({ console }: Pair, id: string): Promise<string> {
  const response = await fetch(`${console.url}/login/saml/${id}/metadata`);
  if (!response.ok) throw new Error(`no metadata for ${id}: ${response.status}`);
  return response.text();
}

/** Accounts that came from outside, by name. */
export async function upstreamAccounts({ console }: Pair): Promise<Map<string, UserRecord>> {
  const upstream = (await withStore(console.dataDir, allUsers)).filter(
    ({ federated }) => federated !== undefined,
  );
  return new Map(upstream.map((user) => [user.username, user]));
}

/** A provider as people meet it. */
export interface ProviderInBrowser {
  /** Shown on the console's page. */
  readonly name: string;
  /** The button that sends its form. */
  button(page: Page): Locator;
  /** Fills in the form and sends it. */
  typeIn(page: Page, username: string): Promise<void>;
}

export interface BrowserUser {
  readonly page: Page;
  /** At the dashboard: the console's page, the choice, the provider's form. */
  chooseAtDashboard(provider: ProviderInBrowser): Promise<void>;
  /** The same up to the dashboard's overview. */
  signIn(provider: ProviderInBrowser, username: string): Promise<void>;
  /** At the console's own page, up to the home page. */
  signInAtConsole(provider: ProviderInBrowser, username: string): Promise<void>;
  isAskedAtConsole(): Promise<boolean>;
  isAskedAtDashboard(): Promise<boolean>;
  /** Whether the provider wants the password again. */
  isAskedAt(provider: ProviderInBrowser): Promise<boolean>;
  /** Loses the sessions at the console and at the dashboard, and keeps those at providers. */
  forget(): Promise<void>;
  leave(): Promise<void>;
}

/** A live page leaves by itself when its session ends: that may come in between. */
async function open(page: Page, url: string): Promise<void> {
  try {
    await page.goto(url);
  } catch (error) {
    // Chromium says the one or the other, by how far the page's own has come.
    if (!/interrupted by another navigation|net::ERR_ABORTED/.test(String(error))) throw error;
    await page.waitForLoadState();
    await page.goto(url);
  }
}

export async function visit(browser: Browser, { console, dashboard }: Pair): Promise<BrowserUser> {
  const context: BrowserContext = await browser.newContext();
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const question = page.getByRole('heading', { name: 'Sign in', exact: true });
  const browserUser: BrowserUser = {
    page,
    async chooseAtDashboard({ name }) {
      await open(page, dashboard.url);
      await page.getByRole('link', { name }).click();
    },
    async signIn(provider, username) {
      await browserUser.chooseAtDashboard(provider);
      await provider.typeIn(page, username);
      await page.waitForURL(`${dashboard.url}/**`);
    },
    async signInAtConsole(provider, username) {
      await open(page, `${console.url}/login`);
      await page.getByRole('link', { name: provider.name }).click();
      await provider.typeIn(page, username);
      await page.waitForURL(`${console.url}/`);
    },
    async isAskedAtConsole() {
      await open(page, console.url);
      return question.isVisible();
    },
    async isAskedAtDashboard() {
      await open(page, dashboard.url);
      return new URL(page.url()).origin === console.url && (await question.isVisible());
    },
    async isAskedAt(provider) {
      await open(page, `${console.url}/login`);
      await page.getByRole('link', { name: provider.name }).click();
      const button = provider.button(page);
      await button
        .or(page.getByRole('button', { name: 'Sign out' }))
        .first()
        .waitFor();
      return button.isVisible();
    },
    forget: () => context.clearCookies({ domain: new URL(console.url).hostname }),
    leave: () => context.close(),
  };
  return browserUser;
}
