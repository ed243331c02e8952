/** `/settings/api/console` in a browser with script: Swagger UI under the content policy of all pages. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;

describe.skipIf(!found)(`the explorer${reason ? ` (${reason})` : ''}`, () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  }, 30_000);
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
  });

  test('makes a call as the reader, and the content policy stops nothing', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    const elsewhere: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(console.url)) elsewhere.push(request.url());
    });
    await page.goto(`${console.url}/login`);
    await page.locator('[name=username]').fill(admin.username);
    await page.locator('[name=password]').fill(admin.password);
    await page.locator('main button[type=submit]').first().click();
    await page.waitForURL((url) => url.pathname !== '/login');
    await page.goto(`${console.url}/settings/api/console`);
    await page.locator('#operations-tag-members').click();
    await page.locator('#operations-members-listMembers .opblock-summary-control').first().click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = page.locator('.live-responses-table tbody .response');
    expect(await answer.locator('.response-col_status').textContent()).toContain('200');
    expect(await answer.locator('.highlight-code').first().textContent()).toContain('"items"');
    expect([complaints, elsewhere]).toEqual([[], []]);
    await page.close();
  });
});
