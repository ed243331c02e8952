/** Remembers each proof for as long as it could be used a second time (RFC 9449 §11.1). */
import { noRoomForProofs, tooManyProofs } from './refusals.ts';

export interface Replays {
  /**
   * @returns false when this key has used this `jti` before
   * @throws {ProblemError} `too_many_requests`, `busy`: what could not be remembered is not let through
   */
  add(thumbprint: string, jti: string): boolean;
}

export interface ReplayLimits {
  /** Milliseconds from the first use within which a proof would still pass. */
  readonly windowMs: number;
  /** Most proofs of one key within a window, so that one key cannot use up the room of all. */
  readonly perKey: number;
  /** Most proofs of all keys within a window; about 100 bytes each. */
  readonly total: number;
}

/** The `jti` values of each key. */
interface Period {
  readonly seen: Map<string, Set<string>>;
  count: number;
}

/**
 * Two periods of one window each: a proof is in one of them for one to two windows, and what is old goes
 * in one piece, without a walk over the entries.
 *
 * @param now  monotonic milliseconds
 */
export function createReplays({ windowMs, perKey, total }: ReplayLimits, now: () => number): Replays {
  let previous = newPeriod();
  let current = newPeriod();
  let startedAt = now();

  return {
    add(thumbprint, jti) {
      turnOver();
      if (current.seen.get(thumbprint)?.has(jti) || previous.seen.get(thumbprint)?.has(jti)) return false;
      const ofKey = current.seen.get(thumbprint) ?? new Set();
      if (ofKey.size >= perKey) throw tooManyProofs();
      if (current.count >= total) throw noRoomForProofs();
      ofKey.add(jti);
      current.seen.set(thumbprint, ofKey);
      current.count += 1;
      return true;
    },
  };

  function turnOver(): void {
    const age = now() - startedAt;
    if (age < windowMs) return;
    previous = age < 2 * windowMs ? current : newPeriod();
    current = newPeriod();
    startedAt += Math.floor(age / windowMs) * windowMs;
  }
}

function newPeriod(): Period {
  return { seen: new Map(), count: 0 };
}
