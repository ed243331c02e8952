/**
 * How much one caller may ask of the members at a time: calls a second, and polls that wait. A caller is
 * a machine, or a person whatever the application. Counted in memory, so that one that runs wild holds up
 * nobody else.
 */
import type { EndpointGroup } from '../platform/endpoint-groups.ts';
import { ProblemError, problems } from '../platform/errors.ts';
import type { Rule } from './authorization/rule-table.ts';

export interface RateLimits {
  /** Calls a second of one caller to groups other than DATA and HEALTH_CHECK; 0 for no limit. */
  readonly managementRate: number;
  /** Calls a second of one caller to DATA and HEALTH_CHECK; 0 for no limit. */
  readonly dataRate: number;
  /** Polls of one caller that may wait at the same time; 0 for no limit. */
  readonly polls: number;
}

export const defaultRateLimits: RateLimits = { managementRate: 200, dataRate: 0, polls: 1_000 };

export interface RateLimit {
  /**
   * Counts a call in.
   *
   * @param subject    `sub` of the access token
   * @param isWaiting  whether it is a poll that may wait
   *
   * @returns to be called once, when the call is over; undefined when there is nothing to count out
   * @throws {ProblemError} `too_many_requests` with `Retry-After`
   */
  countIn(subject: string, rule: Pick<Rule, 'group'>, isWaiting: boolean): (() => void) | undefined;
}

/** What is left of a second's calls (a token bucket that holds one second's worth). */
interface Bucket {
  left: number;
  /** Monotonic milliseconds. */
  at: number;
}

interface Use {
  readonly management: Bucket;
  readonly data: Bucket;
  polls: number;
}

const plainGroups: ReadonlySet<EndpointGroup> = new Set(['DATA', 'HEALTH_CHECK']);
/** Above this many callers those are forgotten that have not called for a second. */
const mostCallers = 10_000;

/** @param now  monotonic milliseconds */
export function createRateLimit(limits: RateLimits, now: () => number): RateLimit {
  const uses = new Map<string, Use>();

  return {
    countIn(subject, rule, isWaiting) {
      const isPlain = plainGroups.has(rule.group);
      const rate = isPlain ? limits.dataRate : limits.managementRate;
      const isPoll = limits.polls > 0 && isWaiting;
      if (rate === 0 && !isPoll) return undefined;
      const use = useOf(subject);
      if (rate > 0) take(isPlain ? use.data : use.management, rate);
      if (!isPoll) return undefined;
      if (use.polls >= limits.polls) throw tooMany(`${limits.polls} polls of this caller wait already`, 1);
      use.polls += 1;
      return () => {
        use.polls -= 1;
      };
    },
  };

  function useOf(subject: string): Use {
    let use = uses.get(subject);
    if (use === undefined) {
      if (uses.size >= mostCallers) forgetIdle();
      const at = now();
      use = {
        management: { left: limits.managementRate, at },
        data: { left: limits.dataRate, at },
        polls: 0,
      };
      uses.set(subject, use);
    }
    return use;
  }

  function take(bucket: Bucket, rate: number): void {
    const at = now();
    bucket.left = Math.min(rate, bucket.left + ((at - bucket.at) * rate) / 1000);
    bucket.at = at;
    if (bucket.left < 1) throw tooMany(`This caller may make ${rate} such calls a second`, 1);
    bucket.left -= 1;
  }

  function forgetIdle(): void {
    const at = now();
    for (const [subject, { management, data, polls }] of uses) {
      if (polls === 0 && at - Math.max(management.at, data.at) > 1_000) uses.delete(subject);
    }
  }
}

function tooMany(detail: string, retryAfterSeconds: number): ProblemError {
  return new ProblemError(problems.tooManyRequests, detail, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}
