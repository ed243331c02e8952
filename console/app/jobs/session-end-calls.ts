/** What the end of all sessions asks: a second administrator, where one is needed, has agreed with all of it. */
import type { Audit } from '../../../platform/log.ts';
import { idOf } from '../../admin-api/sessions/session-ids.ts';
import type { SessionEndCalls } from '../../jobs/session-ends.ts';
import type { KnownMembers } from '../../members/own-calls.ts';
import { createRunAs } from '../operations.ts';
import type { Services } from '../services.ts';
import { actorNow } from './actor-now.ts';

/** Read in some ms: nobody waits for a page that is longer. */
const pageSize = 100;
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
    // Whoever may end them need not be one who may list them: each end is checked.
    async page(after) {
      const { sessions, next = null } = await services.sessions.page({ limit: pageSize, after });
      const found = sessions.map((session) => ({ id: idOf(session), startedAt: session.startedAt * 1000 }));
      return { sessions: found, next };
    },
    async end(actor, jobId, session) {
      const request = { params: { session }, body: {} };
      await runAs('endSession', request, await actorNow(actor, services), aboutOf(jobId));
    },
  };
}
