/**
 * The console's key set: fetched, fetched anew when its time is over, when an event names a key that is not
 * among the known ones, and when a caller brings one; that last not often, since callers make names up.
 */
import type { PublicJwk } from './messages.ts';

export interface KeySet {
  readonly keys: readonly PublicJwk[];
  /** How long it may be kept. */
  readonly maxAgeSeconds: number;
}

export interface KeySourceDeps {
  /** @throws {Error} when there is none to be had now */
  readonly fetchKeys: () => Promise<KeySet>;
  readonly onKeys: (keys: readonly PublicJwk[]) => void;
  /** @param error  of a fetch; the next try follows by itself */
  readonly onFailure: (error: unknown) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export type KeySource = ReturnType<typeof createKeySource>;

/** Pause after a failed fetch, milliseconds; doubled up to the longest. */
const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** Callers make this source fetch at most this often, milliseconds. */
const callersPauseMs = 2_000;
/** For this long a name that was looked for in vain is not looked for again, milliseconds. */
const unknownMs = 60_000;
const mostUnknown = 1_000;

export function createKeySource({ fetchKeys, onKeys, onFailure, now }: KeySourceDeps) {
  const known = new Set<string>();
  /** Names that no key set had, and until when that is believed. */
  const unknown = new Map<string, number>();
  let fetching: Promise<void> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let followed = 0;
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = firstPauseMs;
  let isClosed = false;

  return {
    /** Takes over which keys there are now; those that are not known yet are fetched. */
    follow(kids: readonly string[]) {
      followed += 1;
      unknown.clear();
      for (const kid of [...known]) if (!kids.includes(kid)) known.delete(kid);
      if (kids.some((kid) => !known.has(kid))) void refresh();
    },
    /** Resolves when it has been looked for, or need not be: whether it was found is told by `onKeys`. */
    async fetchKey(kid: string) {
      if (known.has(kid) || (unknown.get(kid) ?? 0) > now()) return;
      if (!fetching && now() - fetchedAt < callersPauseMs) return;
      await refresh();
      if (known.has(kid)) return;
      if (unknown.size >= mostUnknown) unknown.clear();
      unknown.set(kid, now() + unknownMs);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };

  function refresh(): Promise<void> {
    clearTimeout(timer);
    fetching ??= fetchOnce().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  async function fetchOnce(): Promise<void> {
    const asked = followed;
    try {
      const { keys, maxAgeSeconds } = await fetchKeys();
      fetchedAt = now();
      // Written before the event that came meanwhile: it may still show a key that is withdrawn.
      if (asked !== followed) return schedule(0);
      known.clear();
      for (const { kid } of keys) known.add(String(kid));
      onKeys(keys);
      pauseMs = firstPauseMs;
      schedule(maxAgeSeconds * 1000);
    } catch (error) {
      fetchedAt = now();
      onFailure(error);
      schedule(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  function schedule(inMs: number): void {
    if (!isClosed) timer = setTimeout(() => void refresh(), inMs).unref();
  }
}
