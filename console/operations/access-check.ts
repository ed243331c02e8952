/** Who may run an operation: machines by scopes, people by their roles, whoever can open the store everything. */
import { ProblemError, problems } from '../../platform/errors.ts';
import { type Actor, baseRolesOf } from './actor.ts';
import type { Operation } from './operation.ts';
import { isOfEverything, type PermissionsOf } from './privileges.ts';

export interface AccessCheckDeps {
  readonly permissionsOf: PermissionsOf;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** So long after a sign-in a person may do what is dangerous, seconds. */
export const recentSignInSeconds = 300;

type Asked = Pick<Operation, 'object' | 'access' | 'isDangerous'>;

/**
 * @throws {ProblemError} `insufficient_scope`; `reauth_required` when a dangerous operation wants a newer sign-in
 */
export function checkAccess(asked: Asked, actor: Actor, deps: AccessCheckDeps): void {
  if (actor.kind === 'local') return;
  checkMayRun(asked, actor, deps);
  if (asked.isDangerous && actor.kind === 'user') checkSignInIsRecent(actor, deps.now());
}

/** The same, however long ago the sign-in was. @throws {ProblemError} `insufficient_scope` */
export function checkMayRun(asked: Asked, actor: Actor, deps: Pick<AccessCheckDeps, 'permissionsOf'>): void {
  if (!mayRun(asked, actor, deps)) throw insufficient(asked, actor);
}

/** `api:<object>:read`, or `:write`. */
export function scopeOf({ object, access }: Asked): string {
  return `api:${object}:${access === 'write' ? 'write' : 'read'}`;
}

/** Whether roles and scopes open it, however long ago the sign-in was. */
export function mayRun(
  asked: Asked,
  actor: Actor,
  { permissionsOf }: Pick<AccessCheckDeps, 'permissionsOf'>,
): boolean {
  if (asked.access === 'own') return true;
  const { kind, scopes } = actor;
  // By these, what counts for a while could make itself stay.
  const roles = isOfEverything(asked) ? baseRolesOf(actor) : actor.roles;
  if (roles.includes('Admin')) return true;
  if (rolesFor(asked, actor).some((role) => roles.includes(role))) return true;
  const needed = scopeOf(asked);
  const wide = needed.replace(`:${asked.object}:`, ':*:');
  // What is dangerous, a machine has to be given by its name.
  const opening = asked.isDangerous && kind === 'client' ? [needed] : [needed, wide];
  const held = [...scopes, ...roles.flatMap((role) => permissionsOf(role) ?? [])];
  return opening.some((scope) => held.includes(scope));
}

/** Built-in roles besides Admin. A dashboard gets a token of a Viewer for whoever looks at it: that observes nothing. */
function rolesFor({ access }: Asked, { via }: Pick<Actor, 'via'>): readonly string[] {
  if (access === 'metrics') return ['Viewer', 'MetricsViewer'];
  return access === 'read' || (access === 'observe' && via === 'page') ? ['Viewer'] : [];
}

function insufficient(asked: Asked, actor: Actor): ProblemError {
  const { id, kind } = actor;
  const scope = scopeOf(asked);
  const role = ['Admin', ...rolesFor(asked, actor)].at(-1);
  const detail =
    kind === 'client'
      ? `This needs the scope ${scope}.`
      : `This needs the role ${role}, or one with the permission ${scope}.`;
  return new ProblemError(problems.insufficientScope, detail, {
    actor: id,
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
}

/** RFC 9470 §3. */
function checkSignInIsRecent({ id, signedInAt = 0 }: Actor, now: number): void {
  if (now / 1000 - signedInAt <= recentSignInSeconds) return;
  throw new ProblemError(
    problems.reauthRequired,
    'This needs a sign-in within the last five minutes: sign in again, and repeat it.',
    {
      actor: id,
      headers: {
        'WWW-Authenticate': `Bearer error="insufficient_user_authentication", max_age=${recentSignInSeconds}`,
      },
    },
  );
}
