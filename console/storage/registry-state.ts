/** The registry's content as every implementation keeps it in memory, and how a change makes the next one. */
import { type Collection, collections, type RegistryRecords } from './records.ts';
import type { RegistryTransaction } from './storage.ts';

/** Never changed in place: a change shares the collections that it does not touch. */
export type RegistryState = {
  readonly [C in Collection]: ReadonlyMap<string, RegistryRecords[C]>;
};

export interface Change<T> {
  readonly next: RegistryState;
  readonly changed: ReadonlySet<Collection>;
  readonly result: T;
}

export function emptyState(): RegistryState {
  return {
    keys: new Map(),
    providers: new Map(),
    roles: new Map(),
    settings: new Map(),
  };
}

/**
 * Runs `change` on a draft of `state`; `state` itself stays as it is, also when `change` throws.
 *
 * @throws {TypeError} when `change` is asynchronous or keeps the transaction for later
 */
export function changeState<T>(
  state: RegistryState,
  change: (transaction: RegistryTransaction) => T,
): Change<T> {
  const drafts = new Map<Collection, Map<string, RegistryRecords[Collection]>>();
  let isOpen = true;
  const read = <C extends Collection>(collection: C) => {
    if (!isOpen) throw new TypeError('the registry transaction has ended');
    return (drafts.get(collection) ?? state[collection]) as ReadonlyMap<string, RegistryRecords[C]>;
  };
  const draft = (collection: Collection) => {
    const found = drafts.get(collection) ?? new Map(read(collection));
    drafts.set(collection, found);
    return found;
  };

  const transaction: RegistryTransaction = {
    get: (collection, id) => read(collection).get(id),
    // A copy, so that a loop over it may put and remove.
    all: (collection) => new Map(read(collection)),
    put(collection, record) {
      read(collection);
      draft(collection).set(record.id, frozenCopy(record));
    },
    remove: (collection, id) => read(collection).has(id) && draft(collection).delete(id),
  };

  try {
    const result = change(transaction);
    if (result instanceof Promise) throw new TypeError('a registry change must be synchronous');
    return { next: { ...state, ...Object.fromEntries(drafts) }, changed: new Set(drafts.keys()), result };
  } finally {
    isOpen = false;
  }
}

/** Which collections differ between two states that were read independently of each other. */
export function differingCollections(one: RegistryState, other: RegistryState): Set<Collection> {
  return new Set(collections.filter((collection) => !holdSame(one[collection], other[collection])));
}

function holdSame(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  if (one === other) return true;
  return one.size === other.size && JSON.stringify([...one]) === JSON.stringify([...other]);
}

/** What a record looks like after a trip through the store, and frozen all the way down. */
function frozenCopy<T>(record: T): T {
  return deepFreeze(JSON.parse(JSON.stringify(record)) as T);
}

/** Freezes parsed JSON, which holds no cycles. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
