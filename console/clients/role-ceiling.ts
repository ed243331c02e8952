/** What an application gets of its users' roles (RFC 9700 §2.3, S96). */
import type { ClientRecord } from '../storage/records.ts';
import { machineRoles, roleScopes } from './scopes.ts';

/** At most these roles; undefined: all that a user has. */
export type RoleCeiling = readonly string[] | undefined;

/** Applications of others get none unless an administrator has said which. */
export function ceilingOf({
  maxRoles,
  isFirstParty,
}: Pick<ClientRecord, 'maxRoles' | 'isFirstParty'>): RoleCeiling {
  return maxRoles ?? (isFirstParty ? undefined : []);
}

/** A role of the ceiling stands for the weaker ones too: Admin for all, Viewer for MetricsViewer. */
export function isUnder(ceiling: RoleCeiling, role: string): boolean {
  return ceiling === undefined || ceiling.some((most) => includes(most, role));
}

/** What of somebody's roles is under the ceiling; who has a stronger one than it has those of the ceiling instead. */
export function rolesUnder(ceiling: RoleCeiling, roles: readonly string[]): readonly string[] {
  if (ceiling === undefined) return roles;
  const own = roles.filter((role) => isUnder(ceiling, role));
  const weaker = ceiling.filter((most) => !own.includes(most) && roles.some((role) => includes(role, most)));
  return [...own, ...weaker];
}

/** What is asked for now, and what was at the sign-in: a refresh may ask for less. */
export interface AskedScopes {
  readonly scopes: readonly string[];
  readonly granted: readonly string[];
}

/**
 * The roles that a user access token has at an application. Role scopes that were asked for and granted bring theirs, as
 * far as the person has them; who has asked for some at the sign-in and leaves them out at a refresh has none, not all.
 * Without any, an application of others has to ask for `profile`, the scope of user name and roles, to get some.
 */
export function rolesAt(
  client: Pick<ClientRecord, 'maxRoles' | 'isFirstParty'>,
  roles: readonly string[],
  { scopes, granted }: AskedScopes,
): readonly string[] {
  const ceiling = ceilingOf(client);
  if (granted.some((scope) => roleScopes.has(scope))) {
    const asked = scopes.flatMap((scope) => roleScopes.get(scope) ?? []);
    return asked.filter(
      (role) => (roles.includes(role) || roles.includes('Admin')) && isUnder(ceiling, role),
    );
  }
  return client.isFirstParty || scopes.includes('profile') ? rolesUnder(ceiling, roles) : [];
}

/** What a machine's token has of roles: those of its scopes, under its ceiling where it has one. */
export function rolesOfMachine({ id, maxRoles }: ClientRecord, scopes: readonly string[]): readonly string[] {
  const roles = machineRoles(id, scopes);
  return maxRoles === undefined ? roles : roles.filter((role) => isUnder(maxRoles, role));
}

function includes(stronger: string, role: string): boolean {
  return stronger === role || stronger === 'Admin' || (stronger === 'Viewer' && role === 'MetricsViewer');
}
