/**
 * Base roles are those that an administrator, or the rules of a provider, have given to somebody: `roles` of the account.
 * Whether there is an administrator left, who may grant what, lists, descriptions and exports look at these. Effective
 * roles are what somebody may do now: sessions, tokens, pages and checks of permissions look at those.
 */
import type { UserRecord } from '../../storage/records.ts';

/** @param nowMs  epoch milliseconds */
export function effectiveRoles({ roles }: Pick<UserRecord, 'roles'>, _nowMs: number): readonly string[] {
  return roles;
}
