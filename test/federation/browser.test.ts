/** Upstream sign-in in a real browser: the providers are at 127.0.0.1, another site than the console's localhost. */
import { rm } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Application, startApplication } from '../e2e/application.ts';
import { openBrowser } from '../helpers/browser.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { authorizationPath, redeem } from '../helpers/sign-in.ts';
import { missingOpenssl } from './saml-provider.ts';
import { type SamlServer, startSamlServer } from './saml-server.ts';
import type { RunningProvider } from './support.ts';
import { startOpenIdProvider } from './upstream.ts';

const { browser: found, reason: noBrowser } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());
const reason = found ? missingOpenssl() : noBrowser;

describe.skipIf(reason !== undefined)(`upstream sign-in in a browser${reason ? ` (${reason})` : ''}`, () => {
  let application: Application;
  let corp: RunningProvider;
  let staff: SamlServer;
  let console: RunningConsole;
  let dataDir: string;
  let context: BrowserContext;
  let page: Page;
  /** What the browser has complained about: policies, failed loads, errors of scripts. */
  const complaints: string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    application = await startApplication();
    corp = await startOpenIdProvider(url, 'corp');
    staff = await startSamlServer(url, 'staff', 'Staff portal');
    dataDir = await storeWithProviders(oidcProvider('corp', 'Corp', corp.issuer), staff.provider);
    const env = { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1', SVC_MC_APP_ADDRESSES: application.address };
    console = await startConsole({ port, dataDir, env });
  });
  afterAll(async () => {
    await console?.stop();
    await Promise.all([application?.close(), corp?.close(), staff?.close()]);
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    context = await browser.newContext();
    // The provider's pages ask for a font elsewhere.
    await context.route(
      ({ hostname }) => !['localhost', '127.0.0.1'].includes(hostname),
      (route) => route.abort(),
    );
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => {
      // The provider's own pages are not ours to mend.
      if (message.type() === 'error' && message.location().url.startsWith(console.url)) {
        complaints.push(message.text());
      }
    });
  });
  afterEach(async () => {
    await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  const authorizationUrl = () =>
    `${console.url}${authorizationPath({ redirect_uri: `${application.address}/login/callback` })}`;

  async function signInAtCorp(login: string): Promise<void> {
    await page.getByRole('link', { name: 'Corp', exact: true }).click();
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('whatever');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  test('OpenID Connect: from an application by way of the provider back to it, then straight in', async () => {
    await page.goto(authorizationUrl());
    await signInAtCorp('olive');
    await page.waitForURL(`${application.address}/login/callback?**`);
    const code = new URL(page.url()).searchParams.get('code');
    const { status } = await redeem(console, code, { redirect_uri: `${application.address}/login/callback` });
    expect(status).toBe(200);
    await page.goto(`${console.url}/account`);
    await page.getByText('olive', { exact: true }).first().waitFor();
    await page.getByText('Your password is kept and changed there.').waitFor();
    await page.goto(authorizationUrl());
    expect(page.url()).toMatch(/\/login\/callback\?.*code=/);
  });

  test('SAML: the answer is posted across sites, and the session cookie is there afterwards', async () => {
    const visited: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(staff.callbackUrl)) visited.push(`${request.method()} ${request.url()}`);
    });
    await page.goto(`${console.url}/login`);
    await page.getByRole('link', { name: 'Staff portal', exact: true }).click();
    await page.getByText('ada@staff', { exact: true }).first().waitFor();
    // The form came without the cookie, which the navigation after it brought along.
    expect(visited).toEqual([
      `POST ${staff.callbackUrl}`,
      expect.stringMatching(/^GET .*\?posted_reply=[\w-]+$/),
    ]);
    expect(page.url()).toBe(`${console.url}/`);
    await page.reload();
    await page.getByText('ada@staff', { exact: true }).first().waitFor();
  });

  test('SAML: and on to the application that asked', async () => {
    await page.goto(authorizationUrl());
    await page.getByRole('link', { name: 'Staff portal', exact: true }).click();
    await page.waitForURL(`${application.address}/login/callback?**`);
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/./);
  });

  test('a link from another site does not take a session away (S31)', async () => {
    await page.goto(`${console.url}/login`);
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('Password').fill('correct-staple-battery-9');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('ada', { exact: true }).first().waitFor();
    await page.goto(`${application.address}/`);
    await page.evaluate((href) => {
      location.href = href;
    }, `${console.url}/login/start/staff`);
    await page.getByText('ada', { exact: true }).first().waitFor();
  });
});
