/** Operations as a job asks for them, long after the call that has begun it: by the same rules, with entries of their own. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Audit } from '../../../platform/log.ts';
import { rolesNow } from '../../accounts/elevations/effective-roles.ts';
import { rolesOfMachine } from '../../clients/role-ceiling.ts';
import type { BulkActInput, BulkActor, BulkCalls } from '../../jobs/bulk-acts.ts';
import type { KnownMembers } from '../../members/own-calls.ts';
import type { Actor, Origin } from '../../operations/actor.ts';
import { mostItems } from '../../operations/lists.ts';
import { createRunAs } from '../operations.ts';
import type { Services } from '../services.ts';

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
      const { body } = await runAs(list, request, await actorNow(actor), aboutOf(jobId));
      const { items, next } = body as { items: readonly { readonly id: string }[]; next: string | null };
      return { ids: items.map(({ id }) => id), next };
    },
    async act({ operation, param, actor }: BulkActInput, jobId, thing) {
      const request = { params: { [param]: thing }, body: {} };
      const { event } = await runAs(operation, request, await actorNow(actor), aboutOf(jobId));
      return event === approvalRequested ? 'waiting' : 'done';
    },
  };

  /** With what they had when they asked and have still: who was let go meanwhile does nothing. @throws {ProblemError} */
  async function actorNow(asked: BulkActor): Promise<Actor> {
    const { kind, id, client, session } = asked;
    const via = asked.via as Origin;
    const joins = { ...(client && { client }), ...(session && { session }) };
    if (kind === 'local') return { kind, id, via, roles: [], scopes: [] };
    if (kind === 'client') {
      const found = await services.clients.find(id);
      if (!found || found.disabled) throw gone();
      const scopes = asked.scopes.filter((scope) => found.scopes.includes(scope));
      const possible = [...rolesOfMachine(found, []), ...rolesOfMachine(found, found.scopes)];
      const roles = asked.roles.filter((role) => possible.includes(role));
      return { kind, id, via, roles, scopes, mayAskFor: found.scopes };
    }
    const user = await services.users.find(id);
    if (!user || user.disabled) throw gone();
    // Their sign-in was new enough when they asked.
    const signedInAt = services.now() / 1000;
    const now = rolesNow(user, services.now());
    // A token may have had less than the person.
    const roles = now.roles.filter((role) => asked.roles.includes(role));
    return { kind, id, via, scopes: [], ...now, roles, ...joins, signedInAt };
  }
}

function gone(): ProblemError {
  return new ProblemError(problems.insufficientScope, 'Who has asked for this is here no longer.');
}
