/** Rows are selected in a real browser: with the mouse, by `x`, all of a page, and without script; the acts come in the place of the filter. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../../helpers/browser.ts';
import { admin, type RunningConsole } from '../../helpers/console.ts';
import { callApi, startWithAdmin } from '../../helpers/management.ts';

const { browser, reason } = await openBrowser();
let console: RunningConsole;
let context: BrowserContext;

beforeAll(async () => {
  if (!browser) return;
  ({ console } = await startWithAdmin({ env: { CONSOLE_API_CHANGE_RATE: '0' } }));
  for (let n = 1; n <= 6; n++) await callApi(console, 'POST', '/users', { id: `row-${n}`, roles: [] });
}, 30_000);
afterEach(() => context?.close());
afterAll(async () => {
  await browser?.close();
  await console?.stop();
});

const list = '/access/users?q=row-';

async function open(href: string, options: Parameters<NonNullable<typeof browser>['newContext']>[0] = {}) {
  context = await browser!.newContext(options);
  const page = await context.newPage();
  await page.goto(`${console.url}/login`);
  await page.fill('[name=username]', admin.username);
  await page.fill('[name=password]', admin.password);
  await page.click('button[type=submit]');
  await page.goto(console.url + href);
  return page;
}

const box = (page: Page, id: string) => page.getByRole('checkbox', { name: `Select ${id}`, exact: true });
const selected = (page: Page) =>
  page
    .locator('tbody input[form=selection]:checked')
    .evaluateAll((all) => all.map((one) => one.getAttribute('name')));
const statusOf = async (id: string) =>
  ((await callApi(console, 'GET', `/users/${id}`)) as { readonly status: string }).status;

describe.skipIf(!browser)(`rows${reason ? ` (${reason})` : ''}`, () => {
  test('are selected by the mouse: the acts take the place of the filter, and nothing moves', async () => {
    const page = await open(list);
    const disable = page.getByRole('button', { name: 'Disable' });
    const filter = page.getByLabel('Name or email');
    const placeOf = () => page.locator('table').boundingBox();
    const before = await placeOf();
    expect([await disable.isVisible(), await filter.isVisible()]).toEqual([false, true]);
    await box(page, 'row-1').click();
    expect([await disable.isVisible(), await filter.isVisible()]).toEqual([true, false]);
    expect(await placeOf()).toEqual(before);
    await page.getByText('1 selected').waitFor();
    await box(page, 'row-4').click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await filter.waitFor();
    expect(await selected(page)).toEqual([]);
  });

  test('are selected by x, where j and k lead, and taken out again', async () => {
    const page = await open(list);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    expect(await selected(page)).toEqual(['pick:row-1', 'pick:row-3']);
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    expect(await selected(page)).toEqual(['pick:row-1', 'pick:row-2']);
    // A box that has the focus is no field that somebody types into.
    await box(page, 'row-2').focus();
    await page.keyboard.press('x');
    expect(await selected(page)).toEqual(['pick:row-1']);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('select the row, or take it out').waitFor();
  });

  test('of the page are selected by one box, which shows whether some are', async () => {
    const page = await open(`${list}&limit=4`);
    const head = page.getByRole('checkbox', { name: 'Select all on this page' });
    await box(page, 'row-2').check();
    expect(await head.evaluate((one: HTMLInputElement) => one.indeterminate)).toBe(true);
    await head.check();
    expect((await selected(page)).length).toBe(4);
    await head.uncheck();
    expect(await selected(page)).toEqual([]);
  });

  test('and those of all other pages are meant by one box, and done in one job', async () => {
    const page = await open(`${list}&limit=4`);
    await box(page, 'row-1').check();
    await page.getByLabel('All that the filter finds').check();
    expect((await selected(page)).length).toBe(4);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('heading', { name: 'Disable 6 users' }).waitFor();
    await page.getByRole('button', { name: 'Disable 6 users' }).click();
    await page.getByText('6 done.').waitFor();
    expect([await statusOf('row-1'), await statusOf('row-6')]).toEqual(['disabled', 'disabled']);
  });

  test('that are taken out are not meant any more, though all were', async () => {
    const page = await open(`${list}&limit=4`);
    await box(page, 'row-1').check();
    const all = page.getByLabel('All that the filter finds');
    await all.check();
    await box(page, 'row-3').uncheck();
    expect([await all.isChecked(), (await selected(page)).length]).toEqual([false, 3]);
  });

  test('are selected and acted on without script', async () => {
    const page = await open(list, { javaScriptEnabled: false });
    expect(await page.getByRole('checkbox', { name: 'Select all on this page' }).count()).toBe(0);
    await box(page, 'row-5').check();
    await box(page, 'row-6').check();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('heading', { name: 'Enable 2 users' }).waitFor();
    await page.getByRole('button', { name: 'Enable 2 users' }).click();
    await page.getByText('2 done.').waitFor();
    expect(await statusOf('row-5')).toBe('invited');
    expect(new URL(page.url()).searchParams.get('q')).toBe('row-');
  });

  test('can be selected on a phone too', async () => {
    const page = await open(list, { viewport: { width: 390, height: 844 }, hasTouch: true });
    await box(page, 'row-1').tap();
    await page.getByText('1 selected').waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(overflow).toBe(false);
  });

  test('are 36 px high, 44 by choice and for fingers', async () => {
    const heightIn = async (page: Page) => (await page.locator('tbody tr').last().boundingBox())!.height;
    const page = await open(list);
    expect(Math.round(await heightIn(page))).toBeLessThanOrEqual(37);
    await page.goto(`${console.url}/account`);
    await page.getByLabel('Rows of tables').selectOption('roomy');
    await page.getByRole('button', { name: 'Save display' }).click();
    await page.goto(console.url + list);
    expect(Math.round(await heightIn(page))).toBeGreaterThanOrEqual(44);
    await context.close();
    const touched = await open(list, {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 1280, height: 800 },
    });
    expect(Math.round(await heightIn(touched))).toBeGreaterThanOrEqual(44);
  });
});
