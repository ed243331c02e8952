/** Times of pages in a browser whose person has chosen no zone: nothing moves when a page has been painted, on the first page or a later one. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;

describe.skipIf(!found)(`times of a browser in New York${reason ? ` (${reason})` : ''}`, () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(async () => {
    await console?.stop();
    await found?.close();
  });

  test.each([1280, 390])(
    'move nothing on audit log and account, at %i px, and are in its zone from the second page on',
    async (width) => {
      const context = await browser.newContext({
        timezoneId: 'America/New_York',
        viewport: { width, height: 900 },
      });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      await page.addInitScript(countShifts);
      await page.goto(`${console.url}/login`);
      await page.getByLabel('Username').fill(admin.username);
      await page.getByLabel('Password').fill(admin.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.waitForLoadState();
      for (const path of ['/observe/audit', '/account']) {
        // As if it were the first page of all.
        await context.clearCookies({ name: 'console_zone' });
        const first = await seen(page, path);
        expect(first.times.length).toBeGreaterThan(0);
        expect(first, path).toMatchObject({ zone: undefined, shifted: 0 });
        expect(first.times.filter((time) => !/ UTC$/.test(time))).toEqual([]);
        const second = await seen(page, path);
        expect(second, path).toMatchObject({ zone: 'America/New_York', shifted: 0 });
        expect(second.times.filter((time) => !/ (?:EST|EDT|GMT-[45])$/.test(time))).toEqual([]);
      }
      // What was chosen counts more than where the browser is.
      await page.goto(`${console.url}/account`);
      await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('Saved for this browser.').waitFor();
      const chosen = await seen(page, '/observe/audit');
      expect(chosen).toMatchObject({ zone: 'Asia/Tokyo', shifted: 0 });
      expect(chosen.times.filter((time) => !/ GMT\+9$/.test(time))).toEqual([]);
      await context.close();
    },
  );

  async function seen(page: Page, path: string) {
    await page.goto(`${console.url}${path}`);
    // What has been painted is counted by then.
    await page.evaluate(
      () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
    );
    const times = await page
      .locator('main time')
      .evaluateAll((all) =>
        all.map((time) =>
          (time as HTMLElement).dataset.relative === undefined
            ? time.textContent
            : (time as HTMLElement).title,
        ),
      );
    return page.evaluate(
      (all) => ({
        times: all as string[],
        zone: document.documentElement.dataset.zone,
        shifted: (window as unknown as { shifted: number }).shifted,
      }),
      times,
    );
  }
});

function countShifts(): void {
  const counted = window as unknown as { shifted: number };
  counted.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries() as (PerformanceEntry & { readonly value: number })[])
      counted.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
}
