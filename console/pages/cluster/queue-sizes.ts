/**
 * How many items queues have, for their pages that are open: a member is asked for one queue once a minute at most, as for the
 * history of it, however many have its page open. What a page has asked for itself, the others have too.
 */

const againMs = 60_000;
const mostQueues = 1_000;

interface Known {
  /** Undefined: no member has said it. */
  readonly size: number | undefined;
  /** When it was asked for, epoch milliseconds. */
  readonly at: number;
}

/** @param now  epoch milliseconds */
export function createQueueSizesShown(now: () => number) {
  const sizes = new Map<string, Known>();

  return {
    record,
    /** @param ask  undefined where no member says it: what was said last stays */
    async of(queue: string, ask: () => Promise<number | undefined>): Promise<number | undefined> {
      const last = sizes.get(queue);
      if (last && now() - last.at < againMs) return last.size;
      // Before it is asked, so that nobody else does.
      record(queue, last?.size);
      const size = await ask();
      if (size !== undefined) record(queue, size);
      return sizes.get(queue)?.size;
    },
  };

  function record(queue: string, size: number | undefined): void {
    sizes.delete(queue);
    sizes.set(queue, { size, at: now() });
    const [oldest] = sizes.keys();
    if (sizes.size > mostQueues) sizes.delete(oldest!);
  }
}
