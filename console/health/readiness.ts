/**
 * Whether the store can be written, as the last failed write or a probe in the background saw it: whoever asks for
 * `/ready` causes no write of his own, and no wait either while the last look is fresh (S82, S100).
 */
import type { Logger } from '../../platform/log.ts';

export type Readiness = ReturnType<typeof createReadiness>;

export interface ReadinessDeps {
  /** Rejects with the reason when a write would fail. */
  readonly checkWritable: () => Promise<void>;
  /** Tells of writes that fail; left out where another process writes. */
  readonly onWriteFailure?: (listener: (error: Error) => void) => () => void;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Of a store that cannot be written, or whose writes nobody tells of: a probe may come every second from several sides. */
const freshMs = 1000;
/** A store that is written tells by itself when that fails. Of one that is not, the log tells all the same. */
const idleMs = 5000;
/** A store that has not answered by now does not count as writable. */
const patienceMs = 2000;
/** What was seen longer ago says nothing: whoever asks waits for the next look. */
const staleMs = 15_000;

export function createReadiness({ checkWritable, onWriteFailure, log, now }: ReadinessDeps) {
  let seen: { readonly isWritable: boolean; readonly at: number } | undefined;
  let probe: { readonly since: number; readonly end: Promise<void> } | undefined;
  /** What the log was told last. */
  let isReportedGood = true;
  const timer = setInterval(check, idleMs).unref();
  const unsubscribe = onWriteFailure?.((error) => record(false, error));
  check();

  return {
    async isReady(): Promise<boolean> {
      if (!seen || now() - seen.at > (seen.isWritable && onWriteFailure ? idleMs : freshMs)) check();
      if (!seen || now() - seen.at > staleMs) await within(patienceMs, probe!.end);
      return isWritable();
    },
    /** Resolves when a probe that is under way has ended. */
    async close() {
      clearInterval(timer);
      unsubscribe?.();
      await probe?.end;
    },
  };

  function isWritable(): boolean {
    const hangs = probe !== undefined && now() - probe.since >= patienceMs;
    return seen?.isWritable === true && !hangs;
  }

  function check(): void {
    if (probe) return;
    const overdue = setTimeout(report, patienceMs, false, new Error('it does not answer in time')).unref();
    const end = checkWritable()
      .then(
        () => record(true),
        (error) => record(false, error),
      )
      .finally(() => {
        clearTimeout(overdue);
        probe = undefined;
      });
    probe = { since: now(), end };
  }

  function record(isGood: boolean, error?: unknown): void {
    seen = { isWritable: isGood, at: now() };
    report(isGood, error);
  }

  function report(isGood: boolean, error?: unknown): void {
    if (isGood === isReportedGood) return;
    isReportedGood = isGood;
    if (isGood) log.info({ store: 'ok' }, 'ready again: the store can be written');
    else log.error({ err: error, store: stateOf(error) }, 'not ready: the store cannot be written');
  }
}

/** In one word: `read_only`, `full` and so on, where the error says so. */
function stateOf(error: unknown): string {
  const { state } = error as { readonly state?: unknown };
  return typeof state === 'string' ? state : 'unknown';
}

function within(timeoutMs: number, end: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    void end.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
