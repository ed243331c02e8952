/**
 * How much one caller may ask of the API in a second, counted in memory: a machine, or a person whatever the
 * application. Whoever runs wild holds up nobody else.
 */
import { ProblemError, problems } from '../../../platform/errors.ts';

/** Calls a second; 0 for no limit. */
export interface CallRates {
  readonly reads: number;
  readonly changes: number;
}

export interface CallRate {
  /**
   * Counts a call in.
   *
   * @returns fields for its answer, which say how many more there may be (draft-ietf-httpapi-ratelimit-headers)
   * @throws {ProblemError} `too_many_requests` with them and `Retry-After`
   */
  countIn(caller: string, kind: keyof CallRates): Readonly<Record<string, string>>;
  /**
   * The same of what is done for a caller who reads pages meanwhile: half of what a second has is left to these.
   *
   * @returns whether it was counted in, and may be made now
   */
  countInBehind(caller: string, kind: keyof CallRates): boolean;
}

/** What is left of a second's calls (a token bucket that holds one second's worth). */
interface Bucket {
  left: number;
  /** Monotonic milliseconds. */
  at: number;
}

/** Above this many those are forgotten that have not called for a second, and then those that came first. */
const mostBuckets = 10_000;

/** @param now  monotonic milliseconds */
export function createCallRate(rates: CallRates, now: () => number): CallRate {
  const buckets = new Map<string, Bucket>();

  return {
    countIn(caller, kind) {
      const rate = rates[kind];
      if (rate === 0) return {};
      const bucket = bucketOf(`${kind} ${caller}`, rate);
      const isTooMany = bucket.left < 1;
      if (!isTooMany) bucket.left -= 1;
      const fields = {
        'RateLimit-Policy': `"${kind}";q=${rate};w=1`,
        RateLimit: `"${kind}";r=${Math.floor(bucket.left)};t=1`,
      };
      if (isTooMany) throw tooMany(kind, rate, fields);
      return fields;
    },
    countInBehind(caller, kind) {
      const rate = rates[kind];
      if (rate === 0) return true;
      const bucket = bucketOf(`${kind} ${caller}`, rate);
      if (bucket.left < Math.floor(rate / 2) + 1) return false;
      bucket.left -= 1;
      return true;
    },
  };

  function bucketOf(name: string, rate: number): Bucket {
    const at = now();
    const known = buckets.get(name);
    if (known) {
      known.left = Math.min(rate, known.left + ((at - known.at) * rate) / 1000);
      known.at = at;
      return known;
    }
    if (buckets.size >= mostBuckets) makeRoom(at);
    const made = { left: rate, at };
    buckets.set(name, made);
    return made;
  }

  function makeRoom(at: number): void {
    for (const [name, bucket] of buckets) if (at - bucket.at > 1_000) buckets.delete(name);
    for (const name of buckets.keys()) {
      if (buckets.size < mostBuckets) return;
      buckets.delete(name);
    }
  }
}

function tooMany(
  kind: keyof CallRates,
  rate: number,
  fields: Readonly<Record<string, string>>,
): ProblemError {
  return new ProblemError(
    problems.tooManyRequests,
    `This caller may make ${rate} ${kind} a second here: wait a second, and go on.`,
    { headers: { ...fields, 'Retry-After': '1' } },
  );
}
