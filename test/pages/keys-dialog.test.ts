/** `?` on any page: what each key does, over the page; without script the same stands on a page of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';

const { browser, reason } = await openBrowser();
let console: RunningConsole;

beforeAll(async () => {
  if (browser) console = await startConsole();
}, 30_000);
afterAll(async () => {
  await browser?.close();
  await console?.stop();
});

describe.skipIf(!browser)(`the keys${reason ? ` (${reason})` : ''}`, () => {
  test('are shown by ? over the page, are left by Esc, and can be turned off there', async () => {
    const context = await browser!.newContext();
    const page = await context.newPage();
    await page.goto(`${console.url}/login`);
    await page.fill('[name=username]', admin.username);
    await page.fill('[name=password]', admin.password);
    await page.click('button[type=submit]');
    await page.goto(`${console.url}/settings/keys`);
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await page.keyboard.press('?');
    await dialog.waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/keys');
    expect(await dialog.textContent()).toMatch(/search everything; Enter opens the best match.*Users/s);
    expect(
      await dialog.getByRole('button', { name: 'Close' }).evaluate((one) => one === document.activeElement),
    ).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    await dialog.getByLabel('Keys work in this browser').uncheck();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.keyboard.press('?');
    expect([new URL(page.url()).pathname, await dialog.count()]).toEqual(['/settings/keys', 0]);
    await context.close();
  });

  test('stand on a page of their own without script', async () => {
    const context = await browser!.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${console.url}/login`);
    await page.fill('[name=username]', admin.username);
    await page.fill('[name=password]', admin.password);
    await page.click('button[type=submit]');
    await page.goto(`${console.url}/observe/search#keys`);
    expect(await page.locator('#keys').textContent()).toContain(
      'search everything; Enter opens the best match',
    );
    await context.close();
  });
});
