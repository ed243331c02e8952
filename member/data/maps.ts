import type { MapConfig } from '../config/config.ts';
import { costOf, type Memory, type StoredValue } from './memory.ts';

/** The maps of this member, each made when its first entry is written (spec §2.1, §4.2). */
export interface Maps {
  /** Whether any configuration matches `map`; if not, every call on it is 400. */
  isConfigured(map: string): boolean;
  get(map: string, key: string): StoredValue | undefined;
  put(map: string, key: string, value: StoredValue): PutOutcome;
  remove(map: string, key: string): void;
  clear(map: string): void;
  /** As `put` or, without a value, `remove`; for changes that came from another cluster: no listener hears of them. */
  applyRemote(map: string, key: string, value: StoredValue | undefined): PutOutcome | Promise<PutOutcome>;
  /** The maps that hold entries, in the order in which they were made. */
  names(): Iterable<string>;
  /**
   * The live entries of a map, in no promised order. Writes may go on between two steps: an entry that
   * is there from the first step to the last is met once; one that comes or goes meanwhile may be missed.
   */
  entriesOf(map: string): Iterable<readonly [key: string, value: StoredValue]>;
  /** Calls `listener` after each change that a caller made, at once and in order. Returns what ends that. */
  onChange(listener: MapListener): () => void;
  /** Drops entries whose time is over, looking at `most` of them at most; the next call goes on from there. */
  sweep(most: number): void;
}

export type PutOutcome = 'stored' | 'unconfigured' | 'no memory';

/**
 * Hears of one change: a value was stored under `key`; without a value, `key` was removed; without a
 * key, the map was cleared. Expiry and eviction are no changes. It must not throw.
 */
export type MapListener = (map: string, key: string | undefined, value: StoredValue | undefined) => void;

export interface MapsDeps {
  /** The configuration that matches a name, `undefined` when none does. */
  readonly configOf: (map: string) => MapConfig | undefined;
  readonly memory: Memory;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createMaps({ configOf, memory, now }: MapsDeps): Maps {
  const maps = new Map<string, LiveMap>();
  const listeners = new Set<MapListener>();
  let sweeping: Iterator<void> | undefined;

  function tell(map: string, key: string | undefined, value: StoredValue | undefined): void {
    for (const listener of listeners) listener(map, key, value);
  }

  function drop(name: string, map: LiveMap, key: string, entry: Entry): void {
    map.entries.delete(key);
    memory.give(entry.cost);
    if (map.entries.size === 0) maps.delete(name);
  }

  function store(name: string, key: string, value: StoredValue): PutOutcome {
    const known = maps.get(name);
    const config = known?.config ?? configOf(name);
    if (config === undefined) return 'unconfigured';
    const cost = costOf(key, value);
    const replacedCost = known?.entries.get(key)?.cost ?? 0;
    if (!memory.tryTake(cost - replacedCost)) return 'no memory';

    const map = known ?? { config, expires: doesExpire(config), entries: new Map<string, Entry>() };
    const writtenAt = map.expires ? now() : 0;
    map.entries.set(key, { value, cost, writtenAt, expiresAt: expiryOf(config, writtenAt, writtenAt) });
    maps.set(name, map);
    return 'stored';
  }

  function discard(name: string, key: string): void {
    const map = maps.get(name);
    const entry = map?.entries.get(key);
    if (map !== undefined && entry !== undefined) drop(name, map, key, entry);
  }

  function* eachExpiring(): Generator<void> {
    for (const [name, map] of maps) {
      if (!map.expires) continue;
      for (const [key, entry] of map.entries) {
        if (entry.expiresAt <= now()) drop(name, map, key, entry);
        yield;
      }
    }
  }

  return {
    isConfigured: (name) => maps.has(name) || configOf(name) !== undefined,

    get(name, key) {
      const map = maps.get(name);
      const entry = map?.entries.get(key);
      if (map === undefined || entry === undefined) return undefined;
      if (!map.expires) return entry.value;
      if (entry.expiresAt <= now()) {
        drop(name, map, key, entry);
        return undefined;
      }
      entry.expiresAt = expiryOf(map.config, entry.writtenAt, now());
      return entry.value;
    },

    put(name, key, value) {
      const outcome = store(name, key, value);
      if (outcome === 'stored' && listeners.size > 0) tell(name, key, value);
      return outcome;
    },

    remove(name, key) {
      discard(name, key);
      if (listeners.size > 0) tell(name, key, undefined);
    },

    applyRemote(name, key, value) {
      if (value !== undefined) return store(name, key, value);
      discard(name, key);
      return 'stored';
    },

    clear(name) {
      const map = maps.get(name);
      if (map !== undefined) {
        for (const { cost } of map.entries.values()) memory.give(cost);
        map.entries.clear(); // a sweep may stand in the middle of it
        maps.delete(name);
      }
      if (listeners.size > 0) tell(name, undefined, undefined);
    },

    names: () => maps.keys(),

    *entriesOf(name) {
      const map = maps.get(name);
      if (map === undefined) return;
      let left = map.entries.size; // what is added from now on comes behind these
      for (const [key, entry] of map.entries) {
        if (left === 0) return;
        left -= 1;
        if (!map.expires || entry.expiresAt > now()) yield [key, entry.value];
      }
    },

    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    sweep(most) {
      sweeping ??= eachExpiring();
      for (let looked = 0; looked < most; looked += 1) {
        if (sweeping.next().done) {
          sweeping = undefined;
          return;
        }
      }
    },
  };
}

interface LiveMap {
  readonly config: MapConfig;
  readonly expires: boolean;
  readonly entries: Map<string, Entry>;
}

interface Entry {
  readonly value: StoredValue;
  readonly cost: number;
  readonly writtenAt: number;
  expiresAt: number;
}

function doesExpire({ timeToLiveSeconds, maxIdleSeconds }: MapConfig): boolean {
  return timeToLiveSeconds > 0 || maxIdleSeconds > 0;
}

function expiryOf(
  { timeToLiveSeconds, maxIdleSeconds }: MapConfig,
  writtenAt: number,
  usedAt: number,
): number {
  const byAge = timeToLiveSeconds > 0 ? writtenAt + timeToLiveSeconds * 1000 : Infinity;
  const byIdleness = maxIdleSeconds > 0 ? usedAt + maxIdleSeconds * 1000 : Infinity;
  return Math.min(byAge, byIdleness);
}
