import type { EvictionConfig, MapConfig } from '../config/config.ts';
import type { EntryWatch, WatchedEntry } from './entry-watch.ts';
import type { LiveMap } from './live-map.ts';
import { costOf, type Memory } from './memory.ts';
import { hold, ownText } from './values.ts';

export interface WatchedMapDeps {
  readonly config: Pick<MapConfig, 'eviction'>;
  readonly watch: EntryWatch;
  readonly memory: Memory;
  /** Hears of each entry that expired or was evicted. */
  readonly dropped: (key: string) => void;
}

/** For entries that expire or are evicted. */
export function createWatchedMap({ config, watch, memory, dropped }: WatchedMapDeps): LiveMap {
  const entries = new Map<string, WatchedEntry>();
  let bytes = 0;

  function forget(key: string, entry: WatchedEntry): void {
    const cost = costOf(key, entry);
    entries.delete(key);
    bytes -= cost;
    memory.give(cost);
    watch.unwatch(entry);
  }

  function drop(key: string, entry: WatchedEntry): void {
    forget(key, entry);
    dropped(key);
  }

  function evictFor(kept: WatchedEntry): void {
    while (isTooLarge(config.eviction, { entries: entries.size, bytes, memory })) {
      const entry = watch.victim(kept);
      if (entry === undefined) return;
      drop(entry.key, entry);
    }
  }

  return {
    get size() {
      return entries.size;
    },

    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (watch.isOver(entry)) {
        drop(key, entry);
        return undefined;
      }
      watch.used(entry);
      return entry;
    },

    peek: (key) => entries.get(key),

    costAt(key) {
      const entry = entries.get(key);
      return entry === undefined ? 0 : costOf(key, entry);
    },

    put(key, value, writtenAt) {
      const replaced = entries.get(key);
      if (replaced !== undefined) {
        const replacedCost = costOf(key, replaced);
        memory.give(replacedCost);
        bytes -= replacedCost;
        watch.unwatch(replaced);
      }
      const entry = watch.watch(ownText(key), hold(value), writtenAt);
      bytes += costOf(key, entry);
      entries.set(entry.key, entry);
      evictFor(entry);
    },

    remove(key) {
      const entry = entries.get(key);
      if (entry === undefined) return false;
      forget(key, entry);
      return true;
    },

    clear() {
      for (const [key, entry] of entries) forget(key, entry);
    },

    *entries() {
      let left = entries.size; // what is added from now on comes behind these
      for (const pair of entries) {
        if (left === 0) return;
        left -= 1;
        if (!watch.isOver(pair[1])) yield pair;
      }
    },

    sweep: sweepEach,
  };

  function* sweepEach(): Generator<void> {
    for (const [key, entry] of entries) {
      if (watch.isOver(entry)) drop(key, entry);
      yield;
    }
  }
}

interface Size {
  readonly entries: number;
  /** Of this map. */
  readonly bytes: number;
  readonly memory: Memory;
}

const mebibyte = 1024 * 1024;

function isTooLarge(
  { policy, maxSizePolicy, size }: EvictionConfig,
  { entries, bytes, memory }: Size,
): boolean {
  if (policy === 'NONE' || size === 0) return false;
  const freeBytes = memory.capBytes - memory.usedBytes;
  switch (maxSizePolicy) {
    case 'PER_NODE':
      return entries > size;
    case 'USED_HEAP_SIZE':
      return bytes > size * mebibyte;
    case 'USED_HEAP_PERCENTAGE':
      return bytes > (memory.capBytes * size) / 100;
    case 'FREE_HEAP_SIZE':
      return freeBytes < size * mebibyte;
    case 'FREE_HEAP_PERCENTAGE':
      return freeBytes < (memory.capBytes * size) / 100;
  }
}
