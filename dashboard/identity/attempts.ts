/** Sign-ins that have been started and not come back yet. Each belongs to one browser and works once (S43). */
import type { Attempt } from './relying-party.ts';

export interface Attempts {
  /** @param browser  id of the browser, from its cookie */
  add(browser: string, attempt: Attempt): void;
  /** @returns undefined when the state is unknown, used, too old, or another browser's */
  take(browser: string, state: string): Attempt | undefined;
}

const lifeMs = 600_000;
/** Anybody may start one: the oldest make room. */
const maxAttempts = 10_000;

export function createAttempts({ now }: { readonly now: () => number }): Attempts {
  const open = new Map<
    string,
    { readonly browser: string; readonly attempt: Attempt; readonly until: number }
  >();

  return {
    add(browser, attempt) {
      const time = now();
      open.set(attempt.state, { browser, attempt, until: time + lifeMs });
      for (const [state, { until }] of open) {
        if (until > time && open.size <= maxAttempts) break;
        open.delete(state);
      }
    },
    take(browser, state) {
      const found = open.get(state);
      if (!found || found.browser !== browser) return undefined;
      open.delete(state);
      return found.until > now() ? found.attempt : undefined;
    },
  };
}
