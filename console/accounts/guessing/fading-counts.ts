/** Counts of something by whom it is done, each of which falls again by one every so often: a pace is kept, not a window. */

export interface FadingCountsOptions {
  /** After so many milliseconds it is one less. */
  readonly msForEach: number;
  /** So many are remembered: whoever has been quiet for longest gives way. */
  readonly most: number;
  /** Milliseconds that go on evenly. */
  readonly steady: () => number;
}

export function createFadingCounts<Key>({ msForEach, most, steady }: FadingCountsOptions) {
  const counts = new Map<Key, { readonly count: number; readonly at: number }>();

  return {
    /** @returns the count with this one */
    add(key: Key): number {
      const now = steady();
      const known = counts.get(key);
      const left = known ? Math.max(0, known.count - (now - known.at) / msForEach) : 0;
      counts.delete(key);
      counts.set(key, { count: left + 1, at: now });
      if (counts.size > most) counts.delete(counts.keys().next().value as Key);
      return left + 1;
    },
  };
}
