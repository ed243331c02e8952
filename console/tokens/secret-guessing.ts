/**
 * Wrong client secrets are told slower and slower to whoever sends many (S29). The secret is looked at first and
 * at once: the right one is never refused and never waits, from whatever address it comes.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { OAuthError } from '../../platform/errors.ts';

export interface SecretGuessing {
  /**
   * Runs a request whose client authenticates itself; an error of its credentials is held before it is thrown.
   *
   * @param source  of the request: an IPv4 address, or the /64 of an IPv6 one
   * @throws {OAuthError} what `work` throws, or `temporarily_unavailable` (429) when too many of one source are held
   */
  slow<T>(source: () => string, work: () => Promise<T>): Promise<T>;
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
export function createSecretGuessing(elapsed: () => number): SecretGuessing {
  const guessers = new Map<string, Guesser>();

  return {
    async slow(source, work) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof OAuthError && error.code === 'invalid_client') await hold(guesserOf(source()));
        throw error;
      }
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

  async function hold(guesser: Guesser): Promise<void> {
    const over = guesser.failures - freeFailures;
    if (over <= 0) return;
    if (guesser.held >= mostHeld) throw tooMany();
    guesser.held++;
    const delayMs = Math.min(longestDelayMs, firstDelayMs * growth ** (over - 1));
    guesser.freeAt = Math.max(elapsed(), guesser.freeAt) + delayMs;
    await wait(guesser.freeAt - elapsed());
    guesser.held--;
  }
}

function tooMany(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'too many wrong client secrets come from this address', {
    status: 429,
    headers: { 'Retry-After': String(longestDelayMs / 1000) },
  });
}
