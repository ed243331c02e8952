/** Every management page in a browser, on the data of `npm run demo`: axe in light and dark, layout shift, and no page wider than its window. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteMap } from '../../console/pages/site-map.ts';
import { openBrowser } from '../helpers/browser.ts';
import { type Demo, startDemo } from '../helpers/demo.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

/** One of each kind, and what asks first. */
const details = [
  '/account',
  '/cluster/members/127.0.0.1:1',
  '/cluster/maps/orders',
  '/cluster/maps/orders/a1',
  '/cluster/maps/logos/red?as=image',
  '/cluster/queues/mails',
  '/cluster/wan/atlantic/london',
  '/cluster/wan?do=new',
  '/cluster/operations?do=shut-down',
  '/access/users/grace',
  '/access/users/grace?do=remove',
  '/access/users?do=new',
  '/access/roles/OrdersReader',
  '/access/roles?do=new',
  '/access/clients/billing',
  '/access/clients/billing?do=rotate',
  '/access/clients?do=new',
  '/access/applications/wiki',
  '/access/applications?do=new',
  '/access/effective?client=billing&method=POST&path=/svc/rest/maps/orders/a1',
  '/observe/search?q=orders',
];
/** Of the demo's pages. */
const paths = [
  ...new Set(siteMap.flatMap(({ href, pages }) => [href, ...pages.map((page) => page.href)])),
  ...details,
];
const looks = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 }, rules: undefined },
  // The markup is the same: what depends on colours and width is looked at again.
  {
    colorScheme: 'dark',
    viewport: { width: 320, height: 720 },
    rules: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'],
  },
] as const;

/** As axe answers. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

declare global {
  interface Window {
    readonly axe: { run(options: object): Promise<{ readonly violations: readonly Violation[] }> };
    /** What has moved on the page without anybody having done anything, as a browser scores it. */
    shifted: number;
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

  async function signedIn({ colorScheme, viewport }: (typeof looks)[number]): Promise<Page> {
    const page = await (await browser.newContext({ colorScheme, viewport })).newPage();
    page.setDefaultTimeout(10_000);
    await page.addInitScript(countShifts);
    // What goes on by itself changes numbers, which is no shift of the page that was loaded.
    await page.route(/[?&]live=1/, () => {});
    await page.goto(`${demo.consoleUrl}/login`);
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('Password', { exact: true }).fill(demo.passwordOf('ada'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    return page;
  }

  test.each(looks)(
    'has nothing that axe finds, nothing that moves and nothing too wide: $colorScheme, $viewport.width px',
    async (look) => {
      const page = await signedIn(look);
      const problems: Record<string, unknown> = {};
      for (const path of [...paths, await decisionPath(page)]) {
        const answer = await page.goto(demo.consoleUrl + path);
        const found = [
          ...(answer?.status() === 200 ? [] : [`status ${answer?.status()}`]),
          ...(await violationsOf(page, axe, look.rules)),
          ...(await layoutOf(page)),
        ];
        if (found.length > 0) problems[path] = found;
      }
      await page.context().close();
      expect(problems).toEqual({});
    },
    240_000,
  );
});

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
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      readonly value: number;
      readonly hadRecentInput: boolean;
    })[])
      if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}

/** @param rules  by their ids; all without them */
async function violationsOf(
  page: Page,
  axe: string,
  rules: readonly string[] | undefined,
): Promise<readonly string[]> {
  // By the browser's own protocol: the policy of the page lets no script in.
  await page.evaluate(axe);
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
  const { shifted, excess } = await page.evaluate(() => ({
    shifted: window.shifted,
    excess: document.documentElement.scrollWidth - innerWidth,
  }));
  return [
    ...(shifted > 0 ? [`layout shift ${shifted}`] : []),
    ...(excess > 0 ? [`${excess} px wider than the window`] : []),
  ];
}
