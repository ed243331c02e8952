/**
 * Users: who may sign in, with which roles. Everything here is an administrator's change, and ends what was
 * issued to the user before (see voiding.ts).
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import { normalName } from '../storage/name-keys.ts';
import { LastAdministratorError, type RecordTransaction } from '../storage/record-store.ts';
import type { UserRecord } from '../storage/records.ts';
import type { Registry } from '../storage/storage.ts';
import type { Passwords } from './passwords.ts';
import { checkRolesGiven } from './roles.ts';
import { checkUsername, isTaken } from './usernames.ts';
import { issueTime, underProvider, validSince } from './validity.ts';
import type { AccountRecords } from './voiding.ts';

export interface UsersDeps {
  readonly records: AccountRecords;
  /** Has the custom roles. */
  readonly registry: Pick<Registry, 'all'>;
  readonly passwords: Passwords;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly accountsValidFrom?: AccountsValidFrom;
}

/**
 * Since when what was issued to accounts of this upstream provider counts, epoch milliseconds; undefined while nothing
 * does. Without it, none of them count.
 */
export type AccountsValidFrom = (provider: string) => number | undefined;

export interface NewUser {
  readonly username: string;
  readonly password: string;
  readonly roles: readonly string[];
  readonly email?: string | undefined;
}

export type Users = ReturnType<typeof createUsers>;

const changedMeanwhile = 'The account has changed meanwhile. Sign in again.';

export function createUsers(deps: UsersDeps) {
  const { records, registry, passwords, newId, now, accountsValidFrom = () => undefined } = deps;

  return {
    find: (id: string): Promise<UserRecord | undefined> => records.get('users', id),
    /** @param username  in any case and any of its Unicode forms */
    findByName: records.userByName,
    /** A page of them; see {@link RecordStore.users}. */
    list: records.users,
    count: (): Promise<number> => records.count('users'),
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
    /** The time to write into what is issued to this account now, epoch seconds: see {@link issueTime}. */
    issueTime: (user: UserRecord, nowMs: number): number => issueTime(withProvider(user) ?? user, nowMs),
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
      return records.change(async (transaction) => {
        if (isFirst && (await transaction.hasUsers())) throw conflict('There is an administrator already.');
        if (await isTaken(transaction, username)) {
          throw conflict(
            `There is a user or a client named ${username} already, or one whose name looks like it.`,
          );
        }
        await checkRolesGiven(transaction, registry, roles);
        const user: UserRecord = {
          id: await newSubject(transaction, newId),
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
      const { username, email, federated } = (await this.find(id)) ?? unknownUser();
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
      await records.changeAsBefore(async (transaction) => {
        const user = await transaction.get('users', id);
        if (user?.passwordHash === replaced) transaction.put('users', { ...user, passwordHash });
      });
    },
    /** @throws {ProblemError} `conflict` when this was the last administrator */
    setDisabled: (id: string, disabled: boolean) => change(id, (user) => ({ ...user, disabled })),
    /** @throws {ProblemError} `invalid_request` for a role that there is not, `conflict` when this was the last administrator */
    setRoles: (id: string, roles: readonly string[]) =>
      change(id, async (user, transaction) => {
        await checkRolesGiven(transaction, registry, roles);
        return { ...user, roles: [...new Set(roles)] };
      }),
    /** @throws {ProblemError} `conflict` when this was the last administrator */
    remove: (id: string) =>
      unlessLastAdministrator(
        records.change(async (transaction) => {
          if (!(await transaction.get('users', id))) unknownUser();
          transaction.remove('users', id);
        }),
      ),
  };

  async function accountValidSince(id: string): Promise<number | undefined> {
    const user = await records.get('users', id);
    const counting = user && withProvider(user);
    return counting && validSince(counting);
  }

  /** @returns undefined when its provider is switched off or gone */
  function withProvider(user: UserRecord): UserRecord | undefined {
    if (!user.federated) return user;
    const from = accountsValidFrom(user.federated.provider);
    return from === undefined ? undefined : underProvider(user, from);
  }

  function change(
    id: string,
    edit: (user: UserRecord, transaction: RecordTransaction) => UserRecord | Promise<UserRecord>,
  ): Promise<void> {
    return unlessLastAdministrator(
      records.change(async (transaction) => {
        const user = (await transaction.get('users', id)) ?? unknownUser();
        transaction.put('users', await edit(user, transaction));
      }),
    );
  }
}

/** Random, and never the id of a client: a subject must name one party only (S14). */
export async function newSubject(
  transaction: Pick<RecordTransaction, 'get'>,
  newId: () => string,
): Promise<string> {
  for (;;) {
    const id = newId();
    if (!(await transaction.get('clients', id)) && !(await transaction.get('users', id))) return id;
  }
}

export const isLastAdministrator = 'This is the last administrator. Make another one first.';

/** @throws {ProblemError} `conflict`, instead of a {@link LastAdministratorError} */
async function unlessLastAdministrator<T>(change: Promise<T>): Promise<T> {
  return change.catch((cause: unknown) => {
    if (!(cause instanceof LastAdministratorError)) throw cause;
    throw new ProblemError(problems.conflict, isLastAdministrator, { cause });
  });
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
