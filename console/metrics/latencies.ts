/** How long things take, counted in buckets: eight for each doubling, so that a quantile is right to a tenth. */

/** Bucket by bucket, since the start; what is missing at the end is 0. */
export type LatencyCounts = readonly number[];

const bucketsPerDoubling = 8;
/** The first bucket ends here, milliseconds. */
const leastMs = 1 / 64;
/** Past two minutes all are the same. */
const mostBuckets = 184;

export interface Latencies {
  observe(durationMs: number): void;
  /** The same for one whose bucket is known: {@link bucketOf}. */
  observeIn(bucket: number): void;
  counts(): LatencyCounts;
}

export function createLatencies(): Latencies {
  const counts = new Float64Array(mostBuckets);
  let used = 0;
  return {
    observe: (durationMs) => observeIn(bucketOf(durationMs)),
    observeIn,
    counts: () => Array.from(counts.subarray(0, used)),
  };

  function observeIn(bucket: number): void {
    counts[bucket]!++;
    if (bucket >= used) used = bucket + 1;
  }
}

export function bucketOf(durationMs: number): number {
  const bucket = Math.ceil(Math.log2(durationMs / leastMs) * bucketsPerDoubling);
  // Also for what is no number.
  if (!(bucket > 0)) return 0;
  return Math.min(bucket, mostBuckets - 1);
}

/** @returns `after` less `before`, bucket by bucket */
export function latenciesBetween(before: LatencyCounts, after: LatencyCounts): LatencyCounts {
  return after.map((count, bucket) => count - (before[bucket] ?? 0));
}

export function sumOfLatencies(all: readonly LatencyCounts[]): LatencyCounts {
  const longest = Math.max(0, ...all.map(({ length }) => length));
  return Array.from({ length: longest }, (_, bucket) =>
    all.reduce((sum, counts) => sum + (counts[bucket] ?? 0), 0),
  );
}

/** @param quantile  0 to 1. @returns milliseconds, the end of its bucket; undefined when nothing was counted */
export function quantileOf(counts: LatencyCounts, quantile: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return undefined;
  let seen = 0;
  const bucket = counts.findIndex((count) => {
    seen += count;
    return seen >= quantile * total;
  });
  return leastMs * 2 ** (bucket / bucketsPerDoubling);
}
