/** Long ids of lists are cut in their middle, by CSS alone: a row stays a row, and all of the id is read out, found and copied. */
import type { Browser, Page } from 'playwright-core';
import { renderToString } from 'preact-render-to-string';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ListId } from '../../views/management/list-id.tsx';
import { openBrowser } from '../helpers/browser.ts';
import { admin, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, personPassword } from '../helpers/management.ts';

const uuid = '4dbd5b2e-6a2f-4d41-9a0d-1b6a3b0a8a11';

test.each([
  ['a short one', 'billing'],
  ['one of 24 characters', 'x'.repeat(24)],
  ['a name of words', 'The orders of all our shops in Europe'],
  ['an address of a person', 'grace.brewster.hopper@example.com'],
  ['what is no id at all', '"><script>alert(1)</script>'],
  ['one with letters that are wider or narrower', 'ü'.repeat(40)],
])('%s stays whole', (_what, id) => {
  expect(renderToString(ListId({ children: id }))).not.toContain('cut-id');
});

test('a long one is in the page in one piece, with its end for CSS, and what it is of before it', () => {
  expect(renderToString(ListId({ children: `session ${uuid}` }))).toBe(
    `<bdi>session <span class="cut-id" title="${uuid}" data-end="0a8a11"><span>${uuid}</span></span></bdi>`,
  );
});

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;

describe.skipIf(!found)(`in Chromium${reason ? ` (${reason})` : ''}`, () => {
  let console: RunningConsole;

  beforeAll(async () => {
    console = await startConsole();
    await callApi(console, 'POST', '/users', { id: uuid, password: personPassword, roles: [] });
  });
  afterAll(async () => {
    await console?.stop();
    await found?.close();
  });

  async function openUsers(width: number): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: true });
    const page = await context.newPage();
    await page.goto(`${console.url}/login`);
    await page.fill('[name=username]', admin.username);
    await page.fill('[name=password]', admin.password);
    await page.click('button[type=submit]');
    await page.waitForURL(`${console.url}/`);
    await page.goto(`${console.url}/access/users`);
    return page;
  }

  test.each([320, 1280])(
    'at %d px it stands in one line, cut, with its end, and the page scrolls nowhere',
    async (width) => {
      const page = await openUsers(width);
      const id = page.locator('.cut-id');
      const shown = await id.evaluate((one) => {
        const text = one.firstElementChild!;
        const line = Number.parseFloat(getComputedStyle(one).lineHeight);
        return {
          isCut: text.scrollWidth > text.clientWidth,
          lines: Math.round(one.parentElement!.getBoundingClientRect().height / line),
          end: getComputedStyle(one, '::after').content,
          fits: one.getBoundingClientRect().right <= window.innerWidth,
          scrolls: document.documentElement.scrollWidth > window.innerWidth,
        };
      });
      expect(shown).toMatchObject({ isCut: true, lines: 1, fits: true, scrolls: false });
      expect(shown.end).toContain('0a8a11');
      await page.context().close();
    },
  );

  test('it is read out and copied whole, and so printed', async () => {
    const page = await openUsers(320);
    await page.getByRole('link', { name: uuid, exact: true }).waitFor();
    const copied = await page.locator('th:has(.cut-id) a').evaluate((cell) => {
      getSelection()!.selectAllChildren(cell);
      return getSelection()!.toString();
    });
    expect(copied.trim()).toBe(uuid);
    await page.emulateMedia({ media: 'print' });
    const printed = await page.locator('.cut-id').evaluate((one) => {
      const text = one.firstElementChild!;
      return [text.scrollWidth > text.clientWidth, getComputedStyle(one, '::after').content];
    });
    expect(printed).toEqual([false, 'none']);
    await page.context().close();
  });
});
