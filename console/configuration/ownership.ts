/** Whose records are, and what was done to them in an emergency. */
import type { AccountRecords } from '../accounts/voiding.ts';
import type { RecordHold, RecordOwner } from '../storage/records.ts';
import type { Storage } from '../storage/storage.ts';
import type { ObjectKind } from './object-kinds.ts';

export interface OwnedObject {
  readonly owner?: RecordOwner | undefined;
  readonly hold?: RecordHold | undefined;
}

/** What is said of a record beside what it is; undefined: as it is, null: nothing any more. */
export interface OwnerChange {
  readonly owner?: RecordOwner | null;
  readonly hold?: RecordHold | null;
}

type Collection = ObjectKind['collection'];

export type Ownership = ReturnType<typeof createOwnership>;

export interface OwnershipDeps extends Pick<Storage, 'registry'> {
  readonly records: AccountRecords;
}

export function createOwnership({ registry, records }: OwnershipDeps) {
  return {
    async find(collection: Collection, id: string): Promise<OwnedObject | undefined> {
      if (collection === 'roles' || collection === 'providers') {
        return registry.get(collection, id) as OwnedObject | undefined;
      }
      if (collection === 'clients') return records.get('clients', id);
      return (await records.userByName(id)) ?? records.get('users', id);
    },
    /** The same; on a store that holds what is changed, its commit hangs on it. */
    async findBound(collection: Collection, id: string): Promise<OwnedObject | undefined> {
      if (collection === 'roles' || collection === 'providers') {
        return registry.get(collection, id) as OwnedObject | undefined;
      }
      return records.changeAsBefore(async (transaction) => {
        if (collection === 'clients') return transaction.get('clients', id);
        return (await transaction.userByName(id)) ?? transaction.get('users', id);
      });
    },
    /** Voids nothing: what it may do is as it was. What is not there any more has no owner. */
    async change(collection: Collection, id: string, wanted: OwnerChange): Promise<void> {
      if (collection === 'roles' || collection === 'providers') {
        return registry.update((transaction) => {
          const found = transaction.get(collection, id);
          if (found) transaction.put(collection, withOwner(found as OwnedObject, wanted) as never);
        });
      }
      await records.changeAsBefore(async (transaction) => {
        if (collection === 'clients') {
          const client = await transaction.get('clients', id);
          if (client) transaction.put('clients', withOwner(client, wanted));
          return;
        }
        const user = (await transaction.userByName(id)) ?? (await transaction.get('users', id));
        if (user) transaction.put('users', withOwner(user, wanted));
      });
    },
  };
}

function withOwner<R extends OwnedObject>(record: R, { owner, hold }: OwnerChange): R {
  const { owner: was, hold: held, ...rest } = record;
  const [after, holds] = [owner === undefined ? was : owner, hold === undefined ? held : hold];
  return { ...rest, ...(after && { owner: after }), ...(holds && { hold: holds }) } as R;
}
