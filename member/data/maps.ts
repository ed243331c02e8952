/** The maps of a member: what they hold, within limits and for as long as their configuration says. */
import type { MapConfig } from '../config/config.ts';
import { type ChangeRecorder, type MapChange, memoryOnly } from './changes.ts';
import { isWatchedAlike } from './entry-watch.ts';
import { createLiveMap, type LiveMap } from './live-map.ts';
import { costOfParts, type Memory } from './memory.ts';
import { type HeldValue, release, type StoredValue } from './values.ts';

/** The maps of this member, each made when its first entry is written (docs/member-surface.md#maps). */
export interface Maps {
  /** Whether any configuration matches `map`; if not, every call on it is 400. */
  isConfigured(map: string): boolean;
  get(map: string, key: string): StoredValue | undefined;
  /** As `get`, in the form in which it is held. */
  find(map: string, key: string): HeldValue | undefined;
  /** As `get`, but no use of it: neither idleness nor eviction sees it. What is over may still be there. */
  peek(map: string, key: string): StoredValue | undefined;
  /** Answers once the entry outlives the process, if the member persists. */
  put(map: string, key: string, value: StoredValue): PutOutcome | Promise<PutOutcome>;
  remove(map: string, key: string): void | Promise<void>;
  clear(map: string): void | Promise<void>;
  /**
   * As `put`; without a value as `remove`, without a key as `clear`. For changes that came from another cluster: no
   * listener hears of them. Several may be begun before the first is done; they are made in that order.
   */
  applyRemote(
    map: string,
    key: string | undefined,
    value: StoredValue | undefined,
  ): PutOutcome | Promise<PutOutcome>;
  /**
   * Makes a change that was persisted, whatever room it takes. Nothing is evicted before {@link Maps.replayed}, since
   * what was is among the changes.
   *
   * @returns `false` when no configuration matches the map
   */
  replay(change: MapChange): boolean;
  /** After the last of them. @returns how many entries there are */
  replayed(): number;
  /** Everything that holds, as the changes that make it. Writes may go on between two steps, as for `entriesOf`. */
  changes(): Iterable<MapChange>;
  /** Forgets everything in memory, as if the member had just started. */
  reset(): void;
  /** How many entries a map has, those among them that are over and not yet dropped. */
  sizeOf(map: string): number;
  /** The maps that hold entries, in the order in which they were made. */
  names(): Iterable<string>;
  /**
   * The maps whose entries leave by rules other than those that the configuration has for them now: it has changed
   * since the map was made, and counts when the map is made anew.
   */
  outdated(): readonly string[];
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
  readonly recorder?: ChangeRecorder;
}

export function createMaps({ configOf, memory, now, recorder = memoryOnly }: MapsDeps): Maps {
  const maps = new Map<string, LiveMap>();
  const madeWith = new WeakMap<LiveMap, MapConfig>();
  const listeners = new Set<MapListener>();
  let sweeping: Iterator<void> | undefined;

  function open(name: string, config: MapConfig): LiveMap {
    const known = maps.get(name);
    if (known !== undefined) return known;
    const dropped = (key: string) => recorder.append({ kind: 'expired', map: name, key });
    const map = createLiveMap({ config, memory, now, dropped });
    maps.set(name, map);
    madeWith.set(map, config);
    return map;
  }

  /** What is not applied yet holds its memory already, so that what is recorded has its place. */
  function store(name: string, key: string, value: StoredValue, isRemote: boolean) {
    const config = configOf(name);
    if (config === undefined) return 'unconfigured';
    const cost = costOfParts(key, value.contentType, value.bytes.length);
    const replacedCost = maps.get(name)?.costAt(key) ?? 0;
    if (!memory.tryTake(cost - replacedCost)) return 'no memory';
    memory.take(replacedCost);

    const writtenAt = now();
    const apply = (): PutOutcome => {
      const map = open(name, config);
      map.put(key, value, writtenAt);
      map.evict(key);
      if (listeners.size > 0 && !isRemote) emit(name, key, value);
      return 'stored';
    };
    const outcome = recorder.record({ kind: 'put', map: name, key, value, writtenAt }, apply);
    if (outcome instanceof Promise) return outcome.catch(giveBack);
    return outcome;

    function giveBack(error: unknown): never {
      memory.give(cost);
      throw error;
    }
  }

  function discard(name: string, key: string, isRemote: boolean): void | Promise<void> {
    return recorder.record({ kind: 'remove', map: name, key }, () => {
      maps.get(name)?.remove(key);
      dropIfEmpty(name);
      if (listeners.size > 0 && !isRemote) emit(name, key, undefined);
    });
  }

  function empty(name: string, isRemote: boolean): void | Promise<void> {
    return recorder.record({ kind: 'clear', map: name }, () => {
      dropAll(name);
      if (listeners.size > 0 && !isRemote) emit(name, undefined, undefined);
    });
  }

  function dropAll(name: string): void {
    maps.get(name)?.clear(); // a sweep may stand in the middle of it
    maps.delete(name);
  }

  function dropIfEmpty(name: string): void {
    if (maps.get(name)?.size === 0) maps.delete(name);
  }

  function emit(map: string, key: string | undefined, value: StoredValue | undefined): void {
    for (const listener of listeners) listener(map, key, value);
  }

  function* eachExpiring(): Generator<void> {
    for (const [name, { sweep }] of maps) {
      if (sweep === undefined) continue;
      yield* { [Symbol.iterator]: sweep };
      dropIfEmpty(name);
    }
  }

  return {
    isConfigured: (name) => maps.has(name) || configOf(name) !== undefined,
    find: (name, key) => maps.get(name)?.get(key),

    get(name, key) {
      const held = maps.get(name)?.get(key);
      return held && release(held);
    },

    peek(name, key) {
      const held = maps.get(name)?.peek(key);
      return held && release(held);
    },

    put: (name, key, value) => store(name, key, value, false),
    remove: (name, key) => discard(name, key, false),

    async applyRemote(name, key, value) {
      if (key === undefined) await empty(name, true);
      else if (value !== undefined) return store(name, key, value, true);
      else await discard(name, key, true);
      return 'stored';
    },

    clear: (name) => empty(name, false),

    replay(change) {
      const { map: name } = change;
      const config = configOf(name);
      if (config === undefined) return false;
      if (change.kind === 'put') {
        const { key, value, writtenAt } = change;
        memory.take(costOfParts(key, value.contentType, value.bytes.length));
        open(name, config).put(key, value, writtenAt);
      } else if (change.kind === 'clear') {
        dropAll(name);
      } else {
        maps.get(name)?.remove(change.key);
        dropIfEmpty(name);
      }
      return true;
    },

    replayed() {
      let entries = 0;
      for (const map of maps.values()) {
        map.evict();
        entries += map.size;
      }
      return entries;
    },

    *changes() {
      for (const [map, live] of maps) {
        for (const [key, held] of live.entries()) {
          yield { kind: 'put', map, key, value: release(held), writtenAt: held.writtenAt };
        }
      }
    },

    reset() {
      for (const map of maps.values()) map.clear();
      maps.clear();
    },

    sizeOf: (name) => maps.get(name)?.size ?? 0,
    names: () => maps.keys(),

    outdated: () =>
      [...maps].flatMap(([name, map]) => {
        const config = configOf(name);
        return config === undefined || isWatchedAlike(config, madeWith.get(map)!) ? [] : [name];
      }),

    *entriesOf(name) {
      for (const [key, held] of maps.get(name)?.entries() ?? []) yield [key, release(held)];
    },

    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    sweep(most) {
      sweeping ??= eachExpiring();
      for (let checked = 0; checked < most; checked += 1) {
        if (sweeping.next().done) {
          sweeping = undefined;
          return;
        }
      }
    },
  };
}
