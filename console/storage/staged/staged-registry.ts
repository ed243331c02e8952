/** The registry as it would be: changed on a copy, over the state of when it was first looked at. */

import type { RegistryPart } from '../record-engine.ts';
import { type Collection, collections } from '../records.ts';
import { changeState, type RegistryState } from '../registry-state.ts';
import { collectionVersion, writesBetween } from '../registry-writes.ts';
import type { Registry } from '../storage.ts';
import { createStagedListeners } from './staged-listeners.ts';

export interface StagedRegistry extends Registry {
  /** What has been changed, and on what it was decided. */
  part(): RegistryPart;
  /** Whether the record of this id is not that of the base any more. */
  isChanged(collection: Collection, id: string): boolean;
}

export function createStagedRegistry(base: Registry): StagedRegistry {
  const before = Object.fromEntries(
    collections.map((collection) => [collection, base.all(collection)]),
  ) as RegistryState;
  const versions = new Map<Collection, string>();
  const listeners = createStagedListeners<ReadonlySet<Collection>>();
  let state = before;

  return {
    get: (collection, id) => state[collection].get(id),
    all: (collection) => state[collection],
    async update(change, guard) {
      await guard?.();
      const { next, changed, result } = changeState(state, change);
      state = next;
      if (changed.size > 0) listeners.emit(changed);
      return result;
    },
    onChange: listeners.add,
    isChanged: (collection, id) => state[collection].get(id) !== before[collection].get(id),
    part() {
      const writes = writesBetween(before, state);
      const touched = new Set(writes.map(({ collection }) => collection));
      return {
        expected: [...touched].map((collection) => ({ collection, version: versionOf(collection) })),
        writes,
      };
    },
  };

  function versionOf(collection: Collection): string {
    const known = versions.get(collection) ?? collectionVersion({ all: (of) => before[of] }, collection);
    versions.set(collection, known);
    return known;
  }
}
