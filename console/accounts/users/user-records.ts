/** What a new account looks like, and one that has been changed: decided inside the transaction that writes them. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { RecordTransaction } from '../../storage/record-store.ts';
import type { UserRecord } from '../../storage/records.ts';
import type { Registry } from '../../storage/storage.ts';
import { unknownPassword } from '../passwords.ts';
import { checkRolesGiven } from '../roles.ts';
import { checkUsername, isTaken } from '../usernames.ts';
import { checkDisplayName, checkEmail } from './user-rules.ts';

/** What may be said of a user, null for nothing. */
export interface UserFields {
  readonly name?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly eligibleRoles?: readonly string[] | undefined;
}

export interface NewUser extends UserFields {
  readonly username: string;
  /** Absent: the person chooses one, by a link (users/invitations.ts). */
  readonly password?: string | undefined;
}

export interface UserRecordsDeps {
  /** Has the custom roles. */
  readonly registry: Pick<Registry, 'all'>;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createUserRecords({ registry, newId, now }: UserRecordsDeps) {
  return {
    async created(
      transaction: RecordTransaction,
      { username, name, email, roles = [], eligibleRoles = [] }: NewUser,
      passwordHash: string | undefined,
    ): Promise<UserRecord> {
      if (await isTaken(transaction, username)) {
        const detail = `There is a user or a client named ${username} already, or one whose name looks like it.`;
        throw new ProblemError(problems.alreadyExists, detail);
      }
      await checkRolesGiven(transaction, registry, [...roles, ...eligibleRoles]);
      return {
        id: await newSubject(transaction, newId),
        username,
        ...(email == null ? {} : { email }),
        ...(name == null ? {} : { name }),
        roles: [...new Set(roles)],
        ...(eligibleRoles.length > 0 && { eligibleRoles: [...new Set(eligibleRoles)] }),
        passwordHash: passwordHash ?? unknownPassword(),
        disabled: false,
        ...(passwordHash === undefined ? { isInvited: true } : {}),
        createdAt: now(),
        tokensValidFrom: now(),
      };
    },
    async edited(
      transaction: RecordTransaction,
      user: UserRecord,
      { name, email, roles, eligibleRoles }: UserFields,
    ): Promise<UserRecord> {
      await checkRolesGiven(transaction, registry, [...(roles ?? []), ...(eligibleRoles ?? [])]);
      return {
        ...withEmail(user, email),
        ...(name === undefined ? {} : { name: name ?? undefined }),
        ...(roles ? { roles: sameOrNew(user.roles, roles) } : {}),
        ...(eligibleRoles ? { eligibleRoles: eligibleNow(user, eligibleRoles) } : {}),
      } as UserRecord;
    },
  };
}

/** Nobody has verified an address that an administrator writes down. */
function withEmail(user: UserRecord, email: string | null | undefined): UserRecord {
  if (email === undefined || email === (user.email ?? null)) return user;
  const { email: _email, isEmailVerified: _isEmailVerified, ...rest } = user;
  return email === null ? rest : { ...rest, email };
}

/** Another order of the same roles is no change. */
function sameOrNew(before: readonly string[], given: readonly string[]): readonly string[] {
  const after = [...new Set(given)];
  const isSame = after.length === before.length && after.every((role) => before.includes(role));
  return isSame ? before : after;
}

/** One that has none says nothing of it. */
function eligibleNow({ eligibleRoles = [] }: UserRecord, given: readonly string[]) {
  const after = sameOrNew(eligibleRoles, given);
  return after.length === 0 ? undefined : after;
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

/** @throws {ProblemError} `invalid_request` */
export function checkForm({ username, ...fields }: NewUser): void {
  checkUsername(username);
  checkFields(fields);
}

/** @throws {ProblemError} `invalid_request` */
export function checkFields({ name, email }: UserFields): void {
  checkEmail(email);
  checkDisplayName(name);
}
