import type { EvictionConfig, MapConfig } from '../config/config.ts';
import { type Entry, type EntryWatch, watchFor } from './entry-watch.ts';
import { costOf, type Memory } from './memory.ts';
import { type HeldValue, hold, ownText, type StoredValue } from './values.ts';

/** The entries of one map in memory, and what of them is over or in the way. */
export interface LiveMap {
  readonly size: number;
  /** Counts as a use. */
  get(key: string): HeldValue | undefined;
  /** What is there, over or not; no use. */
  peek(key: string): HeldValue | undefined;
  /** What the entry that is there takes of `memory`; 0 when there is none. */
  costAt(key: string): number;
  /**
   * Stores what `memory` has been taken for already, and gives back what it replaces. Of a large value the bytes are
   * kept as they are: nobody may write to them afterwards.
   *
   * @param writtenAt  epoch milliseconds
   */
  put(key: string, value: StoredValue, writtenAt: number): void;
  /** Evicts what no longer fits, but for the entry that is just written. */
  evict(spared?: string): void;
  /** @returns whether there was one */
  remove(key: string): boolean;
  clear(): void;
  /**
   * What holds now. Entries may come and go between two steps: one that is there from the first to the last is
   * met once.
   */
  entries(): Iterable<readonly [key: string, value: Entry]>;
  /** Drops what is over, one look a step; `undefined` when nothing ever is. */
  readonly sweep: (() => Iterator<void>) | undefined;
}

export interface LiveMapDeps {
  readonly config: MapConfig;
  readonly memory: Memory;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Hears of each entry that expired or was evicted. */
  readonly dropped: (key: string) => void;
}

export function createLiveMap(deps: LiveMapDeps): LiveMap {
  const watch = watchFor(deps.config, deps.now);
  return watch === undefined ? mapWith(noWatch, deps) : mapWith(watch, deps);
}

/** For entries that stay until they are removed. */
const noWatch: EntryWatch<Entry> = {
  watch: (_key, { content, contentType }, writtenAt) => ({ content, contentType, writtenAt }),
  unwatch() {},
  isOver: undefined,
  used() {},
  victim: () => undefined,
};

function mapWith<E extends Entry>(watch: EntryWatch<E>, { config, memory, dropped }: LiveMapDeps): LiveMap {
  const entries = new Map<string, E>();
  const { isOver } = watch;
  let bytes = 0;

  function forget(key: string, entry: E): void {
    const cost = costOf(key, entry);
    entries.delete(key);
    bytes -= cost;
    memory.give(cost);
    watch.unwatch(entry);
  }

  function drop(key: string, entry: E): void {
    forget(key, entry);
    dropped(key);
  }

  return {
    get size() {
      return entries.size;
    },

    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (isOver?.(entry)) {
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
      const ownKey = replaced === undefined ? ownText(key) : key; // a map keeps the key that it has
      const entry = watch.watch(ownKey, hold(value), writtenAt);
      bytes += costOf(key, entry);
      entries.set(ownKey, entry);
    },

    evict(kept) {
      while (isTooLarge(config.eviction, { entries: entries.size, bytes, memory })) {
        const victim = watch.victim(kept === undefined ? undefined : entries.get(kept));
        if (victim === undefined) return;
        drop(victim, entries.get(victim)!);
      }
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
        if (!isOver?.(pair[1])) yield pair;
      }
    },

    sweep: isOver && (() => sweepEach(isOver)),
  };

  function* sweepEach(isOver: (entry: E) => boolean): Generator<void> {
    for (const [key, entry] of entries) {
      if (isOver(entry)) drop(key, entry);
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
