/**
 * Whether one member takes part, as its probes say it (S67): its own word that it is not ready puts it out at
 * once, three failures in a row do, two successes bring it back, and then it is given its share little by little.
 */
export interface HealthRules {
  /** Failures in a row that put a member out. */
  readonly failuresOut: number;
  /** Successes in a row that bring it back. */
  readonly successesIn: number;
  /** How long a member that came back takes until it has its full share, milliseconds. */
  readonly slowStartMs: number;
}

export const healthRules: HealthRules = { failuresOut: 3, successesIn: 2, slowStartMs: 10_000 };

export type ProbeOutcome =
  /** It answers, and is ready. */
  | 'ready'
  /** It answers that it is not ready, such as while it starts or shuts down. */
  | 'notReady'
  /** It takes connections and closes them without a word: its health group or its REST interface is off. */
  | 'silent'
  /** It takes no connection, or gives no answer in time. */
  | 'unreachable';

export interface MemberHealth {
  /** What the last probe said; undefined before the first one. */
  readonly last: ProbeOutcome | undefined;
  /** Whether calls go to it while there are others. A member is in until probes say otherwise. */
  readonly isIn: boolean;
  /** Whether it is out by its own word: it goes down, or is not up yet. */
  readonly isLeaving: boolean;
  /** @returns whether {@link MemberHealth.isIn} has changed */
  record(outcome: ProbeOutcome, at: number): boolean;
  /**
   * It is going, by its own word or because it was told to.
   *
   * @param until  as long as it may still say that it is ready, which then means nothing; monotonic milliseconds
   * @returns whether {@link MemberHealth.isIn} has changed
   */
  leave(until: number): boolean;
  /** It stays after all. @returns whether {@link MemberHealth.isIn} has changed */
  stay(): boolean;
  /** Share of calls that it should get: 1, or less for some time after it came back. */
  share(at: number): number;
}

const leastShare = 0.1;

/** @param rules  see {@link healthRules}; tests shorten the times */
export function createMemberHealth(rules: HealthRules = healthRules): MemberHealth {
  let last: ProbeOutcome | undefined;
  let isIn = true;
  let streak = 0;
  let backAt = -Infinity;
  let isLeaving = false;
  let leavesUntil = -Infinity;
  let wasIn = false;

  return {
    get last() {
      return last;
    },
    get isIn() {
      return isIn;
    },
    get isLeaving() {
      return isLeaving;
    },
    record(outcome, at) {
      last = outcome;
      // A group that is off says nothing about the others; whoever answers, with silence even, is there.
      const isGood = outcome === 'ready' || outcome === 'silent';
      if (isGood && at < leavesUntil) return false;
      if (!isGood) leavesUntil = -Infinity;
      wasIn = false;
      if (outcome === 'notReady') isLeaving = true;
      streak = isGood === isIn ? 0 : streak + 1;
      if (streak < needed(outcome)) return false;
      isIn = !isIn;
      streak = 0;
      if (isIn) {
        backAt = at;
        isLeaving = false;
      }
      return true;
    },
    leave(until) {
      isLeaving = true;
      leavesUntil = until;
      const hasMoved = isIn;
      wasIn ||= isIn;
      isIn = false;
      streak = 0;
      return hasMoved;
    },
    stay() {
      isLeaving = false;
      leavesUntil = -Infinity;
      if (isIn || !wasIn) return false;
      isIn = true;
      streak = 0;
      return true;
    },
    share(at) {
      const since = at - backAt;
      return since >= rules.slowStartMs ? 1 : Math.max(leastShare, since / rules.slowStartMs);
    },
  };

  function needed(outcome: ProbeOutcome): number {
    if (!isIn) return rules.successesIn;
    return outcome === 'notReady' ? 1 : rules.failuresOut;
  }
}
