/** Every page is travelled to: by mouse, by keyboard alone and without script, in Chromium and in Firefox, on the data of `npm run demo`. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteMap } from '../../../console/pages/site-map.ts';
import { textsIn } from '../../../views/texts/text.ts';
import { openBrowser } from '../../helpers/browser.ts';
import { type Demo, startDemo } from '../../helpers/demo.ts';
import { firefoxReason, startFirefox } from '../../helpers/firefox.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';
import { chromiumTab, firefoxTab, type Tab } from './tab.ts';
import { journeys } from './table.ts';
import { createVisitor, type Visitor } from './visitor.ts';

const { browser: found, reason } = await openBrowser();
const browser = found as Browser;
let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(async () => {
  await demo?.stop();
  await found?.close();
});

interface Traveller {
  /** What things are called that it makes. */
  readonly id: string;
  readonly way: 'mouse' | 'keyboard';
  readonly hasScript: boolean;
}

const travellers: readonly Traveller[] = [
  { id: 'mouse', way: 'mouse', hasScript: true },
  { id: 'keyboard', way: 'keyboard', hasScript: true },
  { id: 'scriptless', way: 'mouse', hasScript: false },
];

test('there is a journey for each page of the map', () => {
  const t = textsIn('en');
  const pages = siteMap.flatMap(({ title, pages: own }) => [t(title), ...own.map((page) => t(page.title))]);
  expect(pages.filter((title) => !journeys.some(({ page }) => page === title))).toEqual([]);
});

describe.skipIf(!found)(`in Chromium${reason ? ` (${reason})` : ''}`, () => {
  describe.each(travellers)('by $way, script: $hasScript', ({ id, way, hasScript }) => {
    const errors: string[] = [];
    travel(`chromium-${id}`, way, async () => {
      const context = await browser.newContext({ javaScriptEnabled: hasScript });
      context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      context.on('weberror', (error) => errors.push(error.error().message));
      return chromiumTab(context);
    });
    test('nothing went wrong in any page', () => {
      expect(errors).toEqual([]);
    });
  });
});

describe.skipIf(firefoxReason)(`in Firefox${firefoxReason ? ` (${firefoxReason})` : ''}`, () => {
  describe.each(travellers.filter(({ way }) => way === 'mouse'))(
    'by $way, script: $hasScript',
    ({ id, way, hasScript }) => {
      travel(`firefox-${id}`, way, async () => {
        const firefox = await startFirefox({ hasScript });
        return { ...(await firefoxTab(firefox)), close: firefox.stop };
      });
    },
  );
});

/** Tests of one traveller, who signs in once. */
function travel(id: string, way: Traveller['way'], openTab: () => Promise<Tab>): void {
  let tab: Tab;
  let visitor: Visitor;
  beforeAll(async () => {
    // A session of somebody else, which this one may end.
    await createUserAgent(demo.consoleUrl).signIn({ username: 'vera', password: demo.passwordOf('vera') });
    tab = await openTab();
    visitor = createVisitor(tab, demo.consoleUrl, way);
    await visitor.open('/login');
    await visitor.fill('Username', 'ada');
    await visitor.fill('Password', demo.passwordOf('ada'));
    await visitor.press('Sign in');
    await visitor.reads('Overview');
  });
  afterAll(() => tab?.close());

  test.each(journeys)('$page', ({ go }) => go(visitor, id));
}
