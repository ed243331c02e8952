/** Wrong client secrets by where they come from: what {@link createSecretGuessing} holds them by. */

/** Milliseconds until it may be told that a secret was wrong; undefined: too many of this source wait already. */
export type Hold = number | undefined;

export interface SecretFailures {
  /** Counts a wrong secret. */
  add(source: string): Hold | Promise<Hold>;
}

interface Guesser {
  /** Falls by one every {@link forgivenMs}. */
  failures: number;
  /** Monotonic milliseconds of the last failure. */
  at: number;
  /** One after the other: sent at once, they are told no sooner. */
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
  const guessers = new Map<string, Guesser>();

  return {
    add(source) {
      const guesser = guesserOf(source);
      const over = guesser.failures - freeFailures;
      if (over <= 0) return 0;
      if (guesser.held >= mostHeld) return undefined;
      const delayMs = Math.min(longestDelayMs, firstDelayMs * growth ** (over - 1));
      guesser.freeAt = Math.max(elapsed(), guesser.freeAt) + delayMs;
      guesser.held++;
      const holdMs = guesser.freeAt - elapsed();
      setTimeout(() => guesser.held--, holdMs).unref();
      return holdMs;
    },
  };

  function guesserOf(source: string): Guesser {
    const now = elapsed();
    const known = guessers.get(source) ?? { failures: 0, at: now, freeAt: now, held: 0 };
    const left = Math.max(0, known.failures - (now - known.at) / forgivenMs);
    Object.assign(known, { failures: left + 1, at: now });
    // The one that has been quiet for longest gives way.
    guessers.delete(source);
    guessers.set(source, known);
    if (guessers.size > mostSources) guessers.delete(guessers.keys().next().value as string);
    return known;
  }
}
