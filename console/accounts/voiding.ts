/**
 * The one place that voids an account (S34): whoever changes roles, password, status or provider of a user
 * writes through this store, and what was issued before ends with it: tokens by a mark that the same commit
 * writes, sessions and grants here after it, and by the notices that the end of a session sends, at every
 * application. No caller has to think of it.
 */
import type {
  GrowingCollection,
  GrowingRecords,
  RecordStore,
  RecordTransaction,
} from '../storage/record-store.ts';
import type { ProviderRecord, UserRecord } from '../storage/records.ts';
import { validFrom, validSince } from './validity.ts';
import { putVoidMark, voidMarkSeconds } from './void-marks.ts';

export interface AccountTransaction extends RecordTransaction {
  /** Voids an account of which nothing has changed: its provider has been switched. */
  voidAccount(user: UserRecord): void;
}

export interface AccountRecords extends RecordStore {
  /** As {@link RecordStore.change}, and resolves when what was voided has ended. */
  change<T>(work: (transaction: AccountTransaction) => Promise<T>): Promise<T>;
  /** For what changes nothing about who somebody is or what they may do: nothing is voided. */
  readonly changeAsBefore: RecordStore['change'];
}

export interface VoidingDeps {
  readonly records: RecordStore;
  /** Ends every session of an account, and what was issued under it, and tells the applications. */
  readonly endSessionsOf: (accountId: string) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createAccountRecords({ records, endSessionsOf, now }: VoidingDeps): AccountRecords {
  return {
    ...records,
    changeAsBefore: records.change,
    async change(work) {
      let voided: ReadonlySet<string> = new Set();
      const result = await records.change(async (transaction) => {
        const watched = watch(transaction, now);
        const done = await work(watched.transaction);
        voided = await watched.settle();
        return done;
      });
      for (const id of voided) await endSessionsOf(id);
      return result;
    },
  };
}

/** Holds writes of users back until what they were before has been read. */
function watch(transaction: RecordTransaction, now: () => number) {
  const pending = new Map<string, { readonly user: UserRecord; readonly isVoided: boolean }>();
  const voided = new Set<string>();

  async function settleOne(id: string): Promise<void> {
    const write = pending.get(id);
    if (!write) return;
    pending.delete(id);
    const before = await transaction.get('users', id);
    const isVoided = before !== undefined && (write.isVoided || !isSameAccount(before, write.user));
    const user = before && !write.isVoided ? { ...write.user, updatedAt: now() } : write.user;
    transaction.put('users', isVoided ? voidedAccount(before, user) : user);
  }

  function voidedAccount(before: UserRecord, after: UserRecord): UserRecord {
    const user = { ...after, tokensValidFrom: validFrom(before, now()) };
    recordVoid(user.id, validSince(user));
    return user;
  }

  /** @param from  epoch seconds; undefined: nothing counts */
  function recordVoid(id: string, from: number | undefined): void {
    voided.add(id);
    const until = Math.max(Math.ceil(now() / 1000), from ?? 0) + voidMarkSeconds;
    putVoidMark(transaction, { party: 'account', id, from, until });
  }

  const watched: AccountTransaction = {
    ...transaction,
    async get<C extends GrowingCollection>(
      collection: C,
      id: string,
    ): Promise<GrowingRecords[C] | undefined> {
      if (collection === 'users') await settleOne(id);
      return transaction.get(collection, id);
    },
    put(collection, record) {
      if (collection !== 'users') return transaction.put(collection, record);
      pending.set(record.id, { user: record as UserRecord, isVoided: false });
    },
    remove(collection, id) {
      if (collection === 'users') {
        pending.delete(id);
        recordVoid(id, undefined);
      }
      transaction.remove(collection, id);
    },
    voidAccount: (user) => void pending.set(user.id, { user, isVoided: true }),
  };
  return {
    transaction: watched,
    /** @returns the accounts that are void when this is committed */
    async settle(): Promise<ReadonlySet<string>> {
      for (const id of [...pending.keys()]) await settleOne(id);
      return voided;
    },
  };
}

/**
 * A provider that is switched, whichever way: what was issued to its accounts before, or in the moment of the change,
 * must not come back to life. No record of theirs is touched by it.
 *
 * @param nowMs  epoch milliseconds
 */
export function switchedProvider(record: ProviderRecord, enabled: boolean, nowMs: number): ProviderRecord {
  const tokensValidFrom = record.accountsValidFrom ?? 0;
  return { ...record, enabled, accountsValidFrom: validFrom({ tokensValidFrom }, nowMs) };
}

function isSameAccount(before: UserRecord, after: UserRecord): boolean {
  return (
    before.passwordHash === after.passwordHash &&
    before.disabled === after.disabled &&
    before.roles.length === after.roles.length &&
    before.roles.every((role) => after.roles.includes(role)) &&
    before.federated?.provider === after.federated?.provider &&
    before.federated?.subject === after.federated?.subject
  );
}
