/** A browser library that nobody here wrote keeps its sign-in by a hidden frame: oidc-client-ts. */
import { decodeJwt } from 'jose';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { toolDone } from '../helpers/commands.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { dashboard, userinfo } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { type BrowserApplication, startBrowserApplication } from './support/browser-application.ts';
import { createMovableClock, type MovableClock } from './support/clock.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
const lifeSeconds = 30;
/** Before the end of a token, as the page has it. */
const renewalSeconds = 10;
const patienceMs = 30_000;

describe.skipIf(!found)(
  `oidc-client-ts${reason ? ` (skipped: ${reason})` : ''}`,
  { timeout: 120_000 },
  () => {
    let clock: MovableClock;
    let console: RunningConsole;
    let application: BrowserApplication;
    let board: BrowserApplication;
    let context: BrowserContext;
    let page: Page;
    /** What the page itself has loaded, and what its frames have. */
    let visited: URL[];
    let framed: URL[];
    let grants: (string | null)[];
    /** Seconds by which the clocks of console and browser are ahead. */
    let ahead: number;

    beforeAll(async () => {
      application = await startBrowserApplication();
      board = await startBrowserApplication();
      clock = createMovableClock(0);
      console = await startConsole({
        env: {
          SVC_MC_APP_ADDRESSES: application.url,
          CONSOLE_ACCESS_TOKEN_TTL: String(lifeSeconds),
          ...clock.env,
        },
      });
      application.connect({ authority: console.url, clientId: dashboard.clientId });
      board.connect({ authority: console.url, clientId: 'board' });
      const addresses = ['/', '/silent-refresh.html'].flatMap((path) => ['--redirect-uri', board.url + path]);
      const kind = ['--public', '--first-party', '--grant', 'authorization_code'];
      await toolDone(['client', 'add', 'board', ...kind, ...addresses], console);
    });
    afterAll(async () => {
      await found?.close();
      await console?.stop();
      clock?.remove();
      await Promise.all([application?.close(), board?.close()]);
    });
    beforeEach(async () => {
      [visited, framed, grants] = [[], [], []];
      ahead = 0;
      clock.set(ahead);
      context = await browser.newContext();
      context.setDefaultTimeout(patienceMs);
      await context.clock.install();
      page = await context.newPage();
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (request.isNavigationRequest())
          (request.frame() === page.mainFrame() ? visited : framed).push(url);
        if (url.pathname !== '/oauth2/token' || request.method() !== 'POST') return;
        grants.push(new URLSearchParams(request.postData() ?? '').get('grant_type'));
      });
    });
    afterEach(() => context.close());

    test('it signs in, and stays signed in by the hidden frame for three lives of a token', async () => {
      await signIn(application);
      const first = await tokenOfPage();
      expect(first.expiresAt - first.issuedAt).toBe(lifeSeconds);
      const visits = visited.length;

      for (let current = first; current.issuedAt < first.issuedAt + 3 * lifeSeconds; ) {
        const { token } = current;
        await untilRenewal();
        await until(
          async () => {
            expect(await heading()).toBe(`Signed in as ${admin.username}`);
            current = await tokenOfPage();
            return current.token !== token;
          },
          'the next token',
          patienceMs,
        );
      }

      const last = await tokenOfPage();
      expect((await userinfo(console, last.token)).body.preferred_username).toBe(admin.username);
      expect((await userinfo(console, first.token)).status).toBe(401);
      const prompts = framed
        .filter(({ pathname }) => pathname === '/oauth2/authorize')
        .map(({ searchParams }) => searchParams.get('prompt'));
      expect(prompts.length).toBeGreaterThanOrEqual(3);
      expect(new Set(prompts)).toEqual(new Set(['none']));
      expect(new Set(grants)).toEqual(new Set(['authorization_code']));
      expect(visited.slice(visits)).toEqual([]);
    });

    test('after a sign-out at the console the next renewal gets login_required, and the page shows it', async () => {
      await signIn(application);
      const other = await context.newPage();
      await other.goto(`${console.url}/connect/logout`);
      await other.getByRole('button', { name: 'Sign out' }).click();
      await untilRenewal();
      await page.getByRole('heading', { name: 'Signed out login_required' }).waitFor();
      expect(await page.evaluate(() => globalThis.sessionStorage.length)).toBe(0);
    });

    test('an application that is registered for codes only gets no refresh token, and the frame renews', async () => {
      const tokens = page.waitForResponse((response) => response.url().endsWith('/oauth2/token'));
      await signIn(board);
      expect(Object.keys(await (await tokens).json())).not.toContain('refresh_token');
      const first = await tokenOfPage();
      await page.evaluate(() => manager.signinSilent());
      expect((await tokenOfPage()).token).not.toBe(first.token);
    });

    async function signIn({ url }: BrowserApplication): Promise<void> {
      await page.goto(url);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Username').fill(admin.username);
      await page.getByLabel('Password', { exact: true }).fill(admin.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: `Signed in as ${admin.username}` }).waitFor();
    }

    /** To where the library renews by itself. The frame of a renewal has the clock of its page. */
    async function untilRenewal(): Promise<void> {
      ahead += lifeSeconds - renewalSeconds;
      clock.set(ahead);
      await context.clock.fastForward((lifeSeconds - renewalSeconds) * 1000);
    }

    function heading(): Promise<string> {
      return page.getByRole('heading').innerText();
    }

    interface PageToken {
      readonly token: string;
      /** Epoch seconds. */
      readonly issuedAt: number;
      readonly expiresAt: number;
    }

    async function tokenOfPage(): Promise<PageToken> {
      const token = await page.evaluate(async () => (await manager.getUser())?.access_token);
      const { iat: issuedAt = 0, exp: expiresAt = 0 } = decodeJwt(token ?? '');
      return { token: token ?? '', issuedAt, expiresAt };
    }
  },
);

/** Where the page has it. */
declare const manager: {
  getUser(): Promise<{ readonly access_token: string } | null>;
  signinSilent(): Promise<unknown>;
};
