/** A tab of a browser, as little of it as a visitor needs: the same for each engine, with script in its pages or without. */
import type { BrowserContext } from 'playwright-core';
import type { Firefox } from '../../helpers/firefox.ts';

export interface Tab {
  open(url: string): Promise<void>;
  /**
   * Runs in the page, apart from its own script.
   *
   * @param read  needs nothing but its argument, and waits for nothing
   * @throws {Error} while the page is being left
   */
  evaluate<A, T>(read: (argument: A) => T, argument: A): Promise<T>;
  /** At a point of what is seen, in CSS pixels. */
  click(x: number, y: number): Promise<void>;
  /** By its name in `KeyboardEvent.key`. */
  press(key: 'Tab' | 'Enter' | ' ' | 'Control+a'): Promise<void>;
  type(text: string): Promise<void>;
  close(): Promise<void>;
}

export async function chromiumTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  return {
    open: async (url) => {
      await page.goto(url);
    },
    evaluate: (read, argument) => page.evaluate(read as never, argument) as never,
    click: (x, y) => page.mouse.click(x, y),
    press: (key) => page.keyboard.press(key === ' ' ? 'Space' : key),
    type: (text) => page.keyboard.insertText(text),
    close: () => context.close(),
  };
}

/** What keys are called in WebDriver. */
const codes = { Tab: '\uE004', Enter: '\uE007', ' ': ' ', Control: '\uE009' } as const;

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
    click: async (x, y) => {
      const actions = [
        { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] });
    },
    press: async (key) => {
      if (key !== 'Control+a') await typed(codes[key]);
      else await keys(['keyDown', codes.Control], ['keyDown', 'a'], ['keyUp', 'a'], ['keyUp', codes.Control]);
    },
    type: async (text) => {
      await typed(text);
    },
    close: async () => {
      await send('browser.removeUserContext', { userContext });
    },
  };
}
