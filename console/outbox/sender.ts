/**
 * Sends notices in the background: what is due, what an earlier run or another process has left, and what
 * was in vain once more. Nobody is held by a slow receiver. Of all processes one sends: see console/app/duties.ts.
 */

/** What the sender has to know of a notice; its text is the business of whoever delivers it. */
export interface Notice {
  readonly id: string;
  /** Epoch milliseconds before which it is not tried. */
  readonly dueAt: number;
}

export interface SenderDeps<N extends Notice> {
  /** Every notice that is not delivered yet. */
  readonly waiting: () => Promise<readonly N[]>;
  /** One try, and the note of what came of it. @param signal  breaks it off at the stop */
  readonly deliver: (id: string, signal: AbortSignal) => Promise<void>;
  /** Notices to one receiver share a queue. */
  readonly queueOf: (notice: N) => string;
  /** Tells of notices that have been written. @returns a function that ends the subscription */
  readonly onAdded: (listener: () => void) => () => void;
  readonly onError: (error: unknown) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Sender {
  start(): void;
  /** Breaks off what is under way, which the next start takes up, and waits for its end. */
  close(): Promise<void>;
}

/** While something is due, or its end is not known. */
const pollMs = 500;
/** Nothing is due sooner, as far as this clock goes on evenly. */
const idlePollMs = 4_000;
const atOnce = { inAll: 32, inQueue: 4 } as const;

export function createSender<N extends Notice>(deps: SenderDeps<N>): Sender {
  const { waiting, deliver, queueOf, onAdded, onError, now } = deps;
  const inFlight = new Map<string, { readonly queue: string; readonly work: Promise<void> }>();
  const stopping = new AbortController();
  let queue: readonly N[] = [];
  let unsubscribe = () => {};
  let timer: NodeJS.Timeout | undefined;
  let nextPollAt = Number.POSITIVE_INFINITY;

  return {
    start() {
      unsubscribe = onAdded(poll);
      poll();
    },
    async close() {
      stopping.abort();
      unsubscribe();
      clearTimeout(timer);
      await Promise.all([...inFlight.values()].map(({ work }) => work));
    },
  };

  function poll(): void {
    waiting().then(
      (found) => {
        queue = found;
        sendNext();
        pollIn(untilDue());
      },
      (error) => {
        onError(error);
        pollIn(pollMs);
      },
    );
  }

  /** Or sooner, if that was said before. */
  function pollIn(ms: number): void {
    const at = performance.now() + ms;
    if (stopping.signal.aborted || at >= nextPollAt) return;
    nextPollAt = at;
    clearTimeout(timer);
    timer = setTimeout(() => {
      nextPollAt = Number.POSITIVE_INFINITY;
      poll();
    }, ms).unref();
  }

  function untilDue(): number {
    const next = Math.min(...queue.map(({ dueAt }) => dueAt)) - now();
    return Math.min(idlePollMs, Math.max(pollMs, next));
  }

  /** One receiver with many notices that does not answer must not hold up the others. */
  function sendNext(): void {
    const at = now();
    queue = queue.filter((notice) => {
      if (notice.dueAt > at || inFlight.has(notice.id)) return false;
      const queue = queueOf(notice);
      if (stopping.signal.aborted || !hasRoomIn(queue)) return true;
      const work = deliver(notice.id, stopping.signal)
        .catch(onError)
        .finally(() => {
          inFlight.delete(notice.id);
          sendNext();
          pollIn(pollMs);
        });
      inFlight.set(notice.id, { queue, work });
      return false;
    });
  }

  function hasRoomIn(queue: string): boolean {
    if (inFlight.size >= atOnce.inAll) return false;
    return [...inFlight.values()].filter((one) => one.queue === queue).length < atOnce.inQueue;
  }
}
