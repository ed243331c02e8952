/** Every select of every page on a phone, in both languages: each of its options can be read to its end in the closed control. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { type Demo, startDemo } from '../helpers/demo.ts';
import { demoPaths } from '../helpers/demo-paths.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { walk } from '../helpers/walk.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
afterAll(() => found?.close());

/** What many of them are called, and what is too rare for the walk to come by. */
const more = [
  '/access/clients/archive?do=rotate',
  '/access/clients/billing?do=rotate',
  '/access/applications/wiki?do=rotate',
  '/cluster/operations?do=state',
  '/settings/keys?do=rotate-now',
];

describe.skipIf(!found)(`selects on a phone${reason ? ` (${reason})` : ''}`, () => {
  let demo: Demo;
  let paths: readonly string[];
  beforeAll(async () => {
    demo = await startDemo();
    const agent = createUserAgent(demo.consoleUrl);
    await agent.signIn({ username: 'ada', password: demo.passwordOf('ada') });
    const { pages } = await walk(agent, [...demoPaths(demo), ...more], 3);
    const withSelects = new Map<string, string>();
    for (const path of [...more, ...pages]) {
      const names = (await agent.get(path)).body.match(/<select[^>]*name="[^"]*"/g);
      if (names) withSelects.set(`${path.split('?')[0]} ${names}`, path);
    }
    paths = [...withSelects.values()];
  }, 300_000);
  afterAll(() => demo?.stop());

  test.each(['en-GB', 'de-DE'])(
    'show each of their options whole: %s',
    async (locale) => {
      const page = await signedIn(locale);
      const cut: Record<string, readonly string[]> = {};
      for (const path of paths) {
        await page.goto(demo.consoleUrl + path);
        const long = await page.evaluate(cutOptions);
        if (long.length > 0) cut[path] = long;
      }
      await page.context().close();
      expect(paths.length).toBeGreaterThan(15);
      expect(cut).toEqual({});
    },
    300_000,
  );

  test('that do not are found', async () => {
    const page = await signedIn('en-GB');
    await page.goto(`${demo.consoleUrl}/observe/traffic`);
    await page.evaluate(() => {
      document.querySelector('select option')!.textContent =
        'so long that no phone is as wide as this option';
    });
    expect(await page.evaluate(cutOptions)).toEqual([expect.stringContaining('so long that')]);
    await page.context().close();
  });

  async function signedIn(locale: string): Promise<Page> {
    const page = await (
      await browser.newContext({ locale, viewport: { width: 392, height: 840 } })
    ).newPage();
    // What goes on by itself takes longer than a look.
    await page.route(/[?&]live=1/, () => {});
    await page.goto(`${demo.consoleUrl}/login`);
    await page.fill('[name=username]', 'ada');
    await page.fill('[name=password]', demo.passwordOf('ada'));
    await page.click('main button[type=submit]');
    await page.waitForURL(`${demo.consoleUrl}/`);
    return page;
  }
});

/** In the page: as wide as a select with that option alone would like to be. */
function cutOptions(): readonly string[] {
  for (const details of document.querySelectorAll('details')) details.open = true;
  const cut: string[] = [];
  for (const select of document.querySelectorAll('select')) {
    const width = select.getBoundingClientRect().width;
    if (width === 0) continue;
    for (const option of select.options) {
      const probe = select.cloneNode(false) as HTMLSelectElement;
      probe.append(option.cloneNode(true));
      probe.style.cssText = 'position: absolute; visibility: hidden; width: max-content; max-width: none';
      select.after(probe);
      const excess = Math.ceil(probe.getBoundingClientRect().width - width);
      probe.remove();
      if (excess > 0) cut.push(`${select.name}: “${option.label}” by ${excess} px`);
    }
  }
  return cut;
}
