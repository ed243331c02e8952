/** The kinds of jobs, with what they work on. */
import type { Audit } from '../../../platform/log.ts';
import { verifyKind } from '../../admin-api/audit/verification.ts';
import { manyActs } from '../../admin-api/bulk-acts/acts.ts';
import { offer, poll, sizeOf } from '../../admin-api/cluster/queue-calls.ts';
import { createBulkTarget } from '../../bulk/target.ts';
import { createBackups } from '../../jobs/backups.ts';
import { createBulkActKind } from '../../jobs/bulk-acts.ts';
import { createImportKind } from '../../jobs/imports.ts';
import type { JobKind } from '../../jobs/job-kind.ts';
import { createMapReadingKind, readingKind } from '../../jobs/map-readings.ts';
import { createDrainKind, drainKind, type QueueCalls } from '../../jobs/queue-drains.ts';
import { createSessionEndsKind, endAllKind } from '../../jobs/session-ends.ts';
import { askMembers, type KnownMembers } from '../../members/own-calls.ts';
import { idsByTime } from '../../storage/time-ordered-id.ts';
import type { Services } from '../services.ts';
import { createVerifyKind } from './audit-verification.ts';
import { createBulkCalls } from './bulk-calls.ts';
import { createReadCalls } from './read-calls.ts';
import { createSessionEndCalls } from './session-end-calls.ts';

/** @param members  as they are known now */
export function createJobKinds(
  services: Services,
  members: KnownMembers,
  audit: Audit,
): Readonly<Record<string, JobKind>> {
  const { storage, outbound, itemFiles, sharedFiles: shared, now } = services;
  const { dataDir } = services.settings;
  const bulkAct = createBulkActKind({
    calls: createBulkCalls(services, audit, members),
    changes: services.bulkChanges,
  });
  const target = createBulkTarget({
    storage,
    isServing: true,
    now,
    newId: idsByTime(now),
    checkOutboundUrl: outbound.check,
  });
  return {
    backup: createBackups({ dataDir, storage }).kind,
    'import-users': createImportKind({ dataDir, target, collection: 'users', shared }),
    [verifyKind]: createVerifyKind(services),
    [drainKind]: createDrainKind({ files: itemFiles, queues: queuesOf(members) }),
    [readingKind]: createMapReadingKind({
      rows: services.readRows,
      calls: createReadCalls(services, audit, members),
    }),
    'import-clients': createImportKind({ dataDir, target, collection: 'clients', shared }),
    [endAllKind]: createSessionEndsKind(createSessionEndCalls(services, audit, members)),
    ...Object.fromEntries(manyActs.map(({ job }) => [job, bulkAct])),
  };
}

function queuesOf(members: KnownMembers): QueueCalls {
  const needs = { askMember: askMembers(members, false) };
  return {
    size: (queue) => sizeOf(queue, needs),
    poll: (queue) => poll(queue, needs),
    offer: (queue, { bytes, type }) => offer(queue, { bytes, type }, needs),
  };
}
