/**
 * How many calls that go on for long one caller may have at a time: streams, and what looks at everything. Counted in
 * memory by each process.
 */
import { ProblemError, problems } from '../../../platform/errors.ts';

/** Of one caller. */
export const mostOpen = 4;

export interface OpenCalls {
  /**
   * Counts one in.
   *
   * @returns what counts it out again
   * @throws {ProblemError} `too_many_requests` with `Retry-After`
   */
  open(caller: string): () => void;
}

export function createOpenCalls(): OpenCalls {
  const open = new Map<string, number>();
  return {
    open(caller) {
      const count = open.get(caller) ?? 0;
      if (count >= mostOpen) throw tooManyOpen();
      open.set(caller, count + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (open.get(caller) ?? 1) - 1;
        if (left > 0) open.set(caller, left);
        else open.delete(caller);
      };
    },
  };
}

function tooManyOpen(): ProblemError {
  return new ProblemError(
    problems.tooManyRequests,
    `This caller has ${mostOpen} streams and exports under way here, which is as many as may be: let one end first.`,
    { headers: { 'Retry-After': '1' } },
  );
}
