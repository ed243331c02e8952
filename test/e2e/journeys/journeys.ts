/** Every page is travelled to on the data of `npm run demo`: a file for each engine, so that both run side by side. */
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FoundBrowser, openBrowser } from '../../helpers/browser.ts';
import { type Demo, startDemo } from '../../helpers/demo.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';
import type { Tab } from './tab.ts';
import { journeys } from './table.ts';
import { describeTravellers, type Engine, enginesOf, type Traveller } from './travellers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

/** Tests of a file: by mouse, by keyboard alone and without script. */
export async function describeJourneys(engine: Engine['engine']): Promise<void> {
  const { browser, reason }: FoundBrowser = engine === 'Chromium' ? await openBrowser() : {};
  let demo: Demo;
  /** What went wrong in the pages of the contexts that are open. */
  const errors: string[] = [];

  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(async () => {
    await demo?.stop();
    await browser?.close();
  });

  const watch = (context: BrowserContext) => {
    context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    context.on('weberror', (error) => errors.push(error.error().message));
  };
  const engines = enginesOf({ browser, reason }, watch).filter((one) => one.engine === engine);
  describeTravellers(engines, travel);

  /** Tests of one traveller, who signs in once. */
  function travel({ id, way, openTab }: Traveller): void {
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
}
