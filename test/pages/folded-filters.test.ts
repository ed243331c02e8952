/** Many filters on a phone stand behind a summary that says how many are set; elsewhere they are there at once. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 900 };

describe.skipIf(!found)(`filters in Chromium${reason ? ` (${reason})` : ''}`, () => {
  let console: RunningConsole;

  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(async () => {
    await console?.stop();
    await found?.close();
  });

  async function openPage(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options);
    await context.addInitScript(countShifts);
    const page = await context.newPage();
    await page.goto(`${console.url}/login`);
    await page.fill('[name=username]', admin.username);
    await page.fill('[name=password]', admin.password);
    await page.click('button[type=submit]');
    await page.waitForURL(`${console.url}/`);
    return page;
  }

  const summary = (page: Page) => page.locator('.fold > summary');
  const box = (page: Page) => page.locator('form.filters select').first();
  const topOf = (page: Page) =>
    page
      .locator('main .table-frame, main .tiles, main .empty')
      .first()
      .evaluate((content) => {
        return content.getBoundingClientRect().top + window.scrollY;
      });

  const pages = [
    { name: 'the audit', path: '/observe/audit', set: 'outcome=success', chip: 'Outcome: Success' },
    { name: 'traffic', path: '/observe/traffic', set: 'client=billing', chip: 'Client: billing' },
  ];

  describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
    'with %j',
    ({ javaScriptEnabled }) => {
      test.each(pages)('of $name are closed on a phone, and opened by keyboard', async ({ path, set }) => {
        const page = await openPage({ viewport: phone, javaScriptEnabled });
        await page.goto(console.url + path);
        expect(await summary(page).textContent()).toBe('Filters: none set');
        expect(await box(page).isVisible()).toBe(false);
        // What the page is about begins on the first screen.
        expect(await topOf(page)).toBeLessThan(phone.height);
        await summary(page).focus();
        await page.keyboard.press('Enter');
        expect(await box(page).isVisible()).toBe(true);
        await page.keyboard.press('Enter');
        expect(await box(page).isVisible()).toBe(false);
        await page.goto(`${console.url}${path}?${set}`);
        expect(await summary(page).textContent()).toBe('Filters: one set');
        expect(await box(page).isVisible()).toBe(true);
        await page.context().close();
      });
    },
  );

  test.each(pages)(
    'of $name filter on a phone, and are said in words where they are closed',
    async (given) => {
      const page = await openPage({ viewport: phone });
      await page.goto(console.url + given.path);
      await summary(page).click();
      const [name, value] = given.set.split('=');
      const field = page.locator(`[name="${name}"]`);
      if (await field.evaluate((element) => element.tagName === 'SELECT')) await field.selectOption(value!);
      else await field.fill(value!);
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.waitForURL(new RegExp(given.set));
      await summary(page).click();
      expect(await box(page).isVisible()).toBe(false);
      expect(await page.locator('.chips').textContent()).toContain(given.chip);
      await page.context().close();
    },
  );

  test.each(pages)('of $name stand there without a summary where there is room', async ({ path }) => {
    const page = await openPage({ viewport: desktop });
    await page.goto(console.url + path);
    expect([await summary(page).isVisible(), await box(page).isVisible()]).toEqual([false, true]);
    await page.context().close();
  });

  test.each([
    [phone, '/access/users'],
    [desktop, '/access/users'],
  ])('of a list with few boxes stand there at %j', async (viewport, path) => {
    const page = await openPage({ viewport });
    await page.goto(console.url + path);
    expect([await page.locator('.fold').count(), await box(page).isVisible()]).toEqual([0, true]);
    await page.context().close();
  });

  test.each(
    pages.flatMap(({ path, set }) =>
      [phone, desktop].flatMap((viewport) => [path, `${path}?${set}`].map((at) => ({ viewport, at }))),
    ),
  )('move nothing on $at at $viewport.width px', async ({ viewport, at }) => {
    const page = await openPage({ viewport });
    await page.goto(console.url + at);
    await page.waitForLoadState('networkidle');
    const shifted = () => page.evaluate(() => (window as unknown as { shifted: number }).shifted);
    expect(await shifted()).toBe(0);
    await page.context().close();
  });
});

function countShifts(): void {
  const counted = window as unknown as { shifted: number };
  counted.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries() as (PerformanceEntry & { readonly value: number })[])
      counted.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
}
