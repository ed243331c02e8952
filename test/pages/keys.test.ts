/** The keys of management pages in a real browser: what they do, and that they can be turned off. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

describe.skipIf(reason !== undefined)(`keys${reason ? ` (${reason})` : ''}`, () => {
  let console: RunningConsole;
  let page: Page;
  /** What the browser has complained about: policies, failed loads, errors of scripts. */
  const complaints: string[] = [];

  beforeAll(async () => {
    console = await startConsole();
    page = await (await browser.newContext()).newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(`${console.url}/login`);
    await page.fill('[name=username]', admin.username);
    await page.fill('[name=password]', admin.password);
    await page.click('button[type=submit]');
    await page.waitForURL(`${console.url}/`);
  }, 30_000);
  afterAll(() => console?.stop());

  const at = (path: string) => page.waitForURL(`${console.url}${path}`);
  const focused = () =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);

  test('g and a letter go to a page, and n adds what it lists', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await at('/access/users');
    await page.keyboard.press('n');
    await at('/access/users?do=new');
  });

  test('letters that are typed into a field stay there', async () => {
    await page.focus('#id');
    await page.keyboard.type('gun/e');
    expect([await page.inputValue('#id'), new URL(page.url()).search]).toEqual(['gun/e', '?do=new']);
  });

  test('j and k go along the rows, Enter opens one, and e is at its first field', async () => {
    await page.goto(`${console.url}/access/users`);
    await page.keyboard.press('j');
    expect(await focused()).toBe('ada');
    await page.keyboard.press('k');
    expect(await focused()).toBe('ada');
    await page.keyboard.press('Enter');
    await at('/access/users/ada');
    await page.keyboard.press('e');
    expect(await focused()).toBe('displayName');
    // Of an entry, whether there is one yet.
    await page.goto(`${console.url}/cluster/maps/orders/a1`);
    await page.keyboard.press('e');
    expect(await focused()).toBe('value');
  });

  test('p pauses a live page and lets it go on, not while somebody types, and does nothing where none is live', async () => {
    await page.goto(`${console.url}/observe/traffic`);
    const state = page.locator('[data-live] [role=status]');
    await state.filter({ hasText: /^Live$/ }).waitFor();
    await page.keyboard.press('p');
    await state.filter({ hasText: /^Paused$/ }).waitFor();
    const box = page.locator('main form.filters input[type=text]').first();
    await box.focus();
    await page.keyboard.type('p');
    expect([await box.inputValue(), await state.textContent()]).toEqual(['p', 'Paused']);
    await box.blur();
    await page.keyboard.press('p');
    await state.filter({ hasText: /^Live$/ }).waitFor();
    await page.goto(`${console.url}/access/users`);
    await page.keyboard.press('p');
    expect(new URL(page.url()).pathname).toBe('/access/users');
  });

  test('a slash and Ctrl+K are at the search, whose Enter opens what is meant', async () => {
    await page.goto(`${console.url}/cluster/members`);
    for (const key of ['/', 'Control+k']) {
      await page.keyboard.press(key);
      expect(await focused()).toBe('bar-q');
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    }
    // On a list too, whose own box filters it.
    await page.goto(`${console.url}/cluster/maps`);
    await page.keyboard.press('/');
    expect(await focused()).toBe('bar-q');
    await page.keyboard.type('signing keys');
    await page.keyboard.press('Enter');
    await at('/settings/keys');
  });

  test('can be turned off by whom they disturb, for every page of the browser', async () => {
    await page.goto(`${console.url}/observe/search#keys`);
    await page.uncheck('#keys-choice');
    await page.goto(`${console.url}/cluster/members`);
    await page.keyboard.press('/');
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    expect([(await focused()) === 'bar-q', new URL(page.url()).pathname]).toEqual([
      false,
      '/cluster/members',
    ]);
  });

  test('need nothing that the policy of the pages refuses', () => expect(complaints).toEqual([]));
});
