/**
 * Reports to the console who has used what here, one report at a time. While the console does not answer, rows of the
 * same kind become one, and beyond a number of them the next report says that some are missing.
 */
import { randomBytes } from 'node:crypto';
import { mostReported, type UsageReport } from '../../usage/usage-report.ts';
import { addedRow, keyOfRow, type UsageRow } from '../../usage/usage-row.ts';
import { createDelivery, type DeliveryDeps } from './delivery.ts';

export interface UsageReporterDeps extends Pick<DeliveryDeps<UsageReport>, 'send' | 'onResult'> {
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Rows that wait. */
const mostWaiting = 40_000;
/** The console knows for an hour which report it has had: one whose answer was lost must not count once more after that. */
const longestTriedMs = 45 * 60_000;

export function createUsageReporter({ now = () => performance.now(), ...deps }: UsageReporterDeps) {
  const stem = randomBytes(9).toString('base64url');
  const waiting = new Map<string, UsageRow>();
  /** It stays as it is through all tries: what comes meanwhile is in the one after it. */
  let current: { readonly report: UsageReport; readonly since: number } | undefined;
  let number = 0;
  let isIncomplete = false;
  const delivery = createDelivery<UsageReport>({
    ...deps,
    next,
    onTaken() {
      current = undefined;
    },
  });

  return {
    add(rows: readonly UsageRow[]): void {
      for (const row of rows) {
        const key = `${row[0]}\n${keyOfRow(row)}`;
        const known = waiting.get(key);
        if (known === undefined && waiting.size >= mostWaiting) isIncomplete = true;
        else waiting.set(key, known ? addedRow(known, row) : row);
      }
      delivery.start();
    },
    /** The console did not take what it was sent, and never will: the next report says that some are missing. */
    lose(): void {
      isIncomplete = true;
    },
    /**
     * Sends what is left, for so many milliseconds at most.
     *
     * @returns rows that the console has not taken
     */
    async close(timeoutMs: number): Promise<number> {
      await delivery.close(timeoutMs);
      return waiting.size + (current?.report.rows.length ?? 0);
    },
  };

  function next(): UsageReport | undefined {
    if (current && now() - current.since > longestTriedMs) {
      current = undefined;
      isIncomplete = true;
    }
    if (!current && waiting.size > 0) current = { report: newReport(), since: now() };
    return current?.report;
  }

  function newReport(): UsageReport {
    const rows: UsageRow[] = [];
    for (const [key, row] of waiting) {
      if (rows.length === mostReported) break;
      rows.push(row);
      waiting.delete(key);
    }
    const report = { stem, number, rows, isIncomplete };
    number += 1;
    isIncomplete = false;
    return report;
  }
}
