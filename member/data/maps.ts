import type { MapConfig } from '../config/config.ts';
import { costOf, type Memory, type StoredValue } from './memory.ts';

/** The maps of this member, each made when its first entry is written (spec §2.1, §4.2). */
export interface Maps {
  /** Whether any configuration matches `map`; if not, every call on it is 400. */
  isConfigured(map: string): boolean;
  get(map: string, key: string): StoredValue | undefined;
  put(map: string, key: string, value: StoredValue): 'stored' | 'unconfigured' | 'no memory';
  remove(map: string, key: string): void;
  clear(map: string): void;
  /** Drops entries whose time is over, looking at `most` of them at most; the next call goes on from there. */
  sweep(most: number): void;
}

export interface MapsDeps {
  /** The configuration that matches a name, `undefined` when none does. */
  readonly configOf: (map: string) => MapConfig | undefined;
  readonly memory: Memory;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createMaps({ configOf, memory, now }: MapsDeps): Maps {
  const maps = new Map<string, LiveMap>();
  let sweeping: Iterator<void> | undefined;

  function drop(name: string, map: LiveMap, key: string, entry: Entry): void {
    map.entries.delete(key);
    memory.give(entry.cost);
    if (map.entries.size === 0) maps.delete(name);
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
    },

    remove(name, key) {
      const map = maps.get(name);
      const entry = map?.entries.get(key);
      if (map !== undefined && entry !== undefined) drop(name, map, key, entry);
    },

    clear(name) {
      const map = maps.get(name);
      if (map === undefined) return;
      for (const { cost } of map.entries.values()) memory.give(cost);
      map.entries.clear(); // a sweep may stand in the middle of it
      maps.delete(name);
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
