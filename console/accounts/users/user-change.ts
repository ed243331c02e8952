/** One change of one account: on which terms it is made, and what became of it. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import { LastAdministratorError, type RecordTransaction } from '../../storage/record-store.ts';
import { checkVersion } from '../../storage/record-version.ts';
import type { UserRecord } from '../../storage/records.ts';
import type { NamedArtifact } from '../../storage/storage.ts';
import type { AccountRecords, AccountTransaction } from '../voiding.ts';
import { checkOwnAccount } from './user-rules.ts';

/** On what a change depends besides the account. */
export interface ChangeTerms {
  /** Only when the account still is of that version (record-version.ts). */
  readonly version?: string | undefined;
  /** Subject of the person who makes the change. */
  readonly by?: string | undefined;
  /** Of what the account has before and after: nobody gives, changes or ends more than they have. */
  readonly checkMayGrant?:
    | ((...these: readonly Pick<UserRecord, 'roles' | 'eligibleRoles'>[]) => void)
    | undefined;
  /** What the same commit stores, such as the entry of the change; asked again where the change is tried again. */
  readonly storedWith?: ((changed: ChangedUser) => readonly NamedArtifact[]) | undefined;
}

export interface ChangedUser {
  /** Absent: it has been added. */
  readonly before?: UserRecord | undefined;
  readonly after: UserRecord;
}

/** @throws {ProblemError} `not_found`, `precondition_failed`, `own_account`, `last_administrator`, and as `edit` */
export function createChange(records: AccountRecords) {
  return (
    id: string,
    { version, by, checkMayGrant, storedWith }: ChangeTerms = {},
    edit: (user: UserRecord, transaction: RecordTransaction) => UserRecord | Promise<UserRecord>,
  ): Promise<ChangedUser> =>
    unlessLastAdministrator(
      records.change(async (transaction) => {
        const before = (await transaction.get('users', id)) ?? unknownUser();
        checkVersion(before, version);
        const after = await edit(before, transaction);
        checkMayGrant?.(before, after);
        checkOwnAccount(by, before, after);
        const changed = await written(transaction, before, after);
        for (const { artifact, ...name } of storedWith?.(changed) ?? [])
          transaction.putArtifact(name, artifact);
        return changed;
      }),
    );
}

/** What has not changed is not written. @returns the account as it is stored: with what its change has voided */
export async function written(
  transaction: AccountTransaction,
  before: UserRecord | undefined,
  after: UserRecord,
): Promise<ChangedUser> {
  const record: UserRecord = JSON.parse(JSON.stringify(after));
  if (before && isSame(before, record)) return { before, after: before };
  transaction.put('users', record);
  return { before, after: (await transaction.get('users', record.id)) ?? record };
}

function isSame(one: object, other: object): boolean {
  const sorted = (record: object) =>
    JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(one) === sorted(other);
}

export const isLastAdministrator = 'This is the last administrator. Make another one first.';

/** @throws {ProblemError} `last_administrator`, instead of a {@link LastAdministratorError} */
export async function unlessLastAdministrator<T>(change: Promise<T>): Promise<T> {
  return change.catch((cause: unknown) => {
    if (!(cause instanceof LastAdministratorError)) throw cause;
    throw new ProblemError(problems.lastAdministrator, isLastAdministrator, { cause });
  });
}

/** @throws {ProblemError} `conflict` */
export function checkHasPasswordHere({ username, federated }: UserRecord): void {
  if (!federated) return;
  const detail = `${username} signs in by the identity provider ${federated.provider}, not by a password here.`;
  throw new ProblemError(problems.conflict, detail);
}

export function unknownUser(): never {
  throw new ProblemError(problems.notFound, 'There is no such user.');
}
