/** Changes of the registry as data. */
import { collections } from '../../records.ts';
import type { RegistryTransaction } from '../../storage.ts';
import { deepFreeze, type RegistryState } from '../registry/registry-state.ts';
import type { RegistryWrite } from './messages.ts';

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
