/** What is asked before an act, over the page that has its link; what cannot be asked there is asked on its page. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';

const { browser, reason } = await openBrowser();
let console: RunningConsole;
let context: BrowserContext;
const id = 'victim';

beforeAll(async () => {
  if (!browser) return;
  console = await startConsole();
  await callApi(console, 'POST', '/clients', { id, scopes: ['svc:map:orders:read'] });
}, 30_000);
afterAll(async () => {
  await browser?.close();
  await console?.stop();
});
afterEach(() => context?.close());

async function atClient(options: { readonly width?: number } = {}): Promise<Page> {
  const { width = 1280 } = options;
  context = await browser!.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(`${console.url}/login`);
  await page.fill('[name=username]', admin.username);
  await page.fill('[name=password]', admin.password);
  await page.click('button[type=submit]');
  await page.goto(`${console.url}/access/clients/${id}`);
  return page;
}

const linkOf = (page: Page) => page.locator('main a[href$="?do=remove"]');
const dialogOf = (page: Page) => page.getByRole('dialog', { name: `Remove ${id}` });
const nameOfFocus = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim());

describe.skipIf(!browser)(`a question before an act${reason ? ` (${reason})` : ''}`, () => {
  test('stands over the page, with the focus on what is safe; Esc and that leave it as it is', async () => {
    const page = await atClient();
    await linkOf(page).focus();
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.keyboard.press('Enter'),
      () => dialogOf(page).getByRole('link', { name: 'Cancel' }).click(),
    ]) {
      await page.keyboard.press('Enter');
      await dialogOf(page).waitFor();
      expect(await nameOfFocus(page)).toBe('Cancel');
      expect(new URL(page.url()).search).toBe('');
      await leave();
      await dialogOf(page).waitFor({ state: 'detached' });
      expect(await linkOf(page).evaluate((one) => one === document.activeElement)).toBe(true);
    }
    expect(new URL(page.url()).pathname).toBe(`/access/clients/${id}`);
    expect(await callApi(console, 'GET', `/clients/${id}`)).toMatchObject({ id });
  });

  test.each([320, 1280])('is found by axe to be well, and fits: %d px', async (width) => {
    const page = await atClient({ width });
    await linkOf(page).click();
    await dialogOf(page).waitFor();
    // By the browser's own protocol: the policy of the page lets no script in.
    await page.evaluate(
      await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
    );
    const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
    expect(violations).toEqual([]);
    const excess = await dialogOf(page).evaluate((one) => [
      one.scrollWidth - one.clientWidth,
      one.getBoundingClientRect().right - innerWidth,
    ]);
    expect(Math.max(...excess)).toBeLessThanOrEqual(0);
    const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map((one) => one.id));
    expect(ids.filter((one, at) => ids.indexOf(one) !== at)).toEqual([]);
  });

  test('whose answer is wrong is asked again on its page', async () => {
    const page = await atClient();
    await linkOf(page).click();
    await dialogOf(page).getByRole('textbox').fill('victi');
    await Promise.all([
      page.waitForEvent('load'),
      dialogOf(page).getByRole('button', { name: 'Remove' }).click(),
    ]);
    expect(await page.title()).toContain(`Problem: Remove ${id}`);
    expect(await page.locator('main').textContent()).toContain('Nothing was done');
    expect(await callApi(console, 'GET', `/clients/${id}`)).toMatchObject({ id });
  });

  test('is a page in a tab of its own', async () => {
    const page = await atClient();
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      linkOf(page).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    // A tab is empty, and loaded, before it goes anywhere.
    await tab.locator('h1').waitFor();
    expect(await tab.title()).toContain(`Remove ${id}`);
    expect(await page.locator('dialog').count()).toBe(0);
  });

  test('of somebody whose session has ended leads to the sign-in', async () => {
    const page = await atClient();
    await context.clearCookies();
    await linkOf(page).click();
    await page.waitForURL((url) => url.pathname === '/login');
    expect(await page.locator('[name=password]').isVisible()).toBe(true);
  });

  test('of what another has removed meanwhile leads to the page that says so, and what is answered is done', async () => {
    const page = await atClient();
    const other = await context.newPage();
    await other.goto(page.url());
    await linkOf(page).click();
    await dialogOf(page).getByRole('textbox').fill(id);
    await Promise.all([
      page.waitForEvent('load'),
      dialogOf(page).getByRole('button', { name: 'Remove' }).click(),
    ]);
    expect(await page.locator('main').textContent()).toContain('The machine client is removed.');
    await expect(callApi(console, 'GET', `/clients/${id}`)).rejects.toThrow('404');

    await Promise.all([other.waitForEvent('load'), linkOf(other).click()]);
    expect(await other.locator('dialog').count()).toBe(0);
    expect(await other.title()).toContain('There is nothing at this address');
  });
});
