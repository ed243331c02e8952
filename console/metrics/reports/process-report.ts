/**
 * What one process has counted, as it tells the others: how it is now, and no changes, so that the next one makes good
 * for one that was lost.
 */
import { randomBytes } from 'node:crypto';
import type { ShownCall } from '../call-sums.ts';
import type { MainNumbers } from '../main-numbers.ts';
import type { OpenCall, ReportedCall } from '../open-calls.ts';
import type { RecentCalls } from '../recent-calls.ts';
import { type CountedMinute, type CountedRow, minuteMs } from '../sums-of-calls.ts';

export interface ReportedMinute extends CountedMinute {
  readonly rows: readonly CountedRow[];
}

export interface ProcessReport {
  /** Random for each process. */
  readonly process: string;
  /** Epoch milliseconds: what had been counted by then. */
  readonly at: number;
  /** The process ends. */
  readonly isLast: boolean;
  readonly main: MainNumbers;
  /** Polls that wait, by `queue:jobs`. */
  readonly waiting: readonly (readonly [id: string, polls: number])[];
  /** The one of now and those before it. */
  readonly minutes: readonly ReportedMinute[];
  /** The newest first. */
  readonly latest: readonly ShownCall[];
  /** Its name for people; absent from one of an earlier release, as what follows. */
  readonly name?: string;
  /** Calls that wait there, the longest first. */
  readonly open?: readonly ReportedCall[];
  /** Of a console that shares its store with others. */
  readonly console?: ReportedConsole;
}

export interface ReportedConsole {
  readonly isLeading: boolean;
  /** What `CONSOLE_CONFIG_DIR` holds there, by digests; null: it follows no directory. */
  readonly files: {
    readonly path: string;
    readonly digest: string | null;
    readonly files: readonly (readonly [name: string, digest: string])[];
  } | null;
}

export const reportEveryMs = 5_000;
/** Minutes that stand in one report: what was lost for so long is not made good any more. */
export const mostReportedMinutes = 3;
/** Rows of one minute: more would be longer than a body of the API may be. */
export const mostReportedRows = 500;
export const mostReportedLatest = 50;
export const mostReportedOpen = 50;

export interface ReportMakerDeps {
  readonly recentCalls: Pick<RecentCalls, 'minutesSince' | 'latest'>;
  readonly mainNumbers: () => Promise<MainNumbers>;
  readonly waiting: () => Promise<ProcessReport['waiting']>;
  /** Of this process. */
  readonly name: string;
  readonly open: () => readonly OpenCall[];
  readonly console?: () => Promise<ReportedConsole>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type MakeReport = (isLast: boolean) => Promise<ProcessReport>;

export function createReportMaker(deps: ReportMakerDeps): MakeReport {
  const { recentCalls, mainNumbers, waiting, name, open, console, now } = deps;
  const process = randomBytes(12).toString('base64url');
  return async (isLast) => {
    const at = now();
    const first = Math.floor(at / minuteMs) - mostReportedMinutes + 1;
    return {
      process,
      at,
      isLast,
      main: await mainNumbers(),
      waiting: await waiting(),
      minutes: recentCalls.minutesSince(first).map(reportedMinute),
      latest: recentCalls.latest().slice(0, mostReportedLatest),
      name,
      open: open().slice(0, mostReportedOpen).map(withoutPlace),
      ...(console && { console: await console() }),
    };
  };
}

/** Those with the most calls, where there are more than a report has room for. */
function reportedMinute({ rows: counted, isWhole, ...minute }: CountedMinute): ReportedMinute {
  const rows = [...counted];
  if (rows.length <= mostReportedRows) return { ...minute, rows, isWhole };
  const most = rows.sort((one, other) => other.calls - one.calls).slice(0, mostReportedRows);
  return { ...minute, rows: most, isWhole: false };
}

function withoutPlace({
  process: _name,
  isHere: _here,
  canEnd: _known,
  ...reported
}: OpenCall): ReportedCall {
  return reported;
}
