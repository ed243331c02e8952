import type { MapConfig } from '../config/config.ts';
import type { HeldValue } from './values.ts';

/** What a map has under a key. */
export interface Entry extends HeldValue {
  /** Epoch milliseconds. */
  readonly writtenAt: number;
}

/** An entry of a map that expires or evicts: it also knows how it was used. */
export interface WatchedEntry extends Entry {
  readonly key: string;
  expiresAt: number;
  /** Rises with each use of any entry of the map. */
  lastUse: number;
  uses: number;
  /** Where it stands in the list that eviction draws from. */
  place: number;
}

/** Knows which entries of one map are over, and which one has to make room. */
export interface EntryWatch<E extends Entry> {
  watch(key: string, value: HeldValue, writtenAt: number): E;
  unwatch(entry: E): void;
  /** `undefined` when none ever is. */
  readonly isOver: ((entry: E) => boolean) | undefined;
  used(entry: E): void;
  /** The key of the entry to evict, any but `kept`; `undefined` when there is none. */
  victim(spared: E | undefined): string | undefined;
}

/** The real engine draws as many; the worst of them is near the worst of all. */
const sampleSize = 15;

/**
 * @param now  epoch milliseconds
 * @returns `undefined` for a map whose entries stay until they are removed
 */
export function watchFor(config: MapConfig, now: () => number): EntryWatch<WatchedEntry> | undefined {
  const { timeToLiveSeconds, maxIdleSeconds, eviction } = config;
  const evicts = isEvicting(config);
  if (timeToLiveSeconds === 0 && maxIdleSeconds === 0 && !evicts) return undefined;

  const drawn: WatchedEntry[] = [];
  let clock = 0;

  function expiryOf(writtenAt: number, usedAt: number): number {
    const byAge = timeToLiveSeconds > 0 ? writtenAt + timeToLiveSeconds * 1000 : Infinity;
    const byIdleness = maxIdleSeconds > 0 ? usedAt + maxIdleSeconds * 1000 : Infinity;
    return Math.min(byAge, byIdleness);
  }

  function isWorse(one: WatchedEntry, other: WatchedEntry): boolean {
    if (eviction.policy === 'LFU' && one.uses !== other.uses) return one.uses < other.uses;
    return one.lastUse < other.lastUse;
  }

  return {
    watch(key, { content, contentType }, writtenAt) {
      const expiresAt = expiryOf(writtenAt, now());
      const place = drawn.length;
      const entry = { key, content, contentType, writtenAt, expiresAt, lastUse: ++clock, uses: 0, place };
      if (evicts) drawn.push(entry);
      return entry;
    },

    unwatch({ place }) {
      const last = evicts ? drawn.pop() : undefined;
      if (last === undefined || last.place === place) return;
      drawn[place] = last;
      last.place = place;
    },

    isOver: ({ expiresAt }) => expiresAt <= now(),

    used(entry) {
      entry.lastUse = ++clock;
      entry.uses += 1;
      if (maxIdleSeconds > 0) entry.expiresAt = expiryOf(entry.writtenAt, now());
    },

    victim(kept) {
      const isDrawnWhole = drawn.length <= sampleSize;
      const draws = eviction.policy === 'RANDOM' ? 1 : isDrawnWhole ? drawn.length : sampleSize;
      const drawsInOrder = isDrawnWhole && eviction.policy !== 'RANDOM';
      let worst: WatchedEntry | undefined;
      for (let draw = 0; draw < draws; draw += 1) {
        const entry = drawn[drawsInOrder ? draw : Math.floor(Math.random() * drawn.length)]!;
        if (entry !== kept && (worst === undefined || isWorse(entry, worst))) worst = entry;
      }
      return (worst ?? drawn.find((entry) => entry !== kept))?.key;
    },
  };
}

/** Whether entries leave a map by the same rules, whatever else its configuration says. */
export function isWatchedAlike(one: MapConfig, other: MapConfig): boolean {
  return rulesOf(one) === rulesOf(other);
}

function rulesOf(config: MapConfig): string {
  const { policy, maxSizePolicy, size } = config.eviction;
  const eviction = isEvicting(config) ? [policy, maxSizePolicy, size] : [];
  return JSON.stringify([config.timeToLiveSeconds, config.maxIdleSeconds, ...eviction]);
}

function isEvicting({ eviction }: MapConfig): boolean {
  return eviction.policy !== 'NONE' && eviction.size > 0;
}
