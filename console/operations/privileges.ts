/** Nobody gives more than they have: what somebody's roles and scopes open, compared with what they want to give. */
import { ProblemError, problems } from '../../platform/errors.ts';
import { type Actor, baseRolesOf } from './actor.ts';

/** What a person, a client, a provider's rules or a role has or is to have. */
export interface Privileges {
  /** Also those that a provider's rules give, and the most that an application gets; Admin for one without a limit. */
  readonly roles?: readonly string[];
  /** Roles that a person may take for a while: who takes them has them. */
  readonly eligibleRoles?: readonly string[];
  /** Of a client. */
  readonly scopes?: readonly string[];
  /** Of a custom role. */
  readonly permissions?: readonly string[];
}

/**
 * For before and after: who may not give it may not change or end it either. Looks at memory alone, so that it can be
 * asked inside the transaction of the change, of the record as it is there.
 *
 * @throws {ProblemError} `escalation`
 */
export type CheckMayGrant = (...these: readonly Privileges[]) => void;

/** What a role opens: permissions, `all`, or undefined for one that there is not. From memory. */
export type PermissionsOf = (role: string) => readonly string[] | 'all' | undefined;

/** The role that has another one of the built-in roles in it. */
const stronger: Readonly<Record<string, readonly string[]>> = { MetricsViewer: ['Viewer'] };
/** They say which role a token asks for. */
const roleOfScope = /^app:(\w+)$/;

export function createGrantCheck(actor: Actor, permissionsOf: PermissionsOf): CheckMayGrant {
  const base = baseRolesOf(actor);
  if (actor.kind === 'local' || base.includes('Admin')) return () => {};
  let held: ReadonlySet<string> | undefined;
  const opens = (permission: string) => {
    held ??= permissionsHeld({ ...actor, roles: base }, permissionsOf);
    return hasEverything(held, actor.kind) || covers(held, permission, actor.kind);
  };
  const roles = [...base, ...rolesIn(actor.mayAskFor ?? [])];
  const hasRole = (role: string) => {
    if (roles.some((own) => own === role || stronger[role]?.includes(own))) return true;
    const permissions = permissionsOf(role) ?? [];
    if (opens(everything[0]!)) return true;
    // A built-in role opens more than what it has at the members.
    return permissions !== 'all' && !builtIn.includes(role) && permissions.every(opens);
  };
  const hasScope = (scope: string) => {
    const [role] = rolesIn([scope]);
    return role === undefined ? !/^(?:svc|api):/.test(scope) || opens(scope) : hasRole(role);
  };

  return (...these) => {
    for (const { roles = [], eligibleRoles = [], scopes = [], permissions = [] } of these) {
      const more =
        [...roles, ...eligibleRoles].find((role) => !hasRole(role)) ??
        scopes.find((scope) => !hasScope(scope)) ??
        permissions.find((permission) => !opens(permission));
      if (more !== undefined) throw escalation(actor, more);
    }
  };
}

function rolesIn(scopes: readonly string[]): readonly string[] {
  return scopes.flatMap((scope) => roleOfScope.exec(scope)?.[1] ?? []);
}

/** Roles that every installation has, and that mean more than what they open at the members. */
export const builtIn: readonly string[] = ['Admin', 'Viewer', 'MetricsViewer'];

function permissionsHeld(
  { roles, scopes, mayAskFor = [] }: Actor,
  permissionsOf: PermissionsOf,
): ReadonlySet<string> {
  const ofRoles = roles.flatMap((role) => {
    const permissions = permissionsOf(role);
    return permissions === 'all' ? [] : (permissions ?? []);
  });
  return new Set([...scopes, ...mayAskFor, ...ofRoles]);
}

/** Whoever may write these can make whatever they lack: they count as everything, to have and to give. */
const everythingObjects = ['backups', 'configuration', 'imports', 'settings'] as const;
const everything = everythingObjects.map((object) => `api:${object}:write`);

/** Whether what this changes could be anything at all. */
export function isOfEverything({
  object,
  access,
}: {
  readonly object: string;
  readonly access: string;
}): boolean {
  return access === 'write' && everythingObjects.some((one) => one === object);
}

function hasEverything(held: ReadonlySet<string>, kind: Actor['kind']): boolean {
  return (
    everything.some((permission) => held.has(permission)) || (kind === 'user' && held.has('api:*:write'))
  );
}

/** Of single maps and queues, the permission for all data that opens them too (docs/surface.md#scopes). */
const groupAction: Readonly<Record<string, string>> = {
  read: 'read',
  size: 'read',
  write: 'write',
  offer: 'write',
  poll: 'write',
};

function covers(held: ReadonlySet<string>, permission: string, kind: Actor['kind']): boolean {
  if (held.has(permission)) return true;
  const api = /^api:([a-z-]+):(read|write)$/.exec(permission);
  // What is dangerous, a machine may do by a scope that names it, and not by `*`: with that alone it has less.
  if (api) return kind !== 'client' && held.has(`api:*:${api[2]}`);
  const [, structure, name, action] = /^svc:(map|queue):(.+):(\w+)$/.exec(permission) ?? [];
  if (name === undefined) return false;
  if (held.has(`svc:data:${groupAction[action!]}`)) return true;
  return [...held].some((one) => {
    const [, ownStructure, ownName, ownAction] = /^svc:(map|queue):(.+):(\w+)$/.exec(one) ?? [];
    return ownStructure === structure && ownAction === action && includesName(ownName!, name);
  });
}

/** An asterisk at the end stands for whatever comes; the narrower may end in one too. */
function includesName(wide: string, narrow: string): boolean {
  return wide.endsWith('*') && narrow.startsWith(wide.slice(0, -1));
}

function escalation({ id, kind }: Actor, more: string): ProblemError {
  const whose = kind === 'client' ? 'the scopes of this client' : 'your roles';
  return new ProblemError(
    problems.escalation,
    `Nobody gives or changes what has more than they have: ${more} is not among what ${whose} open.`,
    { actor: id },
  );
}
