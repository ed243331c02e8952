/** A hand at a page: what it does is counted as pages are measured, a click, a key chord and a filled field being one each. */
import type { Locator, Page } from 'playwright-core';

export interface Hand {
  readonly page: Page;
  click(what: Locator): Promise<void>;
  /** Keys one after the other, without a field: `g c` is one chord. */
  chord(...keys: readonly string[]): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
  /** Into what has the focus. */
  type(text: string): Promise<void>;
  /** Of all of these so far. */
  count(): number;
}

/** A page that waits: after each act until what it loads is there. */
export function createHand(page: Page): Hand {
  let count = 0;
  const act = async (done: () => Promise<unknown>) => {
    count++;
    await done();
    await page.waitForLoadState();
  };
  return {
    page,
    click: (what) => act(() => what.click()),
    chord: (...keys) =>
      act(async () => {
        for (const key of keys) await page.keyboard.press(key);
      }),
    fill: (field, text) => act(() => field.fill(text)),
    type: (text) => act(() => page.keyboard.insertText(text)),
    count: () => count,
  };
}
