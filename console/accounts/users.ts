/**
 * Users: who may sign in, with which roles. Everything here is an administrator's change, and ends what was
 * issued to the user before (see voiding.ts).
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import { foldedName, normalName } from '../storage/name-keys.ts';
import type { UserRecord } from '../storage/records.ts';
import type { RegistryTransaction } from '../storage/storage.ts';
import type { Passwords } from './passwords.ts';
import { checkRolesExist } from './roles.ts';
import { checkUsername, isTaken } from './usernames.ts';
import { validSince } from './validity.ts';
import type { AccountRegistry } from './voiding.ts';

export interface UsersDeps {
  readonly registry: AccountRegistry;
  readonly passwords: Passwords;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Whether sign-ins of accounts from this upstream provider count; without it, none do. */
  readonly isProviderEnabled?: (id: string) => boolean;
}

export interface NewUser {
  readonly username: string;
  readonly password: string;
  readonly roles: readonly string[];
  readonly email?: string | undefined;
}

export type Users = ReturnType<typeof createUsers>;

const changedMeanwhile = 'The account has changed meanwhile. Sign in again.';

export function createUsers(deps: UsersDeps) {
  const { registry, passwords, newId, now, isProviderEnabled = () => false } = deps;
  let index: { of: ReadonlyMap<string, UserRecord>; byName: Map<string, UserRecord> } | undefined;

  return {
    find: (id: string): UserRecord | undefined => registry.get('users', id),
    findByName: (username: string): UserRecord | undefined => names().get(foldedName(username)),
    list: (): readonly UserRecord[] =>
      [...registry.all('users').values()].sort((a, b) => a.username.localeCompare(b.username)),
    hasAny: (): boolean => registry.all('users').size > 0,
    /** Whether what was issued to this account at that time (epoch seconds) still counts (S34). */
    isStillValid(id: string, issuedAt: number): boolean {
      const since = accountValidSince(id);
      return since !== undefined && issuedAt >= since;
    },
    /** Epoch seconds from which on what was issued to this account counts; undefined while nothing does. */
    validSince: accountValidSince,
    ids: (): Iterable<string> => registry.all('users').keys(),
    /**
     * @param options  `isFirst`: only when there is no user yet, decided inside the transaction
     * @throws {ProblemError} `invalid_request`, `weak_password`, `conflict`
     */
    async add(
      { username: typed, password, roles, email }: NewUser,
      { isFirst = false }: { readonly isFirst?: boolean } = {},
    ): Promise<UserRecord> {
      const username = normalName(typed);
      checkUsername(username);
      if (email !== undefined) checkEmail(email);
      await passwords.check(password, [username, ...(email ? [email] : [])]);
      const passwordHash = await passwords.hash(password);
      return registry.update((transaction) => {
        if (isFirst && transaction.all('users').size > 0)
          throw conflict('There is an administrator already.');
        if (isTaken(transaction, username)) {
          throw conflict(
            `There is a user or a client named ${username} already, or one whose name looks like it.`,
          );
        }
        checkRolesExist(transaction, roles);
        const user: UserRecord = {
          id: newSubject(transaction, newId),
          username,
          ...(email === undefined ? {} : { email }),
          roles: [...new Set(roles)],
          passwordHash,
          disabled: false,
          createdAt: now(),
          tokensValidFrom: now(),
        };
        transaction.put('users', user);
        return user;
      });
    },
    /**
     * @param proven  the account as it was when its present password was proven: only when it still is that
     * @throws {ProblemError} `weak_password`, `not_found`; `conflict` for an account of an upstream provider, and for
     *   one that has changed meanwhile
     */
    async setPassword(id: string, password: string, proven?: UserRecord) {
      const { username, email, federated } = this.find(id) ?? unknownUser();
      if (federated) {
        throw conflict(
          `${username} signs in by the identity provider ${federated.provider}, not by a password here.`,
        );
      }
      await passwords.check(password, [username, ...(email ? [email] : [])]);
      const passwordHash = await passwords.hash(password);
      await change(id, (user) => {
        // Hashing takes time, in which whoever knew the old password may have lost the account.
        if (proven && user.tokensValidFrom !== proven.tokensValidFrom) throw conflict(changedMeanwhile);
        return { ...user, passwordHash };
      });
    },
    /** Keeps the password and replaces its hash by one with today's parameters, unless it has changed meanwhile. */
    async rehash({ id, passwordHash: replaced }: UserRecord, password: string) {
      const passwordHash = await passwords.hash(password);
      await registry.updateAsBefore((transaction) => {
        const user = transaction.get('users', id);
        if (user?.passwordHash === replaced) transaction.put('users', { ...user, passwordHash });
      });
    },
    /** @throws {ProblemError} `conflict` when this was the last administrator */
    setDisabled: (id: string, disabled: boolean) => change(id, (user) => ({ ...user, disabled })),
    /** @throws {ProblemError} `invalid_request` for a role that there is not, `conflict` when this was the last administrator */
    setRoles: (id: string, roles: readonly string[]) =>
      change(id, (user, transaction) => {
        checkRolesExist(transaction, roles);
        return { ...user, roles: [...new Set(roles)] };
      }),
    /** @throws {ProblemError} `conflict` when this was the last administrator */
    async remove(id: string) {
      await registry.update((transaction) => {
        const before = hasAdmin(transaction);
        if (!transaction.remove('users', id)) unknownUser();
        checkAdminRemains(before, transaction);
      });
    },
  };

  function accountValidSince(id: string): number | undefined {
    const user = registry.get('users', id);
    if (user?.federated && !isProviderEnabled(user.federated.provider)) return undefined;
    return user && validSince(user);
  }

  /** Rebuilt only when the collection has been replaced. */
  function names(): Map<string, UserRecord> {
    const users = registry.all('users');
    if (index?.of !== users) {
      index = {
        of: users,
        byName: new Map([...users.values()].map((user) => [foldedName(user.username), user])),
      };
    }
    return index.byName;
  }

  function change(
    id: string,
    edit: (user: UserRecord, transaction: RegistryTransaction) => UserRecord,
  ): Promise<void> {
    return registry.update((transaction) => {
      const before = hasAdmin(transaction);
      transaction.put('users', edit(transaction.get('users', id) ?? unknownUser(), transaction));
      checkAdminRemains(before, transaction);
    });
  }
}

/** Random, and never the id of a client: a subject must name one party only (S14). */
export function newSubject(transaction: RegistryTransaction, newId: () => string): string {
  for (;;) {
    const id = newId();
    if (!transaction.get('clients', id) && !transaction.get('users', id)) return id;
  }
}

/**
 * @param before  a store that never had an administrator has none to lose
 * @throws {ProblemError} `conflict`
 */
export function checkAdminRemains(before: boolean, transaction: RegistryTransaction): void {
  if (!before || hasAdmin(transaction)) return;
  throw conflict('This is the last administrator. Make another one first.');
}

/** Whether there is an administrator who can sign in. */
export function hasAdmin(transaction: RegistryTransaction): boolean {
  for (const user of transaction.all('users').values()) {
    if (!user.disabled && user.roles.includes('Admin') && isProviderOf(user, transaction)) return true;
  }
  return false;
}

function isProviderOf({ federated }: UserRecord, transaction: RegistryTransaction): boolean {
  return !federated || transaction.get('providers', federated.provider)?.enabled === true;
}

export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>"',;]+@[^\s@<>"',;]+$/.test(text);
}

function checkEmail(email: string): void {
  if (!isEmail(email)) throw new ProblemError(problems.invalidRequest, 'This is not an e-mail address.');
}

function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}

function unknownUser(): never {
  throw new ProblemError(problems.notFound, 'There is no such user.');
}
