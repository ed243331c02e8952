/**
 * Users: who may sign in, with which roles. Everything here is an administrator's change, and ends what was
 * issued to the user before (see voiding.ts).
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import { normalName } from '../storage/name-keys.ts';
import type { UserCount } from '../storage/record-store.ts';
import { checkIsNew, checkVersion } from '../storage/record-version.ts';
import type { UserRecord } from '../storage/records.ts';
import type { Passwords } from './passwords.ts';
import {
  type ChangedUser,
  type ChangeTerms,
  checkHasPasswordHere,
  createChange,
  unknownUser,
  unlessLastAdministrator,
  written,
} from './users/user-change.ts';
import {
  checkFields,
  checkForm,
  createUserRecords,
  type NewUser,
  type UserFields,
  type UserRecordsDeps,
} from './users/user-records.ts';
import { checkOwnAccount } from './users/user-rules.ts';
import { issueTime, underProvider, validSince } from './validity.ts';
import type { AccountRecords } from './voiding.ts';

export interface UsersDeps extends UserRecordsDeps {
  readonly records: AccountRecords;
  readonly passwords: Passwords;
  readonly accountsValidFrom?: AccountsValidFrom;
}

/**
 * Since when what was issued to accounts of this upstream provider counts, epoch milliseconds; undefined while nothing
 * does. Without it, none of them count.
 */
export type AccountsValidFrom = (provider: string) => number | undefined;

export type Users = ReturnType<typeof createUsers>;

const changedMeanwhile = 'The account has changed meanwhile. Sign in again.';

export function createUsers(deps: UsersDeps) {
  const { records, passwords, accountsValidFrom = () => undefined } = deps;
  const { created, edited } = createUserRecords(deps);
  const change = createChange(records);

  return {
    find: (id: string): Promise<UserRecord | undefined> => records.get('users', id),
    /** Those that there are, by id. */
    findMany: (ids: readonly string[]): Promise<ReadonlyMap<string, UserRecord>> =>
      records.getMany('users', ids),
    /** @param username  in any case and any of its Unicode forms */
    findByName: records.userByName,
    /** A page of them; see {@link RecordStore.users}. */
    list: records.users,
    count: (by?: UserCount): Promise<number> => records.count('users', by),
    /** Whether that is all of them. */
    isCounted: records.isCounted,
    hasAny: records.hasUsers,
    /**
     * Whether what was issued to this account at that time (epoch seconds) still counts (S34): of sessions, codes and
     * refresh tokens. Access tokens are held to void marks, since no record is read for them.
     */
    async isStillValid(id: string, issuedAt: number): Promise<boolean> {
      const since = await accountValidSince(id);
      return since !== undefined && issuedAt >= since;
    },
    /** Epoch seconds from which on what was issued to this account counts; undefined while nothing does. */
    validSince: accountValidSince,
    /** The same of many, by id; of one of which nothing counts there is nothing. */
    async validSinceOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const found = await records.getMany('users', [...new Set(ids)]);
      const counting = [...found].map(([id, user]) => [id, sinceOf(user)] as const);
      return new Map(counting.flatMap(([id, since]) => (since === undefined ? [] : [[id, since] as const])));
    },
    /** The time to write into what is issued to this account now, epoch seconds: see {@link issueTime}. */
    issueTime: (user: UserRecord, nowMs: number): number => issueTime(withProvider(user) ?? user, nowMs),
    /**
     * @param options  `isFirst`: only when there is no user yet, decided inside the transaction
     * @throws {ProblemError} `invalid_request`, `weak_password`, `already_exists`; `conflict` when it is not the first
     */
    async add(
      { password, ...given }: NewUser,
      {
        isFirst = false,
        checkMayGrant,
      }: Pick<ChangeTerms, 'checkMayGrant'> & { readonly isFirst?: boolean } = {},
    ): Promise<UserRecord> {
      const user = { ...given, username: normalName(given.username) };
      checkForm(user);
      const passwordHash = password === undefined ? undefined : await hashOf(password, user);
      return records.change(async (transaction) => {
        if (isFirst && (await transaction.hasUsers())) throw conflict('There is an administrator already.');
        const added = await created(transaction, user, passwordHash);
        checkMayGrant?.(added);
        transaction.put('users', added);
        return added;
      });
    },
    /**
     * An account that is as it is said here, whatever it was before; the password stays. A new one is invited.
     *
     * @param terms  `isNew`: only when there is none of this name
     * @throws {ProblemError} as {@link Users.add} and {@link Users.update}
     */
    async replace(
      given: Required<Omit<UserFields, 'eligibleRoles'>> & Pick<NewUser, 'username' | 'eligibleRoles'>,
      { version, by, checkMayGrant, isNew = false }: ChangeTerms & { readonly isNew?: boolean } = {},
    ): Promise<ChangedUser> {
      const user = { eligibleRoles: [], ...given, username: normalName(given.username) };
      checkForm(user);
      return unlessLastAdministrator(
        records.change(async (transaction) => {
          const before = await transaction.userByName(user.username);
          checkIsNew(before, isNew);
          checkVersion(before, version);
          const after = before
            ? await edited(transaction, before, user)
            : await created(transaction, user, undefined);
          checkMayGrant?.(...(before ? [before, after] : [after]));
          if (before) checkOwnAccount(by, before, after);
          return written(transaction, before, after);
        }),
      );
    },
    /**
     * What is left out stays.
     *
     * @throws {ProblemError} `invalid_request`, `not_found`, `precondition_failed`, `own_account`, `last_administrator`
     */
    async update(id: string, fields: UserFields, terms?: ChangeTerms): Promise<ChangedUser> {
      checkFields(fields);
      return change(id, terms, (user, transaction) => edited(transaction, user, fields));
    },
    /**
     * @param proven  the account as it was when its present password was proven: only when it still is that
     * @throws {ProblemError} `weak_password`, `not_found`, `precondition_failed`; `conflict` for an account of an upstream
     *   provider, and for one that has changed meanwhile
     */
    async setPassword(
      id: string,
      password: string,
      proven?: Pick<UserRecord, 'tokensValidFrom'>,
      terms?: ChangeTerms,
    ): Promise<ChangedUser> {
      const found = (await this.find(id)) ?? unknownUser();
      checkHasPasswordHere(found);
      const passwordHash = await hashOf(password, found);
      return change(id, terms, ({ isInvited: _isInvited, ...user }) => {
        // Hashing takes time, in which whoever knew the old password may have lost the account.
        if (proven && user.tokensValidFrom !== proven.tokensValidFrom) throw conflict(changedMeanwhile);
        return { ...user, passwordHash };
      });
    },
    /** Keeps the password and replaces its hash by one with today's parameters, unless it has changed meanwhile. */
    async rehash({ id, passwordHash: replaced }: UserRecord, password: string) {
      const passwordHash = await passwords.hash(password);
      await records.changeAsBefore(async (transaction) => {
        const user = await transaction.get('users', id);
        if (user?.passwordHash === replaced) transaction.put('users', { ...user, passwordHash });
      });
    },
    /** @throws {ProblemError} `not_found`, `precondition_failed`, `own_account`, `last_administrator` */
    setDisabled: (id: string, disabled: boolean, terms?: ChangeTerms): Promise<ChangedUser> =>
      change(id, terms, (user) => ({ ...user, disabled })),
    /** @throws {ProblemError} as {@link Users.update}; `invalid_request` for a role that there is not */
    setRoles: (id: string, roles: readonly string[], terms?: ChangeTerms): Promise<ChangedUser> =>
      change(id, terms, (user, transaction) => edited(transaction, user, { roles })),
    /**
     * Ends every session, and makes what was issued until now void, of an account that stays as it is.
     *
     * @throws {ProblemError} `not_found`, `precondition_failed`
     */
    endSessions: (id: string, { version, checkMayGrant }: ChangeTerms = {}): Promise<ChangedUser> =>
      records.change(async (transaction) => {
        const before = (await transaction.get('users', id)) ?? unknownUser();
        checkVersion(before, version);
        checkMayGrant?.(before);
        transaction.voidAccount(before);
        return { before, after: (await transaction.get('users', id)) ?? before };
      }),
    /**
     * @returns the account that is gone
     * @throws {ProblemError} `not_found`, `precondition_failed`, `own_account`, `last_administrator`
     */
    remove: (id: string, { version, by, checkMayGrant }: ChangeTerms = {}): Promise<UserRecord> =>
      unlessLastAdministrator(
        records.change(async (transaction) => {
          const before = (await transaction.get('users', id)) ?? unknownUser();
          checkVersion(before, version);
          checkMayGrant?.(before);
          checkOwnAccount(by, before, undefined);
          transaction.remove('users', id);
          return before;
        }),
      ),
  };

  async function accountValidSince(id: string): Promise<number | undefined> {
    const user = await records.get('users', id);
    return user && sinceOf(user);
  }

  function sinceOf(user: UserRecord): number | undefined {
    const counting = withProvider(user);
    return counting && validSince(counting);
  }

  /** @returns undefined when its provider is switched off or gone */
  function withProvider(user: UserRecord): UserRecord | undefined {
    if (!user.federated) return user;
    const from = accountsValidFrom(user.federated.provider);
    return from === undefined ? undefined : underProvider(user, from);
  }

  async function hashOf(password: string, { username, email }: Pick<NewUser, 'username' | 'email'>) {
    await passwords.check(password, [username, ...(email ? [email] : [])]);
    return passwords.hash(password);
  }
}

function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}
