/** Tells the other consoles on the same database what this one has counted, and hears what they have. */
import type { Logger } from '../../platform/log.ts';
import type { CallHistoryDeps } from '../metrics/call-history/record-call-history.ts';
import type { HistoryDeps } from '../metrics/history/record-history.ts';
import { createReportMaker, reportEveryMs } from '../metrics/reports/process-report.ts';
import { startReports } from '../metrics/reports/report-rounds.ts';
import type { Services } from './services.ts';

export interface SharedReportsDeps
  extends Pick<Services, 'reports' | 'recentCalls' | 'openCalls' | 'consoles' | 'now'> {
  /** Of this console, which is one process. */
  readonly readNumbers: HistoryDeps['readNumbers'];
  readonly readMinute: CallHistoryDeps['readMinute'];
  readonly log: Pick<Logger, 'warn'>;
}

/** Between two readings of the numbers as well, when the others have told. */
const receiveAfterMs = reportEveryMs / 4;

/** @returns ends it, when the last report is in the store, or cannot be */
export function startSharedReports({
  reports,
  recentCalls,
  openCalls,
  consoles,
  readNumbers,
  readMinute,
  now,
  log,
}: SharedReportsDeps): () => Promise<void> {
  if (!reports.isShared) return async () => {};
  const makeReport = createReportMaker({
    recentCalls,
    mainNumbers: async () => [...(await readNumbers()).values()][0]!,
    waiting: async () => (await readMinute(0)).waiting,
    name: reports.name,
    open: openCalls.listOwn,
    ...(consoles && { console: consoles.report }),
    now,
  });
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  const onResult = (error: unknown) => {
    // The store says itself that it is away.
    if (error !== undefined && !isFailing)
      log.warn({ err: error }, 'the numbers of other consoles are not known');
    isFailing = error !== undefined;
  };
  const end = startReports({
    async send(isLast) {
      const report = await makeReport(isLast);
      await reports.publish(report);
      if (isLast) return;
      timer = setTimeout(() => void reports.receive(report.process).catch(onResult), receiveAfterMs).unref();
    },
    now,
    onResult,
  });
  return async () => {
    await end();
    clearTimeout(timer);
  };
}
