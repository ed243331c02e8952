/** Sign-ins that have been started and not come back yet. Each belongs to one browser and works once (S43). */
import type { AuthorizationState } from './relying-party.ts';

export type AuthorizationStates = ReturnType<typeof createAuthorizationStates>;

const lifeMs = 600_000;
/** Anybody may start one: the oldest make room. */
const maxStates = 10_000;

export function createAuthorizationStates({ now }: { readonly now: () => number }) {
  const open = new Map<
    string,
    { readonly browser: string; readonly authorization: AuthorizationState; readonly until: number }
  >();

  return {
    /** @param browser  id of the browser, from its cookie */
    add(browser: string, authorization: AuthorizationState) {
      const time = now();
      open.set(authorization.state, { browser, authorization, until: time + lifeMs });
      for (const [state, { until }] of open) {
        if (until > time && open.size <= maxStates) break;
        open.delete(state);
      }
    },
    /** @returns undefined when the state is unknown, used, too old, or another browser's */
    take(browser: string, state: string): AuthorizationState | undefined {
      const found = open.get(state);
      if (!found || found.browser !== browser) return undefined;
      open.delete(state);
      return found.until > now() ? found.authorization : undefined;
    },
  };
}
