/** Whoever has asked for a job, as they are when it does something for them. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import { rolesNow } from '../../accounts/elevations/effective-roles.ts';
import { rolesOfMachine } from '../../clients/role-ceiling.ts';
import type { JobActor } from '../../jobs/job-actor.ts';
import type { Actor, Origin } from '../../operations/actor.ts';
import type { Services } from '../services.ts';

/** With what they had when they asked and have still: who was let go meanwhile does nothing. @throws {ProblemError} */
export async function actorNow(
  asked: JobActor,
  services: Pick<Services, 'clients' | 'users' | 'now'>,
): Promise<Actor> {
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

function gone(): ProblemError {
  return new ProblemError(problems.insufficientScope, 'Who has asked for this is here no longer.');
}
