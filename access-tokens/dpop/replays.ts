/** Remembers each proof for as long as it could be used a second time (RFC 9449 §11.1). */
import { createHash } from 'node:crypto';

export type Replays = ReturnType<typeof createReplays>;

export interface UsedProof {
  readonly thumbprint: string;
  readonly jti: string;
}

/**
 * Whether this key uses this `jti` for the first time; when there is no room to remember it, for this caller
 * or for anybody, that will not be known the next time. Plain text: it may come from another process.
 */
export type ReplayOutcome = 'first' | 'used' | 'callerFull' | 'full';

export interface ReplayLimits {
  /** Milliseconds from the first use within which a proof would still pass. */
  readonly windowMs: number;
  /** Most proofs of one caller within a window, with however many keys: one cannot use up the room of all. */
  readonly perCaller: number;
  /** Most proofs of all callers within a window; up to 180 bytes each when each has a caller of its own. */
  readonly total: number;
}

interface Period {
  /** Digests of key and `jti`, so that a long `jti` takes no more room. */
  readonly seen: Set<string>;
  /** How many are of each caller. */
  readonly counts: Map<string, number>;
}

/**
 * Two periods of one window each: a proof is in one of them for one to two windows, and what is old goes
 * in one piece, without a walk over the entries.
 *
 * @param now  monotonic milliseconds
 */
export function createReplays({ windowMs, perCaller, total }: ReplayLimits, now: () => number) {
  let previous = newPeriod();
  let current = newPeriod();
  let startedAt = now();

  return {
    /** @param caller  whose part of the memory it takes */
    add({ thumbprint, jti }: UsedProof, caller: string): ReplayOutcome {
      turnOver();
      const digest = digestOf(thumbprint, jti);
      if (current.seen.has(digest) || previous.seen.has(digest)) return 'used';
      const count = current.counts.get(caller) ?? 0;
      if (count >= perCaller) return 'callerFull';
      if (current.seen.size >= total) return 'full';
      current.seen.add(digest);
      current.counts.set(caller, count + 1);
      return 'first';
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
  return { seen: new Set(), counts: new Map() };
}

/** 128 bits: nobody finds two that are alike, by chance or on purpose. */
function digestOf(thumbprint: string, jti: string): string {
  return createHash('sha256').update(`${thumbprint}.${jti}`).digest().toString('latin1', 0, 16);
}
