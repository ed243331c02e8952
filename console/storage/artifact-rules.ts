/** What every artifact store must decide the same way. */
import type { Artifact, Count, ListedArtifact } from './storage.ts';

/** @param nowSeconds  epoch seconds, fractions included */
export function isLive({ expiresAt }: Artifact, nowSeconds: number): boolean {
  return expiresAt === undefined || expiresAt > nowSeconds;
}

/** What a counter holds, 0 when it has not been counted in this window. */
export function countOf(counter: Artifact | undefined): number {
  return Number(counter?.payload.count ?? 0);
}

/**
 * @param counter     the live counter, if any
 * @param nowSeconds  epoch seconds; a new window starts there
 */
export function nextCount(counter: Artifact | undefined, nowSeconds: number, windowSeconds: number): Count {
  return {
    count: countOf(counter) + 1,
    resetsAt: counter?.expiresAt ?? Math.ceil(nowSeconds) + windowSeconds,
  };
}

/** A counter is an artifact that expires with its window. */
export function asCounter({ count, resetsAt }: Count): Artifact {
  return { payload: { count }, expiresAt: resetsAt };
}

/** For sorting: newest expiry last, what never expires after that. */
export function byExpiry(one: ListedArtifact, other: ListedArtifact): number {
  const [first, second] = [one.artifact.expiresAt ?? Infinity, other.artifact.expiresAt ?? Infinity];
  return first === second ? 0 : first - second;
}
