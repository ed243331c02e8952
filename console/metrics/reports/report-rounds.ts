/** Tells what this process has counted every five seconds, and once more when it ends. */
import { reportEveryMs } from './process-report.ts';

export interface ReportRoundsDeps {
  /** @throws {Error} nothing is tried again: the next report says it too */
  readonly send: (isLast: boolean) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** @param error  undefined when one was taken */
  readonly onResult: (error: unknown) => void;
}

/** In the middle between two readings of the numbers, so that each reading finds one report more. */
const offsetMs = reportEveryMs / 2;

/** @returns ends it; resolves when the last report was taken, or was not */
export function startReports({ send, now, onResult }: ReportRoundsDeps): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let round = Promise.resolve();
  plan();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await round;
    await work(true);
  };

  function plan(): void {
    if (isClosed) return;
    const untilNext = reportEveryMs - ((now() - offsetMs) % reportEveryMs);
    timer = setTimeout(() => {
      round = work(false).then(plan);
    }, untilNext).unref();
  }

  async function work(isLast: boolean): Promise<void> {
    await send(isLast).then(
      () => onResult(undefined),
      (error: unknown) => onResult(error),
    );
  }
}
