import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addPerson, people, type RunningDashboard, startDashboard } from '../dashboard/support.ts';
import { openBrowser } from '../helpers/browser.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type RelyingParty, register, startRelyingParty } from '../helpers/relying-party.ts';
import { authorizationPath, redeem } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

/** Slow machines take their time. */
const patience = 40_000;

describe.skipIf(!found)(`two dashboards and a third application${reason ? ` (${reason})` : ''}`, () => {
  let console: RunningConsole;
  let dashboards: readonly RunningDashboard[] = [];
  let board: RelyingParty;
  let context: BrowserContext;

  const places = ['first dashboard', 'second dashboard', 'third application', 'console'] as const;
  type Place = (typeof places)[number];

  beforeAll(async () => {
    const ports = [await freePort(), await freePort()];
    const addresses = ports.map((port) => `http://localhost:${port}`);
    console = await startConsole({ env: { SVC_MC_APP_ADDRESSES: addresses.join(',') } });
    const env = { APP_SECURITY_OPENIDP_ISSUERURL: console.url };
    dashboards = await Promise.all(ports.map((port) => startDashboard({ port, env })));
    board = await startRelyingParty('board');
    await register(console, board);
    await addPerson(console, people.viewer);
    await addPerson(console, people.metricsViewer);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(dashboards.map((dashboard) => dashboard.stop()));
    await board?.close();
    await console?.stop();
  });
  afterEach(() => context.close());

  const toBoard = () =>
    console.url + authorizationPath({ client_id: board.id, redirect_uri: `${board.origin}/callback` });

  const addressOf = (place: Place): string =>
    ({
      'first dashboard': dashboards[0]!.url,
      'second dashboard': dashboards[1]!.url,
      'third application': toBoard(),
      console: console.url,
    })[place];

  async function newBrowser(): Promise<void> {
    context = await browser.newContext();
    context.setDefaultTimeout(patience);
  }

  async function visit(place: Place): Promise<Page> {
    const page = await context.newPage();
    await page.goto(addressOf(place));
    return page;
  }

  async function type(page: Page, { username, password }: { username: string; password: string }) {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function seesItself(page: Page, place: Place, { username }: { username: string }): Promise<void> {
    if (place === 'third application') await page.waitForURL(`${board.origin}/callback?code=**`);
    else if (place === 'console') await page.getByText(username, { exact: true }).first().waitFor();
    else await page.getByText('Cluster healthy').waitFor();
  }

  /** Opened without typing anything; no sign-in page was on the way. */
  async function isLetIn(place: Place, person: { username: string }): Promise<Page> {
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame() && frame.url().startsWith(`${console.url}/login`))
        asked.push(frame.url());
    });
    await page.goto(addressOf(place));
    await seesItself(page, place, person);
    expect([place, asked]).toEqual([place, []]);
    return page;
  }

  /** Dashboards on one host share a cookie jar; neither asks the console again for a session that it has. */
  async function isStillOpen(place: Place): Promise<void> {
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(console.url)) asked.push(request.url());
    });
    await page.goto(addressOf(place));
    await seesItself(page, place, people.admin);
    expect([place, asked]).toEqual([place, []]);
  }

  async function isAskedToSignIn(place: Place): Promise<boolean> {
    const page = await visit(place);
    const isAsked = page.url().startsWith(`${console.url}/login`);
    await page.close();
    return isAsked;
  }

  async function everywhere(person: { username: string; password: string }) {
    await newBrowser();
    const first = await visit('first dashboard');
    await type(first, person);
    await seesItself(first, 'first dashboard', person);
    return {
      'first dashboard': first,
      'second dashboard': await isLetIn('second dashboard', person),
      'third application': await isLetIn('third application', person),
      console: await isLetIn('console', person),
    };
  }

  test.each(places)(
    'who signs in at the %s is signed in at all others without typing',
    async (start) => {
      await newBrowser();
      const page = await visit(start);
      await type(page, people.admin);
      await seesItself(page, start, people.admin);
      for (const place of places) if (place !== start) await isLetIn(place, people.admin);
      for (const place of ['first dashboard', 'second dashboard'] as const) await isStillOpen(place);
    },
    180_000,
  );

  test.each(places)(
    'who signs out at the %s is out of all of them',
    async (start) => {
      const pages = await everywhere(people.admin);
      const reported = board.posted.length;
      await signOutAt(start, pages[start]);
      for (const place of ['first dashboard', 'second dashboard'] as const) {
        if (place !== start) await pages[place].waitForURL(`${console.url}/login/**`);
      }
      for (const place of places) await until(() => isAskedToSignIn(place), `the end at ${place}`, patience);
      if (start !== 'third application') {
        await until(
          async () => board.posted.length > reported,
          'the notice to the third application',
          patience,
        );
      }
    },
    180_000,
  );

  async function signOutAt(place: Place, page: Page): Promise<void> {
    if (place === 'third application') {
      const redirectUri = `${board.origin}/callback`;
      const code = new URL(page.url()).searchParams.get('code');
      const { body } = await redeem(console, code, { client_id: board.id, redirect_uri: redirectUri });
      const home = { id_token_hint: body.id_token, post_logout_redirect_uri: `${board.origin}/` };
      await page.goto(`${console.url}/connect/logout?${new URLSearchParams(home)}`);
    } else if (place === 'console') {
      await page.goto(`${console.url}/connect/logout`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(`${console.url}/connect/logout/success**`);
    } else {
      await page.getByRole('button', { name: 'Sign out' }).click();
    }
  }

  test.each([
    { person: people.admin, may: ['Items in jobs', 'Offer'], mayNot: ['The role Viewer opens this.'] },
    {
      person: people.viewer,
      may: ['Items in jobs', 'The role Admin may offer items.'],
      mayNot: ['The role Viewer opens this.', 'Offer'],
    },
    {
      person: people.metricsViewer,
      may: ['The role Viewer opens this.'],
      mayNot: ['Items in jobs', 'Offer'],
    },
  ])(
    'as $person.role: what the role opens, the same at both dashboards',
    async ({ person, may, mayNot }) => {
      const pages = await everywhere(person);
      for (const place of ['first dashboard', 'second dashboard'] as const) {
        const page = pages[place];
        const queues = page.getByRole('region', { name: 'Queues' });
        for (const text of may) await queues.getByText(text).or(queues.getByLabel(text)).first().waitFor();
        for (const text of mayNot) {
          expect([text, await queues.getByText(text, { exact: true }).count()]).toEqual([text, 0]);
          expect([text, await queues.getByLabel(text).count()]).toEqual([text, 0]);
        }
        await page.goto(`${addressOf(place)}/account`);
        const own = page.locator('th.own', { hasText: 'yours' });
        expect(await own.allTextContents()).toEqual([expect.stringContaining(person.role)]);
      }
      await pages.console.goto(`${console.url}/account`);
      expect(await pages.console.locator('#roles li h3').allTextContents()).toEqual([person.role]);
    },
    180_000,
  );
});
