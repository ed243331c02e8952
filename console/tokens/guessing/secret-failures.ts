/** Wrong client secrets by where they come from: what {@link createSecretGuessing} holds them by. */

import { createFadingCounts } from '../../accounts/guessing/fading-counts.ts';

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

const freeFailures = 20;
const firstDelayMs = 50;
const growth = 1.5;
const longestDelayMs = 2000;
const forgivenMs = 3000;
const mostHeld = 8;
const mostSources = 10_000;

/** @param elapsed  monotonic milliseconds */
export function createSecretFailures(elapsed: () => number): { add(source: string): Hold } {
  const failures = createFadingCounts<string>({ msForEach: forgivenMs, most: mostSources, steady: elapsed });
  const queues = new Map<string, Queue>();

  return {
    add(source) {
      const over = failures.add(source) - freeFailures;
      if (over <= 0) return 0;
      const queue = queues.get(source) ?? { freeAt: 0, held: 0 };
      if (queue.held >= mostHeld) return undefined;
      const delayMs = Math.min(longestDelayMs, firstDelayMs * growth ** (over - 1));
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
