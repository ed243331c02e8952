/**
 * The line of polls that wait for a place at a member. The callers take turns, however many each of them sends, and
 * one of them cannot fill the line.
 */
import type { Attempt } from './attempt.ts';
import { UpstreamFailure } from './failure.ts';
import { isWithinShare } from './share.ts';

/** @param waitMs  longest wait, milliseconds */
export function createFairQueue(most: number, waitMs: number) {
  /** By caller, the one whose turn comes next first. */
  const waiting = new Map<string, Map<Attempt, NodeJS.Timeout>>();
  let count = 0;

  return {
    /** Joins at its caller's end; told `busy` at once when the line is full, later when its turn does not come in time. */
    join(attempt: Attempt) {
      const own = waiting.get(attempt.caller) ?? new Map<Attempt, NodeJS.Timeout>();
      if (!isWithinShare(own.size, count, most)) {
        attempt.onFailure(new UpstreamFailure('busy'));
        return;
      }
      const discard = () => {
        leave(attempt);
        attempt.onFailure(new UpstreamFailure('busy'));
      };
      own.set(attempt, setTimeout(discard, waitMs));
      waiting.set(attempt.caller, own);
      count += 1;
    },
    /** @returns whether it stood in the line */
    leave,
    /**
     * Takes the next one out of the line.
     *
     * @param mayBegin  whether a caller's poll may have a place now
     */
    next(mayBegin: (attempt: Attempt) => boolean): Attempt | undefined {
      for (const [caller, own] of waiting) {
        const [first] = own.keys();
        if (!mayBegin(first!)) continue;
        leave(first!);
        if (own.size > 0) {
          waiting.delete(caller);
          waiting.set(caller, own);
        }
        return first;
      }
      return undefined;
    },
    all: (): Iterable<Attempt> => [...waiting.values()].flatMap((own) => [...own.keys()]),
  };

  function leave(attempt: Attempt): boolean {
    const own = waiting.get(attempt.caller);
    if (!own?.has(attempt)) return false;
    clearTimeout(own.get(attempt));
    own.delete(attempt);
    if (own.size === 0) waiting.delete(attempt.caller);
    count -= 1;
    return true;
  }
}
