/** Those that wait for a place at a member: so many and no more, so long and no longer. */
import type { Attempt } from './attempt.ts';
import { UpstreamFailure } from './failure.ts';

export interface WaitQueue {
  readonly isEmpty: boolean;
  /** Joins at the end; told `busy` at once when the line is full, later when its turn does not come in time. */
  join(attempt: Attempt): void;
  /** @returns whether it stood in the line */
  leave(attempt: Attempt): boolean;
  /** Takes the first out of the line. */
  next(): Attempt | undefined;
  all(): Iterable<Attempt>;
}

/** @param waitMs  longest wait, milliseconds */
export function createWaitQueue(most: number, waitMs: number): WaitQueue {
  const waiting = new Map<Attempt, NodeJS.Timeout>();

  return {
    get isEmpty() {
      return waiting.size === 0;
    },
    join(attempt) {
      if (waiting.size >= most) {
        attempt.onFailure(new UpstreamFailure('busy'));
        return;
      }
      const discard = () => {
        waiting.delete(attempt);
        attempt.onFailure(new UpstreamFailure('busy'));
      };
      waiting.set(attempt, setTimeout(discard, waitMs));
    },
    leave,
    next() {
      const [first] = waiting.keys();
      if (first !== undefined) leave(first);
      return first;
    },
    all: () => [...waiting.keys()],
  };

  function leave(attempt: Attempt): boolean {
    clearTimeout(waiting.get(attempt));
    return waiting.delete(attempt);
  }
}
