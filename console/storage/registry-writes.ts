/** Changes of the registry as data. */
import { createHash } from 'node:crypto';
import { type Collection, collections, type ProviderRecord, type RegistryWrite } from './records.ts';
import { deepFreeze, type RegistryState } from './registry-state.ts';
import type { Registry, RegistryTransaction } from './storage.ts';

export function writesBetween(before: RegistryState, after: RegistryState): RegistryWrite[] {
  return collections.flatMap((collection) => {
    const [was, is] = [before[collection], after[collection]];
    if (was === is) return [];
    const gone = [...was.keys()].filter((id) => !is.has(id)).map((id) => ({ collection, id }));
    const changed = [...is].filter(([id, record]) => was.get(id) !== record);
    return [...gone, ...changed.map(([id, record]) => ({ collection, id, record }))];
  });
}

/** @param state  stays as it is */
export function withWrites(state: RegistryState, writes: readonly RegistryWrite[]): RegistryState {
  const drafts = new Map<string, Map<string, unknown>>();
  for (const { collection, id, record } of writes) {
    const draft = drafts.get(collection) ?? new Map<string, unknown>(state[collection]);
    drafts.set(collection, draft);
    if (record) draft.set(id, deepFreeze(record));
    else draft.delete(id);
  }
  return { ...state, ...Object.fromEntries(drafts) };
}

export function applyWrites(transaction: RegistryTransaction, writes: readonly RegistryWrite[]): void {
  for (const { collection, id, record } of writes) {
    if (record) transaction.put(collection, record);
    else transaction.remove(collection, id);
  }
}

/** By what it says: each process has objects of its own. */
export function collectionVersion(source: Pick<Registry, 'all'>, collection: Collection): string {
  const all = [...source.all(collection).values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(all)).digest('base64url');
}

/** As they will be. */
export function providersAfter(
  { all }: Pick<Registry, 'all'>,
  writes: readonly RegistryWrite[],
): ReadonlyMap<string, ProviderRecord> {
  const providers = new Map(all('providers'));
  for (const { collection, id, record } of writes) {
    if (collection !== 'providers') continue;
    if (record) providers.set(id, record as ProviderRecord);
    else providers.delete(id);
  }
  return providers;
}
