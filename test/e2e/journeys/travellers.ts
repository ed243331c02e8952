/** Who travels through pages: in Chromium and in Firefox, by mouse, by keyboard alone and without script. */
import type { Browser, BrowserContext } from 'playwright-core';
import { describe } from 'vitest';
import { firefoxReason, startFirefox } from '../../helpers/firefox.ts';
import { chromiumTab, firefoxTab, type Tab } from './tab.ts';

export interface Engine {
  /** What things are called that are made with it. */
  readonly id: 'c' | 'f';
  readonly engine: 'Chromium' | 'Firefox';
  /** Undefined where it is there. */
  readonly why: string | undefined;
  /** With cookies of its own. */
  open(hasScript: boolean): Promise<Tab>;
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
    },
    {
      id: 'f',
      engine: 'Firefox',
      why: firefoxReason,
      async open(hasScript) {
        const firefox = await startFirefox({ hasScript });
        return { ...(await firefoxTab(firefox)), close: firefox.stop };
      },
    },
  ];
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

/** Firefox is not driven by the keyboard. @param travel  describes the tests of one */
export function describeTravellers(engines: readonly Engine[], travel: (traveller: Traveller) => void): void {
  for (const { id, engine, why, open } of engines) {
    const own = ways.filter(({ way }) => engine === 'Chromium' || way === 'mouse');
    describe.skipIf(why)(`in ${engine}${why ? ` (${why})` : ''}`, () => {
      describe.each(own)('by $way, script: $hasScript', ({ name, way, hasScript }) => {
        travel({ engine, id: `${id}-${name}`, way, openTab: () => open(hasScript) });
      });
    });
  }
}
