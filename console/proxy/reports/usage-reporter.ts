/**
 * Reports to the console who has used what here, one report at a time. Nothing waits for it: while the console does not
 * answer, rows of the same kind become one, and beyond a number of them the next report says that some are missing.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { mostReported, type UsageReport } from '../../usage/usage-report.ts';
import { addedRow, keyOfRow, type UsageRow } from '../../usage/usage-row.ts';

export interface UsageReporterDeps {
  /** @throws {Error} when the console has not taken it */
  readonly send: (report: UsageReport) => Promise<void>;
  /** @param error  undefined when one was taken; the next try follows by itself */
  readonly onResult: (error: unknown) => void;
}

/** Rows that wait. */
const mostWaiting = 40_000;
/** Pause after a try in vain, milliseconds; doubled up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export function createUsageReporter({ send, onResult }: UsageReporterDeps) {
  const stem = randomBytes(9).toString('base64url');
  const waiting = new Map<string, UsageRow>();
  const closing = new AbortController();
  let number = 0;
  let isIncomplete = false;
  let working: Promise<void> | undefined;

  return {
    add(rows: readonly UsageRow[]): void {
      for (const row of rows) {
        const key = `${row[0]}\n${keyOfRow(row)}`;
        const known = waiting.get(key);
        if (known === undefined && waiting.size >= mostWaiting) isIncomplete = true;
        else waiting.set(key, known ? addedRow(known, row) : row);
      }
      start();
    },
    /** Sends what is left, for so long at most. */
    async close(timeoutMs: number): Promise<void> {
      closing.abort();
      start();
      await Promise.race([working, pause(timeoutMs, undefined, { ref: false })]);
    },
  };

  function start(): void {
    working ??= work().finally(() => {
      working = undefined;
      if (waiting.size > 0 && !closing.signal.aborted) start();
    });
  }

  async function work(): Promise<void> {
    while (waiting.size > 0) {
      const report = next();
      let pauseMs = firstPauseMs;
      while (!(await isTaken(report))) {
        if (closing.signal.aborted) return;
        await pause(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
  }

  /** It stays as it is through all tries: what comes meanwhile is in the one after it. */
  function next(): UsageReport {
    const taken = [...waiting.entries()].slice(0, mostReported);
    for (const [key] of taken) waiting.delete(key);
    const report = { stem, number, rows: taken.map(([, row]) => row), isIncomplete };
    number += 1;
    isIncomplete = false;
    return report;
  }

  async function isTaken(report: UsageReport): Promise<boolean> {
    try {
      await send(report);
      onResult(undefined);
      return true;
    } catch (error) {
      onResult(error);
      return false;
    }
  }
}
