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
import { mayHold } from './elevations/effective-roles.ts';
import { causeOf, type ElevationEnd, elevationArtifact } from './elevations/elevation-record.ts';
import { dropPins } from './pins.ts';
import { validFrom, validSince } from './validity.ts';
import { putVoidMark, voidMarkSeconds } from './void-marks.ts';

export interface AccountTransaction extends RecordTransaction {
  /** Voids an account of which nothing has changed: its provider has been switched. */
  voidAccount(user: UserRecord): void;
  /** Ends the elevation of an account, and with it what was issued to the account. */
  endElevation(user: UserRecord, end: Omit<ElevationEnd, 'at'>): void;
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

interface PendingWrite {
  readonly user: UserRecord;
  readonly isVoided: boolean;
  /** Of its elevation, where that is what is asked for. */
  readonly end?: Omit<ElevationEnd, 'at'>;
}

/** Holds writes of users back until what they were before has been read. */
function watch(transaction: RecordTransaction, now: () => number) {
  const pending = new Map<string, PendingWrite>();
  /** Of accounts that were read: who removes one has read it. */
  const elevated = new Map<string, UserRecord>();
  const voided = new Set<string>();

  async function settleOne(id: string): Promise<void> {
    const write = pending.get(id);
    if (!write) return;
    pending.delete(id);
    const before = await transaction.get('users', id);
    const held = before ? withoutLostElevation(before, write.user) : write.user;
    const isVoided = before !== undefined && (write.isVoided || !isSameAccount(before, held));
    const isEdited = before !== undefined && !write.isVoided && !isSameBut(before, held);
    const user = isEdited ? { ...held, updatedAt: now() } : held;
    recordEnd(id, before, user, write.end);
    transaction.put('users', isVoided ? voidedAccount(before, user) : user);
  }

  function voidedAccount(before: UserRecord, after: UserRecord): UserRecord {
    const user = { ...after, tokensValidFrom: validFrom(before, now()) };
    recordVoid(user.id, validSince(user));
    return user;
  }

  /** With the account's own change in one commit, whichever change it is. */
  function recordEnd(
    id: string,
    before: UserRecord | undefined,
    after: UserRecord | undefined,
    end: Omit<ElevationEnd, 'at'> | undefined,
  ): void {
    const { elevation: was } = before ?? {};
    if (was === undefined || was.id === after?.elevation?.id) return;
    const { cause = causeOf(before, after), by } = end ?? {};
    const { artifact, ...name } = elevationArtifact({ ...was, user: id, end: { at: now(), cause, by } });
    transaction.putArtifact(name, artifact);
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
      const found = await transaction.get(collection, id);
      if (found && 'elevation' in found) elevated.set(id, found);
      return found;
    },
    put(collection, record) {
      if (collection !== 'users') return transaction.put(collection, record);
      pending.set(record.id, { user: record as UserRecord, isVoided: false });
    },
    remove(collection, id) {
      if (collection === 'users') {
        pending.delete(id);
        recordVoid(id, undefined);
        recordEnd(id, elevated.get(id), undefined, undefined);
        dropPins(transaction, id, now());
      }
      transaction.remove(collection, id);
    },
    voidAccount: (user) => void pending.set(user.id, { user, isVoided: true }),
    endElevation({ elevation: _elevation, ...user }, end) {
      pending.set(user.id, { user, isVoided: true, end });
    },
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

/** Who may not hold it any more has lost it, and so has who has another password than the one by which they took it. */
function withoutLostElevation(before: UserRecord, { elevation, ...after }: UserRecord): UserRecord {
  const isProvenAnew = after.passwordHash !== before.passwordHash;
  return elevation === undefined || isProvenAnew || !mayHold(after, elevation)
    ? after
    : { ...after, elevation };
}

/** An elevation that begins changes nothing of what an administrator has said. */
function isSameBut({ elevation: _was, ...before }: UserRecord, { elevation: _is, ...after }: UserRecord) {
  return JSON.stringify(before) === JSON.stringify(after);
}

function isSameAccount(before: UserRecord, after: UserRecord): boolean {
  return (
    before.passwordHash === after.passwordHash &&
    before.disabled === after.disabled &&
    (before.elevation === undefined || before.elevation.id === after.elevation?.id) &&
    before.roles.length === after.roles.length &&
    before.roles.every((role) => after.roles.includes(role)) &&
    before.federated?.provider === after.federated?.provider &&
    before.federated?.subject === after.federated?.subject
  );
}
