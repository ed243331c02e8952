/**
 * Hands reports to the console, one after the other, each until it is taken. Nothing waits for it; after a try in vain
 * comes a pause, doubled up to the longest.
 */
import { setTimeout as pause } from 'node:timers/promises';

export interface DeliveryDeps<Report> {
  /** What is to be sent now, and stays so until it is taken or given up; undefined: nothing waits. */
  readonly next: () => Report | undefined;
  /** @throws {Error} when the console has not taken it */
  readonly send: (report: Report) => Promise<void>;
  readonly onTaken: (report: Report) => void;
  /** @param error  undefined when one was taken; the next try follows by itself */
  readonly onResult: (error: unknown) => void;
}

/** Milliseconds. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export function createDelivery<Report>({ next, send, onTaken, onResult }: DeliveryDeps<Report>) {
  const closing = new AbortController();
  let working: Promise<void> | undefined;

  return {
    start,
    /** Tries to send what is left, for so many milliseconds at most. */
    async close(timeoutMs: number): Promise<void> {
      closing.abort();
      start();
      await Promise.race([working, pause(timeoutMs, undefined, { ref: false })]);
    },
  };

  function start(): void {
    working ??= work().finally(() => {
      working = undefined;
      if (next() !== undefined && !closing.signal.aborted) start();
    });
  }

  async function work(): Promise<void> {
    let pauseMs = firstPauseMs;
    for (let report = next(); report !== undefined; report = next()) {
      try {
        await send(report);
        onTaken(report);
        pauseMs = firstPauseMs;
        onResult(undefined);
      } catch (error) {
        onResult(error);
        if (closing.signal.aborted) return;
        await pause(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
  }
}
