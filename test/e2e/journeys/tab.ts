/** A tab of a browser, as little of it as a visitor needs: the same for each engine, with script in its pages or without. */
import type { BrowserContext } from 'playwright-core';
import type { Firefox } from '../../helpers/firefox.ts';

/** Letters are those that the pages take. */
export type Key = 'Tab' | 'Shift+Tab' | 'Enter' | ' ' | 'Control+a' | 'j' | 'k' | 'x' | '?';

export interface Tab {
  open(url: string): Promise<void>;
  /**
   * Runs in the page, apart from its own script.
   *
   * @param read  needs nothing but its argument, and waits for nothing
   * @throws {Error} while the page is being left
   */
  evaluate<A, T>(read: (argument: A) => T, argument: A): Promise<T>;
  /** At a point of what is seen, in CSS pixels. @param isShift  with that key held */
  click(x: number, y: number, isShift?: boolean): Promise<void>;
  /** By its name in `KeyboardEvent.key`. */
  press(key: Key): Promise<void>;
  type(text: string): Promise<void>;
  /** What the page has of the screen, in CSS pixels. */
  resize(width: number, height: number): Promise<void>;
  close(): Promise<void>;
}

export async function chromiumTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  return {
    open: async (url) => {
      await page.goto(url);
    },
    evaluate: (read, argument) => page.evaluate(read as never, argument) as never,
    click: async (x, y, isShift = false) => {
      if (isShift) await page.keyboard.down('Shift');
      await page.mouse.click(x, y);
      if (isShift) await page.keyboard.up('Shift');
    },
    press: (key) => page.keyboard.press(key === ' ' ? 'Space' : key),
    type: (text) => page.keyboard.insertText(text),
    resize: (width, height) => page.setViewportSize({ width, height }),
    close: () => context.close(),
  };
}

/** What keys are called in WebDriver. */
const codes: Readonly<Record<string, string>> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Control: '\uE009',
};

/** With cookies of its own. */
export async function firefoxTab({ send }: Firefox): Promise<Tab> {
  const { userContext } = await send('browser.createUserContext');
  const { context } = await send('browsingContext.create', { type: 'tab', userContext });
  const keys = (...actions: readonly (readonly ['keyDown' | 'keyUp', string])[]) =>
    send('input.performActions', {
      context,
      actions: [{ type: 'key', id: 'keys', actions: actions.map(([type, value]) => ({ type, value })) }],
    });
  const typed = (text: string) =>
    keys(...[...text].flatMap((key) => [['keyDown', key] as const, ['keyUp', key] as const]));
  return {
    open: async (url) => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    evaluate: async (read, argument) => {
      const { result, exceptionDetails } = (await send('script.callFunction', {
        functionDeclaration: `(text) => JSON.stringify((${read})(JSON.parse(text)))`,
        arguments: [{ type: 'string', value: JSON.stringify(argument ?? null) }],
        target: { context, sandbox: 'visitor' },
        awaitPromise: false,
      })) as { readonly result?: { readonly value?: string }; readonly exceptionDetails?: { text: string } };
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return result?.value === undefined ? undefined : JSON.parse(result.value);
    },
    click: async (x, y, isShift = false) => {
      const actions = [
        { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      if (isShift) await keys(['keyDown', codes.Shift!]);
      await send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] });
      if (isShift) await keys(['keyUp', codes.Shift!]);
    },
    press: async (key) => {
      const [last = key, held] = key.split('+').reverse();
      const code = codes[last] ?? last;
      if (held === undefined) await typed(code);
      else {
        const holding = codes[held]!;
        await keys(['keyDown', holding], ['keyDown', code], ['keyUp', code], ['keyUp', holding]);
      }
    },
    type: async (text) => {
      await typed(text);
    },
    resize: async (width, height) => {
      await send('browsingContext.setViewport', { context, viewport: { width, height } });
    },
    close: async () => {
      await send('browser.removeUserContext', { userContext });
    },
  };
}
