/** Which index leads through a list of users, and who is in it. */
import { foldedName } from './name-keys.ts';
import type { UserCount, UserFilter, UserStatus } from './record-store.ts';
import type { UserRecord } from './records.ts';

/** `name` and `beginning` lead through names, the others through ids. */
export type UserLead = 'name' | 'beginning' | 'role' | 'eligibleRole' | 'provider' | 'status';

/** So many are looked through sooner than all whose name begins in a certain way. */
const few = 500;

/** @param count  as it is kept */
export function leadOf(filter: UserFilter, count: (by: UserCount) => number): UserLead {
  const { role, eligibleRole, provider, status, beginning } = filter;
  // Few may take one.
  if (eligibleRole !== undefined) return 'eligibleRole';
  const counted = [
    ...(role === undefined ? [] : [{ lead: 'role' as const, count: count({ role }) }]),
    ...(provider === undefined ? [] : [{ lead: 'provider' as const, count: count({ provider }) }]),
    // Most are active, and have no index for that.
    ...(status === undefined || status === 'active'
      ? []
      : [{ lead: 'status' as const, count: count({ status }) }]),
  ].sort((one, other) => one.count - other.count);
  const [least] = counted;
  if (beginning !== undefined && (!least || least.count > few)) return 'beginning';
  return least?.lead ?? 'name';
}

export function statusOf({ disabled, isInvited }: UserRecord): UserStatus {
  if (disabled) return 'disabled';
  return isInvited ? 'invited' : 'active';
}

export function isInList(
  user: UserRecord,
  { role, eligibleRole, provider, status, beginning }: UserFilter,
): boolean {
  if (role !== undefined && !user.roles.includes(role)) return false;
  if (eligibleRole !== undefined && !user.eligibleRoles?.includes(eligibleRole)) return false;
  if (provider !== undefined && user.federated?.provider !== provider) return false;
  if (status !== undefined && statusOf(user) !== status) return false;
  return beginning === undefined || beginningOf(user, foldedName(beginning)) !== undefined;
}

/**
 * Whether this user is found by this beginning of a name or address, and by which.
 *
 * @param beginning  folded
 */
export function beginningOf(
  { username, email }: Pick<UserRecord, 'username' | 'email'>,
  beginning: string,
): 'name' | 'email' | undefined {
  if (foldedName(username).startsWith(beginning)) return 'name';
  return email !== undefined && foldedName(email).startsWith(beginning) ? 'email' : undefined;
}
