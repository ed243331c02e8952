/**
 * What was issued to an account before its password, roles or status changed is void (S34). Issue times
 * are whole seconds, so the second of the change itself counts as before it.
 */
import type { ClientRecord, UserRecord } from '../storage/records.ts';

type Changed = Pick<UserRecord, 'tokensValidFrom'>;

/** @returns epoch seconds from which on what was issued counts; undefined while nothing does */
export function validSince(user: Changed & Pick<UserRecord, 'disabled'>): number | undefined {
  return user.disabled ? undefined : lastVoidSecond(user) + 1;
}

/**
 * The time to write into what is issued now. Within the second of a change it is the next second, or a
 * sign-in right after the change would be void itself.
 *
 * @param nowMs  epoch milliseconds
 * @returns epoch seconds
 */
export function issueTime(user: Changed, nowMs: number): number {
  return Math.max(Math.floor(nowMs / 1000), lastVoidSecond(user) + 1);
}

/**
 * The `tokensValidFrom` of a change that is made now. What was issued since an earlier change of the same
 * second carries the next one (see {@link issueTime}), so a further change has to void that one too.
 *
 * @param nowMs  epoch milliseconds
 */
export function validFrom(user: Changed, nowMs: number): number {
  return Math.max(nowMs, (lastVoidSecond(user) + 1) * 1000);
}

/**
 * The `tokensValidFrom` of a client that loses what it has had until now. Issue times are whole seconds: the one in
 * which it happens is void too, for good.
 *
 * @param nowMs  epoch milliseconds
 */
export function clientValidFrom(
  { tokensValidFrom = 0 }: Pick<ClientRecord, 'tokensValidFrom'>,
  nowMs: number,
): number {
  return (Math.floor(Math.max(nowMs, tokensValidFrom) / 1000) + 1) * 1000;
}

/** @returns epoch seconds from which on what was issued to this client counts; undefined while nothing does */
export function clientValidSince({
  disabled,
  tokensValidFrom,
  createdAt,
}: Pick<ClientRecord, 'disabled' | 'tokensValidFrom' | 'createdAt'>): number | undefined {
  return disabled ? undefined : Math.floor((tokensValidFrom ?? createdAt) / 1000);
}

/**
 * An account of an upstream provider with what has become of its provider: it decides with it what counts.
 *
 * @param accountsValidFrom  epoch milliseconds, of the provider
 */
export function underProvider<U extends Changed>(user: U, accountsValidFrom: number): U {
  return accountsValidFrom > user.tokensValidFrom ? { ...user, tokensValidFrom: accountsValidFrom } : user;
}

function lastVoidSecond({ tokensValidFrom }: Changed): number {
  return Math.floor(tokensValidFrom / 1000);
}
