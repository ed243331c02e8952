/**
 * Reports to the console what was denied here, one batch at a time. Nothing waits for it: while the console does not
 * answer, so many batches are held and then the oldest are discarded; they are in this process's log anyway.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { DenialBatch } from '../../access/denial-buffer.ts';

export interface DenialReporterDeps {
  /** @throws {Error} when the console has not taken it */
  readonly send: (batch: DenialBatch) => Promise<void>;
  /** @param error  undefined when one was taken; the next try follows by itself */
  readonly onResult: (error: unknown) => void;
}

/** Batches that wait; each has up to 100 denials. */
const mostWaiting = 32;
/** Pause after a try in vain, milliseconds; doubled up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export function createDenialReporter({ send, onResult }: DenialReporterDeps) {
  /** By place: a newer state of a batch replaces an older one. */
  const waiting = new Map<string, DenialBatch>();
  const closing = new AbortController();
  let working: Promise<void> | undefined;

  return {
    add(batch: DenialBatch) {
      const place = `${batch.stem}.${batch.number}`;
      waiting.delete(place);
      if (waiting.size >= mostWaiting) waiting.delete(waiting.keys().next().value!);
      waiting.set(place, batch);
      start();
    },
    /** Sends what is left, for so long at most. */
    async close(timeoutMs: number) {
      closing.abort();
      start();
      await Promise.race([working, pause(timeoutMs, undefined, { ref: false })]);
      waiting.clear();
    },
  };

  function start(): void {
    working ??= work().finally(() => {
      working = undefined;
      if (waiting.size > 0 && !closing.signal.aborted) start();
    });
  }

  async function work(): Promise<void> {
    let pauseMs = firstPauseMs;
    for (let next = first(); next !== undefined; next = first()) {
      const [place, batch] = next;
      try {
        await send(batch);
        // Unless there is more of it by now.
        if (waiting.get(place) === batch) waiting.delete(place);
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

  function first(): [string, DenialBatch] | undefined {
    return waiting.entries().next().value;
  }
}
