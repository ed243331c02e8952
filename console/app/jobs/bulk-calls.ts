/** Operations as a job asks for them, long after the call that has begun it: by the same rules, with entries of their own. */
import type { Audit } from '../../../platform/log.ts';
import { isUndoableAct } from '../../admin-api/bulk-acts/acts.ts';
import type { BulkActInput, BulkCalls } from '../../jobs/bulk-acts.ts';
import type { BulkChange } from '../../jobs/bulk-changes.ts';
import type { KnownMembers } from '../../members/own-calls.ts';
import { mostItems } from '../../operations/lists.ts';
import type { Answer } from '../../operations/operation.ts';
import { createRunAs } from '../operations.ts';
import type { Services } from '../services.ts';
import { actorNow } from './actor-now.ts';

/** The event of an answer to a change that was not made yet. */
const approvalRequested = 'approval.requested';

/** @param members  as they are known now */
export function createBulkCalls(services: Services, audit: Audit, members: KnownMembers): BulkCalls {
  const runAs = createRunAs(services, audit, members);
  const { bulkChanges } = services;
  const aboutOf = (jobId: string) => ({ source: 'job', requestId: jobId });
  return {
    async page({ list, query, actor }, jobId, cursor) {
      const place = { limit: String(mostItems), ...(cursor !== undefined && { cursor }) };
      const request = { query: { ...query, ...place } };
      const { body } = await runAs(list, request, await actorNow(actor, services), aboutOf(jobId));
      const { items, next } = body as { items: readonly { readonly id: string }[]; next: string | null };
      return { ids: items.map(({ id }) => id), next };
    },
    async act({ operation, param, actor }: BulkActInput, job, { id, version: ifMatch }) {
      const request = { params: { [param]: id }, body: {}, ...(ifMatch !== undefined && { ifMatch }) };
      let isStored = false;
      const answer = await runAs(operation, request, await actorNow(actor, services), aboutOf(job.id), {
        recordsOf(made) {
          const change = changeIn(made, operation, id);
          return change ? [bulkChanges.recordOf(job, job.undoable, change)] : [];
        },
        onStored: () => {
          isStored = true;
        },
      });
      if (answer.event === approvalRequested) return { outcome: 'waiting', isUndoable: false };
      const change = changeIn(answer, operation, id);
      if (change && !isStored) await bulkChanges.add(job, job.undoable, change);
      return { outcome: 'done', isUndoable: change !== undefined };
    },
  };
}

/** @returns undefined where it is as it was, or nothing takes it back */
function changeIn({ isUnchanged, version }: Answer, operation: string, id: string): BulkChange | undefined {
  if (isUnchanged || version === undefined || !isUndoableAct(operation)) return undefined;
  return { id, version };
}
