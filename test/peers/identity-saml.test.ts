/** Sign-in and sign-out with SimpleSAMLphp, in a real browser: at the console, at the dashboard, and there. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Pair } from '../dashboard/support.ts';
import { openBrowser } from '../helpers/browser.ts';
import { type SimpleSaml, startSimpleSaml, whyNoSimpleSaml } from './support/simplesaml.ts';
import {
  addProvider,
  type BrowserUser,
  ownMetadata,
  type ProviderInBrowser,
  startTour,
  upstreamAccounts,
  visit,
} from './support/tour.ts';

const { browser, reason } = whyNoSimpleSaml ? {} : await openBrowser();
const skipped = whyNoSimpleSaml ?? (reason ? ` (skipped: ${reason})` : undefined);

const password = 'correct-staple-1';
const person = (uid: string, ...groups: string[]) => ({
  password,
  attributes: { uid, email: `${uid}@corp.example`, displayName: `The ${uid}`, groups },
});
const people = {
  grace: person('grace', 'staff', 'admins'),
  vera: person('vera', 'staff', 'operators'),
  eve: person('eve', 'staff'),
};

const corporation: ProviderInBrowser = {
  name: 'Example Corporation',
  button: (page) => page.getByRole('button', { name: 'Login', exact: true }),
  async typeIn(page, username) {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await corporation.button(page).click();
  },
};

describe.skipIf(skipped)(`SimpleSAMLphp, console and dashboard${skipped ?? ''}`, { timeout: 120_000 }, () => {
  let provider: SimpleSaml;
  let pair: Pair;
  let browserUser: BrowserUser;

  beforeAll(async () => {
    [provider, pair] = await Promise.all([startSimpleSaml(people), startTour()]);
    const folder = await mkdtemp(join(tmpdir(), 'identity-saml-'));
    const file = join(folder, 'metadata.xml');
    await writeFile(file, await provider.metadata());
    await addProvider(pair, 'corp', [
      ...['--kind', 'saml', '--name', corporation.name, '--metadata-file', file, '--sign-requests'],
      ...['--role-rule', 'groups=admins -> Admin', '--role-rule', 'groups=operators -> Viewer'],
    ]);
    await rm(folder, { recursive: true });
    await provider.trust(await ownMetadata(pair, 'corp'));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([browser?.close(), provider?.stop(), pair?.stop()]);
  });
  beforeEach(async () => {
    browserUser = await visit(browser as Browser, pair);
  });
  afterEach(() => browserUser.leave());

  test('who signs in there is signed in at the dashboard and at the console, by the role of a rule', async () => {
    const { page } = browserUser;
    await browserUser.signIn(corporation, 'grace');
    await page.getByText('Cluster healthy').waitFor();
    expect(await browserUser.isAskedAtConsole()).toBe(false);
    expect(await page.getByText('grace').count()).toBeGreaterThan(0);
    await browserUser.forget();
    expect(await browserUser.isAskedAt(corporation)).toBe(false);

    const subject = expect.stringMatching(/^[0-9a-f]{40}$/);
    expect((await upstreamAccounts(pair)).get('grace')).toMatchObject({
      email: 'grace@corp.example',
      roles: ['Admin'],
      federated: { provider: 'corp', subject },
    });
  });

  test('the same person has the same account the next time, and others have their own', async () => {
    await browserUser.signInAtConsole(corporation, 'vera');
    const first = await upstreamAccounts(pair);
    await browserUser.leave();
    browserUser = await visit(browser as Browser, pair);
    await browserUser.signIn(corporation, 'vera');
    const second = await upstreamAccounts(pair);
    expect(second.get('vera')).toMatchObject({ id: first.get('vera')!.id, roles: ['Viewer'] });
    expect(second.size).toBe(first.size);
  });

  test('whom no rule gives a role is refused, and nothing is created (S45)', async () => {
    const before = await upstreamAccounts(pair);
    await browserUser.chooseAtDashboard(corporation);
    await corporation.typeIn(browserUser.page, 'eve');
    await browserUser.page.getByText('no rule of this console gives you a role').waitFor();
    expect(await upstreamAccounts(pair)).toEqual(before);
    expect(await browserUser.isAskedAtConsole()).toBe(true);
    expect(await browserUser.isAskedAtDashboard()).toBe(true);
  });

  test('a sign-in that begins at the provider is refused, and nobody is signed in (S47)', async () => {
    const { page } = browserUser;
    const entityId = encodeURIComponent(`${pair.console.url}/login/saml/corp/metadata`);
    await page.goto(`${provider.origin}/saml2/idp/SSOService.php?spentityid=${entityId}`);
    await corporation.typeIn(page, 'grace');
    await page.getByText('nobody here has asked for').waitFor();
    expect(await browserUser.isAskedAtConsole()).toBe(true);
  });

  test('signing out at the dashboard ends the sessions at the console and at the provider', async () => {
    const { page } = browserUser;
    await browserUser.signIn(corporation, 'grace');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.waitForURL(`${pair.dashboard.url}/**`);
    expect(await browserUser.isAskedAtConsole()).toBe(true);
    expect(await browserUser.isAskedAtDashboard()).toBe(true);
    expect(await browserUser.isAskedAt(corporation)).toBe(true);
  });

  test('signing out at the console ends the sessions at the dashboard and at the provider', async () => {
    const { page } = browserUser;
    await browserUser.signIn(corporation, 'grace');
    await page.goto(`${pair.console.url}/connect/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText(`You are signed out at ${corporation.name} too.`).waitFor();
    expect(await browserUser.isAskedAtDashboard()).toBe(true);
    expect(await browserUser.isAskedAt(corporation)).toBe(true);
  });

  test('signing out at the provider ends the sessions at the console and at the dashboard', async () => {
    const { page } = browserUser;
    await browserUser.signIn(corporation, 'grace');
    const end = `${provider.origin}/logout.php`;
    await page.goto(`${provider.origin}/saml2/idp/initSLO.php?RelayState=${encodeURIComponent(end)}`);
    await page.waitForURL(end);
    expect(await browserUser.isAskedAtConsole()).toBe(true);
    expect(await browserUser.isAskedAtDashboard()).toBe(true);
  });
});
