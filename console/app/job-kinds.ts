/** The kinds of jobs, with what they work on. */

import { verifyKind } from '../admin-api/audit/verification.ts';
import { offer, poll, sizeOf } from '../admin-api/cluster/queue-calls.ts';
import { createBulkTarget } from '../bulk/target.ts';
import { createBackups } from '../jobs/backups.ts';
import { createImportKind } from '../jobs/imports.ts';
import type { JobKind } from '../jobs/job-kind.ts';
import { createDrainKind, drainKind, type QueueCalls } from '../jobs/queue-drains.ts';
import { askMembers, type KnownMembers } from '../members/own-calls.ts';
import { idsByTime } from '../storage/time-ordered-id.ts';
import { createVerifyKind } from './audit-verification.ts';
import type { Services } from './services.ts';

/** @param members  as they are known now */
export function createJobKinds(services: Services, members: KnownMembers): Readonly<Record<string, JobKind>> {
  const { settings, storage, outbound, itemFiles, now } = services;
  const { dataDir } = settings;
  const target = createBulkTarget({
    storage,
    isServing: true,
    now,
    newId: idsByTime(now),
    checkOutboundUrl: outbound.check,
  });
  return {
    backup: createBackups({ dataDir, storage }).kind,
    'import-users': createImportKind({ dataDir, target, collection: 'users' }),
    [drainKind]: createDrainKind({ files: itemFiles, queues: queuesOf(members) }),
    [verifyKind]: createVerifyKind(services),
    'import-clients': createImportKind({ dataDir, target, collection: 'clients' }),
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
