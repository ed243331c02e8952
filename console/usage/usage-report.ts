/** What a member proxy in a process of its own has counted, on its way to the console. */
import type { UsageRow } from './usage-row.ts';

/** So many rows stand in one report. */
export const mostReported = 200;

export interface UsageReport {
  /** Random for each process. */
  readonly stem: string;
  /** From 0 on: a report that comes twice counts once. */
  readonly number: number;
  readonly rows: readonly UsageRow[];
  /** There was no room for some of what was counted before. */
  readonly isIncomplete: boolean;
}
