/** What the end of all sessions asks: a second administrator, where one is needed, has agreed with all of it. */
import type { Audit } from '../../../platform/log.ts';
import { idOf } from '../../admin-api/sessions/session-ids.ts';
import type { SessionEndCalls } from '../../jobs/session-ends.ts';
import type { KnownMembers } from '../../members/own-calls.ts';
import { createRunAs } from '../operations.ts';
import type { Services } from '../services.ts';
import { actorNow } from './actor-now.ts';

/** A page of the list takes some ms: nobody waits for one that is longer. */
const pageSize = '100';
/** Some 10 ms, once. */
const mostCounted = 100_000;

/** @param members  as they are known now */
export function createSessionEndCalls(
  services: Services,
  audit: Audit,
  members: KnownMembers,
): SessionEndCalls {
  const runAs = createRunAs(services, audit, members, { isAgreed: true });
  const aboutOf = (jobId: string) => ({ source: 'job', requestId: jobId });
  return {
    async count() {
      const { value, isExact } = await services.storage.artifacts.countSessions(mostCounted);
      return isExact ? value : undefined;
    },
    async ownOf({ session }) {
      const key = session === undefined ? undefined : await services.sessions.keyOf(session);
      return key === undefined ? undefined : idOf({ key });
    },
    async page(actor, jobId, cursor) {
      const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
      const asking = await actorNow(actor, services);
      const { body } = await runAs('listSessions', { query }, asking, aboutOf(jobId));
      const { items, next } = body as { items: readonly ListedSession[]; next: string | null };
      return { sessions: items.map(({ id, startedAt }) => ({ id, startedAt: Date.parse(startedAt) })), next };
    },
    async end(actor, jobId, session) {
      const request = { params: { session }, body: {} };
      await runAs('endSession', request, await actorNow(actor, services), aboutOf(jobId));
    },
  };
}

/** As the API has it. */
interface ListedSession {
  readonly id: string;
  readonly startedAt: string;
}
