/**
 * From somebody whom a provider vouches for to an account here: decided in this file alone. The key is
 * (provider, subject). An e-mail address or a name, even the same one, links nothing and grants nothing
 * (S45).
 */
import type { Passwords } from '../accounts/passwords.ts';
import { isEmail, isTaken, isUsername, newSubject } from '../accounts/users.ts';
import { validFrom } from '../accounts/validity.ts';
import type { UserRecord } from '../storage/records.ts';
import type { Registry, RegistryTransaction } from '../storage/storage.ts';
import { FederationError, type UpstreamIdentity } from './connector.ts';
import { type RoleRules, rolesOf } from './role-rules.ts';

export interface LinkingProvider {
  readonly id: string;
  readonly roleRules: RoleRules;
}

/**
 * Finds the account, or makes it at the first sign-in, and brings roles and e-mail up to what the
 * provider says today. When roles have changed, what was issued before is void; when no rule gives a
 * role any more, the account loses what it had.
 *
 * @throws {FederationError} 403 when no rule gives a role, or the account is disabled here
 * @throws {ProblemError} `busy`, {@link StorageUnavailableError}
 */
export type Link = (provider: LinkingProvider, identity: UpstreamIdentity) => Promise<UserRecord>;

export interface LinkDeps {
  readonly registry: Registry;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly newId: () => string;
  /** A password that nobody will know: at least 256 bits of randomness. */
  readonly newSecret: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const longestUsername = 64;
const longestSubject = 512;

export function createLink({ registry, passwords, newId, newSecret, now }: LinkDeps): Link {
  return async (provider, identity) => {
    checkSubject(identity);
    const roles = rolesOf(identity, provider.roleRules);
    const known = findLinked(registry.all('users'), provider.id, identity.subject);
    if (!known && roles.length === 0) throw noRole();
    // Hashed outside the transaction, which holds up everybody else.
    const passwordHash = known?.passwordHash ?? (await passwords.hash(newSecret()));
    const account = await registry.update((transaction) => {
      const before = findLinked(transaction.all('users'), provider.id, identity.subject);
      const after = before
        ? refreshed(before, identity, roles)
        : created(transaction, provider, identity, { roles, passwordHash });
      if (after !== before) transaction.put('users', after);
      return after;
    });
    if (account.disabled) throw new FederationError(403, 'This account is disabled here.');
    if (account.roles.length === 0) throw noRole();
    return account;
  };

  function created(
    transaction: RegistryTransaction,
    { id: provider }: LinkingProvider,
    identity: UpstreamIdentity,
    given: Pick<UserRecord, 'roles' | 'passwordHash'>,
  ): UserRecord {
    const email = emailOf(identity);
    return {
      id: newSubject(transaction, newId),
      username: freeUsername(transaction, provider, identity),
      ...(email === undefined ? {} : { email }),
      ...given,
      disabled: false,
      federated: { provider, subject: identity.subject },
      createdAt: now(),
      tokensValidFrom: now(),
    };
  }

  /** @returns the same record when nothing has changed: a sign-in then writes nothing */
  function refreshed(user: UserRecord, identity: UpstreamIdentity, roles: UserRecord['roles']): UserRecord {
    const email = emailOf(identity) ?? user.email;
    const isSameRoles =
      roles.length === user.roles.length && roles.every((role) => user.roles.includes(role));
    if (isSameRoles && email === user.email) return user;
    return {
      ...user,
      ...(email === undefined ? {} : { email }),
      ...(isSameRoles ? {} : { roles, tokensValidFrom: validFrom(user, now()) }),
    };
  }
}

function findLinked(
  users: ReadonlyMap<string, UserRecord>,
  provider: string,
  subject: string,
): UserRecord | undefined {
  for (const user of users.values()) {
    if (user.federated?.provider === provider && user.federated.subject === subject) return user;
  }
  return undefined;
}

function checkSubject({ subject }: UpstreamIdentity): void {
  if (subject !== '' && subject.length <= longestSubject) return;
  throw new FederationError(401, 'The identity provider did not say who signed in.');
}

/**
 * The provider's name for the person where that is free and can be a name here; else one with the
 * provider's id behind it, and a number when that is taken too. A name is for people: it decides nothing.
 */
function freeUsername(
  transaction: RegistryTransaction,
  provider: string,
  { username, email, name }: UpstreamIdentity,
): string {
  const wanted = [username, email, name].map(asUsername).find((candidate) => candidate !== undefined);
  if (wanted && !isTaken(transaction, wanted)) return wanted;
  for (let number = 1; ; number++) {
    const ending = `${number === 1 ? '' : `-${number}`}@${provider}`;
    const candidate = `${(wanted ?? 'user').slice(0, longestUsername - ending.length)}${ending}`;
    if (!isTaken(transaction, candidate)) return candidate;
  }
}

function asUsername(text: string | undefined): string | undefined {
  const username = text?.normalize('NFKC').trim().replace(/\s+/g, '.').slice(0, longestUsername);
  return username !== undefined && isUsername(username) ? username : undefined;
}

/** What is no address is left out rather than shown. */
function emailOf({ email }: UpstreamIdentity): string | undefined {
  return email !== undefined && isEmail(email) ? email : undefined;
}

function noRole(): FederationError {
  return new FederationError(
    403,
    'Your identity provider knows you, but no rule of this console gives you a role. Ask an administrator.',
  );
}
