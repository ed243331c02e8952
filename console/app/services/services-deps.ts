/** What a process gives its services: settings, store and clocks, and the other processes where there are some. */
import type { Logger } from '../../../platform/log.ts';
import type { AuditEraser } from '../../admin-api/audit/audit-operations.ts';
import type { Entry } from '../../audit/entry.ts';
import type { TrailVersions } from '../../audit/reader/latest-entries.ts';
import type { AskAudit, AuditReader } from '../../audit/reader/questions.ts';
import type { ClientUseRow } from '../../clients/uses/client-last-used.ts';
import type { Uploads } from '../../jobs/uploads.ts';
import type { CalledKeysElsewhere } from '../../members/called-keys.ts';
import type { CallFilter, CallSums } from '../../metrics/call-sums.ts';
import type { OpenCalls, OthersOpenCalls } from '../../metrics/open-calls.ts';
import type { ProcessReport } from '../../metrics/reports/process-report.ts';
import type { ApplicationAddresses } from '../../settings/application-addresses.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import type { UsageRow } from '../../usage/usage-row.ts';
import type { Gap } from '../../usage/usage-store.ts';

export interface ServicesDeps {
  readonly settings: Settings;
  readonly storage: Storage;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The same, going on evenly whatever is done to the clock. */
  readonly steady?: () => number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Where the dashboard application is now, when that may change; otherwise what `settings` says. */
  readonly application?: () => ApplicationAddresses;
  /** Where several processes answer. */
  readonly others?: OtherProcesses;
  /** Where there is one already. */
  readonly auditReader?: AuditReader;
  /** Where this process alone writes it. */
  readonly auditVersions?: TrailVersions;
  /** The same. */
  readonly openCalls?: OpenCalls;
  /** The same. */
  readonly uploads?: Uploads;
  /** Of the process that writes it. */
  readonly auditEraser?: AuditEraser;
}

export interface OtherProcesses {
  readonly flushDenials: () => Promise<void>;
  /** Absent in the process that reads it. */
  readonly askAudit?: AskAudit;
  readonly eraseAudit?: (entry: Entry) => Promise<void>;
  /** What they have written too; absent in the process that writes it. */
  readonly audit?: Pick<TrailVersions, 'versions' | 'written'>;
  /** Absent in the process that writes them. */
  readonly recordClientUses?: (rows: readonly ClientUseRow[]) => Promise<void>;
  /** The same. */
  readonly recordUsage?: (rows: readonly UsageRow[], gaps: readonly Gap[]) => Promise<void>;
  readonly settleUsage: () => Promise<void>;
  /** Absent in the process that remembers them. */
  readonly calledKeys?: CalledKeysElsewhere;
  /** What waits in all of them. */
  readonly openCalls?: OthersOpenCalls;
  /** Absent in the process that keeps what others report. */
  readonly takeReport?: (report: ProcessReport) => Promise<void>;
  /** What they have seen of the calls of the last hour, and whether this process is among them. */
  readonly recentCalls?: {
    readonly read: (filter: CallFilter) => Promise<CallSums>;
    readonly areAll: boolean;
  };
}
