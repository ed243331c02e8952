/**
 * The one place that voids an account (S34): whoever changes roles, password, status or provider of a user
 * writes through this registry, and what was issued before ends with it: sessions, grants and tokens here, and
 * by the notices that the end of a session sends, at every application. No caller has to think of it.
 */
import type { Collection, RegistryRecords, UserRecord } from '../storage/records.ts';
import type { Registry, RegistryTransaction } from '../storage/storage.ts';
import { validFrom } from './validity.ts';

export interface AccountRegistry extends Registry {
  /** For what changes nothing about who somebody is or what they may do: nothing is voided. */
  readonly updateAsBefore: Registry['update'];
}

export interface VoidingDeps {
  readonly registry: Registry;
  /** Ends every session of an account, and what was issued under it, and tells the applications. */
  readonly endSessionsOf: (accountId: string) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Its `update` resolves when what was voided has ended. */
export function createAccountRegistry({ registry, endSessionsOf, now }: VoidingDeps): AccountRegistry {
  return {
    get: registry.get,
    all: registry.all,
    onChange: registry.onChange,
    updateAsBefore: registry.update,
    async update(change) {
      let voided: string[] = [];
      const result = await registry.update((transaction) => {
        voided = [];
        return change(watched(transaction, (id) => void voided.push(id)));
      });
      for (const id of new Set(voided)) await endSessionsOf(id);
      return result;
    },
  };

  function watched(transaction: RegistryTransaction, onVoided: (id: string) => void): RegistryTransaction {
    return {
      get: transaction.get,
      all: transaction.all,
      put(collection, record) {
        const before = transaction.get(collection, record.id);
        transaction.put(collection, before ? changed(collection, before, record) : record);
      },
      remove(collection, id) {
        if (collection === 'users') onVoided(id);
        if (collection === 'providers') voidAccountsOf(id);
        return transaction.remove(collection, id);
      },
    };

    function changed<C extends Collection>(
      collection: C,
      before: RegistryRecords[C],
      after: RegistryRecords[C],
    ): RegistryRecords[C] {
      if (isSwitched(collection, before, after)) voidAccountsOf(after.id);
      if (collection !== 'users') return after;
      const [was, is] = [before as UserRecord, after as UserRecord];
      return isSameAccount(was, is) ? after : (voidedAccount(was, is) as RegistryRecords[C]);
    }

    function voidAccountsOf(provider: string): void {
      for (const user of transaction.all('users').values()) {
        if (user.federated?.provider === provider) transaction.put('users', voidedAccount(user, user));
      }
    }

    function voidedAccount(before: UserRecord, after: UserRecord): UserRecord {
      onVoided(before.id);
      return { ...after, tokensValidFrom: validFrom(before, now()) };
    }
  }
}

/** Both ways: what was issued before, or in the moment of the change, must not come back to life. */
function isSwitched<C extends Collection>(
  collection: C,
  before: RegistryRecords[C],
  after: RegistryRecords[C],
): boolean {
  if (collection !== 'providers') return false;
  return (before as RegistryRecords['providers']).enabled !== (after as RegistryRecords['providers']).enabled;
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
