/** Wrong client secrets by where they come from: what {@link createSecretGuessing} holds them by. */

import { createFadingCounts } from '../../accounts/guessing/fading-counts.ts';
import type { Pace, SharedCounts } from '../../storage/shared-store.ts';
import { StorageUnavailableError } from '../../storage/storage.ts';

/** Milliseconds until it may be told that a secret was wrong; undefined: too many of this source wait already. */
export type Hold = number | undefined;

export interface SecretFailures {
  /** Counts a wrong secret. */
  add(source: string): Hold | Promise<Hold>;
}

/** Those of one source that wait to be told, one after the other: sent at once, they are told no sooner. */
interface Queue {
  /** Monotonic milliseconds. */
  freeAt: number;
  held: number;
}

const pace: Pace = {
  free: 20,
  firstMs: 50,
  growth: 1.5,
  longestMs: 2000,
  forgivenMs: 3000,
  mostHeld: 8,
};
const mostSources = 10_000;

/**
 * Where several consoles share a database they are counted there too, so that an attacker has no more attempts with many
 * consoles than with one. Without the database, by each console alone: nobody's right secret waits for it.
 */
export function sharedSecretFailures(
  own: { add(source: string): Hold },
  { hold }: Pick<SharedCounts, 'hold'>,
): SecretFailures {
  return {
    async add(source) {
      const ownMs = own.add(source);
      // Whoever sends that many here costs no statement.
      if (ownMs === undefined) return undefined;
      const begun = performance.now();
      try {
        const sharedMs = await hold('secret', source, pace);
        return sharedMs === undefined ? undefined : Math.max(ownMs - (performance.now() - begun), sharedMs);
      } catch (error) {
        if (!(error instanceof StorageUnavailableError)) throw error;
        return Math.max(0, ownMs - (performance.now() - begun));
      }
    },
  };
}

/** @param elapsed  monotonic milliseconds */
export function createSecretFailures(elapsed: () => number): { add(source: string): Hold } {
  const failures = createFadingCounts<string>({
    msForEach: pace.forgivenMs,
    most: mostSources,
    steady: elapsed,
  });
  const queues = new Map<string, Queue>();

  return {
    add(source) {
      const over = failures.add(source) - pace.free;
      if (over <= 0) return 0;
      const queue = queues.get(source) ?? { freeAt: 0, held: 0 };
      if (queue.held >= pace.mostHeld) return undefined;
      const delayMs = Math.min(pace.longestMs, pace.firstMs * pace.growth ** (over - 1));
      queue.freeAt = Math.max(elapsed(), queue.freeAt) + delayMs;
      queue.held++;
      queues.set(source, queue);
      const holdMs = queue.freeAt - elapsed();
      setTimeout(() => leave(source, queue), holdMs).unref();
      return holdMs;
    },
  };

  function leave(source: string, queue: Queue): void {
    queue.held--;
    if (queue.held === 0) queues.delete(source);
  }
}
