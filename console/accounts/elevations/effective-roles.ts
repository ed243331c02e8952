/**
 * Base roles are those that an administrator, or the rules of a provider, have given to somebody: `roles` of the account.
 * Whether there is an administrator left, who may grant what, lists, descriptions and exports look at these. Effective
 * roles are what somebody may do now: sessions, tokens, pages and checks of permissions look at those.
 */
import type { UserElevation, UserRecord } from '../../storage/records.ts';

type Elevatable = Pick<UserRecord, 'roles' | 'eligibleRoles' | 'elevation' | 'disabled'>;

/** A clock that was put back further than this makes no elevation longer: it is over then. */
const clockBackMs = 60_000;

/**
 * The elevation that counts now. One whose end nobody has written down yet does not.
 *
 * @param nowMs  epoch milliseconds
 */
export function openElevation(user: Elevatable, nowMs: number): UserElevation | undefined {
  const { elevation } = user;
  if (elevation === undefined || !mayHold(user, elevation)) return undefined;
  const isInTime = nowMs < elevation.endsAt && nowMs >= elevation.startedAt - clockBackMs;
  return isInTime ? elevation : undefined;
}

/** Whether somebody of this record could have it at all. */
export function mayHold(
  { disabled, eligibleRoles = [] }: Pick<Elevatable, 'eligibleRoles' | 'disabled'>,
  { role }: Pick<UserElevation, 'role'>,
): boolean {
  return !disabled && eligibleRoles.includes(role);
}

/** @param nowMs  epoch milliseconds */
export function effectiveRoles(user: Elevatable, nowMs: number): readonly string[] {
  const elevation = openElevation(user, nowMs);
  if (elevation === undefined || user.roles.includes(elevation.role)) return user.roles;
  return [...user.roles, elevation.role];
}

/** What somebody may do now, and which of it is not to stay. */
export interface RolesNow {
  readonly roles: readonly string[];
  readonly elevation?: RolesElevated;
}

export interface RolesElevated {
  readonly id: string;
  /** Of `roles`, those that it has brought. */
  readonly roles: readonly string[];
  /** Epoch milliseconds. */
  readonly endsAt: number;
}

/** @param nowMs  epoch milliseconds */
export function rolesNow(user: Elevatable, nowMs: number): RolesNow {
  const elevation = openElevation(user, nowMs);
  if (elevation === undefined) return { roles: user.roles };
  const { id, role, endsAt } = elevation;
  const brought = user.roles.includes(role) ? [] : [role];
  return { roles: [...user.roles, ...brought], elevation: { id, roles: brought, endsAt } };
}
