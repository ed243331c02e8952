/**
 * From somebody whom a provider vouches for to an account here: decided in this file alone. The key is
 * (provider, subject). An e-mail address or a name, even the same one, links nothing and grants nothing
 * (S45).
 */

import type { Passwords } from '../accounts/passwords.ts';
import { newSubject } from '../accounts/users/user-records.ts';
import { isDisplayName, isEmail } from '../accounts/users/user-rules.ts';
import type { AccountRecords } from '../accounts/voiding.ts';
import { LastAdministratorError, type RecordTransaction } from '../storage/record-store.ts';
import type { UserRecord } from '../storage/records.ts';
import { FederationError, type UpstreamIdentity } from './connector.ts';
import { type RoleRules, rolesOf } from './role-rules.ts';
import { freeUsername } from './usernames.ts';

export interface LinkingProvider {
  readonly id: string;
  readonly roleRules: RoleRules;
}

/**
 * Finds the account, or makes it at the first sign-in, and brings roles and e-mail up to what the
 * provider says today. When roles have changed, what was issued before is void; when no rule gives a
 * role any more, the account loses what it had. The last administrator loses nothing, and is refused; nor
 * does anybody get in before the first one is made, which an upstream account must not be (S27).
 *
 * @throws {FederationError} 403 when no rule gives a role, in the cases above, and as
 *   {@link AccountDisabledError} when the account is disabled here
 * @throws {ProblemError} `busy`, {@link StorageUnavailableError}
 */
export type Link = (provider: LinkingProvider, identity: UpstreamIdentity) => Promise<UserRecord>;

export interface LinkDeps {
  readonly records: AccountRecords;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly newId: () => string;
  /** A password that nobody will know: at least 256 bits of randomness. */
  readonly newSecret: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Told apart, because whoever types a password is not told that the account is disabled (S28). */
export class AccountDisabledError extends FederationError {
  constructor() {
    super(403, 'This account is disabled here.', { code: 'forbidden' });
  }
}

const longestSubject = 512;

export function createLink({ records, passwords, newId, newSecret, now }: LinkDeps): Link {
  return async (provider, identity) => {
    checkSubject(identity);
    const roles = rolesOf(identity, provider.roleRules);
    const known = await records.userByLink(provider.id, identity.subject);
    if (!known && roles.length === 0) throw noRole();
    const isAsBefore = known !== undefined && refreshed(known, identity, roles) === known;
    const account = isAsBefore ? known : await write(provider, identity, roles, known);
    if (account.disabled) throw new AccountDisabledError();
    if (account.roles.length === 0) throw noRole();
    return account;
  };

  async function write(
    provider: LinkingProvider,
    identity: UpstreamIdentity,
    roles: UserRecord['roles'],
    known: UserRecord | undefined,
  ): Promise<UserRecord> {
    // Hashed outside the transaction, which holds up everybody else.
    const passwordHash = known?.passwordHash ?? (await passwords.hash(newSecret()));
    return unlessLastAdministrator(
      records.change(async (transaction) => {
        if (!(await transaction.hasUsers())) throw notSetUp();
        // It still is that when this is decided, so that its removal finds every account.
        const registered = await transaction.registered('providers', provider.id);
        if (registered?.enabled !== true) throw switchedOff();
        const before = await transaction.userByLink(provider.id, identity.subject);
        const after = before
          ? refreshed(before, identity, roles)
          : await created(transaction, provider, identity, { roles, passwordHash });
        if (after === before) return before;
        transaction.put('users', after);
        // As it was written: a change of roles has ended what was issued before.
        return (await transaction.get('users', after.id)) ?? after;
      }),
    );
  }

  async function created(
    transaction: RecordTransaction,
    { id: provider }: LinkingProvider,
    identity: UpstreamIdentity,
    given: Pick<UserRecord, 'roles' | 'passwordHash'>,
  ): Promise<UserRecord> {
    return {
      id: await newSubject(transaction, newId),
      username: await freeUsername(transaction, provider, identity),
      ...saidOf(identity),
      ...given,
      disabled: false,
      federated: { provider, subject: identity.subject },
      createdAt: now(),
      tokensValidFrom: now(),
    };
  }

  /** @returns the same record when nothing has changed: a sign-in then writes nothing */
  function refreshed(user: UserRecord, identity: UpstreamIdentity, roles: UserRecord['roles']): UserRecord {
    const said = saidOf(identity);
    const isSameRoles =
      roles.length === user.roles.length && roles.every((role) => user.roles.includes(role));
    const isSame = Object.entries(said).every(([key, value]) => user[key as keyof Said] === value);
    return isSameRoles && isSame ? user : { ...user, ...said, ...(isSameRoles ? {} : { roles }) };
  }
}

/** The rule of every change of users, in words for the person at the browser. */
async function unlessLastAdministrator<T>(change: Promise<T>): Promise<T> {
  return change.catch((cause: unknown) => {
    if (!(cause instanceof LastAdministratorError)) throw cause;
    throw new FederationError(
      403,
      'Your identity provider does not make you an administrator any more, and you are the last one here. Another administrator has to be made first, on the command line.',
      { cause, code: 'forbidden' },
    );
  });
}

function checkSubject({ subject }: UpstreamIdentity): void {
  if (subject !== '' && subject.length <= longestSubject) return;
  throw new FederationError(401, 'The identity provider did not say who signed in.');
}

type Said = Pick<UserRecord, 'email' | 'isEmailVerified' | 'name'>;

/** What is no address, or no name in one line, is left out rather than shown; what is left out stays as it was. */
function saidOf({ email, isEmailVerified = false, name }: UpstreamIdentity): Said {
  return {
    ...(email !== undefined && isEmail(email) ? { email, isEmailVerified } : {}),
    ...(name !== undefined && isDisplayName(name) ? { name } : {}),
  };
}

function noRole(): FederationError {
  return new FederationError(
    403,
    'Your identity provider knows you, but no rule of this console gives you a role. Ask an administrator.',
    { code: 'forbidden' },
  );
}

/** An account of a provider that is gone would belong to the next one of its id. */
function switchedOff(): FederationError {
  return new FederationError(403, 'Your identity provider has been switched off here meanwhile.', {
    code: 'forbidden',
  });
}

export function notSetUp(): FederationError {
  return new FederationError(
    403,
    'This console is not set up yet: its first administrator is made with the link that the start has printed. Outside accounts can sign in after that.',
    { code: 'forbidden' },
  );
}
