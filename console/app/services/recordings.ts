/** What is written down of calls as they come: denials, and who has used what. Reading the audit is beside them. */
import { randomBytes } from 'node:crypto';
import { createDenialLog } from '../../access/denials.ts';
import type { Users } from '../../accounts/users.ts';
import { createAuditReader, remoteReader } from '../../audit/reader/audit-reader.ts';
import type { AuditReader } from '../../audit/reader/questions.ts';
import type { Clients } from '../../clients/clients.ts';
import { createClientUses } from '../../clients/uses/client-last-used.ts';
import { createCallEnds } from '../../metrics/call-ends.ts';
import { createOpenCalls } from '../../metrics/open-calls.ts';
import { createRecentCalls } from '../../metrics/recent-calls.ts';
import { processName } from '../../metrics/reports/process-name.ts';
import { createDeniedCallers } from '../../usage/denied-callers.ts';
import { createDenialMutes } from '../../usage/muted-denials.ts';
import { createUsage } from '../../usage/usage.ts';
import { createReports } from './reports.ts';
import type { ServicesDeps } from './services-deps.ts';

/** So that all consoles explain a denial within a second. */
const sharedDenialsMs = 400;

export function createRecordings(
  {
    settings,
    storage: { artifacts, registry },
    now,
    log,
    others,
    openCalls,
  }: Pick<ServicesDeps, 'settings' | 'storage' | 'now' | 'log' | 'others' | 'openCalls'>,
  clients: Clients,
  users: Users,
) {
  const usage = createUsage({
    artifacts,
    days: settings.usageDays,
    report: others?.recordUsage,
    settleOthers: others?.settleUsage,
    now,
  });
  const denialMutes = createDenialMutes({ registry, now });
  const name = processName(settings.port);
  const isShared = settings.databaseUrl !== undefined;
  const reports = createReports({ artifacts, name, isShared, others, now });
  return {
    denials: createDenialLog({
      artifacts,
      newStem: () => randomBytes(6).toString('base64url'),
      flushOthers: others?.flushDenials,
      // Other consoles are asked for them, and cannot have this one write.
      ...(settings.databaseUrl && { writeEveryMs: sharedDenialsMs }),
      now,
      log,
    }),
    clientUses: createClientUses({ artifacts, clients, report: others?.recordClientUses, now }),
    denialMutes,
    reports,
    recentCalls: createRecentCalls(now, reports.recentCalls),
    openCalls:
      openCalls ??
      createOpenCalls({
        name,
        all: others?.openCalls,
        reported: reports.openCalls,
        ends: isShared ? createCallEnds({ artifacts, now }) : undefined,
      }),
    usage,
    deniedCallers: createDeniedCallers({ usage, mutes: denialMutes, users, now }),
  };
}

/** Of another process, or a thread that begins with the first question. */
export function readerFor({
  settings,
  log,
  others,
}: Pick<ServicesDeps, 'settings' | 'log' | 'others'>): AuditReader {
  const { dataDir, databaseUrl } = settings;
  return others?.askAudit ? remoteReader(others.askAudit) : createAuditReader({ dataDir, databaseUrl, log });
}
