/** An application that nobody here wrote: Apache with mod_auth_openidc, configured as docs/applications.md says. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addPerson, type Pair, people, startPair } from '../dashboard/support.ts';
import { openBrowser } from '../helpers/browser.ts';
import { toolDone } from '../helpers/commands.ts';
import { freePort } from '../helpers/console.ts';
import { noticesTo } from '../helpers/relying-party.ts';
import { until } from '../helpers/store.ts';
import { apacheIsMissing, type RunningApache, startApache } from './support/apache.ts';
import { documented, pasteClientAdd } from './support/documented.ts';

const { browser: found, reason } = apacheIsMissing ? {} : await openBrowser();
const browser = found as Browser;
const missing = apacheIsMissing ?? reason;
afterAll(() => found?.close());

const title = `Apache with mod_auth_openidc${missing ? ` (skipped: ${missing})` : ''}`;

describe.skipIf(missing)(title, { timeout: 90_000 }, () => {
  let pair: Pair;
  let apache: RunningApache;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    pair = await startPair();
    apache = await startDocumented(pair.console);
    await addPerson(pair.console, people.viewer);
  });
  afterAll(async () => {
    await apache?.stop();
    await pair?.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    context.setDefaultTimeout(20_000);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  test('the protected page asks the console, by code and PKCE, and gets the name and the roles', async () => {
    const asked = page.waitForRequest((request) => request.url().includes('/oauth2/authorize?'));
    await signIn(people.admin);
    expect(Object.fromEntries(new URL((await asked).url()).searchParams)).toMatchObject({
      client_id: 'wiki',
      response_type: 'code',
      redirect_uri: `${apache.url}/private/callback`,
      code_challenge_method: 'S256',
    });
    expect(await shownClaims()).toEqual({
      REMOTE_USER: people.admin.username,
      OIDC_CLAIM_preferred_username: people.admin.username,
      OIDC_CLAIM_roles: 'Admin',
      OIDC_CLAIM_iss: pair.console.url,
    });
  });

  test('the roles decide what Apache shows', async () => {
    await signIn(people.viewer);
    expect((await page.goto(`${apache.url}/private/admin/`))?.status()).toBe(403);
    await context.clearCookies();
    await signIn(people.admin);
    expect((await page.goto(`${apache.url}/private/admin/`))?.status()).toBe(200);
    expect(await page.getByRole('heading').innerText()).toBe('For administrators');
  });

  test('who is signed in there is signed in at the console and at the dashboard without typing', async () => {
    await signIn(people.admin);
    await expectSignedInAtConsole(people.admin.username);
    await page.goto(pair.dashboard.url);
    await page.getByText('Cluster healthy').waitFor();
  });

  test('who is signed in at the dashboard is signed in there without typing', async () => {
    await page.goto(pair.dashboard.url);
    await enter(people.viewer);
    await page.getByText('Cluster healthy').waitFor();
    await page.goto(`${apache.url}/private/`);
    expect(await shownClaims()).toMatchObject({ REMOTE_USER: people.viewer.username });
  });

  test('signing out at the console ends the session at Apache, by the back channel', async () => {
    await signIn(people.admin);
    const before = confirmed();
    await page.goto(`${pair.console.url}/connect/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await until(async () => confirmed() > before, 'Apache to confirm', 20_000);
    expect(await isSignedInAtApache()).toBe(false);
    await expectQuestion(`${apache.url}/private/`);
  });

  test('signing out at Apache ends the sessions at the console and at the dashboard', async () => {
    await signIn(people.admin);
    await page.goto(pair.dashboard.url);
    await page.getByText('Cluster healthy').waitFor();
    await page.goto(`${apache.url}/private/`);
    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.waitForURL(`${apache.url}/signed-out.html`);
    expect(await isSignedInAtApache()).toBe(false);
    await expectQuestion(pair.console.url);
    await expectQuestion(pair.dashboard.url);
  });

  test('signing out at the dashboard ends the session at Apache', async () => {
    await signIn(people.admin);
    await page.goto(pair.dashboard.url);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await until(async () => !(await isSignedInAtApache()), 'Apache to know', 20_000);
  });

  test('a person who is disabled at the console is out of Apache', async () => {
    await toolDone(['user', 'enable', people.viewer.username], pair.console);
    await signIn(people.viewer);
    await toolDone(['user', 'disable', people.viewer.username], pair.console);
    await until(async () => !(await isSignedInAtApache()), 'Apache to know', 20_000);
  });

  async function signIn(person: Person): Promise<void> {
    await page.goto(`${apache.url}/private/`);
    await enter(person);
    await page.waitForURL(`${apache.url}/private/`);
    expect(await isSignedInAtApache()).toBe(true);
  }

  async function enter({ username, password }: Person): Promise<void> {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function expectSignedInAtConsole(username: string): Promise<void> {
    await page.goto(pair.console.url);
    expect(await page.getByText(username).count()).toBeGreaterThan(0);
  }

  async function expectQuestion(url: string): Promise<void> {
    await page.goto(url);
    await page.getByLabel('Password', { exact: true }).waitFor();
    expect(new URL(page.url()).origin).toBe(pair.console.url);
  }

  /** Its own session, whatever the console says: the page comes without a way round by the console. */
  async function isSignedInAtApache(): Promise<boolean> {
    const response = await context.request.get(`${apache.url}/private/`, { maxRedirects: 0 });
    return response.status() === 200;
  }

  async function shownClaims(): Promise<Record<string, string>> {
    const rows = await page.getByRole('listitem').allInnerTexts();
    return Object.fromEntries(rows.map((row) => row.split('=') as [string, string]));
  }

  function confirmed(): number {
    return noticesTo(pair.console, 'wiki').filter(({ outcome }) => outcome === 'success').length;
  }
});

type Person = Pick<(typeof people)[keyof typeof people], 'username' | 'password'>;

const claims = ['REMOTE_USER', 'OIDC_CLAIM_preferred_username', 'OIDC_CLAIM_roles', 'OIDC_CLAIM_iss'];

/** Registers it by the documented command, and starts it with the documented configuration. */
async function startDocumented(console: Pair['console']): Promise<RunningApache> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const { commands, configurations, links } = documented('Apache', {
    'https://wiki.example.com': url,
    [encodeURIComponent('https://wiki.example.com')]: encodeURIComponent(url),
    'https://console.example.com': console.url,
  });
  const secret = await pasteClientAdd(commands[0]!, console);
  const items = claims.map((name) => `<li>${name}=<!--#echo var="${name}" --></li>`).join('');
  return startApache({
    port,
    site: configurations[0]!.replace('the secret that was printed', secret),
    pages: {
      'private/index.html': `<title>Wiki</title><ul>${items}</ul><a href="${links[0]}">Sign out</a>`,
      'private/admin/index.html': '<h1>For administrators</h1>',
      'signed-out.html': '<h1>Signed out of the wiki</h1>',
    },
  });
}
