import type { HeldValue, StoredValue } from './values.ts';

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
   * Stores what `memory` has been taken for already, and gives back what it replaces. Evicts what no
   * longer fits. Of a large value the bytes are kept as they are: nobody may write to them afterwards.
   *
   * @param writtenAt  epoch milliseconds
   */
  put(key: string, value: StoredValue, writtenAt: number): void;
  /** @returns whether there was one */
  remove(key: string): boolean;
  clear(): void;
  /**
   * What holds now. Entries may come and go between two steps: one that is there from the first to the last is
   * met once.
   */
  entries(): Iterable<readonly [key: string, value: HeldValue]>;
  /** Drops what is over, one look a step; `undefined` when nothing ever is. */
  sweep: (() => Iterator<void>) | undefined;
}
