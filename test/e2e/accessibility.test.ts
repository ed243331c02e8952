/** Every management page in a browser, on the data of `npm run demo`: axe in light and dark, layout shift, and no page wider than its window. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { type Demo, startDemo } from '../helpers/demo.ts';
import { demoPaths } from '../helpers/demo-paths.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

/** The markup is the same there: what depends on colours and width is looked at again in others. */
const rulesOfSizes = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];
const looks = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 }, rules: undefined },
  { colorScheme: 'dark', viewport: { width: 320, height: 720 }, rules: rulesOfSizes },
] as const;
interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

/** What a page that is loaded becomes: with its text twice as large, too (WCAG 1.4.4). */
const sizes = [
  { width: 390, height: 844, text: '100%' },
  { width: 1920, height: 1080, text: '100%' },
  { width: 1280, height: 900, text: '200%' },
] as const;
const widths = [320, 390, 1280] as const;

/** As axe answers. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

declare global {
  interface Window {
    readonly axe: { run(options: object): Promise<{ readonly violations: readonly Violation[] }> };
    /** What has moved on the page without anybody having done anything, and how far as a browser scores it. */
    shifts: string[];
  }
}

describe.skipIf(!found)(`every page in a browser${reason ? ` (${reason})` : ''}`, () => {
  let demo: Demo;
  let axe: string;

  beforeAll(async () => {
    const file = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    [demo, axe] = await Promise.all([startDemo(), readFile(file, 'utf8')]);
  });
  afterAll(() => demo?.stop());

  async function signedIn({ colorScheme, viewport }: Look): Promise<Page> {
    const page = await (await browser.newContext({ colorScheme, viewport })).newPage();
    page.setDefaultTimeout(10_000);
    await page.addInitScript(countShifts);
    // What goes on by itself changes numbers, which is no shift of the page that was loaded.
    await page.route(/[?&]live=1/, () => {});
    await page.goto(`${demo.consoleUrl}/login`);
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('Password', { exact: true }).fill(demo.passwordOf('ada'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname !== '/login');
    return page;
  }

  test.each(looks)(
    'has nothing that axe finds, nothing that moves and nothing too wide: $colorScheme, $viewport.width px',
    async (look) => {
      const page = await signedIn(look);
      const problems: Record<string, unknown> = {};
      for (const path of [...demoPaths(demo), await decisionPath(page)]) {
        const answer = await page.goto(demo.consoleUrl + path);
        // By the browser's own protocol: the policy of the page lets no script in.
        await page.evaluate(axe);
        const found = [
          ...(answer?.status() === 200 ? [] : [`status ${answer?.status()}`]),
          ...(await violationsOf(page, look.rules)),
          ...(await layoutOf(page)),
          ...(await problemsOfSizes(page, look.viewport)),
        ];
        if (found.length > 0) problems[path] = found;
      }
      await page.context().close();
      expect(problems).toEqual({});
    },
    400_000,
  );

  test.each(looks)(
    'finds nothing in the explorer, closed and with a call tried: $colorScheme, $viewport.width px',
    async (look) => {
      const page = await signedIn(look);
      // The library is the largest script that there is.
      page.setDefaultTimeout(60_000);
      const problems: Record<string, readonly string[]> = {};
      const check = async (state: string) => {
        await page.evaluate(axe);
        problems[state] = [...(await violationsOf(page, undefined)), ...(await excessOf(page))];
      };
      await page.goto(`${demo.consoleUrl}/settings/api/console`);
      await page.locator('#operations-tag-users').click();
      await check('closed');
      // One call of each method: with query, with body, with what removes something.
      for (const method of ['get', 'post', 'patch', 'delete'])
        await page.locator(`.opblock-${method} .opblock-summary-control`).first().click();
      await page.locator('.responses-table').nth(3).waitFor();
      await check('opened');
      for (const method of ['get', 'post', 'patch', 'delete'])
        await page.locator(`.opblock-${method}`).getByRole('button', { name: 'Try it out' }).first().click();
      await page.locator('.opblock-get .execute').click();
      await page.locator('.live-responses-table .response').waitFor();
      await check('tried');
      await page.goto(`${demo.consoleUrl}/settings/api/members`);
      await page.locator('.opblock-tag').first().click();
      await page.locator('.opblock-summary-control').first().click();
      await page.locator('.responses-table').waitFor();
      await check('of members');
      await page.context().close();
      expect(problems).toEqual({ closed: [], opened: [], tried: [], 'of members': [] });
    },
    400_000,
  );

  test.each(widths)('moves nothing when live pauses, at %i px', async (width) => {
    const page = await signedIn({ ...looks[0], viewport: { width, height: 800 } });
    await page.unroute(/[?&]live=1/);
    await page.route(/[?&]live=1/, (route) => route.abort());
    for (const path of ['/', '/observe/traffic']) {
      await page.goto(demo.consoleUrl + path);
      await page.getByText(/^Live paused since /).waitFor();
      // What has been painted is counted by then.
      await page.evaluate(
        () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
      );
      expect(await layoutOf(page), path).toEqual([]);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Go on' }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBe(0);
    }
    await page.context().close();
  });
});

/** At each of {@link sizes}, without loading the page again; it is left as it was. */
async function problemsOfSizes(page: Page, viewport: Look['viewport']): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { text, ...size } of sizes) {
    await page.setViewportSize(size);
    await page.evaluate((fontSize) => {
      document.documentElement.style.fontSize = fontSize;
    }, text);
    const found = [...(await violationsOf(page, rulesOfSizes)), ...(await excessOf(page))];
    problems.push(...found.map((problem) => `${size.width} px, text ${text}: ${problem}`));
  }
  await page.setViewportSize(viewport);
  return problems;
}

/** Of the latest refusal, by the link to it. */
async function decisionPath(page: Page): Promise<string> {
  const link = page.getByRole('table', { name: 'Latest refusals' }).getByRole('link', { name: /orders/ });
  // The page is not live here: the demo's first refusal may come after it.
  const isThere = async () => {
    await page.goto(new URL('/', page.url()).href);
    return link.first().isVisible();
  };
  await expect.poll(isThere, { timeout: 60_000, interval: 500 }).toBe(true);
  return (await link.first().getAttribute('href'))!;
}

function countShifts(): void {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      readonly value: number;
      readonly hadRecentInput: boolean;
      readonly sources: readonly {
        readonly node: Node | null;
        readonly previousRect: DOMRect;
        readonly currentRect: DOMRect;
      }[];
    })[]) {
      if (entry.hadRecentInput) continue;
      const moved = entry.sources.map(({ node, previousRect: from, currentRect: to }) => {
        const name = node instanceof Element ? node.outerHTML.slice(0, 120) : node?.textContent;
        return `${name} ${[from.x, from.y, from.width, from.height]} -> ${[to.x, to.y, to.width, to.height]}`;
      });
      window.shifts.push(`layout shift ${entry.value}: ${moved.join('; ')}`);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** @param rules  by their ids; all without them */
async function violationsOf(page: Page, rules: readonly string[] | undefined): Promise<readonly string[]> {
  const { violations } = await page.evaluate(
    (runOnly) =>
      window.axe.run({ resultTypes: ['violations'], elementRef: false, ...(runOnly && { runOnly }) }),
    rules,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

async function layoutOf(page: Page): Promise<readonly string[]> {
  return [...(await page.evaluate(() => window.shifts)), ...(await excessOf(page))];
}

async function excessOf(page: Page): Promise<readonly string[]> {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return excess > 0 ? [`${excess} px wider than the window`] : [];
}
