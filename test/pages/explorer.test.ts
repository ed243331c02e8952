/** `/settings/api/…` in a browser with script: Swagger UI under the content policy of all pages. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';

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

  /** @returns the page of the explorer, and what went wrong in it */
  async function explorer(id: string, reader: { readonly username: string; readonly password: string }) {
    const context = await browser.newContext();
    const page = await context.newPage();
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
    await page.locator('[name=username]').fill(reader.username);
    await page.locator('[name=password]').fill(reader.password);
    await page.locator('main button[type=submit]').first().click();
    await page.waitForURL((url) => url.pathname !== '/login');
    await page.goto(`${console.url}/settings/api/${id}`);
    return { context, page, wrong: [complaints, elsewhere] };
  }

  test('makes a call as the reader, and the content policy stops nothing', async () => {
    const { context, page, wrong } = await explorer('console', admin);
    await page.locator('#operations-tag-members').click();
    await page.locator('#operations-members-listMembers .opblock-summary-control').first().click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = page.locator('.live-responses-table tbody .response');
    expect(await answer.locator('.response-col_status').textContent()).toContain('200');
    expect(await answer.locator('.highlight-code').first().textContent()).toContain('"items"');
    expect(wrong).toEqual([[], []]);
    await context.close();
  });

  test('makes a call to a member that reads, shows its own answer, and offers none that changes', async () => {
    await fetch(`${console.url}/svc/rest/maps/orders/a1`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await machineToken(console)}`, 'Content-Type': 'application/json' },
      body: '{"total":12345678901234567890}',
    });
    const { context, page, wrong } = await explorer('members', admin);
    const block = (path: string, method: string) =>
      page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });
    await page.locator('#operations-tag-DATA').click();
    const entry = block('/svc/rest/maps/{map}/{key}', 'get').first();
    await entry.locator('.opblock-summary-control').click();
    await entry.getByRole('button', { name: 'Try it out' }).click();
    for (const [name, value] of [
      ['map', 'orders'],
      ['key', 'a1'],
    ] as const)
      await entry.locator(`[data-param-name="${name}"] input`).fill(value);
    await entry.getByRole('button', { name: 'Execute' }).click();
    const answer = entry.locator('.live-responses-table tbody .response');
    expect(await answer.locator('.response-col_status').textContent()).toContain('200');
    expect(await answer.locator('.highlight-code').first().textContent()).toContain('12345678901234567890');
    // What a program would send.
    expect(await entry.locator('.request-url').textContent()).toContain('/svc/rest/maps/orders/a1');
    const put = block('/svc/rest/maps/{map}/{key}', 'post').first();
    await put.locator('.opblock-summary-control').click();
    expect(await put.getByRole('button', { name: 'Try it out' }).count()).toBe(0);
    expect(wrong).toEqual([[], []]);
    await context.close();
  });
});
