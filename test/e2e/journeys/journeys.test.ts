/** Every page is travelled to: by mouse, by keyboard alone and without script, in Chromium and in Firefox, on the data of `npm run demo`. */
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { siteMap } from '../../../console/pages/site-map.ts';
import { textsIn } from '../../../views/texts/text.ts';
import { openBrowser } from '../../helpers/browser.ts';
import { type Demo, startDemo } from '../../helpers/demo.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';
import type { Tab } from './tab.ts';
import { journeys } from './table.ts';
import { describeTravellers, enginesOf, type Traveller } from './travellers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

const { browser: found, reason } = await openBrowser();
let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(async () => {
  await demo?.stop();
  await found?.close();
});

test('there is a journey for each page of the map', () => {
  const t = textsIn('en');
  const pages = siteMap.flatMap(({ title, pages: own }) => [t(title), ...own.map((page) => t(page.title))]);
  expect(pages.filter((title) => !journeys.some(({ page }) => page === title))).toEqual([]);
});

/** What went wrong in the pages of the contexts that are open. */
const errors: string[] = [];

function watch(context: BrowserContext): void {
  context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  context.on('weberror', (error) => errors.push(error.error().message));
}

describeTravellers(enginesOf({ browser: found, reason }, watch), travel);

/** Tests of one traveller, who signs in once. */
function travel({ engine, id, way, openTab }: Traveller): void {
  let tab: Tab;
  let visitor: Visitor;
  beforeAll(async () => {
    errors.length = 0;
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
  // Firefox is not listened to.
  if (engine === 'Chromium')
    test('nothing went wrong in any page', () => {
      expect(errors).toEqual([]);
    });
}
