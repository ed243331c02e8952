import type { KeyHash } from './key-hash.ts';
import type { LiveMap } from './live-map.ts';
import { costOfParts, type Memory } from './memory.ts';
import { PackedEntries } from './packed-entries.ts';

export interface PackedMapDeps {
  readonly memory: Memory;
  readonly hashOf: KeyHash;
}

/** For entries that stay until they are removed. */
export function createPackedMap({ memory, hashOf }: PackedMapDeps): LiveMap {
  const entries = new PackedEntries(hashOf);
  let bytes = 0;

  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key),
    peek: (key) => entries.get(key),
    costAt: (key) => entries.costAt(key),

    put(key, value) {
      const replacedCost = entries.costAt(key);
      entries.set(key, value);
      bytes += costOfParts(key, value.contentType, value.bytes.length) - replacedCost;
      memory.give(replacedCost);
    },

    remove(key) {
      const cost = entries.costAt(key);
      if (!entries.delete(key)) return false;
      bytes -= cost;
      memory.give(cost);
      return true;
    },

    clear() {
      entries.clear();
      memory.give(bytes);
      bytes = 0;
    },

    entries: () => entries.entries(),
    sweep: undefined,
  };
}
