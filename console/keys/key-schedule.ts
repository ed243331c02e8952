/**
 * What the times of a key say about it, and how a rotation sets them. A key waits until `signsFrom`,
 * signs until `signsUntil`, and then only verifies until `retiresAt`, when its last token has expired.
 * Times are epoch milliseconds; `at` is the time that is asked about.
 */
import type { KeyRecord } from '../storage/records.ts';

export type KeyState = 'signing' | 'next' | 'retired';

/** Waits to sign: published, with no time set yet or one that is still to come. */
export function isWaiting(key: KeyRecord, at: number): boolean {
  return key.signsFrom === undefined || key.signsFrom > at;
}

/** Has left the key set. */
export function isGone(key: KeyRecord, at: number): boolean {
  return key.retiresAt !== undefined && key.retiresAt <= at;
}

/** The key that signs now, among those of one algorithm: started last, and not over. */
export function signingKey(keys: readonly KeyRecord[], at: number): KeyRecord | undefined {
  return keys
    .filter((key) => !isWaiting(key, at) && (key.signsUntil ?? Infinity) > at)
    .sort((a, b) => (b.signsFrom ?? 0) - (a.signsFrom ?? 0))[0];
}

/** Every key of one algorithm that is in the key set, with what it does there. */
export function states(keys: readonly KeyRecord[], at: number): [KeyRecord, KeyState][] {
  const signing = signingKey(keys, at);
  return keys
    .filter((key) => !isGone(key, at))
    .map((key) => [key, key === signing ? 'signing' : isWaiting(key, at) ? 'next' : 'retired']);
}

/** The next moment at which {@link states} changes by itself. */
export function nextChange(keys: Iterable<KeyRecord>, at: number): number | undefined {
  const times = [...keys].flatMap(({ signsFrom, signsUntil, retiresAt }) => [
    signsFrom,
    signsUntil,
    retiresAt,
  ]);
  const coming = times.filter((time) => time !== undefined && time > at) as number[];
  return coming.length > 0 ? Math.min(...coming) : undefined;
}

export interface KeyRotation {
  /** How long verifiers may remember a key set that does not show the next key yet. */
  readonly keySetMaxAgeMs: number;
  /** The longest life of anything that a key has signed. */
  readonly longestLifeMs: number;
}

/**
 * The records of one algorithm that change when its next key takes over: at once when verifiers have had
 * time to see it, else as soon as they have (S5). Asked again before that time, it answers the same.
 *
 * @returns nothing when there is no next key
 */
export function planRotation(
  keys: readonly KeyRecord[],
  at: number,
  { keySetMaxAgeMs, longestLifeMs }: KeyRotation,
): readonly KeyRecord[] {
  const next = keys.find((key) => isWaiting(key, at));
  if (!next) return [];
  const from = next.signsFrom ?? Math.max(at, next.publishedAt + keySetMaxAgeMs);
  const ending = keys.filter((key) => key !== next && key.signsUntil === undefined);
  return [
    { ...next, signsFrom: from },
    ...ending.map((key) => ({ ...key, signsUntil: from, retiresAt: from + longestLifeMs })),
  ];
}
