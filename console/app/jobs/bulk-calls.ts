/** Operations as a job asks for them, long after the call that has begun it: by the same rules, with entries of their own. */
import type { Audit } from '../../../platform/log.ts';
import { isUndoableAct } from '../../admin-api/bulk-acts/acts.ts';
import type { BulkActInput, BulkCalls } from '../../jobs/bulk-acts.ts';
import type { KnownMembers } from '../../members/own-calls.ts';
import { mostItems } from '../../operations/lists.ts';
import { createRunAs } from '../operations.ts';
import type { Services } from '../services.ts';
import { actorNow } from './actor-now.ts';

/** The event of an answer to a change that was not made yet. */
const approvalRequested = 'approval.requested';

/** @param members  as they are known now */
export function createBulkCalls(services: Services, audit: Audit, members: KnownMembers): BulkCalls {
  const runAs = createRunAs(services, audit, members);
  const aboutOf = (jobId: string) => ({ source: 'job', requestId: jobId });
  return {
    async page({ list, query, actor }, jobId, cursor) {
      const place = { limit: String(mostItems), ...(cursor !== undefined && { cursor }) };
      const request = { query: { ...query, ...place } };
      const { body } = await runAs(list, request, await actorNow(actor, services), aboutOf(jobId));
      const { items, next } = body as { items: readonly { readonly id: string }[]; next: string | null };
      return { ids: items.map(({ id }) => id), next };
    },
    async act({ operation, param, actor }: BulkActInput, jobId, { id, version: ifMatch }) {
      const request = { params: { [param]: id }, body: {}, ...(ifMatch !== undefined && { ifMatch }) };
      const answer = await runAs(operation, request, await actorNow(actor, services), aboutOf(jobId));
      if (answer.event === approvalRequested) return { outcome: 'waiting' };
      const isUndoable = !answer.isUnchanged && isUndoableAct(operation);
      return { outcome: 'done', version: isUndoable ? answer.version : undefined };
    },
  };
}
