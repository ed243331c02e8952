/**
 * Every page as it looked when somebody last looked at it, with the data of the demo and with nothing yet, on a wide window and a phone, in
 * light and dark. A part that has moved, is missing or has another colour fails; `npm run pictures` takes the pictures anew, to be looked at
 * before they are committed.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { siteMap } from '../../console/pages/site-map.ts';
import { openBrowser } from '../helpers/browser.ts';
import { admin, startConsole } from '../helpers/console.ts';
import { startDemo } from '../helpers/demo.ts';
import { difference, pack, type Thumbnail, thumbnailOf, unpack } from './thumbnails.ts';

const { browser: found, reason: browserReason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

/** The pictures have this one, so that they are the same on each machine. */
const font = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
const fontReason = existsSync(font) ? undefined : 'DejaVu is not installed here (fonts-dejavu-core)';
const reason = browserReason ?? fontReason;

const everywhere = [
  ...new Set(siteMap.flatMap(({ href, pages }) => [href, ...pages.map((page) => page.href)])),
  '/account',
];
/** Pages of one thing, forms that add one and questions before an act: a kind of each. */
const ofOne = [
  '/access/users/vera',
  '/access/roles/OrdersReader',
  '/access/clients/archive',
  '/access/applications/wiki',
  '/access/identity-providers/partner',
  '/access/users?do=new',
  '/access/roles?do=new',
  '/access/clients?do=new',
  '/access/applications?do=new',
  '/access/identity-providers?do=new',
  '/access/clients/archive?do=rotate',
  '/access/clients/archive?do=remove',
  '/cluster/maps/orders?do=clear',
  '/cluster/cp?do=reset',
  '/settings/keys?do=rotate-now',
];

/** Of a page that is as it was: what a word more or less makes. A button of another colour makes more than twice as much. */
const greatestDifference = 0.0025;

/** What is different in each demo is not seen, but has its place: a secret's id makes a sentence a line longer, or not. */
const steady = `
  :root { --sans: "DejaVu Sans"; --mono: "DejaVu Sans Mono"; }
  *, ::before, ::after { transition: none !important; caret-color: transparent !important; }
  time { display: inline-block !important; width: 5rem !important; height: 1.25em; overflow: hidden; white-space: nowrap; vertical-align: bottom; }
  time, td, tbody th, dd, .count, .live, .plot-area, .plot-now, .tiles strong, .code, .attention, .work .boxed p, .session-text
  { visibility: hidden !important; }
  .effects li { height: 3rem; overflow: hidden; visibility: hidden !important; }
`;

interface Look {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}
const looks: readonly Look[] = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { name: `desktop-${colorScheme}`, colorScheme, viewport: { width: 1280, height: 800 } },
  { name: `phone-${colorScheme}`, colorScheme, viewport: { width: 392, height: 840 } },
]);
interface Shown {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  stop(): Promise<unknown>;
}

interface State {
  readonly state: string;
  readonly paths: readonly string[];
  readonly start: () => Promise<Shown>;
}
const states: readonly State[] = [
  {
    state: 'full',
    paths: [...everywhere, ...ofOne],
    async start() {
      const demo = await startDemo();
      return { url: demo.consoleUrl, username: 'ada', password: demo.passwordOf('ada'), stop: demo.stop };
    },
  },
  {
    state: 'empty',
    paths: everywhere,
    async start() {
      const { url, stop } = await startConsole();
      return { url, ...admin, stop };
    },
  },
];

describe.skipIf(reason).each(states)(
  `pages look as they did, $state${reason ? ` (${reason})` : ''}`,
  ({ state, paths, start }) => {
    let shown: Shown;
    let page: Page;

    beforeAll(async () => {
      shown = await start();
      // The style of this test is none of the console's: its policy would keep it out.
      page = await (await browser.newContext({ bypassCSP: true })).newPage();
      await page.route(/[?&]live=1/, () => {});
      await page.goto(`${shown.url}/login`);
      await page.getByLabel('Username').fill(shown.username);
      await page.getByLabel('Password', { exact: true }).fill(shown.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await (state === 'full' ? untilAllIsFound() : untilThereAreFigures());
    }, 180_000);
    afterAll(async () => {
      await page?.context().close();
      await shown?.stop();
    });

    /** What comes to need attention while the demo runs: one of its clients, which is denied ten times. */
    async function untilAllIsFound(): Promise<void> {
      const isThere = async () => {
        await page.goto(`${shown.url}/observe/health`);
        return page.locator('main', { hasText: 'reporter' }).isVisible();
      };
      await vi.waitUntil(isThere, { timeout: 150_000, interval: 2_000 });
    }

    /** The first ones come after five seconds, and take more room than the words that say that there are none. */
    async function untilThereAreFigures(): Promise<void> {
      const areThere = async () => {
        await page.goto(`${shown.url}/`);
        return page.locator('main', { hasText: 'most 0/s' }).isVisible();
      };
      await vi.waitUntil(areThere, { timeout: 30_000, interval: 1_000 });
    }

    const fileOf = ({ name }: Look) => join(import.meta.dirname, 'references', `${state}-${name}.png`);

    /** @param style  what is changed in it */
    async function take(path: string, { colorScheme, viewport }: Look, style = ''): Promise<Thumbnail> {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.goto(shown.url + path);
      // How many rows there are, and how wide, depends on what has happened.
      const rows =
        path === '/observe/audit' ? 'tbody { display: none; } table { table-layout: fixed !important; }' : '';
      const styles = steady + rows + style;
      return thumbnailOf(await page.screenshot({ style: styles, animations: 'disabled' }));
    }

    /** A page may say for a moment that a member is slow to answer: one that differs is taken again, a few times. */
    async function leastDifference(path: string, look: Look, reference: Thumbnail): Promise<number> {
      const parts: number[] = [];
      for (const pauseMs of [0, 3_000, 6_000, 12_000]) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        parts.push(difference(await take(path, look), reference));
        if (parts.at(-1)! <= greatestDifference) break;
      }
      return Math.min(...parts);
    }

    test.each(looks)(
      '$name',
      async (look) => {
        if (process.env.UPDATE_PICTURES) {
          const taken: Thumbnail[] = [];
          for (const path of paths) taken.push(await take(path, look));
          await writeFile(fileOf(look), pack(taken));
        }
        const references = unpack(await readFile(fileOf(look)), paths.length);
        const different: string[] = [];
        for (const [at, path] of paths.entries()) {
          const part = await leastDifference(path, look, references[at]!);
          if (part > greatestDifference) different.push(`${path}: ${(part * 100).toFixed(2)} %`);
        }
        expect(different).toEqual([]);
      },
      360_000,
    );

    test.each([
      { what: 'has moved', style: '.filters { transform: translateY(12px); }' },
      { what: 'is missing', style: '.work-title .actions { visibility: hidden; }' },
      { what: 'has another colour', style: '.button.primary { background: #962217; }' },
    ])('a part that $what makes a difference', async ({ style }) => {
      const look = looks[0]!;
      const at = paths.indexOf('/access/users');
      const reference = unpack(await readFile(fileOf(look)), paths.length)[at]!;
      expect(difference(await take(paths[at]!, look), reference)).toBeLessThanOrEqual(greatestDifference);
      const changed = await take(paths[at]!, look, style);
      expect(difference(changed, reference)).toBeGreaterThan(2 * greatestDifference);
    });
  },
);
