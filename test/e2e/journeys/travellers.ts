/** Who travels through pages: in Chromium and in Firefox, by mouse, by keyboard alone and without script. */
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, describe } from 'vitest';
import { type Firefox, firefoxReason, startFirefox } from '../../helpers/firefox.ts';
import { chromiumTab, firefoxTab, type Tab } from './tab.ts';

export interface Engine {
  /** What things are called that are made with it. */
  readonly id: 'c' | 'f';
  readonly engine: 'Chromium' | 'Firefox';
  /** Undefined where it is there. */
  readonly why: string | undefined;
  /** With cookies of its own. */
  open(hasScript: boolean): Promise<Tab>;
  /** What it has started by itself. */
  stop(): Promise<unknown>;
}

interface FoundBrowser {
  readonly browser: Browser | undefined;
  /** Why there is none. */
  readonly reason: string | undefined;
}

/** @param watch  gets the context of each tab in Chromium */
export function enginesOf(
  { browser, reason }: FoundBrowser,
  watch: (context: BrowserContext) => void = () => {},
): readonly Engine[] {
  return [
    {
      id: 'c',
      engine: 'Chromium',
      why: reason,
      async open(hasScript) {
        const context = await browser!.newContext({ javaScriptEnabled: hasScript });
        watch(context);
        return chromiumTab(context);
      },
      stop: async () => {},
    },
    firefoxEngine(),
  ];
}

/** Whether pages may run script is said at its start: one for each, once it is asked for. */
function firefoxEngine(): Engine {
  const started = new Map<boolean, Promise<Firefox>>();
  return {
    id: 'f',
    engine: 'Firefox',
    why: firefoxReason,
    async open(hasScript) {
      const firefox = started.get(hasScript) ?? startFirefox({ hasScript });
      started.set(hasScript, firefox);
      return firefoxTab(await firefox);
    },
    stop: () => Promise.all([...started.values()].map(async (firefox) => (await firefox).stop())),
  };
}

export interface Traveller extends Pick<Engine, 'engine'> {
  /** What things are called that it makes. */
  readonly id: string;
  readonly way: 'mouse' | 'keyboard';
  openTab(): Promise<Tab>;
}

const ways = [
  { name: 'mouse', way: 'mouse', hasScript: true },
  { name: 'keyboard', way: 'keyboard', hasScript: true },
  { name: 'scriptless', way: 'mouse', hasScript: false },
] as const;

/** @param travel  describes the tests of one */
export function describeTravellers(engines: readonly Engine[], travel: (traveller: Traveller) => void): void {
  for (const { id, engine, why, open, stop } of engines) {
    describe.skipIf(why)(`in ${engine}${why ? ` (${why})` : ''}`, () => {
      afterAll(stop);
      describe.each(ways)('by $way, script: $hasScript', ({ name, way, hasScript }) => {
        travel({ engine, id: `${id}-${name}`, way, openTab: () => open(hasScript) });
      });
    });
  }
}
