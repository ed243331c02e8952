import type { EvictionConfig, MapConfig } from '../config/config.ts';
import { type EntryWatch, type WatchedEntry, watchFor } from './entry-watch.ts';
import { costOf, type Memory } from './memory.ts';
import { type HeldValue, ownText } from './values.ts';

/** The entries of one map in memory, and what of them is over or in the way. */
export interface LiveMap {
  readonly size: number;
  /** Counts as a use. */
  get(key: string): HeldValue | undefined;
  /** What is there, over or not; no use. */
  peek(key: string): HeldValue | undefined;
  /**
   * Stores what `memory` has been taken for already, and gives back what it replaces. Evicts what no
   * longer fits.
   *
   * @param writtenAt  epoch milliseconds
   */
  put(key: string, value: HeldValue, writtenAt: number): void;
  /** @returns whether there was one */
  remove(key: string): boolean;
  clear(): void;
  /** What holds now, in the order of first writing; entries may come and go between two steps. */
  entries(): Iterable<readonly [key: string, value: HeldValue]>;
  /** Drops what is over, one look a step; `undefined` when nothing ever is. */
  sweep: (() => Iterator<void>) | undefined;
}

export interface LiveMapDeps {
  readonly config: MapConfig;
  readonly memory: Memory;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Hears of each entry that expired or was evicted. */
  readonly dropped: (key: string) => void;
}

export function createLiveMap({ config, memory, now, dropped }: LiveMapDeps): LiveMap {
  const entries = new Map<string, HeldValue>();
  const watch = watchFor(config, now);
  let bytes = 0;

  function forget(key: string, entry: HeldValue): void {
    const cost = costOf(key, entry);
    entries.delete(key);
    bytes -= cost;
    memory.give(cost);
    watch?.unwatch(entry as WatchedEntry);
  }

  function drop(key: string, entry: HeldValue): void {
    forget(key, entry);
    dropped(key);
  }

  function evictFor(kept: WatchedEntry, { victim }: EntryWatch): void {
    while (isTooLarge(config.eviction, { entries: entries.size, bytes, memory })) {
      const entry = victim(kept);
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
      if (entry === undefined || watch === undefined) return entry;
      if (watch.isOver(entry as WatchedEntry)) {
        drop(key, entry);
        return undefined;
      }
      watch.used(entry as WatchedEntry);
      return entry;
    },

    peek: (key) => entries.get(key),

    put(key, value, writtenAt) {
      const cost = costOf(key, value);
      const replaced = entries.get(key);
      if (replaced !== undefined) {
        const replacedCost = costOf(key, replaced);
        memory.give(replacedCost);
        bytes -= replacedCost;
        watch?.unwatch(replaced as WatchedEntry);
      }
      bytes += cost;
      const ownKey = replaced === undefined || watch !== undefined ? ownText(key) : key;
      const entry = watch === undefined ? value : watch.watch(ownKey, value, writtenAt);
      entries.set(ownKey, entry);
      if (watch !== undefined) evictFor(entry as WatchedEntry, watch);
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
        if (!watch?.isOver(pair[1] as WatchedEntry)) yield pair;
      }
    },

    sweep: watch && sweepEach,
  };

  function* sweepEach(): Generator<void> {
    for (const [key, entry] of entries) {
      if (watch?.isOver(entry as WatchedEntry)) drop(key, entry);
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
