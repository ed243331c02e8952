/**
 * Every page in German, and in a language that is not there: each text 1.3 times as long, in brackets. Both from the left and from
 * the right: nothing is cut off, and no page is wider than its window.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { type Demo, startDemo } from '../helpers/demo.ts';
import { demoPaths } from '../helpers/demo-paths.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

const windows = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
] as const;
const directions = ['ltr', 'rtl'] as const;
/** For people who are not signed in. */
const openPaths = ['/login', '/device', '/setup?token=x', '/no/such/page'];

describe.skipIf(!found)(`texts of another length${reason ? ` (${reason})` : ''}`, () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(() => demo?.stop());

  test.each([
    { name: 'in German', locale: 'de-DE', isLong: false },
    { name: '1.3 times as long', locale: 'en-GB', isLong: true },
  ])(
    'find their place on every page: $name',
    async ({ locale, isLong }) => {
      const page = await (await browser.newContext({ locale })).newPage();
      page.setDefaultTimeout(10_000);
      // What goes on by itself would be said as it was.
      await page.route(/[?&]live=1/, () => {});
      const problems = await problemsOf(page, openPaths, isLong);
      await signIn(page);
      Object.assign(problems, await problemsOf(page, demoPaths(demo), isLong));
      await page.context().close();
      expect(problems).toEqual({});
    },
    400_000,
  );

  test('that do not are found', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${demo.consoleUrl}/login`);
    await page.evaluate(() => {
      document.querySelector('h1')!.style.cssText = 'height: 1rem; overflow: hidden';
      document.querySelector('button')!.style.cssText = 'width: 2rem; padding: 0; white-space: nowrap';
      document.querySelector('form')!.style.width = '100rem';
    });
    expect(await page.evaluate(whatIsCutOff, 'ltr')).toEqual([
      expect.stringMatching(/^\d+ px wider than the window$/),
      'cut off: h1 “Sign in”',
      'cut off: button.button.primary “Sign in”',
      expect.stringMatching(/^outside: /),
      expect.stringMatching(/^outside: /),
    ]);
    await page.context().close();
  });

  async function signIn(page: Page): Promise<void> {
    await page.goto(`${demo.consoleUrl}/login`);
    await page.fill('[name=username]', 'ada');
    await page.fill('[name=password]', demo.passwordOf('ada'));
    await page.click('main button[type=submit]');
    await page.waitForURL(`${demo.consoleUrl}/`);
  }

  async function problemsOf(
    page: Page,
    paths: readonly string[],
    isLong: boolean,
  ): Promise<Record<string, readonly string[]>> {
    const problems: Record<string, readonly string[]> = {};
    for (const path of paths) {
      await page.goto(demo.consoleUrl + path);
      if (isLong) await page.evaluate(lengthen);
      const wrong = await wrongIn(page);
      if (wrong.length > 0) problems[path] = wrong;
    }
    return problems;
  }
});

async function wrongIn(page: Page): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const size of windows) {
    await page.setViewportSize(size);
    // Plots take their new size from a frame of the browser.
    await page.evaluate(
      () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
    );
    for (const direction of directions) {
      const found = await page.evaluate(whatIsCutOff, direction);
      wrong.push(...found.map((problem) => `${size.width} px, ${direction}: ${problem}`));
    }
  }
  return wrong;
}

/** In the page: each word gets its beginning once more. What is a name, a number or code stays as it is. */
function lengthen(): void {
  const kept =
    ':not(h1) > bdi, code, pre, kbd, time, script, style, input, textarea, .select-all, .code, td.number';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (text.data.trim() === '' || !/\p{L}{2}/u.test(text.data) || text.parentElement?.closest(kept))
      continue;
    text.data = longer(text.data);
  }
  // What a cell says on a phone instead of the head of its column.
  for (const cell of document.querySelectorAll<HTMLElement>('[data-title]')) {
    cell.dataset.title = longer(cell.dataset.title!);
  }

  function longer(text: string): string {
    const long = text.replace(/\p{L}+/gu, (word) => word + word.slice(0, Math.round(word.length * 0.3)));
    return long.replace(/\S.*\S/s, (all) => `[${all}]`);
  }
}

/** In the page. */
function whatIsCutOff(direction: string): readonly string[] {
  const root = document.documentElement;
  root.dir = direction;
  const excess = root.scrollWidth - innerWidth;
  const nameOf = (element: Element) => {
    const name = element.localName + [...element.classList].map((one) => `.${one}`).join('');
    return `${name} “${element.textContent?.trim().slice(0, 40)}”`;
  };
  const isCut = (element: Element) => {
    const style = getComputedStyle(element);
    const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
    const isWide = element.scrollWidth > element.clientWidth + 1 && hides(style.overflowX);
    const isHigh = element.scrollHeight > element.clientHeight + 1 && hides(style.overflowY);
    // Words that are wider than what stands around them.
    const isButton = element.matches('button, .button') && element.scrollWidth > element.clientWidth + 1;
    // What is only read out, as the heads of columns are on a phone; names, which end in three dots; the drawing of the sign-in.
    const isMeant =
      element.closest('.unseen, .skip, .banner') ||
      style.position === 'absolute' ||
      style.textOverflow === 'ellipsis';
    return (isWide || isHigh || isButton) && !isMeant && element.checkVisibility();
  };
  const all = [...document.body.querySelectorAll('*')];
  const isOutside = ({ left, right, width }: DOMRect) => width > 0 && (left < -1 || right > innerWidth + 1);
  const scrolls = 'nav.pages, .table-frame, pre, .unseen, .skip, dialog, .banner-rings';
  const outside = all.filter(
    (element) =>
      !element.closest(scrolls) && isOutside(element.getBoundingClientRect()) && element.checkVisibility(),
  );
  return [
    ...(excess > 0 ? [`${excess} px wider than the window`] : []),
    ...all
      .filter(isCut)
      .slice(0, 3)
      .map((element) => `cut off: ${nameOf(element)}`),
    ...outside.slice(0, 2).map((element) => `outside: ${nameOf(element)}`),
  ];
}
