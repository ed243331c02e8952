/** What other processes have counted: workers of this console, proxies in processes of their own, and consoles on the same database. */
import type { CallFilter, CallSums } from '../../metrics/call-sums.ts';
import type { ProcessReport } from '../../metrics/reports/process-report.ts';
import { createReportedProcesses } from '../../metrics/reports/reported-processes.ts';
import { sumOfCalls } from '../../metrics/sums-of-calls.ts';
import type { ArtifactStore } from '../../storage/storage.ts';
import type { OtherProcesses } from './services-deps.ts';

export interface ReportsDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'list'>;
  /** Of this process, for people. */
  readonly name: string;
  /** Whether other consoles have the same store. */
  readonly isShared: boolean;
  readonly others: Pick<OtherProcesses, 'takeReport' | 'recentCalls'> | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type Reports = ReturnType<typeof createReports>;

const kind = 'ProcessReport';
/** Seconds; each takes the place of the one before. */
const storedSeconds = 120;
const mostRead = 256;

export function createReports({ artifacts, name, isShared, others, now }: ReportsDeps) {
  const reported = createReportedProcesses(now);

  return {
    ...reported,
    name,
    isShared,
    /** Of a proxy in a process of its own. */
    async take(report: ProcessReport): Promise<void> {
      if (others?.takeReport) return others.takeReport(report);
      reported.take(report);
      // Without the store this console knows it all the same, and the next report tells the others.
      if (isShared) await publish(report).catch(() => {});
    },
    /** Of this process, for the others. @throws {StorageUnavailableError} */
    publish,
    /** Receives what the others have told. @param own  of this process @throws {StorageUnavailableError} */
    async receive(own: string): Promise<void> {
      for (const { artifact } of await artifacts.list(kind, mostRead)) {
        const report = artifact.payload as unknown as ProcessReport;
        if (report.process !== own) reported.take(report);
      }
    },
    /** Of all processes, or of all others. */
    recentCalls: others?.recentCalls?.areAll ? others.recentCalls : { read: readOthers, areAll: false },
  };

  async function readOthers(filter: CallFilter): Promise<CallSums> {
    const elsewhere = reported.sums(filter);
    return sumOfCalls(
      await Promise.all([elsewhere, ...(others?.recentCalls ? [others.recentCalls.read(filter)] : [])]),
    );
  }

  async function publish(report: ProcessReport): Promise<void> {
    const expiresAt = Math.ceil(now() / 1000) + storedSeconds;
    await artifacts.put(kind, report.process, { payload: { ...report }, expiresAt });
  }
}
